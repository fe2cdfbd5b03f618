//===- DropHints.cpp - Doing without hints for the memory order -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Fusion/Transforms/Passes.h"

namespace fuser::fusion {
#define GEN_PASS_DEF_DROPHINTSPASS
#include "fuser/Dialect/Fusion/Transforms/Passes.h.inc"
} // namespace fuser::fusion

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

/// True if a hint says how `tensor` lies in memory. Only segments' hints do: a
/// function's and an op's are wishes, of which fusion-segment makes those.
static bool hasHint(Value tensor) {
  auto segment = tensor.getDefiningOp<SegmentOp>();
  return segment && segment.getResultHint(
                        cast<OpResult>(tensor).getResultNumber()) != nullptr;
}

/// True if `segment` reads or writes a tensor with a hint.
static bool obeysHint(SegmentOp segment) {
  return llvm::any_of(segment->getOperands(), hasHint) ||
         llvm::any_of(segment->getResults(), hasHint);
}

namespace {

struct DropHintsPass
    : public fuser::fusion::impl::DropHintsPassBase<DropHintsPass> {
  using Base::Base;

  void runOnOperation() override;
  LogicalResult dropSchedules();
  void dropHints();
};

} // namespace

/// Schedules are chosen for a layout, and kernels are made for one.
LogicalResult DropHintsPass::dropSchedules() {
  SmallVector<SegmentOp> scheduled;
  WalkResult result = getOperation().walk([&](SegmentOp segment) {
    if (!obeysHint(segment))
      return WalkResult::advance();
    if (FlatSymbolRefAttr host = segment.getHostFunctionAttr()) {
      segment.emitOpError(
          "expected no host function where hints are dropped, got ")
          << host
          << ", which is made for the layout that they give its tensors: run "
             "fusion-drop-hints before fusion-to-kernel";
      return WalkResult::interrupt();
    }
    if (segment.getScheduleAttr())
      scheduled.push_back(segment);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (SegmentOp segment : scheduled)
    segment.removeScheduleAttr();
  numSchedules += scheduled.size();
  return success();
}

void DropHintsPass::dropHints() {
  func::FuncOp func = getOperation();
  auto hintName = StringAttr::get(&getContext(),
                                  FusionDialect::getStrideOrderHintAttrName());
  for (unsigned index = 0; index < func.getNumResults(); ++index)
    if (func.removeResultAttr(index, hintName))
      ++numDropped;
  func.walk([&](Operation *op) {
    if (op != func && op->removeAttr(hintName))
      ++numDropped;
    if (auto segment = dyn_cast<SegmentOp>(op))
      if (segment.removeResultHintsAttr())
        ++numDropped;
  });
}

void DropHintsPass::runOnOperation() {
  if (failed(dropSchedules()))
    return signalPassFailure();
  dropHints();
}
