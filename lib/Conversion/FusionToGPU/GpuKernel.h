//===- GpuKernel.h - What all GPU emitters need ---------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_GPUKERNEL_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_GPUKERNEL_H

#include "fuser/Conversion/SegmentKernel.h"
#include "fuser/Conversion/SegmentLowering.h"
#include "fuser/Schedule/TileSchedule.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fuser {

struct GpuKernelOptions {
  int64_t threads;
  /// So many blocks should fit on a multiprocessor, and no more need to. 0:
  /// nothing is said.
  int64_t minBlocks = 0;
  /// Behind the segment's name.
  llvm::StringRef suffix = "";
  /// Memrefs that the host program has allocated, each by itself, and numbers
  /// that it has computed.
  ArrayRef<Type> workspaces = {};
};

/// An empty kernel for the segment, in a module of its own: its arguments are
/// the segment's operands and results, then workspaces. The builder is put into
/// its body, before the end.
gpu::GPUFuncOp createGpuKernel(OpBuilder &b, SegmentLowering &lowering,
                               const GpuKernelOptions &options);

/// Whether a block of the segment's target has room for what the kernel names
/// of shared memory and so many bytes beside it.
LogicalResult verifySharedBytes(fusion::SegmentOp segment,
                                gpu::GPUFuncOp kernel, int64_t bytes);

/// The elements of the largest result, in the host function.
OpFoldResult emitMostElements(SegmentLowering &lowering);

/// Of `index` values; constants where operands are.
OpFoldResult emitProduct(OpBuilder &b, Location loc,
                         ArrayRef<OpFoldResult> factors);
OpFoldResult emitMax(OpBuilder &b, Location loc, OpFoldResult lhs,
                     OpFoldResult rhs);
OpFoldResult emitCeilDiv(OpBuilder &b, Location loc, OpFoldResult value,
                         int64_t divisor);

/// True if all values below `bound` (rounded up to a block's width) fit into 31
/// bits.
bool isNarrow(OpFoldResult bound);

Value emitCompare(OpBuilder &b, Location loc, arith::CmpIPredicate predicate,
                  Value lhs, OpFoldResult rhs);

/// Conditions: null is true.
Value emitAnd(OpBuilder &b, Location loc, Value lhs, Value rhs);

/// The thread and block numbers, and `block * perBlock`.
Value emitThread(OpBuilder &b, Location loc);
Value emitBlock(OpBuilder &b, Location loc);
Value emitBlockStart(OpBuilder &b, Location loc, int64_t perBlock);

/// A kernel's shared memory of its own for so many elements.
Value addSharedMemory(gpu::GPUFuncOp kernel, Location loc, Type element,
                      int64_t size);

/// Reads of this argument of a kernel stay before the barriers that they are
/// emitted before, as those that ptxas is free to move do not.
void keepReadsInOrder(Value memref);

/// Emits `body` under `condition`; at once if there is none.
void emitIf(OpBuilder &b, Location loc, Value condition,
            function_ref<void()> body);

/// The value, of at most 64 bits, of the lane of the warp that `lane`, an i32,
/// and `mode` say.
Value emitShuffle(OpBuilder &b, Location loc, Value value, Value lane,
                  gpu::ShuffleMode mode);

/// If one of the `results` is stored over an input of the segment, all threads
/// of the block, or of the cluster, have read what they read of it before one
/// goes on.
void emitBarrierBeforeReuse(OpBuilder &b, fusion::SegmentOp segment,
                            ArrayRef<unsigned> results, bool ofCluster = false);

/// Of a kernel in which `parts` neighbouring threads have one element of the
/// results.
struct ElementThreads {
  ElementThreads(SegmentKernel &kernel, int64_t threads, int64_t parts);

  int64_t parts;
  Value part;    ///< The thread's; null: it has an element alone.
  Value first;   ///< The number of the block's first element.
  Value element; ///< The number of the thread's element.
};

/// Computes and stores all results.
void emitElements(SegmentKernel &kernel, const ShapeSymbols &symbols,
                  const ElementThreads &threads);

/// What an attribute says.
schedule::TileSchedule getTileSchedule(fusion::TileScheduleAttr attr);

/// One for each schedule attribute: the kernels of the segment and their
/// launches.
LogicalResult lowerGeneric(SegmentLowering &lowering);
LogicalResult lowerTile(SegmentLowering &lowering);
LogicalResult lowerSplitReduction(SegmentLowering &lowering);

/// Of a tile schedule for rows in order.
LogicalResult lowerRowOrder(SegmentLowering &lowering,
                            const schedule::TileSchedule &schedule);

/// Of a tile schedule for a scatter: it is that of its indices, which are
/// sorted.
LogicalResult lowerScatter(SegmentLowering &lowering,
                           const schedule::TileSchedule &schedule);

/// Of a tile schedule for reductions that leave the last dimension; with
/// `isInnerOuter` some reduce just what these leave.
LogicalResult lowerOuterReduction(SegmentLowering &lowering,
                                  const schedule::TileSchedule &schedule,
                                  bool isInnerOuter);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_GPUKERNEL_H
