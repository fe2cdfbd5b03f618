//===- FusionGatherOps.cpp - Take, take along an axis ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OpSyntax.h"
#include "IndexMapUtils.h"
#include "fuser/Support/PowersOfTwo.h"
#include <limits>

using namespace fuser;
using namespace fuser::fusion;

Value fusion::emitOutOfRange(EmitContext &ctx, Type element, Type type) {
  if (auto number = dyn_cast<FloatType>(element)) {
    double none = std::numeric_limits<double>::quiet_NaN();
    return extendNumber(ctx.builder, ctx.loc, roundNumber(number, none), type);
  }
  return emitConstant(ctx, type, getLeastInteger(element));
}

/// take_c1, take_along_axis_c1.
static LogicalResult verifyDim(RankedTensorType input, int64_t dim,
                               EmitError emitError) {
  if (dim >= 0 && dim < input.getRank())
    return success();
  return emitError() << "expected dim to be a dimension of " << input
                     << ", got " << dim;
}

using TypeFn =
    function_ref<FailureOr<RankedTensorType>(const GatherTypes &, EmitError)>;

template <typename OpT>
static LogicalResult inferGather(MLIRContext *context,
                                 std::optional<Location> location,
                                 typename OpT::Adaptor adaptor, TypeFn getType,
                                 SmallVectorImpl<Type> &types) {
  GatherTypes operands{
      dyn_cast<RankedTensorType>(adaptor.getInput().getType()),
      dyn_cast<RankedTensorType>(adaptor.getIndices().getType()),
      static_cast<int64_t>(adaptor.getDim())};
  if (!operands.input || !operands.indices)
    return failure();
  auto infer = [&](EmitError emitError) {
    return getType(operands, emitError);
  };
  return inferType<OpT>(context, location, infer, types);
}

template <typename OpT>
static LogicalResult verifyGather(OpT op, TypeFn getType) {
  GatherTypes operands{op.getInput().getType(), op.getIndices().getType(),
                       static_cast<int64_t>(op.getDim())};
  return verifyType(
      op, [&](EmitError emitError) { return getType(operands, emitError); });
}

/// Where the element that `index` names is: nowhere, if it is none.
static MappedIndex emitGathered(EmitContext &ctx, Value input, int64_t dim,
                                SmallVector<Value> index) {
  OpBuilder &b = ctx.builder;
  Value number = arith::IndexCastOp::create(b, ctx.loc, b.getIndexType(),
                                            ctx.selector(/*operand=*/1));
  Value size = emitIndex(ctx, ctx.dim(input, dim));
  index[dim] = number;
  // Less than 0 is more than any size, unsigned.
  Value valid = arith::CmpIOp::create(b, ctx.loc, arith::CmpIPredicate::ult,
                                      number, size);
  return {std::move(index), valid};
}

//===----------------------------------------------------------------------===//
// TakeOp
//===----------------------------------------------------------------------===//

/// take_c2
FailureOr<RankedTensorType> fusion::getTakenType(const GatherTypes &operands,
                                                 EmitError emitError) {
  if (failed(verifyDim(operands.input, operands.dim, emitError)))
    return failure();
  ArrayRef<int64_t> from = operands.input.getShape();
  SmallVector<int64_t> shape(from.take_front(operands.dim));
  llvm::append_range(shape, operands.indices.getShape());
  llvm::append_range(shape, from.drop_front(operands.dim + 1));
  return RankedTensorType::get(shape, operands.input.getElementType());
}

LogicalResult
TakeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                         ValueRange operands, DictionaryAttr attributes,
                         OpaqueProperties properties, RegionRange regions,
                         SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  return inferGather<TakeOp>(context, location, adaptor, getTakenType, types);
}

LogicalResult TakeOp::verify() { return verifyGather(*this, getTakenType); }

/// The dimension of operand `operand` that is dimension `dim` of the result;
/// none if it is one of the other operand.
static std::optional<int64_t> getSourceDim(TakeOp op, unsigned operand,
                                           int64_t dim) {
  int64_t taken = op.getDim(), rank = op.getIndices().getType().getRank();
  bool isIndex = dim >= taken && dim < taken + rank;
  if (isIndex != (operand == 1))
    return std::nullopt;
  if (isIndex)
    return dim - taken;
  return dim < taken ? dim : dim - rank + 1;
}

OpFoldResult TakeOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  if (std::optional<int64_t> source = getSourceDim(*this, 1, dim))
    return ctx.dim(getIndices(), *source);
  return ctx.dim(getInput(), *getSourceDim(*this, 0, dim));
}

