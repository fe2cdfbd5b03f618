//===- Scatters.cpp - Ops that write where tensors say, by name -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
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

void frontend::addScatterOps(HandlerMap &map) {
  map["scatter"] = {emitScatter, "dim combine"};
  map["index_copy"] = {emitIndexCopy, "dim"};
  map["index_add"] = {emitIndexAdd, "dim"};
}
