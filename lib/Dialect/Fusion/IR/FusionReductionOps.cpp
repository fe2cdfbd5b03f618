//===- FusionReductionOps.cpp - Ops that reduce dimensions ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitUtils.h"
#include "OpSyntax.h"
#include <limits>

using namespace fuser;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

RankedTensorType fusion::getReducedType(RankedTensorType input,
                                        ArrayRef<int64_t> dims, bool keep) {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(input.getShape())) {
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      shape.push_back(size);
    else if (keep)
      shape.push_back(1);
  }
  return RankedTensorType::get(shape, input.getElementType());
}

LogicalResult
fusion::verifyAscendingDims(ArrayRef<int64_t> dims, int64_t rank,
                            function_ref<InFlightDiagnostic()> emitError) {
  int64_t previous = -1;
  for (int64_t dim : dims) {
    if (dim <= previous || dim >= rank)
      return emitError() << "expected ascending dimensions below " << rank
                         << ", got [" << dims << "]";
    previous = dim;
  }
  return success();
}

LogicalResult
ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  if (!input)
    return failure();
  types.push_back(getReducedType(input, adaptor.getDims(), adaptor.getKeep()));
  return success();
}

LogicalResult ReduceOp::verify() {
  RankedTensorType input = getInput().getType();
  // reduce_c1
  if (failed(verifyAscendingDims(getDims(), input.getRank(),
                                 [&]() { return emitOpError("dims: "); })))
    return failure();
  // reduce_c2
  RankedTensorType expected = getReducedType(input, getDims(), getKeep());
  if (getType() != expected)
    return emitOpError() << "expected " << expected << " as the result, got "
                         << getType();
  // reduce_c3
  if (getKind() == ReduceKind::Mean && !isa<FloatType>(input.getElementType()))
    return emitOpError() << "expected float elements for a mean, got "
                         << input.getElementType();
  return success();
}

OpFoldResult ReduceOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  int64_t inputDim = dim;
  if (!getKeep())
    for (int64_t reduced : getDims())
      inputDim += reduced <= inputDim;
  return ctx.dim(getInput(), inputDim);
}

//===----------------------------------------------------------------------===//
// The monoid
//===----------------------------------------------------------------------===//

SmallVector<int64_t> ReduceOp::getReductionDims() {
  return SmallVector<int64_t>(getDims());
}

bool ReduceOp::getKeepsDims() { return getKeep(); }

SmallVector<Type> ReduceOp::getAccumulatorTypes(Type computeType) {
  return {computeType};
}

bool ReduceOp::isIdempotent() {
  return getKind() == ReduceKind::Max || getKind() == ReduceKind::Min;
}

std::optional<ReduceKind> ReduceOp::getPartialKind() { return getKind(); }

SmallVector<Value> ReduceOp::emitNeutral(EmitContext &ctx,
                                         ArrayRef<Type> accumulatorTypes) {
  Type type = accumulatorTypes.front();
  ReduceKind kind = getKind();
  if (kind == ReduceKind::Sum || kind == ReduceKind::Mean)
    return {emitConstant(ctx, type, 0)};
  if (isa<FloatType>(type)) {
    double inf = std::numeric_limits<double>::infinity();
    return {emitConstant(ctx, type, kind == ReduceKind::Max ? -inf : inf)};
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  return {emitConstant(ctx, type,
                       kind == ReduceKind::Max
                           ? APInt::getSignedMinValue(bits)
                           : APInt::getSignedMaxValue(bits))};
}

SmallVector<Value> ReduceOp::emitPrepare(EmitContext &ctx, Value element,
                                         ArrayRef<Type>) {
  return {element};
}

SmallVector<Value> ReduceOp::emitCombine(EmitContext &ctx, ValueRange lhs,
                                         ValueRange rhs) {
  OpBuilder &b = ctx.builder;
  Value l = lhs.front(), r = rhs.front();
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(l));
  switch (getKind()) {
  case ReduceKind::Sum:
  case ReduceKind::Mean:
    if (isFloat)
      return {arith::AddFOp::create(b, ctx.loc, l, r)};
    return {arith::AddIOp::create(b, ctx.loc, l, r)};
  case ReduceKind::Max:
    if (isFloat)
      return {arith::MaximumFOp::create(b, ctx.loc, l, r)};
    return {arith::MaxSIOp::create(b, ctx.loc, l, r)};
  case ReduceKind::Min:
    if (isFloat)
      return {arith::MinimumFOp::create(b, ctx.loc, l, r)};
    return {arith::MinSIOp::create(b, ctx.loc, l, r)};
  }
  llvm_unreachable("all kinds are above");
}

Value ReduceOp::emitFinalize(EmitContext &ctx, ValueRange accumulators,
                             Value count, Type resultType) {
  Value result = accumulators.front();
  if (getKind() != ReduceKind::Mean)
    return result;
  OpBuilder &b = ctx.builder;
  Value integer = arith::IndexCastOp::create(b, ctx.loc, b.getI64Type(), count);
  Value divisor =
      arith::SIToFPOp::create(b, ctx.loc, result.getType(), integer);
  return arith::DivFOp::create(b, ctx.loc, result, divisor);
}
