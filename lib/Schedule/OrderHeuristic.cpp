//===- OrderHeuristic.cpp - Schedules for sorts of rows -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/OrderHeuristic.h"
#include "fuser/Support/SortTile.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace fuser;
using namespace fuser::schedule;

/// Neighbours that a thread has.
static constexpr int64_t kNeighbours = 4;
/// Threads of a block whose rows have a warp or less each.
static constexpr int64_t kThreadsOfShortRows = 128;
/// A tile of long rows, if there are many of them.
static constexpr int64_t kColumnsOfManyRows = 1024;
/// The number of elements behind one, and its index, have 32 bits with a sign.
static constexpr int64_t kMaxLength = (int64_t(1) << 31) - 1;

static int64_t roundUp(int64_t value) {
  return llvm::bit_ceil(uint64_t(std::max<int64_t>(value, 1)));
}

Decision fuser::schedule::acceptsRowOrder(const OrderProblem &problem,
                                          int64_t columns) {
  if (problem.maxLength == kUnknown)
    return Decision::no("the length of its rows is not known, nor a bound of "
                        "it");
  if (problem.maxLength <= columns)
    return Decision::yes();
  if (problem.resultLength == kUnknown ||
      problem.resultLength >= problem.maxLength)
    return Decision::no("rows of " + std::to_string(problem.maxLength) +
                        " elements are not sorted by one thread block, which "
                        "has " +
                        std::to_string(columns));
  if (2 * problem.resultLength > columns || problem.maxLength > kMaxLength)
    return Decision::no("the first " + std::to_string(problem.resultLength) +
                        " of " + std::to_string(problem.maxLength) +
                        " elements are not found by one thread block, which "
                        "has " +
                        std::to_string(columns));
  return Decision::yes();
}

Decision fuser::schedule::acceptsRowOrder(const OrderProblem &problem) {
  return acceptsRowOrder(problem, kMaxSortedElements);
}

TileSchedule fuser::schedule::chooseRowOrder(const OrderProblem &problem,
                                             const Processor &processor) {
  int64_t columns = std::min(roundUp(problem.maxLength), kMaxSortedElements);
  bool isMany =
      problem.rows == kUnknown || problem.rows >= processor.multiprocessors;
  if (problem.maxLength > columns && isMany)
    columns = std::max(roundUp(2 * problem.resultLength), kColumnsOfManyRows);
  int64_t neighbours = std::min(kNeighbours, columns);
  int64_t threads = columns / neighbours;
  int64_t rows =
      threads <= kWarpSize ? kThreadsOfShortRows / threads : int64_t(1);
  TileSchedule schedule;
  schedule.axes.emplace_back(problem.rowDims);
  schedule.axes.push_back({problem.dim});
  int64_t threadBits = llvm::Log2_64(threads);
  llvm::SmallVector<LayoutRun> runs;
  addThreadBits(runs, 0, threadBits, llvm::Log2_64(rows));
  addRegisterBits(runs, 1, llvm::Log2_64(neighbours));
  addThreadBits(runs, 1, 0, threadBits);
  schedule.layout = TileLayout(2, runs);
  schedule.repeat = {1, 1};
  // Left alone ptxas stops at 32 registers of so many threads, and spills.
  if (threads == kMaxThreadsPerBlock)
    schedule.minBlocks = 1;
  return schedule;
}
