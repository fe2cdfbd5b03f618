//===- ReferenceLowering.h - Functions on tensors to loops over f64 -------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_REFERENCE_REFERENCELOWERING_H
#define FUSER_LIB_REFERENCE_REFERENCELOWERING_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Support/Arithmetic.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace fuser::reference {

using namespace fuser::fusion;

/// What elements are computed in: all floats in f64; in the ring in what
/// kernels compute in.
Type getComputeType(Type element, Arithmetic arithmetic);

class ReferenceLowering {
public:
  /// What a block passes on: a tensor as a buffer of its own, a scalar as it
  /// is. `bound` is a buffer of the same shape, null where the result is exact.
  struct Result {
    Value value, bound;
  };

  ReferenceLowering(OpBuilder &builder, Value status, IRMapping values,
                    SmallVectorImpl<Location> &locations, bool withBounds,
                    Arithmetic arithmetic)
      : b(builder), status(status), values(std::move(values)),
        locations(locations), withBounds(withBounds), arithmetic(arithmetic) {}

  /// Lowers the ops of a block. `results` takes what its terminator passes on.
  LogicalResult lowerBlock(Block &block, SmallVectorImpl<Result> &results);

private:
  LogicalResult lowerOp(Operation *op);
  LogicalResult lowerSegment(SegmentOp op);
  void lowerElementwise(ElementwiseOpInterface op);
  void lowerIndexMap(IndexMapOpInterface op);
  void emitChecks(IndexMapOpInterface op);
  void emitEqualDims(Operation *op, ArrayRef<EqualDims> dims);
  Value loadSelectors(IndexMapOpInterface op, ValueRange index,
                      SmallVectorImpl<Value> &elements);
  void lowerReduction(ReductionOpInterface op);
  void lowerFactory(FactoryOpInterface op);

  // Fibres (ReferenceFibres.cpp).
  struct FibreRun;
  void lowerFibres(FibreOpInterface op);
  void emitFibre(FibreOpInterface op, ArrayRef<Value> index,
                 const FibreRun &run);
  SmallVector<FibreRun, 0> makeFibreRuns(FibreOpInterface op);
  Value emitIsVague(FibreOpInterface op, ArrayRef<Value> index);
  Value emitFibreLengths(FibreOpInterface op);
  Value emitFibreBound(FibreOpInterface op, ArrayRef<FibreRun> runs,
                       ValueRange at);

  // Contractions (ReferenceContraction.cpp).
  void lowerContraction(ContractionOpInterface op);
  Value emitIsNothing(ContractionOpInterface op);
  SmallVector<Value> emitProduct(ContractionOpInterface op, ValueRange lhs,
                                 ValueRange rhs);
  SmallVector<Value>
  emitProductLoops(ContractionOpInterface op, ArrayRef<OpFoldResult> sizes,
                   function_ref<SmallVector<Value>(ValueRange)> emitAdded);
  Value emitContractionBound(ContractionOpInterface op, ValueRange sums,
                             Value count);

  // Buffers.
  void allocate(TensorOpInterface op);
  Value copy(Value buffer);
  Type getComputeTypeOf(Value tensor) {
    return getComputeType(getElementTypeOrSelf(tensor), arithmetic);
  }
  Value load(Value tensor, ValueRange index);
  /// The element, and the bound of its error if the operand has one or `type`
  /// asks for one.
  SmallVector<Value> loadChecked(Value tensor, ValueRange index,
                                 TypeRange types);
  Value round(Value element, Operation *op);
  void store(Value element, Operation *op, ValueRange index);
  void free(Value tensor);

