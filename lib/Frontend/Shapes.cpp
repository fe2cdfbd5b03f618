//===- Shapes.cpp - Parts, pads and repeats, by name ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Term.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace fuser;
using namespace fuser::frontend;

using TensorValue = TypedValue<RankedTensorType>;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {
/// A part of one dimension.
struct Range {
  OpFoldResult offset, size;
};
} // namespace

/// Whether a computed integer is the negative of another one.
static bool isNegative(Value value) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  if (auto difference = value.getDefiningOp<arith::SubIOp>())
    return getConstantIntValue(difference.getLhs()) == 0;
  auto product = value.getDefiningOp<arith::MulIOp>();
  std::optional<int64_t> factor =
      product ? getConstantIntValue(product.getRhs()) : std::nullopt;
  return factor && *factor < 0;
}

/// A computed bound that is the negative of a size, counted from the end: 0 is
/// the beginning.
static OpFoldResult countFromEnd(Emitter &e, Value bound, OpFoldResult size) {
  OpBuilder &b = e.builder;
  Value zero = arith::ConstantIndexOp::create(b, e.loc, 0);
  Value isBelow = b.createOrFold<arith::CmpIOp>(
      e.loc, arith::CmpIPredicate::slt, bound, zero);
  Value place = b.createOrFold<arith::AddIOp>(e.loc, e.toValue(size), bound);
  return b.createOrFold<arith::SelectOp>(e.loc, isBelow, place, bound);
}

OpFoldResult frontend::getBound(Emitter &e, OpFoldResult bound,
                                OpFoldResult size) {
  std::optional<int64_t> number = getConstantIntValue(bound),
                         known = getConstantIntValue(size);
  if (!number) {
    auto value = cast<Value>(bound);
    return isNegative(value) ? countFromEnd(e, value, size) : bound;
  }
  if (*number == std::numeric_limits<int64_t>::max())
    return size;
  if (known) {
    int64_t place = *number < 0 ? std::max<int64_t>(*number + *known, 0)
                                : std::min(*number, *known);
    return e.builder.getIndexAttr(place);
  }
  if (*number >= 0)
    return bound;
  return e.builder.createOrFold<arith::AddIOp>(e.loc, e.toValue(size),
                                               e.toValue(bound));
}

/// A bound as in Python, whatever the size: from the end where it is negative,
/// and cut to what lies in the tensor.
static OpFoldResult getCutBound(Emitter &e, OpFoldResult bound,
                                OpFoldResult size) {
  std::optional<int64_t> number = getConstantIntValue(bound);
  if (getConstantIntValue(size) && number)
    return getBound(e, bound, size);
  if (number == 0 || number == std::numeric_limits<int64_t>::max())
    return number == 0 ? bound : size;
  OpFoldResult place = number ? getBound(e, bound, size)
                              : countFromEnd(e, cast<Value>(bound), size);
  Value zero = e.toValue(e.builder.getIndexAttr(0));
  if (!number || *number < 0)
    place =
        e.builder.createOrFold<arith::MaxSIOp>(e.loc, e.toValue(place), zero);
  if (!number || *number > 0)
    place = e.builder.createOrFold<arith::MinSIOp>(e.loc, e.toValue(place),
                                                   e.toValue(size));
  return place;
}

/// stop - start, in steps.
static OpFoldResult getLength(Emitter &e, OpFoldResult start, OpFoldResult stop,
                              int64_t step) {
  std::optional<int64_t> from = getConstantIntValue(start),
                         to = getConstantIntValue(stop);
  if (from && to)
    return e.builder.getIndexAttr(*to <= *from ? 0
                                               : (*to - *from - 1) / step + 1);
  OpFoldResult length = e.subtract(stop, start);
  if (step == 1)
    return length;
  return e.divide(e.add(length, e.builder.getIndexAttr(step - 1)), step);
}

