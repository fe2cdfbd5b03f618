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

#include "HostTensor.h"
#include "fuser/Reference/Reference.h"

namespace fuser::run {

struct CheckResult {
  double maxUlp = 0;      ///< Largest difference in units in the last place.
  double maxAbsolute = 0; ///< Largest difference.
  /// Largest difference over what is allowed; right if at most 1.
  double worst = 0;
  uint64_t numWrong = 0;
  uint64_t firstWrong = 0; ///< Row-major position.

  /// Adds what was found in other elements.
  void merge(const CheckResult &other);
};

CheckResult compare(const HostTensor &got, const ReferenceOutput &expected);

/// "got 1, expected 2 and at most 0.5 of difference": one element.
std::string describe(const HostTensor &got, const ReferenceOutput &expected,
                     uint64_t position);

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_RUN_CHECK_H
