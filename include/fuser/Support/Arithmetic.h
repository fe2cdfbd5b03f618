//===- Arithmetic.h - What stands for floats -------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_ARITHMETIC_H
#define FUSER_SUPPORT_ARITHMETIC_H

namespace fuser {

/// What programs compute with where they say floats.
enum class Arithmetic {
  Floats,
  /// Integers of the floats' widths, which wrap, and functions as hashes: sums
  /// are equal whatever their order (docs/rationale/exact-arithmetic.md).
  Ring
};

} // namespace fuser

#endif // FUSER_SUPPORT_ARITHMETIC_H
