//===- Quantization.cpp - Blocks of narrow floats and their scales --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scale that is a power of two (mxfp8, mxfp4) makes an element, divided by
// it, exact before it is rounded. One of f8E4M3FN (nvfp4) comes nearer to the
// greatest element. Computed in f32, of f64 in f64, but for 4-bit floats, which
// are cast from f32 alone.
//
//===----------------------------------------------------------------------===//

#include "ScaleLayouts.h"

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

static FailureOr<Blocks> getBlocks(Emitter &e, const Term &x, Type scale) {
  FailureOr<int64_t> size = e.getInt("block_size", getBlockSize(scale));
  if (failed(size))
    return failure();
  if (x.rank() == 0)
    return e.error() << "a tensor of at least one dimension, got " << x.type();
  if (*size < 1)
    return e.error() << "at least 1 as 'block_size', got " << *size;
  Blocks blocks{e.getShape(x.get()), {}};
  FailureOr<OpFoldResult> count =
      e.divideExactly(blocks.whole.back(), *size,
                      "a 'block_size' that divides the {0} elements of the "
                      "last dimension, got {1}");
  if (failed(count))
    return failure();
  blocks.split = blocks.whole;
  blocks.split.back() = *count;
  blocks.split.push_back(e.builder.getIndexAttr(*size));
  return blocks;
}

/// The type that an attribute says, by default `fallback`.
static FailureOr<Type> getTypeOr(Emitter &e, StringRef name, Type fallback) {
  return e.has(name) ? e.getType(name) : fallback;
}

