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

/// Loops over any number of elements, also one that is only known at run time,
/// in the order of ReductionTree.h: for the lanes a loop of two trips for each
/// level of the tree, for the blocks one loop. What a number that is known does
/// not need is left out.
class ReductionLoops {
public:
  /// Emits the leaf, or a warp's block of leaves, that begins at the element
  /// `start`, which exists. Empty after an error.
  using LeafFn = std::function<Accumulators(Value start)>;

  ReductionLoops(ElementEmitter &elements, const Combiner &combiner,
                 OpFoldResult count, LeafFn leaf);

  /// Steps 2 to 4 over neighbouring lanes, as many as a power of two says, of
  /// which the first begins at `start`.
  Accumulators emitLanes(Value start, int64_t lanes);

  /// The leaf that begins at the element `start`, of which some may be missing:
  /// an element after the other.
  Accumulators emitPartialLeaf(Value start, const LeafFn &element) {
    return emitTree(start, kLeaf, 1, element);
  }

  /// Steps 2 and 3 over every `stride`-th block (a power of two) of the lane
  /// that begins at `start`.
  Accumulators emitBlocks(Value start, int64_t stride);

private:
  Accumulators emitTree(Value start, int64_t size, int64_t distance,
                        const LeafFn &part);
  Accumulators emitPair(Value start, int64_t span, const LeafFn &part);
  Value emitUnusedBits(int64_t distance, int64_t bits);
  Accumulators emitCarry(Value number, Accumulators value,
                         SmallVector<Accumulators> &held);
  Accumulators emitRounds(Value start);
  Accumulators emitLoop(Value begin, Value end, int64_t step,
                        const LeafFn &part);
  bool isAtMost(int64_t limit) const { return known && *known <= limit; }

  ElementEmitter &elements;
  const Combiner &combiner;
  OpBuilder &b;
  Location loc;
  std::optional<int64_t> known;
  Value count;
  LeafFn leaf;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTIONLOOPS_H
