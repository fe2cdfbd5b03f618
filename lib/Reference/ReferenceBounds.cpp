//===- ReferenceBounds.cpp - How far a kernel may be from the reference ---===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A running error analysis beside the reference's values: for each element a
// bound of |kernel - reference|, if every op of the kernel errs by what is
// stated below. docs/rationale/check-tolerance.md gives the reasons.
//
// With u the unit roundoff of what kernels compute in (2^-24, f64: 2^-53):
//   elementwise op, one instruction   u |result|
//   elementwise op, a function        8 u |result|, which is 4 ulp
//   sum of n elements                 (8 + log2 n) u (sum of magnitudes)
// and twice that for f64, plus n u for sums, because the reference's own
// arithmetic is no better. Ops that are exact add nothing.
//
// Errors of operands pass through an op by way of its own arithmetic: the op is
// evaluated at every corner of the box that the bounds of its operands span.
// For ops that are monotone or linear in each operand that is the range of the
// results. A rounding to f16 or bf16 is monotone too: the bound becomes 0 where
// all of the range rounds to one number, and a whole unit where it does not.
//
// Two kinds of op are neither, and have rules of their own. A comparison whose
// operands lie within their bounds of each other is undecided, and so is a cast
// to i1 of what lies within its bound of 0: its bound is 1, and its corners are
// false and true. A division by what lies within its bound of 0 may give
// anything: its bound is infinite, as is that of any op with a finite result
// and a corner that is not (or the other way around). The corners of what may
// be anything are NaN and 0.
//
//===----------------------------------------------------------------------===//

#include "ReferenceLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>
#include <limits>

using namespace fuser;
using namespace fuser::reference;

//===----------------------------------------------------------------------===//
// f64 arithmetic
//===----------------------------------------------------------------------===//

static Value emitConstant(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
}

/// An element as an f64.
static Value emitNumber(OpBuilder &b, Location loc, Value element) {
  if (isa<FloatType>(element.getType()))
    return element;
  if (element.getType().isInteger(1))
    return arith::UIToFPOp::create(b, loc, b.getF64Type(), element);
  return arith::SIToFPOp::create(b, loc, b.getF64Type(), element);
}

static Value emitInfinity(OpBuilder &b, Location loc) {
  return emitConstant(b, loc, std::numeric_limits<double>::infinity());
}

static Value emitIsAnything(OpBuilder &b, Location loc, Value bound) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, bound,
                               emitInfinity(b, loc));
}

static Value emitIsFinite(OpBuilder &b, Location loc, Value number) {
  Value largest = emitConstant(b, loc, std::numeric_limits<double>::max());
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLE,
                               math::AbsFOp::create(b, loc, number), largest);
}

/// |lhs - rhs|: 0 if neither is finite and both are alike, infinite if they are
/// not.
static Value emitDistance(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  lhs = emitNumber(b, loc, lhs);
  rhs = emitNumber(b, loc, rhs);
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

static Value emitMax(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  Value isLess =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, lhs, rhs);
  return arith::SelectOp::create(b, loc, isLess, rhs, lhs);
}

/// An integer plus or minus `bound`, which stops at the ends of its type.
static Value emitMovedInteger(OpBuilder &b, Location loc, Value element,
                              Value bound, bool upwards) {
  Type type = element.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  auto constant = [&](APInt value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
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
                    ? arith::AddIOp::create(b, loc, element, steps).getResult()
                    : arith::SubIOp::create(b, loc, element, steps).getResult();
  auto wrapped =
      upwards ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sgt;
  Value wraps = arith::CmpIOp::create(b, loc, wrapped, moved, element);
  Value end = upwards ? most : constant(APInt::getSignedMinValue(width));
  return arith::SelectOp::create(b, loc, wraps, end, moved);
}

/// The end of the range of `element`: `element` plus or minus `bound`; true or
/// false for an i1 that is undecided; NaN and 0 for what may be anything.
static Value emitMoved(OpBuilder &b, Location loc, Value element, Value bound,
                       bool upwards) {
  Type type = element.getType();
  if (type.isInteger(1)) {
    Value isExact = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                          bound, emitConstant(b, loc, 0));
    Value end = arith::ConstantOp::create(b, loc, b.getBoolAttr(upwards));
    return arith::SelectOp::create(b, loc, isExact, element, end);
  }
  if (!isa<FloatType>(type))
    return emitMovedInteger(b, loc, element, bound, upwards);
  Value moved = upwards
                    ? arith::AddFOp::create(b, loc, element, bound).getResult()
                    : arith::SubFOp::create(b, loc, element, bound).getResult();
  Value end = emitConstant(
      b, loc, upwards ? std::numeric_limits<double>::quiet_NaN() : 0);
  return arith::SelectOp::create(b, loc, emitIsAnything(b, loc, bound), end,
                                 moved);
}

