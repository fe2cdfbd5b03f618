//===- FusionPadOp.cpp - More elements before and behind a tensor's -------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexMapUtils.h"
#include "fuser/Support/PowersOfTwo.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace fuser;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// What numbers there are of a dimension.
static int64_t addSizes(int64_t size, int64_t before, int64_t after) {
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(before) ||
      ShapedType::isDynamic(after))
    return ShapedType::kDynamic;
  return llvm::SaturatingAdd(llvm::SaturatingAdd(static_cast<uint64_t>(before),
                                                 static_cast<uint64_t>(size)),
                             static_cast<uint64_t>(after));
}

/// pad_c2 in one dimension, and that a size is a number.
static LogicalResult verifyAdded(const PadNumbers &numbers, int64_t dim,
                                 int64_t size, EmitError emitError) {
  int64_t sum = ShapedType::isDynamic(size) ? 0 : size;
  for (int64_t added : {numbers.low[dim], numbers.high[dim]}) {
    if (ShapedType::isDynamic(added))
      continue;
    // pad_c2
    if (added < 0)
      return emitError() << "expected to add no less than 0 elements in "
                            "dimension "
                         << dim << ", got " << added;
    // pad_c3
    if (llvm::AddOverflow(sum, added, sum))
      return emitError() << "expected less than 2^63 elements in dimension "
                         << dim << ", got the sum of " << numbers.low[dim]
                         << ", " << size << " and " << numbers.high[dim];
  }
  return success();
}

/// pad_c1 but for the values, pad_c2, and the type of pad_c3.
FailureOr<RankedTensorType> fusion::getPaddedType(RankedTensorType input,
                                                  const PadNumbers &numbers,
                                                  EmitError emitError) {
  size_t rank = input.getRank();
  for (auto [name, list] :
       {std::pair(StringRef("low"), numbers.low), {"high", numbers.high}})
    if (list.size() != rank)
      return emitError() << "expected " << rank << " numbers in " << name
                         << ", one a dimension of the input, got "
                         << list.size();
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(input.getShape())) {
    if (failed(verifyAdded(numbers, dim, size, emitError)))
      return failure();
    shape.push_back(addSizes(size, numbers.low[dim], numbers.high[dim]));
  }
  return RankedTensorType::get(shape, input.getElementType());
}

LogicalResult
PadOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                        ValueRange operands, DictionaryAttr attributes,
                        OpaqueProperties properties, RegionRange regions,
                        SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  if (!input)
    return failure();
  auto infer = [&](EmitError emitError) {
    return getPaddedType(
        input, {adaptor.getStaticLow(), adaptor.getStaticHigh()}, emitError);
  };
  return inferType<PadOp>(context, location, infer, types);
}

void PadOp::build(OpBuilder &builder, OperationState &state, PadMode mode,
                  Value input, ArrayRef<OpFoldResult> low,
                  ArrayRef<OpFoldResult> high, Value value) {
  SmallVector<Value> dynLow, dynHigh;
  SmallVector<int64_t> staticLow, staticHigh;
  dispatchIndexOpFoldResults(low, dynLow, staticLow);
  dispatchIndexOpFoldResults(high, dynHigh, staticHigh);
  auto type = cast<RankedTensorType>(input.getType());
  // What is wrong the verifier says.
  SmallVector<int64_t> shape;
  for (auto [size, before, after] :
       llvm::zip_equal(type.getShape(), staticLow, staticHigh))
    shape.push_back(addSizes(size, before, after));
  build(builder, state, type.clone(shape), mode, input, dynLow, dynHigh, value,
        staticLow, staticHigh);
}

SmallVector<OpFoldResult> PadOp::getMixedLow() {
  return getMixedValues(getStaticLow(), getLow(), getContext());
}
SmallVector<OpFoldResult> PadOp::getMixedHigh() {
  return getMixedValues(getStaticHigh(), getHigh(), getContext());
}

bool PadOp::isPadded(int64_t dim) {
  return getStaticLow()[dim] != 0 || getStaticHigh()[dim] != 0;
}

/// pad_c1: as many values as the lists leave open.
static LogicalResult verifyValues(PadOp op) {
  auto verify = [&](StringRef name, ArrayRef<int64_t> integers,
                    size_t values) -> LogicalResult {
    size_t open = llvm::count(integers, ShapedType::kDynamic);
    if (open != values)
      return op.emitOpError() << "expected " << open << " values for what "
                              << name << " leaves open, got " << values;
    return success();
  };
  if (failed(verify("low", op.getStaticLow(), op.getLow().size())))
    return failure();
  return verify("high", op.getStaticHigh(), op.getHigh().size());
}

/// How many elements along a dimension a mode needs where so many are added.
static int64_t getLeastSize(PadMode mode, int64_t added) {
  if (mode == PadMode::Constant || added <= 0)
    return 0;
  if (mode == PadMode::Replicate)
    return 1;
  return mode == PadMode::Reflect ? llvm::SaturatingAdd<uint64_t>(added, 1)
                                  : added;
}

/// pad_c4 in one dimension, as far as its numbers are known.
static LogicalResult verifyDim(PadOp op, int64_t dim) {
  int64_t size = op.getInput().getType().getDimSize(dim);
  for (int64_t added : {op.getStaticLow()[dim], op.getStaticHigh()[dim]}) {
    if (ShapedType::isDynamic(added))
      continue;
    int64_t least = getLeastSize(op.getMode(), added);
    // pad_c4
    if (!ShapedType::isDynamic(size) && size < least)
      return op.emitOpError()
             << "expected at least " << least << " elements in dimension "
             << dim << " to add " << added << " in the mode "
             << stringifyPadMode(op.getMode()) << ", got " << size;
  }
  return success();
}

