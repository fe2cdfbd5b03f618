//===- Check.h - Comparison with the reference ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element is right if it differs from the reference by at most one unit in
// the last place of the output's type, or by the reference's bound of the
// errors of f32 (f64) arithmetic on the way to it, if that is greater. Integers
// without such a bound must be equal; NaN matches NaN, an infinity the same
// infinity. docs/rationale/check-tolerance.md says more.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_RUN_CHECK_H
#define FUSER_LIB_TOOLS_RUN_CHECK_H

#include "../Tensors/HostTensor.h"
#include "fuser/Reference/Reference.h"

namespace fuser::run {

/// The element that comes nearest to what is allowed for it, or exceeds it
/// most.
struct WorstElement {
  /// What is allowed for it: a unit of its type, the bound of its ops' errors,
  /// or, for an integer, what is not to be measured by either.
  enum class Limit { None, Unit, Bound, Integer } limit = Limit::None;
  ElementType type = ElementType::F32;
  /// Its difference over what is allowed; right if at most 1.
  double share = 0;
  double difference = 0, expected = 0;
};

struct CheckResult {
  double maxUlp = 0;      ///< Largest difference in units in the last place.
  double maxAbsolute = 0; ///< Largest difference.
  WorstElement worst;
  uint64_t numWrong = 0;
  /// Of elements that are right: what says little of what was computed.
  uint64_t numNaN = 0, numInfinite = 0;
  uint64_t numElements = 0;
  uint64_t firstWrong = 0; ///< Row-major position.

  /// Adds what was found in other elements.
  void merge(const CheckResult &other);
};

CheckResult compare(const HostTensor &got, const ReferenceOutput &expected);

/// What the worst element differs by, in the measure that it was decided by:
/// "0.50 ulp of bf16" or "relative error 3.1e-07 at 0.25".
std::string describe(const WorstElement &worst);

/// "got 1, expected 2 and at most 0.5 of difference": one element.
std::string describe(const HostTensor &got, const ReferenceOutput &expected,
                     uint64_t position);

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_RUN_CHECK_H
