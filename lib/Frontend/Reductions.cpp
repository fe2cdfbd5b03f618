//===- Reductions.cpp - Reductions, by name -------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Term.h"
#include <cmath>

using namespace fuser;
using namespace fuser::frontend;
using fusion::ReduceKind;

using TensorValue = TypedValue<RankedTensorType>;

namespace {
/// What a reduction is asked for.
struct Reduction {
  TensorValue input;
  SmallVector<int64_t> dims;
  bool keep;
};
} // namespace

/// Reads operand and dimensions; without `dims` these are all.
static FailureOr<Reduction> read(Emitter &e) {
  FailureOr<TensorValue> input = e.takeTensor();
  FailureOr<bool> keep = e.getFlag("keep");
  if (failed(input) || failed(keep) || failed(e.checkNoneLeft()))
    return failure();
  FailureOr<SmallVector<int64_t>> dims = e.getDims(input->getType().getRank());
  if (failed(dims))
    return failure();
  return Reduction{*input, *dims, *keep};
}

static FailureOr<Value> reduce(Emitter &e, ReduceKind kind,
                               const Reduction &reduction, Value input) {
  Builder &b = e.builder;
  SmallVector<NamedAttribute> attributes = {
      b.getNamedAttr("kind", fusion::ReduceKindAttr::get(e.context(), kind)),
      b.getNamedAttr("dims", b.getDenseI64ArrayAttr(reduction.dims))};
  if (reduction.keep)
    attributes.push_back(b.getNamedAttr("keep", b.getUnitAttr()));
  return e.create("reduce", input, attributes);
}

/// The element type that is reduced in: sums and products of integers are i64,
/// means are floats, and nothing is of i1 but whether any or all are true.
static Type getReducedType(Emitter &e, ReduceKind kind, Type own) {
  if (kind == ReduceKind::Any || kind == ReduceKind::All)
    return e.builder.getI1Type();
  if (isa<FloatType>(own) || isComplexElement(own))
    return own;
  if (kind == ReduceKind::Mean)
    return e.builder.getF32Type();
  if (kind == ReduceKind::Sum || kind == ReduceKind::Prod)
    return e.builder.getI64Type();
  return own.isInteger(1) ? Type(e.builder.getI32Type()) : own;
}

static Results emitReduce(Emitter &e) {
  FailureOr<Reduction> reduction = read(e);
  FailureOr<StringRef> name = e.getString("kind");
  if (failed(reduction) || failed(name))
    return failure();
  std::optional<ReduceKind> kind = fusion::symbolizeReduceKind(*name);
  if (!kind)
    return e.error() << "'sum', 'prod', 'max', 'min', 'mean', 'any' or 'all' "
                        "as 'kind', got '"
                     << *name << "'";
  Type own = reduction->input.getType().getElementType();
  Type element = getReducedType(e, *kind, own);
  bool isExtreme = *kind == ReduceKind::Max || *kind == ReduceKind::Min;
  Type result = isExtreme ? own : element;
  if (e.has("type")) {
    FailureOr<Type> asked = e.getType("type");
    if (failed(asked))
      return failure();
    result = *asked;
    element = getReducedType(e, *kind, result);
  }
  FailureOr<Value> input = e.cast(reduction->input, element);
  if (failed(input))
    return failure();
  FailureOr<Value> reduced = reduce(e, *kind, *reduction, *input);
  if (failed(reduced))
    return failure();
  return single(e.cast(*reduced, result));
}

/// Where the greatest or the least element is. False is less than true.
static Results emitPosition(Emitter &e) {
  FailureOr<Reduction> reduction = read(e);
  if (failed(reduction))
    return failure();
  Type element = getReducedType(e, ReduceKind::Max,
                                reduction->input.getType().getElementType());
  FailureOr<Value> input = e.cast(reduction->input, element);
  if (failed(input))
    return failure();
  Builder &b = e.builder;
  SmallVector<NamedAttribute> attributes = {
      b.getNamedAttr("dims", b.getDenseI64ArrayAttr(reduction->dims))};
  if (reduction->keep)
    attributes.push_back(b.getNamedAttr("keep", b.getUnitAttr()));
  return single(e.create(e.request.name, *input, attributes));
}

