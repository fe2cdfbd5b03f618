//===- RowScans.h - Scans of rows that threads share -----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans of the columns of a tile: a segment is in the lanes of a warp, and what
// segments are combined to goes through shared memory, from which each thread
// takes all of them, one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_SCANS_ROWSCANS_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_SCANS_ROWSCANS_H

#include "SplitScan.h"
#include "TileScans.h"

namespace fuser {

class RowScans : public TileScans {
public:
  /// Columns are the last axis of `index`, rows the one before it, of which a
  /// thread has one. `sections`: of a tile that is one, else null.
  RowScans(SegmentKernel &kernel, const ScanSpace &space, TileIndex &index,
           const schedule::TileSchedule &schedule, gpu::GPUFuncOp func,
           ScanSections *sections);

  /// Of each scan what the row's elements before are combined to.
  SmallVector<Value> getInit() const override;
  SmallVector<Value> emit(ArrayRef<Piece> pieces, ValueRange before,
                          Value step) override;

private:
  void emitSegments(const ScanCombiner &combiner, MutableArrayRef<Leaf> leaves,
                    SegmentChain &chain, Value step);
  /// What segments of a tile are combined to, in shared memory.
  struct Shared {
    Value buffer, first; ///< From where on the row's are.
    Value warp;          ///< The thread's, of the row.
    int64_t numLeaves;   ///< Of a thread.
  };
  Shared emitShared(const ScanCombiner &combiner, ArrayRef<Value> segments,
                    Value step);
  SmallVector<Value> emitChain(const Shared &shared, SegmentChain &chain);
  SmallVector<Value> emitSectionChain(const ScanCombiner &combiner,
                                      const Shared &shared);

  ScanSections *sections;
  int64_t rows;
  int64_t numWarps; ///< That share a row.
  LaneScan lanes;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_SCANS_ROWSCANS_H
