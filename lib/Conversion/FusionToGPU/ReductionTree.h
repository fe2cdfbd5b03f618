//===- ReductionTree.h - The order in which a GPU adds ---------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every reduction on a GPU combines its elements in one order, whatever kernel
// it is in: a function of their number alone. Element e, in row-major order of
// what is reduced, has the coordinates
//
//   e = (((section * 8 + round) * 32 + block) * 32 + lane) * 8 + i
//
// 1. leaf:     8 neighbours (i), as a tree of neighbours: ((0 1) (2 3)) (...)
// 2. rounds:   leaves of one block and lane, one after the other
// 3. blocks:   halves of the 32 onto each other: (b, b + 16), (b, b + 8), ...
// 4. lanes:    the 32 as a tree of neighbours, which is the section's sum
// 5. sections: one after the other, 64 at a time
// 6. these sums of 64, one after the other
//
// So a section is a sum by itself: sections can be had by thread blocks that do
// not know of each other. What is beyond the last element takes no part, or is
// neutral. At the end the neutral element comes first, so that a sum of nothing
// but -0 is +0 everywhere.
//
// Where neither order nor repetition shows in the result (a maximum) emitters
// take the shortest way.
//
// A warp that reads vectors of 8 side by side has one leaf a thread and a block
// at a time; one thread can do all steps with a few accumulators.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTIONTREE_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTIONTREE_H

#include "fuser/Conversion/SegmentKernel.h"
#include "fuser/Support/GpuTarget.h"
#include <functional>

namespace fuser {

/// See above.
constexpr int64_t kLeaf = kLeafElements;
constexpr int64_t kLanes = 32;
constexpr int64_t kBlocks = 32;
constexpr int64_t kSectionGroup = 64;

/// From one block, round or section to the next, in elements.
constexpr int64_t kBlockElements = kLeaf * kLanes;
constexpr int64_t kRoundElements = kBlockElements * kBlocks;
static_assert(kSectionElements == 8 * kRoundElements);

/// What one reduction holds of some elements. Empty: of none.
using Accumulators = SmallVector<Value>;

/// How accumulators of one reduction are combined.
struct Combiner {
  OpBuilder &b;
  Location loc;
  std::function<Accumulators(ValueRange lhs, ValueRange rhs)> combine;
  Accumulators neutral;
  /// The order, and how often an element counts, do not matter.
  bool isIdempotent = false;

  /// Either may be empty.
  Accumulators join(const Accumulators &lhs, const Accumulators &rhs) const;
  /// `values`, scalars or vectors, if they exist (null: always).
  Accumulators orNeutral(Value exist, Accumulators values) const;
  /// The end of a reduction.
  Accumulators finish(const Accumulators &sum) const;
};

/// Of a reduction of the kernel's segment.
Combiner makeCombiner(SegmentKernel &kernel, fusion::ReductionOpInterface op,
                      Accumulators neutral);

/// ((0 1) (2 3)) ((4 5) (6 7)). The last ones may be missing.
Accumulators emitNeighbourTree(const Combiner &combiner,
                               SmallVector<Accumulators> values);

/// The lanes of vectors as a tree of neighbours.
Accumulators emitLaneTree(const Combiner &combiner, Accumulators vectors);

/// Halves of `places` (a power of two) onto each other, of which the first
/// `count` are there. `get` is asked for them as late as can be, so that few
/// are held at a time.
Accumulators emitFold(const Combiner &combiner, int64_t count, int64_t places,
                      llvm::function_ref<Accumulators(int64_t place)> get);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTIONTREE_H
