//===- NarrowFloats.h - Conversions of narrow floats ------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What processors have no instruction for, as arithmetic that every one has.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TRANSFORMS_NARROWFLOATS_H
#define FUSER_TRANSFORMS_NARROWFLOATS_H

#include "fuser/Support/FloatBuilder.h"

namespace fuser {

/// True for f8E4M3FN, f8E5M2 and f8E8M0FNU, and vectors of them.
bool isFloat8(Type type);

/// f64 to f32 such that a second rounding gives what one rounding would have:
/// where digits are lost, of the two neighbours the odd one.
Value truncateToOdd(FloatBuilder &f, Value x);

/// `x`, of 8-bit floats, as f32; as such a float, `x` of f32: to nearest, ties
/// to even. f8E5M2 overflows to infinity, f8E4M3FN, which has none, to NaN.
/// f8E8M0FNU has the power of two nearest to the size, of two as near the
/// greater, as in PyTorch.
Value extendFloat8(FloatBuilder &f, Value x);
Value truncateToFloat8(FloatBuilder &f, Value x, FloatType type);

/// Arithmetic under `root` on floats of `types` becomes such on f32, each
/// result rounded.
LogicalResult widenArithmetic(Operation *root, ArrayRef<Type> types);

/// Widens arithmetic on 8-bit floats under `root`; then replaces the
/// conversions from and to them by what `extend` and `truncate` make, with f32
/// on the other side.
LogicalResult expandFloat8(
    Operation *root, llvm::function_ref<Value(FloatBuilder &, Value)> extend,
    llvm::function_ref<Value(FloatBuilder &, Value, FloatType)> truncate);

} // namespace fuser

#endif // FUSER_TRANSFORMS_NARROWFLOATS_H
