//===- SplitScan.h - Scans of rows that thread blocks share ----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few rows that are long: one thread block a row would leave most of the GPU
// idle. A block has a section of a row (SumOrder.h) instead, keeps it in
// registers, and tells the blocks behind it what it is combined to; so the
// inputs are read once. It waits for those of its group of sections only, and
// for the group before: a chain as long as a row has groups.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_SCANS_SPLITSCAN_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_SCANS_SPLITSCAN_H

#include "ScanOrder.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fuser {

class TileIndex;

/// What blocks tell each other in memory: of each scan a workspace with what
/// each section is combined to, and behind them with what all sections up to
/// the end of each group are. At last counters, which are 0 before and after
/// the kernel: the blocks that have begun, and those that have ended; then for
/// each of these places the scans of which it has been told.
class ScanSections {
public:
  ScanSections(SegmentKernel &kernel, gpu::GPUFuncOp func, int64_t threads,
               int64_t sectionsOfGroup, ValueRange workspaces);

  /// The block's number in the order in which blocks begin: those that it waits
  /// for have begun.
  Value getBlock() const { return block; }

  /// The block has the section that is its tile.
  void enter(const TileIndex &index);

  /// What the sections before are combined to, if the block's is combined to
  /// `total`; for each scan of the segment once, in their order. All threads
  /// take part.
  Value emitBefore(const ScanCombiner &combiner, unsigned scan, Value total);

  /// Behind all scans: the last block leaves the counters as they were.
  void emitEnd();

  /// The size of a scan's workspace, and of the counters but these.
  static OpFoldResult emitPlaces(OpBuilder &b, Location loc, OpFoldResult rows,
                                 OpFoldResult sections,
                                 int64_t sectionsOfGroup);
  static constexpr int64_t kCountersOfAll = 2;
  static MemRefType getCountersType(MLIRContext *context);

private:
  Value emitCount(Value counter, kernel::Order order);
  void emitBlockCount(int64_t counter, kernel::Order order);
  Value emitCounted();
  void emitIfFirst(function_ref<void()> body);
  void emitTell(unsigned scan, Value place, Value value);
  void emitWait(unsigned scan, Value place);
  void emitWaitForLast(unsigned scan);
  Value emitTold(const ScanCombiner &combiner, unsigned scan, Value isThere,
                 Value place);
  void emitGather(const ScanCombiner &combiner, unsigned scan, Value buffer);
  Value emitChain(const ScanCombiner &combiner, unsigned scan, Value buffer);
  Value emitTree(const ScanCombiner &combiner, unsigned scan, Value buffer);
  Value emitGroups(const ScanCombiner &combiner, unsigned scan, Value sections,
                   Value total);
  Value getIndex(int64_t value);
  Value getInt(int64_t value);
  Value add(Value lhs, Value rhs);
  Value multiply(Value lhs, Value rhs);

  SegmentKernel &kernel;
  gpu::GPUFuncOp func;
  OpBuilder &b;
  Location loc;
  int64_t threads;
  int64_t sectionsOfGroup;       ///< Of integers there may be more.
  SmallVector<Value> workspaces; ///< Of each scan.
  Value counters;
  Value counted; ///< In shared memory, for the block.
  Value thread, block;
  Value numBlocks, numPlaces;
  bool hasManyBlocks = true; ///< Or any number of them.
  Value place;               ///< Of the block's section.
  Value first;               ///< Of the first section of its group.
  Value number;              ///< Of the section in its group.
  Value group;               ///< The place of the group.
  Value isLater; ///< There are groups before; null: there are none in any row.
  /// Shared memory of scans of each type, for whole tiles and others.
  DenseMap<Type, Value> buffers;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_SCANS_SPLITSCAN_H
