//===- ReductionPlanner.cpp - Segments of rows or columns -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionPlanner.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "llvm/ADT/DenseSet.h"

using namespace fuser;
using fusion::ElementwiseOpInterface;
using fusion::IndexMapOpInterface;
using fusion::ReductionOpInterface;

/// From this many simple instructions on an element is kept in scratch memory
/// instead of computed again.
static constexpr int64_t kKeepCost = 12;
/// From this many on it is read back if it was a result that has been stored.
static constexpr int64_t kReadBackCost = 4;
/// A tensor's part of a row that is larger than this would push the inputs out
/// of the caches.
static constexpr int64_t kMaxKeptBytes = 1 << 20;
static constexpr int64_t kCostLimit = 1 << 20;

std::optional<CpuReductionPlan> ReductionPlanner::plan() {
  if (!findSpace())
    return std::nullopt;
  measure();
  if (!sortResults() || !looksAtOwnRowOnly())
    return std::nullopt;
  makeStages();
  chooseKept();
  return result;
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

/// All reductions must reduce the same dimensions of tensors of one shape.
bool ReductionPlanner::findSpace() {
  for (ReductionOpInterface op :
       segment.getBody().getOps<ReductionOpInterface>())
    reductions.push_back(op);
  if (reductions.empty())
    return false;
  result.space = reductions.front()->getOperand(0);
  result.reducedDims = reductions.front().getReductionDims();
  int64_t rank = result.getRank();
  if (rank == 0)
    return false;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(result.reducedDims, dim))
      result.keptDims.push_back(dim);
  return llvm::all_of(reductions, [&](ReductionOpInterface op) {
    return op.getReductionDims() == result.reducedDims &&
           symbols.getShape(op->getOperand(0)) ==
               symbols.getShape(result.space);
  });
}

