//===- TestFusion.cpp - Ops of known families that only tests know --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace fuser;
using namespace fuser::fusion;
using namespace fuser::test;

#include "TestFusionDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "TestFusionAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "TestFusionOps.cpp.inc"

void TestFusionDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "TestFusionOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "TestFusionAttrs.cpp.inc"
      >();
}

StringRef ByHandAttr::getSchedulerName() const { return "by_hand"; }

LogicalResult ByHandAttr::verifySchedule(Operation *) const {
  return success();
}

Value test::emitFloat(EmitContext &ctx, Type type, double value) {
  TypedAttr attr = FloatAttr::get(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(ctx.builder, ctx.loc, attr);
}

template <typename OpT>
static Value emit(EmitContext &ctx, Value lhs, Value rhs) {
  return OpT::create(ctx.builder, ctx.loc, lhs, rhs);
}

//===----------------------------------------------------------------------===//
// LerpOp
//===----------------------------------------------------------------------===//

OpFoldResult LerpOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyDimOfOperand(ctx, getOperation(), dim);
}

Value LerpOp::emitElement(EmitContext &ctx, ValueRange operands, Type) {
  Value weight =
      emitFloat(ctx, operands[0].getType(), getWeight().convertToDouble());
  Value difference = emit<arith::SubFOp>(ctx, operands[1], operands[0]);
  return emit<arith::AddFOp>(ctx, operands[0],
                             emit<arith::MulFOp>(ctx, weight, difference));
}

unsigned LerpOp::getElementCost() { return 3; }

//===----------------------------------------------------------------------===//
// ReverseOp
//===----------------------------------------------------------------------===//

OpFoldResult ReverseOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyDimOfOperand(ctx, getOperation(), dim);
}

MappedIndex ReverseOp::mapIndex(EmitContext &ctx, unsigned,
                                ValueRange resultIndex) {
  OpBuilder &b = ctx.builder;
  int64_t last = resultIndex.size() - 1;
  Value size =
      getValueOrCreateConstantIndexOp(b, ctx.loc, ctx.dim(getInput(), last));
  Value one = arith::ConstantIndexOp::create(b, ctx.loc, 1);
  Value top = emit<arith::SubIOp>(ctx, size, one);
  MappedIndex mapped;
  llvm::append_range(mapped.index, resultIndex);
  mapped.index.back() = emit<arith::SubIOp>(ctx, top, resultIndex[last]);
  return mapped;
}

AffineMap ReverseOp::getAffineIndexMap(unsigned) {
  RankedTensorType type = getType();
  int64_t last = type.getRank() - 1;
  if (type.isDynamicDim(last))
    return {};
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < last; ++dim)
    exprs.push_back(getAffineDimExpr(dim, getContext()));
  exprs.push_back(type.getDimSize(last) - 1 -
                  getAffineDimExpr(last, getContext()));
  return AffineMap::get(type.getRank(), 0, exprs, getContext());
}

//===----------------------------------------------------------------------===//
// VarianceOp
//===----------------------------------------------------------------------===//

OpFoldResult VarianceOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  return ctx.dim(getInput(), dim);
}

SmallVector<int64_t> VarianceOp::getReductionDims() {
  return {getInput().getType().getRank() - 1};
}

bool VarianceOp::getKeepsDims() {
  return getType().getRank() == getInput().getType().getRank();
}

/// Count, mean, and the sum of squared differences from the mean.
SmallVector<Type> VarianceOp::getAccumulatorTypes(Type computeType) {
  return {computeType, computeType, computeType};
}

SmallVector<Value> VarianceOp::emitNeutral(EmitContext &ctx,
                                           ArrayRef<Type> accumulatorTypes) {
  Value zero = emitFloat(ctx, accumulatorTypes.front(), 0);
  return {zero, zero, zero};
}

SmallVector<Value> VarianceOp::emitPrepare(EmitContext &ctx, Value element,
                                           Value, ArrayRef<Type>) {
  return {emitFloat(ctx, element.getType(), 1), element,
          emitFloat(ctx, element.getType(), 0)};
}

SmallVector<Value> VarianceOp::emitCombine(EmitContext &ctx, ValueRange lhs,
                                           ValueRange rhs) {
  Type type = lhs[0].getType();
  Value count = emit<arith::AddFOp>(ctx, lhs[0], rhs[0]);
  // Of nothing and nothing there is no mean: 0 counts, and 0 / 1 is 0.
  Value divisor = emit<arith::MaximumFOp>(ctx, count, emitFloat(ctx, type, 1));
  Value share = emit<arith::DivFOp>(ctx, rhs[0], divisor);
  Value difference = emit<arith::SubFOp>(ctx, rhs[1], lhs[1]);
  Value mean = emit<arith::AddFOp>(ctx, lhs[1],
                                   emit<arith::MulFOp>(ctx, difference, share));
  Value square = emit<arith::MulFOp>(ctx, difference, difference);
  Value between =
      emit<arith::MulFOp>(ctx, square, emit<arith::MulFOp>(ctx, lhs[0], share));
  Value squares = emit<arith::AddFOp>(
      ctx, emit<arith::AddFOp>(ctx, lhs[2], rhs[2]), between);
  return {count, mean, squares};
}

