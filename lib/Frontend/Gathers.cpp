//===- Gathers.cpp - Ops that read where tensors say, by name -------------===//
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

namespace {
/// What is read, and where along `dim`.
struct Gather {
  TensorValue input, indices;
  int64_t dim;
};
} // namespace

static int64_t getRank(TensorValue tensor) {
  return tensor.getType().getRank();
}

/// Reads a tensor, integers, and `dim`, which only a tensor of one dimension
/// can be without.
static FailureOr<Gather> read(Emitter &e) {
  FailureOr<TensorValue> input = e.takeTensor();
  if (failed(input))
    return failure();
  Value second = e.takeOperand();
  if (!second)
    return e.error() << "indices, got none";
  if (failed(e.checkNoneLeft()))
    return failure();
  if (!isTensor(second)) {
    FailureOr<Value> filled = e.fill(second.getType(), second, {});
    if (failed(filled))
      return failure();
    second = *filled;
  }
  FailureOr<TensorValue> indices = e.toIndices(cast<TensorValue>(second));
  if (failed(indices))
    return failure();
  std::optional<int64_t> fallback;
  if (getRank(*input) == 1)
    fallback = 0;
  FailureOr<int64_t> dim = e.getInt("dim", fallback);
  if (failed(dim))
    return failure();
  FailureOr<int64_t> place = e.normalizeDim(*dim, getRank(*input));
  if (failed(place))
    return failure();
  return Gather{*input, *indices, *place};
}

static FailureOr<Value> make(Emitter &e, StringRef mnemonic, Value input,
                             Value indices, int64_t dim) {
  return e.create(
      mnemonic, {input, indices},
      e.builder.getNamedAttr("dim", e.builder.getI64IntegerAttr(dim)));
}

LogicalResult frontend::checkConstantIndices(Emitter &e, Value tensor,
                                             int64_t dim, Value indices) {
  FailureOr<bool> isChecked = e.getFlag("checked");
  if (failed(isChecked))
    return failure();
  auto constant = indices.getDefiningOp<fusion::ConstantOp>();
  if (!*isChecked || !constant)
    return success();
  int64_t most = -1;
  for (const APInt &index : constant.getValue().getValues<APInt>())
    most = std::max(most, index.getSExtValue());
  OpFoldResult size = e.getDim(tensor, dim);
  std::string place = "elements in dimension " + std::to_string(dim);
  if (std::optional<int64_t> known = getConstantIntValue(size)) {
    if (most < *known)
      return success();
    return e.error() << "indices of the " << *known << " " << place << ", got "
                     << most;
  }
  Value number = e.toValue(size),
        last = e.toValue(e.builder.getIndexAttr(most));
  Value isThere = e.builder.createOrFold<arith::CmpIOp>(
      e.loc, arith::CmpIPredicate::sgt, number, last);
  e.checkWhenRun(isThere,
                 "'" + e.asked + "': expected indices of the {0} " + place +
                     ", got {1}",
                 {number, last});
  return success();
}

static Results emitTake(Emitter &e) {
  FailureOr<Gather> gather = read(e);
  if (failed(gather) || failed(checkConstantIndices(
                            e, gather->input, gather->dim, gather->indices)))
    return failure();
  return single(make(e, "take", gather->input, gather->indices, gather->dim));
}

/// Of at most one dimension of indices; none is one index.
static Results emitIndexSelect(Emitter &e) {
  FailureOr<Gather> gather = read(e);
  if (failed(gather))
    return failure();
  FailureOr<Value> indices = Value(gather->indices);
  if (getRank(gather->indices) > 1)
    return e.error() << "indices of at most one dimension, got "
                     << gather->indices.getType();
  if (getRank(gather->indices) == 0)
    indices = e.create(
        "broadcast", *indices,
        e.builder.getNamedAttr("dims", e.builder.getDenseI64ArrayAttr(0)));
  if (failed(indices))
    return failure();
  return single(make(e, "take", gather->input, *indices, gather->dim));
}

/// The sum of powers of the elements of each row, to the power of the inverse.
static Term getNorm(const Term &rows, const Term &power) {
  int64_t last = rows.rank() - 1;
  auto number = dyn_cast_or_null<FloatAttr>(getNumber(power.get()));
  if (number && number.getValueAsDouble() == 2)
    return (rows * rows).reduce("sum", last).apply("sqrt");
  Term powers = rows.apply("abs").apply("pow", power);
  return powers.reduce("sum", last)
      .apply("pow", makeFloat(rows.emitter(), 1) / power);
}

