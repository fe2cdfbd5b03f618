//===- TransposeHeuristic.cpp - Schedules through squares of memory -------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/TransposeHeuristic.h"
#include "fuser/Analysis/GroupSummary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

using namespace fuser;
using namespace fuser::schedule;

using Access = TransposeProblem::Access;

/// Fewer neighbours than half of them do not fill a sector of memory.
static constexpr int64_t kSmallestSide = 16;

/// So many vectors of each dimension are a line or two of memory.
static constexpr int64_t kVectorsOfSide = 16;

/// What neighbours of both dimensions read lies in a few lines of the cache, if
/// there are fewer of each: 16 by 16 in bf16 took twice as long in squares on
/// an H100, 24 by 24 0.6 times as long (docs/performance.md).
static constexpr int64_t kFewestNeighbours = 24;

static constexpr int64_t kThreads = 256;

namespace {
/// Neighbours of one axis.
struct Side {
  llvm::SmallVector<int64_t, 4> dims; ///< From slowest to fastest.
  int64_t size = kUnknown;            ///< Of all of them.
  int64_t vector = 1;                 ///< Of a thread.
  int64_t length = 1;                 ///< Of a tile.
};

/// A tile that threads exchange through shared memory.
struct Square {
  /// The side along which lanes lie in the layout, and in the staged layout.
  Side along, across;
  int64_t rest = 1; ///< How many lie side by side, in other dimensions.
  int64_t restSize = 1;
  llvm::SmallVector<int64_t, 4> reads, results;

  int64_t countVectors() const {
    return along.length / along.vector * (across.length / across.vector) * rest;
  }
  int64_t countElements() const { return along.length * across.length * rest; }
};
} // namespace

//===----------------------------------------------------------------------===//
// What a schedule says
//===----------------------------------------------------------------------===//

int64_t fuser::schedule::getLaneAxis(const TileLayout &layout) {
  for (const LayoutRun &run : layout.getRuns())
    if (run.place == Place::Lane && run.first == 0)
      return run.axis;
  return -1;
}

/// The fastest dimension of the axis along which lanes lie; -1: none.
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

/// The shared memory that all staged accesses take.
static int64_t getTileBytes(const TransposeProblem &problem,
                            const TileSchedule &schedule) {
  int64_t sum = 0;
  for (const Access &access : problem.accesses)
    if (isStaged(access, schedule))
      sum += llvm::alignTo(access.bytes * schedule.getElementsPerThread() *
                               schedule.layout.getThreads(),
                           16);
  return sum;
}

/// Whether all tensors that the schedule stages can go through shared memory.
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

/// The lanes of a warp follow each other along one side, or across.
static TileLayout getSquareLayout(const Square &square, bool isAlong) {
  llvm::SmallVector<LayoutRun> runs;
  int64_t threadBits =
      std::min(llvm::Log2_64(kThreads), llvm::Log2_64(square.countVectors()));
  int64_t restBits = llvm::Log2_64(square.rest), bits = threadBits - restBits;
  addThreadBits(runs, 0, bits, restBits);
  auto getBits = [](const Side &side) -> int64_t {
    return llvm::Log2_64(side.length / side.vector);
  };
  int64_t near =
      std::min(getBits(isAlong ? square.along : square.across), bits);
  for (bool isOfAlong : {false, true}) {
    const Side &side = isOfAlong ? square.along : square.across;
    bool isNear = isOfAlong == isAlong;
    int64_t count = isNear ? near : std::min(getBits(side), bits - near);
    int64_t axis = isOfAlong ? 2 : 1;
    addRegisterBits(runs, axis, llvm::Log2_64(side.vector));
    addThreadBits(runs, axis, isNear ? 0 : near, count);
    addRegisterBits(runs, axis, getBits(side) - count);
  }
  return TileLayout(3, runs);
}

