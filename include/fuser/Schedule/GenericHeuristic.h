//===- GenericHeuristic.h - Schedules for everything -----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_GENERICHEURISTIC_H
#define FUSER_SCHEDULE_GENERICHEURISTIC_H

#include "fuser/Schedule/Problem.h"
#include "fuser/Schedule/Processor.h"

namespace fuser::schedule {

/// See #fusion.generic.
struct GenericSchedule {
  int64_t threads = 256;
  int64_t parts = 1;
  int64_t minBlocks = 0;
};

/// See #fusion.split_reduction.
struct SplitReductionSchedule {
  int64_t threads = 512;
  int64_t foldThreads = 64;
  int64_t minBlocks = 0;
  bool programmatic = false;
};

/// Whether generic kernels are not much slower than others would be.
Decision acceptsGeneric(const GenericProblem &problem,
                        const Processor &processor);

/// Whether there are kernels of this schedule for the problem.
Decision acceptsSplitReduction(const GenericProblem &problem);

/// The same, and whether one thread block an element is taken to be slower.
Decision prefersSplitReduction(const GenericProblem &problem,
                               const Processor &processor);

/// Whether thread blocks share each reduction though there are enough of them
/// to keep the device busy, or rows would fit into registers: rows are long,
/// and nothing else is made of their elements.
bool isAlwaysSplit(const GenericProblem &problem, const Processor &processor);

SplitReductionSchedule chooseSplitReduction(const Processor &processor);

GenericSchedule chooseGeneric(const GenericProblem &problem,
                              const Processor &processor);

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_GENERICHEURISTIC_H
