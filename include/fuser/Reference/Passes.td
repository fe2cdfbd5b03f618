//===- Passes.td - The reference as a pass -----------------*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_REFERENCE_PASSES_TD
#define FUSER_REFERENCE_PASSES_TD

include "mlir/Pass/PassBase.td"

def FusionToReferencePass : Pass<"fusion-to-reference", "::mlir::func::FuncOp"> {
  let summary = "Rewrites each op as a loop nest over f64 buffers";
  let description = [{
    Rewrites a function on tensors into one on memrefs that computes the same serially, op by op, with every float in f64
    (integers as they are, i1 as i8). The function gets a last argument, the status: it is set to a number other than 0
    where sizes that are known at run time only disagree, and the results mean nothing then.

    Every result is a new buffer, which the caller frees.

    Before:
    ```mlir
    func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = fusion.exp %x : tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    ```
    After (without the checks and the copy):
    ```mlir
    func.func @f(%x: memref<?xf64>, %status: memref<i64>) -> memref<?xf64> {
      %n = memref.dim %x, %c0 : memref<?xf64>
      %r = memref.alloc(%n) : memref<?xf64>
      scf.for %i = %c0 to %n step %c1 {
        %e = memref.load %x[%i] : memref<?xf64>
        %y = math.exp %e : f64
        memref.store %y, %r[%i] : memref<?xf64>
      }
      return %r : memref<?xf64>
    }
    ```

    Conditions: the function has one block of ops of the families of the fusion dialect, segments of them, `tensor.dim` and
    ops without effects and regions on scalars; anything else is an error.

    Not done: anything for speed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

#endif // FUSER_REFERENCE_PASSES_TD
