//===- ReductionAnalysis.cpp - Segments of rows or columns ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionAnalysis.h"
#include "fuser/Analysis/Accesses.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"

using namespace fuser;
using fusion::ElementwiseOpInterface;
using fusion::IndexMapOpInterface;
using fusion::ReductionOpInterface;
using schedule::CpuRowsProblem;

namespace {
/// Finds out whether a segment is one of rows or columns, and cuts it into
/// stages.
class ReductionAnalysis {
public:
  ReductionAnalysis(fusion::SegmentOp segment, const ShapeSymbols &symbols)
      : segment(segment), symbols(symbols) {}

  /// Nothing if the segment has another structure.
  std::optional<CpuReductionPlan> run();

private:
  bool findSpace();
  void measure();
  bool sortResults();
  /// The map from the space to a row result of `type`; null if it is none.
  AffineMap getRowMap(OpResult result) const;
  bool looksAtOwnRowOnly();
  bool isOwnRow(ReductionOpInterface op, AffineMap map) const;
  AffineMap withoutUnitDims(AffineMap map) const;
  AffineMap getIdentity() const;
  void makeStages();

  unsigned getDepth(Value value) const { return depth.lookup(value); }

  fusion::SegmentOp segment;
  const ShapeSymbols &symbols;
  CpuReductionPlan result;
  SmallVector<ReductionOpInterface> reductions;
  SmallVector<unsigned> fullResults;
  /// How many stages must end before an element can be computed.
  DenseMap<Value, unsigned> depth;
};
} // namespace

std::optional<CpuReductionPlan> ReductionAnalysis::run() {
  if (!findSpace())
    return std::nullopt;
  measure();
  if (!sortResults() || !looksAtOwnRowOnly())
    return std::nullopt;
  makeStages();
  return result;
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

/// All reductions must reduce the same dimensions of tensors of one shape.
bool ReductionAnalysis::findSpace() {
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

/// Depths of all values, in program order.
void ReductionAnalysis::measure() {
  for (Operation &op : segment.getBody().front()) {
    unsigned deepest = 0;
    for (Value operand : op.getOperands())
      deepest = std::max(deepest, getDepth(operand));
    for (Value value : op.getResults())
      depth[value] = isa<ReductionOpInterface>(op) ? deepest + 1 : deepest;
  }
}

AffineMap ReductionAnalysis::getIdentity() const {
  return AffineMap::getMultiDimIdentityMap(result.getRank(),
                                           segment->getContext());
}

AffineMap ReductionAnalysis::getRowMap(OpResult value) const {
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
bool ReductionAnalysis::sortResults() {
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
AffineMap ReductionAnalysis::withoutUnitDims(AffineMap map) const {
  MLIRContext *context = segment->getContext();
  SmallVector<AffineExpr> dims;
  for (auto [dim, size] : llvm::enumerate(symbols.getShape(result.space)))
    dims.push_back(size == 1 ? getAffineConstantExpr(0, context)
                             : getAffineDimExpr(dim, context));
  return simplifyAffineMap(map.replaceDimsAndSymbols(dims, {}, dims.size(), 0));
}

/// Whether `map`, the coordinates in the result of `op` for a position in the
/// space, is that of the own row.
bool ReductionAnalysis::isOwnRow(ReductionOpInterface op, AffineMap map) const {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < result.getRank(); ++dim) {
    if (result.isKept(dim))
      exprs.push_back(getAffineDimExpr(dim, op.getContext()));
    else if (op.getKeepsDims())
      exprs.push_back(getAffineConstantExpr(0, op.getContext()));
  }
  AffineMap own = AffineMap::get(result.getRank(), 0, exprs, op.getContext());
  return map && withoutUnitDims(own) == withoutUnitDims(map);
}

bool ReductionAnalysis::looksAtOwnRowOnly() {
  SmallVector<Access> starts;
  for (ReductionOpInterface op : reductions)
    starts.push_back({op->getOperand(0), getIdentity()});
  for (unsigned number : fullResults)
    starts.push_back({segment.getYielded(number), getIdentity()});
  for (unsigned number : result.rowResults)
    starts.push_back(
        {segment.getYielded(number), getRowMap(segment->getResult(number))});
  bool isRight = true;
  walkAccesses(starts, [&](Value tensor, AffineMap at) {
    Operation *op = tensor.getDefiningOp();
    if (!isRight || !op || getDepth(tensor) == 0)
      return false;
    if (auto reduction = dyn_cast<ReductionOpInterface>(op)) {
      isRight &= isOwnRow(reduction, at);
      return false;
    }
    isRight &= at && isa<IndexMapOpInterface, ElementwiseOpInterface>(op);
    return isRight;
  });
  return isRight;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Each reduction in the first stage that has what it needs, and so each
/// result. A result may lie in the memory of an input: then nothing is stored
/// before the last stage, in which each position is read before it is written.
void ReductionAnalysis::makeStages() {
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

std::optional<CpuReductionPlan>
fuser::findReductionPlan(fusion::SegmentOp segment,
                         const ShapeSymbols &symbols) {
  return ReductionAnalysis(segment, symbols).run();
}

//===----------------------------------------------------------------------===//
// What can be kept
//===----------------------------------------------------------------------===//

SmallVector<Value> fuser::getStageRoots(fusion::SegmentOp segment,
                                        const CpuStage &stage) {
  SmallVector<Value> roots;
  for (ReductionOpInterface op : stage.reductions)
    roots.push_back(op->getOperand(0));
  for (unsigned number : stage.results)
    roots.push_back(segment.getYielded(number));
  return roots;
}

/// The ops that others look at elsewhere than at their own position, directly
/// or not: they would find there what another stage or row has left.
static DenseSet<Operation *> findMovedOps(fusion::SegmentOp segment) {
  DenseSet<Operation *> moved;
  for (Operation &op : llvm::reverse(segment.getBody().front())) {
    // What is reduced is computed at each position of its stage.
    bool moves = isa<IndexMapOpInterface>(op) ||
                 (moved.contains(&op) && !isa<ReductionOpInterface>(op));
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp(); moves && producer)
        moved.insert(producer);
  }
  return moved;
}

CpuRowsProblem fuser::analyzeRowsOfOps(fusion::SegmentOp segment,
                                       const CpuReductionPlan &plan) {
  CpuRowsProblem problem;
  DenseMap<Operation *, unsigned> numbers;
  DenseSet<Operation *> moved = findMovedOps(segment);
  for (Operation &op : segment.getBody().front().without_terminator()) {
    numbers[&op] = problem.ops.size();
    CpuRowsProblem::Op &entry = problem.ops.emplace_back();
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp())
        entry.operands.push_back(numbers.lookup(producer));
      else
        entry.loads += isa<RankedTensorType>(operand.getType());
    entry.isReduction = isa<ReductionOpInterface>(op);
    entry.canKeep = !moved.contains(&op);
    auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
    if (!elementwise)
      continue;
    entry.isElementwise = true;
    entry.cost = elementwise.getElementCost();
    Type element = getElementTypeOrSelf(op.getResult(0).getType());
    entry.bytes = element.getIntOrFloatBitWidth() > 32 ? 8 : 4;
  }
  for (const CpuStage &stage : plan.stages) {
    CpuRowsProblem::Stage &entry = problem.stages.emplace_back();
    for (Value root : getStageRoots(segment, stage))
      if (Operation *op = root.getDefiningOp())
        entry.roots.push_back(numbers.lookup(op));
    for (unsigned number : stage.results)
      if (Operation *op = segment.getYielded(number).getDefiningOp())
        entry.results.push_back({number, numbers.lookup(op)});
  }
  return problem;
}
