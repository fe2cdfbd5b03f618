//===- Combine.cpp - Parts of several ranks as one ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Combine.h"

#include "Elements.h"

#include <algorithm>
#include <type_traits>

using namespace fuser_rt;
using namespace fuser_rt::elements;

/// So many elements are computed before they are stored.
static constexpr int64_t blockSize = 256;

/// Integers wrap: signed ones too, which C++ leaves open.
template <typename T>
static T add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) + uint64_t(b));
  else
    return a + b;
}
template <typename T>
static T multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) * uint64_t(b));
  else
    return a * b;
}

template <typename Element, typename Op>
static void fold(const void *const *parts, int64_t numParts, int64_t begin,
                 int64_t count, typename Element::Sum *sums, Op op) {
  using Stored = typename Element::Stored;
  auto *first = static_cast<const Stored *>(parts[0]) + begin;
  for (int64_t i = 0; i < count; ++i)
    sums[i] = Element::load(first[i]);
  for (int64_t p = 1; p < numParts; ++p) {
    auto *part = static_cast<const Stored *>(parts[p]) + begin;
    for (int64_t i = 0; i < count; ++i)
      sums[i] = op(sums[i], Element::load(part[i]));
  }
}

template <typename Element>
static void foldBlock(int32_t reduction, const void *const *parts,
                      int64_t numParts, int64_t begin, int64_t count,
                      typename Element::Sum *sums) {
  using Sum = typename Element::Sum;
  auto with = [&](auto op) {
    fold<Element>(parts, numParts, begin, count, sums, op);
  };
  switch (reduction) {
  case FUSER_PROD:
    return with([](Sum a, Sum b) { return multiply(a, b); });
  case FUSER_MIN:
    return with([](Sum a, Sum b) { return a < b || a != a ? a : b; });
  case FUSER_MAX:
    return with([](Sum a, Sum b) { return a > b || a != a ? a : b; });
  default:
    with([](Sum a, Sum b) { return add(a, b); });
    if (reduction == FUSER_AVG)
      for (int64_t i = 0; i < count; ++i)
        sums[i] /= Sum(numParts);
  }
}

template <typename Element>
static void combineAs(int32_t reduction, const void *const *parts,
                      int64_t numParts, int64_t begin, int64_t end, void *dst) {
  typename Element::Sum sums[blockSize];
  auto *result = static_cast<typename Element::Stored *>(dst);
  for (int64_t at = begin; at < end; at += blockSize) {
    int64_t count = std::min(blockSize, end - at);
    foldBlock<Element>(reduction, parts, numParts, at, count, sums);
    for (int64_t i = 0; i < count; ++i)
      result[at + i] = Element::store(sums[i]);
  }
}

void fuser_rt::combine(const FuserTransfer &transfer, const void *const *parts,
                       int64_t numParts, int64_t begin, int64_t end,
                       void *dst) {
  auto as = [&](auto element) {
    combineAs<decltype(element)>(transfer.reduction, parts, numParts, begin,
                                 end, dst);
  };
  switch (transfer.type) {
  case FUSER_TYPE_I8:
    return as(Plain<int8_t, int64_t>());
  case FUSER_TYPE_U8:
    return as(Plain<uint8_t, uint64_t>());
  case FUSER_TYPE_I32:
    return as(Plain<int32_t, int64_t>());
  case FUSER_TYPE_U32:
    return as(Plain<uint32_t, uint64_t>());
  case FUSER_TYPE_I64:
    return as(Plain<int64_t>());
  case FUSER_TYPE_U64:
    return as(Plain<uint64_t>());
  case FUSER_TYPE_F16:
    return as(F16());
  case FUSER_TYPE_F32:
    return as(F32());
  case FUSER_TYPE_F64:
    return as(F64());
  case FUSER_TYPE_BF16:
    return as(BF16());
  case FUSER_TYPE_F8E4M3FN:
    return as(F8E4M3FN());
  case FUSER_TYPE_F8E5M2:
    return as(F8E5M2());
  }
}
