//===- TestInterfaces.cpp - Ops that say more than their family must ------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace fuser;
using namespace fuser::fusion;
using namespace fuser::test;

static Value emitDim(EmitContext &ctx, Value tensor, int64_t dim) {
  return getValueOrCreateConstantIndexOp(ctx.builder, ctx.loc,
                                         ctx.dim(tensor, dim));
}

//===----------------------------------------------------------------------===//
// FlattenOp
//===----------------------------------------------------------------------===//

OpFoldResult FlattenOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  return ctx.scalar(getSize());
}

MappedIndex FlattenOp::mapIndex(EmitContext &ctx, unsigned,
                                ValueRange resultIndex) {
  OpBuilder &b = ctx.builder;
  Value linear = resultIndex.front();
  int64_t rank = getInput().getType().getRank();
  MappedIndex mapped;
  mapped.index.resize(rank);
  for (int64_t dim = rank - 1; dim > 0; --dim) {
    Value size = emitDim(ctx, getInput(), dim);
    mapped.index[dim] = arith::RemUIOp::create(b, ctx.loc, linear, size);
    linear = arith::DivUIOp::create(b, ctx.loc, linear, size);
  }
  mapped.index[0] = linear;
  return mapped;
}

AffineMap FlattenOp::getAffineIndexMap(unsigned) { return {}; }

bool FlattenOp::keepsLinearOrder() { return true; }

void FlattenOp::emitSizeChecks(EmitContext &ctx, SizeCheckFn check) {
  OpBuilder &b = ctx.builder;
  Value count = arith::ConstantIndexOp::create(b, ctx.loc, 1);
  for (int64_t dim = 0, rank = getInput().getType().getRank(); dim < rank;
       ++dim)
    count =
        arith::MulIOp::create(b, ctx.loc, count, emitDim(ctx, getInput(), dim));
  Value size = emitDim(ctx, getResult(), 0);
  Value isEqual =
      arith::CmpIOp::create(b, ctx.loc, arith::CmpIPredicate::eq, count, size);
  check(isEqual, "expected size {0}, got {1}", {count, size}, std::nullopt);
}

//===----------------------------------------------------------------------===//
// EveryOp
//===----------------------------------------------------------------------===//

OpFoldResult EveryOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  OpBuilder &b = ctx.builder;
  Value one = arith::ConstantIndexOp::create(b, ctx.loc, 1);
  Value step = arith::MaxUIOp::create(b, ctx.loc, ctx.scalar(getStep()), one);
  Value last = arith::SubIOp::create(b, ctx.loc, step, one);
  Value sum =
      arith::AddIOp::create(b, ctx.loc, emitDim(ctx, getInput(), dim), last);
  return arith::DivUIOp::create(b, ctx.loc, sum, step).getResult();
}

MappedIndex EveryOp::mapIndex(EmitContext &ctx, unsigned,
                              ValueRange resultIndex) {
  MappedIndex mapped;
  mapped.index.push_back(arith::MulIOp::create(
      ctx.builder, ctx.loc, resultIndex.front(), ctx.scalar(getStep())));
  return mapped;
}

AffineMap EveryOp::getAffineIndexMap(unsigned) { return {}; }

std::optional<SmallVector<StridedIndex>>
EveryOp::getStridedMap(EmitContext &ctx, unsigned) {
  StridedIndex index{ctx.builder.getIndexAttr(0), {}};
  index.terms.push_back({0, ctx.scalar(getStep())});
  return SmallVector<StridedIndex>{index};
}

//===----------------------------------------------------------------------===//
// TurnOp
//===----------------------------------------------------------------------===//

OpFoldResult TurnOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  return ctx.dim(getInput(), getType().getRank() - 1 - dim);
}

MappedIndex TurnOp::mapIndex(EmitContext &, unsigned, ValueRange resultIndex) {
  MappedIndex mapped;
  llvm::append_range(mapped.index, llvm::reverse(resultIndex));
  return mapped;
}

AffineMap TurnOp::getAffineIndexMap(unsigned) {
  SmallVector<unsigned> dims;
  for (unsigned dim = getType().getRank(); dim-- > 0;)
    dims.push_back(dim);
  return AffineMap::getPermutationMap(dims, getContext());
}

//===----------------------------------------------------------------------===//
// PeakOp and QuietPeakOp
//===----------------------------------------------------------------------===//

static Value emitPeak(EmitContext &ctx, Value element, const APFloat &at) {
  Type type = element.getType();
  Value isThere = arith::CmpFOp::create(
      ctx.builder, ctx.loc, arith::CmpFPredicate::OEQ, element,
      emitFloat(ctx, type, at.convertToDouble()));
  return arith::SelectOp::create(ctx.builder, ctx.loc, isThere,
                                 emitFloat(ctx, type, 1),
                                 emitFloat(ctx, type, 0));
}

OpFoldResult PeakOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyDimOfOperand(ctx, getOperation(), dim);
}

Value PeakOp::emitElement(EmitContext &ctx, ValueRange operands, Type) {
  return emitPeak(ctx, operands[0], getAt());
}

bool PeakOp::isExact() { return true; }

Jump PeakOp::emitJump(JumpContext &ctx) {
  Value difference =
      arith::SubFOp::create(ctx.builder, ctx.loc, ctx.emitNumber(0),
                            ctx.emitConstant(getAt().convertToDouble()));
  Value distance = math::AbsFOp::create(ctx.builder, ctx.loc, difference);
  return {ctx.emitIsWithin(distance, ctx.bounds[0]), ctx.emitConstant(1)};
}

OpFoldResult QuietPeakOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyDimOfOperand(ctx, getOperation(), dim);
}

Value QuietPeakOp::emitElement(EmitContext &ctx, ValueRange operands, Type) {
  return emitPeak(ctx, operands[0], getAt());
}

bool QuietPeakOp::isExact() { return true; }

//===----------------------------------------------------------------------===//
// RoughOp
//===----------------------------------------------------------------------===//

OpFoldResult RoughOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyDimOfOperand(ctx, getOperation(), dim);
}

Value RoughOp::emitElement(EmitContext &ctx, ValueRange operands, Type) {
  Type type = operands[0].getType();
  if (getElementTypeOrSelf(type).isF64())
    return operands[0];
  return arith::MulFOp::create(ctx.builder, ctx.loc, operands[0],
                               emitFloat(ctx, type, 1 + 0x1p-17));
}

double RoughOp::getErrorUnits() { return getUnits().convertToDouble(); }

//===----------------------------------------------------------------------===//
// DemoteOp
//===----------------------------------------------------------------------===//

OpFoldResult DemoteOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyDimOfOperand(ctx, getOperation(), dim);
}

Value DemoteOp::emitElement(EmitContext &ctx, ValueRange operands, Type type) {
  if (operands[0].getType() == type)
    return operands[0];
  return arith::TruncFOp::create(ctx.builder, ctx.loc, type, operands[0]);
}

bool DemoteOp::isNarrowing() { return getNarrowing(); }

//===----------------------------------------------------------------------===//
// FenceOp and TiltedFenceOp
//===----------------------------------------------------------------------===//

OpFoldResult FenceOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyDimOfOperand(ctx, getOperation(), dim);
}

Value FenceOp::emitElement(EmitContext &, ValueRange operands, Type) {
  return operands[0];
}

bool FenceOp::isExact() { return true; }

OpFoldResult TiltedFenceOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyDimOfOperand(ctx, getOperation(), dim);
}
