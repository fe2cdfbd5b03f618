//===- TileIndex.h - Where the elements of a thread are --------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place where a layout becomes arithmetic: the coordinates of what a
// thread has of its block's tile, and whether they are in the space.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_TILEINDEX_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_TILEINDEX_H

#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Conversion/SegmentKernel.h"
#include "fuser/Conversion/SegmentLowering.h"
#include "fuser/Schedule/TileSchedule.h"

namespace fuser {

/// The dimensions of the space in axes, and how it is cut into tiles.
struct TileSpace {
  /// What a quotient by an open size is made with: the high half of a product,
  /// shifted. Null: by dividing.
  struct Inverse {
    Value factor, shift;
  };

  struct Axis {
    SmallVector<int64_t> dims;
    /// Elements of a vector if the axis is counted in vectors, else 1.
    int64_t unit = 1;
    /// Of the dimensions, the last one in units.
    SmallVector<OpFoldResult> sizes;
    /// Of each of them; none at all: by dividing.
    SmallVector<Inverse> inverses;
    OpFoldResult extent; ///< Their product.
    /// Of that, if it is not known. Bounds are those of the last axis only,
    /// which may be one tile.
    SizeFacts facts = {};
    int64_t tile; ///< A block's or a cluster's part of it.
    OpFoldResult numTiles;
  };
  SmallVector<Axis> axes;
  OpFoldResult lastSize; ///< Elements of the last dimension.
  /// What these are a multiple of: themselves where they are known.
  int64_t lastDivisor = 1;
  /// So many neighbours may be a vector that a row of one dimension ends in.
  int64_t mostCut = 1;
  int64_t rank = 0; ///< Dimensions.

  /// In the host program, for open sizes that coordinates are divided by: what
  /// a kernel multiplies by instead. It takes them as arguments of these types.
  SmallVector<Value> emitInverses(OpBuilder &b, Location loc) const;
  SmallVector<Type> getInverseTypes(OpBuilder &b) const;
  void setInverses(ValueRange inverses);

  OpFoldResult emitNumBlocks(OpBuilder &b, Location loc) const;
  /// Of rows, unless these have no elements.
  OpFoldResult emitNumBlocksOfRows(OpBuilder &b, Location loc) const;
};

/// The coordinates, along the dimensions of the axis, of its element `linear`.
SmallVector<Value> emitCoordinates(OpBuilder &b, Location loc, Value linear,
                                   const TileSpace::Axis &axis);

/// Of dimensions of these sizes. With `cutsRows` no vector goes beyond the end
/// of the last dimension, whatever its size is; without, a tile has all of the
/// last axis. What is staged has vectors along each axis, as far as they are
/// known not to go beyond the end of its last dimension. `facts`: what is known
/// of the sizes.
TileSpace emitTileSpace(OpBuilder &b, Location loc,
                        ArrayRef<OpFoldResult> sizes,
                        const schedule::TileSchedule &schedule, bool cutsRows,
                        ArrayRef<SizeFacts> facts);

/// The same of a space of one dimension that has `size` elements.
TileSpace emitFlatSpace(OpBuilder &b, Location loc, OpFoldResult size,
                        const schedule::TileSchedule &schedule);

/// A coordinate along an axis.
struct TilePoint {
  SmallVector<Value> index; ///< Of the dimensions of the axis.
  Value at;                 ///< In units of the axis.
  Value valid;              ///< Whether it is in the space; null: always.
  /// The index as it is outside, too. Uses that check `valid` take it, since it
  /// makes the addresses of a thread differ by constants.
  SmallVector<Value, 0> place;
};

/// Neighbours along the last dimension of an axis that a thread has.
struct Piece {
  /// The index of the first one. If they are outside of the space, that of some
  /// that are inside.
  SmallVector<Value> index;
  /// The same as TilePoint::place.
  SmallVector<Value, 0> place;
  SmallVector<Value, 3> at; ///< Along each axis, as TilePoint has it.
  int64_t width = 1;
  /// From the thread's first element on, along each axis.
  SmallVector<int64_t, 3> offsets;
  /// Whether each axis has them, and whether all do. Null: always.
  SmallVector<Value, 3> valid;
  Value inside;
};

class TileIndex {
public:
  /// `block`: the number of the thread block, where it is not the launch's.
  TileIndex(SegmentKernel &kernel, const TileSpace &space,
            const schedule::TileSchedule &schedule, Value block = {});

  /// Whether all of the block's tile is in the space; null: always. The same
  /// for all threads of a block.
  Value emitIsWhole();

  /// The same, and whether the end of a row cuts none of the thread's vectors:
  /// threads of a block may differ.
  Value emitAreVectorsWhole();

  /// What a thread has, in vectors along the last axis. `isWhole`: that is
  /// known to be in the space. Vectors that a row cuts (where they are not the
  /// units of the axis) come in pieces, but for those of TileSpace::mostCut.
  SmallVector<Piece> emitPieces(const TileLayout &layout, bool isWhole) {
    return emitPieces(layout, isWhole, schedule.getNumAxes() - 1);
  }
  /// The same in units of `axis`, those of one unit of the last axis one after
  /// the other.
  SmallVector<Piece> emitPieces(const TileLayout &layout, bool isWhole,
                                int64_t axis);

