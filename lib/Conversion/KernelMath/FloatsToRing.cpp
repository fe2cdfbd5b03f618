//===- FloatsToRing.cpp - Kernels of integers of a ring -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/Kernels/KernelMath.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Transforms/RingArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fuser {

#define GEN_PASS_DEF_KERNELFLOATSTORINGPASS
#include "fuser/Conversion/Kernels/KernelMath.h.inc"

/// Communications combine integers of 32 and 64 bits as the ring does.
static LogicalResult checkCommunication(host::CommunicationOpInterface op) {
  std::optional<host::ReduceKind> kind = op.getReduction();
  if (!kind)
    return success();
  Type element = getElementTypeOrSelf(op.getSource()->get().getType());
  bool isKnown =
      *kind == host::ReduceKind::Sum || *kind == host::ReduceKind::Prod ||
      *kind == host::ReduceKind::Max || *kind == host::ReduceKind::Min;
  if (isKnown && element.getIntOrFloatBitWidth() >= 32)
    return success();
  return op->emitOpError() << "expected a sum, a product, a maximum or a "
                              "minimum of f32 or f64 over ranks in the exact "
                              "arithmetic, got another one, of "
                           << element;
}

/// Whether `op` of a host program or of a kernel only moves floats.
static LogicalResult checkOwnOp(Operation *op) {
  if (isa_and_nonnull<kernel::KernelDialect>(op->getDialect()))
    return success();
  if (auto communication = dyn_cast<host::CommunicationOpInterface>(op))
    return checkCommunication(communication);
  bool isOfHost = isa_and_nonnull<host::HostDialect>(op->getDialect());
  if (isOfHost && (isa<host::CopyOp>(op) || !isa<host::TensorOpInterface>(op)))
    return success();
  return op->emitOpError()
         << "has no meaning in the exact arithmetic: expected an op that moves "
            "floats, or one of arith or math that gives one"
         << (isOfHost ? "; a library computes with floats" : "");
}

/// A kernel that is code computes with floats, whatever its parameters are.
static LogicalResult checkCode(Operation *root) {
  WalkResult result = root->walk([](host::KernelOp kernel) {
    kernel.emitOpError() << "is code already, which the exact arithmetic "
                            "cannot change: expected kernels that are "
                            "generated";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct KernelFloatsToRingPass
    : impl::KernelFloatsToRingPassBase<KernelFloatsToRingPass> {
  using Base::Base;
  void runOnOperation() override {
    if (failed(checkCode(getOperation())) ||
        failed(replaceFloatsByRing(getOperation(), checkOwnOp)))
      signalPassFailure();
  }
};
} // namespace

} // namespace fuser
