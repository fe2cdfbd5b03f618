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
  /// Instructions for an element, roughly, where the lanes decide nothing else
  /// (they order sums).
  int64_t operations = 1;
};

/// See #fusion.cpu.
struct CpuSchedule {
  int64_t vector = 64;
};

CpuSchedule chooseCpu(const CpuProblem &problem);

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_CPUHEURISTIC_H
