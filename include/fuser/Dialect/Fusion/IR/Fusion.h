//===- Fusion.h - The fusion dialect --------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything of the fusion dialect: ops, attributes, family interfaces.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSION_H
#define FUSER_DIALECT_FUSION_IR_FUSION_H

#include "fuser/Dialect/Fusion/IR/EmitContext.h"
#include "fuser/Support/ElementTypes.h"
#include "fuser/Support/LLVM.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "fuser/Dialect/Fusion/IR/FusionDialect.h.inc"
#include "fuser/Dialect/Fusion/IR/FusionEnums.h.inc"

namespace fuser {
struct LayoutRun;
class TileLayout;
} // namespace fuser

namespace fuser::fusion {

/// What a dimension of a contraction's tensors is for.
enum class DimRole { Batch, Row, Column, Contracted };

/// The tensor operands of an op, in order: what the family interfaces count.
llvm::SmallVector<mlir::OpOperand *> getTensorOperands(mlir::Operation *op);

} // namespace fuser::fusion

#include "fuser/Dialect/Fusion/IR/FusionAttrInterfaces.h.inc"
#include "fuser/Dialect/Fusion/IR/FusionOpInterfaces.h.inc"

namespace fuser::fusion {

/// Checks that a boundary has one operand and one result, of the same type.
mlir::LogicalResult verifySegmentBoundary(mlir::Operation *op);

/// The program asks for the tensor that the op makes: nothing removes it.
template <typename ConcreteType>
class RequestedCopy
    : public mlir::OpTrait::TraitBase<ConcreteType, RequestedCopy> {};

/// Stands between segments, and gives its operand as it is.
template <typename ConcreteType>
class SegmentBoundary
    : public mlir::OpTrait::TraitBase<ConcreteType, SegmentBoundary> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifySegmentBoundary(op);
  }
};

/// It can be approximated, where it computes f32.
template <typename ConcreteType>
class HasApproximateForm
    : public mlir::OpTrait::TraitBase<ConcreteType, HasApproximateForm> {};

/// A quotient is what it computes last.
template <typename ConcreteType>
class EndsInQuotient
    : public mlir::OpTrait::TraitBase<ConcreteType, EndsInQuotient> {};

/// Small relative errors of operands stay small in the result.
template <typename ConcreteType>
class KeepsRelativeErrors
    : public mlir::OpTrait::TraitBase<ConcreteType, KeepsRelativeErrors> {};

/// Checks the number that stands for an operand: scalar_c1, scalar_c2.
mlir::LogicalResult verifyScalar(mlir::Operation *op);

/// An operand may be a number.
template <typename ConcreteType>
class TakesScalar : public mlir::OpTrait::TraitBase<ConcreteType, TakesScalar> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyScalar(op);
  }
};

/// Operands are floats, or complex numbers.
template <typename ConcreteType>
class TakesNoIntegers
    : public mlir::OpTrait::TraitBase<ConcreteType, TakesNoIntegers> {};

/// Errors of operands may make anything of the result.
template <typename ConcreteType>
class IsErratic : public mlir::OpTrait::TraitBase<ConcreteType, IsErratic> {};

} // namespace fuser::fusion

#define GET_ATTRDEF_CLASSES
#include "fuser/Dialect/Fusion/IR/FusionAttrs.h.inc"

