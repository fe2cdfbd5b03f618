//===- OuterReductionHeuristic.h - Schedules for sums of rows --*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions that leave the last dimension. The order of a sum (SumOrder.h)
// gives a thread rows of one chain, so that what a schedule chooses is how many
// columns a thread and a block have, and whether blocks share them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_OUTERREDUCTIONHEURISTIC_H
#define FUSER_SCHEDULE_OUTERREDUCTIONHEURISTIC_H

#include "fuser/Schedule/Problem.h"
#include "fuser/Schedule/Processor.h"
#include "fuser/Schedule/TileSchedule.h"

namespace fuser::schedule {

TileSchedule chooseOuterReduction(const OuterProblem &problem,
                                  const Processor &processor);

/// Where the order of a sum has what lies in this row of a tile, or in this
/// part of a fold's: chains and parts without the bits of the rows of a chain.
int64_t getOuterPosition(int64_t row, bool isFold);

/// The shared memory in which warps exchange what they have of their columns,
/// if each of these takes so many bytes.
int64_t countSharedBytes(const TileLayout &layout, bool isFold,
                         int64_t bytesPerColumn);

/// The most bytes of neighbouring columns that a thread reads at once, where a
/// block has all rows, or a part of them: few, so that many rows are under way.
int64_t getColumnBytes(const OuterProblem &problem, bool isSplit);

/// The layout of a kernel that adds so many parts of each of so many columns,
/// either of which may be kUnknown: a few parts in registers, all the others at
/// once. Of more than a tree of them, that tree.
TileLayout chooseFold(int64_t parts, int64_t accumulatorRegisters,
                      int64_t columns);

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_OUTERREDUCTIONHEURISTIC_H
