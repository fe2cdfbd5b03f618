//===- SegmentKernel.h - A segment inside of its kernel --------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the emitters of all targets share: the segment's tensors as memrefs that
// the kernel takes, their sizes, scalars, and access to their elements as wide
// as alignment and strides allow.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_SEGMENTKERNEL_H
#define FUSER_CONVERSION_SEGMENTKERNEL_H

#include "fuser/Conversion/ElementEmitter.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "fuser/Conversion/SegmentSizes.h"

namespace fuser {

/// Which elements of a vector there are to store, and who stores beside it.
struct VectorEnd {
  /// So many from the first one on, none if it is not positive; null: all.
  Value count;
  /// All threads of a warp store, and so many neighbouring lanes neighbouring
  /// vectors of a row.
  int64_t lanes = 1;
};

/// Accesses through one memref: `width` neighbours along a dimension, the last
/// one if none is named, in pieces as wide as is proven to be aligned, or as a
/// whole where that would be many: kernel.load_neighbours. That coordinate of
/// the index is a multiple of `width`.
class TensorAccess {
public:
  TensorAccess() = default;
  /// Elements whose coordinate along getNeighbourDim is 0 are aligned to
  /// `rowAlignment` bytes.
  TensorAccess(Value memref, Type elementType, int64_t rowAlignment = 1);

  /// In storage type. Of a vector, elements from number `count` on need not be
  /// there; null: all are.
  Value load(OpBuilder &b, Location loc, ValueRange index, int64_t width,
             int64_t dim = kLastDim, Value count = {}) const;
  void store(OpBuilder &b, Location loc, Value stored, ValueRange index,
             int64_t dim = kLastDim, VectorEnd end = {}) const;

  Value getMemRef() const { return memref; }
  Type getElementType() const { return elementType; }
  /// Neighbours along the dimension are neighbours in memory.
  bool isContiguous(int64_t dim = kLastDim) const;
  /// How many of `width` neighbours one access covers, and what their address
  /// is a multiple of.
  int64_t getPieceWidth(int64_t width, int64_t dim = kLastDim) const;
  /// Whether `width` neighbours in global memory take more accesses than if
  /// they were aligned, at least `times` as many.
  bool isSplit(int64_t width, int64_t dim = kLastDim, int64_t times = 2) const;

private:
  /// Of one op for neighbours at any address; then it is two. Vectors that end
  /// within a row, or that lanes store together, are not: those of a
  /// row_reduction have at most 8 elements.
  bool isTooWide(int64_t width) const;
  Value loadHalves(OpBuilder &b, Location loc, ValueRange index, int64_t width,
                   int64_t dim) const;

  struct Pieces;
  Pieces getPieces(OpBuilder &b, Location loc, int64_t width,
                   int64_t dim) const;
  Value memref;
  Type elementType;
  int64_t alignment = 1;   ///< Of the first element of any row.
  int64_t neighbours = -1; ///< The dimension of rows; -1: none.
};

/// The accumulators of a reduction.
SmallVector<Type> getAccumulatorTypes(fusion::ReductionOpInterface op);

/// `memref`, which has `size` elements without gaps, in one dimension.
Value flattenMemRef(OpBuilder &b, Location loc, Value memref,
                    OpFoldResult size);

class SegmentKernel {
public:
  /// `arguments` are the kernel's, as getKernelArguments says; the builder
  /// stands in its entry block, whose start the kernel keeps for sizes and
  /// scalars. Binds the segment's operands to their memrefs. `symbols`: of the
  /// function around the segment, for accesses as wide as open sizes allow.
  SegmentKernel(OpBuilder &builder, fusion::SegmentOp segment,
                ValueRange arguments, const ShapeSymbols *symbols = nullptr);

  OpBuilder &builder;
  fusion::SegmentOp segment;

  ElementEmitter &getElements() { return elements; }

  /// The size of a tensor inside the segment: static, or a value of the entry
  /// block.
  OpFoldResult getDim(Value tensor, int64_t dim) {
    return sizes.getDim(tensor, dim);
  }
  SegmentSizes &getSizes() { return sizes; }
  /// What that size is known to be a multiple of: itself if it is static.
  int64_t getDivisor(Value tensor, int64_t dim) const;

