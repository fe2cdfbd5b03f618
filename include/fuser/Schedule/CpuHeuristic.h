//===- CpuHeuristic.h - Schedules for CPUs ---------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_CPUHEURISTIC_H
#define FUSER_SCHEDULE_CPUHEURISTIC_H

#include <cstdint>

namespace fuser::schedule {

/// A segment for a CPU, of any scheduler.
struct CpuProblem {
  /// The most neighbours in the last dimension that stay neighbours in all
  /// tensors: a power of two. 1: some access (a transpose) takes elements one
  /// by one.
  int64_t contiguousWidth = 64;
  /// Instructions for an element, roughly.
  int64_t operations = 1;
  bool hasReduction = false;
};

/// See #fusion.cpu. Lanes decide on speed alone: the order of a sum is the same
/// for all.
struct CpuSchedule {
  int64_t vector = 64;
};

/// The most reductions of a segment. Each may wait for the one before: then it
/// is one more loop, which computes again what it needs of the others, so that
/// the code, and LLVM's work on it, grow with the square of their number.
constexpr int64_t kMaxCpuReductions = 16;

CpuSchedule chooseCpu(const CpuProblem &problem);

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_CPUHEURISTIC_H