static std::optional<NarrowRange> getRange(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return NarrowRange{8, 448};
  if (isa<Float8E5M2Type>(type))
    return NarrowRange{15, 57344};
  if (isPackedElement(type))
    return NarrowRange{2, 6};
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

namespace {
struct Quantization {
  Type element, scale;
  NarrowRange range;
  bool isRoundingDown;
};
} // namespace

static FailureOr<Quantization> getQuantization(Emitter &e) {
  MLIRContext *context = e.context();
  FailureOr<Type> element =
      getTypeOr(e, "type", Float8E4M3FNType::get(context));
  FailureOr<Type> scale =
      getTypeOr(e, "scale_type", Float8E8M0FNUType::get(context));
  FailureOr<bool> isFloor = isRoundingDown(e);
  if (failed(element) || failed(scale) || failed(isFloor))
    return failure();
  std::optional<NarrowRange> range = getRange(*element);
  if (!range)
    return e.error() << "f8E4M3FN, f8E5M2 or f4E2M1FN as 'type', got "
                     << *element;
  if (isa<Float8E8M0FNUType>(*scale))
    return Quantization{*element, *scale, *range, *isFloor};
  if (!isa<Float8E4M3FNType>(*scale))
    return e.error() << "f8E8M0FNU or f8E4M3FN as 'scale_type', got " << *scale;
  if (!isPackedElement(*element))
    return e.error() << "f4E2M1FN as 'type' beside scales of f8E4M3FN, got "
                     << *element;
  if (e.has("rounding"))
    return e.error() << "no 'rounding' of scales of f8E4M3FN, which are "
                        "rounded to nearest";
  return Quantization{*element, *scale, *range, false};
}

static Term withGlobal(const Term &scales, const std::optional<Term> &global) {
  return global ? scales * *global : scales;
}

/// The least normal number at least: of a block of zeros, too.
static Term getFloatScale(const Term &greatest, const Quantization &to,
                          const std::optional<Term> &global) {
  Emitter &e = greatest.emitter();
  Term least = makeFloat(e, 0x1p-6), largest = makeFloat(e, 448);
  Term exact = greatest / makeFloat(e, to.range.largest);
  if (global)
    exact = exact / *global;
  return exact.apply("max", least).apply("min", largest).castTo(to.scale);
}

/// With `rounding` `floor` the scales of OCP MX, by which the greatest element
/// of a block has the exponent of the greatest number, and becomes that number
/// if it is greater. With `ceil` no element is greater.
static Term getScales(const Term &greatest, const Quantization &to,
                      const std::optional<Term> &global, Type wide) {
  if (isa<Float8E4M3FNType>(to.scale))
    return getFloatScale(greatest, to, global);
  if (to.isRoundingDown)
    return getScaleBelow(greatest, to.range.exponent, to.scale, wide);
  return getScaleAbove(greatest * (1 / to.range.largest), to.scale, wide);
}

/// A scale of the whole tensor, one number, which is with `has_global_scale`
/// the next operand; in f32, of dimensions of size 1.
static FailureOr<std::optional<Term>> takeGlobalScale(Emitter &e,
                                                      int64_t rank) {
  FailureOr<bool> isThere = e.getFlag("has_global_scale");
  if (failed(isThere))
    return failure();
  FailureOr<std::optional<Term>> scale = takeIf(e, *isThere);
  if (failed(scale) || !*scale)
    return scale;
  RankedTensorType type = (*scale)->type();
  if (!(*scale)->isFloat() || !type.hasStaticShape() ||
      type.getNumElements() != 1)
    return e.error() << "a tensor of one float as a global scale, got " << type;
  SmallVector<OpFoldResult> ones(rank, e.builder.getIndexAttr(1));
  Term one = (*scale)->castTo(e.builder.getF32Type());
  return std::optional<Term>(one.shaped("reshape", ones));
}

static Results emitBlockQuantize(Emitter &e) {
  FailureOr<Term> x = takeFloats(e);
  if (failed(x))
    return failure();
  FailureOr<Quantization> to = getQuantization(e);
  if (failed(to))
    return failure();
  FailureOr<std::optional<Term>> global = takeGlobalScale(e, x->rank() + 1);
  if (failed(global) || failed(e.checkNoneLeft()))
    return failure();
  if (*global && isa<Float8E8M0FNUType>(to->scale))
    return e.error() << "no global scale beside scales of f8E8M0FNU";
  FailureOr<Blocks> blocks = getBlocks(e, *x, to->scale);
  if (failed(blocks))
    return failure();
  int64_t last = x->rank();
  Type wide = isPackedElement(to->element) ? Type(e.builder.getF32Type())
                                           : x->getWideType();
  Term elements = blocks->divide(x->castTo(wide));
  Term greatest = elements.apply("abs").reduce("max", last);
  Term scales = getScales(greatest, *to, *global, wide);
  Term scaled = elements / withGlobal(scales.castTo(wide), *global);
  // A cast to packed floats gives the greatest number itself.
  if (!isPackedElement(to->element))
    scaled = scaled.apply("max", makeFloat(e, -to->range.largest))
                 .apply("min", makeFloat(e, to->range.largest));
  return finish(
      {blocks->join(scaled).castTo(to->element), scales.squeeze(last)});
}

/// Operands are elements and, for each block of them, a scale.
static Results emitBlockDequantize(Emitter &e) {
  FailureOr<Term> x = takeFloats(e);
  if (failed(x))
    return failure();
  FailureOr<Term> scales = takeFloats(e);
  if (failed(scales))
    return failure();
  FailureOr<std::optional<Term>> global = takeGlobalScale(e, x->rank() + 1);
  if (failed(global) || failed(e.checkNoneLeft()))
    return failure();
  FailureOr<Blocks> blocks = getBlocks(e, *x, scales->element());
  FailureOr<Type> type = getTypeOr(e, "type", e.builder.getF32Type());
  if (failed(blocks) || failed(type))
    return failure();
  if (scales->rank() != x->rank())
    return e.error() << "scales of " << x->rank() << " dimensions, for "
                     << x->type() << ", got " << scales->type();
  Term each = withGlobal(scales->widen().unsqueeze(x->rank()), *global);
  Term product = blocks->divide(x->widen()) * each;
  return finish(blocks->join(product).castTo(*type));
}

void frontend::addQuantizationOps(HandlerMap &map) {
  map["block_quantize"] = {
      emitBlockQuantize,
      "block_size type scale_type rounding has_global_scale"};
  map["block_dequantize"] = {emitBlockDequantize,
                             "block_size type has_global_scale"};
}
