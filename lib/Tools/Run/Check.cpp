//===- Check.cpp - Comparison with the reference --------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

using namespace fuser;
using namespace fuser::run;

namespace {
/// One element of the reference.
struct Expected {
  double value, bound;
};
} // namespace

/// How far an element may be from the reference whatever made it. An integer
/// that may not differ may not differ by a half.
static double getUnit(ElementType type, Expected expected) {
  return isFloat(type) ? getUlp(type, expected.value) : 0.5;
}

/// How far an element may be from the reference.
static double getAllowed(ElementType type, Expected expected) {
  return std::max(getUnit(type, expected), expected.bound);
}

static WorstElement::Limit getLimit(ElementType type, Expected expected) {
  if (!isFloat(type))
    return WorstElement::Limit::Integer;
  return getUnit(type, expected) >= expected.bound ? WorstElement::Limit::Unit
                                                   : WorstElement::Limit::Bound;
}

/// True if both are NaN, the same infinity, or finite and what `expected`
/// rounds to is what `got` is.
static bool isSame(ElementType type, double got, double expected) {
  if ((std::isnan(got) && std::isnan(expected)) || got == expected)
    return true;
  // What rounds to infinity in the output's type is infinity.
  if (!std::isinf(got) || !std::isfinite(expected) || !isFloat(type))
    return false;
  char rounded[8];
  storeFloat(type, rounded, expected);
  return loadFloat(type, rounded) == got;
}

static void add(CheckResult &result, uint64_t position, ElementType type,
                double got, Expected expected) {
  if (isSame(type, got, expected.value)) {
    result.numNaN += std::isnan(got);
    result.numInfinite += std::isinf(got);
    return;
  }
  double difference = std::fabs(got - expected.value);
  if (!std::isfinite(difference))
    difference = std::numeric_limits<double>::infinity();
  double allowed = getAllowed(type, expected);
  double ulp = isFloat(type) ? getUlp(type, expected.value) : 1;
  result.maxAbsolute = std::max(result.maxAbsolute, difference);
  result.maxUlp = std::max(result.maxUlp, difference / ulp);
  if (difference / allowed > result.worst.share)
    result.worst = {getLimit(type, expected), type, difference / allowed,
                    difference, expected.value};
  if (difference <= allowed)
    return;
  if (result.numWrong++ == 0)
    result.firstWrong = position;
  result.firstWrong = std::min(result.firstWrong, position);
}

/// An element whose bits count: of an integer its value.
static int64_t loadBits(ElementType type, const char *data) {
  if (!isFloat(type))
    return loadInt(type, data);
  unsigned bytes = fuser_rt::elementBytes(type);
  uint64_t bits = 0; // x86 and its like: the low bytes first.
  std::memcpy(&bits, data, bytes);
  return llvm::SignExtend64(bits, 8 * bytes);
}

static CheckResult compareRun(const HostTensor &got, HostTensor::Run run,
                              const ReferenceOutput &expected) {
  CheckResult result;
  result.numElements = run.count;
  for (uint64_t i = 0; i < run.count; ++i) {
    uint64_t position = run.position + i;
    const char *data = run.data + static_cast<int64_t>(i) * run.step;
    double bound = expected.bounds.empty() ? 0 : expected.bounds[position];
    if (!expected.floats.empty()) {
      add(result, position, got.element, loadFloat(got.element, data),
          {expected.floats[position], bound});
      continue;
    }
    int64_t x = loadBits(got.element, data), y = expected.integers[position];
    // Compared as what they are: an f64 does not tell neighbours apart.
    if (x == y)
      continue;
    double difference = toNumber(got.element, x) - toNumber(got.element, y);
    add(result, position, ElementType::I64, difference == 0 ? 1 : difference,
        {0, bound});
  }
  return result;
}

void CheckResult::merge(const CheckResult &other) {
  maxUlp = std::max(maxUlp, other.maxUlp);
  maxAbsolute = std::max(maxAbsolute, other.maxAbsolute);
  if (other.worst.share > worst.share)
    worst = other.worst;
  if (other.numWrong)
    firstWrong =
        numWrong ? std::min(firstWrong, other.firstWrong) : other.firstWrong;
  numWrong += other.numWrong;
  numNaN += other.numNaN;
  numInfinite += other.numInfinite;
  numElements += other.numElements;
}

/// Complex numbers as pairs of real ones.
static ReferenceOutput getPairs(const ReferenceOutput &complex) {
  ReferenceOutput pairs = complex;
  pairs.elementType = getPartType(complex.elementType);
  pairs.sizes.push_back(2);
  return pairs;
}

CheckResult run::compare(const HostTensor &got,
                         const ReferenceOutput &expected) {
  if (fuser_rt::isComplex(got.element) && got.sizes == expected.sizes)
    return compare(got.getPairs(), getPairs(expected));
  CheckResult result;
  if (got.sizes != expected.sizes) {
    result.numWrong = std::max<uint64_t>(got.getNumElements(), 1);
    result.worst.share = std::numeric_limits<double>::infinity();
    return result;
  }
  std::mutex mutex;
  got.forEachElement([&](HostTensor::Run run) {
    CheckResult part = compareRun(got, run, expected);
    std::lock_guard<std::mutex> lock(mutex);
    result.merge(part);
  });
  return result;
}

std::string run::describe(const WorstElement &worst) {
  std::string text;
  llvm::raw_string_ostream os(text);
  switch (worst.limit) {
  case WorstElement::Limit::None:
  case WorstElement::Limit::Integer:
    break;
  case WorstElement::Limit::Unit:
    os << llvm::format("%.2f ulp of ",
                       worst.difference / getUlp(worst.type, worst.expected))
       << getName(worst.type);
    break;
  case WorstElement::Limit::Bound:
    if (worst.expected == 0)
      os << llvm::format("absolute error %.2g at 0", worst.difference);
    else
      os << llvm::format("relative error %.2g at %.2g",
                         worst.difference / std::fabs(worst.expected),
                         worst.expected);
    break;
  }
  return text;
}

std::string run::describe(const HostTensor &got,
                          const ReferenceOutput &expected, uint64_t position) {
  if (fuser_rt::isComplex(got.element) && got.sizes == expected.sizes)
    return describe(got.getPairs(), getPairs(expected), position);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (got.sizes != expected.sizes) {
    os << "expected sizes [";
    llvm::interleaveComma(expected.sizes, os);
    os << "], got [";
    llvm::interleaveComma(got.sizes, os);
    os << "]";
    return text;
  }
  const char *data = got.getElement(position);
  double bound = expected.bounds.empty() ? 0 : expected.bounds[position];
  if (expected.floats.empty()) {
    int64_t x = loadBits(got.element, data), y = expected.integers[position];
    if (expected.elementType.isUnsignedInteger())
      os << "expected " << uint64_t(y) << ", got " << uint64_t(x);
    else
      os << "expected " << y << ", got " << x;
    if (isFloat(got.element))
      os << " (bits of " << getName(got.element) << ")";
    return text;
  }
  double value = expected.floats[position];
  os << "expected " << llvm::format("%.17g", value) << ", got "
     << llvm::format("%.17g", loadFloat(got.element, data))
     << ", where they may differ by "
     << llvm::format("%.3g", getAllowed(got.element, {value, bound}));
  return text;
}
