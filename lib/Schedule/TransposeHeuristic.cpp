//===- TransposeHeuristic.cpp - Schedules through squares of memory -------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/TransposeHeuristic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace fuser;
using namespace fuser::schedule;

using Access = TransposeProblem::Access;

/// Fewer neighbours than half of them do not fill a sector of memory.
static constexpr int64_t kSmallestTile = 16;

/// What neighbours of both dimensions read lies in a few lines of the cache, if
/// there are fewer of each: 16 by 16 in bf16 took twice as long in squares on
/// an H100, 24 by 24 0.6 times as long (docs/performance.md).
static constexpr int64_t kFewestNeighbours = 24;

/// A thread of more instructions takes long to compile, and the arithmetic
/// bounds it, not memory.
static constexpr int64_t kMaxOperations = 4096;

/// How a square is handed over.
namespace {
struct Square {
  int64_t tile = 32;
  int64_t along = -1;  ///< The dimension of the lanes of the layout.
  int64_t across = -1; ///< That of the lanes of the staged one.
  llvm::SmallVector<int64_t, 4> reads, results;
};
} // namespace

static constexpr int64_t kThreads = 256;

//===----------------------------------------------------------------------===//
// What a schedule says
//===----------------------------------------------------------------------===//

/// The axis along which a warp's first lanes lie; -1: none.
static int64_t getLaneAxis(const TileLayout &layout) {
  for (const LayoutRun &run : layout.getRuns())
    if (run.place == Place::Lane && run.first == 0)
      return run.axis;
  return -1;
}

/// The fastest dimension of that axis; -1: none.
static int64_t getLaneDim(const TileSchedule &schedule,
                          const TileLayout &layout) {
  int64_t axis = getLaneAxis(layout);
  return axis < 0 || schedule.axes[axis].empty() ? -1
                                                 : schedule.axes[axis].back();
}

static bool liesAcross(const Access &access, int64_t along, int64_t across) {
  return access.dim >= 0 && access.dim == across &&
         llvm::is_contained(access.dims, along);
}

bool fuser::schedule::isStaged(const Access &access,
                               const TileSchedule &schedule) {
  return liesAcross(access, getLaneDim(schedule, schedule.layout),
                    getLaneDim(schedule, schedule.staged)) &&
         llvm::is_contained(access.isResult ? schedule.results : schedule.reads,
                            access.number);
}

llvm::SmallVector<int64_t>
fuser::schedule::getStagedOrder(const TileSchedule &schedule) {
  llvm::SmallVector<int64_t> order;
  int64_t last = getLaneAxis(schedule.staged);
  for (int64_t axis = 0; axis < schedule.getNumAxes(); ++axis)
    if (axis != last && schedule.getExtent(axis) > 1)
      order.push_back(axis);
  if (last >= 0)
    order.push_back(last);
  return order;
}

llvm::SmallVector<int64_t>
fuser::schedule::getStagedShape(const TileSchedule &schedule, int64_t bytes) {
  llvm::SmallVector<int64_t> shape;
  for (int64_t axis : getStagedOrder(schedule))
    shape.push_back(schedule.getExtent(axis));
  if (shape.empty())
    return {1};
  // An odd number of banks, which have 4 bytes each, or of wider elements.
  shape.back() += std::max<int64_t>(1, 4 / bytes);
  return shape;
}

/// The shared memory that all staged accesses take.
static int64_t getTileBytes(const TransposeProblem &problem,
                            const TileSchedule &schedule) {
  int64_t sum = 0;
  for (const Access &access : problem.accesses) {
    if (!isStaged(access, schedule))
      continue;
    int64_t bytes = access.bytes;
    for (int64_t size : getStagedShape(schedule, access.bytes))
      bytes *= size;
    sum += llvm::alignTo(bytes, 16);
  }
  return sum;
}

/// Whether all that `numbers` lists can be handed over.
static Decision acceptsStaged(const TransposeProblem &problem,
                              const TileSchedule &schedule, bool isResult) {
  int64_t along = getLaneDim(schedule, schedule.layout),
          across = getLaneDim(schedule, schedule.staged);
  for (int64_t number : isResult ? schedule.results : schedule.reads) {
    bool isKnown = false, isAcross = false;
    for (const Access &access : problem.accesses)
      if (access.isResult == isResult && access.number == number) {
        isKnown = true;
        isAcross |= liesAcross(access, along, across);
      }
    if (isAcross)
      continue;
    std::string name =
        (isResult ? "result " : "operand ") + std::to_string(number);
    if (!isKnown)
      return Decision::no(name + " is nowhere read for all elements of the "
                                 "results, at their coordinates as they are");
    return Decision::no(
        name + " is not known to lie in memory along dimension " +
        std::to_string(across) + ", across dimension " + std::to_string(along));
  }
  return Decision::yes();
}