MappedIndex TakeOp::mapIndex(EmitContext &ctx, unsigned operand,
                             ValueRange resultIndex) {
  SmallVector<Value> index;
  for (auto [dim, coordinate] : llvm::enumerate(resultIndex))
    if (getSourceDim(*this, operand, dim))
      index.push_back(coordinate);
  if (operand == 1)
    return {std::move(index), nullptr};
  index.insert(index.begin() + getDim(), nullptr);
  return emitGathered(ctx, getInput(), getDim(), std::move(index));
}

/// Where it reads the indices; where it reads the input no map says.
AffineMap TakeOp::getAffineIndexMap(unsigned operand) {
  if (operand == 0)
    return {};
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < getType().getRank(); ++dim)
    if (getSourceDim(*this, operand, dim))
      exprs.push_back(getAffineDimExpr(dim, getContext()));
  return AffineMap::get(getType().getRank(), 0, exprs, getContext());
}

int64_t TakeOp::getResultDim(unsigned operand, int64_t dim) {
  for (int64_t d = 0; d < getType().getRank(); ++d)
    if (getSourceDim(*this, operand, d) == dim &&
        (operand == 1 || dim != static_cast<int64_t>(getDim())))
      return d;
  return -1;
}

bool TakeOp::appendDim(int64_t) { return true; }

int64_t TakeOp::getContiguousWidth(int64_t width, const SizeDivisors &) {
  int64_t last = getInput().getType().getRank() - 1;
  return static_cast<int64_t>(getDim()) == last ? 1 : getPowerOfTwo(width);
}

//===----------------------------------------------------------------------===//
// TakeAlongAxisOp
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType>
fusion::getTakenAlongType(const GatherTypes &operands, EmitError emitError) {
  if (failed(verifyDim(operands.input, operands.dim, emitError)))
    return failure();
  ArrayRef<int64_t> from = operands.input.getShape();
  ArrayRef<int64_t> at = operands.indices.getShape();
  auto differs = [&](int64_t dim) {
    return dim != operands.dim && from[dim] != at[dim] &&
           !ShapedType::isDynamic(from[dim]) && !ShapedType::isDynamic(at[dim]);
  };
  // take_along_axis_c2
  if (from.size() != at.size() ||
      llvm::any_of(llvm::seq<int64_t>(0, from.size()), differs))
    return emitError() << "expected indices with the rank of " << operands.input
                       << " and its sizes but for dimension " << operands.dim
                       << ", got " << operands.indices;
  // take_along_axis_c3
  return RankedTensorType::get(at, operands.input.getElementType());
}

LogicalResult TakeAlongAxisOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  return inferGather<TakeAlongAxisOp>(context, location, adaptor,
                                      getTakenAlongType, types);
}

LogicalResult TakeAlongAxisOp::verify() {
  return verifyGather(*this, getTakenAlongType);
}

OpFoldResult TakeAlongAxisOp::reifyDim(EmitContext &ctx, unsigned,
                                       int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  return ctx.dim(getIndices(), dim);
}

MappedIndex TakeAlongAxisOp::mapIndex(EmitContext &ctx, unsigned operand,
                                      ValueRange resultIndex) {
  SmallVector<Value> index(resultIndex);
  if (operand == 1)
    return {std::move(index), nullptr};
  return emitGathered(ctx, getInput(), getDim(), std::move(index));
}

AffineMap TakeAlongAxisOp::getAffineIndexMap(unsigned operand) {
  if (operand == 0)
    return {};
  return AffineMap::getMultiDimIdentityMap(getType().getRank(), getContext());
}

/// Each range of a dimension that both tensors have is a program of its own.
int64_t TakeAlongAxisOp::getResultDim(unsigned operand, int64_t dim) {
  return operand == 0 && dim == static_cast<int64_t>(getDim()) ? -1 : dim;
}

SmallVector<EqualDims> TakeAlongAxisOp::getEqualDims() {
  SmallVector<EqualDims> equal;
  for (int64_t dim = 0; dim < getType().getRank(); ++dim)
    if (dim != static_cast<int64_t>(getDim()))
      equal.push_back({0, dim, 1, dim});
  return equal;
}

/// Where neighbours are along another dimension each has an index of its own.
int64_t TakeAlongAxisOp::getContiguousWidth(int64_t, const SizeDivisors &) {
  return 1;
}