namespace fuser::fusion {

/// tensor_c1: true if the static sizes of `type` that are not 0 have a product
/// of at most 2^48.
bool fitsMemory(mlir::RankedTensorType type);

/// The tensor type with the shape of `type` and i1 elements; null if `type` is
/// no ranked tensor.
mlir::Type getBoolTensorLike(mlir::Type type);

/// The same with complex numbers whose parts are elements of `type`, and with
/// parts of such; null if that cannot be.
mlir::Type getComplexTensorLike(mlir::Type type);
mlir::Type getPartTensorLike(mlir::Type type);

// Ops of which an operand may be a number (`TakesScalar`).

/// The elements of all operands of `op`, from those of its tensor operands.
llvm::SmallVector<mlir::Value> addScalarOperand(EmitContext &ctx,
                                                mlir::Operation *op,
                                                mlir::ValueRange elements);

/// Where the number stands among the operands, if there is one.
std::optional<unsigned> getScalarPosition(mlir::Operation *op);

/// Reads and writes `%x, 2.0 : type`.
mlir::ParseResult parseScalarOp(mlir::OpAsmParser &parser,
                                mlir::OperationState &result);
void printScalarOp(mlir::OpAsmPrinter &printer, mlir::Operation *op);

/// The result's type is that of the last operand.
mlir::LogicalResult inferSameType(mlir::ValueRange operands,
                                  mlir::SmallVectorImpl<mlir::Type> &types);

/// True if the operands from number `first` on, and the results if
/// `withResults`, have one type.
bool haveOneType(mlir::Operation *op, unsigned first, bool withResults);

/// Upstream's shape reification for any op, from its reifyDim.
mlir::LogicalResult reifyShapes(TensorOpInterface op, mlir::OpBuilder &builder,
                                mlir::ReifiedRankedShapedTypeDims &dims);

/// reifyDim for ops whose result has the shape of their first tensor operand.
mlir::OpFoldResult reifyDimOfOperand(EmitContext &ctx, mlir::Operation *op,
                                     int64_t dim);

/// reifyDim for factories: `sizes` are those of the open dimensions of `type`.
mlir::OpFoldResult reifyStatedDim(EmitContext &ctx, mlir::RankedTensorType type,
                                  mlir::OperandRange sizes, int64_t dim);

/// Checks that there are as many sizes as the result has open dimensions.
mlir::LogicalResult verifyStatedSizes(mlir::Operation *op,
                                      mlir::OperandRange sizes);

/// Whether a contraction of `factor`s may have elements of a wider type, `sum`.
bool isWideSum(mlir::Type factor, mlir::Type sum);

/// Calls `visit` for each two tensors of `op` that have a dimension in common:
/// the number of the first one, its dimension, and the same of the second.
void forEachSharedDim(
    ContractionOpInterface op,
    llvm::function_ref<void(unsigned, int64_t, unsigned, int64_t)> visit);

/// reifyDim for contractions.
mlir::OpFoldResult reifyContractionDim(EmitContext &ctx,
                                       ContractionOpInterface op, int64_t dim);

/// The size of dimension `dim` of `tensor` where the builder stands: static, or
/// reified through the ops that define it as far as these are known, else a
/// tensor.dim.
mlir::OpFoldResult getTensorDim(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value tensor, int64_t dim);

/// The same, with the sizes of the operands of what defines `tensor` from
/// `dimOf`.
mlir::OpFoldResult getTensorDim(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
    int64_t dim,
    llvm::function_ref<mlir::OpFoldResult(mlir::Value, int64_t)> dimOf);

inline bool isTensor(mlir::Value value) {
  return mlir::isa<mlir::TensorType>(value.getType());
}

/// True for `segment_set` and what other dialects have of the kind.
inline bool isBetweenSegments(mlir::Operation *op) {
  return op->hasTrait<SegmentBoundary>();
}

/// What boundaries between segments pass on as `value`.
mlir::Value stripBoundaries(mlir::Value value);

/// True if the tensors that `op` takes have to be in memory: none is computed
/// again for it.
bool readsMemory(mlir::Operation *op);

/// The tensor that gives all elements of the result of `op`, an index map, at
/// indices that no tensor says; null if there is none.
mlir::Value getOnlySource(mlir::Operation *op);

/// What getStridedMap of an op with this index map gives; none where the map is
/// null or not linear, or has a factor or an offset below 0.
std::optional<llvm::SmallVector<StridedIndex>>
getStridedIndices(mlir::AffineMap map);

/// The type of what computes fibres of `input` along `dim`: its shape, with
/// `length` elements there if that is given, of `element`.
mlir::RankedTensorType getFibreType(mlir::RankedTensorType input, int64_t dim,
                                    std::optional<int64_t> length,
                                    mlir::Type element);

/// What scatters do with each fibre: the elements of operand 0, then, for each
/// of operand 1, an index, that of operand 2 in its place, or combined with it.
void emitScatter(FibreContext &ctx, ScatterOpInterface op);
bool isExactScatter(mlir::Operation *op, std::optional<ReduceKind> combine);

/// What stands for an element that is not there, of compute type `type`: NaN,
/// the least integer, or false.
mlir::Value emitOutOfRange(EmitContext &ctx, mlir::Type element,
                           mlir::Type type);

/// True if every value of element type `from` is one of element type `to`.
bool isExactConversion(mlir::Type from, mlir::Type to);

/// True if the floats of `op` stand for integers of a ring: `fusion.ring`.
bool isInRing(mlir::Operation *op);

/// True if kernels may approximate `op`: it has the trait and computes in f32.
bool hasApproximateForm(mlir::Operation *op);

/// Checks a stride order (dimensions from slowest to fastest) of a value of
/// `type`.
mlir::LogicalResult
verifyStrideOrder(mlir::Attribute order, mlir::Type type,
                  llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Checks that `dims` are ascending dimensions of a tensor of rank `rank`.
mlir::LogicalResult
verifyAscendingDims(llvm::ArrayRef<int64_t> dims, int64_t rank,
                    llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace fuser::fusion

#define GET_OP_CLASSES
#include "fuser/Dialect/Fusion/IR/FusionOps.h.inc"

namespace fuser::fusion {

/// The op that the segment consists of, whose results are the segment's. Null
/// if there are others.
mlir::Operation *getOnlyOp(SegmentOp segment);

/// The same, if it is an `OpT`.
template <typename OpT>
OpT getOnlyOp(SegmentOp segment) {
  return llvm::dyn_cast_or_null<OpT>(getOnlyOp(segment));
}

} // namespace fuser::fusion

#endif // FUSER_DIALECT_FUSION_IR_FUSION_H
