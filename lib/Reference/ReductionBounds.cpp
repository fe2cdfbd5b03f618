//===- ReductionBounds.cpp - How far reductions may be from the reference -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As ReferenceBounds.cpp, of reductions of n elements x, which may each be off
// by b. Beside the elements themselves others are reduced in the same loops,
// their variants:
//
//   sum      x + b and x - b, whose results are the ends of the range; and |x|:
//            of their sum the kernel errs by (8 + log2 n) u, of f64 by twice
//            that and n u more
//   product  |x|, |x| + b: the distance of their products is what the errors of
//            elements make, and the kernel errs by (8 + n) u of the second, of
//            f64 by twice that, in any order. Parts of a product may underflow,
//            where the whole does not; none is more than the product of all
//            magnitudes above 1. Where that overflows the result may be
//            anything.
//   position a second walk asks each element, at the better end of its range,
//            whether it is better than the result's at the worse end
//
//===----------------------------------------------------------------------===//

#include "BoundArithmetic.h"
#include "ReferenceLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace fuser;
using namespace fuser::reference;

static Type getResultElement(Operation *op) {
  return getElementTypeOrSelf(op->getResult(0));
}

bool ReferenceLowering::isExactReduction(ReductionOpInterface op) {
  return !isa<FloatType>(getResultElement(op)) || op.isIdempotent();
}

/// |x|, |x| + b, and the greater of that and 1.
static constexpr unsigned kProductVariants = 3;

unsigned ReferenceLowering::getNumReductionVariants(ReductionOpInterface op) {
  if (!hasBound(op->getResult(0)) || op.givesPosition())
    return 1;
  if (op.isProduct())
    return 1 + kProductVariants;
  bool isInexact = hasBound(getTensorOperands(op).front()->get());
  return 1 + (isInexact ? 2 : 0) + (isExactReduction(op) ? 0 : 1);
}

/// Of an element of a product.
SmallVector<Value>
ReferenceLowering::getProductVariants(Type type, Value element, Value bound) {
  if (!isa<FloatType>(type)) {
    Value magnitude =
        isSignedElement(type) ? math::AbsIOp::create(b, loc, element) : element;
    Value most = emitMoved(b, loc, type, magnitude, bound, /*upwards=*/true);
    return {element, magnitude, most, most};
  }
  Value magnitude = math::AbsFOp::create(b, loc, element);
  Value most = arith::AddFOp::create(b, loc, magnitude, bound);
  Value one = emitConstant(b, loc, 1);
  return {element, magnitude, most,
          arith::MaximumFOp::create(b, loc, most, one)};
}

SmallVector<Value>
ReferenceLowering::getReductionVariants(ReductionOpInterface op,
                                        ValueRange index) {
  Value operand = getTensorOperands(op).front()->get();
  Value element = load(operand, index);
  SmallVector<Value> variants = {element};
  if (!hasBound(op->getResult(0)) || op.givesPosition())
    return variants;
  if (op.isProduct())
    return getProductVariants(getResultElement(op), element,
                              loadBound(operand, index));
  if (hasBound(operand)) {
    Value bound = loadBound(operand, index);
    Type type = getElementTypeOrSelf(operand);
    for (bool upwards : {true, false})
      variants.push_back(emitMoved(b, loc, type, element, bound, upwards));
  }
  if (!isExactReduction(op))
    variants.push_back(math::AbsFOp::create(b, loc, element));
  return variants;
}

/// The number of elements as an f64, no less than 1.
Value ReferenceLowering::emitNumElements(Value count) {
  Value integer = arith::IndexCastUIOp::create(b, loc, b.getI64Type(), count);
  return emitMax(b, loc,
                 arith::UIToFPOp::create(b, loc, b.getF64Type(), integer),
                 emitConstant(b, loc, 1));
}

Value ReferenceLowering::emitSumBound(ReductionOpInterface op,
                                      ArrayRef<SmallVector<Value>> accumulators,
                                      Value count, Value value) {
  EmitContext ctx = getContext();
  Type type = getResultElement(op);
  bool isExact = isExactReduction(op);
  Value bound = emitConstant(b, loc, 0);
  for (const SmallVector<Value> &set :
       accumulators.drop_front().drop_back(isExact ? 0 : 1)) {
    Value there = op.emitFinalize(ctx, set, count, value.getType());
    bound = emitMax(b, loc, bound, emitDistance(b, loc, type, there, value));
  }
  if (isExact)
    return bound;
  Value magnitude =
      op.emitFinalize(ctx, accumulators.back(), count, value.getType());
  Value number = emitNumElements(count);
  Value units = arith::AddFOp::create(
      b, loc, math::Log2Op::create(b, loc, number), emitConstant(b, loc, 8));
  if (type.isF64())
    units = arith::AddFOp::create(
        b, loc, arith::AddFOp::create(b, loc, units, units), number);
  bound =
      arith::AddFOp::create(b, loc, bound, emitUnits(type, units, magnitude));
  if (accumulators.back().size() != 1)
    return bound;
  // A part of the sum may be infinite, though the sum, or what it is divided
  // to, is not.
  return arith::SelectOp::create(
      b, loc, emitOverflows(accumulators.back().front(), type.isF64()),
      emitInfinity(b, loc), bound);
}