LogicalResult PadOp::verify() {
  if (failed(verifyValues(*this)) ||
      failed(verifyType(*this, [&](EmitError emitError) {
        return getPaddedType(getInput().getType(),
                             {getStaticLow(), getStaticHigh()}, emitError);
      })))
    return failure();
  for (int64_t dim = 0; dim < getType().getRank(); ++dim)
    if (failed(verifyDim(*this, dim)))
      return failure();
  // pad_c5
  if (getValue() && getMode() != PadMode::Constant)
    return emitOpError() << "expected no value in the mode "
                         << stringifyPadMode(getMode());
  return success();
}

OpFoldResult PadOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  OpFoldResult size = ctx.dim(getInput(), dim);
  for (OpFoldResult added : {getMixedLow()[dim], getMixedHigh()[dim]}) {
    if (auto value = dyn_cast<Value>(added))
      added = ctx.scalar(value);
    size = emitSum(ctx, added, size);
  }
  return size;
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  auto isZero = [](int64_t added) { return added == 0; };
  bool addsNothing = llvm::all_of(getStaticLow(), isZero) &&
                     llvm::all_of(getStaticHigh(), isZero);
  return addsNothing ? getInput() : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

bool PadOp::hasFill() { return getMode() == PadMode::Constant; }

Value PadOp::emitFill(EmitContext &ctx, Type type) {
  if (!getValue())
    return emitConstant(ctx, type, 0);
  return extendScalar(ctx.builder, ctx.loc, ctx.scalar(getValue()), type);
}

/// The coordinate that the mode has for `index`, from -n to 2n or less.
static Value emitCoordinate(EmitContext &ctx, PadMode mode, Value index,
                            Value size) {
  OpBuilder &b = ctx.builder;
  Location loc = ctx.loc;
  Value zero = emitIndex(ctx, int64_t(0));
  Value last = emitFolded<arith::SubIOp>(ctx, size, emitIndex(ctx, int64_t(1)));
  switch (mode) {
  case PadMode::Constant:
    return index;
  case PadMode::Replicate: {
    Value atLeast = arith::MaxSIOp::create(b, loc, index, zero);
    return arith::MinSIOp::create(b, loc, atLeast, last);
  }
  case PadMode::Reflect: {
    Value opposite = arith::SubIOp::create(b, loc, zero, index);
    Value distance = arith::MaxSIOp::create(b, loc, index, opposite);
    Value twice = emitFolded<arith::AddIOp>(ctx, last, last);
    Value back = arith::SubIOp::create(b, loc, twice, distance);
    return arith::MinSIOp::create(b, loc, distance, back);
  }
  case PadMode::Circular: {
    Value later = arith::AddIOp::create(b, loc, index, size);
    Value earlier = arith::SubIOp::create(b, loc, index, size);
    Value isBefore =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, zero);
    Value isBehind =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, index, last);
    Value atLeast = arith::SelectOp::create(b, loc, isBefore, later, index);
    return arith::SelectOp::create(b, loc, isBehind, earlier, atLeast);
  }
  }
  llvm_unreachable("all modes are above");
}

MappedIndex PadOp::mapIndex(EmitContext &ctx, unsigned,
                            ValueRange resultIndex) {
  MappedIndex mapped;
  SmallVector<OpFoldResult> low = getMixedLow();
  for (auto [dim, index] : llvm::enumerate(resultIndex)) {
    if (!isPadded(dim)) {
      mapped.index.push_back(index);
      continue;
    }
    Value size = emitIndex(ctx, ctx.dim(getInput(), dim));
    Value source = index;
    if (!isZeroInteger(low[dim]))
      source = emitFolded<arith::SubIOp>(ctx, index, emitMixed(ctx, low[dim]));
    mapped.index.push_back(emitCoordinate(ctx, getMode(), source, size));
    if (!hasFill())
      continue;
    // Less than 0 is more than any size, unsigned.
    Value isInside = arith::CmpIOp::create(
        ctx.builder, ctx.loc, arith::CmpIPredicate::ult, source, size);
    mapped.valid = mapped.valid ? arith::AndIOp::create(ctx.builder, ctx.loc,
                                                        mapped.valid, isInside)
                                      .getResult()
                                : isInside;
  }
  return mapped;
}

AffineMap PadOp::getAffineIndexMap(unsigned) {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < getType().getRank(); ++dim) {
    int64_t low = getStaticLow()[dim];
    bool isKnown =
        getMode() == PadMode::Constant && !ShapedType::isDynamic(low);
    if (isPadded(dim) && !isKnown)
      return {};
    exprs.push_back(getAffineDimExpr(dim, getContext()) - low);
  }
  return AffineMap::get(getType().getRank(), 0, exprs, getContext());
}

int64_t PadOp::getResultDim(unsigned, int64_t dim) {
  return isPadded(dim) ? -1 : dim;
}

bool PadOp::appendDim(int64_t) {
  setStaticLow(append(getStaticLow(), 0));
  setStaticHigh(append(getStaticHigh(), 0));
  return true;
}

int64_t PadOp::getContiguousWidth(int64_t width, const SizeDivisors &divisors) {
  int64_t last = getType().getRank() - 1;
  if (last < 0)
    return 1;
  width = getPowerOfTwo(width);
  if (!isPadded(last))
    return width;
  if (getMode() != PadMode::Constant)
    return 1;
  // Both boundaries must lie on the grid of vectors.
  OpFoldResult low = getMixedLow()[last];
  std::optional<int64_t> number = getConstantIntValue(low);
  width = getCommonWidth(width,
                         number ? *number : divisors.scalar(cast<Value>(low)));
  return getCommonWidth(width, divisors.dim(getInput(), last));
}
