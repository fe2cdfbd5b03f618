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

inline float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// decodeFloat of the types of 16 bits, in line: a product loads its elements
/// many times.
inline float decodeBrain(uint16_t bits) {
  return fromBits(uint32_t(bits) << 16);
}
inline float decodeHalf(uint16_t bits) {
  uint32_t magnitude = bits & 0x7fff;
  float value;
  if (magnitude < 0x400) // No normal number; also where those count as 0.
    value = static_cast<float>(magnitude) * 0x1p-24f;
  else if (magnitude < 0x7c00) // Exponents count from -15, here from -127.
    value = fromBits((magnitude << 13) + (112u << 23));
  else
    value = fromBits((magnitude << 13) | 0x7f800000u);
  return bits & 0x8000 ? -value : value;
}

/// A float that is computed in f32.
template <ElementType type, typename StoredT>
struct Narrow {
  using Stored = StoredT;
  using Sum = float;
  static float load(Stored bits) {
    if constexpr (type == ElementType::BF16)
      return decodeBrain(bits);
    else if constexpr (type == ElementType::F16)
      return decodeHalf(bits);
    else
      return static_cast<float>(decodeFloat(type, bits));
  }
  static Stored store(float value) { return Stored(encodeFloat(type, value)); }
};
using F16 = Narrow<ElementType::F16, uint16_t>;
using BF16 = Narrow<ElementType::BF16, uint16_t>;

/// 8-bit floats. What is larger than the largest finite value becomes that, as
/// CUDA's conversions have it.
template <ElementType type, uint8_t largest>
struct F8 : Narrow<type, uint8_t> {
  static uint8_t store(float value) {
    auto bits = static_cast<uint8_t>(encodeFloat(type, value));
    uint8_t size = bits & 0x7f;
    return std::isnan(value) || size <= largest ? bits
                                                : (bits - size) | largest;
  }
};
using F8E4M3FN = F8<ElementType::F8E4M3FN, 0x7e>;
using F8E5M2 = F8<ElementType::F8E5M2, 0x7b>;

} // namespace fuser_rt::elements

#endif // FUSER_RT_ELEMENTS_H
