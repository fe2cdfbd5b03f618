//===- KernelMath.td - Functions of f32 as arithmetic ------*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_KERNELMATH_TD
#define FUSER_CONVERSION_KERNELMATH_TD

include "mlir/Pass/PassBase.td"

def KernelExpandMathPass : Pass<"kernel-expand-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expands the exact functions of f32 in kernels to arithmetic";
  let description = [{
    ```mlir
    %0 = math.exp %x : vector<4xf32>
    ```
    becomes multiplications, additions and `math.fma` of `vector<4xf32>`, each rounded as IEEE 754 says, so that all GPUs, and
    what simulates one, compute the same.

    Expanded are `math.exp`, `math.tanh` and `math.rsqrt` of f32, scalars and vectors, without `fastmath<afn>`. They are off by less
    than one unit in the last place, for all numbers. `math.rsqrt` becomes a Newton step on the approximate one.

    Left alone are approximations (`fastmath<afn>`), which are the target's own, other functions, and other types. Nothing else changes: what
    is exact is decided before, by `fusion-decide-exactness`. A pass that folds constants (`canonicalize`) comes after the target's
    lowering, because it would compute functions of constants otherwise than kernels do.
  }];
  let statistics = [Statistic<"numExpanded", "functions-expanded", "Number of functions expanded">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif // FUSER_CONVERSION_KERNELMATH_TD