Decision fuser::schedule::acceptsTranspose(const TransposeProblem &problem,
                                           const TileSchedule &schedule) {
  for (bool isResult : {false, true})
    if (Decision verdict = acceptsStaged(problem, schedule, isResult); !verdict)
      return verdict;
  int64_t bytes = getTileBytes(problem, schedule);
  if (bytes > kMaxStaticSharedBytes)
    return Decision::no("what is staged takes " + std::to_string(bytes) +
                        " bytes of shared memory, more than " +
                        std::to_string(kMaxStaticSharedBytes));
  return Decision::yes();
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// The threads of a block follow each other along one dimension, or along the
/// other.
static TileLayout getSquareLayout(int64_t numAxes, int64_t tile, bool isAlong) {
  int64_t bits = llvm::Log2_64(tile), threadBits = llvm::Log2_64(kThreads);
  llvm::SmallVector<LayoutRun> runs;
  for (int64_t axis : {numAxes - 2, numAxes - 1}) {
    if ((axis == numAxes - 1) == isAlong) {
      addThreadBits(runs, axis, 0, bits);
      continue;
    }
    addThreadBits(runs, axis, bits, threadBits - bits);
    addRegisterBits(runs, axis, 2 * bits - threadBits);
  }
  return TileLayout(numAxes, runs);
}

/// Blocks lie side by side in the order of dimensions.
static TileSchedule makeTile(const TransposeProblem &problem,
                             const Square &square) {
  TileSchedule schedule;
  schedule.axes.emplace_back();
  int64_t rank = problem.pointwise.shape.size();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != square.along && dim != square.across)
      schedule.axes.front().push_back(dim);
  schedule.axes.push_back({square.across});
  schedule.axes.push_back({square.along});
  schedule.repeat.assign(3, 1);
  schedule.layout = getSquareLayout(3, square.tile, /*isAlong=*/true);
  schedule.staged = getSquareLayout(3, square.tile, /*isAlong=*/false);
  schedule.reads = square.reads;
  schedule.results = square.results;
  return schedule;
}

/// Sets the dimensions: the one of the first result, and of what lies
/// otherwise the one of most bytes. False if all lies alike.
static bool chooseDims(const TransposeProblem &problem, Square &schedule) {
  auto *first = llvm::find_if(problem.accesses, [](const Access &access) {
    return access.isResult && access.number == 0;
  });
  if (first == problem.accesses.end() || first->dim < 0)
    return false;
  schedule.along = first->dim;
  llvm::SmallVector<int64_t> bytes(problem.pointwise.shape.size());
  for (const Access &access : problem.accesses)
    if (access.dim >= 0 && access.dim != schedule.along &&
        llvm::is_contained(access.dims, schedule.along))
      bytes[access.dim] += access.bytes;
  auto *most = llvm::max_element(bytes);
  schedule.across = most - bytes.begin();
  return *most != 0;
}

/// Lists what lies across as far as shared memory has room, that of the widest
/// elements first. False if that is not all.
static bool chooseStaged(const TransposeProblem &problem, Square &schedule) {
  llvm::SmallVector<std::tuple<int64_t, bool, int64_t>> across;
  for (const Access &access : problem.accesses)
    if (liesAcross(access, schedule.along, schedule.across))
      across.emplace_back(-access.bytes, access.isResult, access.number);
  llvm::sort(across);
  schedule.reads.clear();
  schedule.results.clear();
  bool hasAll = true;
  for (auto [bytes, isResult, number] : across) {
    auto &list = isResult ? schedule.results : schedule.reads;
    if (llvm::is_contained(list, number))
      continue;
    list.push_back(number);
    if (getTileBytes(problem, makeTile(problem, schedule)) <=
        kMaxStaticSharedBytes)
      continue;
    list.pop_back();
    hasAll = false;
  }
  llvm::sort(schedule.reads);
  llvm::sort(schedule.results);
  return hasAll;
}

static bool hasTooManyOperations(const TransposeProblem &problem,
                                 int64_t tile) {
  return problem.pointwise.operations * tile * tile / kThreads > kMaxOperations;
}

/// How many squares the results are; kUnknown if they may be any number.
static int64_t countTiles(const TransposeProblem &problem, int64_t tile) {
  int64_t elements = 1;
  for (int64_t size : problem.pointwise.shape) {
    if (size == kUnknown)
      return kUnknown;
    elements *= size;
  }
  return elements / (tile * tile);
}

/// Whether at least half of the elements of squares exist.
static bool isUsed(const TransposeProblem &problem, const Square &schedule) {
  double used = 1;
  for (int64_t dim : {schedule.along, schedule.across}) {
    int64_t size = problem.pointwise.shape[dim];
    if (size > 0)
      used *= double(size) / llvm::alignTo(size, schedule.tile);
  }
  return used >= 0.5;
}

static bool isCached(const TransposeProblem &problem, const Square &schedule) {
  return llvm::all_of(llvm::ArrayRef<int64_t>{schedule.along, schedule.across},
                      [&](int64_t dim) {
                        int64_t size = problem.pointwise.shape[dim];
                        return size != kUnknown && size < kFewestNeighbours;
                      });
}

/// As many bytes where elements are small, unless tensors are small: then there
/// should be blocks for all multiprocessors.
static int64_t chooseLargestTile(const TransposeProblem &problem,
                                 const Processor &processor) {
  if (problem.pointwise.narrowestBytes >= 4 ||
      hasTooManyOperations(problem, 2 * kWarpSize))
    return kWarpSize;
  int64_t tiles = countTiles(problem, 2 * kWarpSize);
  bool isSmall = tiles != kUnknown && tiles < 2 * processor.multiprocessors;
  return isSmall ? kWarpSize : 2 * kWarpSize;
}

std::optional<TileSchedule>
fuser::schedule::chooseTranspose(const TransposeProblem &problem,
                                 const Processor &processor) {
  Square schedule;
  if (!chooseDims(problem, schedule) || isCached(problem, schedule) ||
      hasTooManyOperations(problem, kWarpSize))
    return std::nullopt;
  // Smaller squares waste less where a dimension is small, and more tensors
  // have one.
  for (schedule.tile = chooseLargestTile(problem, processor);;
       schedule.tile /= 2) {
    bool hasAll = chooseStaged(problem, schedule);
    bool used = isUsed(problem, schedule);
    bool isSmallest = schedule.tile == kSmallestTile;
    bool hasAny = !schedule.reads.empty() || !schedule.results.empty();
    if (used && (hasAll || (isSmallest && hasAny)))
      return makeTile(problem, schedule);
    if (isSmallest)
      return std::nullopt;
  }
}