FailureOr<Value> Emitter::slice(Value input, ArrayRef<OpFoldResult> offsets,
                                ArrayRef<OpFoldResult> sizes,
                                ArrayRef<OpFoldResult> steps) {
  SmallVector<int64_t> shape;
  SmallVector<Value> open;
  dispatchIndexOpFoldResults(sizes, open, shape);
  auto type = RankedTensorType::get(shape, getElement(input));
  return verify(fusion::SliceOp::create(builder, loc, type, input, offsets,
                                        sizes, steps));
}

FailureOr<Value> Emitter::sliceDim(Value input, int64_t dim,
                                   OpFoldResult offset, OpFoldResult size) {
  SmallVector<OpFoldResult> sizes = getShape(input),
                            offsets(sizes.size(), builder.getIndexAttr(0)),
                            steps(sizes.size(), builder.getIndexAttr(1));
  offsets[dim] = offset;
  sizes[dim] = size;
  return slice(input, offsets, sizes, steps);
}

static Results emitSlice(Emitter &e) {
  FailureOr<TensorValue> input = e.takeTensor();
  if (failed(input))
    return failure();
  FailureOr<SmallVector<OpFoldResult>> starts = e.takeSizes("starts"),
                                       stops = e.takeSizes("stops");
  FailureOr<bool> isCut = e.getFlag("cut");
  if (failed(starts) || failed(stops) || failed(isCut) ||
      failed(e.checkNoneLeft()))
    return failure();
  size_t rank = input->getType().getRank();
  SmallVector<int64_t> steps(rank, 1);
  if (e.has("steps")) {
    FailureOr<ArrayRef<int64_t>> given = e.getInts("steps");
    if (failed(given))
      return failure();
    steps.assign(given->begin(), given->end());
  }
  if (starts->size() != rank || stops->size() != rank || steps.size() != rank)
    return e.error() << "a start, a stop and a step for each dimension of "
                     << input->getType() << ", got " << starts->size() << ", "
                     << stops->size() << " and " << steps.size();
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (size_t dim = 0; dim < rank; ++dim) {
    if (steps[dim] < 1)
      return e.error() << "a step of at least 1 in dimension " << dim
                       << ", got " << steps[dim];
    OpFoldResult size = e.getDim(*input, dim);
    auto place = [&](OpFoldResult bound) {
      return *isCut ? getCutBound(e, bound, size) : getBound(e, bound, size);
    };
    OpFoldResult start = place((*starts)[dim]), stop = place((*stops)[dim]);
    // Where it is behind the stop there is no element.
    if (*isCut && stop != size && getConstantIntValue(start) != 0)
      stop = e.builder.createOrFold<arith::MaxSIOp>(e.loc, e.toValue(start),
                                                    e.toValue(stop));
    offsets.push_back(start);
    sizes.push_back(getLength(e, start, stop, steps[dim]));
    strides.push_back(e.builder.getIndexAttr(steps[dim]));
  }
  return single(e.slice(*input, offsets, sizes, strides));
}

/// The part of one index, without its dimension.
static Results emitSelect(Emitter &e) {
  FailureOr<TensorValue> input = e.takeTensor();
  FailureOr<int64_t> dim = e.getInt("dim", std::nullopt);
  if (failed(input) || failed(dim))
    return failure();
  FailureOr<SmallVector<OpFoldResult>> index = e.takeSizes("index");
  int64_t rank = input->getType().getRank();
  FailureOr<int64_t> place = e.normalizeDim(*dim, rank);
  if (failed(index) || failed(place) || failed(e.checkNoneLeft()))
    return failure();
  if (index->size() != 1)
    return e.error() << "one index, got " << index->size();
  OpFoldResult size = e.getDim(*input, *place);
  std::optional<int64_t> number = getConstantIntValue((*index)[0]),
                         known = getConstantIntValue(size);
  if (number && known && (*number < -*known || *number >= *known))
    return e.error() << "an index of -" << *known << " to " << *known - 1
                     << ", got " << *number;
  OpFoldResult offset = getBound(e, (*index)[0], size);
  FailureOr<Value> part =
      e.sliceDim(*input, *place, offset, e.builder.getIndexAttr(1));
  if (failed(part))
    return failure();
  return single(e.squeeze(*part, *place));
}

