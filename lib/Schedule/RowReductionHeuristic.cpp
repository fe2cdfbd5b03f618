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

using namespace fuser;
using namespace fuser::schedule;

/// Registers of a thread that do not hold elements: addresses, indices, what is
/// being computed.
static constexpr int64_t kOtherRegisters = 40;
/// So many elements of a thread leave no registers for what is only used at the
/// end.
static constexpr int64_t kManyElements = 32;

/// The lanes of a chunk: 16 bytes of the narrowest tensor, at most 32 of the
/// widest, that divide the row so that chunks lie side by side in every row.
static int64_t chooseVector(const RowProblem &problem) {
  int64_t vector = std::max<int64_t>(
      1, std::min({16 / problem.narrowestBytes, 32 / problem.widestBytes,
                   problem.contiguousWidth, kLeafElements}));
  while (vector > 1 && problem.lastDim % vector != 0)
    vector /= 2;
  return vector;
}

/// The registers of a thread that keeps `unroll` chunks of `vector` elements.
static int64_t countRegisters(const RowProblem &problem, int64_t vector,
                              int64_t unroll) {
  // Where a chunk lies takes an address.
  return std::max<int64_t>(problem.liveRegisters, 1) * vector * unroll +
         unroll + kOtherRegisters;
}

/// How many a thread of this schedule can have.
static int64_t getMaxRegisters(const Processor &processor,
                               const RowReductionSchedule &schedule) {
  return std::min(kMaxRegistersPerThread,
                  processor.registersPerMultiprocessor /
                      (schedule.threads * schedule.rowsPerBlock));
}

/// Whether they are there if `threads` share a multiprocessor.
static bool fitsRegisters(const RowProblem &problem, const Processor &processor,
                          const RowReductionSchedule &schedule) {
  return countRegisters(problem, schedule.vector, schedule.unroll) <=
         getMaxRegisters(processor, schedule);
}

/// How many elements a thread should have.
static int64_t chooseElements(const RowProblem &problem) {
  if (problem.columns <= 1024)
    return 8;
  if (problem.columns <= 4096)
    return 32 / std::min<int64_t>(problem.liveRegisters, 2);
  return 16;
}

/// The threads that take `unroll` chunks each, or fewer of them if there are no
/// more than `limit`. With several chunks each, the order of the reductions
/// asks for a power of two, and for whole leaves in every warp's neighbours.
static int64_t chooseThreads(int64_t chunks, int64_t unroll, int64_t vector,
                             int64_t limit) {
  int64_t threads = llvm::alignTo(llvm::divideCeil(chunks, unroll), kWarpSize);
  if (threads >= chunks && threads <= limit)
    return threads;
  // Fewer threads if they are not busy for longer.
  int64_t high = std::min<int64_t>(llvm::bit_ceil(uint64_t(threads)), limit);
  int64_t low = std::min<int64_t>(llvm::bit_floor(uint64_t(threads)), limit);
  bool isLow = low * llvm::divideCeil(chunks, low) <=
               high * llvm::divideCeil(chunks, high);
  return std::max(isLow ? low : high, kWarpSize * kLeafElements / vector);
}

/// Rows that need more than a warp: whole warps share each.
static RowReductionSchedule chooseLong(const RowProblem &problem,
                                       const Processor &processor,
                                       int64_t vector) {
  int64_t chunks = llvm::divideCeil(problem.columns, vector);
  int64_t unroll = std::max<int64_t>(1, chooseElements(problem) / vector);
  RowReductionSchedule schedule;
  schedule.vector = vector;
  // Fewer threads have more registers each.
  for (int64_t limit : {kMaxThreadsPerBlock, int64_t(512), int64_t(256)}) {
    schedule.threads = chooseThreads(chunks, unroll, vector, limit);
    schedule.unroll = llvm::divideCeil(chunks, schedule.threads);
    if (fitsRegisters(problem, processor, schedule))
      break;
  }
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

/// How few blocks on a multiprocessor are enough, so that what a thread keeps
/// of its elements is not spilled for the sake of more; 0 if nothing need be
/// said.
static int64_t chooseMinBlocks(const RowProblem &problem,
                               const Processor &processor,
                               const RowReductionSchedule &schedule) {
  // Left alone ptxas stops at 64 registers, at 32 in the largest blocks, and
  // spills the rest if it is little.
  int64_t threads = schedule.threads * schedule.rowsPerBlock;
  int64_t registers =
      countRegisters(problem, schedule.vector * schedule.unroll, 1);
  if (threads <= 512 && registers <= 80)
    return 0;
  int64_t enough = std::min(2 * registers, kMaxRegistersPerThread);
  return std::max<int64_t>(1, processor.registersPerMultiprocessor /
                                  (threads * enough));
}

RowReductionSchedule
fuser::schedule::chooseRowReduction(const RowProblem &problem,
                                    const Processor &processor) {
  int64_t vector = chooseVector(problem);
  RowReductionSchedule schedule = problem.columns <= kWarpSize * kLeafElements
                                      ? chooseShort(problem, vector)
                                      : chooseLong(problem, processor, vector);
  schedule.minBlocks = chooseMinBlocks(problem, processor, schedule);
  schedule.lateReads = schedule.vector * schedule.unroll > kManyElements;
  return schedule;
}

Decision fuser::schedule::acceptsRowReduction(const RowProblem &problem,
                                              const Processor &processor) {
  if (problem.columns == kUnknown)
    return Decision::no("the length of its rows is not known");
  RowReductionSchedule schedule = chooseRowReduction(problem, processor);
  if (fitsRegisters(problem, processor, schedule))
    return Decision::yes();
  return Decision::no(
      "rows of " + std::to_string(problem.columns) + " elements need " +
      std::to_string(
          countRegisters(problem, schedule.vector, schedule.unroll)) +
      " registers a thread with " + std::to_string(schedule.threads) +
      " threads, of " + std::to_string(getMaxRegisters(processor, schedule)));
}
