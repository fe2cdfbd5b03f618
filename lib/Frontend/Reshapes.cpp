//===- Reshapes.cpp - The same elements in another shape, by name ---------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace fuser;
using namespace fuser::frontend;

using TensorValue = TypedValue<RankedTensorType>;

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

/// The dimensions that are new as the list `dims`, or as a flag for each
/// dimension of the result.
static FailureOr<SmallVector<int64_t>> getNewDims(Emitter &e,
                                                  TensorValue input) {
  if (!e.has("is_new")) {
    FailureOr<ArrayRef<int64_t>> dims = e.getInts("dims");
    if (failed(dims))
      return failure();
    return SmallVector<int64_t>(*dims);
  }
  FailureOr<ArrayRef<int64_t>> flags = e.getInts("is_new");
  if (failed(flags))
    return failure();
  SmallVector<int64_t> dims;
  for (auto [dim, flag] : llvm::enumerate(*flags))
    if (flag != 0)
      dims.push_back(int64_t(dim));
  size_t own = flags->size() - dims.size();
  if (static_cast<int64_t>(own) != input.getType().getRank()) {
    e.error() << "a 0 in 'is_new' for each of the " << input.getType().getRank()
              << " dimensions of " << input.getType() << ", got " << own;
    return failure();
  }
  return dims;
}

