//===- Check.cpp - Comparison with the reference
//---------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace fuser;
using namespace fuser::run;

static double getLargest(const HostTensor &tensor) {
  double largest = 0;
  for (uint64_t i = 0, n = tensor.getNumElements(); i < n; ++i) {
    double value = std::fabs(loadFloat(tensor.element, tensor.getElement(i)));
    if (std::isfinite(value))
      largest = std::max(largest, value);
  }
  return largest;
}

/// Adds element `position`, which differs by `difference` where `allowed` is
/// allowed.
static void add(CheckResult &result, uint64_t position, double difference,
                double ulp, double allowed) {
  result.maxAbsolute = std::max(result.maxAbsolute, difference);
  result.maxUlp = std::max(result.maxUlp, difference / ulp);
  result.worst = std::max(result.worst, difference / allowed);
  if (difference > allowed && result.numWrong++ == 0)
    result.firstWrong = position;
}

static void compareFloat(CheckResult &result, uint64_t position,
                         ElementType type, std::pair<double, double> values,
                         double bound) {
  auto [got, expected] = values;
  if ((std::isnan(got) && std::isnan(expected)) || got == expected)
    return;
  // What rounds to infinity in the output's type is infinity.
  double ulp = getUlp(type, expected);
  if (std::isinf(got) && std::isfinite(expected) && isFloat(type)) {
    char rounded[8];
    storeFloat(type, rounded, expected);
    if (loadFloat(type, rounded) == got)
      return;
  }
  double difference = std::fabs(got - expected);
  if (!std::isfinite(difference))
    difference = std::numeric_limits<double>::infinity();
  add(result, position, difference, ulp, ulp + bound);
}

CheckResult run::compare(const HostTensor &got, const HostTensor &expected) {
  CheckResult result;
  uint64_t count = got.getNumElements();
  if (got.sizes != expected.sizes) {
    result.numWrong = std::max<uint64_t>(count, 1);
    result.worst = std::numeric_limits<double>::infinity();
    return result;
  }
  ElementType type = got.element;
  double bound = isFloat(type)
                     ? getLargest(expected) *
                           (type == ElementType::F64 ? 0x1p-49 : 0x1p-20)
                     : 0;
  for (uint64_t i = 0; i < count; ++i) {
    const char *a = got.getElement(i), *b = expected.getElement(i);
    if (isFloat(type)) {
      compareFloat(result, i, type,
                   {loadFloat(type, a), loadFloat(expected.element, b)}, bound);
      continue;
    }
    int64_t x = loadInt(type, a), y = loadInt(expected.element, b);
    if (x != y)
      add(result, i, std::fabs(static_cast<double>(x) - static_cast<double>(y)),
          1, 0.5);
  }
  return result;
}