/// Blocks lie side by side in the order of dimensions.
static TileSchedule makeTile(const TransposeProblem &problem,
                             const Square &square) {
  TileSchedule schedule;
  schedule.axes.emplace_back();
  int64_t rank = problem.pointwise.shape.size();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(square.along.dims, dim) &&
        !llvm::is_contained(square.across.dims, dim))
      schedule.axes.front().push_back(dim);
  schedule.axes.push_back(square.across.dims);
  schedule.axes.push_back(square.along.dims);
  schedule.repeat.assign(3, 1);
  schedule.layout = getSquareLayout(square, /*isAlong=*/true);
  schedule.staged = getSquareLayout(square, /*isAlong=*/false);
  schedule.reads = square.reads;
  schedule.results = square.results;
  return schedule;
}

/// The dimension that comes before `dim` in the memory of all tensors that are
/// as large as the tile; -1: there is none.
static int64_t getSlower(const TransposeProblem &problem, const Square &square,
                         int64_t dim) {
  std::optional<int64_t> slower;
  for (const Access &access : problem.accesses) {
    if (!llvm::is_contained(access.dims, square.along.dims.back()) ||
        !llvm::is_contained(access.dims, square.across.dims.back()))
      continue;
    const int64_t *found = llvm::find(access.dims, dim);
    bool hasNone = found == access.dims.begin() || found == access.dims.end();
    int64_t own = hasNone ? -1 : found[-1];
    if (slower && *slower != own)
      return -1;
    slower = own;
  }
  return slower.value_or(-1);
}

/// Adds dimensions to a side as long as tiles of `length` would have more than
/// an eighth of their elements beyond the end.
static void mergeDims(const TransposeProblem &problem, const Square &square,
                      Side &side, int64_t length) {
  const Side &other = &side == &square.along ? square.across : square.along;
  for (;;) {
    side.size = fusion::multiplySizes(problem.pointwise.shape, side.dims);
    int64_t slower = getSlower(problem, square, side.dims.front());
    if (problem.pointwise.shape[side.dims.front()] == kUnknown || slower < 0 ||
        int64_t(llvm::alignTo(side.size, length)) * 8 <= side.size * 9 ||
        llvm::is_contained(other.dims, slower))
      return;
    side.dims.insert(side.dims.begin(), slower);
  }
}

/// Sets the two fastest dimensions: that of the first result, and the one of
/// the most bytes among other tensors. False if all tensors have the same one.
static bool chooseDims(const TransposeProblem &problem, Square &square) {
  auto *first = llvm::find_if(problem.accesses, [](const Access &access) {
    return access.isResult && access.number == 0;
  });
  if (first == problem.accesses.end() || first->dim < 0)
    return false;
  llvm::SmallVector<int64_t> bytes(problem.pointwise.shape.size());
  for (const Access &access : problem.accesses)
    if (access.dim >= 0 && access.dim != first->dim &&
        llvm::is_contained(access.dims, first->dim))
      bytes[access.dim] += access.bytes;
  auto *most = llvm::max_element(bytes);
  square.along.dims = {first->dim};
  square.across.dims = {most - bytes.begin()};
  return *most != 0;
}

/// Lists what lies across as far as shared memory has room, that of the widest
/// elements first. False if that is not all.
static bool chooseStaged(const TransposeProblem &problem, Square &square) {
  llvm::SmallVector<std::tuple<int64_t, bool, int64_t>> across;
  for (const Access &access : problem.accesses)
    if (liesAcross(access, square.along.dims.back(), square.across.dims.back()))
      across.emplace_back(-access.bytes, access.isResult, access.number);
  llvm::sort(across);
  square.reads.clear();
  square.results.clear();
  bool hasAll = true;
  for (auto [bytes, isResult, number] : across) {
    auto &list = isResult ? square.results : square.reads;
    if (llvm::is_contained(list, number))
      continue;
    list.push_back(number);
    if (getTileBytes(problem, makeTile(problem, square)) <=
        kMaxStaticSharedBytes)
      continue;
    list.pop_back();
    hasAll = false;
  }
  llvm::sort(square.reads);
  llvm::sort(square.results);
  return hasAll;
}