/// Whether a magnitude is more than what kernels compute with: f64 or f32.
Value ReferenceLowering::emitOverflows(Value magnitude, bool isDouble) {
  Value limit = emitConstant(b, loc,
                             isDouble ? std::numeric_limits<double>::max()
                                      : std::numeric_limits<float>::max());
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, magnitude,
                               limit);
}

Value ReferenceLowering::emitProductBound(Type type, bool isExact,
                                          const ProductVariants &variants,
                                          Value number) {
  Value most = variants.most, largest = variants.largest;
  Value bound = emitDistance(b, loc, type, most, variants.magnitude);
  if (isExact)
    return bound;
  bool isDouble = type.isF64();
  Value units = arith::AddFOp::create(b, loc, number, emitConstant(b, loc, 8));
  if (isDouble)
    units = arith::AddFOp::create(b, loc, units, units);
  bound = arith::AddFOp::create(b, loc, bound, emitUnits(type, units, most));
  // Each multiplication may underflow, and be multiplied by all that is left.
  Value least = emitConstant(b, loc, isDouble ? 0x1p-1074 : 0x1p-149);
  Value lost = arith::MulFOp::create(
      b, loc, arith::MulFOp::create(b, loc, number, largest), least);
  Value overflows = emitOverflows(largest, isDouble);
  Value isNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                      largest, largest);
  bound = arith::SelectOp::create(b, loc, isNan, bound,
                                  arith::AddFOp::create(b, loc, bound, lost));
  return arith::SelectOp::create(b, loc, overflows, emitInfinity(b, loc),
                                 bound);
}

/// How far from `position` what the op gives of the elements there and at
/// `other` may be, of which both have errors.
Value ReferenceLowering::emitPositionDistance(ReductionOpInterface op,
                                              ArrayRef<Element> elements,
                                              Value count) {
  EmitContext ctx = getContext();
  SmallVector<Type> types =
      op.getAccumulatorTypes(elements.front().value.getType());
  Value bound = emitConstant(b, loc, 0), position = elements.front().position;
  Type type = getElementTypeOrSelf(getTensorOperands(op).front()->get());
  for (bool upwards : {true, false}) {
    SmallVector<SmallVector<Value>, 2> prepared;
    for (const Element &element : elements) {
      bool isUp = upwards == prepared.empty();
      Value moved = emitMoved(b, loc, type, element.value, element.bound, isUp);
      prepared.push_back(op.emitPrepare(ctx, moved, element.position, types));
    }
    Value there =
        op.emitFinalize(ctx, op.emitCombine(ctx, prepared[0], prepared[1]),
                        count, position.getType());
    bound = emitMax(b, loc, bound,
                    emitDistance(b, loc, b.getI64Type(), there, position));
  }
  return arith::SelectOp::create(b, loc,
                                 emitIsAnything(b, loc, elements.front().bound),
                                 emitInfinity(b, loc), bound);
}

/// `index` is that of the result in the operand, `position` the reference's.
Value ReferenceLowering::emitPositionBound(ReductionOpInterface op,
                                           MutableArrayRef<Value> index,
                                           Value count, Value position) {
  Value operand = getTensorOperands(op).front()->get();
  auto body = [&](ValueRange carried) -> SmallVector<Value> {
    SmallVector<Value> best(index);
    Value rest = arith::IndexCastOp::create(b, loc, b.getIndexType(), position);
    for (int64_t dim : llvm::reverse(op.getReductionDims())) {
      // A remainder counts as free of traps, and may leave a loop of nothing.
      Value size =
          arith::MaxUIOp::create(b, loc, emitIndex(getDim(operand, dim)),
                                 emitIndex(b.getIndexAttr(1)));
      best[dim] = arith::RemUIOp::create(b, loc, rest, size);
      rest = arith::DivUIOp::create(b, loc, rest, size);
    }
    Element elements[] = {
        {load(operand, best), loadBound(operand, best), position},
        {load(operand, index), loadBound(operand, index),
         emitPosition(op, index)}};
    return {emitMax(b, loc, carried.front(),
                    emitPositionDistance(op, elements, count))};
  };
  return emitReducedLoops(op, index, emitConstant(b, loc, 0), body).front();
}

Value ReferenceLowering::emitReductionBound(
    ReductionOpInterface op, ArrayRef<SmallVector<Value>> accumulators,
    MutableArrayRef<Value> index, Value count, Value value) {
  EmitContext ctx = getContext();
  auto finalize = [&](unsigned set) {
    return op.emitFinalize(ctx, accumulators[set], count, value.getType());
  };
  Value bound;
  if (op.givesPosition())
    bound = emitPositionBound(op, index, count, value);
  else if (op.isProduct())
    bound = emitProductBound(getResultElement(op), isExactReduction(op),
                             {finalize(1), finalize(2), finalize(3)},
                             emitNumElements(count));
  else
    bound = emitSumBound(op, accumulators, count, value);
  return emitRoundedBound(op, value, bound);
}
