//===- CpuFloats.cpp - Conversions of narrow floats as arithmetic
//----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuArithmetic.h"
#include "FloatBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace fuser;

/// bf16 is the upper half of f32.
static Value extendBF16(OpBuilder &b, FloatBuilder &f, Value x) {
  Value bits = f.shl(f.extend(f.toBits(x), 32), 16);
  return f.fromBits(bits, b.getF32Type());
}

/// To nearest, ties to even; a NaN becomes a quiet NaN.
static Value truncateToBF16(OpBuilder &b, FloatBuilder &f, Value x) {
  Value bits = f.toBits(x);
  Value odd = f.andi(f.shru(bits, 16), f.integer(32, 1));
  Value rounded = f.addi(bits, f.addi(odd, f.integer(32, 0x7fff)));
  Value isNaN = f.compare(arith::CmpFPredicate::UNO, x, x);
  Value result = f.select(isNaN, f.integer(32, 0x7fc00000), rounded);
  return f.fromBits(f.truncate(f.shru(result, 16), 16), b.getBF16Type());
}

/// f64 to f32 such that a second rounding gives what one rounding would have:
/// where digits are lost, of the two neighbours the odd one.
static Value truncateToOdd(OpBuilder &b, FloatBuilder &f, Value x) {
  Value nearest = f.truncateFloat(x, b.getF32Type());
  Value back = f.extendFloat(nearest, b.getF64Type());
  Value bits = f.toBits(nearest);
  Value isEven = f.comparei(arith::CmpIPredicate::eq,
                            f.andi(bits, f.integer(32, 1)), f.integer(32, 0));
  Value inexact = f.compare(arith::CmpFPredicate::ONE, back, x);
  Value below = f.compare(arith::CmpFPredicate::OLT, f.abs(back), f.abs(x));
  Value step = f.select(below, f.integer(32, 1), f.integer(32, -1));
  Value odd = f.addi(bits, step);
  Value result = f.select(f.andi(isEven, inexact), odd, bits);
  return f.fromBits(result, b.getF32Type());
}

static Value convert(OpBuilder &b, Operation *op, bool roundsBF16) {
  Value x = op->getOperand(0);
  Type from = getElementTypeOrSelf(x.getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  FloatBuilder f(b, op->getLoc(), x.getType());
  if (isa<arith::ExtFOp>(op)) {
    if (!from.isBF16())
      return {};
    Value wide = extendBF16(b, f, x);
    return to.isF32() ? wide : f.extendFloat(wide, to);
  }
  if (!to.isBF16() && !to.isF16())
    return {};
  if (from.isF64())
    x = truncateToOdd(b, f, x);
  if (to.isF16())
    return from.isF64() ? f.truncateFloat(x, to) : Value();
  if (roundsBF16)
    return from.isF64() ? f.truncateFloat(x, to) : Value();
  return truncateToBF16(b, f, x);
}

void fuser::expandFloatConversions(Operation *root, const CpuInfo &cpu) {
  // The processor's conversion takes subnormals for zero.
  (void)cpu;
  bool roundsBF16 = false;
  IRRewriter rewriter(root->getContext());
  SmallVector<Operation *> conversions;
  root->walk([&](Operation *op) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      conversions.push_back(op);
  });
  for (Operation *op : conversions) {
    rewriter.setInsertionPoint(op);
    if (Value result = convert(rewriter, op, roundsBF16))
      rewriter.replaceOp(op, result);
  }
}
