//===- TileScans.h - Scans of the elements of a tile -----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans along the second axis of a tile, in the order of SumOrder.h: a leaf is
// in the registers of a thread, whose neighbours are scanned by the lanes of a
// warp. Of rows (RowScans.h) these lanes have the leaves; of columns
// (OuterScans.h) they get them through shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_SCANS_TILESCANS_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_SCANS_TILESCANS_H

#include "../TileIndex.h"
#include "ScanOrder.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fuser {

/// Of the axes of a schedule: the one that is scanned.
constexpr int64_t kScannedAxis = 1;

class TileScans {
public:
  using ReadPieces = function_ref<void(ArrayRef<Piece>)>;

  virtual ~TileScans() = default;

  /// What is read ahead from now on stops at the scans, until they are emitted.
  void unbind();

  /// What `before` is of the first call of emit.
  virtual SmallVector<Value> getInit() const = 0;

  /// Emits and binds all of them, of the fibres that the pieces are of, or of
  /// some neighbouring leaves of these: `before` is what is before them, and so
  /// is what is returned for what follows. `step` counts the calls for one
  /// fibre from 0 on; null: there is one. `read` reads what is needed of
  /// pieces.
  virtual SmallVector<Value> emit(ArrayRef<Piece> pieces, ValueRange before,
                                  Value step, ReadPieces read) = 0;

protected:
  /// Elements that a thread has beside each other.
  struct Leaf {
    /// Of which pieces, by number.
    unsigned first, end;
    /// What the leaf's elements are combined to, up to each one.
    SmallVector<Value> upTo;
    Value before; ///< What is before the leaf.
  };

  TileScans(SegmentKernel &kernel, const ScanSpace &space, TileIndex &index,
            const schedule::TileSchedule &schedule, gpu::GPUFuncOp func);

  /// The leaves that the pieces are of, with nothing before them. With
  /// `inVectors` the elements of one are those of vectors, else the vectors.
  SmallVector<Leaf, 0> emitLeaves(const ScanCombiner &combiner,
                                  ArrayRef<Piece> pieces, bool inVectors);
  void bind(const ScanCombiner &combiner, ArrayRef<Leaf> leaves,
            ArrayRef<Piece> pieces, bool inVectors);
  /// Of shared memory; of each scan the same one always.
  Value getBuffer(const ScanCombiner &combiner, int64_t size);

  /// Whether a fibre may have several.
  bool hasGroups() const;
  Value getConstant(int64_t value);
  Value add(Value lhs, Value rhs);
  Value multiply(Value value, int64_t factor);

  SegmentKernel &kernel;
  TileIndex &index;
  const schedule::TileSchedule &schedule;
  gpu::GPUFuncOp func;
  OpBuilder &b;
  Location loc;
  int64_t leafSize;
  int64_t dim; ///< That is scanned.
  SmallVector<ScanCombiner, 1> combiners;

private:
  DenseMap<Operation *, Value> buffers;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_SCANS_TILESCANS_H
