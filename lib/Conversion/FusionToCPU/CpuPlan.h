//===- CpuPlan.h - How a segment becomes loops on a CPU --------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan of a kernel follows from the segment and its schedule alone, so that
// the kernel and its launch agree on what a work item is. What there is to
// decide, the schedule says: #fusion.cpu. There are three kinds.
//
// *Reductions*: all reductions of the segment reduce the same dimensions of one
// space, and what is computed with their results looks at the result of the
// same row. A work item is a row (the last dimension is reduced) or a strip of
// columns (it is not; lanes are columns). It runs through its part of the space
// once for each *stage*: the reductions of a stage depend on those of the
// stages before.
//
//   row softmax   stage 0: max
//                 stage 1: sum of exp, exp kept in scratch memory
//                 stage 2: outputs
//
// Few long rows are *split*: a work item of a first kernel has a part of a row,
// and stores its accumulators in a workspace; a work item of a second one joins
// the parts of a row.
//
// *Fibres*: a work item is a fibre of the one op, in a loop as the op emits it,
// or as CpuOrder.cpp does. Where those need memory in which to sort, there are
// some work items that take one fibre after the other.
//
// *Elements*: everything else. Results of one shape form a group, and a work
// item is a tile of it. Reductions are loops inside an element, or inside a
// vector of them.
//
// Neither the kind nor the width of vectors changes a bit of a reduction:
// SumOrder.h.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOCPU_CPUPLAN_H
#define FUSER_LIB_CONVERSION_FUSIONTOCPU_CPUPLAN_H

#include "fuser/Analysis/ReductionSpace.h"
#include "fuser/Conversion/ElementEmitter.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace fuser {

/// The product of `sizes`, one after the other.
Value emitSizeProduct(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes);

/// What work items are: `chunk` neighbours each in a box of some dimensions,
/// where `step` positions of one of these count as one.
struct CpuItems {
  /// Gives the size of a dimension where the arithmetic is wanted.
  using SizeFn = llvm::function_ref<OpFoldResult(int64_t dim)>;

  SmallVector<int64_t> dims;
  int64_t steppedDim = -1;
  int64_t step = 1;
  int64_t chunk = 1;

  /// The sizes of the box, how many positions it has, and how many items that
  /// makes: for the kernel and for its launch.
  SmallVector<OpFoldResult> emitSizes(OpBuilder &b, Location loc,
                                      SizeFn getSize) const;
  Value emitPoints(OpBuilder &b, Location loc, SizeFn getSize) const {
    return emitSizeProduct(b, loc, emitSizes(b, loc, getSize));
  }
  Value emitCount(OpBuilder &b, Location loc, SizeFn getSize) const;
};

/// One run through the space.
struct CpuStage {
  SmallVector<fusion::ReductionOpInterface> reductions;
  /// Results of the segment, as large as the space, that are stored.
  SmallVector<unsigned> results;
  /// Tensors as large as the space that are kept in scratch memory for later
  /// stages.
  SmallVector<Value> kept;
  /// Results that later stages read back instead of computing them again.
  SmallVector<unsigned> readBack;
};

/// Results with an element a row are stored after the last stage.
struct CpuReductionPlan : ReductionSpace {
  SmallVector<CpuStage> stages;
  CpuItems items; ///< Rows, or strips of columns.
  /// Work items of a first kernel are parts of rows.
  bool isSplit = false;

  /// Lanes are columns that are not reduced.
  bool hasColumns() const { return isKept(getRank() - 1); }
  int64_t getLastSize() const {
    return cast<RankedTensorType>(tensor.getType()).getShape().back();
  }
};

/// Results that are computed in one loop nest.
struct CpuGroup {
  SmallVector<unsigned> results;
  /// Positions in memory are enough: all tensors lie in the same dense order.
  bool isFlat = false;
  /// The dimensions from the slowest loop to the fastest. The last is that of
  /// the lanes.
  SmallVector<int64_t> order;
  /// Of the first dimensions of `order`: an item has all of the others.
  CpuItems items;
  /// Lanes.
  int64_t width = 1;
  /// If squares are transposed: the dimension beside the last that they lie in,
  /// else -1. Then a work item is a strip of its positions.
  int64_t squareDim = -1;
  /// Squares are computed along it and stored along the last dimension, not the
  /// other way.
  bool computesAcross = false;
  /// A work item is one vector: all of the dimensions are item dimensions.
  bool isVectorItem = false;
  /// If there are any, each has a loop nest. Then a work item is a strip of
  /// positions of the last dimension but one.
  SmallVector<ElementEmitter::Part, 0> parts;
  /// Vectors of parts of no more columns are of rows.
  int64_t narrow = 0;
};

/// Fibres that are put in order: #fusion.cpu_order.
struct CpuOrderPlan {
  fusion::OrderOpInterface op;
  Type element; ///< Of what is put in order.
  int64_t keyBits;
  /// schedule::kUnknown: however many there are.
  int64_t counted, sorted, items;
  /// A fibre has so many elements.
  int64_t minLength, maxLength;
  /// The result has as many.
  bool isWhole;
};

/// Lanes for a dimension of `size`: no more than it has, rounded up to a power
/// of two, and no more than `vector`.
int64_t getCpuLanes(int64_t size, int64_t vector);

struct CpuPlan {
  /// The most lanes of a vector.
  int64_t vector = 64;
  std::optional<CpuReductionPlan> reduction;
  /// If it is not null, its fibres are the items of the one group.
  fusion::FibreOpInterface fibres;
  /// How they are put in order, if not as the op does it.
  std::optional<CpuOrderPlan> order;
  SmallVector<CpuGroup, 0> groups;

  /// Work items sort in memory of their own.
  bool hasOrderWorkspaces() const { return order && order->items != 0; }

  int64_t getLanes(int64_t size) const { return getCpuLanes(size, vector); }
};

/// The plan of `segment`, which has a schedule. Failure has been reported: the
/// schedule does not fit.
FailureOr<CpuPlan> planCpuKernel(fusion::SegmentOp segment,
                                 const ShapeSymbols &symbols);

/// A way to read what is reduced by vectors along another dimension:
/// CpuAcross.cpp.
struct CpuAcross {
  /// An operand of the segment, or a permuted one.
  struct Tensor {
    Value tensor;
    unsigned operand;
    /// Of each dimension of `tensor`, that of the operand.
    SmallVector<int64_t> dims;
    /// Set by `assume`: the operand, with the dimensions of `tensor` in
    /// `order`.
    Value memref;
  };

  int64_t laneDim;
  /// The dimensions of the space, `laneDim` last.
  SmallVector<int64_t> order;
  SmallVector<Tensor, 2> tensors;

  /// The condition for it; null if types say that it holds. From now on tensors
  /// have memrefs that are right if it does.
  Value assume(OpBuilder &b, Location loc, ValueRange arguments);
};

/// Nothing if types say that neighbours are those of the last dimension, or
/// what is reduced is not just made of operands, element by element.
std::optional<CpuAcross> findAcross(const CpuReductionPlan &rows,
                                    ValueRange arguments);

/// The parts of one row, whose reduced dimensions are of `sizes`.
Value emitPartCount(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes);

/// How many elements of a kept tensor a work item has; ShapedType::kDynamic if
/// that is not known.
int64_t countKeptElements(const CpuReductionPlan &rows, int64_t vector);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOCPU_CPUPLAN_H
