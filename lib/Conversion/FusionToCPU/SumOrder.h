//===- SumOrder.h - The one order of sums on CPUs --------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order in which the elements of a reduction are combined is a function of
// their number n alone. Element e is the one at position e of the reduced
// dimensions, in row-major order.
//
//   - There are 64 accumulators. Element e goes to number e mod 64, in step
//     e / 64 (rounded down).
//   - The n / 64 whole steps are cut into blocks of 32 steps, those into blocks
//     of 32 blocks, and those into blocks of 32 of them, which the whole is
//     made of. An accumulator of a block starts from the neutral element and
//     adds what is in the block, one after the other: elements, or accumulators
//     of smaller blocks.
//   - Then the elements of the step that is not whole are added, each to its
//     accumulator.
//   - Last the accumulators are added by halves: number k and k + 32, k and
//     k + 16, down to one.
//
// To begin with a neutral element, to add one, or a block with nothing in it
// changes no bit (of a sum: no accumulator is ever -0.0). So levels and
// accumulators that a length does not need may be left out. How many elements
// an instruction takes does not show (cpu_r2).
//
// Chains of additions are short so, and with them rounding errors. 64 is four
// vectors of 512 bits of f32: enough independent additions to hide their
// latency.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOCPU_SUMORDER_H
#define FUSER_LIB_CONVERSION_FUSIONTOCPU_SUMORDER_H

#include "llvm/Support/MathExtras.h"
#include <cstdint>

namespace fuser {

/// Accumulators.
constexpr int64_t kSumLanes = 64;
/// Steps of a block, and blocks of a larger one: two to the power of
/// kBlockBits.
constexpr unsigned kBlockBits = 5;
constexpr int64_t kBlockSteps = 1 << kBlockBits;
/// Elements of a block of steps.
constexpr int64_t kBlockElements = kSumLanes * kBlockSteps;
/// More levels would be for sums of many millions.
constexpr unsigned kMaxSumLevels = 3;
/// Threads may share a sum by blocks of this level, and of so many steps.
constexpr unsigned kPartLevel = 2;
constexpr int64_t kPartSteps = 1 << (kBlockBits * kPartLevel);

/// Levels of blocks that so many whole steps need.
inline unsigned countSumLevels(int64_t steps) {
  unsigned levels = 0;
  for (; steps > kBlockSteps && levels < kMaxSumLevels; ++levels)
    steps = llvm::divideCeil(steps, kBlockSteps);
  return levels;
}

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOCPU_SUMORDER_H
