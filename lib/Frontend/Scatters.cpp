//===- Scatters.cpp - Ops that write where tensors say, by name -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Term.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace fuser;
using namespace fuser::frontend;
using fusion::ReduceKind;

using TensorValue = TypedValue<RankedTensorType>;

namespace {
/// What is written to which places along `dim`.
struct Scatter {
  TensorValue input, indices, updates;
  int64_t dim;
};
} // namespace

static int64_t getRank(TensorValue tensor) {
  return tensor.getType().getRank();
}

/// Reads a tensor, integers, and what is written: a tensor, or a scalar for all
/// places.
static FailureOr<Scatter> read(Emitter &e) {
  FailureOr<TensorValue> input = e.takeTensor();
  if (failed(input))
    return failure();
  FailureOr<TensorValue> indices = e.takeTensor();
  if (failed(indices))
    return failure();
  Value third = e.takeOperand();
  if (!third)
    return e.error() << "elements to write, got none";
  FailureOr<int64_t> dim = e.getInt("dim", std::nullopt);
  if (failed(e.checkNoneLeft()) || failed(dim))
    return failure();
  indices = e.toIndices(*indices);
  if (failed(indices))
    return failure();
  FailureOr<int64_t> place = e.normalizeDim(*dim, getRank(*input));
  FailureOr<Value> updates = e.cast(third, input->getType().getElementType());
  if (failed(place) || failed(updates))
    return failure();
  if (isTensor(*updates))
    return Scatter{*input, *indices, cast<TensorValue>(*updates), *place};
  SmallVector<OpFoldResult> sizes = e.getShape(*indices);
  if (e.request.name != "scatter") {
    SmallVector<OpFoldResult> all = e.getShape(*input);
    all[*place] = sizes.empty() ? e.builder.getIndexAttr(1) : sizes.front();
    sizes = all;
  }
  updates = e.fill(input->getType().getElementType(), *updates, sizes);
  if (failed(updates))
    return failure();
  return Scatter{*input, *indices, cast<TensorValue>(*updates), *place};
}

/// Sums and products of f16 and bf16 are computed in f32, and rounded once.
static Results make(Emitter &e, StringRef mnemonic, const Scatter &scatter,
                    std::optional<ReduceKind> kind) {
  Builder &b = e.builder;
  SmallVector<NamedAttribute> attributes = {
      b.getNamedAttr("dim", b.getI64IntegerAttr(scatter.dim))};
  if (kind)
    attributes.push_back(b.getNamedAttr(
        "combine", fusion::ReduceKindAttr::get(e.context(), *kind)));
  Type own = scatter.input.getType().getElementType(), element = own;
  if (kind == ReduceKind::Sum || kind == ReduceKind::Prod)
    element = getComputeType(own);
  FailureOr<Value> input = e.cast(scatter.input, element);
  if (failed(input))
    return failure();
  FailureOr<Value> updates = e.cast(scatter.updates, element);
  if (failed(updates))
    return failure();
  FailureOr<Value> result =
      e.create(mnemonic, {*input, scatter.indices, *updates}, attributes);
  if (failed(result))
    return failure();
  return single(e.cast(*result, own));
}

//===----------------------------------------------------------------------===//
// An index for each element
//===----------------------------------------------------------------------===//

/// The attribute `combine`: none, if there is none.
static FailureOr<std::optional<ReduceKind>> getCombine(Emitter &e) {
  std::optional<ReduceKind> kind;
  if (!e.has("combine"))
    return kind;
  FailureOr<StringRef> name = e.getString("combine");
  if (failed(name))
    return failure();
  kind = fusion::symbolizeReduceKind(*name);
  if (kind)
    return kind;
  return e.error() << "'sum', 'prod', 'max' or 'min' as 'combine', got '"
                   << *name << "'";
}

/// The first elements along the dimensions in which there are more than
/// indices.
static FailureOr<Value> cropUpdates(Emitter &e, const Scatter &scatter) {
  SmallVector<OpFoldResult> sizes = e.getShape(scatter.updates);
  bool isPart = false;
  for (int64_t d = 0; d < getRank(scatter.updates); ++d) {
    OpFoldResult size = e.getDim(scatter.indices, d);
    std::optional<int64_t> known = getConstantIntValue(size),
                           own = getConstantIntValue(sizes[d]);
    if (!known || !own || *known >= *own)
      continue;
    sizes[d] = size;
    isPart = true;
  }
  if (!isPart)
    return Value(scatter.updates);
  return e.slice(
      scatter.updates,
      SmallVector<OpFoldResult>(sizes.size(), e.builder.getIndexAttr(0)), sizes,
      SmallVector<OpFoldResult>(sizes.size(), e.builder.getIndexAttr(1)));
}