  /// Calls `fn` with what ops of the segment ask when they emit.
  template <typename Fn>
  auto withContext(Location loc, Fn fn) {
    return sizes.withContext(loc, std::move(fn));
  }

  /// What a reduction of the segment does: the accumulators of nothing, of
  /// the element at `index` of the operand alone (of as many from there on as
  /// `element` has lanes), and of two parts of what is reduced.
  SmallVector<Value> emitNeutral(fusion::ReductionOpInterface op);
  SmallVector<Value> emitPrepare(fusion::ReductionOpInterface op, Value element,
                                 ValueRange index);
  SmallVector<Value> emitCombine(fusion::ReductionOpInterface op,
                                 ValueRange first, ValueRange second);
  /// The same of loops that come to elements in their order.
  SmallVector<Value> emitStart(fusion::ReductionOpInterface op);
  SmallVector<Value> emitCombineInOrder(fusion::ReductionOpInterface op,
                                        ValueRange first, ValueRange second);

  /// Access to the tensors among operands and results of the segment; scalars
  /// have none.
  ArrayRef<TensorAccess> getOperands() const { return operands; }
  ArrayRef<TensorAccess> getResults() const { return results; }
  const TensorAccess &getOperandAccess(unsigned i) const { return operands[i]; }
  const TensorAccess &getResultAccess(unsigned i) const { return results[i]; }

  /// A reshape that is another shape of an operand's memory: it is read there.
  struct View {
    Value tensor;
    unsigned operand;
    TensorAccess access;
  };
  ArrayRef<View> getViews() const { return views; }

  /// Whether the kernel may write to operand `i`.
  bool isOperandWritten(unsigned i) const { return isWritten[i]; }

  /// From now on all tensors, which have `numElements` elements in the same
  /// dense order, are accessed by one index, the position in memory, through
  /// all emissions of elements.
  void flattenTensors(Location loc, OpFoldResult numElements);

  /// Computes elements of yielded value `result`.
  Value emitResult(Location loc, unsigned result, ValueRange index,
                   int64_t width, int64_t dim = kLastDim);
  void storeResult(Location loc, unsigned result, Value elements,
                   ValueRange index, int64_t dim = kLastDim,
                   VectorEnd end = {});
  /// Computes elements of all `results`, each at its index, before it stores
  /// any: one may be stored over what another is computed from.
  void emitAndStore(Location loc, ArrayRef<unsigned> results, int64_t width,
                    function_ref<SmallVector<Value>(unsigned result)> getIndex);

  /// What emitting has come to: failure has been reported.
  LogicalResult getStatus() const { return failure(elements.hasFailed()); }

  /// Inputs that the kernel writes to are read only where `condition` (an i1;
  /// null: always) holds, and are 0 elsewhere. What a thread beyond the end
  /// reads in place of nothing, another one may be writing. Of vectors that are
  /// read only the first `count` elements are there (null: all).
  void setReadCondition(Value condition, Value count = {}) {
    readCondition = condition;
    readCount = count;
  }
  /// `width` elements of operand `i` from `index` on, in storage type.
  Value loadOperand(Location loc, unsigned i, ValueRange index, int64_t width,
                    int64_t dim = kLastDim);

private:
  void bindOperand(unsigned i);
  void bindViews(ArrayRef<KernelArgument> arguments,
                 const ShapeSymbols *symbols);
  void bind(Value tensor, unsigned operand,
            const std::function<const TensorAccess &()> &getAccess);
  Value load(Location loc, unsigned operand, const TensorAccess &access,
             ValueRange index, int64_t width, int64_t dim);
  Value emitPosition(fusion::ReductionOpInterface op, Value element,
                     ValueRange index);

  const ShapeSymbols *symbols; ///< Null: only static sizes are known.
  bool isFlat = false;         ///< flattenTensors.
  Value readCondition, readCount;
  SmallVector<bool> isWritten; ///< Of the operands.
  SmallVector<TensorAccess> operands, results;
  SmallVector<View, 0> views;
  SegmentSizes sizes;
  ElementEmitter elements;
};

} // namespace fuser

#endif // FUSER_CONVERSION_SEGMENTKERNEL_H