/// Rows by their numbers. Two more operands, a greatest norm and its power,
/// make rows shorter that are longer, as PyTorch does it.
static Results emitEmbedding(Emitter &e) {
  FailureOr<TensorValue> indices = e.takeTensor();
  if (failed(indices))
    return failure();
  FailureOr<TensorValue> weight = e.takeTensor();
  if (failed(weight))
    return failure();
  if (getRank(*weight) != 2)
    return e.error() << "a weight of two dimensions, got " << weight->getType();
  Results rows = e.apply("take", {*weight, *indices}, e.intAttr("dim", 0));
  if (failed(rows) || e.request.operands.size() == 2)
    return rows;
  FailureOr<Term> greatest = takeNumber(e);
  if (failed(greatest))
    return failure();
  FailureOr<Term> power = takeNumber(e);
  if (failed(power) || failed(e.checkNoneLeft()))
    return failure();
  Term x(e, rows->front());
  if (!x.isFloat())
    return e.error() << "a weight of floats, got " << weight->getType();
  Term wide = x.widen();
  if (!wide)
    return failure();
  Term norm = getNorm(wide, *power);
  Term scale = choose(norm.compare("gt", *greatest), *greatest / (norm + 1e-7),
                      makeFloat(e, 1));
  return finish((wide * scale).castTo(x.element()));
}

//===----------------------------------------------------------------------===//
// An index for each element
//===----------------------------------------------------------------------===//

/// The same, of indices that have as many dimensions as the input.
static FailureOr<Gather> readAlongAxis(Emitter &e) {
  FailureOr<Gather> gather = read(e);
  if (failed(gather))
    return failure();
  if (getRank(gather->indices) == getRank(gather->input))
    return gather;
  return e.error() << "indices of as many dimensions as "
                   << gather->input.getType() << " has, got "
                   << gather->indices.getType();
}

/// As NumPy has it: sizes other than that of `dim` are broadcast.
static Results emitTakeAlongAxis(Emitter &e) {
  FailureOr<Gather> gather = readAlongAxis(e);
  if (failed(gather))
    return failure();
  SmallVector<OpFoldResult> sizes = e.getShape(gather->input),
                            places = e.getShape(gather->indices);
  for (int64_t d = 0; d < getRank(gather->input); ++d) {
    if (d == gather->dim)
      continue;
    // A known size counts more than an open one, and any more than 1.
    bool hasOwn = gather->indices.getType().getDimSize(d) == 1 ||
                  (gather->input.getType().getDimSize(d) != 1 &&
                   getConstantIntValue(sizes[d]));
    (hasOwn ? places : sizes)[d] = (hasOwn ? sizes : places)[d];
  }
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, getRank(gather->input)));
  FailureOr<Value> input = e.broadcastTo(gather->input, dims, sizes);
  if (failed(input))
    return failure();
  FailureOr<Value> indices = e.broadcastTo(gather->indices, dims, places);
  if (failed(indices))
    return failure();
  return single(make(e, "take_along_axis", *input, *indices, gather->dim));
}

/// As PyTorch has it: where there are fewer indices than elements in another
/// dimension than `dim`, the first elements are read.
static Results emitGather(Emitter &e) {
  FailureOr<Gather> gather = readAlongAxis(e);
  if (failed(gather))
    return failure();
  RankedTensorType type = gather->input.getType();
  SmallVector<OpFoldResult> sizes = e.getShape(gather->input);
  OpFoldResult zero = e.builder.getIndexAttr(0);
  SmallVector<OpFoldResult> offsets(sizes.size(), zero),
      steps(sizes.size(), e.builder.getIndexAttr(1));
  bool isPart = false;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    OpFoldResult size = e.getDim(gather->indices, d);
    if (d == gather->dim || isEqualConstantIntOrValue(size, sizes[d]))
      continue;
    std::optional<int64_t> known = getConstantIntValue(size),
                           own = getConstantIntValue(sizes[d]);
    if (known && own && *known > *own)
      return e.error() << "at most " << *own << " indices in dimension " << d
                       << ", got " << gather->indices.getType();
    sizes[d] = size;
    isPart = true;
  }
  if (!isPart)
    return single(make(e, "take_along_axis", gather->input, gather->indices,
                       gather->dim));
  FailureOr<Value> part = e.slice(gather->input, offsets, sizes, steps);
  if (failed(part))
    return failure();
  return single(
      make(e, "take_along_axis", *part, gather->indices, gather->dim));
}

//===----------------------------------------------------------------------===//
// All elements, in another order
//===----------------------------------------------------------------------===//

/// The parts of `tensor` along `dim` whose numbers are `indices`, which are a
/// progression of as many as there are.
static FailureOr<Value> takeProgression(Emitter &e, Value tensor, int64_t dim,
                                        Value start, Value step) {
  OpFoldResult size = e.getDim(tensor, dim);
  SmallVector<int64_t> shape;
  SmallVector<Value> open;
  dispatchIndexOpFoldResults(size, open, shape);
  auto type = RankedTensorType::get(shape, e.builder.getI64Type());
  FailureOr<Value> indices = e.verify(fusion::IotaOp::create(
      e.builder, e.loc, type, e.builder.getI64IntegerAttr(0),
      ValueRange{start, step}, open));
  if (failed(indices))
    return failure();
  return make(e, "take", tensor, *indices, dim);
}

