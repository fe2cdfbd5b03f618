//===- PointwiseHeuristic.cpp - Schedules without reductions -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/PointwiseHeuristic.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace fuser;
using namespace fuser::schedule;

/// How many neighbours a thread handles at once: 16 bytes of the narrowest
/// tensor, at most 32 of the widest.
static int64_t chooseVector(const PointwiseProblem &problem) {
  int64_t vector = std::max<int64_t>(
      1, std::min(16 / problem.narrowestBytes, 32 / problem.widestBytes));
  if (problem.isFlat)
    return vector;
  vector = std::min(vector, problem.contiguousWidth);
  // Rows of which nothing is known start anywhere: nothing is aligned.
  while (vector > 1 && problem.lastDivisor % vector != 0)
    vector /= 2;
  return vector;
}

/// A thread of more instructions takes long to compile, and the arithmetic
/// bounds it, not memory.
static constexpr int64_t kMaxOperations = 4096;

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
  int64_t elements = 1;
  for (int64_t size : problem.shape) {
    if (size == kUnknown)
      return sizes;
    elements *= size;
  }
  auto blocks = [&] {
    return elements / (kThreads * sizes.vector * sizes.unroll);
  };
  while (sizes.unroll > 1 && blocks() < 4 * processor.multiprocessors)
    sizes.unroll /= 2;
  return sizes;
}

TileSchedule fuser::schedule::choosePointwise(const PointwiseProblem &problem,
                                              const Processor &processor) {
  Sizes sizes = chooseSizes(problem, processor);
  TileSchedule schedule;
  schedule.axes.emplace_back(problem.order.begin(), problem.order.end());
  llvm::SmallVector<LayoutRun> runs;
  addRegisterBits(runs, 0, llvm::Log2_64(sizes.vector));
  addThreadBits(runs, 0, 0, llvm::Log2_64(kThreads));
  schedule.layout = TileLayout(1, runs);
  schedule.repeat = {sizes.unroll};
  return schedule;
}
