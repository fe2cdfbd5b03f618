//===- ReductionTree.h - The order in which a GPU adds ---------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every reduction on a GPU combines its elements in one order, whatever kernel
// it is in: a function of their number, and of whether the last dimension is
// among those that are reduced. If it is not, SumOrder.h has the order. If it
// is, element e, in row-major order of what is reduced, has the coordinates
//
//   e = ((section * 2 + round) * 4096 + lane) * 8 + i
//
// 1. leaf:     8 neighbours (i), as a tree of neighbours: ((0 1) (2 3)) (...)
// 2. rounds:   leaves of one lane, one after the other
// 3. lanes:    as a tree of neighbours, which is the section's sum
// 4. sections: one after the other, 64 at a time
// 5. these sums of 64, one after the other
//
// So a section is a sum by itself: sections can be had by thread blocks that do
// not know of each other. What is beyond the last element takes no part, or is
// neutral. At the end the neutral element comes first, so that a sum of nothing
// but -0 is +0 everywhere.
//
// Where neither order nor repetition shows in the result (a maximum) emitters
// take the shortest way.
//
// A tree of neighbours can be had from any layout of powers of two, bit by bit
// of the position (ReductionWalk.h); one thread can do all steps with an
// accumulator for each level.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_REDUCTIONTREE_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_REDUCTIONTREE_H

#include "fuser/Conversion/SegmentKernel.h"
#include "fuser/Support/GpuTarget.h"
#include <functional>

namespace fuser {

/// See above.
constexpr int64_t kLeaf = kLeafElements;
constexpr int64_t kLanes = 4096;
constexpr int64_t kSectionGroup = 64;

/// From one round to the next, in elements.
constexpr int64_t kRoundElements = kLeaf * kLanes;
static_assert(kSectionElements == 2 * kRoundElements);

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

/// Of the accumulators of all of them, one after the other.
Combiner joinCombiners(ArrayRef<Combiner> combiners);
Combiner makeCombiner(SegmentKernel &kernel,
                      ArrayRef<fusion::ReductionOpInterface> ops);

/// Of SumOrder.h, in the kernel or in the host function.
OpFoldResult emitNumParts(OpBuilder &b, Location loc, OpFoldResult rows);

/// ((0 1) (2 3)) ((4 5) (6 7)). The last ones may be missing.
Accumulators emitNeighbourTree(const Combiner &combiner,
                               SmallVector<Accumulators> values);

/// The lanes of vectors as a tree of neighbours.
Accumulators emitLaneTree(const Combiner &combiner, Accumulators vectors);

//===----------------------------------------------------------------------===//
// Loops over elements
//===----------------------------------------------------------------------===//

/// The elements of one section, or of a reduction that has one.
struct ReductionRange {
  Value begin; ///< Null: 0.
  OpFoldResult end;
  /// How many there are, if known.
  std::optional<int64_t> length;

  bool isAtMost(int64_t limit) const { return length && *length <= limit; }
};

/// Emits what one reduction holds of the elements from `start` on: of a leaf,
/// or whatever is a part.
using ReductionPartFn = std::function<Accumulators(Value start)>;

/// What `part` makes of begin, begin + step, ... below `end`, one after the
/// other, after the neutral element.
Accumulators emitChain(ElementEmitter &elements, const Combiner &combiner,
                       Value begin, Value end, int64_t step,
                       const ReductionPartFn &part);

/// Steps 5 and 6 of the order: `section` emits the sum of each section of
/// `count` elements, of which there may be more than one section.
Accumulators
emitSections(ElementEmitter &elements, const Combiner &combiner,
             OpFoldResult count,
             llvm::function_ref<Accumulators(const ReductionRange &)> section);

/// The section that begins at `begin`.
ReductionRange getSection(ElementEmitter &elements, Location loc, Value begin,
                          OpFoldResult count);

/// Parts of what is reduced: those that begin at `start`, start + step, ...
/// below `end`, of which there are at most `most` (a power of two).
struct PartRange {
  Value start, end;
  int64_t step, most;
};

/// What `part` makes of them, as a tree of neighbours: one loop that holds what
/// waits for its other half on each level.
Accumulators emitTree(ElementEmitter &elements, const Combiner &combiner,
                      const PartRange &range, const ReductionPartFn &part);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_REDUCTIONTREE_H
