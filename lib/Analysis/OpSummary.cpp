//===- OpSummary.cpp - The summary of a group of one op -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/OpSummary.h"
#include "mlir/IR/AffineExpr.h"
#include <cmath>

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

bool fuser::fusion::isForwarded(Operation *op) {
  return op && op->hasAttr(FusionDialect::getForwardAttrName());
}

static Family getFamily(Operation *op) {
  if (isa<ElementwiseOpInterface>(op))
    return Family::Elementwise;
  if (isa<IndexMapOpInterface>(op))
    return Family::IndexMap;
  if (isa<FactoryOpInterface>(op))
    return Family::Factory;
  if (isa<ReductionOpInterface>(op))
    return Family::Reduction;
  return Family::Opaque;
}

/// A pointer, the sizes that are not known, and all strides: whether they are
/// known depends on the variant, and all variants have the same segments.
static unsigned countParams(RankedTensorType type) {
  return 1 + type.getNumDynamicDims() + type.getRank();
}

EdgeTensor OpSummarizer::getTensor(Value tensor) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  EdgeTensor edge;
  edge.shape = symbols.getShape(tensor);
  edge.bytes = std::max(1u, type.getElementTypeBitWidth() / 8);
  edge.numParams = countParams(type);
  ValueInfo info = getInfo(tensor);
  if (!info.isOfSmaller)
    edge.registers = type.getElementTypeBitWidth() > 32 ? 2 : 1;
  if (auto op = tensor.getDefiningOp<ElementwiseOpInterface>())
    edge.elementCost = op.getElementCost() * std::exp2(-info.viewGrowth);
  edge.liveFrom = info.firstUse;
  edge.liveTo = info.lastUse;
  return edge;
}

SpaceSummary &OpSummarizer::getSpace(GroupSummary &summary,
                                     Value tensor) const {
  GroupShape shape = symbols.getShape(tensor);
  for (SpaceSummary &space : summary.spaces)
    if (space.shape == shape)
      return space;
  summary.spaces.emplace_back();
  summary.spaces.back().shape = std::move(shape);
  return summary.spaces.back();
}

/// How many leading dimensions of the result are the same of the operand: an
/// element of the result comes from an element with the same coordinates there.
static unsigned countKeptDims(AffineMap map, ArrayRef<int64_t> resultShape) {
  if (!map)
    return 0;
  unsigned kept = 0;
  for (auto [index, expr] : llvm::enumerate(map.getResults())) {
    if (index >= map.getNumDims())
      break;
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    bool isOnlyIndex = constant && constant.getValue() == 0 &&
                       index < resultShape.size() && resultShape[index] == 1;
    if (expr != getAffineDimExpr(index, map.getContext()) && !isOnlyIndex)
      break;
    ++kept;
  }
  return kept;
}

/// True if the result repeats elements of the operand in their order, and takes
/// each: no place of it looks elsewhere than a neighbour does.
static bool isBroadcast(AffineMap map, ArrayRef<int64_t> operandShape,
                        ArrayRef<int64_t> resultShape) {
  if (!map)
    return false;
  int64_t last = -1;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), operandShape)) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr);
        constant && constant.getValue() == 0 && size == 1)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || static_cast<int64_t>(dim.getPosition()) <= last ||
        resultShape[dim.getPosition()] != size)
      return false;
    last = dim.getPosition();
  }
  return true;
}

unsigned OpSummarizer::countUses(Value value) {
  auto [it, isNew] = useCounts.try_emplace(value);
  if (isNew)
    it->second = std::distance(value.use_begin(), value.use_end());
  return it->second;
}

double OpSummarizer::getViewGrowth(Operation *op) {
  double growth = 0;
  auto map = dyn_cast<IndexMapOpInterface>(op);
  for (auto [index, operand] : llvm::enumerate(getTensorOperands(op))) {
    Value value = operand->get();
    double own = 0;
    if (map && !value.hasOneUse() &&
        !isBroadcast(map.getAffineIndexMap(index), symbols.getShape(value),
                     symbols.getShape(op->getResult(0))))
      own = std::log2(countUses(value));
    growth = std::max(growth, getInfo(value).viewGrowth + own);
  }
  return growth;
}

void OpSummarizer::visit(Operation *op) {
  ValueInfo info;
  for (OpOperand *operand : getTensorOperands(op))
    info.reductionDepth =
        std::max(info.reductionDepth, getInfo(operand->get()).reductionDepth);
  if (isa<ReductionOpInterface>(op))
    ++info.reductionDepth;
  info.viewGrowth = getViewGrowth(op);
  auto isOfShape = [&](OpOperand *operand) {
    return !getInfo(operand->get()).isOfSmaller &&
           symbols.getShape(operand->get()) ==
               symbols.getShape(op->getResult(0));
  };
  info.isOfSmaller = info.reductionDepth == 0 &&
                     llvm::none_of(getTensorOperands(op), isOfShape);
  for (Value result : op->getResults())
    infos[result] = info;
}

void OpSummarizer::visitUses(Operation *op) {
  if (op->getNumResults() == 0)
    return;
  ValueInfo info = getInfo(op->getResult(0));
  bool isUsed = info.firstUse <= info.lastUse;
  unsigned at = isUsed ? info.firstUse : info.reductionDepth;
  if (isa<ReductionOpInterface>(op))
    at = info.reductionDepth - 1;
  for (OpOperand *operand : getTensorOperands(op)) {
    ValueInfo &used = infos[operand->get()];
    used.firstUse = std::min(used.firstUse, at);
    used.lastUse = std::max(used.lastUse, at);
  }
}

