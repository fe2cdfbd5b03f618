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

int64_t fuser::schedule::getTilePitch(int64_t tile, int64_t bytes) {
  // An odd number of banks, which have 4 bytes each, or of wider elements.
  return tile + std::max<int64_t>(1, 4 / bytes);
}

//===----------------------------------------------------------------------===//
// What a schedule says
//===----------------------------------------------------------------------===//

static bool liesAcross(const Access &access,
                       const TransposeSchedule &schedule) {
  return access.dim >= 0 && access.dim == schedule.across &&
         llvm::is_contained(access.dims, schedule.along);
}

bool fuser::schedule::isStaged(const Access &access,
                               const TransposeSchedule &schedule) {
  return liesAcross(access, schedule) &&
         llvm::is_contained(access.isResult ? schedule.results : schedule.reads,
                            access.number);
}

/// The shared memory that all squares take.
static int64_t getTileBytes(const TransposeProblem &problem,
                            const TransposeSchedule &schedule) {
  int64_t sum = 0, tile = schedule.tile;
  for (const Access &access : problem.accesses)
    if (isStaged(access, schedule))
      sum += llvm::alignTo(
          tile * getTilePitch(tile, access.bytes) * access.bytes, 16);
  return sum;
}

/// Whether all that `numbers` lists can be handed over.
static Decision acceptsStaged(const TransposeProblem &problem,
                              const TransposeSchedule &schedule,
                              bool isResult) {
  for (int64_t number : isResult ? schedule.results : schedule.reads) {
    bool isKnown = false, isAcross = false;
    for (const Access &access : problem.accesses)
      if (access.isResult == isResult && access.number == number) {
        isKnown = true;
        isAcross |= liesAcross(access, schedule);
      }
    if (isAcross)
      continue;
    std::string name =
        (isResult ? "result " : "operand ") + std::to_string(number);
    if (!isKnown)
      return Decision::no(name + " is nowhere read for all elements of the "
                                 "results, at their coordinates as they are");
    return Decision::no(name +
                        " is not known to lie in memory along dimension " +
                        std::to_string(schedule.across) +
                        ", across dimension " + std::to_string(schedule.along));
  }
  return Decision::yes();
}

Decision fuser::schedule::acceptsTranspose(const TransposeProblem &problem,
                                           const TransposeSchedule &schedule) {
  for (bool isResult : {false, true})
    if (Decision verdict = acceptsStaged(problem, schedule, isResult); !verdict)
      return verdict;
  int64_t bytes = getTileBytes(problem, schedule);
  if (bytes > kMaxStaticSharedBytes)
    return Decision::no("its squares take " + std::to_string(bytes) +
                        " bytes of shared memory, more than " +
                        std::to_string(kMaxStaticSharedBytes));
  return Decision::yes();
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Sets the dimensions: the one of the first result, and of what lies
/// otherwise the one of most bytes. False if all lies alike.
static bool chooseDims(const TransposeProblem &problem,
                       TransposeSchedule &schedule) {
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
static bool chooseStaged(const TransposeProblem &problem,
                         TransposeSchedule &schedule) {
  llvm::SmallVector<std::tuple<int64_t, bool, int64_t>> across;
  for (const Access &access : problem.accesses)
    if (liesAcross(access, schedule))
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
    if (getTileBytes(problem, schedule) <= kMaxStaticSharedBytes)
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
  return problem.pointwise.operations * tile * tile / 256 > kMaxOperations;
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
static bool isUsed(const TransposeProblem &problem,
                   const TransposeSchedule &schedule) {
  double used = 1;
  for (int64_t dim : {schedule.along, schedule.across}) {
    int64_t size = problem.pointwise.shape[dim];
    if (size > 0)
      used *= double(size) / llvm::alignTo(size, schedule.tile);
  }
  return used >= 0.5;
}

static bool isCached(const TransposeProblem &problem,
                     const TransposeSchedule &schedule) {
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

std::optional<TransposeSchedule>
fuser::schedule::chooseTranspose(const TransposeProblem &problem,
                                 const Processor &processor) {
  TransposeSchedule schedule;
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
      return schedule;
    if (isSmallest)
      return std::nullopt;
  }
}
