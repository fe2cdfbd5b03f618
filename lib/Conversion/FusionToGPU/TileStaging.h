//===- TileStaging.h - Tiles that are handed over --------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From one layout to another through shared memory: a tensor that is read, or
// written, by threads that follow each other otherwise than where elements are
// computed, so that each access of a warp covers neighbouring memory.
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
  /// `reads` are the accesses to operands that are staged. Binds these.
  TileStaging(SegmentKernel &kernel, gpu::GPUFuncOp func,
              const schedule::TileSchedule &schedule,
              ArrayRef<PlainRead> reads);

  bool hasReads() const { return !reads.empty(); }
  bool hasResults() const { return !schedule.results.empty(); }

  /// Reads what is staged at `pieces`, of the layout `staged`, into shared
  /// memory.
  void emitReads(ArrayRef<Piece> pieces);

  /// From now on elements at the index of `piece` are computed.
  void setCurrent(const Piece &piece) { current = &piece; }

  /// Puts what is staged of the results at the current piece into shared
  /// memory; `values` are of all results.
  void emitHandOver(ArrayRef<Value> values);

  /// Writes what is staged of the results at `pieces`, of the layout `staged`.
  void emitWrites(ArrayRef<Piece> pieces);

private:
  Value createTile(gpu::GPUFuncOp func, const TensorAccess &access);
  SmallVector<Value> getPosition(const Piece &piece) const;
  void bindRead(unsigned operand);
  Value emitRead(unsigned operand, ValueRange index);
  bool isCurrent(AffineMap map, ValueRange index) const;

  SegmentKernel &kernel;
  const schedule::TileSchedule &schedule;
  SmallVector<PlainRead> reads;
  OpBuilder &b;
  Location loc;
  SmallVector<Value> readTiles, resultTiles;
  const Piece *current = nullptr;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_TILESTAGING_H
