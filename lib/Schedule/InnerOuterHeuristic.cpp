//===- InnerOuterHeuristic.cpp - Schedules for rows and columns -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/InnerOuterHeuristic.h"
#include "fuser/Schedule/OuterReductionHeuristic.h"
#include "fuser/Schedule/RowReductionHeuristic.h"
#include "fuser/Support/SumOrder.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace fuser;
using namespace fuser::schedule;

/// Registers of a thread that hold nothing of an element.
static constexpr int64_t kOtherRegisters = 32;
/// So many threads of a multiprocessor hide how long others wait: with two
/// blocks of 256, or one of 512, each has up to 128 registers.
static constexpr int64_t kEnoughThreads = 512;
/// Threads of blocks that have several rows.
static constexpr int64_t kSmallBlock = 256;
/// Shorter rows are too few threads for the chains of a part.
static constexpr int64_t kShortestRow = 64;

namespace {
struct InnerOuterSizes {
  int64_t vector = 1;
  int64_t threads = 0; ///< Of a row in one block; none: it does not fit.
  int64_t blocks = 1;  ///< That share a row.
  int64_t rows = 1;    ///< Of a block.
  int64_t unroll = 1;
};
} // namespace

static int64_t countRegisters(const InnerOuterProblem &problem,
                              int64_t elements) {
  return elements * (problem.row.liveRegisters + problem.readRegisters +
                     problem.columnRegisters + problem.accumulatorRegisters) +
         kOtherRegisters;
}

/// Of all numbers of threads and vectors those that leave the fewest elements
/// unused, then those with the widest accesses and the fewest threads.
static InnerOuterSizes chooseThreads(const InnerOuterProblem &problem,
                                     const Processor &processor,
                                     int64_t blocks) {
  InnerOuterSizes best;
  double least = 0;
  int64_t widest = chooseRowVector(problem.row);
  for (int64_t vector = widest; vector >= std::max<int64_t>(widest / 4, 1);
       vector /= 2)
    for (int64_t threads = 8; threads <= kMaxThreadsPerBlock; threads *= 2) {
      int64_t slots = blocks * threads * vector;
      int64_t unroll = llvm::divideCeil(problem.row.maxColumns, slots);
      int64_t registers = processor.registersPerMultiprocessor /
                          std::max(threads, kEnoughThreads);
      if (countRegisters(problem, vector * unroll) >
              std::min(registers, kMaxRegistersPerThread) ||
          slots > kSectionElements / 2)
        continue;
      double cost =
          double(slots * unroll) * (1 + 0.1 * double(widest / vector));
      if (best.threads != 0 && cost >= least)
        continue;
      least = cost;
      best = {vector, threads, blocks, 1, unroll};
    }
  return best;
}

static TileLayout makeLayout(const InnerOuterSizes &sizes) {
  llvm::SmallVector<LayoutRun> runs;
  int64_t threadBits = llvm::Log2_64(sizes.threads);
  addThreadBits(runs, 1, threadBits, llvm::Log2_64(sizes.rows));
  addRegisterBits(runs, 2, llvm::Log2_64(sizes.vector));
  addThreadBits(runs, 2, 0, threadBits);
  if (sizes.blocks > 1)
    runs.push_back({2, Place::Block, int64_t(llvm::Log2_64(sizes.blocks))});
  return TileLayout(3, runs);
}

/// Whether what warps exchange of a column at the end fits.
static bool fitsShared(const InnerOuterProblem &problem,
                       const InnerOuterSizes &sizes) {
  return countSharedBytes(makeLayout(sizes), /*isFold=*/false,
                          4 * problem.accumulatorRegisters * sizes.unroll) <=
         kMaxStaticSharedBytes;
}

static InnerOuterSizes chooseSizes(const InnerOuterProblem &problem,
                                   const Processor &processor) {
  for (int64_t blocks = 1; blocks <= processor.maxClusterBlocks; blocks *= 2) {
    InnerOuterSizes sizes = chooseThreads(problem, processor, blocks);
    if (sizes.threads == 0)
      continue;
    // Short rows: chains side by side, of which the next kernel adds fewer.
    while (blocks == 1 && sizes.rows < kChains &&
           sizes.threads * sizes.rows < kSmallBlock)
      sizes.rows *= 2;
    while (sizes.rows > 1 && !fitsShared(problem, sizes))
      sizes.rows /= 2;
    if (sizes.threads * sizes.rows >= kWarpSize)
      return sizes;
  }
  return {};
}

Decision fuser::schedule::acceptsInnerOuter(const InnerOuterProblem &problem,
                                            const Processor &processor) {
  if (problem.row.maxColumns == kUnknown)
    return Decision::no("the length of its rows is not known, nor a bound of "
                        "it");
  if (problem.row.maxColumns < kShortestRow)
    return Decision::no(
        "its rows have " + std::to_string(problem.row.maxColumns) +
        " elements, fewer than " + std::to_string(kShortestRow));
  if (chooseSizes(problem, processor).threads != 0)
    return Decision::yes();
  return Decision::no(
      "rows of " + std::to_string(problem.row.maxColumns) + " elements, with " +
      std::to_string(countRegisters(problem, 1) - kOtherRegisters) +
      " registers for each, do not fit into registers");
}

TileSchedule fuser::schedule::chooseInnerOuter(const InnerOuterProblem &problem,
                                               const Processor &processor) {
  InnerOuterSizes sizes = chooseSizes(problem, processor);
  TileSchedule schedule;
  schedule.axes.emplace_back();
  llvm::append_range(schedule.axes, getRowAxes(problem.row));
  schedule.layout = makeLayout(sizes);
  schedule.repeat = {1, 1, sizes.unroll};
  int64_t parts =
      problem.rows == kUnknown ? kTreeParts : getNumParts(problem.rows);
  schedule.fold =
      chooseFold(parts * (kChains / sizes.rows), problem.accumulatorRegisters);
  schedule.programmatic = processor.hasProgrammaticLaunch;
  schedule.minBlocks =
      std::max<int64_t>(1, kEnoughThreads / schedule.layout.getThreads());
  return schedule;
}
