//===- TransposeHeuristic.h - Schedules through squares of memory ---------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors that lie in memory along different dimensions: whatever a warp's
// threads share, some of its accesses would be scattered. A block takes a
// square instead, and hands what lies across through shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_TRANSPOSEHEURISTIC_H
#define FUSER_SCHEDULE_TRANSPOSEHEURISTIC_H

#include "fuser/Schedule/Problem.h"
#include "fuser/Schedule/TargetInfo.h"

namespace fuser::schedule {

/// See #fusion.transpose.
struct TransposeSchedule {
  int64_t threads = 256;
  int64_t tile = 32;
};

/// Whether there is a schedule for the problem.
Verdict acceptsTranspose(const TransposeProblem &problem);

/// Whether the schedule of an accepted problem is faster than a pointwise one.
Verdict prefersTranspose(const TransposeProblem &problem);

/// The schedule of an accepted problem.
TransposeSchedule chooseTranspose(const TransposeProblem &problem,
                                  const TargetInfo &target);

/// How many elements of so many bytes a row of a square takes in shared memory:
/// neither rows nor columns have two elements of a warp in one bank.
int64_t getTilePitch(int64_t tile, int64_t bytes);

/// The shared memory that all squares take.
int64_t getTileBytes(const TransposeProblem &problem, int64_t tile);

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_TRANSPOSEHEURISTIC_H
