//===- ElementFunctions.cpp - What elements of simple ops are -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementFunctions.h"

using namespace fuser;
using namespace fuser::fusion;

template <typename OpT>
static Value emit(EmitContext &ctx, Value lhs, Value rhs) {
  return OpT::create(ctx.builder, ctx.loc, lhs, rhs);
}

arith::CmpIPredicate fusion::getPredicate(Type element,
                                          arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  if (isSignedElement(element))
    return predicate;
  switch (predicate) {
  case P::slt:
    return P::ult;
  case P::sle:
    return P::ule;
  case P::sgt:
    return P::ugt;
  case P::sge:
    return P::uge;
  default:
    return predicate;
  }
}

Value fusion::emitExtended(EmitContext &ctx, Type element, Value value,
                           Type type) {
  Type wide = withElementType(value.getType(), getElementTypeOrSelf(type));
  if (isSignedElement(element))
    return arith::ExtSIOp::create(ctx.builder, ctx.loc, wide, value);
  return arith::ExtUIOp::create(ctx.builder, ctx.loc, wide, value);
}

Value fusion::emitShiftRight(EmitContext &ctx, Type element,
                             ValueRange operands) {
  return isSignedElement(element) ? emitShift<arith::ShRSIOp>(ctx, operands)
                                  : emitShift<arith::ShRUIOp>(ctx, operands);
}

Value fusion::emitIntegerQuotient(EmitContext &ctx, Type element, Value lhs,
                                  Value rhs) {
  Type type = lhs.getType();
  Value zero = emitConstant(ctx, type, 0);
  Value one = emitConstant(ctx, type, 1);
  Value byZero = emitCompare(ctx, arith::CmpIPredicate::eq, rhs, zero);
  if (!isSignedElement(element)) {
    Value divisor = emitSelect(ctx, byZero, one, rhs);
    return emitSelect(ctx, byZero, zero,
                      emit<arith::DivUIOp>(ctx, lhs, divisor));
  }
  Value minusOne = emitConstant(ctx, type, -1);
  Value byMinusOne = emitCompare(ctx, arith::CmpIPredicate::eq, rhs, minusOne);
  Value guarded = emit<arith::OrIOp>(ctx, byZero, byMinusOne);
  Value divisor = emitSelect(ctx, guarded, one, rhs);
  Value quotient = emit<arith::DivSIOp>(ctx, lhs, divisor);
  Value negated = emit<arith::SubIOp>(ctx, zero, lhs);
  quotient = emitSelect(ctx, byMinusOne, negated, quotient);
  return emitSelect(ctx, byZero, zero, quotient);
}

/// lhs - quotient * rhs.
static Value emitRest(EmitContext &ctx, Value lhs, Value rhs, Value quotient) {
  return emit<arith::SubIOp>(ctx, lhs, emit<arith::MulIOp>(ctx, quotient, rhs));
}

/// True if an integer is not 0 and has the other sign than `rhs`.
static Value emitIsOpposite(EmitContext &ctx, Value rest, Value rhs) {
  Value zero = emitConstant(ctx, rest.getType(), 0);
  Value differs = emitCompare(ctx, arith::CmpIPredicate::slt,
                              emit<arith::XOrIOp>(ctx, rest, rhs), zero);
  Value isRest = emitCompare(ctx, arith::CmpIPredicate::ne, rest, zero);
  return emit<arith::AndIOp>(ctx, isRest, differs);
}

/// True if a float is not 0 and has the other sign than `rhs`.
static Value emitIsOppositeFloat(EmitContext &ctx, Value rest, Value rhs) {
  using P = arith::CmpFPredicate;
  Value zero = emitConstant(ctx, rest.getType(), 0);
  Value differs = emitCompare(ctx, arith::CmpIPredicate::ne,
                              emitCompare(ctx, P::OLT, rest, zero),
                              emitCompare(ctx, P::OLT, rhs, zero));
  Value isRest = emitCompare(ctx, P::ONE, rest, zero);
  return emit<arith::AndIOp>(ctx, isRest, differs);
}

