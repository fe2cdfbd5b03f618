//===- embedding-opt.cpp - fuser in a pass driver of one's own ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A project brings its own opinion on which ops share a kernel: here none has
// more than two. What fuser thinks of it counts as well.
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "fuser/Pipelines/SegmentationPolicy.h"
#include "fuser/Pipelines/Targets.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

using namespace fuser::fusion;

static constexpr unsigned kMaxOps = 2;

static llvm::FailureOr<SegmentationOptions> getPolicy(mlir::func::FuncOp func,
                                                      llvm::StringRef target) {
  auto options =
      fuser::getSegmentationPolicy(fuser::getAllTargets())(func, target);
  if (failed(options))
    return mlir::failure();
  options->may = [usual = options->may](const MergeCandidate &candidate) {
    if (candidate.merged.numOps > kMaxOps)
      return fuser::Decision::no("this project's kernels have two ops");
    return usual(candidate);
  };
  return options;
}

int main(int argc, char **argv) {
  mlir::registerTransformsPasses();
  registerFusionPasses(getPolicy);
  mlir::DialectRegistry registry;
  registry.insert<FusionDialect, mlir::arith::ArithDialect,
                  mlir::func::FuncDialect, mlir::tensor::TensorDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "fuser in a pass driver of one's own\n", registry));
}
