//===- RowReductions.h - What threads of a row reduce it to ----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions of the columns of a tile that has whole rows: in the thread, each
// vector, then the threads of a row (ReductionWalk.h), then a value that all of
// them know. Those that wait for the same others are combined together.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_ROWREDUCTIONS_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_ROWREDUCTIONS_H

#include "../TileIndex.h"
#include "ReductionWalk.h"
#include "fuser/Analysis/ReductionSpace.h"

namespace fuser {

/// What the reductions take of a piece, one after the other.
Accumulators emitPrepared(SegmentKernel &kernel, TileIndex &index,
                          ArrayRef<fusion::ReductionOpInterface> reductions,
                          const Piece &piece);

class RowReductions {
public:
  /// Columns are the last axis of `index`, rows the one before it, of which a
  /// thread has one.
  RowReductions(SegmentKernel &kernel, const ReductionSpace &space,
                TileIndex &index, const schedule::TileSchedule &schedule,
                ReductionWalk &walk);

  /// Walks of all reductions.
  int64_t getNumWalks() const { return groups.size(); }

  /// Before a loop over rows that blocks of a cluster share.
  void emitClusterBegin();

  /// Emits and binds all of them, of the row that the pieces are of. What is
  /// read is read once if `keeps`.
  void emit(ArrayRef<Piece> pieces, bool keeps = true);

  /// The same in parts, between which there may be anything but another
  /// reduction. emitSend emits all but the last walk, whose values it sends;
  /// emitReceive takes what emitSend gives, and gives the accumulators of all
  /// reductions; from emitBind on they are bound.
  SmallVector<Value> emitSend(ArrayRef<Piece> pieces);
  SmallVector<Value> emitReceive(ValueRange sent);
  void emitBind(ValueRange accumulators);
  /// Types of what emitReceive gives; of emitSend, those that come first.
  SmallVector<Type> getTypes() const;
  size_t getNumSent() const;

private:
  using Group = SmallVector<fusion::ReductionOpInterface>;

  RowThreads emitThreads() const;
  bool hasExchange() const { return ReductionWalk::hasExchange(sharing); }
  HeldByPosition emitVectors(const Group &group, const Combiner &combiner,
                             ArrayRef<Piece> pieces);
  HeldByPosition emitNarrow(const Group &group, Combiner combiner,
                            ArrayRef<Piece> pieces);
  HeldByPosition emitHeld(const Group &group, const Combiner &combiner,
                          ArrayRef<Piece> pieces);
  Accumulators emitGroup(const Group &group, ArrayRef<Piece> pieces,
                         const RowThreads &threads);
  void bindGroup(const Group &group, ArrayRef<Value> sums);

  SegmentKernel &kernel;
  const ReductionSpace &space;
  TileIndex &index;
  const schedule::TileSchedule &schedule;
  ReductionWalk &walk;
  OpBuilder &b;
  Location loc;
  RowThreads sharing;        ///< Without the row.
  SmallVector<Group> groups; ///< In the order in which they can be computed.
  ReductionWalk::Sent sent;  ///< Of the last one.
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_ROWREDUCTIONS_H
