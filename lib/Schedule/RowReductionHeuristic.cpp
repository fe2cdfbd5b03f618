//===- RowReductionHeuristic.cpp - Schedules for rows in registers -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/RowReductionHeuristic.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace fuser::schedule;

/// Registers of a thread that do not hold elements: addresses, indices, what is
/// being computed.
static constexpr int64_t kOtherRegisters = 24;

/// The lanes of a chunk: 16 bytes of the narrowest tensor, at most 32 of the
/// widest, that divide the row so that chunks lie side by side in every row.
static int64_t chooseVector(const RowProblem &problem) {
  int64_t vector = std::max<int64_t>(
      1, std::min({16 / problem.narrowestBytes, 32 / problem.widestBytes,
                   problem.contiguousWidth}));
  while (vector > 1 && problem.lastDim % vector != 0)
    vector /= 2;
  return vector;
}

/// The most elements that a thread can hold if `threads` share a row.
static int64_t getCapacity(const RowProblem &problem, const TargetInfo &target,
                           int64_t threads) {
  int64_t registers = std::min(kMaxRegistersPerThread,
                               target.registersPerMultiprocessor / threads);
  return (registers - kOtherRegisters) /
         std::max<int64_t>(problem.liveRegisters, 1);
}

/// How many elements a thread should have.
static int64_t chooseElements(const RowProblem &problem) {
  if (problem.columns <= 1024)
    return 8;
  if (problem.columns <= 4096)
    return 32 / std::min<int64_t>(problem.liveRegisters, 2);
  return 16;
}

static int64_t getElements(const RowReductionSchedule &schedule) {
  return schedule.vector * schedule.unroll;
}

/// Rows that need more than a warp: whole warps share each.
static RowReductionSchedule chooseLong(const RowProblem &problem,
                                       const TargetInfo &target,
                                       int64_t vector) {
  int64_t chunks = llvm::divideCeil(problem.columns, vector);
  RowReductionSchedule schedule;
  schedule.vector = vector;
  schedule.unroll = std::max<int64_t>(1, chooseElements(problem) / vector);
  auto fit = [&](int64_t limit) {
    schedule.threads =
        llvm::alignTo(llvm::divideCeil(chunks, schedule.unroll), kWarpSize);
    schedule.threads = std::min(schedule.threads, limit);
    schedule.unroll = llvm::divideCeil(chunks, schedule.threads);
    // The fewest threads that need no more chunks each.
    schedule.threads = std::min(
        limit, int64_t(llvm::alignTo(llvm::divideCeil(chunks, schedule.unroll),
                                     kWarpSize)));
  };
  fit(kMaxThreadsPerBlock);
  // Fewer threads have more registers each.
  for (int64_t limit : {512, 256})
    if (getElements(schedule) > getCapacity(problem, target, schedule.threads))
      fit(limit);
  return schedule;
}

/// Rows that a warp or less can hold: several in a block.
static RowReductionSchedule chooseShort(const RowProblem &problem,
                                        int64_t vector) {
  int64_t chunks =
      std::max<int64_t>(1, llvm::divideCeil(problem.columns, vector));
  RowReductionSchedule schedule;
  schedule.vector = vector;
  schedule.threads =
      std::min<int64_t>(kWarpSize, llvm::bit_ceil(uint64_t(chunks)));
  schedule.unroll = llvm::divideCeil(chunks, schedule.threads);
  schedule.rowsPerBlock = 128 / schedule.threads;
  return schedule;
}

RowReductionSchedule
fuser::schedule::chooseRowReduction(const RowProblem &problem,
                                    const TargetInfo &target) {
  int64_t vector = chooseVector(problem);
  if (problem.columns <= kWarpSize * std::max<int64_t>(vector, 8))
    return chooseShort(problem, vector);
  return chooseLong(problem, target, vector);
}

Verdict fuser::schedule::acceptsRowReduction(const RowProblem &problem,
                                             const TargetInfo &target) {
  if (!problem.fits)
    return Verdict::no(problem.misfit);
  if (problem.columns == kUnknown)
    return Verdict::no("the length of its rows is not known");
  RowReductionSchedule schedule = chooseRowReduction(problem, target);
  int64_t capacity =
      getCapacity(problem, target, schedule.threads * schedule.rowsPerBlock);
  if (getElements(schedule) <= capacity)
    return Verdict::yes();
  return Verdict::no(
      "rows of " + std::to_string(problem.columns) + " elements need " +
      std::to_string(getElements(schedule)) + " elements a thread with " +
      std::to_string(schedule.threads) + " threads, and registers hold " +
      std::to_string(capacity));
}
