//===- SortedRows.h - Kernels over rows that are sorted --------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of any length, along any dimension, are sorted by sorting the positions
// of their elements in a workspace of [rows, elements]: tiles that are merged
// (MergeSort.cpp), or digit by digit (RadixSort.cpp), as the layout says.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_FIBRES_SORTEDROWS_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_FIBRES_SORTEDROWS_H

#include "../GpuKernel.h"
#include "fuser/Schedule/Problem.h"
#include "fuser/Support/SortTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fuser {

/// A tensor of a segment whose rows are sorted, how, and by which tiles.
struct SortedRows {
  Value tensor;
  schedule::OrderProblem problem;
  int64_t keyBits;
  /// What OrderOpInterface::emitSortKey gives for an element of type `type`: an
  /// i64, or an i32 if keys have at most 32 bits.
  std::function<Value(fusion::EmitContext &ctx, Value element, Type type)>
      emitKey;
  schedule::TileSchedule schedule;
  /// Whether elements are wanted in order, too: a sort by digits moves them
  /// instead of their keys.
  bool keepsElements = false;

  Type getElementType() const { return getElementTypeOrSelf(tensor.getType()); }
  int64_t getTile() const { return schedule.getExtent(/*axis=*/1); }
  bool isByDigits() const { return isSortedByDigits(schedule.layout); }
  bool isOneTile() const {
    return problem.maxLength != schedule::kUnknown &&
           problem.maxLength <= getTile();
  }
};

/// The axes of the schedule of a segment that sorts rows.
LogicalResult verifySortedAxes(fusion::SegmentOp segment,
                               const schedule::TileSchedule &schedule,
                               const schedule::OrderProblem &problem);

/// How many rows there are, in the host program or in a kernel.
struct RowSizes {
  RowSizes(OpBuilder &b, Location loc, SegmentSizes &sizes,
           const SortedRows &sorted);

  SmallVector<OpFoldResult> dims; ///< Of all dimensions but one.
  OpFoldResult number;            ///< Their product.
  OpFoldResult length;            ///< Of a row.
  /// How many tiles of so many columns follow each other in a row.
  OpFoldResult emitTiles(OpBuilder &b, Location loc, int64_t columns) const {
    return emitCeilDiv(b, loc, length, columns);
  }
};

/// A kernel, whose workspaces are the last arguments.
class RowKernel {
public:
  RowKernel(SegmentLowering &lowering, const SortedRows &sorted,
            const GpuKernelOptions &options);

  /// The index of an element of a row, by numbers.
  SmallVector<Value> getIndexOf(Value row, Value position);
  Value emitElement(Value row, Value position) {
    return elements.emit(loc, sorted.tensor, getIndexOf(row, position));
  }
  /// The key of an element.
  Value emitKey(Value element);
  Value emitKey(Value row, Value position) {
    return emitKey(emitElement(row, position));
  }

  /// The position at `place` of a row in a workspace.
  Value load(Value workspace, Value row, Value place);
  void store(Value position, Value workspace, Value row, Value place) {
    storePosition(position, workspace, getPlace(row, place));
  }
  void storePosition(Value position, Value workspace, Value number);
  /// The number of an element in a workspace.
  Value getPlace(Value row, Value place);

  /// What `emit` computes under the condition is forgotten behind it.
  void ifTrue(Value condition, function_ref<void()> emit) {
    emitIf(b, loc, condition, [&] {
      ElementEmitter::Scope scope(elements);
      emit();
    });
  }
  Value getIndex(int64_t value) { return elements.getIndex(loc, value); }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(b, loc, lhs, rhs);
  }
  Value sub(Value lhs, Value rhs) {
    return arith::SubIOp::create(b, loc, lhs, rhs);
  }
  Value min(Value lhs, Value rhs) {
    return arith::MinUIOp::create(b, loc, lhs, rhs);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  }
  Value select(Value condition, Value then, Value otherwise) {
    return arith::SelectOp::create(b, loc, condition, then, otherwise);
  }
  Value toIndex(Value position) {
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), position);
  }

  Location loc;
  OpBuilder b;
  gpu::GPUFuncOp func;
  SegmentKernel kernel;
  ElementEmitter &elements;
  const SortedRows &sorted;
  RowSizes rows;
  Value length; ///< Of a row.
  SmallVector<Value> workspaces;
};

