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
#include "fuser/Schedule/Processor.h"
#include <optional>

namespace fuser::schedule {

/// See #fusion.transpose.
struct TransposeSchedule {
  int64_t threads = 256;
  int64_t tile = 32;
  int64_t along = -1;
  int64_t across = -1;
  /// Numbers of operands and of results.
  llvm::SmallVector<int64_t, 4> reads;
  llvm::SmallVector<int64_t, 4> results;
};

/// Whether the schedule says that the access goes through a square of shared
/// memory: it has to run through memory along `across`, and depend on `along`.
bool isStaged(const TransposeProblem::Access &access,
              const TransposeSchedule &schedule);

/// Whether there is a kernel of this schedule for the problem of a group that
/// fitsPointwise.
Decision acceptsTranspose(const TransposeProblem &problem,
                          const TransposeSchedule &schedule);

/// A schedule for such a problem; none where a pointwise one is taken to be
/// faster.
std::optional<TransposeSchedule>
chooseTranspose(const TransposeProblem &problem, const Processor &processor);

/// How many elements of so many bytes a row of a square takes in shared memory:
/// neither rows nor columns have two elements of a warp in one bank.
int64_t getTilePitch(int64_t tile, int64_t bytes);

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_TRANSPOSEHEURISTIC_H