/// Depths and costs of all values, in program order.
void ReductionPlanner::measure() {
  for (BlockArgument argument : segment.getBody().getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      costs[argument].loads = 1;
  for (Operation &op : segment.getBody().front()) {
    unsigned deepest = 0;
    Cost cost;
    for (Value operand : op.getOperands()) {
      deepest = std::max(deepest, getDepth(operand));
      cost.arithmetic += costs[operand].arithmetic;
      cost.loads += costs[operand].loads;
    }
    if (auto elementwise = dyn_cast<ElementwiseOpInterface>(op))
      cost.arithmetic += elementwise.getElementCost();
    cost.arithmetic = std::min(cost.arithmetic, kCostLimit);
    cost.loads = std::min(cost.loads, kCostLimit);
    bool reduces = isa<ReductionOpInterface>(op);
    for (Value value : op.getResults()) {
      depth[value] = reduces ? deepest + 1 : deepest;
      costs[value] = reduces ? Cost() : cost;
    }
  }
}

AffineMap ReductionPlanner::getIdentity() const {
  return AffineMap::getMultiDimIdentityMap(result.getRank(),
                                           segment->getContext());
}

AffineMap ReductionPlanner::getRowMap(OpResult value) const {
  MLIRContext *context = segment->getContext();
  SymbolicShape shape = symbols.getShape(value);
  SymbolicShape space = symbols.getShape(result.space);
  SymbolicShape withUnits, without;
  SmallVector<AffineExpr> exprsWithUnits, exprs;
  for (int64_t dim = 0; dim < result.getRank(); ++dim) {
    bool kept = result.isKept(dim);
    AffineExpr expr = getAffineDimExpr(dim, context);
    withUnits.push_back(kept ? space[dim] : 1);
    exprsWithUnits.push_back(kept ? expr : getAffineConstantExpr(0, context));
    if (!kept)
      continue;
    without.push_back(space[dim]);
    exprs.push_back(expr);
  }
  if (shape == withUnits)
    return AffineMap::get(result.getRank(), 0, exprsWithUnits, context);
  if (shape == without)
    return AffineMap::get(result.getRank(), 0, exprs, context);
  return {};
}

/// Every result is as large as the space, or has an element a row.
bool ReductionPlanner::sortResults() {
  SymbolicShape space = symbols.getShape(result.space);
  for (OpResult value : segment.getResults()) {
    if (symbols.getShape(value) == space)
      fullResults.push_back(value.getResultNumber());
    else if (getRowMap(value))
      result.rowResults.push_back(value.getResultNumber());
    else
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Which row is looked at
//===----------------------------------------------------------------------===//

/// The map with 0 for the coordinates of dimensions of size 1.
AffineMap ReductionPlanner::withoutUnitDims(AffineMap map) const {
  MLIRContext *context = segment->getContext();
  SmallVector<AffineExpr> dims;
  for (auto [dim, size] : llvm::enumerate(symbols.getShape(result.space)))
    dims.push_back(size == 1 ? getAffineConstantExpr(0, context)
                             : getAffineDimExpr(dim, context));
  return simplifyAffineMap(map.replaceDimsAndSymbols(dims, {}, dims.size(), 0));
}

/// Follows `map`, the coordinates of `value` for a position in the space, to
/// the operands. False if a reduction is looked at elsewhere than in the own
/// row.
bool ReductionPlanner::visitMap(
    Value value, AffineMap map,
    SmallVectorImpl<std::pair<Value, AffineMap>> &next) const {
  Operation *op = value.getDefiningOp();
  if (!op || getDepth(value) == 0)
    return true;
  if (auto reduction = dyn_cast<ReductionOpInterface>(op)) {
    SmallVector<AffineExpr> exprs;
    for (int64_t dim = 0; dim < result.getRank(); ++dim) {
      if (result.isKept(dim))
        exprs.push_back(getAffineDimExpr(dim, map.getContext()));
      else if (reduction.getKeepsDims())
        exprs.push_back(getAffineConstantExpr(0, map.getContext()));
    }
    AffineMap own =
        AffineMap::get(result.getRank(), 0, exprs, map.getContext());
    return withoutUnitDims(own) == withoutUnitDims(map);
  }
  auto indexMap = dyn_cast<IndexMapOpInterface>(op);
  if (!indexMap && !isa<ElementwiseOpInterface>(op))
    return false;
  for (auto [number, operand] :
       llvm::enumerate(fusion::getTensorOperands(op))) {
    AffineMap step = map;
    if (indexMap && getDepth(operand->get()) != 0) {
      AffineMap ofOperand = indexMap.getAffineIndexMap(number);
      if (!ofOperand)
        return false;
      step = simplifyAffineMap(ofOperand.compose(map));
    }
    next.emplace_back(operand->get(), step);
  }
  return true;
}

bool ReductionPlanner::looksAtOwnRowOnly() const {
  SmallVector<std::pair<Value, AffineMap>> stack;
  for (ReductionOpInterface op : reductions)
    stack.emplace_back(op->getOperand(0), getIdentity());
  for (unsigned number : fullResults)
    stack.emplace_back(
        const_cast<fusion::SegmentOp &>(segment).getYielded(number),
        getIdentity());
  for (unsigned number : result.rowResults)
    stack.emplace_back(
        const_cast<fusion::SegmentOp &>(segment).getYielded(number),
        getRowMap(segment->getResult(number)));
  DenseSet<std::pair<Value, AffineMap>> seen;
  while (!stack.empty()) {
    auto [value, map] = stack.pop_back_val();
    if (seen.insert({value, map}).second && !visitMap(value, map, stack))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Each reduction in the first stage that has what it needs, and so each
/// result. A result may lie in the memory of an input: then nothing is stored
/// before the last stage, in which each position is read before it is written.
void ReductionPlanner::makeStages() {
  unsigned count = 0;
  for (ReductionOpInterface op : reductions)
    count = std::max(count, getDepth(op->getResult(0)));
  for (unsigned number : fullResults)
    count = std::max(count, getDepth(segment.getYielded(number)) + 1);
  result.stages.resize(count);
  for (ReductionOpInterface op : reductions)
    result.stages[getDepth(op->getOperand(0))].reductions.push_back(op);
  bool mayOverlap = llvm::any_of(
      llvm::enumerate(getKernelArguments(segment)), [&](auto entry) {
        return isa<MemRefType>(entry.value().type) && !entry.value().noAlias;
      });
  for (unsigned number : fullResults) {
    unsigned stage =
        mayOverlap ? count - 1 : getDepth(segment.getYielded(number));
    result.stages[stage].results.push_back(number);
  }
}

SmallVector<Value> ReductionPlanner::getRoots(const CpuStage &stage) {
  SmallVector<Value> roots;
  for (ReductionOpInterface op : stage.reductions)
    roots.push_back(op->getOperand(0));
  for (unsigned number : stage.results)
    roots.push_back(segment.getYielded(number));
  return roots;
}

bool ReductionPlanner::keep(Value value, unsigned first) {
  Cost cost = costs[value];
  CpuStage &stage = result.stages[first];
  for (unsigned number : stage.results)
    if (segment.getYielded(number) == value &&
        (cost.loads > 1 || cost.arithmetic >= kReadBackCost)) {
      result.readBack.insert(number);
      return true;
    }
  if (cost.arithmetic < kKeepCost)
    return false;
  CpuPlan plan = kernelPlan;
  plan.reduction = result;
  int64_t elements = countKeptElements(plan);
  int64_t bytes =
      getElementTypeOrSelf(value).getIntOrFloatBitWidth() > 32 ? 8 : 4;
  if (ShapedType::isDynamic(elements) || elements * bytes > kMaxKeptBytes)
    return false;
  stage.kept.push_back(value);
  return true;
}

/// Notes what stage number `stage` computes. Only element-wise ops are
/// followed: they keep positions.
void ReductionPlanner::collectComputed(unsigned stage) {
  SmallVector<Value> stack = getRoots(result.stages[stage]);
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<ElementwiseOpInterface>(op) ||
        available.contains(value) ||
        !computedIn.try_emplace(value, stage).second)
      continue;
    for (OpOperand *operand : fusion::getTensorOperands(op))
      stack.push_back(operand->get());
  }
}

/// What stage number `stage` needs of earlier stages is kept if that is cheaper
/// than computing it again.
void ReductionPlanner::findUses(unsigned stage) {
  SmallVector<Value> stack = getRoots(result.stages[stage]);
  DenseSet<Value> seen;
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<ElementwiseOpInterface>(op) ||
        available.contains(value) || !seen.insert(value).second)
      continue;
    auto computed = computedIn.find(value);
    if (computed != computedIn.end() && keep(value, computed->second)) {
      available.insert(value);
      continue;
    }
    for (OpOperand *operand : fusion::getTensorOperands(op))
      stack.push_back(operand->get());
  }
}

void ReductionPlanner::chooseKept() {
  for (unsigned stage = 0; stage < result.stages.size(); ++stage) {
    findUses(stage);
    collectComputed(stage);
  }
}
