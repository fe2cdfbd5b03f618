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
#include "fuser/Schedule/TileSchedule.h"
#include <optional>

namespace fuser::schedule {

/// Whether the schedule says that the access goes through shared memory: it
/// has to run through memory along the dimension of the lanes of `staged`, and
/// depend on that of the lanes of `layout`.
bool isStaged(const TransposeProblem::Access &access,
              const TileSchedule &schedule);

/// Whether there is a kernel of this schedule for the problem of a group that
/// fitsPointwise.
Decision acceptsTranspose(const TransposeProblem &problem,
                          const TileSchedule &schedule);

/// A schedule for such a problem; none where one without shared memory is taken
/// to be faster.
std::optional<TileSchedule> chooseTranspose(const TransposeProblem &problem,
                                            const Processor &processor);

/// The axis along which a warp's first lanes lie; -1: none.
int64_t getLaneAxis(const TileLayout &layout);

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_TRANSPOSEHEURISTIC_H