//===----------------------------------------------------------------------===//
// Cat
//===----------------------------------------------------------------------===//

/// Open sizes of dimensions other than `dim` become those that others know.
static LogicalResult demandCommonSizes(Emitter &e, ArrayRef<Value> tensors,
                                       int64_t dim) {
  int64_t rank = cast<RankedTensorType>(tensors[0].getType()).getRank();
  for (int64_t other = 0; other < rank; ++other) {
    if (other == dim)
      continue;
    auto getSize = [&](Value tensor) {
      return cast<RankedTensorType>(tensor.getType()).getDimSize(other);
    };
    const auto *known = llvm::find_if(tensors, [&](Value tensor) {
      return !ShapedType::isDynamic(getSize(tensor));
    });
    if (known == tensors.end())
      continue;
    for (Value tensor : tensors)
      if (ShapedType::isDynamic(getSize(tensor)) &&
          failed(e.demandSize(tensor, other, getSize(*known))))
        return failure();
  }
  return success();
}

static Results emitCat(Emitter &e) {
  FailureOr<int64_t> dim = e.getInt("dim", std::nullopt);
  if (failed(dim))
    return failure();
  if (failed(e.checkPromotion(e.request.operands)))
    return failure();
  Type element =
      e.request.operands.empty() ? Type() : promoteOperands(e.request.operands);
  SmallVector<Value> tensors;
  do {
    FailureOr<TensorValue> tensor = e.takeTensor();
    if (failed(tensor))
      return failure();
    if (!tensors.empty() &&
        tensor->getType().getRank() !=
            cast<RankedTensorType>(tensors[0].getType()).getRank())
      return e.error() << "tensors of as many dimensions, got "
                       << tensors[0].getType() << " and, as operand "
                       << tensors.size() << ", " << tensor->getType();
    FailureOr<Value> converted = e.cast(*tensor, element);
    if (failed(converted))
      return failure();
    tensors.push_back(*converted);
  } while (tensors.size() < e.request.operands.size());
  FailureOr<int64_t> place = e.normalizeDim(
      *dim, cast<RankedTensorType>(tensors[0].getType()).getRank());
  if (failed(place) || failed(demandCommonSizes(e, tensors, *place)))
    return failure();
  return single(e.create(
      "cat", tensors,
      e.builder.getNamedAttr("dim", e.builder.getI64IntegerAttr(*place))));
}

//===----------------------------------------------------------------------===//
// Pads
//===----------------------------------------------------------------------===//

namespace {
/// What comes before and behind the elements of each dimension.
struct Padding {
  SmallVector<OpFoldResult> low, high;
};
} // namespace

/// Takes a part of the input where numbers are negative, which become 0.
static FailureOr<Value> crop(Emitter &e, TensorValue input, Padding &padding) {
  OpFoldResult zero = e.builder.getIndexAttr(0);
  SmallVector<OpFoldResult> sizes = e.getShape(input),
                            offsets(sizes.size(), zero),
                            steps(sizes.size(), e.builder.getIndexAttr(1));
  bool isCropped = false;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    auto take = [&](OpFoldResult &number) {
      std::optional<int64_t> known = getConstantIntValue(number);
      if (!known || *known >= 0)
        return int64_t(0);
      number = zero;
      return -*known;
    };
    int64_t before = take(padding.low[dim]), behind = take(padding.high[dim]);
    if (before == 0 && behind == 0)
      continue;
    isCropped = true;
    offsets[dim] = e.builder.getIndexAttr(before);
    std::optional<int64_t> known = getConstantIntValue(sizes[dim]);
    if (known && (before > *known || behind > *known - before))
      return e.error() << "no more elements to go than the " << *known
                       << " of dimension " << dim << " of " << input.getType();
    // One after the other: the sum of both may not fit.
    for (int64_t count : {before, behind}) {
      if (known)
        sizes[dim] = e.builder.getIndexAttr(known.emplace(*known - count));
      else if (count > 0)
        sizes[dim] = e.subtract(sizes[dim], e.builder.getIndexAttr(count));
    }
  }
  if (!isCropped)
    return Value(input);
  return e.slice(input, offsets, sizes, steps);
}

