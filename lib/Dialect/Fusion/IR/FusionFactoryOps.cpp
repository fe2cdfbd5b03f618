//===- FusionFactoryOps.cpp - Ops that make tensors of scalars ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitUtils.h"

using namespace fuser;
using namespace fuser::fusion;

LogicalResult FullOp::verify() {
  // full_c2
  if (getSizes().size() != getType().getNumDynamicDims())
    return emitOpError() << "expected " << getType().getNumDynamicDims()
                         << " sizes for the dynamic dimensions of " << getType()
                         << ", got " << getSizes().size();
  return success();
}

OpFoldResult FullOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  return ctx.scalar(getSizes()[getType().getDynamicDimIndex(dim)]);
}

Value FullOp::emitElement(EmitContext &ctx, ValueRange, Type resultType) {
  Value value = ctx.scalar(getValue());
  if (value.getType() == resultType)
    return value;
  return arith::ExtFOp::create(ctx.builder, ctx.loc, resultType, value);
}
