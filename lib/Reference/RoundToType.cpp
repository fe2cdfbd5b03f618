//===- RoundToType.cpp - Rounding of f64 to narrower floats ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processors and their libraries round f64 to narrow floats by way of f32, that
// is twice, or not at all. Here normal numbers are rounded in their bits,
// subnormal ones by adding and subtracting a number whose last place is the
// subnormals' distance.
//
//===----------------------------------------------------------------------===//

#include "RoundToType.h"
#include "fuser/Support/ElementTypes.h"
#include "fuser/Support/PowersOfTwo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cmath>
#include <limits>

using namespace fuser;

namespace {
/// Emits f64 and i64 arithmetic.
struct Arithmetic {
  OpBuilder &b;
  Location loc;

  Value constant(double value) {
    return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
  }
  Value integer(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  template <typename OpT>
  Value apply(Value lhs, Value rhs) {
    return OpT::create(b, loc, lhs, rhs);
  }
  Value compare(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpFOp::create(b, loc, predicate, lhs, rhs);
  }
  Value select(Value condition, Value ifTrue, Value ifFalse) {
    return arith::SelectOp::create(b, loc, condition, ifTrue, ifFalse);
  }
};
} // namespace

/// Rounds the mantissa to `bits` bits after the point.
static Value emitRoundBits(Arithmetic &a, Value value, unsigned bits) {
  int64_t dropped = 52 - bits;
  Value raw = arith::BitcastOp::create(a.b, a.loc, a.b.getI64Type(), value);
  // Half of the last place, less one if the last bit is even: ties go to even.
  Value shifted = a.apply<arith::ShRUIOp>(raw, a.integer(dropped));
  Value odd = a.apply<arith::AndIOp>(shifted, a.integer(1));
  Value half = a.integer((int64_t(1) << (dropped - 1)) - 1);
  Value sum = a.apply<arith::AddIOp>(raw, a.apply<arith::AddIOp>(half, odd));
  Value mask = a.integer(~((int64_t(1) << dropped) - 1));
  Value rounded = a.apply<arith::AndIOp>(sum, mask);
  return arith::BitcastOp::create(a.b, a.loc, a.b.getF64Type(), rounded);
}

/// Of a number that is no less than 0.
static Value emitRoundToPower(Arithmetic &a, Value value) {
  Value raw = arith::BitcastOp::create(a.b, a.loc, a.b.getI64Type(), value);
  Value sum = a.apply<arith::AddIOp>(raw, a.integer(int64_t(1) << 51));
  Value bits =
      a.apply<arith::AndIOp>(sum, a.integer(~((int64_t(1) << 52) - 1)));
  Value power = arith::BitcastOp::create(a.b, a.loc, a.b.getF64Type(), bits);
  // Below 2^-126 there is one more.
  Value least = a.constant(0x1p-127), second = a.constant(0x1p-126);
  Value isLeast = a.compare(arith::CmpFPredicate::OLE, value, least);
  Value isSmall = a.compare(arith::CmpFPredicate::OLT, value, second);
  power = a.select(isSmall, a.select(isLeast, least, second), power);
  using Limits = std::numeric_limits<double>;
  Value isNumber =
      a.compare(arith::CmpFPredicate::OLT, value, a.constant(0x1.8p127));
  return a.select(isNumber, power, a.constant(Limits::quiet_NaN()));
}

Value reference::emitRoundToType(OpBuilder &builder, Location loc, Value value,
                                 FloatType type) {
  if (type.isF64())
    return value;
  Arithmetic a{builder, loc};
  if (isPowersOfTwo(type))
    return emitRoundToPower(a, math::AbsFOp::create(builder, loc, value));
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  unsigned bits = llvm::APFloat::semanticsPrecision(semantics) - 1;
  int minExponent = llvm::APFloat::semanticsMinExponent(semantics);
  Value normal = emitRoundBits(a, value, bits);
  // The last place of 1.5 * 2^52 * d is d, and so is that of its neighbourhood.
  double distance = std::ldexp(1.0, minExponent - static_cast<int>(bits));
  Value grid = a.constant(std::ldexp(1.5, 52) * distance);
  Value subnormal =
      a.apply<arith::SubFOp>(a.apply<arith::AddFOp>(value, grid), grid);
  Value magnitude = math::AbsFOp::create(builder, loc, value);
  Value isSubnormal = a.compare(arith::CmpFPredicate::OLT, magnitude,
                                a.constant(std::ldexp(1.0, minExponent)));
  Value rounded = a.select(isSubnormal, subnormal, normal);
  llvm::APFloat largest = llvm::APFloat::getLargest(semantics);
  bool losesInfo = false;
  largest.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  Value size = math::AbsFOp::create(builder, loc, rounded);
  Value overflows = a.compare(arith::CmpFPredicate::OGT, size,
                              a.constant(largest.convertToDouble()));
  using Limits = std::numeric_limits<double>;
  bool isPacked = isPackedElement(type);
  double beyond = isPacked ? largest.convertToDouble()
                  : llvm::APFloat::semanticsHasInf(semantics)
                      ? Limits::infinity()
                      : Limits::quiet_NaN();
  rounded = a.select(overflows, a.constant(beyond), size);
  rounded = math::CopySignOp::create(builder, loc, rounded, value);
  // The bits of a NaN are not to be rounded. Where there is none it is -0.
  Value isNaN = a.compare(arith::CmpFPredicate::UNO, value, value);
  return a.select(isNaN, isPacked ? a.constant(-0.0) : value, rounded);
}
