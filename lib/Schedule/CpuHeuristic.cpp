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
/// Each lane of an access that is taken apart costs code; so fewer.
static constexpr int64_t kScatteredLanes = 16;

CpuSchedule fuser::schedule::chooseCpu(const CpuProblem &problem) {
  CpuSchedule schedule;
  schedule.vector = problem.contiguousWidth > 1 ? kLanes : kScatteredLanes;
  return schedule;
}
