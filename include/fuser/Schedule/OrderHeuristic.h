//===- OrderHeuristic.h - Schedules for sorts of rows ----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row that one thread block holds is sorted by a network of comparisons. Of a
// longer one the first few in order are found in rounds: those of each tile are
// sorted again. Other rows that are known to be longer are sorted digit by
// digit. All else, rows of open length and other dimensions than the last one
// too, is sorted in tiles of a row, which are merged.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_ORDERHEURISTIC_H
#define FUSER_SCHEDULE_ORDERHEURISTIC_H

#include "fuser/Schedule/Problem.h"
#include "fuser/Schedule/Processor.h"
#include "fuser/Schedule/TileSchedule.h"

namespace fuser::schedule {

/// Positions of rows of no more elements have 31 bits.
constexpr int64_t kMaxNarrowLength = (int64_t(1) << 31) - 1;
inline bool hasNarrowPositions(const OrderProblem &problem) {
  return problem.maxLength != kUnknown && problem.maxLength <= kMaxNarrowLength;
}

/// Whether a tile of so many columns has a row of the last dimension: a block
/// may sort several.
bool isSortedByOneBlock(const OrderProblem &problem, int64_t columns);

/// Whether such tiles have a row each, or the first elements of each tile of a
/// row, which are sorted again, are fewer; if not, tiles are merged or sorted
/// by digits.
bool isSortedInRounds(const OrderProblem &problem, int64_t columns);

/// Whether threads are to share what is sorted: a few elements along another
/// dimension than the last one are soon sorted by one thread, whose neighbours
/// have neighbouring columns.
Decision prefersRowOrder(const OrderProblem &problem);

/// The schedule of any problem.
TileSchedule chooseRowOrder(const OrderProblem &problem,
                            const Processor &processor);

/// Whether the indices of a scatter are to be sorted: without, a thread has a
/// whole fibre of the result and its updates. `problem` is that of the indices.
Decision prefersScatter(const OrderProblem &problem,
                        const Processor &processor);

/// The tile of the indices of a scatter.
TileSchedule chooseScatter(const OrderProblem &problem,
                           const Processor &processor);

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_ORDERHEURISTIC_H
