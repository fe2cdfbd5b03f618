//===- Cuts.cpp - Programs, cut at random ---------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Fuzz/Cuts.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "fuser/Dialect/Fusion/Transforms/Segmentation.h"
#include "fuser/Frontend/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

using namespace fuser;
using namespace fuser::fuzz;
using namespace fuser::fusion;

LogicalResult fuzz::prepareForCuts(ModuleOp module) {
  PassManager passes(module.getContext());
  OpPassManager &functions = passes.nest<func::FuncOp>();
  functions.addPass(frontend::createExpandCompositesPass());
  functions.addPass(createDecomposeComplexPass());
  functions.addPass(createDecomposePackedPass());
  return passes.run(module);
}

void fuzz::cutProgram(ModuleOp module, unsigned percent, Random &random) {
  SmallVector<Operation *> ops;
  module.walk([&](TensorOpInterface op) {
    if (random.chance(percent))
      ops.push_back(op);
  });
  OpBuilder builder(module.getContext());
  for (Operation *op : ops) {
    builder.setInsertionPointAfter(op);
    Value result = op->getResult(0);
    Value set = SegmentSetOp::create(builder, op->getLoc(), result);
    result.replaceAllUsesExcept(set, set.getDefiningOp());
  }
}

LogicalResult fuzz::cutIntoOps(ModuleOp module) {
  // A program that returns its inputs has no op of it yet.
  module.getContext()->loadDialect<FusionDialect>();
  SegmentationOptions options;
  options.may = [](const MergeCandidate &) {
    return Decision::no("a segment has one op");
  };
  options.should = [](const MergeCandidate &) { return Decision::yes(); };
  for (auto func : module.getOps<func::FuncOp>())
    if (failed(segment(func, options)))
      return failure();
  return success();
}

void fuzz::buildDecisions(OpPassManager &functions) {
  functions.addPass(createDecideExactnessPass());
}

FailureOr<std::vector<std::string>> fuzz::listDecisions(ModuleOp module,
                                                        BuildDecisions build) {
  OwningOpRef<ModuleOp> decided = module.clone();
  PassManager passes(module.getContext());
  build(passes.nest<func::FuncOp>());
  if (failed(passes.run(*decided)))
    return failure();
  std::vector<std::string> decisions;
  decided->walk([&](Operation *op) {
    auto exactness =
        op->getAttrOfType<ExactnessAttr>(FusionDialect::getExactnessAttrName());
    if (exactness)
      decisions.push_back((op->getName().stripDialect() + " " +
                           stringifyExactness(exactness.getValue()))
                              .str());
  });
  return decisions;
}
