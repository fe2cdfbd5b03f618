//===- Shapes.cpp - Ops that move elements, by name -----------------------===//
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

/// The only tensor of the request, if its other operands are taken.
static FailureOr<TensorValue> takeOnlyTensor(Emitter &e) {
  FailureOr<TensorValue> tensor = e.takeTensor();
  if (failed(tensor) || failed(e.checkNoneLeft()))
    return failure();
  return tensor;
}

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

static Results emitBroadcast(Emitter &e) {
  FailureOr<TensorValue> input = takeOnlyTensor(e);
  FailureOr<ArrayRef<int64_t>> dims = e.getInts("dims");
  if (failed(input) || failed(dims))
    return failure();
  int64_t rank = input->getType().getRank() + dims->size();
  FailureOr<SmallVector<int64_t>> places = e.normalizeDims(*dims, rank);
  if (failed(places))
    return failure();
  return single(e.create(
      "broadcast", *input,
      e.builder.getNamedAttr("dims", e.builder.getDenseI64ArrayAttr(*places))));
}

/// Takes the sizes `shape`, in which -1 is the input's: dimension `d` of that
/// is dimension `dims[d]` of the result.
static Results emitTo(Emitter &e, TensorValue input, ArrayRef<int64_t> dims) {
  FailureOr<SmallVector<OpFoldResult>> sizes = e.takeSizes("shape");
  if (failed(sizes) || failed(e.checkNoneLeft()))
    return failure();
  for (auto [place, size] : llvm::enumerate(*sizes)) {
    std::optional<int64_t> known = getConstantIntValue(size);
    const auto *source = llvm::find(dims, static_cast<int64_t>(place));
    if (!known && source != dims.end() &&
        input.getType().getDimSize(source - dims.begin()) != 1)
      e.checkEqual(e.getDim(input, source - dims.begin()), size,
                   "expected a shape of size {0} in dimension " + Twine(place) +
                       ", as the operand has, got {1}");
    if (!known || *known >= 0)
      continue;
    if (*known != -1 || source == dims.end())
      return e.error() << "a size that is not negative in dimension " << place
                       << (source == dims.end() ? ", which is new"
                                                : ", or -1 for the operand's")
                       << ", got " << *known;
    size = e.getDim(input, source - dims.begin());
  }
  return single(e.broadcastTo(input, dims, *sizes));
}

static Results emitBroadcastInDim(Emitter &e) {
  FailureOr<TensorValue> input = e.takeTensor();
  FailureOr<ArrayRef<int64_t>> dims = e.getInts("dims"),
                               shape = e.getInts("shape");
  if (failed(input) || failed(dims) || failed(shape))
    return failure();
  auto rank = static_cast<int64_t>(shape->size());
  FailureOr<SmallVector<int64_t>> places = e.normalizeOrder(*dims, rank);
  if (failed(places))
    return failure();
  if (!llvm::is_sorted(*places) ||
      static_cast<int64_t>(places->size()) != input->getType().getRank())
    return e.error() << "ascending dimensions of the result, one for each of "
                     << input->getType() << ", got [" << *dims << "]";
  return emitTo(e, *input, *places);
}

/// New dimensions come first, as in PyTorch.
static Results emitExpand(Emitter &e) {
  FailureOr<TensorValue> input = e.takeTensor();
  FailureOr<ArrayRef<int64_t>> shape = e.getInts("shape");
  if (failed(input) || failed(shape))
    return failure();
  int64_t rank = input->getType().getRank(), wide = shape->size();
  if (wide < rank)
    return e.error() << "a shape of at least " << rank << " dimensions, for "
                     << input->getType() << ", got " << wide;
  auto places = llvm::to_vector(llvm::seq<int64_t>(wide - rank, wide));
  return emitTo(e, *input, places);
}

//===----------------------------------------------------------------------===//
// Reshape, squeeze, permute
//===----------------------------------------------------------------------===//

/// The size that is left for one dimension beside `others`.
static FailureOr<OpFoldResult> inferSize(Emitter &e, TensorValue input,
                                         ArrayRef<OpFoldResult> others) {
  SmallVector<OpFoldResult> from = e.getShape(input), to;
  for (OpFoldResult size : others) {
    auto *same = llvm::find_if(
        from, [&](OpFoldResult each) { return areEqual(each, size); });
    if (same == from.end())
      to.push_back(size);
    else
      from.erase(same);
  }
  OpFoldResult count = e.multiply(from), parts = e.multiply(to);
  std::optional<int64_t> known = getConstantIntValue(count),
                         divisor = getConstantIntValue(parts);
  if (known && divisor) {
    if (*divisor > 0 && *known % *divisor == 0)
      return OpFoldResult(e.builder.getIndexAttr(*known / *divisor));
    e.error() << "a shape of as many elements as " << input.getType()
              << " has, got one whose other sizes do not divide them";
    return failure();
  }
  return e.divide(count, parts);
}