/// The numbers `name`, of the last dimensions if there are fewer than `rank`.
static FailureOr<SmallVector<OpFoldResult>>
takeWidths(Emitter &e, StringRef name, size_t rank) {
  FailureOr<SmallVector<OpFoldResult>> widths = e.takeSizes(name);
  if (failed(widths))
    return failure();
  if (widths->size() > rank) {
    e.error() << "at most " << rank << " numbers as '" << name << "', got "
              << widths->size();
    return failure();
  }
  for (OpFoldResult width : *widths)
    if (std::optional<int64_t> known = getConstantIntValue(width);
        known && *known > int64_t(1) << 48) {
      e.error() << "at most 2^48 as '" << name << "', got " << *known;
      return failure();
    }
  widths->insert(widths->begin(), rank - widths->size(),
                 OpFoldResult(e.builder.getIndexAttr(0)));
  return widths;
}

/// Operands are the tensor, a value if it is there, and open numbers.
static Results emitPad(Emitter &e) {
  FailureOr<TensorValue> input = e.takeTensor();
  FailureOr<StringRef> name = e.getString("mode");
  FailureOr<ArrayRef<int64_t>> before = e.getInts("low"),
                               behind = e.getInts("high");
  if (failed(input) || failed(name) || failed(before) || failed(behind))
    return failure();
  std::optional<fusion::PadMode> mode = fusion::symbolizePadMode(*name);
  if (!mode)
    return e.error() << "'constant', 'replicate', 'reflect' or 'circular' as "
                        "'mode', got '"
                     << *name << "'";
  size_t open = llvm::count_if(*before, ShapedType::isDynamic) +
                llvm::count_if(*behind, ShapedType::isDynamic);
  Value value;
  if (e.request.operands.size() > open + 1) {
    FailureOr<Value> given = e.takeScalar(input->getType().getElementType());
    if (failed(given))
      return failure();
    value = *given;
  }
  size_t rank = input->getType().getRank();
  FailureOr<SmallVector<OpFoldResult>> low = takeWidths(e, "low", rank);
  if (failed(low))
    return failure();
  FailureOr<SmallVector<OpFoldResult>> high = takeWidths(e, "high", rank);
  if (failed(high) || failed(e.checkNoneLeft()))
    return failure();
  Padding padding{*low, *high};
  FailureOr<Value> part = crop(e, *input, padding);
  if (failed(part))
    return failure();
  return single(e.verify(fusion::PadOp::create(
      e.builder, e.loc, *mode, *part, padding.low, padding.high, value)));
}

//===----------------------------------------------------------------------===//
// Repeats
//===----------------------------------------------------------------------===//

/// `size` times `count`; a diagnostic if that is no size.
static FailureOr<OpFoldResult> repeatSize(Emitter &e, OpFoldResult size,
                                          int64_t count) {
  int64_t product;
  if (llvm::MulOverflow(getConstantIntValue(size).value_or(1), count, product))
    return e.error() << "sizes of 64 bits, got one of "
                     << *getConstantIntValue(size) << " times " << count;
  return e.multiply({e.builder.getIndexAttr(count), size});
}

