//===- ElementFunctions.h - What elements of simple ops are ----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops' records call these: one record is then a whole op.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_IR_ELEMENTFUNCTIONS_H
#define FUSER_LIB_DIALECT_FUSION_IR_ELEMENTFUNCTIONS_H

#include "../EmitUtils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <algorithm>
#include <cmath>

namespace fuser::fusion {

inline bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

inline Value emitSelect(EmitContext &ctx, Value condition, Value ifTrue,
                        Value ifFalse) {
  return arith::SelectOp::create(ctx.builder, ctx.loc, condition, ifTrue,
                                 ifFalse);
}

inline Value emitCompare(EmitContext &ctx, arith::CmpIPredicate predicate,
                         Value lhs, Value rhs) {
  return arith::CmpIOp::create(ctx.builder, ctx.loc, predicate, lhs, rhs);
}

inline Value emitCompare(EmitContext &ctx, arith::CmpFPredicate predicate,
                         Value lhs, Value rhs) {
  return arith::CmpFOp::create(ctx.builder, ctx.loc, predicate, lhs, rhs);
}

/// `SignedOp` or `UnsignedOp`, by the sign of integers of type `element`.
template <typename SignedOp, typename UnsignedOp>
Value emitBySign(EmitContext &ctx, Type element, Value lhs, Value rhs) {
  if (isSignedElement(element))
    return SignedOp::create(ctx.builder, ctx.loc, lhs, rhs);
  return UnsignedOp::create(ctx.builder, ctx.loc, lhs, rhs);
}

/// `predicate`, one of signed integers, of those of type `element`; of i1 true
/// is greater than false.
arith::CmpIPredicate getPredicate(Type element, arith::CmpIPredicate predicate);

/// An integer of type `element` in more bits of `type`'s element type.
Value emitExtended(EmitContext &ctx, Type element, Value value, Type type);

/// A quotient that neither traps nor is undefined: x / 0 = 0, and x / -1 = -x,
/// which wraps.
Value emitIntegerQuotient(EmitContext &ctx, Type element, Value lhs, Value rhs);
/// The same, rounded down; of floats as PyTorch and NumPy do it.
Value emitFloorQuotient(EmitContext &ctx, Type element, ValueRange operands);
/// What is left of a quotient, with the sign of the dividend or the divisor.
Value emitFmod(EmitContext &ctx, Type element, ValueRange operands);
Value emitRemainder(EmitContext &ctx, Type element, ValueRange operands);

/// The greatest common divisor, which is not negative; of 0 and x it is |x|.
Value emitGcd(EmitContext &ctx, Type element, ValueRange operands);
/// A power, of integers as PyTorch has it: it wraps.
Value emitPower(EmitContext &ctx, Type element, ValueRange operands);
/// The float of type `element` next to the first operand on the way to the
/// second.
Value emitNextAfter(EmitContext &ctx, Type element, ValueRange operands);
/// The logarithm of |gamma|, which is rounded to `element`.
Value emitLogGamma(EmitContext &ctx, Type element, Value input);

Value emitSign(EmitContext &ctx, Type element, Value input);
Value emitNot(EmitContext &ctx, Value input);

Value emitIsNaN(EmitContext &ctx, Value input);
Value emitIsInf(EmitContext &ctx, Value input);
Value emitIsFinite(EmitContext &ctx, Value input);

/// `OpT` (a maximum or minimum that NaN goes through) of two numbers, the
/// number of a number and NaN.
template <typename OpT>
Value emitExtremeNumber(EmitContext &ctx, ValueRange operands) {
  auto isNaN = [&](Value x) {
    return emitCompare(ctx, arith::CmpFPredicate::UNO, x, x);
  };
  Value lhs = operands[0], rhs = operands[1];
  Value extreme = OpT::create(ctx.builder, ctx.loc, lhs, rhs);
  Value number = emitSelect(ctx, isNaN(rhs), lhs, extreme);
  return emitSelect(ctx, isNaN(lhs), rhs, number);
}

/// `OpT` by any number of places; beyond the integer's width only what comes in
/// is left.
template <typename OpT>
Value emitShift(EmitContext &ctx, ValueRange operands) {
  Value input = operands[0], places = operands[1];
  Type type = input.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value isWithin = emitCompare(ctx, arith::CmpIPredicate::ult, places,
                               emitConstant(ctx, type, width));
  Value most = emitConstant(ctx, type, width - 1);
  if (std::is_same_v<OpT, arith::ShRSIOp>)
    return OpT::create(ctx.builder, ctx.loc, input,
                       emitSelect(ctx, isWithin, places, most));
  // Masked, not selected: of a selected number LLVM 22 makes PTX that shifts
  // 64 bits by the lower 32 of the number, whatever the others are.
  places = arith::AndIOp::create(ctx.builder, ctx.loc, places, most);
  Value shifted = OpT::create(ctx.builder, ctx.loc, input, places);
  return emitSelect(ctx, isWithin, shifted, emitConstant(ctx, type, 0));
}

/// To the right: what comes in is the sign, if there is one.
Value emitShiftRight(EmitContext &ctx, Type element, ValueRange operands);

/// How many units a function of mathematics errs by: that of f32 by one, sines
/// and expm1 by a half more, a library's of f64 by four.
double getFunctionErrorUnits(Operation *op);

// Reductions.

/// The size of a dimension of the result, of those of the operand.
OpFoldResult reifyReducedDim(EmitContext &ctx, ReductionOpInterface op,
                             int64_t dim);

/// What accumulators of elements computed in `computeType` are: 32 bits or
/// more.
Type getAccumulatorType(Type computeType);
/// An element of type `element` (a scalar or vector) as an accumulator.
Value emitAccumulator(EmitContext &ctx, Type element, Value value,
                      Type accumulatorType);

/// What a reduction of this kind of elements of type `element` starts from, in
/// `type`, and of two accumulators, or elements, one.
Value emitNeutralOf(EmitContext &ctx, ReduceKind kind, Type element, Type type);
Value emitCombined(EmitContext &ctx, ReduceKind kind, Type element, Value lhs,
                   Value rhs);

/// Of an op that gives the position of an element.
LogicalResult verifyPositionOp(ReductionOpInterface op);

/// Accumulators of such an op are an element and its position: those of
/// nothing, and the better of two, the one before the other if they are equal.
/// NaN is better than all numbers.
SmallVector<Value> emitNoExtreme(EmitContext &ctx, Type element,
                                 ArrayRef<Type> accumulatorTypes,
                                 bool isGreatest);
SmallVector<Value> emitExtreme(EmitContext &ctx, Type element, ValueRange lhs,
                               ValueRange rhs, bool isGreatest);

/// The least that elements from position 0 on can be: no better than the one
/// there.
SmallVector<Value> emitFirstExtreme(EmitContext &ctx, Type element,
                                    ArrayRef<Type> accumulatorTypes,
                                    bool isGreatest);
/// `emitExtreme` where positions of `lhs` are before those of `rhs`.
SmallVector<Value> emitExtremeInOrder(EmitContext &ctx, Type element,
                                      ValueRange lhs, ValueRange rhs,
                                      bool isGreatest);

/// Whether `lhs` is before `rhs` whatever their positions are, the greatest (or
/// least) first and NaN before all; and whether positions decide.
std::pair<Value, Value> emitOrder(EmitContext &ctx, Type element, Value lhs,
                                  Value rhs, bool isGreatest);

/// `none` if `count` is 0.
Value emitPositionOr(EmitContext &ctx, Value position, Value count,
                     int64_t none);

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_IR_ELEMENTFUNCTIONS_H
