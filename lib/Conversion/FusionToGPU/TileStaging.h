//===- TileStaging.h - Tiles that are handed over --------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From one layout to another through shared memory: a tensor that is read, or
// written, by threads that follow each other otherwise than where elements are
// computed, so that each access of a warp covers neighbouring memory. Where a
// thread has neighbours along two axes in both layouts, it turns these small
// tiles in registers, and all accesses are of vectors.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_TILESTAGING_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_TILESTAGING_H

#include "TileIndex.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fuser {

class TileStaging {
public:
  /// `reads` are the accesses to operands that are staged. A thread has
  /// `vector` neighbours along the last axis.
  TileStaging(SegmentKernel &kernel, gpu::GPUFuncOp func,
              const schedule::TileSchedule &schedule, ArrayRef<PlainRead> reads,
              int64_t vector);

  bool hasReads() const { return !reads.empty(); }
  bool hasResults() const { return !schedule.results.empty(); }

  /// What is staged has its pieces along this axis.
  int64_t getAxis() const { return across; }

  /// Reads what is staged at `pieces`, of the layout `staged`. Until it is in
  /// shared memory, nobody else reads it.
  void emitReads(ArrayRef<Piece> pieces);
  /// Puts it into shared memory.
  void emitReadsHandOver(ArrayRef<Piece> pieces);

  /// From now on elements at the index of `piece` are computed.
  void setCurrent(const Piece &piece) { current = &piece; }

  /// Puts what is staged of the results at the current piece into shared
  /// memory; `values` are of all results.
  void emitHandOver(ArrayRef<Value> values);

  /// Writes what is staged of the results at `pieces`, of the layout `staged`.
  void emitWrites(ArrayRef<Piece> pieces);

private:
  /// A tensor's part in shared memory.
  struct Tile {
    SharedTile places;
    TensorAccess memory;
    int64_t vector;     ///< Neighbours along the last axis of an access.
    Value staged, used; ///< What a thread's number has in both layouts, an i32.
    /// The bits that it may have.
    int64_t stagedBits, usedBits;
  };

  Tile createTile(gpu::GPUFuncOp func, const TensorAccess &access);
  Value emitIndex(const Tile &tile, ArrayRef<int64_t> offsets, bool isStaged);
  Value emitLoad(const Tile &tile, ArrayRef<int64_t> offsets, bool isStaged);
  void emitStore(const Tile &tile, Value stored, ArrayRef<int64_t> offsets,
                 bool isStaged);

  SmallVector<Value> emitTurned(ArrayRef<Value> rows);

  Value emitGlobalRead(const PlainRead &read, const Piece &piece);
  void bindRead(unsigned operand);
  Value emitRead(unsigned operand, ValueRange index, int64_t width,
                 int64_t dim);
  int64_t findCurrent(AffineMap map, ValueRange index);

  SegmentKernel &kernel;
  const schedule::TileSchedule &schedule;
  SmallVector<PlainRead> reads;
  OpBuilder &b;
  Location loc;
  /// The axis of neighbours in the memory of what is staged.
  int64_t across;
  int64_t vector;
  bool isTurned; ///< That axis is not the one of vectors.
  int64_t rows;  ///< How many pieces are turned together.
  SmallVector<Tile, 0> readTiles, resultTiles;
  SmallVector<Value> held; ///< What has been read, of each read all pieces.
  const Piece *current = nullptr;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_TILESTAGING_H