/// Each dimension as many times as `repeats` says, one after the other; new
/// dimensions come first, as in PyTorch.
static Results emitRepeat(Emitter &e) {
  FailureOr<TensorValue> input = e.takeOnlyTensor();
  FailureOr<ArrayRef<int64_t>> repeats = e.getInts("repeats");
  if (failed(input) || failed(repeats))
    return failure();
  int64_t rank = input->getType().getRank(), wide = repeats->size();
  if (wide < rank || llvm::any_of(*repeats, [](int64_t n) { return n < 0; }))
    return e.error() << "at least " << rank
                     << " numbers that are not negative as 'repeats', for "
                     << input->getType() << ", got [" << *repeats << "]";
  SmallVector<OpFoldResult> own = e.getShape(*input), spread, result;
  SmallVector<int64_t> added;
  for (auto [place, count] : llvm::enumerate(*repeats)) {
    int64_t dim = int64_t(place) - (wide - rank);
    OpFoldResult size = dim < 0 ? e.builder.getIndexAttr(1) : own[dim];
    added.push_back(spread.size());
    spread.push_back(e.builder.getIndexAttr(count));
    if (dim >= 0)
      spread.push_back(size);
    FailureOr<OpFoldResult> whole = repeatSize(e, size, count);
    if (failed(whole))
      return failure();
    result.push_back(*whole);
  }
  Term x(e, Value(*input));
  return finish(
      x.unsqueeze(added).shaped("expand", spread).shaped("reshape", result));
}

/// The same; of fewer numbers than dimensions the last ones have these.
static Results emitTile(Emitter &e) {
  FailureOr<TensorValue> input = e.takeOnlyTensor();
  FailureOr<ArrayRef<int64_t>> given = e.getInts("repeats");
  if (failed(input) || failed(given))
    return failure();
  SmallVector<int64_t> repeats(*given);
  size_t rank = input->getType().getRank();
  if (repeats.size() < rank)
    repeats.insert(repeats.begin(), rank - repeats.size(), 1);
  return e.apply("repeat", Value(*input), e.intsAttr("repeats", repeats));
}

/// Each element of `dim` `repeats` times in a row.
static Results emitRepeatInterleave(Emitter &e) {
  FailureOr<TensorValue> input = e.takeOnlyTensor();
  FailureOr<int64_t> repeats = e.getInt("repeats", std::nullopt),
                     dim = e.getInt("dim", std::nullopt);
  if (failed(input) || failed(repeats) || failed(dim))
    return failure();
  FailureOr<int64_t> place = e.normalizeDim(*dim, input->getType().getRank());
  if (failed(place))
    return failure();
  if (*repeats < 0)
    return e.error() << "a number that is not negative as 'repeats', got "
                     << *repeats;
  OpFoldResult count = e.builder.getIndexAttr(*repeats);
  SmallVector<OpFoldResult> result = e.getShape(*input), spread = result;
  spread.insert(spread.begin() + *place + 1, count);
  FailureOr<OpFoldResult> whole = repeatSize(e, result[*place], *repeats);
  if (failed(whole))
    return failure();
  result[*place] = *whole;
  Term x(e, Value(*input));
  return finish(x.unsqueeze(*place + 1)
                    .shaped("expand", spread)
                    .shaped("reshape", result));
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static Results emitSize(Emitter &e) {
  FailureOr<TensorValue> input = e.takeOnlyTensor();
  FailureOr<int64_t> dim = e.getInt("dim", std::nullopt);
  if (failed(input) || failed(dim))
    return failure();
  FailureOr<int64_t> place = e.normalizeDim(*dim, input->getType().getRank());
  if (failed(place))
    return failure();
  return SmallVector<Value>{e.toInteger(e.getDim(*input, *place))};
}

void frontend::addShapeOps(HandlerMap &map) {
  map["slice"] = {emitSlice, "starts stops steps cut"};
  map["select"] = {emitSelect, "dim index"};
  map["cat"] = {emitCat, "dim"};
  map["pad"] = {emitPad, "mode low high"};
  map["repeat"] = {emitRepeat, "repeats"};
  map["tile"] = {emitTile, "repeats"};
  map["repeat_interleave"] = {emitRepeatInterleave, "repeats dim"};
  map["size"] = {emitSize, "dim"};
}