/// Sets sides of a few vectors each. A vector has up to `vector` elements, a
/// number that is known to divide the dimension, so that all are aligned.
static void setSides(const TransposeProblem &problem, int64_t vector,
                     Square &square) {
  for (Side *side : {&square.along, &square.across}) {
    side->vector = std::gcd(vector, problem.divisors[side->dims.back()]);
    side->length = std::max(kVectorsOfSide * side->vector,
                            std::clamp<int64_t>(vector * 8, 32, 64));
    if (side->size != kUnknown)
      side->length = std::max<int64_t>(
          side->vector,
          std::min<int64_t>(side->length, llvm::PowerOf2Ceil(side->size)));
  }
  // Where dimensions are small, a block has several squares.
  square.rest = 1;
  auto canGrow = [](int64_t size, int64_t length) {
    return size == kUnknown || size > length;
  };
  while (square.countVectors() < kThreads) {
    if (canGrow(square.along.size, square.along.length))
      square.along.length *= 2;
    else if (canGrow(square.across.size, square.across.length))
      square.across.length *= 2;
    else if (canGrow(square.restSize, square.rest))
      square.rest *= 2;
    else
      return;
  }
}

/// Makes the tile smaller until all that lies across fits. False if it does
/// not.
static bool fitStaged(const TransposeProblem &problem, Square &square) {
  while (!chooseStaged(problem, square)) {
    Side &longer = square.along.length > square.across.length ? square.along
                                                              : square.across;
    if (square.rest > 1)
      square.rest /= 2;
    else if (longer.length > std::max(kSmallestSide, longer.vector))
      longer.length /= 2;
    else
      return false;
  }
  return true;
}

/// Whether a thread's instructions are not too many.
static bool isShort(const TransposeProblem &problem, const Square &square) {
  int64_t threads = std::min(kThreads, square.countVectors());
  return problem.pointwise.operations * square.countElements() / threads <=
         kMaxOperations;
}

/// Whether there are tiles for all multiprocessors, or may be.
static bool isSpread(const TransposeProblem &problem, const Square &square,
                     const Processor &processor) {
  int64_t elements = fusion::multiplySizes(problem.pointwise.shape);
  return elements == kUnknown ||
         elements / square.countElements() >= 2 * processor.multiprocessors;
}

/// Whether at least half of the elements of squares exist. Threads with many
/// may be idle.
static bool isUsed(const Square &square) {
  double used = 1;
  for (const Side *side : {&square.along, &square.across}) {
    used *= side->vector;
    if (side->size > 0)
      used *= double(side->size) /
              llvm::alignTo(side->size, std::max(side->length, kSmallestSide));
  }
  return used >= 0.5;
}

static bool isCached(const Square &square) {
  auto isFew = [](const Side &side) {
    return side.size != kUnknown && side.size < kFewestNeighbours;
  };
  return isFew(square.along) && isFew(square.across);
}

std::optional<TileSchedule>
fuser::schedule::chooseTranspose(const TransposeProblem &problem,
                                 const Processor &processor) {
  Square square;
  int64_t vector = getWidestAccess(problem.pointwise.narrowestBytes,
                                   problem.pointwise.widestBytes);
  if (!chooseDims(problem, square))
    return std::nullopt;
  for (Side *side : {&square.across, &square.along})
    mergeDims(problem, square, *side, kVectorsOfSide * vector);
  llvm::SmallVector<int64_t> rest;
  for (int64_t dim = 0; dim < int64_t(problem.pointwise.shape.size()); ++dim)
    if (!llvm::is_contained(square.along.dims, dim) &&
        !llvm::is_contained(square.across.dims, dim))
      rest.push_back(dim);
  square.restSize = fusion::multiplySizes(problem.pointwise.shape, rest);
  if (isCached(square))
    return std::nullopt;
  // Narrower vectors are of smaller tiles, of which there are more, and of
  // fewer instructions.
  for (;; vector /= 2) {
    setSides(problem, vector, square);
    bool hasAll = fitStaged(problem, square);
    bool isAny =
        vector == 1 && !(square.reads.empty() && square.results.empty());
    bool isAll =
        hasAll && (vector == 1 || isSpread(problem, square, processor));
    if (isUsed(square) && isShort(problem, square) && (isAll || isAny)) {
      // A side of one vector has no lanes, so that nothing lies across.
      TileSchedule schedule = makeTile(problem, square);
      if (acceptsTranspose(problem, schedule))
        return schedule;
    }
    if (vector == 1)
      return std::nullopt;
  }
}