/// True where `distance` is no more than `bound`, and not both are 0. What the
/// bound leaves out, terms of second order, is less than the slack.
static Value emitIsWithin(OpBuilder &b, Location loc, Value distance,
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

//===----------------------------------------------------------------------===//
// What ops add
//===----------------------------------------------------------------------===//

static Type getResultElement(Operation *op) {
  return getElementTypeOrSelf(op->getResult(0));
}

static double getUnit(Type element) {
  return element.isF64() ? 0x1p-53 : 0x1p-24;
}

/// How many units of its result an op may err by of its own.
static double getOwnUnits(ElementwiseOpInterface op) {
  Type type = getResultElement(op);
  if (!isa<FloatType>(type) || op.isExact())
    return 0;
  // The reference rounds where it narrows; what it leaves is integers to f32.
  if (auto cast = dyn_cast<CastOp>(op.getOperation()))
    return isa<IntegerType>(getElementTypeOrSelf(cast.getInput())) &&
           type.isF32();
  double units = op.getElementCost() <= 1 ? 1 : 8;
  return type.isF64() ? 2 * units : units;
}

/// Taking the greatest or the least rounds nothing.
static bool isExactReduction(ReductionOpInterface op) {
  auto reduce = dyn_cast<ReduceOp>(op.getOperation());
  return !isa<FloatType>(getResultElement(op)) ||
         (reduce && llvm::is_contained({ReduceKind::Max, ReduceKind::Min},
                                       reduce.getKind()));
}

bool ReferenceLowering::needsBound(TensorOpInterface op) {
  for (OpOperand *operand : getTensorOperands(op))
    if (hasBound(operand->get()))
      return true;
  if (auto elementwise = dyn_cast<ElementwiseOpInterface>(op.getOperation()))
    return getOwnUnits(elementwise) != 0;
  if (auto reduction = dyn_cast<ReductionOpInterface>(op.getOperation()))
    return !isExactReduction(reduction);
  return false;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

Value ReferenceLowering::loadBound(Value tensor, ValueRange index) {
  Value buffer = bounds.lookup(tensor);
  if (!buffer)
    return emitConstant(b, loc, 0);
  return memref::LoadOp::create(b, loc, buffer, index);
}

void ReferenceLowering::storeBound(Value bound, Operation *op,
                                   ValueRange index) {
  memref::StoreOp::create(b, loc, bound, bounds.lookup(op->getResult(0)),
                          index);
}

/// The bound of `value` once it is rounded as results of `op` are.
Value ReferenceLowering::emitRoundedBound(Operation *op, Value value,
                                          Value bound) {
  Value rounded = round(value, op);
  if (rounded == value)
    return bound;
  Value above = round(emitMoved(b, loc, value, bound, /*upwards=*/true), op);
  Value below = round(emitMoved(b, loc, value, bound, /*upwards=*/false), op);
  return emitMax(b, loc, emitDistance(b, loc, above, rounded),
                 emitDistance(b, loc, below, rounded));
}

/// `units` of `magnitude` of an element of `type`, no less than those of the
/// smallest normal number; nothing if it is zero or not finite.
Value ReferenceLowering::emitUnits(Type type, Value units, Value magnitude) {
  Value zero = emitConstant(b, loc, 0);
  double least = type.isF64() ? 0x1p-1022 : 0x1p-126;
  Value error = arith::MulFOp::create(
      b, loc,
      arith::MulFOp::create(b, loc, units, emitConstant(b, loc, getUnit(type))),
      emitMax(b, loc, magnitude, emitConstant(b, loc, least)));
  Value isZero =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, magnitude, zero);
  error = arith::SelectOp::create(b, loc, isZero, zero, error);
  Value isFinite = emitIsFinite(b, loc, magnitude);
  return arith::SelectOp::create(b, loc, isFinite, error, zero);
}

/// The distance of `value` from what `op` gives at the corners of the box that
/// the bounds of `inexact`, `operandBounds`, span.
Value ReferenceLowering::emitCornerBound(ElementwiseOpInterface op,
                                         ValueRange elements, Value value,
                                         ArrayRef<Value> inexact,
                                         ArrayRef<Value> operandBounds) {
  EmitContext ctx = getContext();
  Value bound = emitConstant(b, loc, 0);
  unsigned numCorners = inexact.empty() ? 0 : 1u << inexact.size();
  for (unsigned corner = 0; corner < numCorners; ++corner) {
    SmallVector<Value> moved(elements);
    for (auto [position, operand] : llvm::enumerate(getTensorOperands(op))) {
      const auto *found = llvm::find(inexact, operand->get());
      if (found == inexact.end())
        continue;
      unsigned number = found - inexact.begin();
      moved[position] =
          emitMoved(b, loc, elements[position], operandBounds[number],
                    (corner >> number) & 1);
    }
    Value there = op.emitElement(ctx, moved, value.getType());
    bound = emitMax(b, loc, bound, emitDistance(b, loc, there, value));
  }
  return bound;
}

/// A comparison that no corner shows to be undecided: of equality, and of
/// floats, whose bounds leave out terms of second order.
Value ReferenceLowering::emitIsUndecided(CmpOp op, ValueRange elements,
                                         ValueRange index) {
  // An element and itself are equal whatever it is.
  if (op.getLhs() == op.getRhs())
    return {};
  bool isEquality = llvm::is_contained({CmpPredicate::Eq, CmpPredicate::Ne},
                                       op.getPredicate());
  if (!isEquality && !isa<FloatType>(elements[0].getType()))
    return {};
  Value difference = arith::SubFOp::create(
      b, loc, emitNumber(b, loc, elements[0]), emitNumber(b, loc, elements[1]));
  Value bound = arith::AddFOp::create(b, loc, loadBound(op.getLhs(), index),
                                      loadBound(op.getRhs(), index));
  Value distance = math::AbsFOp::create(b, loc, difference);
  return emitIsWithin(b, loc, distance, bound);
}

/// Where an op jumps or is not defined in the middle of its operands' range, no
/// corner shows it: the condition that it is so, and the bound there. Null for
/// ops that do neither.
std::pair<Value, Value> ReferenceLowering::emitJump(ElementwiseOpInterface op,
                                                    ValueRange elements,
                                                    ValueRange index) {
  Value one = emitConstant(b, loc, 1);
  auto isNearZero = [&](Value element, Value tensor) {
    Value magnitude = math::AbsFOp::create(b, loc, emitNumber(b, loc, element));
    return emitIsWithin(b, loc, magnitude, loadBound(tensor, index));
  };
  if (auto cmp = dyn_cast<CmpOp>(op.getOperation()))
    return {emitIsUndecided(cmp, elements, index), one};
  if (auto div = dyn_cast<DivOp>(op.getOperation()))
    return {isNearZero(elements[1], div.getRhs()), emitInfinity(b, loc)};
  auto cast = dyn_cast<CastOp>(op.getOperation());
  if (!cast)
    return {};
  if (getResultElement(op).isInteger(1))
    return {isNearZero(elements[0], cast.getInput()), one};
  // NaN becomes an integer like any other.
  return {emitIsAnything(b, loc, loadBound(cast.getInput(), index)),
          emitInfinity(b, loc)};
}

/// What an op errs by of its own. One instruction on exact operands whose
/// result is an f32 gives that. The functions that divide by what may overflow,
/// which f64 does not, are 0 there.
Value ReferenceLowering::emitOwnBound(ElementwiseOpInterface op, double units,
                                      Value value, Value operandsBound) {
  Type type = getResultElement(op);
  Value magnitude = math::AbsFOp::create(b, loc, value);
  Value own = emitUnits(type, emitConstant(b, loc, units), magnitude);
  if (isa<SigmoidOp, SiluOp>(op.getOperation()) && !type.isF64()) {
    // No less than the result at -88.8.
    Value tiny = emitConstant(b, loc, 0x1p-121);
    Value isTiny = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                         magnitude, tiny);
    return arith::SelectOp::create(b, loc, isTiny, magnitude, own);
  }
  if (units != 1)
    return own;
  Value narrow = arith::TruncFOp::create(b, loc, b.getF32Type(), value);
  Value wide = arith::ExtFOp::create(b, loc, b.getF64Type(), narrow);
  auto isEqual = [&](Value lhs, Value rhs) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, lhs, rhs);
  };
  Value zero = emitConstant(b, loc, 0);
  Value isExact = arith::AndIOp::create(b, loc, isEqual(wide, value),
                                        isEqual(operandsBound, zero));
  return arith::SelectOp::create(b, loc, isExact, zero, own);
}

