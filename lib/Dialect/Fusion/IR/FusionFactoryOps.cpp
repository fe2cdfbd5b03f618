//===- FusionFactoryOps.cpp - Ops that make tensors of scalars ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitUtils.h"
#include "fuser/Support/Philox.h"
#include "fuser/Support/PowersOfTwo.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>

using namespace fuser;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult fusion::verifyStatedSizes(Operation *op, OperandRange sizes) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t expected = type.getNumDynamicDims();
  if (static_cast<int64_t>(sizes.size()) == expected)
    return success();
  return op->emitOpError() << "expected " << expected
                           << " sizes for the dynamic dimensions of " << type
                           << ", got " << sizes.size();
}

OpFoldResult fusion::reifyStatedDim(EmitContext &ctx, RankedTensorType type,
                                    OperandRange sizes, int64_t dim) {
  if (!type.isDynamicDim(dim))
    return ctx.builder.getIndexAttr(type.getDimSize(dim));
  return ctx.scalar(sizes[type.getDynamicDimIndex(dim)]);
}

/// A scalar in each element of a vector, if `type` is one.
static Value emitSplat(EmitContext &ctx, Value scalar, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || isa<VectorType>(scalar.getType()))
    return scalar;
  return vector::BroadcastOp::create(ctx.builder, ctx.loc,
                                     vector.clone(scalar.getType()), scalar);
}

/// Two operands of one op: both vectors if one is.
template <typename OpT>
static Value emitOfBoth(EmitContext &ctx, Value lhs, Value rhs) {
  lhs = emitSplat(ctx, lhs, rhs.getType());
  return emitFolded<OpT>(ctx, lhs, emitSplat(ctx, rhs, lhs.getType()));
}

/// The number of an element of the result in row-major order.
static Value emitNumber(EmitContext &ctx, TensorOpInterface op,
                        ValueRange index) {
  Value number;
  for (auto [dim, coordinate] : llvm::enumerate(index)) {
    if (!number) {
      number = coordinate;
      continue;
    }
    Value size = emitIndex(ctx, op.reifyDim(ctx, 0, dim));
    number = emitOfBoth<arith::MulIOp>(ctx, number, size);
    number = emitOfBoth<arith::AddIOp>(ctx, number, coordinate);
  }
  return number ? number : emitIndex(ctx, int64_t(0));
}

//===----------------------------------------------------------------------===//
// FullOp
//===----------------------------------------------------------------------===//

// full_c2
LogicalResult FullOp::verify() { return verifyStatedSizes(*this, getSizes()); }

OpFoldResult FullOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyStatedDim(ctx, getType(), getSizes(), dim);
}

Value FullOp::emitElement(EmitContext &ctx, ValueRange, Type resultType) {
  Value value = extendScalar(ctx.builder, ctx.loc, ctx.scalar(getValue()),
                             getElementTypeOrSelf(resultType));
  return emitSplat(ctx, value, resultType);
}

Value FullOp::emitUniform(OpBuilder &builder, RankedTensorType type,
                          ValueRange sizes) {
  return FullOp::create(builder, getLoc(), type, getValue(), sizes);
}

//===----------------------------------------------------------------------===//
// IotaOp
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  RankedTensorType type = getType();
  // iota_c1
  int64_t dim = getDim();
  if (dim < 0 || dim >= type.getRank())
    return emitOpError() << "expected a dimension of " << type << ", got "
                         << dim;
  // iota_c2
  if (failed(verifyStatedSizes(*this, getSizes())))
    return failure();
  // iota_c3
  Type element = getScalarType(type.getElementType());
  auto isOther = [&](Type each) { return each != element; };
  if (getProgression().size() > 2 ||
      llvm::any_of(getProgression().getTypes(), isOther))
    return emitOpError() << "expected a start and a step of type " << element
                         << " at most, got " << getProgression().getTypes();
  return success();
}

OpFoldResult IotaOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyStatedDim(ctx, getType(), getSizes(), dim);
}

Value IotaOp::emitElement(EmitContext &ctx, ValueRange index, Type type) {
  OpBuilder &b = ctx.builder;
  Value place = index[getDim()];
  Value element = arith::IndexCastOp::create(
      b, ctx.loc, withElementType(place.getType(), getElementTypeOrSelf(type)),
      place);
  OperandRange progression = getProgression();
  auto emitTerm = [&](unsigned number) {
    return emitSplat(ctx, ctx.scalar(progression[number]), element.getType());
  };
  if (progression.size() > 1)
    element = arith::MulIOp::create(b, ctx.loc, element, emitTerm(1));
  if (!progression.empty())
    element = arith::AddIOp::create(b, ctx.loc, element, emitTerm(0));
  return emitSplat(ctx, element, type);
}

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

/// So many selections are made of a constant at most.
static constexpr int64_t kMaxElements = 64;

LogicalResult ConstantOp::verify() {
  // constant_c2
  auto value = dyn_cast<DenseElementsAttr>(getValue());
  if (value && (value.isSplat() || value.getNumElements() <= kMaxElements))
    return success();
  return emitOpError() << "expected dense<...> with one element for all, or at "
                          "most "
                       << kMaxElements << ", got " << getType();
}

OpFoldResult ConstantOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return ctx.builder.getIndexAttr(getType().getDimSize(dim));
}

bool ConstantOp::isUniform() {
  return cast<DenseElementsAttr>(getValue()).isSplat();
}

Value ConstantOp::emitUniform(OpBuilder &builder, RankedTensorType type,
                              ValueRange) {
  if (!isUniform())
    return nullptr;
  auto value = cast<DenseElementsAttr>(getValue()).resizeSplat(type);
  return ConstantOp::create(builder, getLoc(), type, value);
}