/// Behind the indices, in dimensions in which there are fewer than elements of
/// the input: -1, the index of no element; and anything behind what is written.
static LogicalResult padIndices(Emitter &e, Scatter &scatter) {
  SmallVector<OpFoldResult> low(getRank(scatter.input),
                                e.builder.getIndexAttr(0)),
      high = low;
  bool isPadded = false;
  for (int64_t d = 0; d < getRank(scatter.input); ++d) {
    int64_t size = scatter.indices.getType().getDimSize(d),
            own = scatter.input.getType().getDimSize(d);
    if (d == scatter.dim || ShapedType::isDynamic(size) ||
        ShapedType::isDynamic(own) || size >= own)
      continue;
    high[d] = e.builder.getIndexAttr(own - size);
    isPadded = true;
  }
  if (!isPadded)
    return success();
  FailureOr<Value> none =
      e.makeNumber(scatter.indices.getType().getElementType(), -1);
  if (failed(none))
    return failure();
  auto pad = [&](TensorValue &tensor, Value value) -> LogicalResult {
    FailureOr<Value> padded = e.verify(fusion::PadOp::create(
        e.builder, e.loc, fusion::PadMode::Constant, tensor, low, high, value));
    if (failed(padded))
      return failure();
    tensor = cast<TensorValue>(*padded);
    return success();
  };
  return success(succeeded(pad(scatter.indices, *none)) &&
                 succeeded(pad(scatter.updates, Value())));
}

/// As PyTorch has it: where there are fewer indices than elements, in other
/// dimensions than `dim` and of what is written, the first elements count.
static Results emitScatter(Emitter &e) {
  FailureOr<Scatter> scatter = read(e);
  if (failed(scatter))
    return failure();
  FailureOr<std::optional<ReduceKind>> kind = getCombine(e);
  if (failed(kind))
    return failure();
  if (getRank(scatter->indices) != getRank(scatter->input) ||
      getRank(scatter->updates) != getRank(scatter->input))
    return e.error() << "indices and elements of as many dimensions as "
                     << scatter->input.getType() << " has, got "
                     << scatter->indices.getType() << " and "
                     << scatter->updates.getType();
  FailureOr<Value> updates = cropUpdates(e, *scatter);
  if (failed(updates))
    return failure();
  scatter->updates = cast<TensorValue>(*updates);
  if (failed(padIndices(e, *scatter)))
    return failure();
  return make(e, "scatter_along_axis", *scatter, *kind);
}

//===----------------------------------------------------------------------===//
// An index for each slice
//===----------------------------------------------------------------------===//

/// Of at most one dimension of indices; none is one index.
static Results emitSlices(Emitter &e, std::optional<ReduceKind> kind) {
  FailureOr<Scatter> scatter = read(e);
  if (failed(scatter))
    return failure();
  if (getRank(scatter->indices) > 1)
    return e.error() << "indices of at most one dimension, got "
                     << scatter->indices.getType();
  if (getRank(scatter->indices) == 0) {
    FailureOr<Value> indices = e.create(
        "broadcast", scatter->indices,
        e.builder.getNamedAttr("dims", e.builder.getDenseI64ArrayAttr(0)));
    if (failed(indices))
      return failure();
    scatter->indices = cast<TensorValue>(*indices);
  }
  return make(e, "scatter", *scatter, kind);
}

static Results emitIndexCopy(Emitter &e) { return emitSlices(e, std::nullopt); }

static Results emitIndexAdd(Emitter &e) {
  return emitSlices(e, ReduceKind::Sum);
}

//===----------------------------------------------------------------------===//
// Tensors of indices, one for each of some dimensions
//===----------------------------------------------------------------------===//

namespace {
/// Indices of `dims` of a tensor, broadcast. These dimensions, which become one
/// in front, are replaced by those of the indices, at the place of the first of
/// them if no other dimension is between them, else in front, as in NumPy.
struct Places {
  Term input, index;
  SmallVector<int64_t> dims, rest;
  SmallVector<OpFoldResult> shape;

  size_t countBatch() const { return index.rank(); }
  SmallVector<int64_t> getOrder() const;
  SmallVector<int64_t> getMoves() const;
  SmallVector<OpFoldResult> getRest() const;
  Term gather() const;
  Term spread(const Term &gathered) const;
};
} // namespace

/// The input's dimensions, those with indices first.
SmallVector<int64_t> Places::getOrder() const {
  SmallVector<int64_t> order(dims);
  llvm::append_range(order, rest);
  return order;
}

/// Where dimensions of the result are, once the batch is in front.
SmallVector<int64_t> Places::getMoves() const {
  bool isOneRun = dims.back() - dims.front() + 1 == int64_t(dims.size());
  int64_t first = isOneRun ? dims.front() : 0, count = countBatch();
  auto moves =
      llvm::to_vector(llvm::seq<int64_t>(count, count + int64_t(rest.size())));
  auto batch = llvm::to_vector(llvm::seq<int64_t>(0, count));
  moves.insert(moves.begin() + first, batch.begin(), batch.end());
  return moves;
}

SmallVector<OpFoldResult> Places::getRest() const {
  return llvm::map_to_vector(rest, [&](int64_t dim) { return shape[dim]; });
}

Term Places::gather() const {
  Term moved = input.permute(getOrder());
  if (dims.size() == 1)
    return moved;
  auto own = llvm::map_to_vector(dims, [&](int64_t dim) { return shape[dim]; });
  SmallVector<OpFoldResult> sizes = {input.emitter().multiply(own)};
  llvm::append_range(sizes, getRest());
  return moved.shaped("reshape", sizes);
}

