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
static bool isStatic(Operation *op) {
  auto isStaticTensor = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  return llvm::all_of(op->getOperandTypes(), isStaticTensor) &&
         llvm::all_of(op->getResultTypes(), isStaticTensor);
}

/// True if `op` does work for its one result, and is no copy that the program
/// asks for. An index map of one tensor costs nothing and may be a view.
static bool computes(Operation *op) {
  if (isa<SetOp, SegmentSetOp>(op) || op->getNumResults() != 1)
    return false;
  if (isa<IndexMapOpInterface>(op))
    return getTensorOperands(op).size() > 1;
  return isa<ElementwiseOpInterface, ReductionOpInterface>(op);
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
    SmallVector<Operation *> empty;
    getOperation().walk([&](TensorOpInterface op) {
      if (computes(op) && isStatic(op) && isEmpty(op->getResult(0)))
        empty.push_back(op);
    });
    for (Operation *op : empty)
      replace(op);
    numRemoved += empty.size();
  }

  void replace(Operation *op) {
    OpBuilder b(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value zero = arith::ConstantOp::create(
        b, op->getLoc(), b.getZeroAttr(type.getElementType()));
    Value full = FullOp::create(b, op->getLoc(), type, zero, ValueRange());
    op->getResult(0).replaceAllUsesWith(full);
    op->erase();
  }
};

} // namespace