Value ReferenceLowering::emitElementwiseBound(ElementwiseOpInterface op,
                                              ValueRange elements, Value value,
                                              ValueRange index) {
  // An operand that is there twice moves once.
  llvm::SmallSetVector<Value, 4> inexact;
  for (OpOperand *operand : getTensorOperands(op))
    if (hasBound(operand->get()))
      inexact.insert(operand->get());
  SmallVector<Value> operandBounds;
  for (Value tensor : inexact)
    operandBounds.push_back(loadBound(tensor, index));
  Value bound = emitCornerBound(op, elements, value, inexact.getArrayRef(),
                                operandBounds);
  if (double units = getOwnUnits(op))
    bound = arith::AddFOp::create(b, loc, bound,
                                  emitOwnBound(op, units, value, bound));
  if (!inexact.empty())
    if (auto [jumps, there] = emitJump(op, elements, index); jumps)
      bound = arith::SelectOp::create(b, loc, jumps, there, bound);
  return emitRoundedBound(op, value, bound);
}

unsigned ReferenceLowering::getNumReductionVariants(ReductionOpInterface op) {
  if (!hasBound(op->getResult(0)))
    return 1;
  bool isInexact = hasBound(getTensorOperands(op).front()->get());
  return 1 + (isInexact ? 2 : 0) + (isExactReduction(op) ? 0 : 1);
}

