//===- ReductionAnalysis.cpp - Segments of rows or columns ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionAnalysis.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"

using namespace fuser;
using fusion::ElementwiseOpInterface;
using fusion::IndexMapOpInterface;
using fusion::ReductionOpInterface;
using schedule::CpuRowsProblem;

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Each reduction in the first stage that has what it needs, and so each
/// result. A result may lie in the memory of an input: then nothing is stored
/// before the last stage, in which each position is read before it is written.
static void makeStages(fusion::SegmentOp segment, CpuReductionPlan &plan) {
  unsigned count = 0;
  auto getDepth = [&](Value value) { return plan.depths.lookup(value); };
  SmallVector<unsigned> fullResults;
  for (auto [number, isPerRow] : llvm::enumerate(plan.isPerRow))
    if (!isPerRow)
      fullResults.push_back(number);
  for (ReductionOpInterface op : plan.reductions)
    count = std::max(count, getDepth(op->getResult(0)));
  for (unsigned number : fullResults)
    count = std::max(count, getDepth(segment.getYielded(number)) + 1);
  plan.stages.resize(count);
  for (ReductionOpInterface op : plan.reductions)
    plan.stages[getDepth(op->getOperand(0))].reductions.push_back(op);
  bool mayOverlap = llvm::any_of(
      llvm::enumerate(getKernelArguments(segment)), [&](auto entry) {
        return isa<MemRefType>(entry.value().type) && !entry.value().noAlias;
      });
  for (unsigned number : fullResults) {
    unsigned stage =
        mayOverlap ? count - 1 : getDepth(segment.getYielded(number));
    plan.stages[stage].results.push_back(number);
  }
}

std::optional<CpuReductionPlan>
fuser::findReductionPlan(fusion::SegmentOp segment,
                         const ShapeSymbols &symbols) {
  CpuReductionPlan plan;
  if (!findReductionSpace(segment, symbols, plan))
    return std::nullopt;
  makeStages(segment, plan);
  return plan;
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
