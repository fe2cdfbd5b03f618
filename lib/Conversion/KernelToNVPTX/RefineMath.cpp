//===- RefineMath.cpp - As exact as the kernel's results need it ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results are to be within one unit in the last place of their type. The
// hardware's and libdevice's functions of f32 are off by up to two, which is
// nothing for a kernel that stores bf16 and f16 and too much for one that
// stores f32. So
//
// - a quotient that is rounded to bf16 or f16 in the end is approximated;
// - exp, tanh and rsqrt are computed more exactly in a kernel that stores f32
// or f64.
//
// The bounds below were found by trying all magnitudes
// (test/Target/PTX/accuracy.mlir does it again).
//
//===----------------------------------------------------------------------===//

#include "MathPatterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fuser {

//===----------------------------------------------------------------------===//
// What is needed
//===----------------------------------------------------------------------===//

static bool isApproximate(arith::FastMathFlags flags) {
  return bitEnumContainsAll(flags, arith::FastMathFlags::afn);
}

/// Whether `op` hands relative errors of its operands on to its result, no
/// larger.
static bool keepsRelativeError(Operation *op) {
  return isa<arith::MulFOp, arith::DivFOp, arith::NegFOp, arith::SelectOp,
             vector::BroadcastOp, vector::ExtractOp, vector::InsertOp,
             vector::FromElementsOp, vector::ShapeCastOp>(op);
}

/// Whether all that becomes of `value` is rounded to a float of 16 bits.
static bool isNarrowed(Value value) {
  SmallVector<Value> worklist{value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!worklist.empty()) {
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (!seen.insert(user).second)
        continue;
      if (auto truncate = dyn_cast<arith::TruncFOp>(user)) {
        if (getElementTypeOrSelf(truncate.getType()).getIntOrFloatBitWidth() >
            16)
          return false;
        continue;
      }
      if (!keepsRelativeError(user))
        return false;
      worklist.append(user->result_begin(), user->result_end());
    }
  }
  return true;
}

/// Whether the kernel may write floats of more than 16 bits to global memory:
/// it has a buffer of them that is not only read.
static bool storesWideFloats(gpu::GPUFuncOp kernel) {
  for (BlockArgument argument :
       kernel.getArguments().take_front(kernel.getNumArguments())) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !isa<FloatType>(type.getElementType()) ||
        type.getElementTypeBitWidth() <= 16)
      continue;
    for (Operation *user : argument.getUsers())
      if (!isa<memref::LoadOp, memref::DimOp, vector::LoadOp,
               vector::TransferReadOp, vector::MaskedLoadOp, vector::GatherOp>(
              user))
        return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// More exact functions
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
// The rewrite
//===----------------------------------------------------------------------===//

/// The more exact form of `op`, or null if there is none.
static Value buildRefined(OpBuilder &builder, Operation *op) {
  if (op->getNumResults() != 1 ||
      !getElementTypeOrSelf(op->getResult(0).getType()).isF32())
    return {};
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!flags || isApproximate(flags.getFastMathFlagsAttr().getValue()))
    return {};
  FloatMath floats(builder, op->getLoc(), op->getResult(0).getType());
  if (isa<math::ExpOp>(op))
    return floats.exp(op->getOperand(0));
  if (isa<math::TanhOp>(op))
    return floats.tanh(op->getOperand(0));
  if (isa<math::RsqrtOp>(op))
    return floats.rsqrt(op->getOperand(0));
  return {};
}

void refineMath(gpu::GPUFuncOp kernel) {
  kernel.walk([](arith::DivFOp op) {
    if (getElementTypeOrSelf(op.getType()).isF32() && isNarrowed(op))
      op.setFastmath(op.getFastmath() | arith::FastMathFlags::afn);
  });
  if (!storesWideFloats(kernel))
    return;
  SmallVector<Operation *> functions;
  kernel.walk([&](Operation *op) {
    if (isa<math::ExpOp, math::TanhOp, math::RsqrtOp>(op))
      functions.push_back(op);
  });
  for (Operation *op : functions) {
    OpBuilder builder(op);
    if (Value refined = buildRefined(builder, op)) {
      op->getResult(0).replaceAllUsesWith(refined);
      op->erase();
    }
  }
}

} // namespace fuser
