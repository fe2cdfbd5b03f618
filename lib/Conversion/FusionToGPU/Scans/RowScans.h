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
  SmallVector<Value> emit(ArrayRef<Piece> pieces, ValueRange before, Value step,
                          ReadPieces read) override;

private:
  /// The leaves of a thread, and what their segments are combined to.
  struct Scanned {
    SmallVector<Leaf, 0> leaves;
    SmallVector<Value> segments;
    unsigned numParked = 0; ///< The first ones wait in shared memory.
  };
  Scanned emitLeavesInParts(const ScanCombiner &combiner,
                            ArrayRef<Piece> pieces, ReadPieces read);
  void emitPart(const ScanCombiner &combiner, ArrayRef<Piece> pieces,
                unsigned first, Scanned &scanned);
  /// Shared memory in which leaves wait.
  struct Parked {
    Parked() = default;
    Parked(const RowScans &scans, Type type, int64_t elements);
    TensorAccess access;
    int64_t elements = 1; ///< Of a leaf.
  };
  struct ParkedLeaves {
    Parked upTo;
    std::optional<Parked> before; ///< In the segment, where that is apart.
  };
  ParkedLeaves &getParked(const ScanCombiner &combiner);
  Value emitParkedPlace(const Parked &memory, unsigned leaf);
  void emitStore(const Parked &memory, unsigned leaf, Value value);
  Value emitLoad(const Parked &memory, unsigned leaf, int64_t width);
  void emitPark(const ScanCombiner &combiner, Scanned &scanned);
  void emitUnpark(const ScanCombiner &combiner, Scanned &scanned);
  void emitSegments(const ScanCombiner &combiner, Scanned &scanned,
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
  Value emitSegmentsBefore(const ScanCombiner &combiner, const Shared &shared);
  Value emitSegmentsInLanes(const ScanCombiner &combiner, const Shared &shared);

  ScanSections *sections;
  int64_t rows;
  int64_t numWarps; ///< That share a row.
  LaneScan lanes;
  DenseMap<Type, ParkedLeaves> parked; ///< By the type of the scan.
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_SCANS_ROWSCANS_H
