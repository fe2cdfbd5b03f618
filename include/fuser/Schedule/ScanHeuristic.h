//===- ScanHeuristic.h - Schedules for scans -------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of a scan (SumOrder.h) gives a thread leaves, and the lanes of a
// warp neighbouring ones. A schedule chooses how many warps share a row, and
// how many leaves a thread has at a time: rows that have more are gone through
// in steps. Columns are read as they lie in memory, neighbours by the lanes of
// a warp, and all other threads have leaves of these.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_SCANHEURISTIC_H
#define FUSER_SCHEDULE_SCANHEURISTIC_H

#include "fuser/Schedule/Problem.h"
#include "fuser/Schedule/Processor.h"
#include "fuser/Schedule/TileSchedule.h"

namespace fuser::schedule {

/// Whether several thread blocks should share a row.
Decision prefersSplitScan(const ScanProblem &problem,
                          const Processor &processor);

/// Of scans along the last dimension, of which a block has a section.
TileSchedule chooseSplitScan(const ScanProblem &problem,
                             const Processor &processor);

/// Of scans along the last dimension.
TileSchedule chooseRowScan(const ScanProblem &problem,
                           const Processor &processor);

/// Of scans along another dimension.
TileSchedule chooseOuterScan(const ScanProblem &problem,
                             const Processor &processor);

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_SCANHEURISTIC_H
