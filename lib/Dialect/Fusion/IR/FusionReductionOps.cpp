//===- FusionReductionOps.cpp - Ops that reduce dimensions ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elementwise/ElementFunctions.h"
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
    if (rank == 0)
      return emitError()
             << "expected no dimensions of a tensor of rank 0, got [" << dims
             << "]";
    if (dim <= previous || dim >= rank)
      return emitError() << "expected ascending dimensions from 0 to "
                         << rank - 1 << ", got [" << dims << "]";
    previous = dim;
  }
  return success();
}

OpFoldResult fusion::reifyReducedDim(EmitContext &ctx, ReductionOpInterface op,
                                     int64_t dim) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.isDynamicDim(dim))
    return ctx.builder.getIndexAttr(type.getDimSize(dim));
  int64_t inputDim = dim;
  if (!op.getKeepsDims())
    for (int64_t reduced : op.getReductionDims())
      inputDim += reduced <= inputDim;
  return ctx.dim(op->getOperand(0), inputDim);
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// Dimensions, and the shape of a result of `element`.
static LogicalResult verifyShape(ReductionOpInterface op, Type element) {
  auto input = cast<RankedTensorType>(op->getOperand(0).getType());
  SmallVector<int64_t> dims = op.getReductionDims();
  // reduce_c1, position_c1
  if (failed(verifyAscendingDims(dims, input.getRank(),
                                 [&]() { return op->emitOpError("dims: "); })))
    return failure();
  // reduce_c2, position_c2
  Type expected = getReducedType(input, dims, op.getKeepsDims()).clone(element);
  Type type = op->getResult(0).getType();
  if (type != expected)
    return op->emitOpError()
           << "expected " << expected << " as the result, got " << type;
  return success();
}

static bool isLogical(ReduceKind kind) {
  return kind == ReduceKind::Any || kind == ReduceKind::All;
}

LogicalResult ReduceOp::verify() {
  Type element = getInput().getType().getElementType();
  if (failed(verifyShape(*this, element)))
    return failure();
  // reduce_c3
  ReduceKind kind = getKind();
  bool isMean = kind == ReduceKind::Mean;
  bool isComplex = isComplexElement(element);
  bool isOrder = kind == ReduceKind::Max || kind == ReduceKind::Min;
  bool isNumber = isFloatElement(element) || isIntegerElement(element) ||
                  (isComplex && !isOrder);
  bool fits = isMean            ? isFloatElement(element) || isComplex
              : isLogical(kind) ? element.isInteger(1)
                                : isNumber;
  if (fits)
    return success();
  StringRef expected = isMean            ? "float elements for a mean"
                       : isLogical(kind) ? "i1 elements for any and all"
                       : isComplex && isOrder
                           ? "elements that have an order for max and min"
                           : "numbers as elements";
  return emitOpError() << "expected " << expected << ", got " << element;
}

LogicalResult fusion::verifyPositionOp(ReductionOpInterface op) {
  if (failed(verifyShape(op, IntegerType::get(op->getContext(), 64))))
    return failure();
  // position_c3
  auto input = cast<RankedTensorType>(op->getOperand(0).getType());
  for (int64_t dim : op.getReductionDims())
    if (input.getDimSize(dim) == 0)
      return op->emitOpError() << "expected elements along dimension " << dim
                               << ", of which one is found, got " << input;
  return success();
}

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

/// Narrower ones have no memory of their own that threads share.
Type fusion::getAccumulatorType(Type computeType) {
  bool isNarrow =
      isa<IntegerType>(computeType) && computeType.getIntOrFloatBitWidth() < 32;
  return isNarrow ? IntegerType::get(computeType.getContext(), 32)
                  : computeType;
}

Value fusion::emitAccumulator(EmitContext &ctx, Type element, Value value,
                              Type accumulatorType) {
  return getElementTypeOrSelf(value) == accumulatorType
             ? value
             : emitExtended(ctx, element, value, accumulatorType);
}

/// Where the same is reduced with and without `keep` (`x - mean(x)` and
/// `var(x)` in NumPy), one reduction is enough. CSE makes one of both. A result
/// of the function stays one of its segment.
LogicalResult ReduceOp::canonicalize(ReduceOp op, PatternRewriter &b) {
  auto isTwin = [&](Operation *user) {
    auto other = dyn_cast<ReduceOp>(user);
    return other && !other.getKeep() && other.getKind() == op.getKind() &&
           other.getDims() == op.getDims() &&
           other->getBlock() == op->getBlock();
  };
  auto returns = [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  };
  if (!op.getKeep() || llvm::none_of(op.getInput().getUsers(), isTwin) ||
      llvm::any_of(op->getUsers(), returns))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(op.getType().getShape()))
    if (!llvm::is_contained(op.getDims(), int64_t(dim)))
      shape.push_back(size);
  Value reduced = ReduceOp::create(b, op.getLoc(), op.getType().clone(shape),
                                   op.getKind(), op.getInput(), op.getDims(),
                                   /*keep=*/false);
  b.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), reduced, op.getDims());
  return success();
}

