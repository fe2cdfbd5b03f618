//===- PointwiseHeuristic.cpp - Schedules without reductions -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/PointwiseHeuristic.h"
#include "fuser/Analysis/GroupSummary.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace fuser;
using namespace fuser::schedule;

/// How many neighbours a thread handles at once.
static int64_t chooseVector(const PointwiseProblem &problem) {
  int64_t vector = getWidestAccess(problem.narrowestBytes, problem.widestBytes);
  if (problem.isFlat)
    return vector;
  vector = std::min(vector, problem.contiguousWidth);
  // Rows of which nothing is known start anywhere: nothing is aligned.
  while (vector > 1 && problem.lastDivisor % vector != 0)
    vector /= 2;
  return vector;
}

static constexpr int64_t kThreads = 128;

namespace {
struct Sizes {
  int64_t vector;
  int64_t unroll;
};
} // namespace

static Sizes chooseSizes(const PointwiseProblem &problem,
                         const Processor &processor) {
  Sizes sizes{chooseVector(problem), 1};
  // Some 64 bytes on their way in every thread hide the memory's latency.
  int64_t bytes = std::max<int64_t>(1, problem.numReads) * sizes.vector *
                  problem.narrowestBytes;
  sizes.unroll = std::clamp<int64_t>(64 / std::max<int64_t>(bytes, 1), 1, 4);
  sizes.unroll = llvm::bit_floor(uint64_t(sizes.unroll));
  auto isTooMuch = [&] {
    return problem.operations * sizes.vector * sizes.unroll > kMaxOperations;
  };
  while (sizes.unroll > 1 && isTooMuch())
    sizes.unroll /= 2;
  while (sizes.vector > 1 && isTooMuch())
    sizes.vector /= 2;
  // Small tensors are spread over all multiprocessors instead.
  int64_t elements = fusion::multiplySizes(problem.shape);
  if (elements == kUnknown)
    return sizes;
  auto blocks = [&] {
    return elements / (kThreads * sizes.vector * sizes.unroll);
  };
  while (sizes.unroll > 1 && blocks() < 4 * processor.multiprocessors)
    sizes.unroll /= 2;
  return sizes;
}

/// What all rows read fits into the first cache of a multiprocessor. (The
/// tables of a rotary embedding, which are as large as a sequence, do not:
/// there it costs more that rows are far from each other.)
static bool isCached(const PointwiseProblem &problem,
                     llvm::ArrayRef<int64_t> dims) {
  constexpr double kCacheBytes = 128 << 10, kOpenSize = 4096;
  double bytes = problem.columnBytes;
  for (int64_t dim : dims)
    bytes *=
        problem.shape[dim] == kUnknown ? kOpenSize : double(problem.shape[dim]);
  return bytes <= kCacheBytes;
}

/// As a power of two, how many vectors beside each other a warp has of a row;
/// -1: of one row after the other. A warp reads whole sectors, or whole rows.
static int64_t chooseColumnBits(const PointwiseProblem &problem,
                                int64_t vector) {
  llvm::ArrayRef<int64_t> dims =
      llvm::ArrayRef(problem.order).drop_front(problem.numRowDims);
  if (problem.columnBytes == 0 || problem.columnBytes < problem.otherBytes ||
      !isCached(problem, dims))
    return -1;
  int64_t columns = 1;
  for (int64_t dim : dims) {
    // 256 bytes: few threads have no columns, however short rows are.
    if (problem.shape[dim] == kUnknown)
      return std::min<int64_t>(
          5, llvm::Log2_64(256 / (vector * problem.narrowestBytes)));
    columns *= problem.shape[dim];
  }
  int64_t vectors = columns / vector;
  int64_t bits = std::min<int64_t>(llvm::countr_zero(uint64_t(vectors)), 5);
  bool isWhole =
      columns % vector == 0 && (bits == 5 || vectors == int64_t(1) << bits);
  return isWhole && vectors != 0 ? bits : -1;
}

/// Where half of what is read is the same for all rows, or more, a thread has
/// the same columns of two rows or more: what comes from a cache, which has its
/// limits, too, is read once.
TileSchedule fuser::schedule::choosePointwise(const PointwiseProblem &problem,
                                              const Processor &processor) {
  Sizes sizes = chooseSizes(problem, processor);
  TileSchedule schedule;
  llvm::ArrayRef<int64_t> order = problem.order;
  llvm::SmallVector<LayoutRun> runs;
  int64_t threadBits = llvm::Log2_64(kThreads);
  int64_t columnBits = chooseColumnBits(problem, sizes.vector);
  int64_t columns = columnBits < 0 ? 0 : 1;
  if (columns != 0) {
    schedule.axes.emplace_back(order.take_front(problem.numRowDims));
    addThreadBits(runs, 0, columnBits, threadBits - columnBits);
    addRegisterBits(runs, 0, std::max(1u, llvm::Log2_64(sizes.unroll)));
    sizes.unroll = 1;
    order = order.drop_front(problem.numRowDims);
    threadBits = columnBits;
  }
  schedule.axes.emplace_back(order);
  addRegisterBits(runs, columns, llvm::Log2_64(sizes.vector));
  addThreadBits(runs, columns, 0, threadBits);
  schedule.layout = TileLayout(columns + 1, runs);
  schedule.repeat.assign(columns, 1);
  schedule.repeat.push_back(sizes.unroll);
  return schedule;
}