static Results emitBroadcast(Emitter &e) {
  FailureOr<TensorValue> input = e.takeOnlyTensor();
  if (failed(input))
    return failure();
  FailureOr<SmallVector<int64_t>> dims = getNewDims(e, *input);
  if (failed(dims))
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

/// "[5, -1]", with "?" for a size that is computed.
static std::string printShape(ArrayRef<OpFoldResult> sizes) {
  auto print = [](OpFoldResult size) {
    std::optional<int64_t> known = getConstantIntValue(size);
    return known ? std::to_string(*known) : std::string("?");
  };
  return "[" + llvm::join(llvm::map_range(sizes, print), ", ") + "]";
}

/// The size that is left for one dimension of `sizes` beside `others`.
static FailureOr<OpFoldResult> inferSize(Emitter &e, TensorValue input,
                                         ArrayRef<OpFoldResult> sizes,
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
              << " has, got " << printShape(sizes)
              << ", whose other sizes do not divide them";
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

/// Where -1 stands in for a size, and the others; there is one at most.
static LogicalResult findUnknown(Emitter &e, ArrayRef<OpFoldResult> sizes,
                                 std::optional<size_t> &unknown,
                                 SmallVectorImpl<OpFoldResult> &others) {
  for (auto [place, size] : llvm::enumerate(sizes)) {
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
  auto isZero = [](OpFoldResult size) {
    return getConstantIntValue(size) == 0;
  };
  if (unknown && llvm::any_of(others, isZero))
    return e.error() << "no size of 0 beside -1, which would be any size";
  return success();
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
  if (failed(findUnknown(e, *sizes, unknown, others)))
    return failure();
  if (!unknown)
    return single(reshape(e, *input, *sizes));
  if (isOnlyOpenSize(*sizes, *unknown) && !input->getType().hasStaticShape()) {
    FailureOr<OpFoldResult> size = inferSize(e, *input, *sizes, others);
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
  FailureOr<OpFoldResult> size = inferSize(e, *input, *sizes, others);
  if (failed(size))
    return failure();
  (*sizes)[*unknown] = *size;
  return single(reshape(e, *input, *sizes));
}

static Results emitReshapeAs(Emitter &e) {
  FailureOr<TensorValue> input = e.takeTensor();
  FailureOr<TensorValue> other = e.takeOnlyTensor();
  if (failed(input) || failed(other))
    return failure();
  return single(reshape(e, *input, e.getShape(*other)));
}

/// `shape` with the quotient in place of one -1. The product of its sizes is
/// `size`, that of dimension `dim`.
static FailureOr<SmallVector<OpFoldResult>>
divideInto(Emitter &e, OpFoldResult size, int64_t dim,
           SmallVector<OpFoldResult> shape) {
  std::optional<size_t> unknown;
  SmallVector<OpFoldResult> others;
  if (failed(findUnknown(e, shape, unknown, others)))
    return failure();
  OpFoldResult product = e.multiply(others);
  std::string message = "sizes whose product is {0}, that of dimension " +
                        std::to_string(dim) + ", got {1}";
  if (unknown) {
    std::optional<int64_t> known = getConstantIntValue(product);
    std::string factor =
        known ? std::to_string(*known) : std::string("the sizes beside -1");
    message = "a multiple of " + factor + " as the size of dimension " +
              std::to_string(dim) + ", for " + printShape(shape) + ", got {0}";
    shape[*unknown] = e.divide(size, product);
    product = e.multiply({product, shape[*unknown]});
  }
  if (failed(e.expectEqual(size, product, message)))
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

/// The dimensions `start` to `end` as one; without any there is one of size 1.
static Results emitFlatten(Emitter &e) {
  FailureOr<TensorValue> input = e.takeOnlyTensor();
  if (failed(input))
    return failure();
  int64_t rank = input->getType().getRank();
  SmallVector<OpFoldResult> shape = e.getShape(*input);
  if (rank == 0)
    return single(reshape(e, *input, OpFoldResult(e.builder.getIndexAttr(1))));
  FailureOr<int64_t> start = e.getDimAttr("start", rank, 0),
                     end = e.getDimAttr("end", rank, -1);
  if (failed(start) || failed(end))
    return failure();
  if (*start > *end)
    return e.error() << "'start' not behind 'end', got dimensions " << *start
                     << " and " << *end;
  shape[*start] = e.multiply(ArrayRef(shape).slice(*start, *end - *start + 1));
  shape.erase(shape.begin() + *start + 1, shape.begin() + *end + 1);
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

/// Without those of `dims` that have size 1. The program checks that a size
/// that is open is not 1: a type says how many dimensions there are.
static Results squeezeOnes(Emitter &e, TensorValue input) {
  FailureOr<SmallVector<int64_t>> dims = e.getDims(input.getType().getRank());
  if (failed(dims))
    return failure();
  SmallVector<int64_t> ones;
  Value one = e.toValue(e.builder.getIndexAttr(1));
  for (int64_t dim : *dims) {
    OpFoldResult size = e.getDim(input, dim);
    if (getConstantIntValue(size) == 1)
      ones.push_back(dim);
    auto open = dyn_cast<Value>(size);
    if (!open || getConstantIntValue(size))
      continue;
    Value isOther = e.builder.createOrFold<arith::CmpIOp>(
        e.loc, arith::CmpIPredicate::ne, open, one);
    e.checkWhenRun(isOther,
                   "'" + e.asked + "': expected dimension " + Twine(dim) +
                       ", whose size is open, not to have size 1, got {0}: "
                       "results have as many dimensions whatever the sizes",
                   open);
  }
  return single(ones.empty() ? FailureOr<Value>(Value(input))
                             : e.squeeze(input, ones));
}

static Results emitSqueeze(Emitter &e) {
  FailureOr<TensorValue> input = e.takeOnlyTensor();
  FailureOr<bool> isOfOnes = e.getFlag("ones");
  if (failed(input) || failed(isOfOnes))
    return failure();
  if (*isOfOnes)
    return squeezeOnes(e, *input);
  FailureOr<ArrayRef<int64_t>> dims = e.getInts("dims");
  if (failed(dims))
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
  FailureOr<TensorValue> input = e.takeOnlyTensor();
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

void frontend::addReshapeOps(HandlerMap &map) {
  map["broadcast"] = {emitBroadcast, "dims is_new"};
  map["broadcast_in_dim"] = {emitBroadcastInDim, "shape dims"};
  map["expand"] = {emitExpand, "shape"};
  map["reshape"] = {emitReshape, "shape"};
  map["reshape_as"] = {emitReshapeAs, ""};
  map["flatten"] = {emitFlatten, "start end"};
  map["unflatten"] = {emitUnflatten, "dim shape"};
  map["squeeze"] = {emitSqueeze, "dims ones"};
  map["permute"] = {emitPermute, "dims"};
}
