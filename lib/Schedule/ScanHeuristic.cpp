//===- ScanHeuristic.cpp - Schedules for scans ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/ScanHeuristic.h"
#include "fuser/Support/SumOrder.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace fuser;
using namespace fuser::schedule;

/// What a thread has of a row at a time, in bytes of registers: enough reads
/// are under way, and several blocks fit.
static constexpr int64_t kBytesPerThread = 128;
/// The same where there are too few rows for several blocks a multiprocessor.
static constexpr int64_t kBytesOfFewRows = 64;
static constexpr int64_t kThreads = 256;
static constexpr int64_t kThreadsOfFewRows = 512;
/// Threads of a block whose rows have a warp or less each.
static constexpr int64_t kThreadsOfShortRows = 128;

namespace {
/// How a row lies in registers.
struct ScanSizes {
  int64_t threads = 1;      ///< A power of two.
  int64_t rowsPerBlock = 1; ///< The same.
  int64_t leaves = 1;       ///< Of a thread, at a time.
};
} // namespace

static ScanSizes chooseSizes(const ScanProblem &problem,
                             const Processor &processor) {
  bool isFew =
      problem.outer != kUnknown && problem.outer <= processor.multiprocessors;
  int64_t registers = problem.liveRegisters * problem.leaf;
  int64_t bytes = isFew ? kBytesOfFewRows : kBytesPerThread;
  int64_t most = std::max<int64_t>(1, bytes / (4 * registers));
  int64_t maxThreads = isFew ? kThreadsOfFewRows : kThreads;
  ScanSizes sizes;
  sizes.leaves = most;
  sizes.threads = maxThreads;
  if (problem.maxLength != kUnknown) {
    int64_t leaves =
        std::max<int64_t>(1, llvm::divideCeil(problem.maxLength, problem.leaf));
    // Few leaves go to lanes first.
    int64_t wanted =
        leaves <= kWarpSize
            ? leaves
            : std::max(kWarpSize, int64_t(llvm::divideCeil(leaves, most)));
    sizes.threads =
        std::min<int64_t>(llvm::bit_ceil(uint64_t(wanted)), maxThreads);
    sizes.leaves =
        std::min<int64_t>(most, llvm::divideCeil(leaves, sizes.threads));
  }
  if (sizes.threads <= kWarpSize)
    sizes.rowsPerBlock = kThreadsOfShortRows / sizes.threads;
  return sizes;
}

TileSchedule fuser::schedule::chooseRowScan(const ScanProblem &problem,
                                            const Processor &processor) {
  ScanSizes sizes = chooseSizes(problem, processor);
  TileSchedule schedule;
  schedule.axes.emplace_back(problem.outerDims);
  schedule.axes.push_back({problem.dim});
  int64_t threadBits = llvm::Log2_64(sizes.threads);
  llvm::SmallVector<LayoutRun> runs;
  addThreadBits(runs, 0, threadBits, llvm::Log2_64(sizes.rowsPerBlock));
  addRegisterBits(runs, 1, llvm::Log2_64(problem.leaf));
  addThreadBits(runs, 1, 0, threadBits);
  schedule.layout = TileLayout(2, runs);
  schedule.repeat = {1, sizes.leaves};
  return schedule;
}
