//===- FusionToHost.cpp - Segments to host programs -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/FusionToHost.h"
#include "HostBuilder.h"
#include "fuser/Analysis/ScalarDivision.h"
#include "fuser/Analysis/SizeChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace fuser {
#define GEN_PASS_DEF_FUSIONTOHOSTPASS
#include "fuser/Conversion/FusionToHost.h.inc"
} // namespace fuser

using namespace mlir;
using namespace fuser;

bool fuser::isTensorProgram(func::FuncOp func) {
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
  Operation &last = func.getBody().front().back();
  if (!isa<func::ReturnOp>(last))
    return last.emitOpError("expected func.return at the end of a function of "
                            "tensors");
  for (Type type : func.getArgumentTypes())
    if (!isa<RankedTensorType>(type) && !type.isSignlessIntOrIndexOrFloat())
      return func.emitOpError("expected arguments to be ranked tensors or "
                              "scalars without a sign, got ")
             << type;
  for (Type type : func.getResultTypes())
    if (!isa<RankedTensorType>(type))
      return func.emitOpError("expected results to be ranked tensors, got ")
             << type;
  return success();
}

/// Sizes of tensors are asked for by numbers of dimensions that exist, and what
/// is computed from them does not stop the program unchecked.
static LogicalResult checkSizes(func::FuncOp func) {
  WalkResult result = func.walk([&](Operation *op) {
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      std::optional<int64_t> index = dim.getConstantIndex();
      auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
      if (index && type && *index >= 0 && *index < type.getRank())
        return WalkResult::advance();
      InFlightDiagnostic diag =
          op->emitOpError("expected the constant number of a dimension of ")
          << dim.getSource().getType() << ", got ";
      if (index)
        diag << *index;
      else
        diag << "a value";
      return WalkResult(diag);
    }
    bool isScalarOp = op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                      !isa<fusion::TensorOpInterface>(op) &&
                      !op->hasTrait<OpTrait::IsTerminator>();
    if (!isScalarOp)
      return WalkResult::advance();
    if (failed(verifySizeArithmetic(op)))
      return WalkResult::interrupt();
    if (op->getParentOp() != func && getScalarDivision(op)) {
      op->emitOpError("expected a division outside of the segment, where its "
                      "divisor is checked");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// What segments name as their host functions.
static llvm::SmallSetVector<Operation *, 8>
findHostFunctions(ModuleOp module, SymbolTableCollection &functions) {
  llvm::SmallSetVector<Operation *, 8> found;
  module.walk([&](fusion::SegmentOp segment) {
    FlatSymbolRefAttr symbol = segment.getHostFunctionAttr();
    if (Operation *op = symbol
                            ? functions.lookupNearestSymbolFrom(segment, symbol)
                            : nullptr)
      found.insert(op);
  });
  return found;
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
    SymbolTableCollection functions;
    llvm::SmallSetVector<Operation *, 8> inlined =
        findHostFunctions(getOperation(), functions);
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (!isTensorProgram(func) || inlined.contains(func))
        continue;
      if (failed(checkSignature(func)) || failed(checkSizes(func)))
        return signalPassFailure();
      HostBuilder builder(func, functions);
      if (failed(builder.run()))
        return signalPassFailure();
      numLaunches += builder.getNumLaunches();
      numChecks += builder.getNumChecks();
    }
    for (Operation *function : inlined)
      function->erase();
  }
};

} // namespace