/// How many elements are reduced to one, as an integer scalar.
static Value countElements(Emitter &e, const Reduction &reduction) {
  OpBuilder &b = e.builder;
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, e.loc, b.getI64IntegerAttr(value));
  };
  Value count = number(1);
  for (int64_t dim : reduction.dims)
    count = b.createOrFold<arith::MulIOp>(
        e.loc, count, e.toInteger(e.getDim(reduction.input, dim)));
  return count;
}

/// The number of elements less `correction` and not negative: an integer, or a
/// list of one float.
static FailureOr<Term> countFreedom(Emitter &e, const Reduction &reduction) {
  Term count(e, countElements(e, reduction));
  Attribute attr = e.request.attributes.get("correction");
  if (auto list = dyn_cast_or_null<DenseF64ArrayAttr>(attr);
      list && list.size() == 1 && std::isfinite(list[0])) {
    Term wide = count.castTo(e.builder.getF64Type());
    return (wide + -list[0]).apply("max", makeFloat(e, 0));
  }
  FailureOr<int64_t> correction = e.getInt("correction", 1);
  if (failed(correction))
    return failure();
  return (count - makeInteger(e, *correction)).apply("max", makeInteger(e, 0));
}

namespace {
/// What two walks over the elements give.
struct Deviation {
  Term mean, squares;
};
} // namespace

/// What differences from a mean are computed in: f32, of f64 and of integers
/// that f32 has not all of f64.
static Term widenForDifferences(const Term &x) {
  Type own = x.element();
  bool isLong = isIntegerElement(own) && own.getIntOrFloatBitWidth() >= 32;
  return isLong ? x.castTo(x.emitter().builder.getF64Type()) : x.widen();
}

/// The mean, and the sum of squares of differences from it. Differences are as
/// exact as the mean is, which they would not be of sums of squares; and a row
/// that is kept is read once.
static Deviation walkTwice(const Term &x, const Reduction &reduction) {
  Term wide = widenForDifferences(x);
  Term mean = wide.reduce("mean", reduction.dims), rest = wide - mean;
  Term sizes = rest * rest;
  if (isComplexElement(x.element())) {
    Term re = rest.apply("real"), im = rest.apply("imag");
    sizes = re * re + im * im;
  }
  Term squares = sizes.reduce("sum", reduction.dims);
  if (!reduction.keep) {
    mean = mean.squeeze(reduction.dims);
    squares = squares.squeeze(reduction.dims);
  }
  return {mean, squares};
}

/// The element type of a variance: that of floats, of the parts of complex
/// numbers, else f32.
static Type getDeviationType(const Term &x) {
  if (isComplexElement(x.element()))
    return getPartType(x.element());
  return x.isFloat() ? x.element() : x.getWideType();
}

/// Variance or its root, and with `_mean` the mean behind it. Each is rounded
/// once.
static Results emitVariance(Emitter &e) {
  FailureOr<Reduction> reduction = read(e);
  if (failed(reduction))
    return failure();
  FailureOr<Term> freedom = countFreedom(e, *reduction);
  if (failed(freedom))
    return failure();
  Term x(e, Value(reduction->input));
  Type own = getDeviationType(x);
  Deviation deviation = walkTwice(x, *reduction);
  Term result = deviation.squares / freedom->castTo(e.builder.getF64Type());
  if (e.request.name.starts_with("std"))
    result = result.apply("sqrt");
  if (!e.request.name.ends_with("_mean"))
    return finish(result.castTo(own));
  bool isComplex = isComplexElement(x.element());
  return finish({result.castTo(own),
                 isComplex ? deviation.mean : deviation.mean.castTo(own)});
}