/// The first place from `low` to `high` that is not before; all that are come
/// first.
Value emitBisection(RowKernel &k, Value low, Value high,
                    function_ref<Value(Value place)> isBefore);

/// The tile of a block: a row's elements from `start` on.
struct RowTile {
  Value row, number, start;
};

/// Tiles follow each other in a row of so many elements, and rows each other.
RowTile emitOwnTile(RowKernel &k, OpFoldResult length);

/// Elements of each row that are sorted: all of them, or those whose positions
/// a workspace of [rows, length] has. Behind the last ones there may be some
/// that are beyond the end of the row.
struct RowList {
  OpFoldResult length;
  Value positions; ///< Null: all.

  /// The number of an element in the workspace.
  Value getPlace(RowKernel &k, Value row, Value place) const;
};

/// What becomes of a tile in order: `store` is called for its places below
/// `count`.
struct TileStore {
  std::function<Value(const RowTile &tile)> count;
  std::function<void(const RowTile &tile, Value place, Value position)> store;
};

/// Sorts the block's tile.
LogicalResult emitSortedTile(RowKernel &k, const RowList &list,
                             const TileStore &store);

/// Of a block whose threads have an element each.
constexpr int64_t kElementThreads = 256;

/// Calls `emit` with the thread's coordinates in a box of `sizes`; `isThere`:
/// they are in it. Threads beyond the last element have that one's.
void forOwnElement(
    RowKernel &k, ArrayRef<OpFoldResult> sizes,
    function_ref<void(ArrayRef<Value> index, Value isThere)> emit);

/// Launches such a kernel for `count` elements.
void launchElements(SegmentLowering &lowering, gpu::GPUFuncOp kernel,
                    OpFoldResult count, ValueRange workspaces);

/// The host program of kernels over rows and their positions in order.
class RowSort {
public:
  RowSort(SegmentLowering &lowering, const SortedRows &sorted);

  /// A kernel with this suffix, a block a tile; null after an error.
  using EmitFn = function_ref<LogicalResult(RowKernel &k)>;
  gpu::GPUFuncOp createTileKernel(StringRef suffix, TypeRange workspaces,
                                  EmitFn emit);
  /// For tiles of rows of so many elements.
  void launchTiles(gpu::GPUFuncOp kernel, ValueRange workspaces,
                   OpFoldResult length);
  /// One that has a thread for each of so many elements.
  gpu::GPUFuncOp createElementKernel(StringRef suffix, TypeRange workspaces,
                                     EmitFn emit) {
    return createKernel({kElementThreads, 0, suffix}, workspaces, emit);
  }

  Value createWorkspace(int64_t number, Type element, OpFoldResult size);
  /// Of a position for each element.
  Value createPositions(int64_t number) {
    return createWorkspace(number, positionType, elements);
  }

protected:
  Value getIndex(int64_t value) {
    return arith::ConstantIndexOp::create(host, loc, value);
  }

  SegmentLowering &lowering;
  const SortedRows &sorted;
  OpBuilder &host;
  Location loc;
  RowSizes rows;
  Type positionType; ///< Of a position in a row.
  OpFoldResult elements;

private:
  gpu::GPUFuncOp createKernel(GpuKernelOptions options, TypeRange workspaces,
                              EmitFn emit);
};

/// What becomes of positions in order: `store` is called for the places of a
/// row below `count`, with the element that is there, or null if it is only in
/// the tensor.
struct PlaceStore {
  std::function<OpFoldResult(RowKernel &k)> count;
  std::function<void(RowKernel &k, Value row, Value place, Value position,
                     Value element)>
      store;
};

/// The host program sorts the positions of all rows by merges, or by digits;
/// gives their workspace, null after an error.
Value emitMergeSort(SegmentLowering &lowering, const SortedRows &sorted);
Value emitRadixSort(SegmentLowering &lowering, const SortedRows &sorted);

/// The same by digits; the last kernel stores.
LogicalResult emitRadixSort(SegmentLowering &lowering, const SortedRows &sorted,
                            const PlaceStore &store);

/// The first `kept` of rows of which at most so many are known to be: at most
/// half a tile, or all of one tile.
LogicalResult emitRoundSort(SegmentLowering &lowering, const SortedRows &sorted,
                            int64_t kept, const PlaceStore &store);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_FIBRES_SORTEDROWS_H
