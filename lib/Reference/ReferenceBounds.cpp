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
// and twice that for f64, because the reference's own arithmetic is no better.
// Ops that are exact add nothing. Reductions are in ReductionBounds.cpp.
//
// Errors of operands pass through an op by way of its own arithmetic: the op is
// evaluated at every corner of the box that the bounds of its operands span.
// For ops that are monotone or linear in each operand that is the range of the
// results. A rounding to f16 or bf16 is monotone too: the bound becomes 0 where
// all of the range rounds to one number, and a whole unit where it does not.
//
// Ops that are neither say so by JumpOpInterface (Jumps.cpp has those of the
// dialect). An i1 that is undecided has a bound of 1, and its corners are false
// and true. What may be anything has an infinite bound, as has the result of
// any op that is finite where a corner is not, or the other way around; its
// corners are NaN and 0.
//
//===----------------------------------------------------------------------===//

#include "BoundArithmetic.h"
#include "ReferenceLowering.h"
#include "fuser/Reference/Jumps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

using namespace fuser;
using namespace fuser::reference;

//===----------------------------------------------------------------------===//
// What ops add
//===----------------------------------------------------------------------===//

static Type getResultElement(Operation *op) {
  return getElementTypeOrSelf(op->getResult(0));
}

static double getUnit(Type element) {
  return element.isF64() ? 0x1p-53 : 0x1p-24;
}

/// How many units of roundoff of its result an op may err by of its own.
static double getOwnUnits(ElementwiseOpInterface op) {
  Type type = getResultElement(op);
  if (!isa<FloatType>(type))
    return 0;
  double units = 2 * op.getErrorUnits();
  return type.isF64() ? 2 * units : units;
}

bool ReferenceLowering::needsBound(TensorOpInterface op) {
  for (OpOperand *operand : getTensorOperands(op))
    if (hasBound(operand->get()))
      return true;
  if (auto elementwise = dyn_cast<ElementwiseOpInterface>(op.getOperation()))
    return getOwnUnits(elementwise) != 0;
  if (auto reduction = dyn_cast<ReductionOpInterface>(op.getOperation()))
    return !isExactReduction(reduction);
  if (auto fibres = dyn_cast<FibreOpInterface>(op.getOperation()))
    return !fibres.isExactFibre();
  return isa<ContractionOpInterface>(op.getOperation()) &&
         isa<FloatType>(getResultElement(op));
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
  Type type = getResultElement(op);
  auto round = [&](bool upwards) {
    Value moved = emitMoved(b, loc, type, value, bound, upwards);
    return emitDistance(b, loc, type, this->round(moved, op), rounded);
  };
  return emitMax(b, loc, round(/*upwards=*/true), round(/*upwards=*/false));
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
      moved[position] = emitMoved(b, loc, getElementTypeOrSelf(operand->get()),
                                  elements[position], operandBounds[number],
                                  (corner >> number) & 1);
    }
    Value there = op.emitElement(ctx, moved, value.getType());
    bound = emitMax(b, loc, bound,
                    emitDistance(b, loc, getResultElement(op), there, value));
  }
  return bound;
}

/// What an op errs by of its own. One instruction on exact operands whose
/// result is an f32 gives that.
Value ReferenceLowering::emitOwnBound(ElementwiseOpInterface op, double units,
                                      Value value, Value operandsBound) {
  Value magnitude = math::AbsFOp::create(b, loc, value);
  Value own =
      emitUnits(getResultElement(op), emitConstant(b, loc, units), magnitude);
  if (units > 1)
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

/// Infinite where an operand is inexact: corners show nothing of what is
/// between them. Those of an i1 show all.
Value ReferenceLowering::emitErraticBound(Type type, ArrayRef<Value> bounds,
                                          Value bound) {
  if (type.isInteger(1))
    return bound;
  Value zero = emitConstant(b, loc, 0);
  for (Value operand : bounds) {
    Value isExact =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, operand, zero);
    bound =
        arith::SelectOp::create(b, loc, isExact, bound, emitInfinity(b, loc));
  }
  return bound;
}

/// `bound`, and no less than what ops that jump say.
Value ReferenceLowering::emitJumpBound(Operation *op, ValueRange elements,
                                       Value value, ValueRange index,
                                       Value bound) {
  SmallVector<Value> bounds;
  for (OpOperand *operand : getTensorOperands(op))
    bounds.push_back(loadBound(operand->get(), index));
  if (op->hasTrait<fusion::IsErratic>())
    return emitErraticBound(value.getType(), bounds, bound);
  auto jumping = dyn_cast<JumpOpInterface>(op);
  if (!jumping)
    return bound;
  EmitContext emitContext = getContext();
  SmallVector<Value> all = fusion::addScalarOperand(emitContext, op, elements);
  if (std::optional<unsigned> scalar = fusion::getScalarPosition(op))
    bounds.insert(bounds.begin() + *scalar, emitConstant(b, loc, 0));
  JumpContext ctx{b,     loc,
                  all,   bounds,
                  value, getElementTypeOrSelf(op->getOperands().back())};
  Jump jump = jumping.emitJump(ctx);
  if (!jump.condition)
    return bound;
  Value there = emitMax(b, loc, bound, jump.bound);
  return arith::SelectOp::create(b, loc, jump.condition, there, bound);
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
  bound = emitJumpBound(op, elements, value, index, bound);
  return emitRoundedBound(op, value, bound);
}
