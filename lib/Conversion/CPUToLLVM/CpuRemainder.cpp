//===- CpuRemainder.cpp - Remainders of f64 as arithmetic -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The remainder of floats is exact: the library takes it digit by digit, for
// one number after the other. Vectors do it by division. For a rest r and a
// divisor d let q be r / d as it is rounded, cut off to a whole number. Then
// r - q d is a number of f64, so that a fused multiply-add gives just that:
//
//   |q| < 2^53   q is off by 1 at most, and r - q d between -d and d.
//   otherwise    q is the 53 highest digits of the quotient, and r - q d has at
//                most as many digits in front of the last one of d as that
//                loses.
//
// So one step is enough for most numbers, and each of the others makes the
// quotient 2^52 times less, up to 41 of them. Where it is too large for an f64,
// d is first taken 2^1000 times, which such a small one can be.
//
//===----------------------------------------------------------------------===//

#include "CpuArithmetic.h"
#include "fuser/Support/FloatBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include <limits>

using namespace fuser;

using P = arith::CmpFPredicate;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// True for quotients that one step is not enough for.
static Value isLarge(FloatBuilder &f, Value quotient) {
  return f.compare(P::OGE, f.abs(quotient), f.constantLike(quotient, 0x1p53));
}

/// `divisor`, or so much of it that the quotient is no infinity.
static Value scaleDivisor(FloatBuilder &f, Value rest, Value divisor) {
  Value infinity = f.constantLike(rest, kInfinity);
  for (double scale : {0x1p1000, 0x1p90}) {
    Value quotient = f.abs(f.div(rest, divisor));
    Value more = f.mul(divisor, f.constantLike(divisor, scale));
    divisor = f.select(f.compare(P::OEQ, quotient, infinity), more, divisor);
  }
  return divisor;
}

/// `rest` less a whole number of divisors.
static Value emitStep(FloatBuilder &f, Value rest, Value divisor,
                      Value quotient) {
  Value whole = math::TruncOp::create(f.getBuilder(), f.getLoc(), quotient);
  return f.fma(f.neg(whole), divisor, rest);
}

/// Steps while there is a lane with a large quotient. Those of the other lanes
/// take nothing.
static Value reduceQuotients(FloatBuilder &f, Value rest, Value divisor) {
  OpBuilder &b = f.getBuilder();
  Location loc = f.getLoc();
  auto before = [&](OpBuilder &, Location, ValueRange carried) {
    Value any = isLarge(f, f.div(carried[0], divisor));
    if (isa<VectorType>(any.getType()))
      any = vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, any);
    scf::ConditionOp::create(b, loc, any, carried);
  };
  auto after = [&](OpBuilder &, Location, ValueRange carried) {
    Value next = carried[0];
    Value scaled = scaleDivisor(f, next, divisor);
    Value quotient = f.div(next, scaled);
    Value isOne = isLarge(f, f.div(next, divisor));
    next = f.select(isOne, emitStep(f, next, scaled, quotient), next);
    scf::YieldOp::create(b, loc, next);
  };
  return scf::WhileOp::create(b, loc, rest.getType(), rest, before, after)
      .getResult(0);
}

Value fuser::emitRemainderOfF64(OpBuilder &b, Location loc, Value x, Value y) {
  FloatBuilder f(b, loc, x.getType());
  Value zero = f.constantLike(x, 0);
  Value divisor = f.abs(y), magnitude = f.abs(x);
  Value isQuotient =
      f.andi(f.compare(P::OLT, magnitude, f.constantLike(x, kInfinity)),
             f.compare(P::OGT, divisor, zero));
  Value rest = f.select(isQuotient, magnitude, zero);
  rest = reduceQuotients(f, rest, divisor);
  rest = emitStep(f, rest, divisor, f.div(rest, divisor));
  rest = f.select(f.compare(P::OLT, rest, zero), f.add(rest, divisor), rest);
  Value nan = f.constantLike(x, std::numeric_limits<double>::quiet_NaN());
  // No copysign: LLVM would move a rounding to f16 into its second operand.
  Value isNegative =
      f.comparei(arith::CmpIPredicate::slt, f.toBits(x), f.integer(64, 0));
  rest = f.select(isNegative, f.neg(rest), rest);
  rest = f.select(isQuotient, rest, nan);
  // Also where the divisor is infinite.
  return f.select(f.compare(P::OLT, magnitude, divisor), x, rest);
}
