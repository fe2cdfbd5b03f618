//===- PowersOfTwo.h - Bits of f8E8M0FNU ------------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For compiler and runtime, which share no library.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_POWERSOFTWO_H
#define FUSER_RT_POWERSOFTWO_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace fuser_rt {

/// The exponent, of 8 bits, of the power of two nearest to the size of `value`;
/// a tie goes up. Below 2^-126 there is one number: only that itself, and less,
/// becomes it, as in PyTorch, which rounds f32 by its bits.
inline uint64_t encodePower(double value) {
  constexpr uint64_t nan = 0xff;
  if (std::isnan(value))
    return nan;
  double size = std::fabs(value);
  if (size < 0x1p-126)
    return size > 0x1p-127;
  uint64_t exponent;
  std::memcpy(&exponent, &size, sizeof(exponent));
  exponent = (exponent + (uint64_t(1) << 51)) >> 52;
  exponent -= 1023 - 127;
  return exponent < nan ? exponent : nan;
}

} // namespace fuser_rt

#endif // FUSER_RT_POWERSOFTWO_H