  /// The same pieces where the block's tile begins at `start` along an axis
  /// that is not the last one: what they have of other axes stays what it is.
  /// `isWhole`: the tile is known to be in the space along this axis.
  SmallVector<Piece> movePieces(ArrayRef<Piece> pieces, int64_t axis,
                                Value start, bool isWhole = false);

  /// The point of the thread's pieces on the first axis, of which it has one.
  const TilePoint &emitRow() {
    return emitPoint(schedule.layout, 0, 0, 1, /*isWhole=*/false);
  }

  /// The vector of this number, which need not be a constant, wherever it is.
  Piece emitPiece(const TileLayout &layout, Value number);

  const TileSpace &getSpace() const { return space; }

  /// The number of the block's tile along an axis, and where it begins. It may
  /// be put elsewhere, for the pieces that are emitted then.
  Value getTile(int64_t axis) const { return tiles[axis]; }
  Value getStart(int64_t axis) const { return starts[axis]; }
  void setStart(int64_t axis, Value start) { starts[axis] = start; }
  /// TileSpace::mostCut of the pieces that are emitted then.
  void setMostCut(int64_t neighbours) { space.mostCut = neighbours; }

  /// Whether the last axis has elements; null: that is known.
  Value emitHasColumns();

  /// The size of the last dimension.
  Value emitRowEnd() { return emitIndex(b, loc, space.lastSize); }

  /// Whether a vector is in the last dimension as a whole; null: always.
  Value emitIsWholeVector(const Piece &piece);

  /// How many elements the row has from `piece.place` on, none if that is not
  /// positive; null: at least the piece's.
  Value emitLeft(const Piece &piece);
  /// The same from `index` on, `piece.index` or `piece.place`, where the
  /// piece may be cut; null: it is not.
  Value emitCutCount(const Piece &piece, ArrayRef<Value> index);
  /// Sets the condition of the reads that follow to that of `piece`.
  void enter(const Piece &piece) {
    kernel.setReadCondition(piece.inside, emitCutCount(piece, piece.index));
  }

  /// Stores what these results of the segment have of the piece, by number,
  /// neighbours along `dim`. Those whose rows begin anywhere are stored by all
  /// lanes of a warp together if `areThere`: all threads are here. `areKnown`:
  /// addresses of what is read there are known anyway, and no others are to be.
  void storeResults(ArrayRef<unsigned> results, const Piece &piece,
                    ArrayRef<Value> values, bool areThere,
                    int64_t dim = kLastDim, bool areKnown = false);

  /// Which of the piece's elements exist: one condition, or a vector of them.
  /// Null: all do.
  Value emitExist(const Piece &piece);

  /// So many neighbouring lanes have neighbouring pieces of a row.
  int64_t countNeighbourLanes(const Piece &piece) const;

  /// A thread's number among those along an axis.
  Value emitThreadAlong(int64_t axis);

  int64_t getNumVectors() const {
    return schedule.getElementsPerThread() / schedule.getVector();
  }

private:
  /// What the digits of a vector's number count: so many steps along an axis.
  struct Digit {
    int64_t axis;
    int64_t count;
    int64_t step; ///< In elements.
  };

  SmallVector<Digit> getDigits(const TileLayout &layout, int64_t along) const;
  SmallVector<SmallVector<int64_t>> getOffsets(const TileLayout &layout,
                                               int64_t along) const;
  int64_t getVector(const TileLayout &layout, int64_t axis) const;
  Value emitField(TileLayout::Field field, const TileLayout &layout);
  Value emitThreadPart(const TileLayout &layout, int64_t axis);
  void enter(const TileLayout &layout);
  int64_t getUnit(int64_t axis) const { return space.axes[axis].unit; }
  bool isDivisible(int64_t axis) const;
  bool isInside(const TileLayout &layout, int64_t axis, int64_t offset,
                int64_t width) const;
  bool isBeyond(int64_t axis, int64_t offset) const;
  const TilePoint &emitPoint(const TileLayout &layout, int64_t axis,
                             int64_t offset, int64_t width, bool isWhole);
  SmallVector<Value> emitDims(int64_t axis, Value coordinate);
  Piece joinPoints(ArrayRef<TilePoint> points) const;
  int64_t getPieceWidth(int64_t offset) const;
  bool isCut(const Piece &piece) const;
  void storeTogether(ArrayRef<unsigned> results, const Piece &piece,
                     ArrayRef<Value> values, int64_t dim);

  SegmentKernel &kernel;
  OpBuilder &b;
  Location loc;
  TileSpace space;
  const schedule::TileSchedule &schedule;
  Value thread;
  Value rank; ///< Of the block in its cluster; null: there is one.
  SmallVector<Value> tiles, starts; ///< Of the block's tile.
  /// Of the pieces that are being emitted: the thread's part of the
  /// coordinates, with and without the block's, and points by axis and offset.
  SmallVector<Value> bases, parts;
  DenseMap<std::pair<int64_t, int64_t>, TilePoint> points;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_TILEINDEX_H
