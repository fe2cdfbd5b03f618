//===- Check.h - Comparison with the reference
//-----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element is right if it differs from the reference by at most one unit in
// the last place of the output's type, plus a bound for what was accumulated in
// f32 (f64 for f64 outputs): 2^-20 (2^-49) of the largest magnitude in the
// output. Integers must be equal; NaN matches NaN, an infinity the same
// infinity.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_RUN_CHECK_H
#define FUSER_LIB_TOOLS_RUN_CHECK_H

#include "HostTensor.h"

namespace fuser::run {

struct CheckResult {
  double maxUlp = 0;      ///< Largest difference in units in the last place.
  double maxAbsolute = 0; ///< Largest difference.
  /// Largest difference over what is allowed; right if at most 1.
  double worst = 0;
  uint64_t numWrong = 0;
  uint64_t firstWrong = 0; ///< Row-major position.
};

/// `expected` holds f64 (floats) or i64 elements, row major.
CheckResult compare(const HostTensor &got, const HostTensor &expected);

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_RUN_CHECK_H
