//===- Elements.h - Elements as they lie in memory ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One struct a type: how it is stored, what it is computed in, and the way
// between the two. For loops on a CPU over elements of any type.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_ELEMENTS_H
#define FUSER_RT_ELEMENTS_H

#include "fuser_rt/ElementTypes.h"

#include <cmath>
#include <cstring>

namespace fuser_rt::elements {

/// A type that computes in itself, or integers that wrap in `SumT`.
template <typename StoredT, typename SumT = StoredT>
struct Plain {
  using Stored = StoredT;
  using Sum = SumT;
  static Sum load(Stored value) { return Sum(value); }
  static Stored store(Sum value) { return Stored(value); }
};
using F64 = Plain<double>;
using F32 = Plain<float>;

/// A float that is computed in f32.
template <ElementType type>
struct Narrow {
  using Stored = uint16_t;
  using Sum = float;
  static float load(Stored bits) {
    return static_cast<float>(decodeFloat(type, bits));
  }
  static Stored store(float value) { return Stored(encodeFloat(type, value)); }
};
using F16 = Narrow<ElementType::F16>;
using BF16 = Narrow<ElementType::BF16>;

/// 8-bit floats of `mantissaBits`. What is larger than the largest finite value
/// becomes that, as CUDA's conversions have it; without infinities `infinity`
/// is 0.
template <int mantissaBits, int bias, uint8_t largest, uint8_t infinity,
          uint8_t nan>
struct F8 {
  using Stored = uint8_t;
  using Sum = float;

  static float load(uint8_t bits) {
    uint8_t size = bits & 0x7f;
    int exponent = size >> mantissaBits,
        fraction = size & ((1 << mantissaBits) - 1);
    float value = exponent
                      ? std::ldexp(float(fraction + (1 << mantissaBits)),
                                   exponent - bias - mantissaBits)
                      : std::ldexp(float(fraction), 1 - bias - mantissaBits);
    if (size > largest)
      value = infinity && size == infinity ? INFINITY : NAN;
    return bits & 0x80 ? -value : value;
  }

  static uint8_t store(float value) {
    uint8_t sign = std::signbit(value) ? 0x80 : 0;
    if (std::isnan(value))
      return sign | nan;
    float size = std::fabs(value);
    if (size == 0)
      return sign;
    int exponent = 0;
    std::frexp(size, &exponent);
    // The exponent of the leading bit, and of the last that is kept.
    int leading = exponent - 1;
    bool isNormal = leading >= 1 - bias;
    int last = (isNormal ? leading : 1 - bias) - mantissaBits;
    if (std::isinf(value) || leading + bias > 31)
      return sign | largest;
    // To nearest even; a carry goes into the exponent.
    int kept = int(std::nearbyint(std::ldexp(size, -last)));
    int bits = isNormal ? ((leading + bias) << mantissaBits) + kept -
                              (1 << mantissaBits)
                        : kept;
    return sign | uint8_t(bits > largest ? largest : bits);
  }
};
using F8E4M3FN = F8<3, 7, 0x7e, 0, 0x7f>;
using F8E5M2 = F8<2, 15, 0x7b, 0x7c, 0x7f>;

} // namespace fuser_rt::elements

#endif // FUSER_RT_ELEMENTS_H