static FailureOr<Value> reshape(Emitter &e, TensorValue input,
                                ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape;
  SmallVector<Value> open;
  dispatchIndexOpFoldResults(sizes, open, shape);
  auto type = RankedTensorType::get(shape, input.getType().getElementType());
  // Sizes that are open in both types may be others than the input's.
  auto hasSize = [&](auto each) {
    auto [dim, size] = each;
    return areEqual(size, e.getDim(input, dim));
  };
  if (type == input.getType() && llvm::all_of(llvm::enumerate(sizes), hasSize))
    return Value(input);
  return e.verify(
      fusion::ReshapeOp::create(e.builder, e.loc, type, input, open));
}

/// True if nothing but one -1 leaves a size of the result open: a reshape
/// needs no value for it.
static bool isOnlyOpenSize(ArrayRef<OpFoldResult> sizes, size_t place) {
  for (auto [number, size] : llvm::enumerate(sizes))
    if (number != place && !getConstantIntValue(size))
      return false;
  return true;
}

static Results emitReshape(Emitter &e) {
  FailureOr<TensorValue> input = e.takeTensor();
  if (failed(input))
    return failure();
  FailureOr<SmallVector<OpFoldResult>> sizes = e.takeSizes("shape");
  if (failed(sizes) || failed(e.checkNoneLeft()))
    return failure();
  std::optional<size_t> unknown;
  SmallVector<OpFoldResult> others;
  for (auto [place, size] : llvm::enumerate(*sizes)) {
    std::optional<int64_t> known = getConstantIntValue(size);
    if (known && (*known < -1 || (*known == -1 && unknown)))
      return e.error() << "sizes that are not negative, and one -1 at most, "
                          "got "
                       << *known << " in dimension " << place;
    if (known == -1)
      unknown = place;
    else
      others.push_back(size);
  }
  if (!unknown)
    return single(reshape(e, *input, *sizes));
  if (isOnlyOpenSize(*sizes, *unknown) && !input->getType().hasStaticShape() &&
      !llvm::is_contained(llvm::map_range(others,
                                          [](OpFoldResult size) {
                                            return *getConstantIntValue(size);
                                          }),
                          0)) {
    FailureOr<OpFoldResult> size = inferSize(e, *input, others);
    if (succeeded(size) && getConstantIntValue(*size)) {
      (*sizes)[*unknown] = *size;
      return single(reshape(e, *input, *sizes));
    }
    SmallVector<int64_t> shape;
    for (OpFoldResult each : *sizes)
      shape.push_back(*getConstantIntValue(each));
    shape[*unknown] = ShapedType::kDynamic;
    auto type = RankedTensorType::get(shape, input->getType().getElementType());
    if (type == input->getType())
      return SmallVector<Value>{*input};
    return single(e.verify(fusion::ReshapeOp::create(e.builder, e.loc, type,
                                                     *input, ValueRange())));
  }
  FailureOr<OpFoldResult> size = inferSize(e, *input, others);
  if (failed(size))
    return failure();
  (*sizes)[*unknown] = *size;
  return single(reshape(e, *input, *sizes));
}

/// The places of `shape` with the quotient in place of one -1. Their product is
/// `size`.
static FailureOr<SmallVector<OpFoldResult>>
divideInto(Emitter &e, OpFoldResult size, int64_t dim,
           SmallVector<OpFoldResult> shape) {
  OpFoldResult *unknown = nullptr;
  SmallVector<OpFoldResult> others;
  for (OpFoldResult &each : shape) {
    std::optional<int64_t> known = getConstantIntValue(each);
    if (known && (*known < -1 || (*known == -1 && unknown)))
      return e.error() << "sizes that are not negative, and one -1 at most, "
                          "got "
                       << *known;
    if (known == -1)
      unknown = &each;
    else
      others.push_back(each);
  }
  OpFoldResult product = e.multiply(others);
  if (unknown) {
    *unknown = e.divide(size, product);
    product = e.multiply({product, *unknown});
  }
  if (failed(e.expectEqual(size, product,
                           "sizes whose product is {0}, that of dimension " +
                               Twine(dim) + ", got {1}")))
    return failure();
  return shape;
}

