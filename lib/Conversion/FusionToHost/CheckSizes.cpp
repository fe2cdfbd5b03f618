//===- CheckSizes.cpp - Writes down what a program asks of sizes ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostBuilder.h"
#include "SizeCheckBuilder.h"
#include "fuser/Analysis/SizeChecks.h"
#include "fuser/Conversion/FusionToHost.h"
#include "fuser/Dialect/Fusion/Transforms/Partition.h"

using namespace mlir;
using namespace fuser;

namespace fuser {
#define GEN_PASS_DEF_FUSIONCHECKSIZESPASS
#include "fuser/Conversion/FusionToHost.h.inc"
} // namespace fuser

/// Whether decompositions change `func`: it has complex or packed tensors.
static bool isDecomposed(func::FuncOp func) {
  auto changes = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && (isComplexElement(tensor.getElementType()) ||
                      isPackedElement(tensor.getElementType()));
  };
  return llvm::any_of(func.getArgumentTypes(), changes) ||
         func.walk([&](Operation *op) {
               return llvm::any_of(op->getResultTypes(), changes)
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted();
}

namespace {

struct FusionCheckSizesPass
    : public fuser::impl::FusionCheckSizesPassBase<FusionCheckSizesPass> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    registerSizeChecks(registry);
  }

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    StringRef done = fusion::FusionDialect::getSizesCheckedAttrName();
    if (!isTensorProgram(func) || func->hasAttr(done) ||
        !func.getBody().hasOneBlock() ||
        !isa<func::ReturnOp>(func.getBody().front().back()))
      return; // What is wrong is for others to say.
    if (beforeDecomposition &&
        (!isDecomposed(func) || fusion::hasShardings(func)))
      return;
    ShapeSymbols symbols(func);
    SizeMaterializer sizes(symbols);
    OpBuilder builder(func.getBody().front().getTerminator());
    // What arguments have in common may be known of what goes alone.
    auto add = [&](Location loc, Value condition, StringRef message,
                   ValueRange values) {
      fusion::CheckOp::create(builder, loc, condition, message, values);
      ++numChecks;
    };
    SizeCheckBuilder checks(func, symbols, sizes, builder,
                            /*leavesArguments=*/false, add);
    if (failed(checks.build()))
      return signalPassFailure();
    if (!beforeDecomposition)
      func->setAttr(done, builder.getUnitAttr());
  }
};

} // namespace
