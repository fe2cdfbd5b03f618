//===- Quantization.cpp - Blocks of narrow floats and their scales --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scale is a power of two, so that an element, divided by it, is exact before
// it is rounded. Computed in f32, of f64 in f64.
//
//===----------------------------------------------------------------------===//

#include "../Term.h"

using namespace fuser;
using namespace fuser::frontend;

namespace {
/// A tensor whose last dimension is one of blocks.
struct Blocks {
  SmallVector<OpFoldResult> whole, split;

  Term divide(const Term &x) const { return x.shaped("reshape", split); }
  Term join(const Term &x) const { return x.shaped("reshape", whole); }
};

/// What a narrow float holds.
struct NarrowRange {
  int exponent; ///< Of the greatest number.
  double largest;
};
} // namespace

static FailureOr<Blocks> getBlocks(Emitter &e, const Term &x) {
  FailureOr<int64_t> size = e.getInt("block_size", 32);
  if (failed(size))
    return failure();
  if (x.rank() == 0)
    return e.error() << "a tensor of at least one dimension, got " << x.type();
  int64_t last = x.type().getShape().back();
  bool isKnown = !ShapedType::isDynamic(last);
  if (*size < 1 || (isKnown && last % *size != 0))
    return e.error() << "a 'block_size' that divides the last dimension of "
                     << x.type() << ", got " << *size;
  OpFoldResult each = e.builder.getIndexAttr(*size),
               count = e.builder.getIndexAttr(last / *size);
  Blocks blocks{e.getShape(x.get()), {}};
  if (!isKnown)
    count = e.builder.createOrFold<arith::DivUIOp>(
        e.loc, e.toValue(blocks.whole.back()), e.toValue(each));
  blocks.split = blocks.whole;
  blocks.split.back() = count;
  blocks.split.push_back(each);
  return blocks;
}

/// The type of results, by default `fallback`.
static FailureOr<Type> getResultType(Emitter &e, Type fallback) {
  return e.has("type") ? e.getType("type") : fallback;
}

static std::optional<NarrowRange> getRange(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return NarrowRange{8, 448};
  if (isa<Float8E5M2Type>(type))
    return NarrowRange{15, 57344};
  return std::nullopt;
}

/// Whether `rounding` is `floor`, and not `ceil`.
static FailureOr<bool> isRoundingDown(Emitter &e) {
  if (!e.has("rounding"))
    return true;
  FailureOr<StringRef> given = e.getString("rounding");
  if (failed(given))
    return failure();
  if (*given == "floor" || *given == "ceil")
    return *given == "floor";
  return e.error() << "'floor' or 'ceil' as 'rounding', got '" << *given << "'";
}

/// The greatest power of two that is no greater than x, times 2^-exponent, and
/// no less than 2^-127. A cast gives the nearest power: of half of x there is
/// one, even if x is the greatest number.
static Term getScaleBelow(const Term &x, int exponent, Type type, Type wide) {
  Term half = x * 0.5, nearest = half.castTo(type).castTo(wide);
  Term below = choose(nearest.compare("gt", half), nearest * 0.5, nearest);
  return (below * std::ldexp(1.0, 1 - exponent)).castTo(type);
}

/// The least power of two that is no less than x.
static Term getScaleAbove(const Term &x, Type type, Type wide) {
  Term nearest = x.castTo(type).castTo(wide);
  return choose(nearest.compare("lt", x), nearest * 2, nearest).castTo(type);
}

/// With `rounding` `floor` the scales of OCP MX, by which the greatest element
/// of a block has the exponent of the greatest number, and becomes that number
/// if it is greater. With `ceil` no element is greater.
static Results emitBlockQuantize(Emitter &e) {
  FailureOr<Term> x = takeFloats(e);
  if (failed(x) || failed(e.checkNoneLeft()))
    return failure();
  FailureOr<Blocks> blocks = getBlocks(e, *x);
  FailureOr<Type> result = getResultType(e, Float8E4M3FNType::get(e.context()));
  FailureOr<bool> isFloor = isRoundingDown(e);
  if (failed(blocks) || failed(result) || failed(isFloor))
    return failure();
  std::optional<NarrowRange> range = getRange(*result);
  if (!range)
    return e.error() << "f8E4M3FN or f8E5M2 as 'type', got " << *result;
  int64_t last = x->rank();
  Type wide = x->getWideType(), type = Float8E8M0FNUType::get(e.context());
  Term elements = blocks->divide(x->castTo(wide));
  Term greatest = elements.apply("abs").reduce("max", last);
  Term scales =
      *isFloor ? getScaleBelow(greatest, range->exponent, type, wide)
               : getScaleAbove(greatest * (1 / range->largest), type, wide);
  Term scaled = (elements / scales.castTo(wide))
                    .apply("max", makeFloat(e, -range->largest))
                    .apply("min", makeFloat(e, range->largest));
  return finish({blocks->join(scaled).castTo(*result), scales.squeeze(last)});
}

/// Operands are elements and, for each block of them, a scale.
static Results emitBlockDequantize(Emitter &e) {
  FailureOr<Term> x = takeFloats(e);
  if (failed(x))
    return failure();
  FailureOr<Term> scales = takeFloats(e);
  if (failed(scales) || failed(e.checkNoneLeft()))
    return failure();
  FailureOr<Blocks> blocks = getBlocks(e, *x);
  FailureOr<Type> type = getResultType(e, e.builder.getF32Type());
  if (failed(blocks) || failed(type))
    return failure();
  if (scales->rank() != x->rank())
    return e.error() << "scales of " << x->rank() << " dimensions, for "
                     << x->type() << ", got " << scales->type();
  Term product =
      blocks->divide(x->widen()) * scales->widen().unsqueeze(x->rank());
  return finish(blocks->join(product).castTo(*type));
}

void frontend::addQuantizationOps(HandlerMap &map) {
  map["block_quantize"] = {emitBlockQuantize, "block_size type rounding"};
  map["block_dequantize"] = {emitBlockDequantize, "block_size type"};
}
