//===- PointwiseHeuristic.h - Schedules without reductions -----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_POINTWISEHEURISTIC_H
#define FUSER_SCHEDULE_POINTWISEHEURISTIC_H

#include "fuser/Schedule/Problem.h"
#include "fuser/Schedule/Processor.h"
#include "fuser/Schedule/TileSchedule.h"

namespace fuser::schedule {

/// The schedule of a group that fitsPointwise.
TileSchedule choosePointwise(const PointwiseProblem &problem,
                             const Processor &processor);

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_POINTWISEHEURISTIC_H
