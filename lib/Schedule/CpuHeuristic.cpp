//===- CpuHeuristic.cpp - Schedules for CPUs ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/CpuHeuristic.h"

using namespace fuser::schedule;

/// Four vectors of 512 bits of f32: enough independent additions to hide their
/// latency.
static constexpr int64_t kLanes = 64;
/// Each lane of an access that is taken apart costs code, and so does each of a
/// long kernel.
static constexpr int64_t kFewLanes = 16;
/// So many instructions hide their own latency, and take long to compile.
static constexpr int64_t kManyOperations = 1024;
/// The same for reductions, which narrow vectors cost more: those are no whole
/// step of a sum.
static constexpr int64_t kManyReducedOperations = 8192;

CpuSchedule fuser::schedule::chooseCpu(const CpuProblem &problem) {
  CpuSchedule schedule;
  int64_t many =
      problem.hasReduction ? kManyReducedOperations : kManyOperations;
  bool isNarrow = problem.contiguousWidth <= 1 || problem.operations > many;
  schedule.vector = isNarrow ? kFewLanes : kLanes;
  return schedule;
}
