//===- BlockReduction.h - Combining what the threads of a row hold --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOKERNEL_BLOCKREDUCTION_H
#define FUSER_LIB_CONVERSION_FUSIONTOKERNEL_BLOCKREDUCTION_H

#include "fuser/Conversion/ElementEmitter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fuser {

/// Combines accumulators over the `threads` threads that share a result, and
/// gives every one of them the result. Where they are neighbours:
///
///   butterfly in each warp -> one value a warp to shared memory -> barrier ->
///   every warp: butterfly over the warps
///
/// and where they are `stride` threads apart:
///
///   one value a thread to shared memory -> barrier -> one after the other
///
/// One barrier a reduction: the next one writes other shared memory, and the
/// one after that comes after the barrier of the next.
class BlockReduction {
public:
  using CombineFn =
      llvm::function_ref<SmallVector<Value>(ValueRange lhs, ValueRange rhs)>;

  /// `thread` is the number among the neighbours that share a result. More than
  /// 32 of them are whole warps and a whole block.
  BlockReduction(OpBuilder &b, gpu::GPUFuncOp kernel, Value thread,
                 int64_t threads)
      : b(b), kernel(kernel), thread(thread), threads(threads) {}

  /// `thread` is the number in the block of `threads * stride` threads.
  BlockReduction(OpBuilder &b, gpu::GPUFuncOp kernel, Value thread,
                 int64_t threads, int64_t stride)
      : b(b), kernel(kernel), thread(thread), threads(threads), stride(stride) {
  }

  SmallVector<Value> emit(Location loc, ValueRange accumulators,
                          ValueRange neutral, CombineFn combine);

private:
  SmallVector<Value> emitStrided(Location loc, ValueRange accumulators,
                                 CombineFn combine);
  SmallVector<Value> emitButterfly(Location loc,
                                   SmallVector<Value> accumulators,
                                   int64_t width, CombineFn combine);
  /// Memory for `size` values of `type`: the `number`-th accumulator of the
  /// running reduction.
  Value getBuffer(Type type, unsigned number, int64_t size);

  OpBuilder &b;
  gpu::GPUFuncOp kernel;
  Value thread;
  int64_t threads;
  int64_t stride = 1;
  unsigned parity = 0;
  DenseMap<std::tuple<Type, unsigned, unsigned>, Value> buffers;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOKERNEL_BLOCKREDUCTION_H
