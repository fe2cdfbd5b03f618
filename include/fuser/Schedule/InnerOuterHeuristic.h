//===- InnerOuterHeuristic.h - Schedules for rows and columns --*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that reduce rows and columns of one shape, such as the backward of a
// norm with the gradients of its weights: a block goes from row to row, and has
// in registers what it adds of each column, the row, and the next one; or rows
// in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_INNEROUTERHEURISTIC_H
#define FUSER_SCHEDULE_INNEROUTERHEURISTIC_H

#include "fuser/Schedule/Problem.h"
#include "fuser/Schedule/Processor.h"
#include "fuser/Schedule/TileSchedule.h"

namespace fuser::schedule {

Decision acceptsInnerOuter(const InnerOuterProblem &problem,
                           const Processor &processor);

/// The schedule of an accepted problem; of one whose accesses turned out to be
/// too narrow for it, one that spills.
TileSchedule chooseInnerOuter(const InnerOuterProblem &problem,
                              const Processor &processor);

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_INNEROUTERHEURISTIC_H
