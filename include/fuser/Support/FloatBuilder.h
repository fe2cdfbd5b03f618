//===- FloatBuilder.h - Arithmetic on floats and their bits ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_FLOATBUILDER_H
#define FUSER_SUPPORT_FLOATBUILDER_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace fuser {

/// The flags of a function that is approximated and only added, to no less than
/// 1 in all: what is below the smallest normal number may be 0. `contract` says
/// nothing else of one op.
constexpr arith::FastMathFlags kSummandFlags =
    arith::FastMathFlags::afn | arith::FastMathFlags::contract;

/// Arithmetic for values that are all of one shape: scalars, or vectors of one
/// length.
class FloatBuilder {
public:
  /// Values will have the shape of `example`.
  FloatBuilder(OpBuilder &builder, Location loc, Type example)
      : b(builder), loc(loc), shape(dyn_cast<VectorType>(example)) {}

  OpBuilder &getBuilder() const { return b; }
  Location getLoc() const { return loc; }

  Type like(Type element) const {
    return shape ? Type(shape.cloneWith(std::nullopt, element)) : element;
  }
  static unsigned bits(Value v) {
    return getElementTypeOrSelf(v.getType()).getIntOrFloatBitWidth();
  }

  Value constant(Type element, double value) {
    return splat(b.getFloatAttr(element, value), element);
  }
  /// A float constant of the type of `v`.
  Value constantLike(Value v, double value) {
    return constant(getElementTypeOrSelf(v.getType()), value);
  }
  Value integer(unsigned width, int64_t value) {
    Type element = b.getIntegerType(width);
    return splat(b.getIntegerAttr(element, APInt(width, value, true, true)),
                 element);
  }

  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  Value neg(Value x) { return arith::NegFOp::create(b, loc, x); }
  /// NaN if either is.
  Value maximum(Value x, Value y) {
    return arith::MaximumFOp::create(b, loc, x, y);
  }
  Value minimum(Value x, Value y) {
    return arith::MinimumFOp::create(b, loc, x, y);
  }
  Value abs(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value copySign(Value x, Value sign) {
    return math::CopySignOp::create(b, loc, x, sign);
  }
  Value compare(arith::CmpFPredicate p, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, p, x, y);
  }
  Value select(Value c, Value x, Value y) {
    return arith::SelectOp::create(b, loc, c, x, y);
  }

  Value addi(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value subi(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value andi(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value ori(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value shl(Value x, unsigned n) {
    return arith::ShLIOp::create(b, loc, x, integer(bits(x), n));
  }
  Value shrs(Value x, unsigned n) {
    return arith::ShRSIOp::create(b, loc, x, integer(bits(x), n));
  }
  Value shru(Value x, unsigned n) {
    return arith::ShRUIOp::create(b, loc, x, integer(bits(x), n));
  }
  Value comparei(arith::CmpIPredicate p, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, p, x, y);
  }

  /// The bits of `x` as an integer of the same width, and the float with the
  /// bits `x`.
  Value toBits(Value x) {
    return arith::BitcastOp::create(b, loc, like(b.getIntegerType(bits(x))), x);
  }
  Value fromBits(Value x, Type element) {
    return arith::BitcastOp::create(b, loc, like(element), x);
  }
  Value extend(Value x, unsigned width) {
    return arith::ExtUIOp::create(b, loc, like(b.getIntegerType(width)), x);
  }
  Value truncate(Value x, unsigned width) {
    return arith::TruncIOp::create(b, loc, like(b.getIntegerType(width)), x);
  }
  Value toFloat(Value x, Type element) {
    return arith::SIToFPOp::create(b, loc, like(element), x);
  }
  Value extendFloat(Value x, Type element) {
    return arith::ExtFOp::create(b, loc, like(element), x);
  }
  Value truncateFloat(Value x, Type element) {
    return arith::TruncFOp::create(b, loc, like(element), x);
  }

  /// c[0] + x (c[1] + x (c[2] + ...)).
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = constantLike(x, coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, constantLike(x, c));
    return sum;
  }

private:
  Value splat(TypedAttr value, Type element) {
    if (shape)
      value = DenseElementsAttr::get(cast<ShapedType>(like(element)),
                                     Attribute(value));
    return arith::ConstantOp::create(b, loc, value);
  }

  OpBuilder &b;
  Location loc;
  VectorType shape;
};

} // namespace fuser

#endif // FUSER_SUPPORT_FLOATBUILDER_H
