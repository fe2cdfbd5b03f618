//===- ExpandMath.cpp - Exact functions of f32 as arithmetic --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results of f32 are to be within one unit in the last place. The functions of
// hardware and libraries are off by up to two; these are not. The bounds below
// were found by trying all magnitudes (test/Target/PTX/accuracy.mlir does it
// again).
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/Kernels/KernelMath.h"
#include "fuser/Support/FloatBuilder.h"
#include "fuser/Transforms/ExpandFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

namespace fuser {

#define GEN_PASS_DEF_KERNELEXPANDMATHPASS
#include "fuser/Conversion/Kernels/KernelMath.h.inc"

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

/// 2^exponent for i32 exponents from -126 to 127, made of its bits.
static Value emitPowerOfTwo(FloatBuilder &f, Value exponent) {
  Value bits = f.addi(f.shl(exponent, 23), f.integer(32, 0x3f800000));
  return f.fromBits(bits, f.getBuilder().getF32Type());
}

/// x = n ln 2 + r; e^x = 2^n e^r. Off by 0.85 units at most.
static Value emitExp(FloatBuilder &f, Value x) {
  // Beyond these bounds the result is 0 or infinite, and n too large. NaNs
  // stay.
  x = f.maximum(x, f.constantLike(x, -104.0));
  x = f.minimum(x, f.constantLike(x, 89.0));
  // The sum's last bits are n.
  constexpr double kRounder = 12582912.0; // 1.5 * 2^23
  constexpr int32_t kRounderBits = 0x4b400000;
  Value shifted =
      f.fma(x, f.constantLike(x, 1.442695), f.constantLike(x, kRounder));
  Value n = f.sub(shifted, f.constantLike(x, kRounder));
  Value r = f.fma(n, f.constantLike(x, -6.93145752e-1), x);
  r = f.fma(n, f.constantLike(x, -1.42860677e-6), r);
  Value power = expandExpOfRemainder(f, r);
  // 2^n in two factors, as n can be 128, or -150: so there is one rounding, the
  // last.
  Value exponent = f.subi(f.toBits(shifted), f.integer(32, kRounderBits));
  Value half = f.shrs(exponent, 1);
  Value rest = f.subi(exponent, half);
  return f.mul(f.mul(power, emitPowerOfTwo(f, half)), emitPowerOfTwo(f, rest));
}

/// A polynomial near 0, 1 - 2 / (e^2|x| + 1) beyond 1. Off by 0.95 units at
/// most.
static Value emitTanh(FloatBuilder &f, Value x) {
  Value one = f.constantLike(x, 1.0);
  Value square = f.mul(x, x);
  Value series = f.polynomial(
      square, {-3.33332956e-1, 1.33323446e-1, -5.38798012e-2, 2.14866512e-2,
               -7.94609636e-3, 2.30135769e-3, -3.58450023e-4});
  Value small = f.fma(f.mul(series, square), x, x);
  Value magnitude = f.abs(x);
  Value power = emitExp(f, f.add(magnitude, magnitude));
  Value distance = f.div(f.constantLike(x, 2.0), f.add(power, one));
  Value isSmall = f.compare(arith::CmpFPredicate::OLT, magnitude, one);
  // The sum of two zeros is 0 even where x is -0.
  return f.copySign(f.select(isSmall, small, f.sub(one, distance)), x);
}

/// y + y/2 * (1 - x*y*y), one Newton step from the hardware's y. Where the step
/// is no number (x is 0, infinite or negative) y is exact. Off by less than one
/// unit.
static Value emitRsqrt(FloatBuilder &f, Value x) {
  Value y = math::RsqrtOp::create(f.getBuilder(), f.getLoc(), x,
                                  arith::FastMathFlags::afn);
  Value error = f.fma(f.neg(f.mul(x, y)), y, f.constantLike(x, 1.0));
  Value refined = f.fma(f.mul(y, f.constantLike(x, 0.5)), error, y);
  Value isNumber = f.compare(arith::CmpFPredicate::ORD, error, error);
  return f.select(isNumber, refined, y);
}

//===----------------------------------------------------------------------===//
// Quotients by counts
//===----------------------------------------------------------------------===//

/// The integer of 64 bits that the op divides a float of 32 bits by; null if it
/// does not. By powers of two LLVM multiplies.
static Value getCount(Operation *op) {
  auto quotient = dyn_cast<arith::DivFOp>(op);
  if (!quotient || !quotient.getType().isF32() ||
      bitEnumContainsAll(quotient.getFastmath(), arith::FastMathFlags::afn))
    return nullptr;
  auto divisor = quotient.getRhs().getDefiningOp<arith::SIToFPOp>();
  if (!divisor || !divisor.getIn().getType().isInteger(64))
    return nullptr;
  auto index = divisor.getIn().getDefiningOp<arith::IndexCastOp>();
  std::optional<int64_t> known =
      index ? getConstantIntValue(index.getIn()) : std::nullopt;
  return known && llvm::isPowerOf2_64(*known) ? Value() : divisor.getResult();
}

/// x / n, as IEEE 754 rounds it: the hardware's quotient has a subroutine for
/// what is very large or small, for which registers are kept. x / n is further
/// from what lies between two floats than doubles are from each other, or is
/// there: as one of 53 bits, which a remainder that is exact makes of a
/// product, it is rounded to the same. Where the remainder is 0 or no number
/// the product is right: the sign of 0, and what is infinite.
static Value emitQuotient(FloatBuilder &f, Value x, Value n) {
  Type f64 = f.getBuilder().getF64Type();
  Value one = f.constantLike(n, 1.0);
  Value near = arith::DivFOp::create(f.getBuilder(), f.getLoc(), one, n,
                                     arith::FastMathFlags::afn);
  Value first = f.extendFloat(near, f64);
  Value divisor = f.neg(f.extendFloat(n, f64));
  x = f.extendFloat(x, f64);
  Value error = f.fma(divisor, first, f.constantLike(first, 1.0));
  Value isNumber = f.compare(arith::CmpFPredicate::ORD, error, error);
  Value inverse = f.select(isNumber, f.fma(first, error, first), first);
  Value product = f.mul(x, inverse);
  Value rest = f.fma(product, divisor, x);
  Value hasRest =
      f.compare(arith::CmpFPredicate::ONE, rest, f.constantLike(rest, 0.0));
  Value quotient = f.select(hasRest, f.fma(rest, inverse, product), product);
  return f.truncateFloat(quotient, f.getBuilder().getF32Type());
}

//===----------------------------------------------------------------------===//
// Powers of f64
//===----------------------------------------------------------------------===//

static bool isPowerOfF64(Operation *op) {
  return isa<math::PowFOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF64();
}

/// Takes the sign from -0 and from minus infinity where the exponent is less
/// than 1 in size: libdevice's pow keeps it for subnormal powers of two, which
/// it takes for odd integers.
static void repairBase(OpBuilder &builder, Operation *op) {
  Value x = op->getOperand(0), y = op->getOperand(1);
  FloatBuilder f(builder, op->getLoc(), x.getType());
  using arith::CmpFPredicate;
  Value size = f.abs(x);
  Value isSmall =
      f.compare(CmpFPredicate::OLT, f.abs(y), f.constantLike(y, 1.0));
  Value isZero = f.compare(CmpFPredicate::OEQ, x, f.constantLike(x, 0.0));
  Value isInfinite =
      f.compare(CmpFPredicate::OEQ, size,
                f.constantLike(x, std::numeric_limits<double>::infinity()));
  Value base = f.select(isZero, size, f.select(isInfinite, size, x));
  op->setOperand(0, f.select(isSmall, base, x));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// True if `op` is a function of f32 that is not to be approximated.
static bool isExactFunction(Operation *op) {
  return isa<math::ExpOp, math::TanhOp, math::RsqrtOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF32() &&
         !bitEnumContainsAll(cast<arith::ArithFastMathInterface>(op)
                                 .getFastMathFlagsAttr()
                                 .getValue(),
                             arith::FastMathFlags::afn);
}

static Value emitExact(OpBuilder &builder, Operation *op) {
  Value x = op->getOperand(0);
  FloatBuilder f(builder, op->getLoc(), x.getType());
  if (Value count = getCount(op))
    return emitQuotient(f, x, count);
  if (isa<math::ExpOp>(op))
    return emitExp(f, x);
  if (isa<math::TanhOp>(op))
    return emitTanh(f, x);
  return emitRsqrt(f, x);
}

/// One lane after the other: each of the functions has many f64 at hand, and a
/// GPU is not faster with those of all lanes at once.
static Value expandLanes(OpBuilder &builder, Operation *op) {
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  // Waves are of f32, with one branch for all lanes.
  bool isWave = isa<math::SinOp, math::CosOp>(op);
  if (!type || type.getRank() != 1 || type.isScalable() || isWave)
    return expandFunction(builder, op, op->getOperands(), Lanes::OneByOne);
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane != type.getNumElements(); ++lane) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(
          vector::ExtractOp::create(builder, op->getLoc(), operand, lane));
    lanes.push_back(expandFunction(builder, op, operands));
  }
  return vector::FromElementsOp::create(builder, op->getLoc(), type, lanes);
}

namespace {
struct KernelExpandMathPass
    : impl::KernelExpandMathPassBase<KernelExpandMathPass> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<Operation *> functions, powers;
    getOperation().walk([&](Operation *op) {
      if (isExactFunction(op) || getCount(op) || hasExpansion(op))
        functions.push_back(op);
      else if (isPowerOfF64(op))
        powers.push_back(op);
    });
    for (Operation *op : powers) {
      OpBuilder builder(op);
      repairBase(builder, op);
    }
    for (Operation *op : functions) {
      OpBuilder builder(op);
      Value result =
          hasExpansion(op) ? expandLanes(builder, op) : emitExact(builder, op);
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
    numExpanded += functions.size();
  }
};
} // namespace

} // namespace fuser
