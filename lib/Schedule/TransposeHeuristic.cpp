//===- TransposeHeuristic.cpp - Schedules through squares of memory -------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/TransposeHeuristic.h"
#include "fuser/Schedule/PointwiseHeuristic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace fuser::schedule;

/// A warp's threads have neighbours.
static constexpr int64_t kSmallestTile = kWarpSize;

/// Fewer neighbours do not fill a sector of memory, and leave most threads of a
/// warp idle.
static constexpr int64_t kFewestNeighbours = 8;

/// A thread of more instructions takes long to compile, and the arithmetic
/// bounds it, not memory.
static constexpr int64_t kMaxOperations = 4096;

static bool hasTooManyOperations(const TransposeProblem &problem,
                                 const TransposeSchedule &schedule) {
  int64_t elements = schedule.tile * schedule.tile / schedule.threads;
  return problem.pointwise.operations * elements > kMaxOperations;
}

int64_t fuser::schedule::getTilePitch(int64_t tile, int64_t bytes) {
  // An odd number of banks, which have 4 bytes each, or of wider elements.
  return tile + std::max<int64_t>(1, 4 / bytes);
}

int64_t fuser::schedule::getTileBytes(const TransposeProblem &problem,
                                      int64_t tile) {
  int64_t sum = 0;
  for (int64_t bytes : problem.stagedBytes)
    sum += llvm::alignTo(tile * getTilePitch(tile, bytes) * bytes, 16);
  return sum;
}

Verdict fuser::schedule::acceptsTranspose(const TransposeProblem &problem) {
  if (Verdict verdict = acceptsPointwise(problem.pointwise); !verdict)
    return verdict;
  if (problem.stagedBytes.empty())
    return Verdict::no("its tensors are not known to lie in memory along "
                       "different dimensions");
  if (getTileBytes(problem, kSmallestTile) > kMaxStaticSharedBytes)
    return Verdict::no("too many of its tensors lie across the others");
  return Verdict::yes();
}

Verdict fuser::schedule::prefersTranspose(const TransposeProblem &problem) {
  for (int64_t size : {problem.across, problem.along})
    if (size != kUnknown && size < kFewestNeighbours)
      return Verdict::no("there are few neighbours in a dimension");
  if (hasTooManyOperations(problem, {/*threads=*/256, kSmallestTile}))
    return Verdict::no("arithmetic takes longer than memory");
  return Verdict::yes();
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

TransposeSchedule
fuser::schedule::chooseTranspose(const TransposeProblem &problem,
                                 const TargetInfo &target) {
  TransposeSchedule schedule{/*threads=*/256, kSmallestTile};
  // As many bytes where elements are small, ...
  if (problem.pointwise.narrowestBytes >= 4)
    return schedule;
  TransposeSchedule wide{/*threads=*/256, 2 * kSmallestTile};
  // ... unless tensors are small: then for all multiprocessors.
  int64_t tiles = countTiles(problem, wide.tile);
  bool isSmall = tiles != kUnknown && tiles < 2 * target.multiprocessors;
  bool fits = !hasTooManyOperations(problem, wide) &&
              getTileBytes(problem, wide.tile) <= kMaxStaticSharedBytes;
  return fits && !isSmall ? wide : schedule;
}
