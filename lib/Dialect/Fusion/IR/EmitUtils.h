//===- EmitUtils.h - Small helpers to emit arithmetic ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_IR_EMITUTILS_H
#define FUSER_LIB_DIALECT_FUSION_IR_EMITUTILS_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

namespace fuser::fusion {

/// `value` as a constant of `type`: a float, an integer or an index, or a
/// vector of them.
inline Value emitConstant(EmitContext &ctx, Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr =
      isa<FloatType>(element)
          ? TypedAttr(FloatAttr::get(element, value))
          : TypedAttr(IntegerAttr::get(element, static_cast<int64_t>(value)));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(ctx.builder, ctx.loc, attr);
}

/// `value`: as many bits as the element type has.
inline Value emitConstant(EmitContext &ctx, Type type, const APInt &value) {
  TypedAttr attr = IntegerAttr::get(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(ctx.builder, ctx.loc, attr);
}

inline Value emitIndex(EmitContext &ctx, int64_t value) {
  return arith::ConstantIndexOp::create(ctx.builder, ctx.loc, value);
}

inline Value emitIndex(EmitContext &ctx, OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(ctx.builder, ctx.loc, value);
}

/// `like` with element type `element`: a vector if `like` is one.
inline Type withElementType(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return vector.clone(element);
  return element;
}

template <typename OpT>
Value emitFolded(EmitContext &ctx, Value lhs, Value rhs) {
  return ctx.builder.createOrFold<OpT>(ctx.loc, lhs, rhs);
}

/// The product of two sizes.
inline OpFoldResult emitProduct(EmitContext &ctx, OpFoldResult lhs,
                                OpFoldResult rhs) {
  std::optional<int64_t> l = getConstantIntValue(lhs);
  std::optional<int64_t> r = getConstantIntValue(rhs);
  if (l && r)
    return ctx.builder.getIndexAttr(*l * *r);
  if (l == 1)
    return rhs;
  if (r == 1)
    return lhs;
  return emitFolded<arith::MulIOp>(ctx, emitIndex(ctx, lhs),
                                   emitIndex(ctx, rhs));
}

/// A `parts`-th of a size.
inline Value divideSize(OpBuilder &builder, Location loc, Value size,
                        int64_t parts) {
  Value divisor = arith::ConstantIndexOp::create(builder, loc, parts);
  return builder.createOrFold<arith::DivUIOp>(loc, size, divisor);
}

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_IR_EMITUTILS_H
