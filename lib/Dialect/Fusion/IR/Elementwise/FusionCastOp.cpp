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

#include "ElementFunctions.h"
#include "fuser/Support/PowersOfTwo.h"

using namespace fuser;
using namespace fuser::fusion;

/// Packed floats are cast to and from those that have all their numbers, and
/// are rounded to them but once.
static bool isCastable(Type from, Type to) {
  auto isPartner = [](Type type) {
    return type.isF32() || type.isF16() || type.isBF16();
  };
  return (!isPackedElement(from) || isPartner(to)) &&
         (!isPackedElement(to) || isPartner(from));
}

/// Whether an integer that becomes another one by way of a float is brought
/// into the range of that: without the float it would wrap.
static bool isSaturated(Type from, Type by, Type to) {
  return isa<IntegerType>(from) && isa<FloatType>(by) && isa<IntegerType>(to) &&
         !to.isInteger(1) && !isExactConversion(from, to);
}

// cast(x) to its own type -> x; cast(cast(x)) -> cast(x) if the inner is exact
OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto inner = getInput().getDefiningOp<CastOp>();
  if (!inner || !isExactConversion(inner.getInput().getType().getElementType(),
                                   inner.getType().getElementType()))
    return {};
  if (inner.getInput().getType() == getType())
    return inner.getInput();
  if (!isCastable(inner.getInput().getType().getElementType(),
                  getType().getElementType()) ||
      isSaturated(inner.getInput().getType().getElementType(),
                  inner.getType().getElementType(), getType().getElementType()))
    return {};
  getInputMutable().assign(inner.getInput());
  return getResult();
}

LogicalResult CastOp::verify() {
  // cast_c1
  if (getInput().getType().getShape() != getType().getShape())
    return emitOpError() << "expected the input's shape in the result, got "
                         << getInput().getType() << " and " << getType();
  // cast_c2
  Type from = getInput().getType().getElementType();
  Type to = getType().getElementType();
  if (isComplexElement(from) && !isComplexElement(to) && !to.isInteger(1))
    return emitOpError() << "expected complex numbers to become complex "
                            "numbers or i1, got "
                         << to << ": take their real part by fusion.real";
  // cast_c3
  if (!isCastable(from, to))
    return emitOpError() << "expected f4E2M1FN to be cast to f32, f16 or bf16, "
                            "or from these, got "
                         << from << " and " << to;
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

/// An integer of type `element` as a float, rounded to nearest.
static Value emitIntToFloat(EmitContext &ctx, Type element, Value input,
                            Type type) {
  if (isSignedElement(element))
    return arith::SIToFPOp::create(ctx.builder, ctx.loc, type, input);
  return arith::UIToFPOp::create(ctx.builder, ctx.loc, type, input);
}

/// An integer of 64 bits to f64: the low bits of a number with more than 53
/// become one bit, so that f64 holds what is left.
static Value emitIntToF64Sticky(EmitContext &ctx, Type element, Value input,
                                Type type) {
  OpBuilder &b = ctx.builder;
  Location loc = ctx.loc;
  if (element.getIntOrFloatBitWidth() <= 32)
    return emitIntToFloat(ctx, element, input, type);
  bool isSigned = isSignedElement(element);
  int64_t low64 = isSigned ? 0x7FF : 0xFFF;
  Type intType = input.getType();
  Value zero = emitConstant(ctx, intType, 0);
  Value lowMask = emitConstant(ctx, intType, low64);
  Value highMask = emitConstant(ctx, intType, ~low64);
  Value low = arith::AndIOp::create(b, loc, input, lowMask);
  Value high = arith::AndIOp::create(b, loc, input, highMask);
  Value hasLow =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, low, zero);
  Value sticky = arith::SelectOp::create(
      b, loc, hasLow, emitConstant(ctx, intType, (low64 + 1) / 2), zero);
  Value rounded = arith::OrIOp::create(b, loc, high, sticky);
  // Below 2^53 in magnitude: bits 53 to 63 are all equal.
  Value top = emitBySign<arith::ShRSIOp, arith::ShRUIOp>(
      ctx, element, input, emitConstant(ctx, intType, 53));
  Value fits =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, top, zero);
  if (isSigned) {
    Value negative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           top, emitConstant(ctx, intType, -1));
    fits = arith::OrIOp::create(b, loc, fits, negative);
  }
  Value exact = arith::SelectOp::create(b, loc, fits, input, rounded);
  return emitIntToFloat(ctx, element, exact, type);
}

