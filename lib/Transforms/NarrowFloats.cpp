//===- NarrowFloats.cpp - Conversions of narrow floats --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Transforms/NarrowFloats.h"
#include "fuser/Support/PowersOfTwo.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include <cmath>

using namespace fuser;

bool fuser::isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float8E8M0FNUType>(
      getElementTypeOrSelf(type));
}

Value fuser::truncateToOdd(FloatBuilder &f, Value x) {
  Type f32 = f.getBuilder().getF32Type();
  Value nearest = f.truncateFloat(x, f32);
  Value back = f.extendFloat(nearest, f.getBuilder().getF64Type());
  Value bits = f.toBits(nearest);
  Value isEven = f.comparei(arith::CmpIPredicate::eq,
                            f.andi(bits, f.integer(32, 1)), f.integer(32, 0));
  Value inexact = f.compare(arith::CmpFPredicate::ONE, back, x);
  Value below = f.compare(arith::CmpFPredicate::OLT, f.abs(back), f.abs(x));
  Value step = f.select(below, f.integer(32, 1), f.integer(32, -1));
  Value odd = f.addi(bits, step);
  Value result = f.select(f.andi(isEven, inexact), odd, bits);
  return f.fromBits(result, f32);
}

/// An op whose result, or an operand, is a number of `types` that it computes.
static bool computesAny(Operation *op, ArrayRef<Type> types) {
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
          op->getDialect()) ||
      isa<arith::ExtFOp, arith::TruncFOp, arith::ConstantOp, arith::SelectOp,
          arith::BitcastOp>(op))
    return false;
  auto isNarrow = [&](Type type) {
    return llvm::is_contained(types, getElementTypeOrSelf(type));
  };
  return llvm::any_of(op->getOperandTypes(), isNarrow) ||
         llvm::any_of(op->getResultTypes(), isNarrow);
}

LogicalResult fuser::widenArithmetic(Operation *root, ArrayRef<Type> types) {
  bool computes = false;
  root->walk([&](Operation *op) { computes |= computesAny(op, types); });
  if (!computes)
    return success();
  MLIRContext *context = root->getContext();
  TypeConverter converter;
  arith::populateEmulateUnsupportedFloatsConversions(converter, types,
                                                     Float32Type::get(context));
  RewritePatternSet patterns(context);
  arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return !computesAny(op, types); });
  return applyPartialConversion(root, target, std::move(patterns));
}

//===----------------------------------------------------------------------===//
// 8-bit floats
//===----------------------------------------------------------------------===//

/// f8E8M0FNU is the exponent of f32, of which the lowest is that of subnormals:
/// with 0 or 255 the first bit of the fraction is there, too.
static Value extendPowers(FloatBuilder &f, Value x) {
  Value bits = f.extend(f.toBits(x), 32);
  Value more = f.andi(f.addi(bits, f.integer(32, 1)), f.integer(32, 0xff));
  Value isEnd = f.comparei(arith::CmpIPredicate::ule, more, f.integer(32, 1));
  Value fraction = f.select(isEnd, f.integer(32, 0x400000), f.integer(32, 0));
  return f.fromBits(f.ori(f.shl(bits, 23), fraction),
                    f.getBuilder().getF32Type());
}

/// A half goes up into the exponent, but of subnormals 2^-127 itself.
static Value truncateToPowers(FloatBuilder &f, Value x, FloatType type) {
  Value size = f.andi(f.toBits(x), f.integer(32, 0x7fffffff));
  Value isLeast =
      f.comparei(arith::CmpIPredicate::ule, size, f.integer(32, 0x400000));
  Value half = f.select(isLeast, f.integer(32, 0), f.integer(32, 0x400000));
  Value exponent = f.shru(f.addi(size, half), 23);
  Value nan = f.integer(32, 0xff);
  Value isNaN = f.comparei(arith::CmpIPredicate::ugt, exponent, nan);
  return f.fromBits(f.truncate(f.select(isNaN, nan, exponent), 8), type);
}

/// f8E5M2 is the upper half of f16. f8E4M3FN has its fraction's first bits, and
/// exponents that count from elsewhere.
Value fuser::extendFloat8(FloatBuilder &f, Value x) {
  if (isPowersOfTwo(x.getType()))
    return extendPowers(f, x);
  OpBuilder &b = f.getBuilder();
  bool isE5M2 = isa<Float8E5M2Type>(getElementTypeOrSelf(x.getType()));
  Value bits = f.extend(f.toBits(x), 16);
  Value upper = f.shl(bits, 8);
  if (isE5M2)
    return f.extendFloat(f.fromBits(upper, b.getF16Type()), b.getF32Type());
  Value size = f.andi(f.shl(bits, 7), f.integer(16, 0x3f80));
  Value sign = f.andi(upper, f.integer(16, 0x8000));
  Value half = f.fromBits(f.ori(size, sign), b.getF16Type());
  Value wide = f.extendFloat(half, b.getF32Type());
  Value number = f.mul(wide, f.constantLike(wide, 256));
  Value isNaN =
      f.comparei(arith::CmpIPredicate::eq, size, f.integer(16, 0x3f80));
  return f.select(isNaN, f.constantLike(wide, std::nan("")), number);
}

