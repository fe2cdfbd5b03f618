//===- Mufu.h - The special functions of NVIDIA GPUs ------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What MUFU instructions give, bit by bit: floats as bits, and doubles as their
// upper halves. Subnormals become zeros.
//
// A function is a polynomial c0 + c1 x + c2 x^2 in each of 64 or 128 pieces of
// an interval (Oberman and Siu, "A High-Performance Area-Efficient
// Multifunction Interpolator", ARITH 2005). How it is rounded is known of G80
// from envytools (nvhw/sfu.c). The rest was measured on an H100 (sm_90), with
// which all of this agrees on all 2^32 floats, and upper halves of doubles.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TARGET_SIM_MUFU_H
#define FUSER_LIB_TARGET_SIM_MUFU_H

#include <cstdint>

namespace mufu {
/// The coefficients of a piece: 26, 16 and 10 bits without a sign, or 26, 15
/// and 11 of the sine.
struct Piece {
  uint32_t c0;
  uint16_t c1;
  uint16_t c2;
};

#include "MufuTables.inc"

constexpr uint32_t kSign = uint32_t(1) << 31;
constexpr uint32_t kInfinity = uint32_t(255) << 23;
constexpr uint32_t kNaN = 0x7fffffff;
constexpr uint32_t kOne = uint32_t(1) << 23;
constexpr uint32_t kFraction = kOne - 1;

/// How many bits of the fraction there are in a float, and in the upper half of
/// a double.
constexpr int kFloat = 23;
constexpr int kDouble = 20;

/// The exponent is in the bits from kBits on.
template <int kBits>
struct Format {
  static constexpr uint32_t kOne = uint32_t(1) << kBits;
  static constexpr uint32_t kInfinity = kSign - kOne;
  static constexpr uint32_t kBias = kInfinity >> (kBits + 1);
};

/// x^2 / 2^19 of a number of 17 bits. Products of two bits whose places add up
/// to less than 18 are left out.
static int64_t squareOf(uint32_t x) {
  uint32_t high = x >> 9, low = x & 511, cross = 0;
  for (uint32_t i = 1; i < 8; ++i)
    cross += (high >> i & 1) * (low >> (9 - i));
  return high * high / 2 + cross;
}

/// The polynomial at `x`, whose upper bits are the number of a piece.
template <int kC0Shift, int kC1Factor, int kC2Factor, int kRounding>
static int64_t interpolate(const Piece *pieces, uint32_t x) {
  const Piece &piece = pieces[x >> 17];
  uint32_t rest = x & 0x1ffff;
  return (int64_t(piece.c0) << kC0Shift) +
         kC1Factor * int64_t(piece.c1) * rest +
         kC2Factor * int64_t(piece.c2) * squareOf(rest) + kRounding;
}

// Below, `x` has its bits after the point: 23, and 24 of rcp. Roots have twice
// as many numbers, [1, 2) and then [2, 4).

/// With 40 bits after the point.
static int64_t interpolateRcp(uint32_t x) {
  return interpolate<14, -1, 2, 2 * 0x47e7>(kRcpPieces, x);
}

/// With 40 bits after the point.
static int64_t interpolateRsqrt(uint32_t x) {
  return interpolate<14, -1, 4, 0x7fff>(kRsqrtPieces, x);
}

/// With 40 bits after the point.
static int64_t interpolateSqrt(uint32_t x) {
  return x < kOne ? interpolate<15, 1, -2, 0x7fff>(kSqrtPieces, x)
                  : interpolate<15, 2, -2, 0x7fff>(kSqrtPieces, x);
}

/// 2^x with 38 bits after the point.
static int64_t interpolateEx2(uint32_t x) {
  return interpolate<13, 1, 1, 0x77e2>(kEx2Pieces, x);
}

/// With 38 bits after the point.
static int64_t interpolateLg2(uint32_t x) {
  return interpolate<12, 1, -2, 0x3345>(kLg2Pieces, x);
}

/// sin(pi x / 2) with 37 bits after the point.
static int64_t interpolateSin(uint32_t x) {
  return interpolate<11, 1, -1, 0>(kSinPieces, x);
}

/// 1/x. Of doubles the lower half does not count, and is zero in the result.
template <int kBits>
static uint32_t rcp(uint32_t x) {
  using F = Format<kBits>;
  uint32_t sign = x & kSign, magnitude = x & ~kSign;
  if (magnitude < F::kOne)
    return sign | F::kInfinity;
  if (magnitude >= F::kInfinity)
    return magnitude == F::kInfinity ? sign : kNaN;
  uint32_t fraction = x & (F::kOne - 1);
  // With the leading 1, which adds one to the exponent.
  int64_t significand =
      interpolateRcp(fraction << (24 - kBits)) >> (39 - kBits);
  int64_t exponent = int64_t(2 * F::kBias - 2) - (magnitude >> kBits);
  int64_t result = exponent * F::kOne + significand;
  return result < F::kOne ? sign : sign | static_cast<uint32_t>(result);
}

/// 1/sqrt(x). Of doubles the lower half does not count, and is zero in the
/// result.
template <int kBits>
static uint32_t rsqrt(uint32_t x) {
  using F = Format<kBits>;
  uint32_t sign = x & kSign, magnitude = x & ~kSign;
  if (magnitude < F::kOne)
    return sign | F::kInfinity;
  if (sign != 0 || magnitude > F::kInfinity)
    return kNaN;
  if (magnitude == F::kInfinity)
    return 0;
  // The bias is odd: even exponents have a lowest bit of 1.
  uint32_t position = (x ^ F::kOne) & (2 * F::kOne - 1);
  uint32_t exponent = F::kBias + F::kBias / 2 - ((x >> kBits) - 1) / 2;
  if (position == 0)
    return exponent * F::kOne;
  int64_t significand =
      interpolateRsqrt(position << (23 - kBits)) >> (39 - kBits);
  return (exponent - 2) * F::kOne + static_cast<uint32_t>(significand);
}

/// sqrt(x).
static uint32_t sqrt(uint32_t x) {
  uint32_t sign = x & kSign, magnitude = x & ~kSign;
  if (magnitude < kOne)
    return sign;
  if (sign != 0 || magnitude > kInfinity)
    return kNaN;
  if (magnitude == kInfinity)
    return kInfinity;
  uint32_t position = (x ^ kOne) & (2 * kOne - 1);
  auto significand = static_cast<uint32_t>(interpolateSqrt(position) >> 17);
  return ((x >> 23) - 1) / 2 * kOne + 63 * kOne + significand;
}

/// A float that is less than 128, with 23 bits after the point. Further ones
/// are cut off. The negative of a fraction is its complement, which is off by
/// 2^-23.
static int32_t toFixed(uint32_t x) {
  uint32_t exponent = x >> 23 & 255;
  uint32_t significand = (x & kFraction) | kOne;
  uint32_t fixed = 0;
  if (exponent >= 127)
    fixed = significand << (exponent - 127);
  else if (exponent > 103)
    fixed = significand >> (127 - exponent);
  if ((x & kSign) != 0)
    fixed = (fixed & kFraction) != 0 ? ~fixed : -fixed;
  return static_cast<int32_t>(fixed);
}

/// 2^x.
static uint32_t ex2(uint32_t x) {
  uint32_t sign = x & kSign, magnitude = x & ~kSign;
  if (magnitude > kInfinity)
    return kNaN;
  if (magnitude >= 134 * kOne) // 128.
    return sign != 0 ? 0 : kInfinity;
  int32_t fixed = toFixed(x);
  // With the leading 1, which adds one to the exponent.
  int64_t significand = interpolateEx2(fixed & kFraction) >> 15;
  int64_t exponent = (fixed >> 23) + 126;
  int64_t result = exponent * kOne + significand;
  return result < kOne ? 0 : static_cast<uint32_t>(result);
}

/// log2(x).
static uint32_t lg2(uint32_t x) {
  uint32_t sign = x & kSign, magnitude = x & ~kSign;
  if (magnitude < kOne)
    return kSign | kInfinity;
  if (sign != 0 || magnitude > kInfinity)
    return kNaN;
  if (magnitude == kInfinity)
    return kInfinity;
  if (magnitude == 127 * kOne)
    return 0;
  // With 36 bits after the point.
  int64_t log = (interpolateLg2(x & kFraction) >> 2) +
                (static_cast<int64_t>(x >> 23) - 127) * (int64_t(1) << 36);
  auto rest = static_cast<uint64_t>(log < 0 ? ~log : log);
  if (rest == 0)
    return log < 0 ? kSign : 0;
  auto top = static_cast<uint32_t>(63 - __builtin_clzll(rest));
  // The leading 1 adds one to the exponent.
  auto significand = static_cast<uint32_t>(rest << (63 - top) >> 40);
  return (log < 0 ? kSign : 0) + (top + 90) * kOne + significand;
}

/// The sine of x turns, or the cosine.
static uint32_t sinOfTurns(uint32_t x, bool isCosine) {
  uint32_t sign = x & kSign, exponent = x >> 23 & 255;
  if (exponent == 255)
    return kNaN;
  // Quarters with 23 bits after the point. Further ones are cut off.
  uint64_t significand = exponent == 0 ? 0 : (x & kFraction) | kOne;
  uint64_t quarters = 0;
  if (exponent >= 125)
    quarters = exponent < 150 ? significand << (exponent - 125) : 0;
  else if (exponent > 101)
    quarters = significand >> (125 - exponent);
  uint64_t quadrant = quarters >> 23 & 3;
  if (isCosine) {
    quadrant = (quadrant + 1) & 3;
    sign = 0;
  }
  auto fraction = static_cast<uint32_t>(quarters & kFraction);
  if ((quadrant & 1) != 0)
    fraction ^= kFraction; // The complement, which is off by 2^-23.
  if ((quadrant & 2) != 0)
    sign ^= kSign;
  auto result = static_cast<uint64_t>(interpolateSin(fraction));
  if (result == 0)
    return sign;
  auto top = static_cast<uint32_t>(63 - __builtin_clzll(result));
  // The leading 1 adds one to the exponent.
  return sign + (top + 89) * kOne +
         static_cast<uint32_t>(result << (63 - top) >> 40);
}
} // namespace mufu

#endif // FUSER_LIB_TARGET_SIM_MUFU_H