SmallVector<Type> ReduceOp::getAccumulatorTypes(Type computeType) {
  return {getAccumulatorType(computeType)};
}

bool ReduceOp::isIdempotent() {
  return getKind() == ReduceKind::Max || getKind() == ReduceKind::Min ||
         isLogical(getKind());
}

bool ReduceOp::isProduct() { return getKind() == ReduceKind::Prod; }

/// Ranks exchange numbers only.
std::optional<ReduceKind> ReduceOp::getPartialKind() {
  if (isLogical(getKind()))
    return std::nullopt;
  return getKind();
}

/// The least or the greatest number of type `element`, in `type`.
static Value emitLimit(EmitContext &ctx, Type element, Type type,
                       bool isLeast) {
  if (isa<FloatType>(type)) {
    double inf = std::numeric_limits<double>::infinity();
    return emitConstant(ctx, type, isLeast ? -inf : inf);
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  APInt limit =
      isLeast ? getLeastInteger(element) : getGreatestInteger(element);
  return emitConstant(ctx, type,
                      isSignedElement(element) ? limit.sext(bits)
                                               : limit.zext(bits));
}

Value fusion::emitNeutralOf(EmitContext &ctx, ReduceKind kind, Type element,
                            Type type) {
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Mean:
  case ReduceKind::Any:
    return emitConstant(ctx, type, 0);
  case ReduceKind::Prod:
  case ReduceKind::All:
    return emitConstant(ctx, type, 1);
  case ReduceKind::Max:
    return emitLimit(ctx, element, type, /*isLeast=*/true);
  case ReduceKind::Min:
    return emitLimit(ctx, element, type, /*isLeast=*/false);
  }
  llvm_unreachable("all kinds are above");
}

SmallVector<Value> ReduceOp::emitNeutral(EmitContext &ctx,
                                         ArrayRef<Type> accumulatorTypes) {
  return {emitNeutralOf(ctx, getKind(), getType().getElementType(),
                        accumulatorTypes.front())};
}

SmallVector<Value> ReduceOp::emitPrepare(EmitContext &ctx, Value element, Value,
                                         ArrayRef<Type> accumulatorTypes) {
  return {emitAccumulator(ctx, getType().getElementType(), element,
                          accumulatorTypes.front())};
}

template <typename FloatOp, typename IntegerOp>
static Value emitArithmetic(EmitContext &ctx, Value lhs, Value rhs) {
  if (isa<FloatType>(getElementTypeOrSelf(lhs)))
    return FloatOp::create(ctx.builder, ctx.loc, lhs, rhs);
  return IntegerOp::create(ctx.builder, ctx.loc, lhs, rhs);
}

/// `FloatOp`, or one of the two others by the integers' sign.
template <typename FloatOp, typename SignedOp, typename UnsignedOp>
static Value emitExtremeOf(EmitContext &ctx, Type element, Value lhs,
                           Value rhs) {
  if (isa<FloatType>(element))
    return FloatOp::create(ctx.builder, ctx.loc, lhs, rhs);
  return emitBySign<SignedOp, UnsignedOp>(ctx, element, lhs, rhs);
}

Value fusion::emitCombined(EmitContext &ctx, ReduceKind kind, Type element,
                           Value l, Value r) {
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Mean:
    return emitArithmetic<arith::AddFOp, arith::AddIOp>(ctx, l, r);
  case ReduceKind::Prod:
    return emitArithmetic<arith::MulFOp, arith::MulIOp>(ctx, l, r);
  case ReduceKind::Max:
    return emitExtremeOf<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(
        ctx, element, l, r);
  case ReduceKind::Min:
    return emitExtremeOf<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(
        ctx, element, l, r);
  case ReduceKind::Any:
    return arith::OrIOp::create(ctx.builder, ctx.loc, l, r);
  case ReduceKind::All:
    return arith::AndIOp::create(ctx.builder, ctx.loc, l, r);
  }
  llvm_unreachable("all kinds are above");
}

SmallVector<Value> ReduceOp::emitCombine(EmitContext &ctx, ValueRange lhs,
                                         ValueRange rhs) {
  return {emitCombined(ctx, getKind(), getType().getElementType(), lhs.front(),
                       rhs.front())};
}

