//===- RowScans.h - Scans of rows that threads share -----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans of the columns of a tile, in the order of SumOrder.h: a leaf is in the
// registers of a thread, a segment in the lanes of a warp, and what segments
// are combined to goes through shared memory, from which each thread takes all
// of them, one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_FIBRES_ROWSCANS_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_FIBRES_ROWSCANS_H

#include "../TileIndex.h"
#include "ScanOrder.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fuser {

class RowScans {
public:
  /// Columns are the last axis of `index`, rows the one before it, of which a
  /// thread has one.
  RowScans(SegmentKernel &kernel, const ScanSpace &space, TileIndex &index,
           const schedule::TileSchedule &schedule, gpu::GPUFuncOp func);

  /// What is read ahead from now on stops at the scans, until they are emitted.
  void unbind();

  /// What no elements are combined to, of each scan.
  SmallVector<Value> getNeutral() const;

  /// Emits and binds all of them, of the row that the pieces are of, or of some
  /// neighbouring leaves of it: `before` is what is before them, for each scan;
  /// so is what is returned for what follows. `step` counts the calls for one
  /// row from 0 on; null: there is one.
  SmallVector<Value> emit(ArrayRef<Piece> pieces, ValueRange before,
                          Value step);

private:
  struct Leaf;

  SmallVector<Leaf, 0> emitLeaves(const ScanCombiner &combiner,
                                  ArrayRef<Piece> pieces);
  Value emitSegments(const ScanCombiner &combiner, MutableArrayRef<Leaf> leaves,
                     Value before, Value step);
  Value emitShared(const ScanCombiner &combiner, MutableArrayRef<Leaf> leaves,
                   Value before, Value step);
  void bind(const ScanCombiner &combiner, ArrayRef<Leaf> leaves,
            ArrayRef<Piece> pieces);
  Value getBuffer(const ScanCombiner &combiner, int64_t size);

  SegmentKernel &kernel;
  TileIndex &index;
  gpu::GPUFuncOp func;
  OpBuilder &b;
  Location loc;
  int64_t leafSize;
  int64_t rows;
  int64_t numWarps; ///< That share a row.
  LaneScan lanes;
  SmallVector<ScanCombiner, 1> combiners;
  DenseMap<Operation *, Value> buffers;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_FIBRES_ROWSCANS_H