Value VarianceOp::emitFinalize(EmitContext &ctx, ValueRange accumulators, Value,
                               Type) {
  return emit<arith::DivFOp>(ctx, accumulators[2], accumulators[0]);
}

//===----------------------------------------------------------------------===//
// PlacesOp
//===----------------------------------------------------------------------===//

OpFoldResult PlacesOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  int64_t inputDim = dim;
  for (int64_t reduced : getDims())
    inputDim += reduced <= inputDim;
  return ctx.dim(getInput(), inputDim);
}

SmallVector<int64_t> PlacesOp::getReductionDims() {
  return SmallVector<int64_t>(getDims());
}

bool PlacesOp::getKeepsDims() { return false; }

bool PlacesOp::needsPosition() { return true; }

/// How many there are, and the sum of their positions.
SmallVector<Type> PlacesOp::getAccumulatorTypes(Type) {
  return {IntegerType::get(getContext(), 32),
          IntegerType::get(getContext(), 64)};
}

SmallVector<Value> PlacesOp::emitNeutral(EmitContext &ctx,
                                         ArrayRef<Type> accumulatorTypes) {
  return llvm::map_to_vector(accumulatorTypes, [&](Type type) -> Value {
    return arith::ConstantIntOp::create(ctx.builder, ctx.loc, type, 0);
  });
}

SmallVector<Value> PlacesOp::emitPrepare(EmitContext &ctx, Value element,
                                         Value position,
                                         ArrayRef<Type> accumulatorTypes) {
  OpBuilder &b = ctx.builder;
  Value zero = emitFloat(ctx, element.getType(), 0);
  Value counts = arith::CmpFOp::create(b, ctx.loc, arith::CmpFPredicate::OGT,
                                       element, zero);
  Type type = accumulatorTypes.front();
  if (auto vector = dyn_cast<VectorType>(element.getType()))
    type = vector.clone(type);
  Value none =
      arith::ConstantOp::create(b, ctx.loc, b.getZeroAttr(position.getType()));
  return {arith::ExtUIOp::create(b, ctx.loc, type, counts),
          arith::SelectOp::create(b, ctx.loc, counts, position, none)};
}

SmallVector<Value> PlacesOp::emitCombine(EmitContext &ctx, ValueRange lhs,
                                         ValueRange rhs) {
  return {emit<arith::AddIOp>(ctx, lhs[0], rhs[0]),
          emit<arith::AddIOp>(ctx, lhs[1], rhs[1])};
}

Value PlacesOp::emitFinalize(EmitContext &ctx, ValueRange accumulators, Value,
                             Type resultType) {
  OpBuilder &b = ctx.builder;
  Value number =
      arith::ExtUIOp::create(b, ctx.loc, resultType, accumulators[0]);
  Value unit =
      arith::ConstantIntOp::create(b, ctx.loc, resultType, int64_t(1) << 40);
  return emit<arith::AddIOp>(ctx, emit<arith::MulIOp>(ctx, number, unit),
                             accumulators[1]);
}

//===----------------------------------------------------------------------===//
// SmoothOp
//===----------------------------------------------------------------------===//

OpFoldResult SmoothOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyDimOfOperand(ctx, getOperation(), dim);
}

int64_t SmoothOp::getFibreDim() { return 0; }

bool SmoothOp::isExactFibre() { return false; }

void SmoothOp::emitFibre(FibreContext &ctx) {
  OpBuilder &b = ctx.emit.builder;
  Location loc = ctx.emit.loc;
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  auto loop = scf::ForOp::create(b, loc, zero, ctx.length, one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value at = loop.getInductionVar();
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, at, zero);
  auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  ctx.store(at, ctx.load(0, at));
  b.setInsertionPointToStart(branch.elseBlock());
  Value before = ctx.loadResult(arith::SubIOp::create(b, loc, at, one));
  Value half = emitFloat(ctx.emit, ctx.type, 0.5);
  ctx.store(at, emit<arith::MulFOp>(
                    ctx.emit, half,
                    emit<arith::AddFOp>(ctx.emit, before, ctx.load(0, at))));
}

//===----------------------------------------------------------------------===//
// IotaOp
//===----------------------------------------------------------------------===//

OpFoldResult test::IotaOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  RankedTensorType type = getType();
  if (!type.isDynamicDim(dim))
    return ctx.builder.getIndexAttr(type.getDimSize(dim));
  int64_t number =
      llvm::count_if(type.getShape().take_front(dim), ShapedType::isDynamic);
  return ctx.scalar(getSizes()[number]);
}

Value test::IotaOp::emitElement(EmitContext &ctx, ValueRange index,
                                Type resultType) {
  Value place = index.back();
  Type type = ctx.builder.getI64Type();
  if (auto vector = dyn_cast<VectorType>(resultType)) {
    type = vector.clone(type);
    place = vector::BroadcastOp::create(
        ctx.builder, ctx.loc, vector.clone(ctx.builder.getIndexType()), place);
  }
  Value integer = arith::IndexCastOp::create(ctx.builder, ctx.loc, type, place);
  return arith::SIToFPOp::create(ctx.builder, ctx.loc, resultType, integer);
}

//===----------------------------------------------------------------------===//
// OpaqueOp
//===----------------------------------------------------------------------===//

OpFoldResult OpaqueOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyDimOfOperand(ctx, getOperation(), dim);
}
