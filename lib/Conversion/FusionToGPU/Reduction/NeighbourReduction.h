//===- NeighbourReduction.h - Neighbours reduced by neighbours -*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A section of any number of elements, by a warp or a block, in the order of
// ReductionTree.h. Of each round a thread has some vectors at a time; warps
// follow each other in memory. Several reductions of the same elements read
// them once.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_NEIGHBOURREDUCTION_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_NEIGHBOURREDUCTION_H

#include "../TileIndex.h"
#include "ReductionTree.h"
#include "ReductionWalk.h"

namespace fuser {

class NeighbourReduction {
public:
  using Request = ElementEmitter::ReductionRequest;

  /// `part`: the number of a thread among the `threads`, a power of two of
  /// whole warps, that share the elements.
  NeighbourReduction(SegmentKernel &kernel, ReductionWalk &walk,
                     MutableArrayRef<Request> requests, Value part,
                     int64_t threads);

  /// From now on the elements of all requests are the `count` ones of tensors
  /// that the kernel accesses by one index (SegmentKernel::flattenTensors).
  void setFlat(Value count) { flatCount = count; }

  /// What positions are divided by, from now on, to find what they are of; not
  /// of flat tensors. It has the dimensions that are reduced.
  void setAxis(const TileSpace::Axis &reduced) { axis = &reduced; }

  /// Of elements. Where that is more than one, a thread has leaves, and
  /// registers hold what several requests need.
  int64_t getAccessWidth();

  /// The accumulators of all requests, one after the other. The next call uses
  /// the same shared memory: there has to be a barrier between them.
  Accumulators emit(const ReductionRange &range);

private:
  /// Of each request.
  using Held = SmallVector<ReductionWalk::State>;

  Accumulators emitAll(const ReductionRange &range);
  Accumulators emitTail(Request &request, const Combiner &combiner);
  Accumulators emitGroup(const ReductionRange &range, Value start);
  Held emitRound(const ReductionRange &range, Value start);
  Accumulators emitLanes(Held held);
  void setVectors(const ReductionRange &range);
  void setIndex(Request &request, ArrayRef<Value> coordinates);
  Value emitOwn();
  int64_t getRoundElements();
  SmallVector<int64_t> getStarts();
  SmallVector<OpFoldResult> getSizes();
  SmallVector<Value> emitPlace(Value position);
  Value getConstant(int64_t value) {
    return kernel.getElements().getIndex(loc, value);
  }

  SegmentKernel &kernel;
  ElementEmitter &elements;
  OpBuilder &b;
  Location loc;
  ReductionWalk &walk;
  MutableArrayRef<Request> requests;
  SmallVector<Combiner> combiners; ///< Of each request.
  std::optional<Combiner> joint;   ///< Of all of them.
  Value part;
  int64_t threads;
  const TileSpace::Axis *axis = nullptr;
  Value flatCount; ///< Null: tensors have the dimensions of their types.
  /// Of the elements behind the last whole leaf, what each request has of them.
  SmallVector<Accumulators> tails;

  bool hasVectors() const { return width != 1; }
  int64_t width = 1; ///< Of an access.
  RowThreads row;
  /// From the thread's first element on, of each access of a round.
  SmallVector<int64_t> offsets;
  int64_t numGroups = 1; ///< That share a round.
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_NEIGHBOURREDUCTION_H
