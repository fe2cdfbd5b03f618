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
// What is not finite, at a corner or in the reference, adds nothing.
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

/// |lhs - rhs|, or 0 if that is not finite.
static Value emitDistance(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  Value difference = arith::SubFOp::create(b, loc, emitNumber(b, loc, lhs),
                                           emitNumber(b, loc, rhs));
  Value distance = math::AbsFOp::create(b, loc, difference);
  Value largest = emitConstant(b, loc, std::numeric_limits<double>::max());
  Value isFinite = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLE,
                                         distance, largest);
  return arith::SelectOp::create(b, loc, isFinite, distance,
                                 emitConstant(b, loc, 0));
}

static Value emitMax(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  Value isLess =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, lhs, rhs);
  return arith::SelectOp::create(b, loc, isLess, rhs, lhs);
}

/// `element` plus or minus `bound`; an i1 that may be wrong becomes the other.
static Value emitMoved(OpBuilder &b, Location loc, Value element, Value bound,
                       bool upwards) {
  Type type = element.getType();
  if (type.isInteger(1)) {
    Value wrong = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE,
                                        bound, emitConstant(b, loc, 0));
    return arith::XOrIOp::create(b, loc, element, wrong);
  }
  if (isa<FloatType>(type))
    return upwards ? arith::AddFOp::create(b, loc, element, bound).getResult()
                   : arith::SubFOp::create(b, loc, element, bound).getResult();
  Value steps = arith::FPToSIOp::create(b, loc, type, bound);
  return upwards ? arith::AddIOp::create(b, loc, element, steps).getResult()
                 : arith::SubIOp::create(b, loc, element, steps).getResult();
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
  return emitDistance(b, loc, error, zero);
}

Value ReferenceLowering::emitElementwiseBound(ElementwiseOpInterface op,
                                              ValueRange elements, Value value,
                                              ValueRange index) {
  SmallVector<OpOperand *> operands = getTensorOperands(op);
  // An operand that is there twice moves once.
  llvm::SmallSetVector<Value, 4> inexact;
  for (OpOperand *operand : operands)
    if (hasBound(operand->get()))
      inexact.insert(operand->get());
  SmallVector<Value> operandBounds;
  for (Value tensor : inexact)
    operandBounds.push_back(loadBound(tensor, index));
  EmitContext ctx = getContext();
  Value bound = emitConstant(b, loc, 0);
  unsigned numCorners = inexact.empty() ? 0 : 1u << inexact.size();
  for (unsigned corner = 0; corner < numCorners; ++corner) {
    SmallVector<Value> moved(elements);
    for (auto [position, operand] : llvm::enumerate(operands)) {
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
  if (double units = getOwnUnits(op)) {
    Value magnitude = math::AbsFOp::create(b, loc, value);
    Value own =
        emitUnits(getResultElement(op), emitConstant(b, loc, units), magnitude);
    bound = arith::AddFOp::create(b, loc, bound, own);
  }
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