/// Mean, sum of squares of differences from it, and number of elements.
static Results emitWelford(Emitter &e) {
  FailureOr<Reduction> reduction = read(e);
  if (failed(reduction))
    return failure();
  Term x(e, Value(reduction->input));
  Type own = getDeviationType(x);
  Deviation deviation = walkTwice(x, *reduction);
  if (!deviation.mean)
    return failure();
  Value number = countElements(e, *reduction);
  FailureOr<Value> count =
      e.fill(number.getType(), number, e.getShape(deviation.mean.get()));
  return finish({deviation.mean.castTo(own), deviation.squares.castTo(own),
                 Term(e, count)});
}

/// nansum and nanmean, of what is no NaN: in f32, of f64 in f64.
static Results emitNumberSum(Emitter &e) {
  FailureOr<Reduction> reduction = read(e);
  if (failed(reduction))
    return failure();
  Term x(e, Value(reduction->input));
  if (!x.isFloat())
    return e.error() << "a tensor of floats, got " << x.type();
  Term wide = x.widen(), isNaN = wide.apply("isnan");
  Term sum =
      choose(isNaN, makeFloat(e, 0), wide).reduce("sum", reduction->dims);
  if (e.request.name == "nanmean")
    sum = sum / isNaN.apply("logical_not")
                    .castTo(wide.element())
                    .reduce("sum", reduction->dims);
  sum = sum.castTo(x.element());
  return finish(reduction->keep ? sum : sum.squeeze(reduction->dims));
}

/// log(sum(exp(x))); of infinities alone it is that.
static Results emitLogSumExp(Emitter &e) {
  FailureOr<Reduction> reduction = read(e);
  if (failed(reduction))
    return failure();
  Term x(e, Value(reduction->input));
  if (isComplexElement(x.element()))
    return e.error() << "numbers that are not complex, got " << x.type();
  Term wide = x.widen(), greatest = wide.reduce("max", reduction->dims);
  greatest = choose(greatest.apply("isfinite"), greatest, makeFloat(e, 0));
  Term sum = (wide - greatest).apply("exp").reduce("sum", reduction->dims);
  Term result = (sum.apply("log") + greatest).castTo(getDeviationType(x));
  return finish(reduction->keep ? result : result.squeeze(reduction->dims));
}

/// The sum of a matrix's diagonal.
static Results emitTrace(Emitter &e) {
  FailureOr<Reduction> reduction = read(e);
  if (failed(reduction))
    return failure();
  Term x(e, Value(reduction->input));
  if (x.rank() != 2)
    return e.error() << "a matrix, got " << x.type();
  if (isPackedElement(x.element()))
    return e.error() << "numbers as elements, got " << x.element();
  SmallVector<OpFoldResult> sizes = e.getShape(x.get());
  Term isDiagonal =
      makeRange(e, sizes, 0).compare("eq", makeRange(e, sizes, 1));
  Term zero = x.isFloat() || isComplexElement(x.element()) ? makeFloat(e, 0)
                                                           : makeInteger(e, 0);
  return finish(choose(isDiagonal, x, zero).sumOver({0, 1}));
}

void frontend::addReductionOps(HandlerMap &map) {
  for (StringRef name : {"nansum", "nanmean"})
    map[name] = {emitNumberSum, "dims keep"};
  map["logsumexp"] = {emitLogSumExp, "dims keep"};
  map["trace"] = {emitTrace, ""};
  map["reduce"] = {emitReduce, "kind dims keep type"};
  map["argmax"] = {emitPosition, "dims keep"};
  map["argmin"] = {emitPosition, "dims keep"};
  for (StringRef name : {"var", "std", "var_mean", "std_mean"})
    map[name] = {emitVariance, "dims keep correction"};
  map["welford"] = {emitWelford, "dims keep"};
}
