//===- PowersOfTwo.cpp - Floats without a significand ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Support/PowersOfTwo.h"
#include "fuser/Support/ElementTypes.h"
#include "fuser_rt/ElementTypes.h"
#include "fuser_rt/PowersOfTwo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <limits>

using namespace fuser;
using llvm::APFloat;

bool fuser::isPowersOfTwo(Type type) {
  const ElementInfo *info = findElement(getElementTypeOrSelf(type));
  return info && info->kind == ElementKind::Float && info->isPowers();
}

FloatAttr fuser::roundNumber(FloatType type, double value) {
  if (!isPowersOfTwo(type))
    return FloatAttr::get(type, value);
  APInt bits(type.getWidth(), fuser_rt::encodePower(value));
  return FloatAttr::get(type, APFloat(type.getFloatSemantics(), bits));
}

double fuser::toDouble(FloatAttr number) {
  if (!isPowersOfTwo(number.getType()))
    return number.getValueAsDouble();
  if (number.getValue().isNaN())
    return std::numeric_limits<double>::quiet_NaN();
  return std::fabs(number.getValueAsDouble());
}

static Value makeConstant(OpBuilder &b, Location loc, FloatAttr number,
                          Type type) {
  TypedAttr value = number;
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(number));
  return arith::ConstantOp::create(b, loc, value);
}

Value fuser::extendNumber(OpBuilder &b, Location loc, FloatAttr number,
                          Type type) {
  auto vector = dyn_cast<VectorType>(type);
  Type own = vector ? Type(vector.clone(number.getType())) : number.getType();
  if (own == type)
    return makeConstant(b, loc, number, type);
  Value narrow = makeConstant(b, loc, number, own);
  APFloat value = number.getValue();
  if (isPowersOfTwo(own) && (value.isNaN() || value.isNegative())) {
    // What is rounded does not fold.
    number = b.getFloatAttr(getElementTypeOrSelf(type), toDouble(number));
    Value wide = makeConstant(b, loc, number, type);
    narrow = arith::TruncFOp::create(b, loc, own, wide);
  }
  return arith::ExtFOp::create(b, loc, type, narrow);
}

Value fuser::extendScalar(OpBuilder &b, Location loc, Value scalar, Type type) {
  if (scalar.getType() == type)
    return scalar;
  FloatAttr number;
  if (matchPattern(scalar, m_Constant(&number)))
    return extendNumber(b, loc, number, type);
  return arith::ExtFOp::create(b, loc, type, scalar);
}
