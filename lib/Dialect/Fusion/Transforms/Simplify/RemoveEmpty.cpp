//===- RemoveEmpty.cpp - What has no elements is not computed -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fuser::fusion {
#define GEN_PASS_DEF_REMOVEEMPTYPASS
#include "fuser/Dialect/Fusion/Transforms/Passes.h.inc"
} // namespace fuser::fusion

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

/// True if all sizes that `op` speaks of are known: then the verifier has
/// looked at them, and nothing is left to be checked when the program runs.
static bool hasKnownSizes(Operation *op) {
  auto isStaticTensor = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  if (isa<FactoryOpInterface>(op))
    return llvm::all_of(op->getResultTypes(), isStaticTensor);
  return isa<TensorOpInterface>(op) &&
         llvm::all_of(op->getOperandTypes(), isStaticTensor) &&
         llvm::all_of(op->getResultTypes(), isStaticTensor);
}

/// True if `op` does work for its one result, and is nothing that the
/// program asks for. An index map of one tensor that gives all elements
/// costs nothing and may be a view.
static bool computes(Operation *op) {
  if (op->hasTrait<RequestedCopy>() || op->hasTrait<SegmentBoundary>() ||
      op->getNumResults() != 1)
    return false;
  if (isa<IndexMapOpInterface>(op))
    return !getOnlySource(op);
  return isa<ElementwiseOpInterface, ReductionOpInterface,
             ContractionOpInterface, FibreOpInterface>(op);
}

static bool isEmpty(Value tensor) {
  return llvm::is_contained(cast<RankedTensorType>(tensor.getType()).getShape(),
                            0);
}

namespace {

struct RemoveEmptyPass
    : public fuser::fusion::impl::RemoveEmptyPassBase<RemoveEmptyPass> {
  using Base::Base;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(verifyDecomposed(getOperation())))
      return signalPassFailure();
    // Ops that no check when the program runs leads to: none is lost with them.
    llvm::SmallDenseSet<Operation *> unchecked;
    SmallVector<Operation *> empty;
    for (Operation &op : getOperation().getBody().getOps()) {
      bool isUnchecked = hasKnownSizes(&op) &&
                         llvm::all_of(op.getOperands(), [&](Value value) {
                           Operation *producer = value.getDefiningOp();
                           return !isTensor(value) || !producer ||
                                  unchecked.contains(producer);
                         });
      if (!isUnchecked)
        continue;
      unchecked.insert(&op);
      if (computes(&op) && isEmpty(op.getResult(0)))
        empty.push_back(&op);
    }
    for (Operation *op : empty)
      replace(op);
    numRemoved += empty.size();
  }

  void replace(Operation *op) {
    OpBuilder b(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value zero = arith::ConstantOp::create(
        b, op->getLoc(), b.getZeroAttr(getScalarType(type.getElementType())));
    Value full = FullOp::create(b, op->getLoc(), type, zero, ValueRange());
    op->getResult(0).replaceAllUsesWith(full);
    op->erase();
  }
};

} // namespace
