//===- NarrowMath.cpp - Functions of 16-bit floats ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU has multiply-adds of f16 and bf16, which round once; those of f32 would
// round twice. In f64 the product is exact. The sum is not always: of 3 * 87, a
// tie between two numbers of bf16, and 2^-100 it is 261, and the tie would go
// the wrong way. So the sum is rounded to odd: where digits are lost, to that
// of the two neighbours whose last bit is set. What is made of 53 such digits
// by one more rounding, to 11 or 8, is what is made of all of them.
//
//===----------------------------------------------------------------------===//

#include "NarrowMath.h"
#include "fuser/Support/FloatBuilder.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include <limits>

using namespace fuser;

/// x + y of f64, rounded to odd. Neither the sum nor the differences that its
/// error is made of overflow.
static Value addToOdd(OpBuilder &b, FloatBuilder &f, Value x, Value y) {
  Value sum = f.add(x, y);
  Value part = f.sub(sum, x);
  Value error = f.add(f.sub(x, f.sub(sum, part)), f.sub(y, part));
  Value zero = f.constant(b.getF64Type(), 0);
  Value bits = f.toBits(sum);
  Value isEven = f.comparei(arith::CmpIPredicate::eq,
                            f.andi(bits, f.integer(64, 1)), f.integer(64, 0));
  // Not of a NaN, which the error of an infinite sum is.
  Value inexact = f.compare(arith::CmpFPredicate::ONE, error, zero);
  Value outwards = f.comparei(arith::CmpIPredicate::eq,
                              f.compare(arith::CmpFPredicate::OGT, error, zero),
                              f.compare(arith::CmpFPredicate::OGT, sum, zero));
  Value step = f.select(outwards, f.integer(64, 1), f.integer(64, -1));
  Value result = f.select(f.andi(isEven, inexact), f.addi(bits, step), bits);
  return f.fromBits(result, b.getF64Type());
}

/// `op` has operands a, b and c.
static void expandMultiplyAdd(Operation *op) {
  OpBuilder b(op);
  Value first = op->getOperand(0);
  FloatBuilder f(b, op->getLoc(), first.getType());
  auto extend = [&](Value x) { return f.extendFloat(x, b.getF64Type()); };
  Value product = f.mul(extend(first), extend(op->getOperand(1)));
  Value sum = addToOdd(b, f, product, extend(op->getOperand(2)));
  Value result = f.truncateFloat(sum, getElementTypeOrSelf(first.getType()));
  op->replaceAllUsesWith(ValueRange(result));
  op->erase();
}

static bool isBF16(Value value) {
  return getElementTypeOrSelf(value.getType()).isBF16();
}

/// The same function of f32.
static void widenFunction(Operation *op) {
  OpBuilder b(op);
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    FloatBuilder f(b, op->getLoc(), operand.getType());
    if (isBF16(operand))
      mapping.map(operand, f.extendFloat(operand, b.getF32Type()));
  }
  Operation *wide = b.clone(*op, mapping);
  for (auto [result, narrow] :
       llvm::zip_equal(wide->getResults(), op->getResults())) {
    FloatBuilder f(b, op->getLoc(), result.getType());
    Value replacement = result;
    if (isBF16(result)) {
      result.setType(f.like(b.getF32Type()));
      replacement = f.truncateFloat(result, b.getBF16Type());
    }
    narrow.replaceAllUsesWith(replacement);
  }
  op->erase();
}

/// What a reduction without an initial value starts with, as that of f16 does.
static Value getNeutral(FloatBuilder &f, vector::CombiningKind kind,
                        Type type) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (kind) {
  case vector::CombiningKind::MUL:
    return f.constant(type, 1);
  case vector::CombiningKind::MINIMUMF:
    return f.constant(type, kInfinity);
  case vector::CombiningKind::MAXIMUMF:
    return f.constant(type, -kInfinity);
  case vector::CombiningKind::MINNUMF:
  case vector::CombiningKind::MAXNUMF:
    return f.constant(type, std::numeric_limits<double>::quiet_NaN());
  default:
    return f.constant(type, 0);
  }
}

/// Lane by lane, in their order, of those whose mask is set.
static void expandReduction(vector::ReductionOp op) {
  auto masked = dyn_cast<vector::MaskOp>(op->getParentOp());
  Operation *outer = masked ? masked.getOperation() : op.getOperation();
  OpBuilder b(outer);
  Location loc = op.getLoc();
  Type type = op.getDest().getType();
  FloatBuilder f(b, loc, type);
  Value result = op.getAcc();
  if (!result)
    result = getNeutral(f, op.getKind(), type);
  for (int64_t lane = 0; lane != op.getSourceVectorType().getNumElements();
       ++lane) {
    Value element = vector::ExtractOp::create(b, loc, op.getVector(), lane);
    Value isSet;
    if (masked)
      isSet = vector::ExtractOp::create(b, loc, masked.getMask(), lane);
    result = vector::makeArithReduction(b, loc, op.getKind(), element, result,
                                        op.getFastmathAttr(), isSet);
  }
  outer->replaceAllUsesWith(ValueRange(result));
  outer->erase();
}

void fuser::expandNarrowReductions(Operation *module) {
  SmallVector<vector::ReductionOp> reductions;
  module->walk([&](vector::ReductionOp op) {
    if (isBF16(op.getDest()) && !op.getSourceVectorType().isScalable())
      reductions.push_back(op);
  });
  for (vector::ReductionOp op : reductions)
    expandReduction(op);
}

void fuser::expandNarrowMath(Operation *module) {
  SmallVector<Operation *> multiplyAdds, functions;
  module->walk([&](Operation *op) {
    bool isMath = isa<math::MathDialect>(op->getDialect());
    if (isa<math::FmaOp, vector::FMAOp>(op)) {
      Type element = getElementTypeOrSelf(op->getResult(0).getType());
      if (element.isF16() || element.isBF16())
        multiplyAdds.push_back(op);
    } else if (isMath && llvm::any_of(op->getOperands(), isBF16)) {
      functions.push_back(op);
    }
  });
  for (Operation *op : multiplyAdds)
    expandMultiplyAdd(op);
  for (Operation *op : functions)
    widenFunction(op);
}
