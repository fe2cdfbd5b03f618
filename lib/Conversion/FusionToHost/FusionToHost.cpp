//===- FusionToHost.cpp - Segments to host programs -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/FusionToHost.h"
#include "HostBuilder.h"
#include "fuser/Analysis/SizeChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace fuser {
#define GEN_PASS_DEF_FUSIONTOHOSTPASS
#include "fuser/Conversion/FusionToHost.h.inc"
} // namespace fuser

using namespace mlir;
using namespace fuser;

/// True if `func` takes or gives tensors, or gives nothing: a program then,
/// which checks its arguments at most.
static bool isTensorProgram(func::FuncOp func) {
  auto isTensor = llvm::IsaPred<TensorType>;
  return !func.isExternal() && !func->hasAttr(host::kProgramAttrName) &&
         (func.getNumResults() == 0 ||
          llvm::any_of(func.getArgumentTypes(), isTensor) ||
          llvm::any_of(func.getResultTypes(), isTensor));
}

/// Everything in a signature is a ranked tensor or a scalar.
static LogicalResult checkSignature(func::FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("expected a body of one block, got ")
           << func.getBody().getBlocks().size();
  for (Type type : func.getArgumentTypes())
    if (!isa<RankedTensorType, IndexType, IntegerType, FloatType>(type))
      return func.emitOpError("expected arguments to be ranked tensors or "
                              "scalars, got ")
             << type;
  for (Type type : func.getResultTypes())
    if (!isa<RankedTensorType>(type))
      return func.emitOpError("expected results to be ranked tensors, got ")
             << type;
  return success();
}

namespace {

struct FusionToHostPass
    : public fuser::impl::FusionToHostPassBase<FusionToHostPass> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    registerSizeChecks(registry);
  }

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (!isTensorProgram(func))
        continue;
      if (failed(checkSignature(func)))
        return signalPassFailure();
      HostBuilder builder(func);
      if (failed(builder.run()))
        return signalPassFailure();
      numLaunches += builder.getNumLaunches();
      numChecks += builder.getNumChecks();
    }
  }
};

} // namespace