/// A number in the type in which the result is computed.
static Value emitToFloat(EmitContext &ctx, Value input, CastOp op, Type type) {
  OpBuilder &b = ctx.builder;
  Location loc = ctx.loc;
  Type element = op.getInput().getType().getElementType();
  Type from = getElementTypeOrSelf(input);
  Type to = getElementTypeOrSelf(type);
  bool isHalf = isNarrowFloat(op.getType().getElementType()) && !isInRing(op);
  if (isa<IntegerType>(from)) {
    // f32 has all integers of 16 bits.
    if (!isHalf || from.getIntOrFloatBitWidth() <= 16)
      return emitIntToFloat(ctx, element, input, type);
    Type f64 = withElementType(type, b.getF64Type());
    input = emitIntToF64Sticky(ctx, element, input, f64);
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

/// `inRing` nothing is out of range.
static Value emitFloatToInt(EmitContext &ctx, Value input, Type element,
                            Type type, bool inRing) {
  OpBuilder &b = ctx.builder;
  Location loc = ctx.loc;
  bool isSigned = isSignedElement(element);
  auto convert = [&](Value number) -> Value {
    if (isSigned)
      return arith::FPToSIOp::create(b, loc, type, number);
    return arith::FPToUIOp::create(b, loc, type, number);
  };
  if (inRing)
    return convert(input);
  // The bounds are powers of two, so any float type holds them.
  auto bits = static_cast<int>(element.getIntOrFloatBitWidth());
  double bound = std::ldexp(1.0, isSigned ? bits - 1 : bits);
  Value low = emitConstant(ctx, input.getType(), isSigned ? -bound : 0);
  Value high = emitConstant(ctx, input.getType(), bound);
  Value zero = emitConstant(ctx, input.getType(), 0);
  Value notBelow =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, input, low);
  Value notAbove =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, input, high);
  Value inside = arith::AndIOp::create(b, loc, notBelow, notAbove);
  Value safe = arith::SelectOp::create(b, loc, inside, input, zero);
  Value result = convert(safe);
  Value below =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, input, low);
  Value above =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, input, high);
  result = arith::SelectOp::create(
      b, loc, below, emitConstant(ctx, type, getLeastInteger(element)), result);
  return arith::SelectOp::create(
      b, loc, above, emitConstant(ctx, type, getGreatestInteger(element)),
      result);
}

static Value emitToInt(EmitContext &ctx, Value input, CastOp op, Type type) {
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
  if (isa<FloatType>(from))
    return emitFloatToInt(ctx, input, op.getType().getElementType(), type,
                          isInRing(op));
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return emitExtended(ctx, op.getInput().getType().getElementType(), input,
                        type);
  return arith::TruncIOp::create(b, loc, type, input);
}

Value CastOp::emitElement(EmitContext &ctx, ValueRange operands,
                          Type resultType) {
  if (!isa<FloatType>(getElementTypeOrSelf(resultType)))
    return emitToInt(ctx, operands[0], *this, resultType);
  Value result = emitToFloat(ctx, operands[0], *this, resultType);
  // Powers of two are nearest to sizes.
  if (isPowersOfTwo(getType()) && !isInRing(*this))
    result = math::AbsFOp::create(ctx.builder, ctx.loc, result);
  return result;
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
