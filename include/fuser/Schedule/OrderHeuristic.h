//===- OrderHeuristic.h - Schedules for sorts of rows ----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row that one thread block holds is sorted by a network of comparisons. Of a
// longer one the first few in order are found piece by piece: half of a tile
// has the first ones so far, and the other half the next ones of the row.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_ORDERHEURISTIC_H
#define FUSER_SCHEDULE_ORDERHEURISTIC_H

#include "fuser/Schedule/Problem.h"
#include "fuser/Schedule/Processor.h"
#include "fuser/Schedule/TileSchedule.h"

namespace fuser::schedule {

/// Whether a thread block has room for what is sorted at a time.
Decision acceptsRowOrder(const OrderProblem &problem);

/// Whether a tile of so many columns is enough.
Decision acceptsRowOrder(const OrderProblem &problem, int64_t columns);

/// The schedule of an accepted problem.
TileSchedule chooseRowOrder(const OrderProblem &problem,
                            const Processor &processor);

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_ORDERHEURISTIC_H