Value fuser::truncateToFloat8(FloatBuilder &f, Value x, FloatType type) {
  if (isPowersOfTwo(type))
    return truncateToPowers(f, x, type);
  Type f32 = f.getBuilder().getF32Type();
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  unsigned fraction = type.getFPMantissaWidth() - 1, dropped = 23 - fraction;
  int minExponent = llvm::APFloat::semanticsMinExponent(semantics);
  // Without its sign, a greater number has greater bits; the first that is no
  // number is what overflows.
  int64_t beyond =
      llvm::APFloat::getLargest(semantics).bitcastToAPInt().getZExtValue() + 1;
  auto word = [&](int64_t value) { return f.integer(32, value); };
  Value bits = f.toBits(x);
  Value sign = f.andi(f.shru(bits, 24), word(0x80));
  Value size = f.andi(bits, word(0x7fffffff));
  // Half of the last place, less one if that is even; a carry goes into the
  // exponent.
  Value odd = f.andi(f.shru(size, dropped), word(1));
  Value nearest =
      f.shru(f.addi(size, f.addi(odd, word((int64_t(1) << (dropped - 1)) - 1))),
             dropped);
  Value normal = f.subi(nearest, word(int64_t(126 + minExponent) << fraction));
  // A number whose last place is the least subnormal: the sum is rounded there.
  float grid = std::ldexp(1.0f, minExponent - int(fraction) + 23);
  Value sum = f.add(f.fromBits(size, f32), f.constant(f32, grid));
  Value subnormal = f.subi(f.toBits(sum), word(llvm::bit_cast<uint32_t>(grid)));
  Value isSubnormal = f.comparei(arith::CmpIPredicate::ult, size,
                                 word(int64_t(127 + minExponent) << 23));
  Value result = f.select(isSubnormal, subnormal, normal);
  Value overflows = f.comparei(arith::CmpIPredicate::ugt, result, word(beyond));
  result = f.select(overflows, word(beyond), result);
  Value isNaN = f.compare(arith::CmpFPredicate::UNO, x, x);
  result = f.select(isNaN, word(0x7f), result);
  return f.fromBits(f.truncate(f.ori(result, sign), 8), type);
}

/// To f32 or from it, whatever the other float is.
static Value
emitExtension(FloatBuilder &f, Value x, Type to,
              llvm::function_ref<Value(FloatBuilder &, Value)> extend) {
  Value wide = extend(f, x);
  if (to.isF32())
    return wide;
  return to.isF64() ? f.extendFloat(wide, to) : f.truncateFloat(wide, to);
}

static Value emitTruncation(
    FloatBuilder &f, Value x, FloatType to,
    llvm::function_ref<Value(FloatBuilder &, Value, FloatType)> truncate) {
  Type from = getElementTypeOrSelf(x.getType());
  if (from.isF64())
    x = truncateToOdd(f, x);
  else if (!from.isF32())
    x = f.extendFloat(x, f.getBuilder().getF32Type());
  return truncate(f, x, to);
}

/// Bits of bits are these: then nothing is left of the type between them.
static void foldBitcasts(Operation *root) {
  SmallVector<arith::BitcastOp> casts;
  root->walk([&](arith::BitcastOp op) { casts.push_back(op); });
  for (arith::BitcastOp op : casts)
    if (auto inner = op.getIn().getDefiningOp<arith::BitcastOp>();
        inner && isFloat8(inner.getType()) &&
        inner.getIn().getType() == op.getType())
      op.replaceAllUsesWith(inner.getIn());
  for (arith::BitcastOp op : llvm::reverse(casts))
    if (op->use_empty())
      op.erase();
}

LogicalResult fuser::expandFloat8(
    Operation *root, llvm::function_ref<Value(FloatBuilder &, Value)> extend,
    llvm::function_ref<Value(FloatBuilder &, Value, FloatType)> truncate) {
  MLIRContext *context = root->getContext();
  if (failed(widenArithmetic(root, {Float8E4M3FNType::get(context),
                                    Float8E5M2Type::get(context),
                                    Float8E8M0FNUType::get(context)})))
    return failure();
  SmallVector<Operation *> conversions;
  root->walk([&](Operation *op) {
    if ((isa<arith::ExtFOp>(op) && isFloat8(op->getOperand(0).getType())) ||
        (isa<arith::TruncFOp>(op) && isFloat8(op->getResult(0).getType())))
      conversions.push_back(op);
  });
  IRRewriter rewriter(context);
  for (Operation *op : conversions) {
    rewriter.setInsertionPoint(op);
    Value x = op->getOperand(0);
    FloatBuilder f(rewriter, op->getLoc(), x.getType());
    Type to = getElementTypeOrSelf(op->getResult(0).getType());
    Value result = isa<arith::ExtFOp>(op)
                       ? emitExtension(f, x, to, extend)
                       : emitTruncation(f, x, cast<FloatType>(to), truncate);
    rewriter.replaceOp(op, result);
  }
  if (!conversions.empty())
    foldBitcasts(root);
  return success();
}
