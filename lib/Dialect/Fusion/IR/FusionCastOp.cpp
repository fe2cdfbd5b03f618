//===- FusionCastOp.cpp - Conversion between element types ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A cast rounds once. Where the result is a float narrower than f32, computed
// in a wider type, and the operand does not fit into that wider type, rounding
// to it and then to the result would round twice. Such a conversion rounds to
// odd instead (the last bit remembers that something was cut off), after which
// rounding to a type with at least two bits less is right.
//
// In the ring nothing is rounded and nothing out of range: conversions are
// those of arith there, so that one after the other is the same as one.
//
//===----------------------------------------------------------------------===//

#include "EmitUtils.h"

using namespace fuser;
using namespace fuser::fusion;

LogicalResult CastOp::verify() {
  // cast_c1
  if (getInput().getType().getShape() != getType().getShape())
    return emitOpError() << "expected the input's shape in the result, got "
                         << getInput().getType() << " and " << getType();
  return success();
}

/// f64 to f32, rounded to odd.
static Value emitTruncateToOdd(EmitContext &ctx, Value input, Type type) {
  OpBuilder &b = ctx.builder;
  Location loc = ctx.loc;
  Type bitsType = withElementType(type, b.getI32Type());
  Value nearest = arith::TruncFOp::create(b, loc, type, input);
  Value back = arith::ExtFOp::create(b, loc, input.getType(), nearest);
  // Ordered: a NaN stays as it is.
  Value inexact =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, input);
  Value zero = emitConstant(ctx, input.getType(), 0);
  Value positive =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, input, zero);
  Value above =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, back, input);
  Value below =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, back, input);
  Value away = arith::SelectOp::create(b, loc, positive, above, below);
  Value bits = arith::BitcastOp::create(b, loc, bitsType, nearest);
  Value one = emitConstant(ctx, bitsType, 1);
  Value nearer = arith::SubIOp::create(b, loc, bits, one);
  Value truncated = arith::SelectOp::create(b, loc, away, nearer, bits);
  Value odd = arith::OrIOp::create(b, loc, truncated, one);
  Value result = arith::SelectOp::create(b, loc, inexact, odd, bits);
  return arith::BitcastOp::create(b, loc, type, result);
}

/// i64 to f64: the low 11 bits of a number with more than 53 become one bit, so
/// that f64 holds what is left.
static Value emitIntToF64Sticky(EmitContext &ctx, Value input, Type type) {
  OpBuilder &b = ctx.builder;
  Location loc = ctx.loc;
  if (getElementTypeOrSelf(input).isInteger(32))
    return arith::SIToFPOp::create(b, loc, type, input);
  Type intType = input.getType();
  Value zero = emitConstant(ctx, intType, 0);
  Value lowMask = emitConstant(ctx, intType, 0x7FF);
  Value highMask = emitConstant(ctx, intType, ~0x7FF);
  Value low = arith::AndIOp::create(b, loc, input, lowMask);
  Value high = arith::AndIOp::create(b, loc, input, highMask);
  Value hasLow =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, low, zero);
  Value sticky = arith::SelectOp::create(
      b, loc, hasLow, emitConstant(ctx, intType, 0x400), zero);
  Value rounded = arith::OrIOp::create(b, loc, high, sticky);
  // Below 2^53 in magnitude: bits 53 to 63 are all equal.
  Value top =
      arith::ShRSIOp::create(b, loc, input, emitConstant(ctx, intType, 53));
  Value positive =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, top, zero);
  Value negative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, top,
                                         emitConstant(ctx, intType, -1));
  Value fits = arith::OrIOp::create(b, loc, positive, negative);
  Value exact = arith::SelectOp::create(b, loc, fits, input, rounded);
  return arith::SIToFPOp::create(b, loc, type, exact);
}

