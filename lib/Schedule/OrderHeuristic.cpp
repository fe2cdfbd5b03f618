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
/// Of rounds: a smaller tile sorts faster, and one that has more times as many
/// elements as the result leaves fewer.
static constexpr int64_t kTimesFirst = 4;
/// Of rows of open length, which may be short: merges are cheap.
static constexpr int64_t kColumnsOfOpenRows = 1024;
/// Rows that a block sorts alone have whole warps if threads share them.
static constexpr int64_t kLeastColumns = 128;

static int64_t roundUp(int64_t value) {
  return llvm::bit_ceil(uint64_t(std::max<int64_t>(value, 1)));
}

static TileSchedule makeAxes(const OrderProblem &problem) {
  TileSchedule schedule;
  schedule.axes.emplace_back(problem.rowDims);
  schedule.axes.push_back({problem.dim});
  schedule.repeat = {1, 1};
  return schedule;
}

/// Of so many rows, of which each is of `threads` with `neighbours` each.
static TileSchedule makeTile(const OrderProblem &problem, int64_t rows,
                             int64_t threads, int64_t neighbours) {
  TileSchedule schedule = makeAxes(problem);
  schedule.layout = getRowLayout(rows, threads, neighbours);
  // Left alone ptxas stops at 32 registers of so many threads, and spills.
  if (threads == kMaxThreadsPerBlock)
    schedule.minBlocks = 1;
  return schedule;
}

bool fuser::schedule::isSortedByOneBlock(const OrderProblem &problem,
                                         int64_t columns) {
  return problem.isLast && problem.maxLength != kUnknown &&
         problem.maxLength <= columns;
}

bool fuser::schedule::isSortedInRounds(const OrderProblem &problem,
                                       int64_t columns) {
  if (problem.maxLength == kUnknown)
    return false;
  bool keepsFew =
      problem.resultLength != kUnknown && 2 * problem.resultLength <= columns;
  return problem.maxLength <= columns || keepsFew;
}

Decision fuser::schedule::prefersRowOrder(const OrderProblem &problem) {
  bool isShort = !problem.isLast && problem.maxLength != kUnknown &&
                 problem.maxLength <= kWarpSize;
  if (isShort)
    return Decision::no("a thread soon sorts " +
                        std::to_string(problem.maxLength) +
                        " elements that are not neighbours");
  return Decision::yes();
}

/// A block has a tile of one row.
static TileSchedule chooseTiles(const OrderProblem &problem) {
  int64_t columns = problem.maxLength == kUnknown
                        ? kColumnsOfOpenRows
                        : std::clamp(roundUp(problem.maxLength), kLeastColumns,
                                     kMaxSortedElements);
  return makeTile(problem, 1, columns / kNeighbours, kNeighbours);
}

/// Threads of a block that sorts by digits: one for each value of a digit.
static constexpr int64_t kDigitThreads = int64_t(1) << kMaxDigitBits;
/// A smaller tile has fewer elements than a few counts of each digit.
static constexpr int64_t kLeastDigitColumns = 4 * kDigitThreads;
/// Rows that are so long that the places of digits are far from each other.
static constexpr int64_t kFarDigits = int64_t(1) << 19;

namespace {
/// Bytes of the keys of the largest tile, and blocks whose registers then fit
/// on a multiprocessor.
struct DigitTiles {
  int64_t bytes, blocks;
};
} // namespace

/// A key and a position go through words of 8 bytes.
static bool hasWideWords(const OrderProblem &problem) {
  return problem.elementBytes > 4 || !hasNarrowPositions(problem);
}

/// Long rows take the largest tiles, whose runs of a digit are longest, others
/// as many blocks as hardly spill (docs/rationale/scheduling.md).
static DigitTiles chooseDigitTiles(const OrderProblem &problem) {
  if (problem.minLength >= kFarDigits || hasWideWords(problem))
    return {kMaxDigitBytes, 2};
  return {kMaxDigitBytes / 2, 3};
}

