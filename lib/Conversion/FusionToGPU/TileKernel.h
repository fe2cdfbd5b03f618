//===- TileKernel.h - A thread block a tile of elements --------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread reads what it has of the block's tile, once, and keeps it in SSA
// values: TileKernel.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_TILEKERNEL_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_TILEKERNEL_H

#include "GpuKernel.h"
#include "ReadAhead.h"
#include "Reduction/RowReductions.h"
#include "Scans/TileScans.h"
#include "TileStaging.h"

namespace fuser {

class ScanSections;

/// What the kernel of a segment computes.
struct TileProgram {
  schedule::TileSchedule schedule;
  Value tensor;               ///< As large as the space.
  SmallVector<int64_t> shape; ///< Of the space; negative where it is not known.
  SmallVector<SizeFacts> facts; ///< Of these sizes.
  int64_t mostCut = 1;          ///< See TileSpace.
  /// All tensors have its elements in the same dense order.
  bool isFlat = false;
  /// With reductions; else all results are as large as the space.
  std::optional<ReductionSpace> rows;
  /// With scans.
  std::optional<ScanSpace> scans;
  bool isOneStep = true; ///< A tile has all columns.
  bool isSplit = false;  ///< Or a section of them (SumOrder.h).
  SmallVector<unsigned> fullResults;
  SmallVector<PlainRead> stagedReads;

  /// Vectors end with each row of the last dimension.
  bool cutsRows() const { return !rows && (!scans || isOuterScan()); }
  /// Along another dimension than the last one: of three axes the second.
  bool isOuterScan() const { return scans && schedule.getNumAxes() == 3; }
  /// What reductions or scans, and results as large, are made of: that is read
  /// first.
  SmallVector<Value> getReadStarts(fusion::SegmentOp segment) const;
  /// Of rows without elements there is something to be computed.
  bool hasEmptyRows() const { return rows && !rows->rowResults.empty(); }
  TileSpace emitSpace(OpBuilder &b, Location loc, SegmentSizes &sizes) const;
  OpFoldResult emitNumTiles(OpBuilder &b, Location loc,
                            const TileSpace &space) const;
};

class TileEmitter {
public:
  /// `inverses`: of TileSpace. `sections`: of a split scan, else null.
  TileEmitter(SegmentKernel &kernel, const TileProgram &program,
              gpu::GPUFuncOp func, ValueRange inverses,
              ScanSections *sections = nullptr);

  LogicalResult run();

  /// Bytes of it that the kernel asks the launch for.
  int64_t getSharedBytes() const { return ahead ? ahead->getSharedBytes() : 0; }

private:
  using Pieces = ArrayRef<Piece>;

  void emitTile(bool isWhole);
  void emitRows();
  void emitScans();
  SmallVector<Piece> emitScannedPieces(Value start, bool isWhole);
  SmallVector<Value> emitScanStep(Value start, ValueRange before, Value step,
                                  bool isWhole);
  void emitSection();
  void emitReads(Pieces pieces);
  void emitRowReads();
  SmallVector<Value> getRowPlace(unsigned result);
  void enter(const Piece &piece);
  void emitCopies(Pieces pieces);
  void emitResults(const Piece &piece);
  void emitRowResults();
  void emitCutTile();
  void emitElements(const Piece &piece);
  bool hasBarriers() const {
    return program.rows || staging.hasReads() || staging.hasResults();
  }

  SegmentKernel &kernel;
  const TileProgram &program;
  const schedule::TileSchedule &schedule;
  gpu::GPUFuncOp func;
  OpBuilder &b;
  Location loc;
  TileIndex index;
  TileStaging staging;
  ReductionWalk walk;
  std::optional<RowReductions> reductions;
  std::unique_ptr<TileScans> scans;
  ScanSections *sections;
  std::optional<ReadAhead> ahead; ///< Of one step, if there are stages.
  /// The dimension along which vectors lie.
  int64_t dim;
};

/// Of a program whose blocks have a section of a scan each.
LogicalResult lowerSplitScan(SegmentLowering &lowering,
                             const TileProgram &program);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_TILEKERNEL_H
