//===- IndexMapUtils.h - What ops that move elements share -----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_IR_INDEXMAPS_INDEXMAPUTILS_H
#define FUSER_LIB_DIALECT_FUSION_IR_INDEXMAPS_INDEXMAPUTILS_H

#include "../EmitUtils.h"
#include "../OpSyntax.h"

namespace fuser::fusion {

/// The greatest power of two that divides `value` and is not above `width`.
inline int64_t getCommonWidth(int64_t width, int64_t value) {
  while (width > 1 && value % width != 0)
    width /= 2;
  return width;
}

inline int64_t getPowerOfTwo(int64_t width) {
  return width < 1 ? 1
                   : static_cast<int64_t>(
                         llvm::bit_floor(static_cast<uint64_t>(width)));
}

/// `list` with one more entry.
inline SmallVector<int64_t> append(ArrayRef<int64_t> list, int64_t entry) {
  SmallVector<int64_t> all(list);
  all.push_back(entry);
  return all;
}

using InferFn = function_ref<FailureOr<RankedTensorType>(EmitError)>;

/// The type of an op that is being built, with its error where it has none.
template <typename OpT>
LogicalResult inferType(MLIRContext *context, std::optional<Location> location,
                        InferFn infer, SmallVectorImpl<Type> &types) {
  Location loc = location.value_or(UnknownLoc::get(context));
  auto emitError = [&]() {
    return mlir::emitError(loc) << "'" << OpT::getOperationName() << "' op ";
  };
  FailureOr<RankedTensorType> type = infer(emitError);
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

/// Upstream checks the inferred type after this, with an error that says less.
template <typename OpT>
LogicalResult verifyType(OpT op, InferFn infer) {
  auto emitError = [&]() { return op.emitOpError(); };
  FailureOr<RankedTensorType> type = infer(emitError);
  if (failed(type))
    return failure();
  if (*type != op.getType())
    return emitError() << "expected " << *type << " as the result, got "
                       << op.getType();
  return success();
}

/// The sum of two sizes.
inline OpFoldResult emitSum(EmitContext &ctx, OpFoldResult lhs,
                            OpFoldResult rhs) {
  std::optional<int64_t> l = getConstantIntValue(lhs);
  std::optional<int64_t> r = getConstantIntValue(rhs);
  if (l && r)
    return ctx.builder.getIndexAttr(*l + *r);
  if (l == 0)
    return rhs;
  return emitFolded<arith::AddIOp>(ctx, emitIndex(ctx, lhs),
                                   emitIndex(ctx, rhs));
}

/// A number of an op's text, or the value that stands for it.
inline Value emitMixed(EmitContext &ctx, OpFoldResult mixed) {
  if (auto value = dyn_cast<Value>(mixed))
    return ctx.scalar(value);
  return emitIndex(ctx, mixed);
}

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_IR_INDEXMAPS_INDEXMAPUTILS_H
