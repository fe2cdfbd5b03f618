//===- Reals.cpp - Formulas as ops on tensors -----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reals.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace fuser;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Type Real::getElement() const { return getElementTypeOrSelf(value.getType()); }

TypedAttr fusion::makeNumber(Real x, double number) {
  Type element = x.getElement();
  if (isa<FloatType>(element))
    return FloatAttr::get(element, number);
  return IntegerAttr::get(element, static_cast<int64_t>(number));
}

Truth fusion::compare(CmpPredicate predicate, Real x, Real y) {
  return {x.at,
          CmpOp::create(x.at->builder, x.at->loc, predicate, x.value, y.value)};
}

Truth fusion::compare(CmpPredicate predicate, Real x, double y) {
  return {x.at, CmpOp::create(x.at->builder, x.at->loc,
                              getBoolTensorLike(x.value.getType()), predicate,
                              x.value, Value(), makeNumber(x, y),
                              /*scalar_first=*/false)};
}

Truth fusion::operator&(Truth x, Truth y) {
  return {x.at, AndOp::create(x.at->builder, x.at->loc, x.value, y.value)};
}

Truth fusion::operator|(Truth x, Truth y) {
  return {x.at, OrOp::create(x.at->builder, x.at->loc, x.value, y.value)};
}

Real fusion::select(Truth condition, Real x, Real y) {
  return {x.at, WhereOp::create(x.at->builder, x.at->loc, condition.value,
                                x.value, y.value)};
}

Real fusion::select(Truth condition, double x, Real y) {
  return {y.at, WhereOp::create(y.at->builder, y.at->loc, condition.value,
                                y.value, Value(), makeNumber(y, x),
                                /*scalar_first=*/true)};
}

Real fusion::convert(Real x, Type element) {
  auto type = cast<RankedTensorType>(x.value.getType());
  if (type.getElementType() == element)
    return x;
  return {x.at, CastOp::create(x.at->builder, x.at->loc, type.clone(element),
                               x.value)};
}

Truth fusion::isNaN(Real x) {
  return {x.at, IsNaNOp::create(x.at->builder, x.at->loc, x.value)};
}

// Of -0 the quotient is -inf, of -inf it is -0.
Truth fusion::isNegative(Real x) { return (x < 0.0) | (1.0 / x < 0.0); }

Real fusion::makeFull(Real x, double number) {
  auto type = cast<RankedTensorType>(x.value.getType());
  OpBuilder &b = x.at->builder;
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(b, x.at->loc, x.value, dim));
  Value scalar = arith::ConstantOp::create(b, x.at->loc, makeNumber(x, number));
  return {x.at, FullOp::create(b, x.at->loc, type, scalar, sizes)};
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Size fusion::getSize(Place &place, Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return {type.getDimSize(dim), Value()};
  return {ShapedType::kDynamic,
          tensor::DimOp::create(place.builder, place.loc, tensor, dim)};
}

SmallVector<Size> fusion::getSizes(Place &place, Value tensor) {
  SmallVector<Size> sizes;
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    sizes.push_back(getSize(place, tensor, dim));
  return sizes;
}

Size fusion::getTwice(Place &place, Size size) {
  if (!size.open)
    return {2 * size.known, Value()};
  OpBuilder &b = place.builder;
  Value two = arith::ConstantIndexOp::create(b, place.loc, 2);
  return {ShapedType::kDynamic,
          arith::MulIOp::create(b, place.loc, size.open, two)};
}

Size fusion::getHalf(Place &place, Size size) {
  if (!size.open)
    return {size.known / 2, Value()};
  OpBuilder &b = place.builder;
  Value two = arith::ConstantIndexOp::create(b, place.loc, 2);
  return {ShapedType::kDynamic,
          arith::DivUIOp::create(b, place.loc, size.open, two)};
}

SmallVector<Value> fusion::getOpen(ArrayRef<Size> sizes) {
  SmallVector<Value> open;
  for (const Size &size : sizes)
    if (size.open)
      open.push_back(size.open);
  return open;
}

RankedTensorType fusion::withSizes(Value tensor, ArrayRef<Size> sizes) {
  auto shape = llvm::map_to_vector(sizes, [](Size size) { return size.known; });
  return cast<RankedTensorType>(tensor.getType()).clone(shape);
}

Value fusion::reshapeTo(Place &place, Value tensor, ArrayRef<Size> sizes) {
  return ReshapeOp::create(place.builder, place.loc, withSizes(tensor, sizes),
                           tensor, getOpen(sizes));
}

Value fusion::extractLast(Place &place, Value tensor, int64_t number) {
  OpBuilder &b = place.builder;
  SmallVector<Size> sizes = getSizes(place, tensor);
  sizes.back() = {1, Value()};
  SmallVector<OpFoldResult> extents,
      offsets(sizes.size(), OpFoldResult(b.getIndexAttr(0))),
      steps(sizes.size(), OpFoldResult(b.getIndexAttr(1)));
  offsets.back() = b.getIndexAttr(number);
  for (const Size &size : sizes)
    extents.push_back(size.open ? OpFoldResult(size.open)
                                : OpFoldResult(b.getIndexAttr(size.known)));
  Value slice = SliceOp::create(b, place.loc, withSizes(tensor, sizes), tensor,
                                offsets, extents, steps);
  sizes.pop_back();
  return reshapeTo(place, slice, sizes);
}