/// The quotient of floats may be rounded up to a whole number, which is not the
/// one below; that of a dividend less its remainder is next to a whole number.
static Value emitFloorQuotientOfFloats(EmitContext &ctx, Value lhs, Value rhs) {
  using P = arith::CmpFPredicate;
  Type type = lhs.getType();
  Value zero = emitConstant(ctx, type, 0), one = emitConstant(ctx, type, 1);
  Value quotient = emit<arith::DivFOp>(ctx, lhs, rhs);
  Value rest = emit<arith::RemFOp>(ctx, lhs, rhs);
  Value near =
      emit<arith::DivFOp>(ctx, emit<arith::SubFOp>(ctx, lhs, rest), rhs);
  near = emitSelect(ctx, emitIsOppositeFloat(ctx, rest, rhs),
                    emit<arith::SubFOp>(ctx, near, one), near);
  Value whole = math::FloorOp::create(ctx.builder, ctx.loc, near);
  Value isNextNearer =
      emitCompare(ctx, P::OGT, emit<arith::SubFOp>(ctx, near, whole),
                  emitConstant(ctx, type, 0.5));
  whole = emitSelect(ctx, isNextNearer, emit<arith::AddFOp>(ctx, whole, one),
                     whole);
  Value isZero = emitCompare(ctx, P::OEQ, near, zero);
  whole = emitSelect(ctx, isZero, emit<math::CopySignOp>(ctx, zero, quotient),
                     whole);
  return emitSelect(ctx, emitCompare(ctx, P::OEQ, rhs, zero), quotient, whole);
}

Value fusion::emitFloorQuotient(EmitContext &ctx, Type element,
                                ValueRange operands) {
  Value lhs = operands[0], rhs = operands[1];
  if (isFloat(lhs))
    return emitFloorQuotientOfFloats(ctx, lhs, rhs);
  Value quotient = emitIntegerQuotient(ctx, element, lhs, rhs);
  if (!isSignedElement(element))
    return quotient;
  Value isAbove = emitIsOpposite(ctx, emitRest(ctx, lhs, rhs, quotient), rhs);
  Value zero = emitConstant(ctx, rhs.getType(), 0);
  Value isQuotient = emitCompare(ctx, arith::CmpIPredicate::ne, rhs, zero);
  Value one = emitConstant(ctx, rhs.getType(), 1);
  return emitSelect(ctx, emit<arith::AndIOp>(ctx, isAbove, isQuotient),
                    emit<arith::SubIOp>(ctx, quotient, one), quotient);
}

Value fusion::emitFmod(EmitContext &ctx, Type element, ValueRange operands) {
  Value lhs = operands[0], rhs = operands[1];
  if (isFloat(lhs))
    return emit<arith::RemFOp>(ctx, lhs, rhs);
  return emitRest(ctx, lhs, rhs, emitIntegerQuotient(ctx, element, lhs, rhs));
}

Value fusion::emitRemainder(EmitContext &ctx, Type element,
                            ValueRange operands) {
  Value rhs = operands[1];
  Value rest = emitFmod(ctx, element, operands);
  if (isIntegerElement(element) && !isSignedElement(element))
    return rest;
  if (!isFloat(rest))
    return emitSelect(ctx, emitIsOpposite(ctx, rest, rhs),
                      emit<arith::AddIOp>(ctx, rest, rhs), rest);
  return emitSelect(ctx, emitIsOppositeFloat(ctx, rest, rhs),
                    emit<arith::AddFOp>(ctx, rest, rhs), rest);
}

Value fusion::emitSign(EmitContext &ctx, Type element, Value input) {
  Type type = input.getType();
  Value zero = emitConstant(ctx, type, 0);
  auto compare = [&](arith::CmpFPredicate ofFloats,
                     arith::CmpIPredicate ofIntegers) {
    return isFloat(input) ? emitCompare(ctx, ofFloats, input, zero)
                          : emitCompare(ctx, getPredicate(element, ofIntegers),
                                        input, zero);
  };
  Value isAbove = compare(arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt);
  Value isBelow = compare(arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
  Value others = emitSelect(ctx, isBelow, emitConstant(ctx, type, -1), zero);
  return emitSelect(ctx, isAbove, emitConstant(ctx, type, 1), others);
}

Value fusion::emitNot(EmitContext &ctx, Value input) {
  Type type = input.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return emit<arith::XOrIOp>(ctx, input,
                             emitConstant(ctx, type, APInt::getAllOnes(width)));
}

Value fusion::emitIsNaN(EmitContext &ctx, Value input) {
  return math::IsNaNOp::create(ctx.builder, ctx.loc, input);
}

Value fusion::emitIsFinite(EmitContext &ctx, Value input) {
  return math::IsFiniteOp::create(ctx.builder, ctx.loc, input);
}

/// It is neither finite nor NaN, which nothing is at once.
Value fusion::emitIsInf(EmitContext &ctx, Value input) {
  return emitCompare(ctx, arith::CmpIPredicate::eq, emitIsFinite(ctx, input),
                     emitIsNaN(ctx, input));
}

double fusion::getFunctionErrorUnits(Operation *op) {
  if (getElementTypeOrSelf(op->getResult(0)).isF64())
    return 4;
  return isa<SinOp, CosOp, ExpM1Op>(op) ? 1.5 : 1;
}