Value ReduceOp::emitFinalize(EmitContext &ctx, ValueRange accumulators,
                             Value count, Type resultType) {
  Value result = accumulators.front();
  OpBuilder &b = ctx.builder;
  if (getKind() != ReduceKind::Mean)
    return result.getType() == resultType
               ? result
               : arith::TruncIOp::create(b, ctx.loc, resultType, result);
  Value integer = arith::IndexCastOp::create(b, ctx.loc, b.getI64Type(), count);
  Value divisor =
      arith::SIToFPOp::create(b, ctx.loc, result.getType(), integer);
  return arith::DivFOp::create(b, ctx.loc, result, divisor);
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// What any element comes before: it is no better, and behind all.
SmallVector<Value> fusion::emitNoExtreme(EmitContext &ctx, Type element,
                                         ArrayRef<Type> accumulatorTypes,
                                         bool isGreatest) {
  Type position = accumulatorTypes[1];
  return {emitLimit(ctx, element, accumulatorTypes[0], /*isLeast=*/isGreatest),
          emitLimit(ctx, position, position, /*isLeast=*/false)};
}

/// Where all elements are the least one, that at position 0 is the first of
/// them; any other one is better than this.
SmallVector<Value> fusion::emitFirstExtreme(EmitContext &ctx, Type element,
                                            ArrayRef<Type> accumulatorTypes,
                                            bool isGreatest) {
  Type position = accumulatorTypes[1];
  return {emitLimit(ctx, element, accumulatorTypes[0], /*isLeast=*/isGreatest),
          emitConstant(ctx, position, APInt(64, 0))};
}

/// Whether `lhs` is before `rhs` whatever their positions are.
static Value emitIsBefore(EmitContext &ctx, Type element, Value lhs, Value rhs,
                          bool isGreatest) {
  OpBuilder &b = ctx.builder;
  using I = arith::CmpIPredicate;
  using F = arith::CmpFPredicate;
  if (!isa<FloatType>(getElementTypeOrSelf(lhs)))
    return emitCompare(ctx, getPredicate(element, isGreatest ? I::sgt : I::slt),
                       lhs, rhs);
  // True if one is NaN, which is before all numbers and behind no other one.
  Value isBetter =
      arith::CmpFOp::create(b, ctx.loc, isGreatest ? F::UGT : F::ULT, lhs, rhs);
  Value isNumber = arith::CmpFOp::create(b, ctx.loc, F::ORD, rhs, rhs);
  return arith::AndIOp::create(b, ctx.loc, isBetter, isNumber);
}

std::pair<Value, Value> fusion::emitOrder(EmitContext &ctx, Type element,
                                          Value lhs, Value rhs,
                                          bool isGreatest) {
  OpBuilder &b = ctx.builder;
  using I = arith::CmpIPredicate;
  using F = arith::CmpFPredicate;
  if (!isa<FloatType>(getElementTypeOrSelf(lhs)))
    return {emitCompare(ctx,
                        getPredicate(element, isGreatest ? I::sgt : I::slt),
                        lhs, rhs),
            emitCompare(ctx, I::eq, lhs, rhs)};
  auto compare = [&](F predicate, Value x, Value y) -> Value {
    return arith::CmpFOp::create(b, ctx.loc, predicate, x, y);
  };
  // NaN is before all else. Where one is NaN, the unordered comparison is true,
  // and so is that of the other with itself unless both are.
  Value isNan = compare(F::UNE, lhs, lhs),
        otherIsNan = compare(F::UNE, rhs, rhs);
  Value isBetter = compare(isGreatest ? F::UGT : F::ULT, lhs, rhs);
  Value isEqual = compare(F::OEQ, lhs, rhs);
  Value one = emitConstant(ctx, isNan.getType(), APInt(1, 1));
  Value otherIsNumber = arith::XOrIOp::create(b, ctx.loc, otherIsNan, one);
  Value areNan = arith::AndIOp::create(b, ctx.loc, isNan, otherIsNan);
  return {arith::AndIOp::create(b, ctx.loc, isBetter, otherIsNumber),
          arith::OrIOp::create(b, ctx.loc, isEqual, areNan)};
}

SmallVector<Value> fusion::emitExtreme(EmitContext &ctx, Type element,
                                       ValueRange lhs, ValueRange rhs,
                                       bool isGreatest) {
  OpBuilder &b = ctx.builder;
  auto [isBefore, isTie] = emitOrder(ctx, element, lhs[0], rhs[0], isGreatest);
  Value isFirst = arith::CmpIOp::create(b, ctx.loc, arith::CmpIPredicate::slt,
                                        lhs[1], rhs[1]);
  Value wins = arith::OrIOp::create(
      b, ctx.loc, isBefore, arith::AndIOp::create(b, ctx.loc, isTie, isFirst));
  return {arith::SelectOp::create(b, ctx.loc, wins, lhs[0], rhs[0]),
          arith::SelectOp::create(b, ctx.loc, wins, lhs[1], rhs[1])};
}

SmallVector<Value> fusion::emitExtremeInOrder(EmitContext &ctx, Type element,
                                              ValueRange lhs, ValueRange rhs,
                                              bool isGreatest) {
  OpBuilder &b = ctx.builder;
  Value wins = emitIsBefore(ctx, element, rhs[0], lhs[0], isGreatest);
  return {arith::SelectOp::create(b, ctx.loc, wins, rhs[0], lhs[0]),
          arith::SelectOp::create(b, ctx.loc, wins, rhs[1], lhs[1])};
}

Value fusion::emitPositionOr(EmitContext &ctx, Value position, Value count,
                             int64_t none) {
  OpBuilder &b = ctx.builder;
  Value isNothing = arith::CmpIOp::create(b, ctx.loc, arith::CmpIPredicate::eq,
                                          count, emitIndex(ctx, int64_t(0)));
  Value other = emitConstant(ctx, position.getType(), APInt(64, none, true));
  return arith::SelectOp::create(b, ctx.loc, isNothing, other, position);
}
