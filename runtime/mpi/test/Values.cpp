//===- Values.cpp - Small numbers of all types ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include <algorithm>
#include <cmath>
#include <cstring>

int64_t sizeOf(int type) {
  constexpr int sizes[numTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1, 2};
  return sizes[type];
}

/// The bits of a positive normal number with so many bits of exponent and
/// mantissa.
static int64_t floatBits(double value, int exponentBits, int mantissaBits) {
  int exponent = 0;
  double fraction = std::frexp(value, &exponent); // [0.5, 1)
  int64_t biased = exponent - 1 + (1 << (exponentBits - 1)) - 1;
  return (biased << mantissaBits) +
         static_cast<int64_t>(std::ldexp(2 * fraction - 1, mantissaBits));
}

void store(int type, double value, void *to) {
  int64_t bits = static_cast<int64_t>(value);
  switch (type) {
  case FUSER_TYPE_F16:
    bits = floatBits(value, 5, 10);
    break;
  case FUSER_TYPE_F32:
    bits = floatBits(value, 8, 23);
    break;
  case FUSER_TYPE_F64:
    bits = floatBits(value, 11, 52);
    break;
  case FUSER_TYPE_BF16:
    bits = floatBits(value, 8, 7);
    break;
  case FUSER_TYPE_F8E4M3FN:
    bits = floatBits(value, 4, 3);
    break;
  case FUSER_TYPE_F8E5M2:
    bits = floatBits(value, 5, 2);
    break;
  default:
    break;
  }
  memcpy(to, &bits, static_cast<size_t>(sizeOf(type))); // little-endian
}

double valueOf(int64_t rank, int64_t index) {
  return 1 + ((rank * 7 + index * 13 + index / 5) % 3 == 0);
}

Buffer makeValues(int type, int64_t rank, int64_t count) {
  Buffer result(type, count);
  for (int64_t i = 0; i < count; ++i)
    result.set(i, valueOf(rank, i));
  return result;
}

double combined(int type, int reduction, int64_t size, int64_t index) {
  double result = valueOf(0, index);
  for (int64_t rank = 1; rank < size; ++rank) {
    double value = valueOf(rank, index);
    if (reduction == FUSER_PROD)
      result *= value;
    else if (reduction == FUSER_MIN)
      result = std::min(result, value);
    else if (reduction == FUSER_MAX)
      result = std::max(result, value);
    else
      result += value;
  }
  if (reduction == FUSER_AVG)
    result /= static_cast<double>(size);
  return type <= FUSER_TYPE_U64 ? std::floor(result) : result;
}