/// Dimensions of sizes `shape` in place of one.
static Results emitUnflatten(Emitter &e) {
  FailureOr<TensorValue> input = e.takeTensor();
  if (failed(input))
    return failure();
  FailureOr<int64_t> dim = e.getDimAttr("dim", input->getType().getRank());
  FailureOr<SmallVector<OpFoldResult>> parts = e.takeSizes("shape");
  if (failed(dim) || failed(parts) || failed(e.checkNoneLeft()))
    return failure();
  SmallVector<OpFoldResult> shape = e.getShape(*input);
  parts = divideInto(e, shape[*dim], *dim, std::move(*parts));
  if (failed(parts))
    return failure();
  auto *place = shape.erase(shape.begin() + *dim);
  shape.insert(place, parts->begin(), parts->end());
  return single(reshape(e, *input, shape));
}

FailureOr<Value> Emitter::squeeze(Value input, ArrayRef<int64_t> dims) {
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(getShape(input)))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      sizes.push_back(size);
  SmallVector<int64_t> shape;
  SmallVector<Value> open;
  dispatchIndexOpFoldResults(sizes, open, shape);
  // A single open size follows from the number of elements, if there are any.
  if (open.size() == 1 && !llvm::is_contained(shape, 0))
    open.clear();
  auto type = RankedTensorType::get(shape, getElement(input));
  return verify(fusion::ReshapeOp::create(builder, loc, type, input, open));
}

static Results emitSqueeze(Emitter &e) {
  FailureOr<TensorValue> input = takeOnlyTensor(e);
  FailureOr<ArrayRef<int64_t>> dims = e.getInts("dims");
  if (failed(input) || failed(dims))
    return failure();
  RankedTensorType type = input->getType();
  FailureOr<SmallVector<int64_t>> places =
      e.normalizeDims(*dims, type.getRank());
  if (failed(places))
    return failure();
  for (int64_t dim : *places) {
    if (type.isDynamicDim(dim)) {
      if (failed(e.demandSize(*input, dim, 1)))
        return failure();
    } else if (type.getDimSize(dim) != 1) {
      return e.error() << "size 1 in dimension " << dim << ", got " << type;
    }
  }
  return single(e.squeeze(*input, *places));
}

static Results emitPermute(Emitter &e) {
  FailureOr<TensorValue> input = takeOnlyTensor(e);
  FailureOr<ArrayRef<int64_t>> dims = e.getInts("dims");
  if (failed(input) || failed(dims))
    return failure();
  SmallVector<int64_t> order;
  for (int64_t dim : *dims) {
    FailureOr<int64_t> place = e.normalizeDim(dim, input->getType().getRank());
    if (failed(place))
      return failure();
    order.push_back(*place);
  }
  return single(
      e.create("permute", *input,
               e.builder.getNamedAttr("permutation",
                                      e.builder.getDenseI64ArrayAttr(order))));
}

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
  if (failed(starts) || failed(stops) || failed(e.checkNoneLeft()))
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
    OpFoldResult start = getBound(e, (*starts)[dim], size);
    OpFoldResult stop = getBound(e, (*stops)[dim], size);
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
                       << tensors[0].getType() << " and " << tensor->getType();
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
  FailureOr<TensorValue> input = takeOnlyTensor(e);
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

/// Each element of `dim` `repeats` times in a row.
static Results emitRepeatInterleave(Emitter &e) {
  FailureOr<TensorValue> input = takeOnlyTensor(e);
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
  FailureOr<TensorValue> input = takeOnlyTensor(e);
  FailureOr<int64_t> dim = e.getInt("dim", std::nullopt);
  if (failed(input) || failed(dim))
    return failure();
  FailureOr<int64_t> place = e.normalizeDim(*dim, input->getType().getRank());
  if (failed(place))
    return failure();
  return SmallVector<Value>{e.toInteger(e.getDim(*input, *place))};
}

void frontend::addShapeOps(HandlerMap &map) {
  map["broadcast"] = {emitBroadcast, "dims"};
  map["broadcast_in_dim"] = {emitBroadcastInDim, "shape dims"};
  map["expand"] = {emitExpand, "shape"};
  map["reshape"] = {emitReshape, "shape"};
  map["unflatten"] = {emitUnflatten, "dim shape"};
  map["squeeze"] = {emitSqueeze, "dims"};
  map["permute"] = {emitPermute, "dims"};
  map["slice"] = {emitSlice, "starts stops steps"};
  map["select"] = {emitSelect, "dim index"};
  map["cat"] = {emitCat, "dim"};
  map["pad"] = {emitPad, "mode low high"};
  map["repeat"] = {emitRepeat, "repeats"};
  map["repeat_interleave"] = {emitRepeatInterleave, "repeats dim"};
  map["size"] = {emitSize, "dim"};
}
