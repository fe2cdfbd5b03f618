//===- TestFusionFamilies.cpp - Fills, selectors, scans, sorts, products --===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scan and the scatter do not commute, as sums, products and extrema do: an
// emitter that turns their order round is seen.
//
//===----------------------------------------------------------------------===//

#include "TestFusion.h"
#include "fuser/Support/PowersOfTwo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace fuser;
using namespace fuser::fusion;
using namespace fuser::test;
using Predicate = arith::CmpIPredicate;

template <typename OpT>
static Value emit(EmitContext &ctx, Value lhs, Value rhs) {
  return OpT::create(ctx.builder, ctx.loc, lhs, rhs);
}

static Value emitCompare(EmitContext &ctx, Predicate predicate, Value lhs,
                         Value rhs) {
  return arith::CmpIOp::create(ctx.builder, ctx.loc, predicate, lhs, rhs);
}

static Value emitIndex(EmitContext &ctx, int64_t value) {
  return arith::ConstantIndexOp::create(ctx.builder, ctx.loc, value);
}

/// `type`, or a vector of it if `like` is one.
static Type getTypeLike(Type like, Type type) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(vector.clone(type)) : type;
}

/// A loop over the positions below `end`; `body` gives what is carried on, null
/// if `init` is null.
static Value emitLoop(EmitContext &ctx, Value end, Value init,
                      function_ref<Value(Value position, Value carried)> body) {
  OpBuilder &b = ctx.builder;
  auto loop =
      scf::ForOp::create(b, ctx.loc, emitIndex(ctx, 0), end, emitIndex(ctx, 1),
                         init ? ValueRange(init) : ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value next = body(loop.getInductionVar(),
                    init ? Value(loop.getRegionIterArg(0)) : Value());
  // There is a terminator where nothing is carried.
  if (!init)
    return nullptr;
  scf::YieldOp::create(b, ctx.loc, next);
  return loop.getResult(0);
}

//===----------------------------------------------------------------------===//
// ShiftInOp
//===----------------------------------------------------------------------===//

OpFoldResult ShiftInOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyDimOfOperand(ctx, getOperation(), dim);
}

MappedIndex ShiftInOp::mapIndex(EmitContext &ctx, unsigned,
                                ValueRange resultIndex) {
  Value last = resultIndex.back();
  MappedIndex mapped;
  llvm::append_range(mapped.index, resultIndex);
  mapped.index.back() = emit<arith::SubIOp>(ctx, last, emitIndex(ctx, 1));
  mapped.valid = emitCompare(ctx, Predicate::ne, last, emitIndex(ctx, 0));
  return mapped;
}

AffineMap ShiftInOp::getAffineIndexMap(unsigned) {
  int64_t rank = getType().getRank();
  auto map = AffineMap::getMultiDimIdentityMap(rank, getContext());
  SmallVector<AffineExpr> exprs(map.getResults());
  exprs.back() = exprs.back() - 1;
  return AffineMap::get(rank, 0, exprs, getContext());
}

bool ShiftInOp::hasFill() { return true; }

Value ShiftInOp::emitFill(EmitContext &ctx, Type resultType) {
  return extendScalar(ctx.builder, ctx.loc, ctx.scalar(getNumber()),
                      resultType);
}

//===----------------------------------------------------------------------===//
// PickOp
//===----------------------------------------------------------------------===//

OpFoldResult PickOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyDimOfOperand(ctx, getOperation(), dim);
}

unsigned PickOp::getNumSources() { return 1; }

MappedIndex PickOp::mapIndex(EmitContext &ctx, unsigned operand,
                             ValueRange resultIndex) {
  MappedIndex mapped;
  llvm::append_range(mapped.index, resultIndex);
  if (operand == 1)
    return mapped;
  OpBuilder &b = ctx.builder;
  mapped.index.push_back(arith::IndexCastOp::create(
      b, ctx.loc, b.getIndexType(), ctx.selector(/*operand=*/1)));
  OpFoldResult size = ctx.dim(getInput(), resultIndex.size());
  // Less than 0 is more than any size, unsigned.
  mapped.valid = emitCompare(ctx, Predicate::ult, mapped.index.back(),
                             getValueOrCreateConstantIndexOp(b, ctx.loc, size));
  return mapped;
}

AffineMap PickOp::getAffineIndexMap(unsigned operand) {
  if (operand == 0)
    return {};
  return AffineMap::getMultiDimIdentityMap(getType().getRank(), getContext());
}

SmallVector<EqualDims> PickOp::getEqualDims() {
  SmallVector<EqualDims> equal;
  for (int64_t dim = 0; dim < getType().getRank(); ++dim)
    equal.push_back({0, dim, 1, dim});
  return equal;
}

bool PickOp::hasFill() { return true; }

Value PickOp::emitFill(EmitContext &ctx, Type resultType) {
  return emitFloat(ctx, resultType, 0);
}

//===----------------------------------------------------------------------===//
// ForwardFillOp
//===----------------------------------------------------------------------===//

OpFoldResult ForwardFillOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyDimOfOperand(ctx, getOperation(), dim);
}

int64_t ForwardFillOp::getFibreDim() { return getType().getRank() - 1; }

Value ForwardFillOp::emitNeutral(EmitContext &ctx, Type type) {
  return arith::ConstantOp::create(ctx.builder, ctx.loc,
                                   ctx.builder.getZeroAttr(type));
}

