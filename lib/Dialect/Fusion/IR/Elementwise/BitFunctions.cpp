//===- BitFunctions.cpp - Elements as their bits ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementFunctions.h"

using namespace fuser;
using namespace fuser::fusion;

/// `number` with the float type `element`, in which it has a place: nothing is
/// rounded. By f32, as there are no instructions from f64 to fewer bits.
static Value emitConverted(EmitContext &ctx, Value number, Type element) {
  auto convert = [&](Value from, Type to) -> Value {
    unsigned bits = getElementTypeOrSelf(from).getIntOrFloatBitWidth();
    Type type = withElementType(from.getType(), to);
    if (bits < to.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(ctx.builder, ctx.loc, type, from);
    return arith::TruncFOp::create(ctx.builder, ctx.loc, type, from);
  };
  Type from = getElementTypeOrSelf(number);
  if (from == element)
    return number;
  Type f32 = ctx.builder.getF32Type();
  if (from != f32 && element != f32)
    number = convert(number, f32);
  return convert(number, element);
}

/// The bits that an element of type `element` has in memory; integers are
/// these bits.
static Value emitBits(EmitContext &ctx, Value value, Type element) {
  if (!isFloat(value))
    return value;
  Type bits = ctx.builder.getIntegerType(element.getIntOrFloatBitWidth());
  return arith::BitcastOp::create(ctx.builder, ctx.loc,
                                  withElementType(value.getType(), bits),
                                  emitConverted(ctx, value, element));
}

/// The element of type `element` that has these bits, as one of `computeType`.
static Value emitOfBits(EmitContext &ctx, Value bits, Type element,
                        Type computeType) {
  if (!isa<FloatType>(element))
    return bits;
  Value number = arith::BitcastOp::create(
      ctx.builder, ctx.loc, withElementType(bits.getType(), element), bits);
  return emitConverted(ctx, number, getElementTypeOrSelf(computeType));
}

//===----------------------------------------------------------------------===//
// nextafter
//===----------------------------------------------------------------------===//

/// Bits of floats of one sign are in the order of magnitudes.
Value fusion::emitNextAfter(EmitContext &ctx, Type element,
                            ValueRange operands) {
  using P = arith::CmpFPredicate;
  OpBuilder &b = ctx.builder;
  Location loc = ctx.loc;
  Value from = operands[0], toward = operands[1];
  Value zero = emitConstant(ctx, from.getType(), 0);
  Value bits = emitBits(ctx, from, element);
  Value one = emitConstant(ctx, bits.getType(), 1);
  Value isUp = emitCompare(ctx, P::OGT, toward, from);
  Value isPositive = emitCompare(ctx, P::OGT, from, zero);
  Value isNegative = emitCompare(ctx, P::OLT, from, zero);
  // Up from a positive number, or down from a negative one.
  Value isAway =
      emitSelect(ctx, isUp, isPositive,
                 arith::AndIOp::create(b, loc, isNegative,
                                       emitCompare(ctx, P::OLT, toward, from)));
  Value away = arith::AddIOp::create(b, loc, bits, one);
  Value nearer = arith::SubIOp::create(b, loc, bits, one);
  Value next = emitSelect(ctx, isAway, away, nearer);
  // From 0 it is the least number, with the sign of the other one.
  unsigned width = element.getIntOrFloatBitWidth();
  Value least = emitConstant(ctx, bits.getType(),
                             APInt::getSignedMinValue(width) | APInt(width, 1));
  next = emitSelect(ctx, emitCompare(ctx, P::OEQ, from, zero),
                    emitSelect(ctx, isUp, one, least), next);
  Value result = emitOfBits(ctx, next, element, from.getType());
  result =
      emitSelect(ctx, emitCompare(ctx, P::OEQ, from, toward), toward, result);
  Value isNumber = emitCompare(ctx, P::ORD, from, toward);
  return emitSelect(ctx, isNumber, result,
                    arith::AddFOp::create(b, loc, from, toward));
}

//===----------------------------------------------------------------------===//
// bitcast
//===----------------------------------------------------------------------===//

// bitcast(x) to its own type -> x; bitcast(bitcast(x)) -> bitcast(x)
OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto inner = getInput().getDefiningOp<BitcastOp>();
  if (!inner)
    return {};
  if (inner.getInput().getType() == getType())
    return inner.getInput();
  getInputMutable().assign(inner.getInput());
  return getResult();
}

LogicalResult BitcastOp::verify() {
  RankedTensorType from = getInput().getType(), to = getType();
  // bitcast_c1
  if (from.getShape() != to.getShape())
    return emitOpError() << "expected the input's shape in the result, got "
                         << from << " and " << to;
  // bitcast_c2
  if (from.getElementTypeBitWidth() != to.getElementTypeBitWidth())
    return emitOpError() << "expected elements of as many bits, got "
                         << from.getElementType() << " and "
                         << to.getElementType();
  return success();
}

Value BitcastOp::emitElement(EmitContext &ctx, ValueRange operands,
                             Type resultType) {
  Value bits =
      emitBits(ctx, operands[0], getInput().getType().getElementType());
  return emitOfBits(ctx, bits, getType().getElementType(), resultType);
}