/// The larger tiles are, the fewer counts there are, and the longer are runs of
/// a digit that is moved: as large as leaves no multiprocessor without a tile,
/// and rows with at most a quarter of their length in empty places.
static int64_t chooseDigitColumns(const OrderProblem &problem,
                                  const Processor &processor) {
  int64_t keyBytes = hasWideWords(problem) ? 8 : 4;
  for (int64_t columns = chooseDigitTiles(problem).bytes / keyBytes;
       columns > kLeastDigitColumns; columns /= 2) {
    int64_t tiles = llvm::divideCeil(problem.minLength, columns);
    bool isMany = problem.rows == kUnknown ||
                  problem.rows >= processor.multiprocessors / tiles;
    if (isMany &&
        (tiles * columns - problem.minLength) * 4 <= problem.minLength)
      return columns;
  }
  return kLeastDigitColumns;
}

/// Rows that are known to be longer than what a block sorts alone, digit by
/// digit: lanes have neighbours, so that what a warp has is in order.
static TileSchedule chooseDigits(const OrderProblem &problem,
                                 const Processor &processor) {
  TileSchedule schedule = makeAxes(problem);
  int64_t columns = chooseDigitColumns(problem, processor);
  llvm::SmallVector<LayoutRun> runs;
  addThreadBits(runs, 1, 0, llvm::Log2_64(kWarpSize));
  addRegisterBits(runs, 1, llvm::Log2_64(columns / kDigitThreads));
  addThreadBits(runs, 1, llvm::Log2_64(kWarpSize),
                llvm::Log2_64(kDigitThreads / kWarpSize));
  schedule.minBlocks = chooseDigitTiles(problem).blocks;
  schedule.layout = TileLayout(2, runs);
  return schedule;
}

static bool isLong(const OrderProblem &problem) {
  return problem.minLength > kMaxSortedElements;
}

/// A tile has a row of the last dimension, or a block has several.
static TileSchedule chooseWholeRows(const OrderProblem &problem) {
  int64_t columns = roundUp(problem.maxLength);
  int64_t neighbours = std::min(kNeighbours, columns);
  int64_t threads = columns / neighbours;
  int64_t rows =
      threads <= kWarpSize ? kThreadsOfShortRows / threads : int64_t(1);
  return makeTile(problem, rows, threads, neighbours);
}

/// The first ones of long rows.
static TileSchedule chooseRounds(const OrderProblem &problem) {
  int64_t columns = std::clamp(roundUp(kTimesFirst * problem.resultLength),
                               kLeastColumns, kMaxSortedElements);
  return makeTile(problem, 1, columns / kNeighbours, kNeighbours);
}

TileSchedule fuser::schedule::chooseRowOrder(const OrderProblem &problem,
                                             const Processor &processor) {
  if (isSortedByOneBlock(problem, kMaxSortedElements))
    return chooseWholeRows(problem);
  bool isOneTile =
      problem.maxLength != kUnknown && problem.maxLength <= kMaxSortedElements;
  if (!isOneTile && isSortedInRounds(problem, kMaxSortedElements))
    return chooseRounds(problem);
  return isLong(problem) ? chooseDigits(problem, processor)
                         : chooseTiles(problem);
}

/// A thread that has so few elements and updates one after the other is done
/// before a sort begins.
static constexpr int64_t kShortFibre = 128;

Decision fuser::schedule::prefersScatter(const OrderProblem &problem,
                                         const Processor &) {
  bool isShort = problem.maxLength != kUnknown &&
                 problem.resultLength != kUnknown &&
                 problem.maxLength + problem.resultLength <= kShortFibre;
  if (isShort)
    return Decision::no("a thread is soon done with the " +
                        std::to_string(problem.resultLength) +
                        " elements of a fibre and their updates");
  return Decision::yes();
}

/// Indices into a dimension of known length have few digits, and into another
/// one eight: merges are fewer.
TileSchedule fuser::schedule::chooseScatter(const OrderProblem &problem,
                                            const Processor &processor) {
  OrderProblem keys = problem;
  bool isNarrow = problem.resultLength != kUnknown &&
                  problem.resultLength <= kMaxNarrowLength;
  if (isNarrow)
    keys.elementBytes = 4;
  return isLong(keys) && isNarrow ? chooseDigits(keys, processor)
                                  : chooseTiles(keys);
}