Value ForwardFillOp::emitCombined(EmitContext &ctx, Value before, Value after) {
  Value none = emitNeutral(ctx, after.getType());
  Value isNumber = emitCompare(ctx, Predicate::ne, after, none);
  return arith::SelectOp::create(ctx.builder, ctx.loc, isNumber, after, before);
}

void ForwardFillOp::emitFibre(FibreContext &ctx) {
  emitLoop(ctx.emit, ctx.length, emitNeutral(ctx.emit, ctx.type),
           [&](Value position, Value before) {
             Value upTo = emitCombined(ctx.emit, before, ctx.load(0, position));
             ctx.store(position, upTo);
             return upTo;
           });
}

//===----------------------------------------------------------------------===//
// OrderByAbsOp
//===----------------------------------------------------------------------===//

OpFoldResult OrderByAbsOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyDimOfOperand(ctx, getOperation(), dim);
}

int64_t OrderByAbsOp::getFibreDim() { return getType().getRank() - 1; }

/// All elements decide where they go, and none is in the result.
bool OrderByAbsOp::isSelector(unsigned) { return true; }

/// Without a sign, floats are in the order of their bits, as many as `type`
/// has.
static Value emitMagnitudeBits(EmitContext &ctx, Value element, Type type) {
  OpBuilder &b = ctx.builder;
  Value magnitude = math::AbsFOp::create(b, ctx.loc, element);
  Type narrow = getTypeLike(element.getType(), type);
  if (element.getType() != narrow)
    magnitude = arith::TruncFOp::create(b, ctx.loc, narrow, magnitude);
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  return arith::BitcastOp::create(b, ctx.loc, getTypeLike(narrow, bits),
                                  magnitude);
}

Value OrderByAbsOp::emitSortKey(EmitContext &ctx, Value element, Type type) {
  Value key = emitMagnitudeBits(ctx, element, type);
  if (type.getIntOrFloatBitWidth() >= 32)
    return key;
  Type wide = getTypeLike(key.getType(), ctx.builder.getI32Type());
  return arith::ExtUIOp::create(ctx.builder, ctx.loc, wide, key);
}

/// The place of an element is the number of those that come before it: of equal
/// ones the first is first.
void OrderByAbsOp::emitFibre(FibreContext &fibre) {
  EmitContext &ctx = fibre.emit;
  OpBuilder &b = ctx.builder;
  Value zero = emitIndex(ctx, 0), one = emitIndex(ctx, 1);
  auto loadKey = [&](Value position) {
    Value element = fibre.load(0, position);
    return emitMagnitudeBits(ctx, element, element.getType());
  };
  emitLoop(ctx, fibre.length, nullptr, [&](Value position, Value) -> Value {
    Value key = loadKey(position);
    auto count = [&](Value other, Value number) -> Value {
      Value otherKey = loadKey(other);
      Value isLess = emitCompare(ctx, Predicate::ult, otherKey, key);
      Value isEqual = emitCompare(ctx, Predicate::eq, otherKey, key);
      Value isFirst = emitCompare(ctx, Predicate::ult, other, position);
      Value isBefore = emit<arith::OrIOp>(
          ctx, isLess, emit<arith::AndIOp>(ctx, isEqual, isFirst));
      Value more = emit<arith::AddIOp>(ctx, number, one);
      return arith::SelectOp::create(b, ctx.loc, isBefore, more, number);
    };
    Value place = emitLoop(ctx, fibre.length, zero, count);
    fibre.store(place,
                arith::IndexCastOp::create(b, ctx.loc, fibre.type, position));
    return nullptr;
  });
}

//===----------------------------------------------------------------------===//
// BlendOp
//===----------------------------------------------------------------------===//

OpFoldResult BlendOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyDimOfOperand(ctx, getOperation(), dim);
}

int64_t BlendOp::getFibreDim() { return 0; }

/// All fibres have the same indices.
SmallVector<Value> BlendOp::getFibreIndex(unsigned operand,
                                          ArrayRef<Value> resultIndex,
                                          Value position) {
  SmallVector<Value> index(resultIndex);
  index.front() = position;
  if (operand == 1)
    index.truncate(1);
  return index;
}

SmallVector<EqualDims> BlendOp::getEqualDims() {
  SmallVector<EqualDims> equal = {{1, 0, 2, 0}};
  for (int64_t dim = 1; dim < getType().getRank(); ++dim)
    equal.push_back({0, dim, 2, dim});
  return equal;
}

bool BlendOp::isExactFibre() { return false; }

bool BlendOp::isSelector(unsigned operand) { return operand == 1; }

void BlendOp::emitFibre(FibreContext &ctx) { emitScatter(ctx, *this); }

bool BlendOp::isReplacing() { return false; }

Value BlendOp::emitUpdated(EmitContext &ctx, Value before, Value update) {
  Value half = emitFloat(ctx, before.getType(), 0.5);
  return emit<arith::MulFOp>(ctx, half,
                             emit<arith::AddFOp>(ctx, before, update));
}

//===----------------------------------------------------------------------===//
// OuterDotOp
//===----------------------------------------------------------------------===//

OpFoldResult OuterDotOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  return reifyContractionDim(ctx, *this, dim);
}

SmallVector<DimRole> OuterDotOp::getDimRoles(unsigned tensor) {
  static constexpr DimRole kRoles[][2] = {
      {DimRole::Contracted, DimRole::Row},
      {DimRole::Contracted, DimRole::Column},
      {DimRole::Column, DimRole::Row}};
  return SmallVector<DimRole>(ArrayRef(kRoles[tensor]));
}
