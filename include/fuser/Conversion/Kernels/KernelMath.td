//===- KernelMath.td - The arithmetic of kernels -----------*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_KERNELS_KERNELMATH_TD
#define FUSER_CONVERSION_KERNELS_KERNELMATH_TD

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

    So are quotients of a scalar f32 and a count (`arith.sitofp` of i64) that is no constant power of two: they become products and `math.fma` of f64,
    and have the same bits. The hardware's quotient calls a subroutine for very large and small numbers, for which a kernel keeps up to 16 registers.

    Functions of f32 that GPUs have no instruction for (sine, power, error function, remainder and others, those of `hasExpansion`) become arithmetic of
    f64, lane by lane, with an error of 0.6 units, whatever their flags are: these have one form. CPUs have the same.

    Left alone are approximations of the others (`fastmath<afn>`), which are the target's own, other functions, and other types. Nothing else changes: what
    is exact is decided before, by `fusion-decide-exactness`. A pass that folds constants (`canonicalize`) comes after the target's
    lowering, because it would compute functions of constants otherwise than kernels do.
  }];
  let statistics = [Statistic<"numExpanded", "functions-expanded", "Number of functions expanded">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def KernelFloatsToRingPass : Pass<"kernel-floats-to-ring"> {
  let summary = "Replaces floats in kernels and host programs by integers of a ring";
  let description = [{
    ```mlir
    %0 = arith.extf %x : bf16 to f32
    %1 = arith.mulf %0, %y : f32
    %2 = math.exp %1 : f32
    ```
    becomes
    ```mlir
    %0 = arith.extsi %x : i16 to i32
    %1 = arith.muli %0, %y : i32
    // %2: a hash of "exp" and %1
    ```

    Every float type of 8, 16, 32 or 64 bits becomes the integer of its width, in values, memory and signatures. Sums and products wrap,
    so that they are the same in any order; minima, maxima and comparisons are those of signed integers; quotients and functions are hashes of
    their operands. What moves elements stays as it is: loops, accesses, vectors, masks, shuffles, barriers, atomics, launches. The rules and
    what they cannot show: docs/rationale/exact-arithmetic.md.

    Runs on kernels in the kernel stage and on host programs on buffers, after everything is decided and before anything is lowered.

    Errors: ops that have no meaning in the ring: those of dialects that compute otherwise, matrix instructions, products by a library, averages
    over ranks, kernels that are code already. Nothing has changed then.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // FUSER_CONVERSION_KERNELS_KERNELMATH_TD