/// The tensors that `op` is computed with: those that it reads, and those that
/// forwarded ops give.
static std::pair<llvm::SmallSetVector<Value, 4>, llvm::SmallSetVector<Value, 4>>
getSourcesAndCopies(Operation *op) {
  llvm::SmallSetVector<Value, 4> sources, copies;
  SmallVector<Operation *> work{op};
  while (!work.empty()) {
    for (OpOperand *operand : getTensorOperands(work.pop_back_val())) {
      Operation *producer = operand->get().getDefiningOp();
      if (!isForwarded(producer))
        sources.insert(operand->get());
      else if (copies.insert(operand->get()))
        work.push_back(producer);
    }
  }
  return {std::move(sources), std::move(copies)};
}

llvm::SmallSetVector<Value, 4> OpSummarizer::getSources(Operation *op) const {
  return getSourcesAndCopies(op).first;
}

llvm::SmallSetVector<Value, 4> OpSummarizer::getCopies(Operation *op) const {
  return getSourcesAndCopies(op).second;
}

llvm::SmallSetVector<Value, 2> OpSummarizer::getScalars(Operation *op) const {
  llvm::SmallSetVector<Value, 2> scalars;
  llvm::SmallPtrSet<Operation *, 4> seen;
  SmallVector<Operation *> work{op};
  while (!work.empty()) {
    for (Value operand : work.pop_back_val()->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (isForwarded(producer)) {
        if (seen.insert(producer).second)
          work.push_back(producer);
        continue;
      }
      if (!isa<RankedTensorType>(operand.getType()) &&
          !(producer && producer->hasTrait<OpTrait::ConstantLike>()))
        scalars.insert(operand);
    }
  }
  return scalars;
}

void OpSummarizer::addReduction(Operation *op, GroupSummary &summary) const {
  auto reduction = cast<ReductionOpInterface>(op);
  Value input = getTensorOperands(op)[0]->get();
  SmallVector<int64_t> dims = reduction.getReductionDims();
  RowStructure rows{symbols.getShape(input),
                    static_cast<unsigned>(dims.size())};
  unsigned depth = getInfo(op->getResult(0)).reductionDepth;
  summary.numReductions = 1;
  summary.minReductionDepth = summary.maxReductionDepth = depth;
  summary.hasOuterReduction = dims.empty();
  for (auto [index, dim] : llvm::enumerate(dims))
    if (static_cast<size_t>(dim) != rows.getNumRowDims() + index)
      summary.hasOuterReduction = true;
  summary.rows = std::move(rows);
  // An instruction for each element, which other ops may have moved.
  getSpace(summary, input).elementCost += std::exp2(-getInfo(input).viewGrowth);
}

void OpSummarizer::addIndexMap(Operation *op, GroupSummary &summary) const {
  auto map = cast<IndexMapOpInterface>(op);
  GroupShape shape = symbols.getShape(op->getResult(0));
  for (auto [index, operand] : llvm::enumerate(getTensorOperands(op))) {
    int depth = getInfo(operand->get()).reductionDepth;
    unsigned kept = countKeptDims(map.getAffineIndexMap(index), shape);
    if (summary.mapDepthByKeptDims.size() <= kept)
      summary.mapDepthByKeptDims.resize(kept + 1, -1);
    summary.mapDepthByKeptDims[kept] =
        std::max(summary.mapDepthByKeptDims[kept], depth);
  }
}

void OpSummarizer::addOp(Operation *op, GroupSummary &summary) const {
  Family family = getFamily(op);
  summary.families |= static_cast<unsigned>(family);
  if (family == Family::Elementwise)
    getSpace(summary, op->getResult(0)).elementCost +=
        getTensor(op->getResult(0)).elementCost;
  if (family == Family::Reduction)
    addReduction(op, summary);
  if (family == Family::IndexMap)
    addIndexMap(op, summary);
}

/// What inputs and results have in common.
static void addTensor(GroupSummary &summary, SpaceSummary &space,
                      const EdgeTensor &tensor) {
  space.narrowestBytes = std::min(space.narrowestBytes, tensor.bytes);
  space.widestBytes = std::max(space.widestBytes, tensor.bytes);
  summary.numParams += tensor.numParams;
  tensor.addLive(space, 1);
}

GroupSummary OpSummarizer::summarize(Operation *op) const {
  GroupSummary summary;
  summary.numOps = 1;
  for (Value result : op->getResults()) {
    SpaceSummary &space = getSpace(summary, result);
    space.numOps += 1;
    space.numResults += 1;
    addTensor(summary, space, getTensor(result));
    space.resultBytes += getTensor(result).bytes;
    summary.maxViewGrowth =
        std::max(summary.maxViewGrowth, getInfo(result).viewGrowth);
  }
  addOp(op, summary);
  summary.minViewGrowth = summary.maxViewGrowth;

  // Forwarded producers are part of it.
  for (Value copy : getCopies(op)) {
    summary.minViewGrowth =
        std::min(summary.minViewGrowth, getInfo(copy).viewGrowth);
    addOp(copy.getDefiningOp(), summary);
    getTensor(copy).addLive(getSpace(summary, copy), 1);
  }
  for (Value source : getSources(op)) {
    summary.minViewGrowth =
        std::min(summary.minViewGrowth, getInfo(source).viewGrowth);
    SpaceSummary &space = getSpace(summary, source);
    space.numInputs += 1;
    addTensor(summary, space, getTensor(source));
    space.inputBytes += getTensor(source).bytes;
  }
  summary.numParams += getScalars(op).size();
  // Merging with nothing derives what follows from the rest.
  return mergeSummaries(summary, GroupSummary(), MergeEdges());
}