/// Backwards along each of `dims`.
static Results emitFlip(Emitter &e) {
  FailureOr<TensorValue> input = e.takeTensor();
  FailureOr<ArrayRef<int64_t>> dims = e.getInts("dims");
  if (failed(input) || failed(dims) || failed(e.checkNoneLeft()))
    return failure();
  FailureOr<SmallVector<int64_t>> places =
      e.normalizeDims(*dims, getRank(*input));
  if (failed(places))
    return failure();
  FailureOr<Value> result = Value(*input);
  Value back = makeInteger(e, -1).get();
  for (int64_t dim : *places) {
    Value size = e.toInteger(e.getDim(*result, dim));
    Value last = e.builder.createOrFold<arith::AddIOp>(e.loc, size, back);
    result = takeProgression(e, *result, dim, last, back);
    if (failed(result))
      return failure();
  }
  return single(result);
}

/// How many of `size` elements come from the end to the front where each moves
/// `shift` places further: the remainder, also of a negative shift.
static OpFoldResult getWrapped(Emitter &e, int64_t shift, OpFoldResult size) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return e.builder.getIndexAttr(*known ? ((shift % *known) + *known) % *known
                                         : 0);
  auto number = [&](int64_t value) {
    return e.toValue(e.builder.getIndexAttr(value));
  };
  OpBuilder &b = e.builder;
  // There may be no elements, by whose number nothing is divided.
  Value least =
      b.createOrFold<arith::MaxSIOp>(e.loc, e.toValue(size), number(1));
  // The opposite of the least number is itself, which has the right bits.
  auto distance = static_cast<int64_t>(
      shift < 0 ? -static_cast<uint64_t>(shift) : static_cast<uint64_t>(shift));
  Value wrapped =
      b.createOrFold<arith::RemUIOp>(e.loc, number(distance), least);
  if (shift >= 0)
    return wrapped;
  Value left = b.createOrFold<arith::SubIOp>(e.loc, least, wrapped);
  return b.createOrFold<arith::RemUIOp>(e.loc, left, least);
}

/// The same of a shift that the program computes.
static FailureOr<OpFoldResult> getWrapped(Emitter &e, OpFoldResult shift,
                                          OpFoldResult size) {
  if (std::optional<int64_t> known = getConstantIntValue(shift))
    return getWrapped(e, *known, size);
  Term places(e, e.toInteger(shift)), count(e, e.toInteger(size));
  Term wrapped =
      places.apply("remainder", count.apply("max", makeInteger(e, 1)));
  if (!wrapped)
    return failure();
  return e.toIndex(wrapped.get());
}

/// The last elements along `dim` before the others.
static FailureOr<Value> rotate(Emitter &e, Value input, int64_t dim,
                               OpFoldResult shift) {
  OpFoldResult size = e.getDim(input, dim);
  FailureOr<OpFoldResult> moved = getWrapped(e, shift, size);
  if (failed(moved))
    return failure();
  OpFoldResult wrapped = *moved;
  std::optional<int64_t> known = getConstantIntValue(wrapped);
  if (known == 0)
    return input;
  OpFoldResult rest = e.subtract(size, wrapped);
  FailureOr<Value> first =
      e.sliceDim(input, dim, e.builder.getIndexAttr(0), rest);
  FailureOr<Value> last = e.sliceDim(input, dim, rest, wrapped);
  if (failed(first) || failed(last))
    return failure();
  return e.create("cat", {*last, *first}, e.intAttr("dim", dim));
}

/// By `shifts` places along `dims`, one for each, or of all elements in
/// row-major order; what leaves at one end comes in at the other.
static Results emitRoll(Emitter &e) {
  FailureOr<TensorValue> input = e.takeTensor();
  if (failed(input))
    return failure();
  FailureOr<SmallVector<OpFoldResult>> shifts = e.takeSizes("shifts");
  if (failed(shifts) || failed(e.checkNoneLeft()))
    return failure();
  bool isOfAll = !e.has("dims");
  Term result(e, Value(*input));
  SmallVector<int64_t> dims(shifts->size(), 0);
  if (isOfAll) {
    result = result.shaped("reshape", OpFoldResult(e.builder.getIndexAttr(-1)));
  } else {
    FailureOr<ArrayRef<int64_t>> given = e.getInts("dims");
    if (failed(given))
      return failure();
    dims.assign(given->begin(), given->end());
  }
  if (shifts->size() != dims.size())
    return e.error() << "as many 'shifts' as 'dims', got " << shifts->size()
                     << " and " << dims.size();
  for (auto [shift, dim] : llvm::zip_equal(*shifts, dims)) {
    if (!result)
      return failure();
    FailureOr<int64_t> place = e.normalizeDim(dim, result.rank());
    if (failed(place))
      return failure();
    result = Term(e, rotate(e, result.get(), *place, shift));
  }
  if (isOfAll)
    result = result.shaped("reshape", e.getShape(*input));
  return finish(result);
}

void frontend::addGatherOps(HandlerMap &map) {
  map["flip"] = {emitFlip, "dims"};
  map["roll"] = {emitRoll, "shifts dims"};
  map["embedding"] = {emitEmbedding, ""};
  map["take"] = {emitTake, "dim checked"};
  map["index_select"] = {emitIndexSelect, "dim"};
  map["take_along_axis"] = {emitTakeAlongAxis, "dim"};
  map["gather"] = {emitGather, "dim"};
}
