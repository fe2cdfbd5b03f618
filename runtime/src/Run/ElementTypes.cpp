//===- ElementTypes.cpp - Floats of all types as bits ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser_rt/ElementTypes.h"
#include "fuser_rt/PowersOfTwo.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace fuser_rt;

template <typename To, typename From>
static To bitsOf(From value) {
  static_assert(sizeof(To) == sizeof(From), "a copy of bits");
  To result;
  memcpy(&result, &value, sizeof(result));
  return result;
}

namespace {
/// Where the fields of a float are. Without its sign, a greater number has
/// greater bits.
struct Layout {
  explicit Layout(ElementType type)
      : minExponent(getInfo(type).minExponent),
        fraction(getInfo(type).precision - 1),
        sign(uint64_t(1) << (getInfo(type).bits - 1)),
        hasInfinity(getInfo(type).hasInfinity),
        isPacked(getInfo(type).isPacked()),
        beyond(isPacked      ? sign
               : hasInfinity ? sign - (uint64_t(1) << fraction)
                             : sign - 1),
        nan(beyond | uint64_t(1) << (fraction - 1)) {}

  int minExponent;
  int fraction; ///< Its bits.
  uint64_t sign;
  bool hasInfinity;
  bool isPacked;   ///< With numbers alone.
  uint64_t beyond; ///< The first that is no number.
  uint64_t nan;
};
} // namespace

static double decodePower(uint64_t bits) {
  return bits == 0xff ? std::numeric_limits<double>::quiet_NaN()
                      : std::ldexp(1.0, int(bits) - 127);
}

uint64_t fuser_rt::encodeFloat(ElementType type, double value) {
  if (type == ElementType::F64)
    return bitsOf<uint64_t>(value);
  if (getInfo(type).isPowers())
    return encodePower(value);
  Layout layout(type);
  uint64_t sign = std::signbit(value) ? layout.sign : 0;
  if (std::isnan(value))
    return layout.isPacked ? layout.sign : sign | layout.nan;
  double size = std::fabs(value);
  // Subnormals are multiples of the least one.
  if (size < std::ldexp(1.0, layout.minExponent)) {
    int exponent = layout.fraction - layout.minExponent;
    return sign | uint64_t(std::nearbyint(std::ldexp(size, exponent)));
  }
  auto bits = bitsOf<uint64_t>(size);
  int dropped = 52 - layout.fraction;
  // Half of the last place, less one if that is even; a carry goes into the
  // exponent.
  bits += (uint64_t(1) << (dropped - 1)) - 1 + (bits >> dropped & 1);
  bits >>= dropped;
  bits -= uint64_t(layout.minExponent + 1022) << layout.fraction;
  uint64_t greatest = layout.beyond - layout.isPacked;
  return sign | (bits < greatest ? bits : greatest);
}

double fuser_rt::decodeFloat(ElementType type, uint64_t bits) {
  if (type == ElementType::F64)
    return bitsOf<double>(bits);
  if (getInfo(type).isPowers())
    return decodePower(bits);
  Layout layout(type);
  uint64_t size = bits & (layout.sign - 1);
  double value;
  if (size >= layout.beyond) {
    bool isInfinite = layout.hasInfinity && size == layout.beyond;
    value = isInfinite ? std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::quiet_NaN();
  } else if (size >> layout.fraction) {
    uint64_t wide =
        size + (uint64_t(layout.minExponent + 1022) << layout.fraction);
    value = bitsOf<double>(wide << (52 - layout.fraction));
  } else {
    value = std::ldexp(double(size), layout.minExponent - layout.fraction);
  }
  return bits & layout.sign ? -value : value;
}
