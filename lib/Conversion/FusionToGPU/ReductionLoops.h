//===- ReductionLoops.h - One thread's part of a reduction -----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTIONLOOPS_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTIONLOOPS_H

#include "ReductionTree.h"
#include "fuser/Conversion/ElementEmitter.h"

namespace fuser {

/// The elements of one section, or of a reduction that has one.
struct ReductionRange {
  Value begin; ///< Null: 0.
  OpFoldResult end;
  /// How many there are, if known.
  std::optional<int64_t> length;

  bool isAtMost(int64_t limit) const { return length && *length <= limit; }
};

/// Emits what one reduction holds of the elements from `start` on: of a leaf, a
/// warp's block of leaves, or whatever is a part.
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

/// Loops over the elements of a section, of any number, also one that is only
/// known at run time, in the order of ReductionTree.h: for the lanes a loop of
/// two trips for each level of the tree, for the blocks one loop. What a number
/// that is known does not need is left out.
class ReductionLoops {
public:
  /// `leaf` emits the leaf, or a warp's block of leaves, that begins at an
  /// element which exists.
  ReductionLoops(ElementEmitter &elements, const Combiner &combiner,
                 const ReductionRange &range, ReductionPartFn leaf);

  /// Steps 2 to 4 over neighbouring lanes, as many as a power of two says, of
  /// which the first begins at `start`.
  Accumulators emitLanes(Value start, int64_t lanes);

  /// The leaf that begins at the element `start`, of which some may be missing:
  /// an element after the other.
  Accumulators emitPartialLeaf(Value start, const ReductionPartFn &element) {
    return emitTree(start, kLeaf, 1, element);
  }

  /// Steps 2 and 3 over every `stride`-th block (a power of two) of the lane
  /// that begins at `start`. With `unroll` rounds that are known to be there
  /// are no loop, so that their reads are under way at once.
  Accumulators emitBlocks(Value start, int64_t stride, bool unroll = false);

private:
  Accumulators emitTree(Value start, int64_t size, int64_t distance,
                        const ReductionPartFn &part);
  Accumulators emitPair(Value start, int64_t span, const ReductionPartFn &part);
  Accumulators emitRounds(Value start, bool unroll);
  Value emitUnusedBits(int64_t distance, int64_t bits);
  Accumulators emitCarry(Value number, Accumulators value,
                         SmallVector<Accumulators> &held);

  ElementEmitter &elements;
  const Combiner &combiner;
  OpBuilder &b;
  Location loc;
  ReductionRange range;
  Value end;
  ReductionPartFn leaf;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTIONLOOPS_H
