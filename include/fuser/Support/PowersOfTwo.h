//===- PowersOfTwo.h - Floats without a significand -------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f8E8M0FNU has an exponent alone: no sign, no zero, no infinity. It is of
// scales, with which nothing is computed. MLIR makes NaN of its negative
// numbers, and infinity of its NaN, when it folds: here numbers are what casts
// make of them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_POWERSOFTWO_H
#define FUSER_SUPPORT_POWERSOFTWO_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace fuser {

/// Whether the numbers of a type, or of the elements of one, are the powers of
/// two alone.
bool isPowersOfTwo(Type type);

/// `value` as a number of `type`, rounded as a cast rounds; and back.
FloatAttr roundNumber(FloatType type, double value);
double toDouble(FloatAttr number);

/// A number as one of `type`, or of its elements, which has all numbers that
/// the number's own type has: a constant, and an extension of it. So, too, a
/// scalar.
Value extendNumber(OpBuilder &b, Location loc, FloatAttr number, Type type);
Value extendScalar(OpBuilder &b, Location loc, Value scalar, Type type);

} // namespace fuser

#endif // FUSER_SUPPORT_POWERSOFTWO_H