  // Bounds of the kernels' errors (ReferenceBounds.cpp). Each has the builder
  // where the element is computed; `value` is the element before rounding.
  bool hasBound(Value tensor) const { return bounds.contains(tensor); }
  bool needsBound(TensorOpInterface op);
  Value loadBound(Value tensor, ValueRange index);
  void storeBound(Value bound, Operation *op, ValueRange index);
  Value emitRoundedBound(Operation *op, Value value, Value bound);
  Value emitUnits(Type type, Value units, Value magnitude);
  Value emitCornerBound(ElementwiseOpInterface op, ValueRange elements,
                        Value value, ArrayRef<Value> inexact,
                        ArrayRef<Value> operandBounds);
  Value emitOwnBound(ElementwiseOpInterface op, double units, Value value,
                     Value operandsBound);
  Value emitErraticBound(Type type, ArrayRef<Value> bounds, Value bound);
  Value emitJumpBound(Operation *op, ValueRange elements, Value value,
                      ValueRange index, Value bound);
  Value emitElementwiseBound(ElementwiseOpInterface op, ValueRange elements,
                             Value value, ValueRange index);
  /// The element as it is, and what else is reduced to say how far the result
  /// may be off (ReductionBounds.cpp, as all that follows).
  SmallVector<Value> getReductionVariants(ReductionOpInterface op,
                                          ValueRange index);
  unsigned getNumReductionVariants(ReductionOpInterface op);
  SmallVector<Value> getProductVariants(Type type, Value element, Value bound);
  static bool isExactReduction(ReductionOpInterface op);
  Value emitNumElements(Value count);
  Value emitOverflows(Value magnitude, bool isDouble);
  Value emitSumBound(ReductionOpInterface op,
                     ArrayRef<SmallVector<Value>> accumulators, Value count,
                     Value value);
  /// What is reduced to say how far a product of `number` elements may be off.
  struct ProductVariants {
    Value magnitude, most, largest;
  };
  Value emitProductBound(Type type, bool isExact,
                         const ProductVariants &variants, Value number);
  /// An element that is reduced, how far it may be off, and where it is.
  struct Element {
    Value value, bound, position;
  };
  Value emitPositionDistance(ReductionOpInterface op,
                             ArrayRef<Element> elements, Value count);
  Value emitPositionBound(ReductionOpInterface op, MutableArrayRef<Value> index,
                          Value count, Value position);
  Value emitReductionBound(ReductionOpInterface op,
                           ArrayRef<SmallVector<Value>> accumulators,
                           MutableArrayRef<Value> index, Value count,
                           Value value);

  // Loops.
  scf::ForOp createLoop(OpFoldResult size, ValueRange init = {});
  SmallVector<Value> enterNest(ArrayRef<OpFoldResult> sizes);
  SmallVector<OpFoldResult> getSizes(Value tensor);
  Value emitPosition(ReductionOpInterface op, ArrayRef<Value> index);
  /// The loops over the reduced dimensions, serial, in row-major order. Sets
  /// the index, and undoes nothing of that.
  SmallVector<Value>
  emitReducedLoops(ReductionOpInterface op, MutableArrayRef<Value> index,
                   ValueRange init,
                   function_ref<SmallVector<Value>(ValueRange)> body);
  SmallVector<SmallVector<Value>>
  emitReduceLoops(ReductionOpInterface op, MutableArrayRef<Value> index,
                  ArrayRef<Type> accumulatorTypes);

  // Scalars and sizes.
  OpFoldResult getDim(Value tensor, int64_t dim);
  Value emitIndex(OpFoldResult size);
  Value emitZero(Type type);
  /// Sets the status, if it is not set, where `failed` is true: to the number
  /// of the location, or to less than 0 if a size is none that a buffer has.
  void emitCheck(Value failed, bool isBufferSize = false);
  void lowerScalarOp(Operation *op);
  OpFoldResult emitCount(Value tensor);

  OpBuilder &b;
  Location loc = b.getUnknownLoc();
  Value status;
  IRMapping values;
  SmallVectorImpl<Location> &locations;
  bool withBounds;
  Arithmetic arithmetic;
  /// The buffers of the bounds of tensors that are not exact.
  DenseMap<Value, Value> bounds;

  std::function<OpFoldResult(Value, int64_t)> dimFn =
      [this](Value tensor, int64_t dim) { return getDim(tensor, dim); };
  std::function<Value(Value)> scalarFn = [this](Value scalar) {
    return values.lookup(scalar);
  };
  EmitContext getContext() { return {b, loc, dimFn, scalarFn}; }
};

} // namespace fuser::reference

#endif // FUSER_LIB_REFERENCE_REFERENCELOWERING_H
