//===- PointwiseHeuristic.cpp - Schedules without reductions -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/PointwiseHeuristic.h"
#include "llvm/ADT/bit.h"
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
  int64_t last = problem.shape.empty() ? 1 : problem.shape.back();
  // Rows of an unknown length start anywhere: nothing is aligned.
  if (last == kUnknown)
    return 1;
  while (vector > 1 && last % vector != 0)
    vector /= 2;
  return vector;
}

/// A thread of more instructions takes long to compile, and the arithmetic
/// bounds it, not memory.
static constexpr int64_t kMaxOperations = 4096;

PointwiseSchedule
fuser::schedule::choosePointwise(const PointwiseProblem &problem,
                                 const Processor &processor) {
  PointwiseSchedule schedule;
  schedule.threads = 128;
  schedule.vector = chooseVector(problem);
  // Some 64 bytes on their way in every thread hide the memory's latency.
  int64_t bytes = std::max<int64_t>(1, problem.numReads) * schedule.vector *
                  problem.narrowestBytes;
  schedule.unroll = std::clamp<int64_t>(64 / std::max<int64_t>(bytes, 1), 1, 4);
  schedule.unroll = llvm::bit_floor(uint64_t(schedule.unroll));
  auto isTooMuch = [&] {
    return problem.operations * schedule.vector * schedule.unroll >
           kMaxOperations;
  };
  while (schedule.unroll > 1 && isTooMuch())
    schedule.unroll /= 2;
  while (schedule.vector > 1 && isTooMuch())
    schedule.vector /= 2;
  // Small tensors are spread over all multiprocessors instead.
  int64_t elements = 1;
  for (int64_t size : problem.shape) {
    if (size == kUnknown)
      return schedule;
    elements *= size;
  }
  auto blocks = [&] {
    return elements / (schedule.threads * schedule.vector * schedule.unroll);
  };
  while (schedule.unroll > 1 && blocks() < 4 * processor.multiprocessors)
    schedule.unroll /= 2;
  return schedule;
}
