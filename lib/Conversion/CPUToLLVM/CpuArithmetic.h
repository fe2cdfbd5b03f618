//===- CpuArithmetic.h - Functions and conversions for CPUs ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_CPUTOLLVM_CPUARITHMETIC_H
#define FUSER_LIB_CONVERSION_CPUTOLLVM_CPUARITHMETIC_H

#include "fuser/Support/LLVM.h"
#include "fuser/Target/CPU/CpuTarget.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace mlir {
class LLVMTypeConverter;
} // namespace mlir

namespace fuser {

/// Replaces math.exp, log, tanh and rsqrt of f32 and f64 and arith.remf under
/// `root`, scalars and vectors, by arithmetic, and takes `fastmath<afn>` from
/// quotients. Neither that nor the instructions of `cpu` change a result.
void expandMath(Operation *root, const CpuInfo &cpu);

/// What is left of `x` where `y` is taken as often as it goes, with the sign of
/// `x`: numbers of f64, or vectors of them.
Value emitRemainderOfF64(OpBuilder &b, Location loc, Value x, Value y);

/// Replaces the other functions of f64 of the dialect math under `root`, a
/// module, by calls of libmvec, if `cpu` is one that has them. The calls are
/// external functions of `root`.
void callVectorLibrary(Operation *root, const CpuInfo &cpu);

/// Replaces masked accesses of the first so many lanes under `root` for which
/// `cpu` has no instruction by copies.
void expandMaskedAccesses(Operation *root, const CpuInfo &cpu);

/// Masked accesses of bf16 and f16 as accesses of integers.
void populateNarrowMaskedAccessPatterns(const LLVMTypeConverter &converter,
                                        RewritePatternSet &patterns);

/// True for f32 in whole registers of AVX-512: then there are
/// `emitAnySubnormal` and `emitScale`.
bool fillsAVX512(Type type);
/// An i1: a lane of `x` is subnormal.
Value emitAnySubnormal(OpBuilder &b, Location loc, Value x);
/// `x` times two to the power of `exponent`, a vector of whole numbers, rounded
/// once.
Value emitScale(OpBuilder &b, Location loc, Value x, Value exponent);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_CPUTOLLVM_CPUARITHMETIC_H