SmallVector<Value>
ReferenceLowering::getReductionVariants(ReductionOpInterface op,
                                        ValueRange index) {
  Value operand = getTensorOperands(op).front()->get();
  Value element = load(operand, index);
  SmallVector<Value> variants = {element};
  if (!hasBound(op->getResult(0)))
    return variants;
  if (hasBound(operand)) {
    Value bound = loadBound(operand, index);
    variants.push_back(emitMoved(b, loc, element, bound, /*upwards=*/true));
    variants.push_back(emitMoved(b, loc, element, bound, /*upwards=*/false));
  }
  if (!isExactReduction(op))
    variants.push_back(math::AbsFOp::create(b, loc, element));
  return variants;
}

Value ReferenceLowering::emitReductionBound(
    ReductionOpInterface op, ArrayRef<SmallVector<Value>> accumulators,
    Value count, Value value) {
  EmitContext ctx = getContext();
  Type type = getResultElement(op);
  bool isExact = isExactReduction(op);
  Value bound = emitConstant(b, loc, 0);
  for (const SmallVector<Value> &set :
       accumulators.drop_front().drop_back(isExact ? 0 : 1)) {
    Value there = op.emitFinalize(ctx, set, count, value.getType());
    bound = emitMax(b, loc, bound, emitDistance(b, loc, there, value));
  }
  if (!isExact) {
    Value magnitude =
        op.emitFinalize(ctx, accumulators.back(), count, value.getType());
    Value number =
        emitMax(b, loc,
                arith::UIToFPOp::create(b, loc, b.getF64Type(),
                                        arith::IndexCastUIOp::create(
                                            b, loc, b.getI64Type(), count)),
                emitConstant(b, loc, 1));
    Value units = arith::AddFOp::create(
        b, loc, math::Log2Op::create(b, loc, number), emitConstant(b, loc, 8));
    if (type.isF64())
      units = arith::AddFOp::create(
          b, loc, arith::AddFOp::create(b, loc, units, units), number);
    bound =
        arith::AddFOp::create(b, loc, bound, emitUnits(type, units, magnitude));
  }
  return emitRoundedBound(op, value, bound);
}