/// The opposite.
Term Places::spread(const Term &gathered) const {
  SmallVector<int64_t> order = getOrder(), back(order.size());
  SmallVector<OpFoldResult> sizes;
  for (auto [place, dim] : llvm::enumerate(order)) {
    back[dim] = int64_t(place);
    sizes.push_back(shape[dim]);
  }
  Term whole = dims.size() == 1 ? gathered : gathered.shaped("reshape", sizes);
  return whole.permute(back);
}

/// One index for each place; that of no element where one of them is none.
static Term flattenIndices(Emitter &e, ArrayRef<Term> indices,
                           ArrayRef<OpFoldResult> sizes) {
  if (indices.size() == 1)
    return indices.front();
  Term total(e, Value()), isThere = total, zero = makeInteger(e, 0);
  for (auto [number, index] : llvm::enumerate(indices)) {
    Term size(e, e.toInteger(sizes[number])), inside(e, Value());
    inside = index.compare("ge", zero).apply("and", index.compare("lt", size));
    total = number ? total * size + index : index;
    isThere = number ? isThere.apply("and", inside) : inside;
  }
  return choose(isThere, total, makeInteger(e, -1));
}

/// The first operand is a tensor, and the next ones are indices of `dims`.
static FailureOr<Places> takePlaces(Emitter &e) {
  FailureOr<TensorValue> input = e.takeTensor();
  FailureOr<ArrayRef<int64_t>> given = e.getInts("dims");
  if (failed(input) || failed(given))
    return failure();
  FailureOr<SmallVector<int64_t>> dims =
      e.normalizeDims(*given, getRank(*input));
  if (failed(dims))
    return failure();
  for (auto [dim, each] : llvm::zip_equal(*dims, *given))
    if (*e.normalizeDim(each, getRank(*input)) != dim)
      return e.error() << "ascending dimensions as 'dims', got [" << *given
                       << "]";
  if (dims->empty())
    return e.error() << "at least one dimension as 'dims', got none";
  SmallVector<OpFoldResult> shape = e.getShape(*input), sizes;
  SmallVector<Term> indices;
  for (int64_t dim : *dims) {
    FailureOr<TensorValue> index = e.takeTensor();
    if (succeeded(index))
      index = e.toIndices(*index);
    if (failed(index) || failed(checkConstantIndices(e, *input, dim, *index)))
      return failure();
    indices.push_back(Term(e, Value(*index)).castTo(e.builder.getI64Type()));
    sizes.push_back(shape[dim]);
  }
  Places places{
      {e, Value(*input)}, flattenIndices(e, indices, sizes), *dims, {}, shape};
  if (!places.index)
    return failure();
  for (int64_t dim = 0; dim < getRank(*input); ++dim)
    if (!llvm::is_contained(*dims, dim))
      places.rest.push_back(dim);
  return places;
}

/// The elements at places, as in NumPy.
static Results emitIndex(Emitter &e) {
  FailureOr<Places> places = takePlaces(e);
  if (failed(places) || failed(e.checkNoneLeft()))
    return failure();
  Term parts =
      places->gather().apply("take", places->index, e.intAttr("dim", 0));
  return finish(parts.permute(places->getMoves()));
}

/// The tensor with elements at places, or with `accumulate` plus these. The
/// last operand is broadcast to all places.
static Results emitIndexPut(Emitter &e) {
  FailureOr<Places> places = takePlaces(e);
  FailureOr<bool> accumulate = e.getFlag("accumulate");
  if (failed(places) || failed(accumulate))
    return failure();
  Value operand = e.takeOperand();
  if (!operand)
    return e.error() << "elements to write, got none";
  if (failed(e.checkNoneLeft()))
    return failure();
  SmallVector<OpFoldResult> batch = e.getShape(places->index.get()), sizes,
                            flat = {e.multiply(batch)};
  SmallVector<OpFoldResult> front = batch;
  llvm::append_range(front, places->getRest());
  llvm::append_range(flat, places->getRest());
  SmallVector<int64_t> moves = places->getMoves(), back(moves.size());
  for (auto [place, from] : llvm::enumerate(moves)) {
    sizes.push_back(front[from]);
    back[from] = int64_t(place);
  }
  Term values(e, operand);
  if (isTensor(operand))
    values =
        values.shaped("expand", sizes).permute(back).shaped("reshape", flat);
  Term index = places->index.shaped("reshape", flat.front());
  Term written =
      places->gather().apply(*accumulate ? "index_add" : "index_copy",
                             {index, values}, e.intAttr("dim", 0));
  return finish(places->spread(written));
}

void frontend::addScatterOps(HandlerMap &map) {
  map["scatter"] = {emitScatter, "dim combine"};
  map["index_copy"] = {emitIndexCopy, "dim"};
  map["index_add"] = {emitIndexAdd, "dim"};
  map["index"] = {emitIndex, "dims checked"};
  map["index_put"] = {emitIndexPut, "dims accumulate"};
}
