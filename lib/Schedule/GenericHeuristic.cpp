//===- GenericHeuristic.cpp - Schedules for everything -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/GenericHeuristic.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace fuser;
using namespace fuser::schedule;

/// Up to this many elements a thread reduces alone.
static constexpr int64_t kFewElements = 16;

static GenericSchedule shareNeighbours(int64_t reduced) {
  if (reduced != kUnknown && reduced <= 1024)
    return {256, kWarpSize, 0};
  // A single block may have to read a whole tensor. Larger ones would lack
  // registers.
  int64_t threads = reduced > (1 << 16) ? 512 : 256;
  return {threads, threads, 0};
}

/// Whether a reduction takes long for one thread.
static bool hasManyElements(const GenericProblem &problem) {
  return problem.hasReduction && (problem.reducedElements == kUnknown ||
                                  problem.reducedElements > kFewElements);
}

Decision fuser::schedule::acceptsGeneric(const GenericProblem &problem,
                                         const Processor &) {
  if (!hasManyElements(problem) || problem.reducesNeighbours)
    return Decision::yes();
  return Decision::no("one thread would add all rows of a column",
                      "return what is made of a reduction in the shape that it "
                      "has");
}

GenericSchedule fuser::schedule::chooseGeneric(const GenericProblem &problem,
                                               const Processor &processor) {
  GenericSchedule schedule;
  if (hasManyElements(problem) && problem.reducesNeighbours) {
    schedule = shareNeighbours(problem.reducedElements);
    // The loops of a reduction need up to 128 registers.
    schedule.minBlocks = std::max<int64_t>(1, 512 / schedule.threads);
    return schedule;
  }
  // Few elements, or few fibres: more multiprocessors work if blocks are small.
  bool isSmall =
      problem.hasFibres ||
      (problem.elements != kUnknown &&
       problem.elements < schedule.threads * processor.multiprocessors);
  if (isSmall)
    schedule.threads = kWarpSize;
  return schedule;
}

Decision fuser::schedule::acceptsSplitReduction(const GenericProblem &problem) {
  if (!problem.hasReduction)
    return Decision::no("it holds no reduction");
  if (!problem.hasOneSpace)
    return Decision::no("its reductions are over different dimensions, or of "
                        "different shapes");
  if (!problem.reducesNeighbours)
    return Decision::no("its reductions are over other dimensions than the "
                        "last one");
  if (problem.hasDependentReductions)
    return Decision::no("a reduction is made of another one");
  return Decision::yes();
}

/// A row of more sections is shared by thread blocks, and of many rows one of
/// more than half as many: measured beside a cluster for each row
/// (docs/performance.md).
static constexpr int64_t kManySections = 4;
/// So many rows for each multiprocessor are many.
static constexpr int64_t kManyRows = 4;

/// Sums over dimensions around others, of which nothing is known: what there is
/// of each channel of images. There are more elements of a channel than
/// channels, in all likelihood.
static bool isOpenAndMixed(const GenericProblem &problem) {
  return problem.elements == kUnknown && problem.reducedElements == kUnknown &&
         problem.hasOneResultEach && !problem.reducesRows;
}

bool fuser::schedule::isAlwaysSplit(const GenericProblem &problem,
                                    const Processor &processor) {
  bool areMany = problem.elements == kUnknown ||
                 problem.elements >= kManyRows * processor.multiprocessors;
  int64_t most = areMany ? kManySections / 2 : kManySections;
  return problem.minReduced > most * kSectionElements &&
         problem.hasOneResultEach && acceptsSplitReduction(problem);
}

Decision fuser::schedule::prefersSplitReduction(const GenericProblem &problem,
                                                const Processor &processor) {
  if (Decision decision = acceptsSplitReduction(problem); !decision)
    return decision;
  if (isAlwaysSplit(problem, processor) || isOpenAndMixed(problem))
    return Decision::yes();
  if (problem.elements == kUnknown ||
      problem.elements >= processor.multiprocessors)
    return Decision::no("its results may be as many as multiprocessors");
  if (problem.reducedElements != kUnknown &&
      problem.reducedElements <= kSectionElements)
    return Decision::no("one section, and so one thread block, is all there is "
                        "to have");
  return Decision::yes();
}

SplitReductionSchedule
fuser::schedule::chooseSplitReduction(const Processor &processor) {
  SplitReductionSchedule schedule;
  // The loops of a reduction need up to 64 registers: two blocks fit.
  schedule.minBlocks = 2;
  schedule.programmatic = processor.hasProgrammaticLaunch;
  return schedule;
}
