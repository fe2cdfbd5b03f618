//===- FusionElementwiseOps.cpp - Ops that work element by element --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementFunctions.h"
#include "fuser/Support/FloatBuilder.h"

using namespace fuser;
using namespace fuser::fusion;

/// `FloatOp` or `IntOp` of two operands, by their type.
template <typename FloatOp, typename IntOp>
static Value emitBinary(EmitContext &ctx, ValueRange operands) {
  if (isFloat(operands[0]))
    return FloatOp::create(ctx.builder, ctx.loc, operands[0], operands[1]);
  return IntOp::create(ctx.builder, ctx.loc, operands[0], operands[1]);
}

/// What an op that is computed in `type` has as its exactness, for the
/// arithmetic it consists of. The reference computes in f64 and is exact.
static arith::FastMathFlags getFlags(Operation *op, Type type) {
  auto exactness =
      op->getAttrOfType<ExactnessAttr>(FusionDialect::getExactnessAttrName());
  if (!exactness || exactness.getValue() == Exactness::Exact ||
      !getElementTypeOrSelf(type).isF32())
    return arith::FastMathFlags::none;
  return exactness.getValue() == Exactness::Summand ? kSummandFlags
                                                    : arith::FastMathFlags::afn;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value AddOp::emit(EmitContext &ctx, ValueRange operands, Type) {
  return emitBinary<arith::AddFOp, arith::AddIOp>(ctx, operands);
}

Value SubOp::emit(EmitContext &ctx, ValueRange operands, Type) {
  return emitBinary<arith::SubFOp, arith::SubIOp>(ctx, operands);
}

Value MulOp::emit(EmitContext &ctx, ValueRange operands, Type) {
  return emitBinary<arith::MulFOp, arith::MulIOp>(ctx, operands);
}

Value MaxOp::emit(EmitContext &ctx, ValueRange operands, Type) {
  return emitCombined(ctx, ReduceKind::Max, getType().getElementType(),
                      operands[0], operands[1]);
}

Value MinOp::emit(EmitContext &ctx, ValueRange operands, Type) {
  return emitCombined(ctx, ReduceKind::Min, getType().getElementType(),
                      operands[0], operands[1]);
}

Value DivOp::emit(EmitContext &ctx, ValueRange operands, Type type) {
  if (isFloat(operands[0]))
    return arith::DivFOp::create(ctx.builder, ctx.loc, operands[0], operands[1],
                                 getFlags(*this, type));
  return emitIntegerQuotient(ctx, getType().getElementType(), operands[0],
                             operands[1]);
}

Value NegOp::emitElement(EmitContext &ctx, ValueRange operands, Type) {
  Value input = operands[0];
  if (isFloat(input))
    return arith::NegFOp::create(ctx.builder, ctx.loc, input);
  Value zero = emitConstant(ctx, input.getType(), 0);
  return arith::SubIOp::create(ctx.builder, ctx.loc, zero, input);
}

Value AbsOp::emitElement(EmitContext &ctx, ValueRange operands, Type) {
  Value input = operands[0];
  if (isFloat(input))
    return math::AbsFOp::create(ctx.builder, ctx.loc, input);
  if (!isSignedElement(getType().getElementType()))
    return input;
  Value zero = emitConstant(ctx, input.getType(), 0);
  Value opposite = arith::SubIOp::create(ctx.builder, ctx.loc, zero, input);
  return arith::MaxSIOp::create(ctx.builder, ctx.loc, input, opposite);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Value ExpOp::emitElement(EmitContext &ctx, ValueRange operands, Type type) {
  return math::ExpOp::create(ctx.builder, ctx.loc, operands[0],
                             getFlags(*this, type));
}

Value LogOp::emitElement(EmitContext &ctx, ValueRange operands, Type) {
  return math::LogOp::create(ctx.builder, ctx.loc, operands[0]);
}

Value SqrtOp::emitElement(EmitContext &ctx, ValueRange operands, Type) {
  return math::SqrtOp::create(ctx.builder, ctx.loc, operands[0]);
}

Value RsqrtOp::emitElement(EmitContext &ctx, ValueRange operands, Type type) {
  return math::RsqrtOp::create(ctx.builder, ctx.loc, operands[0],
                               getFlags(*this, type));
}

Value TanhOp::emitElement(EmitContext &ctx, ValueRange operands, Type type) {
  return math::TanhOp::create(ctx.builder, ctx.loc, operands[0],
                              getFlags(*this, type));
}

/// numerator / (1 + exp), with what the sum is rounded by, without which f32 is
/// off by 2.2 units in the last place (docs/spec/fusion.md says by how much).
static Value emitLogisticQuotient(EmitContext &ctx, Value numerator, Value one,
                                  Value exp, Value sum) {
  OpBuilder &b = ctx.builder;
  Location loc = ctx.loc;
  Value rounded = arith::SubFOp::create(
      b, loc, one, arith::SubFOp::create(b, loc, sum, exp));
  Value inverse = arith::DivFOp::create(b, loc, one, sum);
  Value quotient = arith::MulFOp::create(b, loc, numerator, inverse);
  Value negated = arith::NegFOp::create(b, loc, quotient);
  Value rest = math::FmaOp::create(b, loc, negated, sum, numerator);
  rest = math::FmaOp::create(b, loc, negated, rounded, rest);
  Value corrected = math::FmaOp::create(b, loc, rest, inverse, quotient);
  // Of an infinite sum or numerator the rest is NaN, and -0 keeps its sign.
  Value hasRest = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, rest,
                                        emitConstant(ctx, rest.getType(), 0));
  return arith::SelectOp::create(b, loc, hasRest, corrected, quotient);
}

/// numerator / (1 + exp(-x)), 1 / (1 + exp(-x)) without one. Where exp(-x)
/// overflows the quotient is 0, as the ops' records say; nothing gives
/// inf / inf but x = -inf.
static Value emitLogistic(EmitContext &ctx, Value numerator, Value x,
                          Operation *op, Type type) {
  OpBuilder &b = ctx.builder;
  arith::FastMathFlags flags = getFlags(op, type);
  Value one = emitConstant(ctx, x.getType(), 1);
  if (!numerator)
    numerator = one;
  Value negated = arith::NegFOp::create(b, ctx.loc, x);
  Value exp = math::ExpOp::create(b, ctx.loc, negated, flags);
  Value sum = arith::AddFOp::create(b, ctx.loc, one, exp);
  // Elsewhere f32 is wide enough, and in the ring nothing is rounded.
  bool isF32 = getElementTypeOrSelf(op->getResult(0)).isF32() &&
               getElementTypeOrSelf(type).isF32();
  if (isF32 && flags == arith::FastMathFlags::none && !isInRing(op))
    return emitLogisticQuotient(ctx, numerator, one, exp, sum);
  return arith::DivFOp::create(b, ctx.loc, numerator, sum, flags);
}

Value SigmoidOp::emitElement(EmitContext &ctx, ValueRange operands, Type type) {
  return emitLogistic(ctx, nullptr, operands[0], *this, type);
}

Value SiluOp::emitElement(EmitContext &ctx, ValueRange operands, Type type) {
  return emitLogistic(ctx, operands[0], operands[0], *this, type);
}

//===----------------------------------------------------------------------===//
// Comparison and choice
//===----------------------------------------------------------------------===//

static arith::CmpFPredicate getFloatPredicate(CmpPredicate predicate) {
  switch (predicate) {
  case CmpPredicate::Eq:
    return arith::CmpFPredicate::OEQ;
  case CmpPredicate::Ne:
    return arith::CmpFPredicate::UNE;
  case CmpPredicate::Lt:
    return arith::CmpFPredicate::OLT;
  case CmpPredicate::Le:
    return arith::CmpFPredicate::OLE;
  case CmpPredicate::Gt:
    return arith::CmpFPredicate::OGT;
  case CmpPredicate::Ge:
    return arith::CmpFPredicate::OGE;
  }
  llvm_unreachable("all predicates are above");
}

static arith::CmpIPredicate getIntPredicate(CmpPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case CmpPredicate::Eq:
    return P::eq;
  case CmpPredicate::Ne:
    return P::ne;
  case CmpPredicate::Lt:
    return P::slt;
  case CmpPredicate::Le:
    return P::sle;
  case CmpPredicate::Gt:
    return P::sgt;
  case CmpPredicate::Ge:
    return P::sge;
  }
  llvm_unreachable("all predicates are above");
}

// cmp_c3
LogicalResult CmpOp::verify() {
  bool isOrder =
      getPredicate() != CmpPredicate::Eq && getPredicate() != CmpPredicate::Ne;
  if (isOrder && isComplexElement(getLhs().getType().getElementType()))
    return emitOpError() << "expected eq or ne for complex numbers, which have "
                            "no order, got "
                         << stringifyCmpPredicate(getPredicate());
  return success();
}

Value CmpOp::emit(EmitContext &ctx, ValueRange operands, Type) {
  if (isFloat(operands[0]))
    return emitCompare(ctx, getFloatPredicate(getPredicate()), operands[0],
                       operands[1]);
  return emitCompare(ctx,
                     fusion::getPredicate(getLhs().getType().getElementType(),
                                          getIntPredicate(getPredicate())),
                     operands[0], operands[1]);
}

Value WhereOp::emit(EmitContext &ctx, ValueRange operands, Type) {
  return emitSelect(ctx, operands[0], operands[1], operands[2]);
}

Value SetOp::emitElement(EmitContext &ctx, ValueRange operands, Type) {
  return operands[0];
}

Value SegmentSetOp::emitElement(EmitContext &ctx, ValueRange operands, Type) {
  return operands[0];
}
