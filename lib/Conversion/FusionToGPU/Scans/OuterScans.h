//===- OuterScans.h - Scans of columns that threads share ------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans of the rows of a tile, which threads read as they lie in memory: lanes
// have neighbouring columns, and each thread leaves of its columns. What leaves
// are combined to goes to shared memory, from which a warp takes those of a
// column, one segment after the other, scans them, and puts what is before each
// into the same place.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_SCANS_OUTERSCANS_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_SCANS_OUTERSCANS_H

#include "TileScans.h"

namespace fuser {

class OuterScans : public TileScans {
public:
  /// The axes of `index` are dimensions before the one that is scanned, that
  /// one, and those behind it.
  OuterScans(SegmentKernel &kernel, const ScanSpace &space, TileIndex &index,
             const schedule::TileSchedule &schedule, gpu::GPUFuncOp func);

  /// Of each scan what the elements before are combined to, of the columns that
  /// the thread's warp scans.
  SmallVector<Value> getInit() const override;
  SmallVector<Value> emit(ArrayRef<Piece> pieces, ValueRange before, Value step,
                          ReadPieces read) override;

private:
  void emitHandOver(const ScanCombiner &combiner, ArrayRef<Leaf> leaves);
  SmallVector<Value> emitColumns(const ScanCombiner &combiner,
                                 ValueRange before, Value step);
  SmallVector<Value> emitColumn(const ScanCombiner &combiner, Value column,
                                ValueRange before, Value step);
  void emitTakeOver(const ScanCombiner &combiner, MutableArrayRef<Leaf> leaves);
  Value emitPlace(int64_t leaf, int64_t neighbour);
  Value getMemory(const ScanCombiner &combiner);
  Value emitLoad(const ScanCombiner &combiner, Value place);
  void emitStore(const ScanCombiner &combiner, Value value, Value place);

  DenseMap<Type, Value> memory;
  int64_t columns;   ///< Of the tile.
  int64_t threads;   ///< Along the scanned axis.
  int64_t numLeaves; ///< Of the tile.
  int64_t numWarps;
  int64_t columnsOfWarp; ///< That a warp scans, at most.
  LaneScan lanes;
  Value warp, lane;
  Value firstPlace; ///< Of the thread's first leaf and column.
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_SCANS_OUTERSCANS_H
