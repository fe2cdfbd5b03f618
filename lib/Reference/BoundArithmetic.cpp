//===- BoundArithmetic.cpp - What bounds are made of ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundArithmetic.h"
#include "fuser/Support/ElementTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <limits>

using namespace fuser;
using namespace fuser::reference;

Value reference::emitConstant(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
}

Value reference::emitNumber(OpBuilder &b, Location loc, Type element,
                            Value value) {
  if (isa<FloatType>(element))
    return value;
  if (isSignedElement(element))
    return arith::SIToFPOp::create(b, loc, b.getF64Type(), value);
  return arith::UIToFPOp::create(b, loc, b.getF64Type(), value);
}

Value reference::emitInfinity(OpBuilder &b, Location loc) {
  return emitConstant(b, loc, std::numeric_limits<double>::infinity());
}

Value reference::emitIsAnything(OpBuilder &b, Location loc, Value bound) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, bound,
                               emitInfinity(b, loc));
}

Value reference::emitIsFinite(OpBuilder &b, Location loc, Value number) {
  Value largest = emitConstant(b, loc, std::numeric_limits<double>::max());
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLE,
                               math::AbsFOp::create(b, loc, number), largest);
}

/// Beyond that f32 has infinities only: half a unit after its largest number.
static constexpr double kInfiniteF32 = 0x1.ffffffp127;

/// `number`, but an infinity where kernels have one, of the sign that is asked
/// for. The reference computes f32 in f64.
static Value emitF32Overflow(OpBuilder &b, Location loc, Type element,
                             Value number, bool isPositive) {
  if (!element.isF32())
    return number;
  double limit = isPositive ? kInfiniteF32 : -kInfiniteF32;
  Value isBeyond = arith::CmpFOp::create(b, loc,
                                         isPositive ? arith::CmpFPredicate::OGE
                                                    : arith::CmpFPredicate::OLE,
                                         number, emitConstant(b, loc, limit));
  Value infinity =
      emitConstant(b, loc, limit * std::numeric_limits<double>::infinity());
  return arith::SelectOp::create(b, loc, isBeyond, infinity, number);
}

Value reference::emitDistance(OpBuilder &b, Location loc, Type element,
                              Value lhs, Value rhs) {
  for (Value *side : {&lhs, &rhs}) {
    *side = emitNumber(b, loc, element, *side);
    for (bool isPositive : {true, false})
      *side = emitF32Overflow(b, loc, element, *side, isPositive);
  }
  Value difference = arith::SubFOp::create(b, loc, lhs, rhs);
  Value distance = math::AbsFOp::create(b, loc, difference);
  Value isFinite = emitIsFinite(b, loc, distance);
  auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y).getResult();
  };
  using P = arith::CmpFPredicate;
  // An infinity and itself, or two that are NaN.
  Value areNaN = arith::AndIOp::create(b, loc, compare(P::UNO, lhs, lhs),
                                       compare(P::UNO, rhs, rhs));
  Value areAlike =
      arith::OrIOp::create(b, loc, compare(P::OEQ, lhs, rhs), areNaN);
  Value otherwise = arith::SelectOp::create(
      b, loc, areAlike, emitConstant(b, loc, 0), emitInfinity(b, loc));
  return arith::SelectOp::create(b, loc, isFinite, distance, otherwise);
}

Value reference::emitMax(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  Value isLess =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, lhs, rhs);
  return arith::SelectOp::create(b, loc, isLess, rhs, lhs);
}

/// An integer plus or minus `bound`, which stops at the ends of its type.
static Value emitMovedInteger(OpBuilder &b, Location loc, Type element,
                              Value value, Value bound, bool upwards) {
  Type type = value.getType();
  int width = type.getIntOrFloatBitWidth();
  bool isSigned = isSignedElement(element);
  auto constant = [&](const APInt &number) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, number));
  };
  Value most = constant(APInt::getSignedMaxValue(width));
  Value fits =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, bound,
                            emitConstant(b, loc, std::ldexp(1.0, width - 1)));
  Value steps = arith::FPToSIOp::create(
      b, loc, type,
      arith::SelectOp::create(b, loc, fits, bound, emitConstant(b, loc, 0)));
  steps = arith::SelectOp::create(b, loc, fits, steps, most);
  Value moved = upwards
                    ? arith::AddIOp::create(b, loc, value, steps).getResult()
                    : arith::SubIOp::create(b, loc, value, steps).getResult();
  using P = arith::CmpIPredicate;
  P below = isSigned ? P::slt : P::ult, above = isSigned ? P::sgt : P::ugt;
  Value wraps =
      arith::CmpIOp::create(b, loc, upwards ? below : above, moved, value);
  Value end = constant(upwards ? getGreatestInteger(element)
                               : getLeastInteger(element));
  return arith::SelectOp::create(b, loc, wraps, end, moved);
}

Value reference::emitMoved(OpBuilder &b, Location loc, Type element,
                           Value value, Value bound, bool upwards) {
  Type type = value.getType();
  if (type.isInteger(1)) {
    Value isExact = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                          bound, emitConstant(b, loc, 0));
    Value end = arith::ConstantOp::create(b, loc, b.getBoolAttr(upwards));
    return arith::SelectOp::create(b, loc, isExact, value, end);
  }
  if (!isa<FloatType>(type))
    return emitMovedInteger(b, loc, element, value, bound, upwards);
  Value moved = upwards
                    ? arith::AddFOp::create(b, loc, value, bound).getResult()
                    : arith::SubFOp::create(b, loc, value, bound).getResult();
  // What is beyond f32 is an infinity in kernels. The nearer end is a number,
  // as between a multiplication and an addition that are one instruction.
  moved = emitF32Overflow(b, loc, element, moved, /*isPositive=*/upwards);
  Value end = emitConstant(
      b, loc, upwards ? std::numeric_limits<double>::quiet_NaN() : 0);
  return arith::SelectOp::create(b, loc, emitIsAnything(b, loc, bound), end,
                                 moved);
}

Value reference::emitIsWithin(OpBuilder &b, Location loc, Value distance,
                              Value bound) {
  Value slack = emitConstant(b, loc, 1 + 0x1p-20);
  Value reach = arith::MulFOp::create(b, loc, bound, slack);
  auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y).getResult();
  };
  using P = arith::CmpFPredicate;
  Value isInexact = compare(P::OGT, bound, emitConstant(b, loc, 0));
  Value isNear = arith::AndIOp::create(b, loc, isInexact,
                                       compare(P::OLE, distance, reach));
  // The distance may be NaN.
  return arith::OrIOp::create(b, loc, isNear, emitIsAnything(b, loc, bound));
}