Value ConstantOp::emitElement(EmitContext &ctx, ValueRange index, Type type) {
  OpBuilder &b = ctx.builder;
  auto value = cast<DenseElementsAttr>(getValue());
  auto emitAttr = [&](TypedAttr number) -> Value {
    if (auto integer = dyn_cast<IntegerAttr>(number))
      return emitConstant(ctx, type, integer.getValue());
    Value scalar = arith::ConstantOp::create(b, ctx.loc, number);
    scalar = extendScalar(b, ctx.loc, scalar, getElementTypeOrSelf(type));
    return emitSplat(ctx, scalar, type);
  };
  if (value.empty())
    return emitConstant(ctx, type, 0);
  if (value.isSplat())
    return emitAttr(value.getSplatValue<TypedAttr>());
  Value place = emitSplat(ctx, emitNumber(ctx, *this, index), type);
  Value element;
  for (auto [number, attr] : llvm::enumerate(value.getValues<TypedAttr>())) {
    Value each = emitAttr(attr);
    if (!element) {
      element = each;
      continue;
    }
    Value isHere = arith::CmpIOp::create(
        b, ctx.loc, arith::CmpIPredicate::eq, place,
        emitConstant(ctx, place.getType(), static_cast<double>(number)));
    element = arith::SelectOp::create(b, ctx.loc, isHere, each, element);
  }
  return element;
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

/// The lower and the higher half of an i64.
static std::array<Value, 2> emitHalves(EmitContext &ctx, Value wide) {
  OpBuilder &b = ctx.builder;
  Type word = withElementType(wide.getType(), b.getI32Type());
  Value shift = emitConstant(ctx, wide.getType(), 32);
  Value high = arith::ShRUIOp::create(b, ctx.loc, wide, shift);
  return {arith::TruncIOp::create(b, ctx.loc, word, wide),
          arith::TruncIOp::create(b, ctx.loc, word, high)};
}

/// The same of a scalar for elements that are as `like`.
static std::array<Value, 2> emitHalvesOf(EmitContext &ctx, Value scalar,
                                         Value like) {
  auto [low, high] = emitHalves(ctx, ctx.scalar(scalar));
  return {emitSplat(ctx, low, like.getType()),
          emitSplat(ctx, high, like.getType())};
}

/// Random bits of 32 or 64 for element `number`, an index: as many words of
/// those of a call of the generator.
static Value emitBits(EmitContext &ctx, Value seed, Value offset, Value number,
                      unsigned bits) {
  OpBuilder &b = ctx.builder;
  Location loc = ctx.loc;
  Type type = withElementType(number.getType(), b.getI64Type());
  Value wide = arith::IndexCastUIOp::create(b, loc, type, number);
  auto constant = [&](int64_t value) {
    return emitConstant(ctx, type, static_cast<double>(value));
  };
  Value call =
      arith::ShRUIOp::create(b, loc, wide, constant(bits == 32 ? 2 : 1));
  auto [low, high] = emitHalvesOf(ctx, offset, wide);
  auto [callLow, callHigh] = emitHalves(ctx, call);
  std::array<Value, 4> words = emitPhilox(b, loc, emitHalvesOf(ctx, seed, wide),
                                          {low, high, callLow, callHigh});
  auto hasBit = [&](int64_t bit) -> Value {
    Value masked = arith::AndIOp::create(b, loc, wide, constant(bit));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, masked,
                                 constant(0));
  };
  auto select = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  };
  Value isOdd = hasBit(1);
  if (bits == 32) {
    Value first = select(isOdd, words[1], words[0]);
    return select(hasBit(2), select(isOdd, words[3], words[2]), first);
  }
  auto widen = [&](Value word) -> Value {
    return arith::ExtUIOp::create(b, loc, type, word);
  };
  Value upper = arith::ShLIOp::create(
      b, loc, widen(select(isOdd, words[3], words[1])), constant(32));
  return arith::OrIOp::create(b, loc, upper,
                              widen(select(isOdd, words[2], words[0])));
}

Value RandomBitsOp::emitElement(EmitContext &ctx, ValueRange index, Type type) {
  Value number = emitSplat(ctx, emitNumber(ctx, *this, index), type);
  return emitBits(ctx, getSeed(), getOffset(), number,
                  getElementTypeOrSelf(type).getIntOrFloatBitWidth());
}

/// As many of the highest bits as the element type has of a number below 1.
Value UniformOp::emitElement(EmitContext &ctx, ValueRange index, Type type) {
  OpBuilder &b = ctx.builder;
  auto element = cast<FloatType>(getType().getElementType());
  unsigned bits = element.isF64() ? 64 : 32;
  unsigned kept = element.getFPMantissaWidth();
  Value place = emitSplat(ctx, emitNumber(ctx, *this, index), type);
  Value all = emitBits(ctx, getSeed(), getOffset(), place, bits);
  Value shift = emitConstant(ctx, all.getType(), bits - kept);
  Value integer = arith::ShRUIOp::create(b, ctx.loc, all, shift);
  Value number = arith::UIToFPOp::create(b, ctx.loc, type, integer);
  Value unit =
      emitConstant(ctx, type, std::ldexp(1.0, -static_cast<int>(kept)));
  number = arith::MulFOp::create(b, ctx.loc, number, unit);
  if (getElementTypeOrSelf(type) == element)
    return number;
  // It is one of the element type: in the exact arithmetic by this only.
  Value narrow = arith::TruncFOp::create(
      b, ctx.loc, withElementType(type, element), number);
  return arith::ExtFOp::create(b, ctx.loc, type, narrow);
}