static Value emitToFloat(EmitContext &ctx, Value input, Type resultElement,
                         Type type, bool inRing) {
  OpBuilder &b = ctx.builder;
  Location loc = ctx.loc;
  Type from = getElementTypeOrSelf(input);
  Type to = getElementTypeOrSelf(type);
  bool isHalf = isNarrowFloat(resultElement) && !inRing;
  if (from.isInteger(1))
    return arith::UIToFPOp::create(b, loc, type, input);
  if (isa<IntegerType>(from)) {
    if (!isHalf)
      return arith::SIToFPOp::create(b, loc, type, input);
    Type f64 = withElementType(type, b.getF64Type());
    input = emitIntToF64Sticky(ctx, input, f64);
    from = b.getF64Type();
  }
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, type, input);
  if (from.getIntOrFloatBitWidth() == to.getIntOrFloatBitWidth())
    return input;
  if (isHalf)
    return emitTruncateToOdd(ctx, input, type);
  return arith::TruncFOp::create(b, loc, type, input);
}

static Value emitFloatToInt(EmitContext &ctx, Value input, Type type) {
  OpBuilder &b = ctx.builder;
  Location loc = ctx.loc;
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  // The bounds are powers of two, so any float type holds them.
  double bound = bits == 32 ? 0x1p31 : 0x1p63;
  Value low = emitConstant(ctx, input.getType(), -bound);
  Value high = emitConstant(ctx, input.getType(), bound);
  Value zero = emitConstant(ctx, input.getType(), 0);
  Value notBelow =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, input, low);
  Value notAbove =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, input, high);
  Value inside = arith::AndIOp::create(b, loc, notBelow, notAbove);
  Value safe = arith::SelectOp::create(b, loc, inside, input, zero);
  Value result = arith::FPToSIOp::create(b, loc, type, safe);
  Value below =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, input, low);
  Value above =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, input, high);
  result = arith::SelectOp::create(
      b, loc, below, emitConstant(ctx, type, APInt::getSignedMinValue(bits)),
      result);
  return arith::SelectOp::create(
      b, loc, above, emitConstant(ctx, type, APInt::getSignedMaxValue(bits)),
      result);
}

static Value emitToInt(EmitContext &ctx, Value input, Type type, bool inRing) {
  OpBuilder &b = ctx.builder;
  Location loc = ctx.loc;
  Type from = getElementTypeOrSelf(input);
  Type to = getElementTypeOrSelf(type);
  if (from == to)
    return input;
  Value zero = emitConstant(ctx, input.getType(), 0);
  if (to.isInteger(1) && isa<FloatType>(from))
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, input,
                                 zero);
  if (to.isInteger(1))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, input, zero);
  if (isa<FloatType>(from) && inRing)
    return arith::FPToSIOp::create(b, loc, type, input);
  if (isa<FloatType>(from))
    return emitFloatToInt(ctx, input, type);
  if (from.isInteger(1))
    return arith::ExtUIOp::create(b, loc, type, input);
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(b, loc, type, input);
  return arith::TruncIOp::create(b, loc, type, input);
}

Value CastOp::emitElement(EmitContext &ctx, ValueRange operands,
                          Type resultType) {
  bool inRing = isInRing(*this);
  if (isa<FloatType>(getElementTypeOrSelf(resultType)))
    return emitToFloat(ctx, operands[0], getType().getElementType(), resultType,
                       inRing);
  return emitToInt(ctx, operands[0], resultType, inRing);
}

bool CastOp::isNarrowing() {
  Type from = getInput().getType().getElementType();
  Type to = getType().getElementType();
  return isa<FloatType>(from) && isa<FloatType>(to) &&
         from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth();
}

/// The reference rounds where a cast narrows. What it leaves is integers to
/// f32, which it keeps in f64.
double CastOp::getErrorUnits() {
  bool isKept = isa<IntegerType>(getInput().getType().getElementType()) &&
                getType().getElementType().isF32();
  return isKept && !isExact() ? 0.5 : 0;
}
