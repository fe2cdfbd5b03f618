//===- FusionFactoryOps.cpp - Ops that make tensors of scalars ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitUtils.h"

using namespace fuser;
using namespace fuser::fusion;

LogicalResult FullOp::verify() {
  // full_c2
  if (getSizes().size() != getType().getNumDynamicDims())
    return emitOpError() << "expected " << getType().getNumDynamicDims()
                         << " sizes for the dynamic dimensions of " << getType()
                         << ", got " << getSizes().size();
  return success();
}

OpFoldResult FullOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  return ctx.scalar(getSizes()[getType().getDynamicDimIndex(dim)]);
}

Value FullOp::emitElement(EmitContext &ctx, ValueRange, Type resultType) {
  Value value = ctx.scalar(getValue());
  if (value.getType() == resultType)
    return value;
  return arith::ExtFOp::create(ctx.builder, ctx.loc, resultType, value);
}

//===----------------------------------------------------------------------===//
// IotaOp
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  RankedTensorType type = getType();
  // iota_c1
  int64_t dim = getDim();
  if (dim < 0 || dim >= type.getRank())
    return emitOpError() << "expected a dimension of " << type << ", got "
                         << dim;
  // iota_c2
  if (getSizes().size() != type.getNumDynamicDims())
    return emitOpError() << "expected " << type.getNumDynamicDims()
                         << " sizes for the dynamic dimensions of " << type
                         << ", got " << getSizes().size();
  // iota_c3
  Type element = type.getElementType();
  auto isOther = [&](Type each) { return each != element; };
  if (getProgression().size() > 2 ||
      llvm::any_of(getProgression().getTypes(), isOther))
    return emitOpError() << "expected a start and a step of type " << element
                         << " at most, got " << getProgression().getTypes();
  return success();
}

OpFoldResult IotaOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  return ctx.scalar(getSizes()[getType().getDynamicDimIndex(dim)]);
}

Value IotaOp::emitElement(EmitContext &ctx, ValueRange index, Type type) {
  OpBuilder &b = ctx.builder;
  Value element = arith::IndexCastOp::create(b, ctx.loc, type, index[getDim()]);
  OperandRange progression = getProgression();
  if (progression.size() > 1)
    element =
        arith::MulIOp::create(b, ctx.loc, element, ctx.scalar(progression[1]));
  if (!progression.empty())
    element =
        arith::AddIOp::create(b, ctx.loc, element, ctx.scalar(progression[0]));
  return element;
}

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

/// So many selections are made of a constant at most.
static constexpr int64_t kMaxElements = 64;

LogicalResult ConstantOp::verify() {
  // constant_c2
  auto value = dyn_cast<DenseElementsAttr>(getValue());
  if (value && (value.isSplat() || value.getNumElements() <= kMaxElements))
    return success();
  return emitOpError() << "expected dense<...> with one element for all, or at "
                          "most "
                       << kMaxElements << ", got " << getType();
}

OpFoldResult ConstantOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return ctx.builder.getIndexAttr(getType().getDimSize(dim));
}

bool ConstantOp::isUniform() {
  return cast<DenseElementsAttr>(getValue()).isSplat();
}

Value ConstantOp::emitElement(EmitContext &ctx, ValueRange index, Type type) {
  OpBuilder &b = ctx.builder;
  auto value = cast<DenseElementsAttr>(getValue());
  auto emitNumber = [&](TypedAttr number) -> Value {
    Value own = arith::ConstantOp::create(b, ctx.loc, number);
    if (own.getType() == type)
      return own;
    return arith::ExtFOp::create(b, ctx.loc, type, own);
  };
  if (value.empty())
    return emitConstant(ctx, type, 0);
  if (value.isSplat())
    return emitNumber(value.getSplatValue<TypedAttr>());
  // The number of the element in row-major order.
  Value place;
  for (auto [coordinate, size] : llvm::zip(index, getType().getShape())) {
    if (place)
      place = arith::AddIOp::create(
          b, ctx.loc,
          arith::MulIOp::create(b, ctx.loc, place, emitIndex(ctx, size)),
          coordinate);
    else
      place = coordinate;
  }
  Value element;
  for (auto [number, attr] : llvm::enumerate(value.getValues<TypedAttr>())) {
    Value each = emitNumber(attr);
    if (!element) {
      element = each;
      continue;
    }
    Value isHere =
        arith::CmpIOp::create(b, ctx.loc, arith::CmpIPredicate::eq, place,
                              emitIndex(ctx, static_cast<int64_t>(number)));
    element = arith::SelectOp::create(b, ctx.loc, isHere, each, element);
  }
  return element;
}
