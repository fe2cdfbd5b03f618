//===- Scalars.cpp - Scalar inputs ----------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/Scalars.h"

#include "Run/Checks.h"
#include "Status.h"

#include <cinttypes>
#include <cmath>
#include <cstring>

using namespace fuser_rt;

template <typename To, typename From>
static To bitsOf(From value) {
  static_assert(sizeof(To) == sizeof(From), "a copy of bits");
  To result;
  memcpy(&result, &value, sizeof(result));
  return result;
}

/// The bits of the f32 that rounds as `value` would: where it is not exact,
/// toward zero with the last bit set ("round to odd"), so that rounding it
/// again is rounding once.
static uint32_t oddFloatBits(double value) {
  auto nearest = static_cast<float>(value);
  auto bits = bitsOf<uint32_t>(nearest);
  if (static_cast<double>(nearest) == value || std::isnan(value))
    return bits;
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    --bits;
  return bits | 1;
}

uint16_t fuser_rt::toBFloat16(double value) {
  if (std::isnan(value))
    return std::signbit(value) ? 0xffc0 : 0x7fc0;
  uint32_t bits = oddFloatBits(value);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

uint16_t fuser_rt::toHalf(double value) {
  auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value))
    return sign | 0x7e00;
  // The smallest number that rounds to infinity.
  if (std::fabs(value) >= 65520.0)
    return sign | 0x7c00;
  // Scaled to its last place, a half is an integer; that is rounded, to even.
  int exponent = 0;
  std::frexp(value, &exponent);
  if (std::fabs(value) < std::ldexp(1.0, -14))
    exponent = -13;
  double scaled = std::nearbyint(std::ldexp(std::fabs(value), 11 - exponent));
  // Steps count on from the exponent's first half, also across a carry.
  auto steps = static_cast<int>(scaled);
  return static_cast<uint16_t>(sign | (((exponent + 13) << 10) + steps));
}

/// An index comes as an i64.
static const char *scalarText(const ScalarSpec &spec) {
  return spec.element == ElementType::I64 ? "index or i64"
                                          : elementText(spec.element);
}

static FuserStatus *convertInteger(const ScalarSpec &spec, size_t index,
                                   const FuserScalar &scalar, int64_t &slot) {
  if (scalar.kind != FuserScalar::FUSER_SCALAR_INT)
    return makeError(
        FUSER_INVALID_ARGUMENT,
        "scalar %zu '%s': expected an integer for %s, got the float %g", index,
        spec.name.c_str(), scalarText(spec), scalar.value.f);
  unsigned bits =
      spec.element == ElementType::I1 ? 1 : 8 * elementBytes(spec.element);
  // Of i1, both 1 and -1 mean true.
  int64_t low = bits == 1    ? -1
                : bits == 64 ? INT64_MIN
                             : -(int64_t(1) << (bits - 1));
  int64_t high = bits == 1 ? 1 : -(low + 1);
  if (scalar.value.i < low || scalar.value.i > high)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "scalar %zu '%s': expected %" PRId64 " to %" PRId64
                     " for %s, got %" PRId64,
                     index, spec.name.c_str(), low, high, scalarText(spec),
                     scalar.value.i);
  slot = bits == 1 ? scalar.value.i != 0 : scalar.value.i;
  return nullptr;
}

FuserStatus *fuser_rt::convertScalar(const ScalarSpec &spec, size_t index,
                                     const FuserScalar &scalar, int64_t &slot) {
  bool isInt = scalar.kind == FuserScalar::FUSER_SCALAR_INT;
  double value = isInt ? static_cast<double>(scalar.value.i) : scalar.value.f;
  switch (spec.element) {
  case ElementType::F64:
    slot = bitsOf<int64_t>(value);
    return nullptr;
  case ElementType::F32:
    slot = bitsOf<uint32_t>(isInt ? static_cast<float>(scalar.value.i)
                                  : static_cast<float>(scalar.value.f));
    return nullptr;
  case ElementType::F16:
    slot = toHalf(value);
    return nullptr;
  case ElementType::BF16:
    slot = toBFloat16(value);
    return nullptr;
  default:
    return convertInteger(spec, index, scalar, slot);
  }
}
