//===- Passes.td - Ops by name as a pass -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_FRONTEND_PASSES_TD
#define FUSER_FRONTEND_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandCompositesPass : Pass<"fusion-expand-composites", "::mlir::func::FuncOp"> {
  let summary = "Makes other ops of fusion.composite";
  let description = [{
    Each `fusion.composite` becomes what builders emit for its name (docs/spec/builder-ops.md). All tools do so when they have read a program.

    ```mlir
    %y = fusion.composite "threshold"(%x, 0.0, 1.0) : (tensor<8xf32>) -> tensor<8xf32>
    // =>
    %0 = fusion.cmp le %x, 0.0 : tensor<8xf32>
    %1 = fusion.full ...
    %y = fusion.where %0, %1, %x : tensor<8xf32>
    ```

    Errors: a name that is none, operands and attributes that the op does not take, results of other types, an argument whose open size has to be known.
  }];
  let dependentDialects = ["::fuser::fusion::FusionDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

#endif // FUSER_FRONTEND_PASSES_TD
