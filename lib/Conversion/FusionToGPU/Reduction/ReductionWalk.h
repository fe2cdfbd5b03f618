//===- ReductionWalk.h - A reduction over the bits of a layout -*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the threads of a row hold is combined bit by bit of the position of an
// element, in the order of ReductionTree.h, wherever a bit is:
//
//   register   the thread's values are combined
//   lane       by shuffles; of several values a thread goes on with half of
//              them, so that a bit of their number becomes one of the lane
//   warp       all that is left goes through shared memory, once, and is in
//              lanes and registers then
//   block      of a cluster: the same, but each warp stores to all blocks
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_REDUCTIONWALK_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_REDUCTIONWALK_H

#include "ReductionTree.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <map>

namespace fuser {

/// The threads that share a reduction, and the ones that do not: a block has
/// `rows` of them side by side.
struct RowThreads {
  /// A bit of a position that is one of the number of a thread in its block.
  struct Bit {
    int64_t position;
    int64_t thread; ///< As in TileLayout: lane, warp, block.
  };
  SmallVector<Bit> bits;
  int64_t rows = 1;
  Value row;          ///< The number of the thread's row in the block; null: 0.
  int64_t blocks = 1; ///< Of a cluster, that share the one row.
  /// The bits of a position: an int64_t holds masks of them, and of one more.
  static constexpr int64_t kPositionBits = 62;
  /// From this bit of a position on there is no tree but a chain.
  int64_t treeEnd = llvm::Log2_64(kRoundElements);
};

/// What a thread holds, by the bits of the positions that are in registers. All
/// threads hold the same of them; what is beyond the last element may be
/// missing or neutral.
using HeldByPosition = std::map<int64_t, Accumulators>;

class ReductionWalk {
public:
  ReductionWalk(OpBuilder &b, gpu::GPUFuncOp kernel);

  /// Where blocks of a cluster share rows, before the first of so many
  /// reductions, of which each is walked once. The first one that is in no
  /// round waits for all blocks to begin, as late as it can. `runsAhead`, for
  /// rounds of at most two: blocks wait for those that are a round behind, not
  /// for all to end each; nothing else in a round is a barrier of the cluster.
  void emitClusterBegin(int64_t numReductions, bool runsAhead = false);
  /// Behind rounds: waits for all blocks.
  void emitClusterWait();

  /// Around all reductions of a step of a loop, so many in the same order each
  /// time: `round` counts the steps from 0 on. Blocks of a cluster wait for
  /// each other at the begin, of what they have emitted before that:
  /// emitClusterBegin, or the end of the step before; those that run ahead at
  /// the end, of the end of the step before. Before the loop emitRoundsBegin is
  /// due, behind it emitClusterWait.
  void emitRoundsBegin();
  void beginRound(Value round, int64_t numReductions);
  void endRound();

  /// What is left to combine.
  struct State {
    HeldByPosition held;
    /// Where bits are that threads have.
    SmallVector<RowThreads::Bit> left;
  };

  /// Of a row that the `threads` share, from `held` elements or leaves; all
  /// threads of the row know the result then. The next but one has the same
  /// shared memory.
  Accumulators emit(const Combiner &combiner, const RowThreads &threads,
                    HeldByPosition held);

  /// What is under way between warps or blocks.
  struct Sent {
    /// Without an exchange, what the threads have is all there is.
    State state;
    SmallVector<int64_t> order; ///< Bits that are left to combine.
    SmallVector<int64_t> bits;  ///< That are exchanged, if any are.
    int64_t number = 0;         ///< Of the walk, in a cluster.
  };

  /// `emit` in halves, between which there may be anything but another
  /// reduction: what a warp combines, sent to the others; and what these sent,
  /// which is waited for, combined. Each has a combiner of values that are
  /// known there. Both are in the same round.
  Sent emitSend(const Combiner &combiner, const RowThreads &threads,
                HeldByPosition held);
  Accumulators emitReceive(const Combiner &combiner, const RowThreads &threads,
                           Sent sent);
  /// Whether warps or blocks share a row, so that they exchange anything.
  static bool hasExchange(const RowThreads &threads);

  /// `emit` in two steps, between which rounds can be added up: the leaves,
  /// and all but the rounds.
  State emitLeaves(const Combiner &combiner, const RowThreads &threads,
                   HeldByPosition held);
  Accumulators emitLanes(const Combiner &combiner, const RowThreads &threads,
                         State state);

private:
  class Walk;

  Sent emitLanesSend(const Combiner &combiner, const RowThreads &threads,
                     State state);
  Value getBuffer(Type type, unsigned number, int64_t size);

  OpBuilder &b;
  gpu::GPUFuncOp kernel;
  Value thread;
  Value rank; ///< Of the block in its cluster; null: there is one.
  /// For each reduction of a row that a cluster shares; null if there is none.
  Value barriers;
  int64_t numClusterWalks = 0;
  int64_t walksOfRound = 0;
  bool runsAhead = false;
  unsigned parity = 0;
  Value round; ///< Of a loop; null: there is none.
  /// Memory changes from round to round.
  bool alternates = false;
  DenseMap<std::tuple<Type, unsigned, unsigned, int64_t>, Value> buffers;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_REDUCTIONWALK_H
