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

#include "fuser/Conversion/KernelMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace fuser {

#define GEN_PASS_DEF_KERNELEXPANDMATHPASS
#include "fuser/Conversion/KernelMath.h.inc"

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

namespace {
/// Builds arithmetic of one type: f32, or a vector of f32.
class FloatMath {
public:
  FloatMath(OpBuilder &builder, Location loc, Type type)
      : b(builder), loc(loc), type(type),
        intType(isa<VectorType>(type)
                    ? Type(cast<VectorType>(type).clone(b.getI32Type()))
                    : Type(b.getI32Type())) {}

  Value exp(Value x);
  Value tanh(Value x);
  Value rsqrt(Value x);

private:
  Value constant(float value) { return splat(b.getF32FloatAttr(value), type); }
  Value integer(int32_t value) {
    return splat(b.getI32IntegerAttr(value), intType);
  }
  Value splat(TypedAttr value, Type of) {
    if (auto vector = dyn_cast<VectorType>(of))
      value = DenseElementsAttr::get(vector, Attribute(value));
    return arith::ConstantOp::create(b, loc, value);
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  /// c[0] x^n + c[1] x^(n-1) + ...
  Value polynomial(Value x, ArrayRef<float> coefficients);
  Value powerOfTwo(Value exponent);

  OpBuilder &b;
  Location loc;
  Type type;
  Type intType;
};
} // namespace

Value FloatMath::polynomial(Value x, ArrayRef<float> coefficients) {
  Value result = constant(coefficients.front());
  for (float coefficient : coefficients.drop_front())
    result = fma(result, x, constant(coefficient));
  return result;
}

/// 2^exponent for i32 exponents from -126 to 127, made of its bits.
Value FloatMath::powerOfTwo(Value exponent) {
  Value bits = arith::AddIOp::create(
      b, loc, arith::ShLIOp::create(b, loc, exponent, integer(23)),
      integer(0x3f800000));
  return arith::BitcastOp::create(b, loc, type, bits);
}

/// x = n ln 2 + r; e^x = 2^n e^r. Off by 0.85 units at most.
Value FloatMath::exp(Value x) {
  // Beyond these bounds the result is 0 or infinite, and n too large. NaNs
  // stay.
  x = arith::MaximumFOp::create(b, loc, x, constant(-104.0f));
  x = arith::MinimumFOp::create(b, loc, x, constant(89.0f));
  // The sum's last bits are n.
  constexpr float kRounder = 12582912.0f; // 1.5 * 2^23
  constexpr int32_t kRounderBits = 0x4b400000;
  Value shifted = fma(x, constant(1.442695f), constant(kRounder));
  Value n = sub(shifted, constant(kRounder));
  Value r = fma(n, constant(-6.93145752e-1f), x);
  r = fma(n, constant(-1.42860677e-6f), r);
  Value power = polynomial(r, {1.37805939e-3f, 8.37312452e-3f, 4.16695364e-2f,
                               1.66664720e-1f, 4.99999851e-1f, 1.0f, 1.0f});
  // 2^n in two factors, as n can be 128, or -150: so there is one rounding, the
  // last.
  Value exponent = arith::SubIOp::create(
      b, loc, arith::BitcastOp::create(b, loc, intType, shifted),
      integer(kRounderBits));
  Value half = arith::ShRSIOp::create(b, loc, exponent, integer(1));
  Value rest = arith::SubIOp::create(b, loc, exponent, half);
  return mul(mul(power, powerOfTwo(half)), powerOfTwo(rest));
}

/// A polynomial near 0, 1 - 2 / (e^2|x| + 1) beyond 1. Off by 0.95 units at
/// most.
Value FloatMath::tanh(Value x) {
  Value square = mul(x, x);
  Value series =
      mul(polynomial(square, {-3.58450023e-4f, 2.30135769e-3f, -7.94609636e-3f,
                              2.14866512e-2f, -5.38798012e-2f, 1.33323446e-1f,
                              -3.33332956e-1f}),
          square);
  Value small = fma(series, x, x);
  Value magnitude = math::AbsFOp::create(b, loc, x);
  Value power = exp(add(magnitude, magnitude));
  Value distance =
      arith::DivFOp::create(b, loc, constant(2.0f), add(power, constant(1.0f)));
  Value large =
      math::CopySignOp::create(b, loc, sub(constant(1.0f), distance), x);
  Value isSmall = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                        magnitude, constant(1.0f));
  return arith::SelectOp::create(b, loc, isSmall, small, large);
}

/// y + y/2 * (1 - x*y*y), one Newton step from the hardware's y. Where the step
/// is no number (x is 0, infinite or negative) y is exact. Off by less than one
/// unit.
Value FloatMath::rsqrt(Value x) {
  Value y = math::RsqrtOp::create(b, loc, x, arith::FastMathFlags::afn);
  Value minusRoot = arith::NegFOp::create(b, loc, mul(x, y));
  Value error = fma(minusRoot, y, constant(1.0f));
  Value refined = fma(mul(y, constant(0.5f)), error, y);
  Value isNumber =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, error, error);
  return arith::SelectOp::create(b, loc, isNumber, refined, y);
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

static Value buildExact(OpBuilder &builder, Operation *op) {
  FloatMath floats(builder, op->getLoc(), op->getResult(0).getType());
  if (isa<math::ExpOp>(op))
    return floats.exp(op->getOperand(0));
  if (isa<math::TanhOp>(op))
    return floats.tanh(op->getOperand(0));
  return floats.rsqrt(op->getOperand(0));
}

namespace {
struct KernelExpandMathPass
    : impl::KernelExpandMathPassBase<KernelExpandMathPass> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<Operation *> functions;
    getOperation().walk([&](Operation *op) {
      if (isExactFunction(op))
        functions.push_back(op);
    });
    for (Operation *op : functions) {
      OpBuilder builder(op);
      op->getResult(0).replaceAllUsesWith(buildExact(builder, op));
      op->erase();
    }
    numExpanded += functions.size();
  }
};
} // namespace

} // namespace fuser
