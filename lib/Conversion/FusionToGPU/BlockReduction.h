//===- BlockReduction.h - Combining what the threads of a row hold --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_BLOCKREDUCTION_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_BLOCKREDUCTION_H

#include "ReductionTree.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fuser {

/// Combines accumulators over the `threads` threads that share a result, in the
/// order of ReductionTree.h, and gives every one of them the result. Between
/// warps:
///
///   every thread's accumulators to shared memory -> barrier -> every warp
///   reads those of all warps, lane by lane -> butterfly in the warp
///
/// One barrier a reduction: the next one writes other shared memory, and the
/// one after that comes after the barrier of the next.
class BlockReduction {
public:
  /// `thread` is the number among the neighbours that share a result. More than
  /// 32 of them are whole warps and a whole block. With a stride, it is the
  /// number in the block of `threads * stride` threads: those that share a
  /// result are `stride` apart.
  BlockReduction(OpBuilder &b, gpu::GPUFuncOp kernel, Value thread,
                 int64_t threads, int64_t stride = 1)
      : b(b), kernel(kernel), thread(thread), threads(threads), stride(stride) {
  }

  /// Of a row of which thread t has the chunks of `vector` elements from
  /// (u * threads + t) * vector on; `chunks[u]` has combined its elements as a
  /// tree of neighbours. Several chunks a thread: the threads are a power of
  /// two, whole warps and at least 32 * 8 / vector, or one warp.
  Accumulators emitRow(const Combiner &combiner,
                       SmallVector<Accumulators> chunks, int64_t vector);

  /// The leaves of a block of 256 elements, of which the warp's thread t has
  /// those at 32 * i + t, i < 8: one a thread, in the order of emitNeighbours.
  Accumulators emitLeaves(const Combiner &combiner,
                          SmallVector<Accumulators> elements);

  /// Of warps w that have, of the 32 blocks, combined w, w + warps, ...: what
  /// emitLeaves gave to each thread or, with `inOrder`, leaf t to thread t.
  Accumulators emitNeighbours(const Combiner &combiner, Accumulators leaves,
                              bool inOrder);

  /// Of threads, stride apart, that have neighbouring lanes each: as many of
  /// the same number.
  Accumulators emitStrided(const Combiner &combiner, const Accumulators &lanes);

private:
  Accumulators emitIdempotent(const Combiner &combiner,
                              ArrayRef<Accumulators> chunks);
  Accumulators emitWarpRow(const Combiner &combiner,
                           ArrayRef<Accumulators> chunks, int64_t perLeaf);
  Accumulators emitBlockRow(const Combiner &combiner,
                            ArrayRef<Accumulators> chunks, int64_t perLeaf);
  Accumulators emitBlocks(const Combiner &combiner,
                          ArrayRef<Accumulators> blocks, int64_t places);
  Accumulators emitButterfly(const Combiner &combiner,
                             Accumulators accumulators,
                             ArrayRef<int64_t> masks);
  /// The accumulators of the threads for which `condition` holds (null: of all)
  /// become visible to all, at `position`.
  void share(const Combiner &combiner, const Accumulators &accumulators,
             Value position, Value condition = {});
  Accumulators load(const Combiner &combiner, Value position);
  /// Memory for `size` values of `type`: the `number`-th accumulator of the
  /// running reduction.
  Value getBuffer(Type type, unsigned number, int64_t size);
  Value getConstant(Location loc, int64_t value);
  Value getLane(Location loc);

  OpBuilder &b;
  gpu::GPUFuncOp kernel;
  Value thread;
  int64_t threads;
  int64_t stride;
  unsigned parity = 0;
  DenseMap<std::tuple<Type, unsigned, unsigned>, Value> buffers;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_BLOCKREDUCTION_H
