//===- Quantiles.cpp - Elements by their place in order, by name ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Term.h"
#include "fuser/Support/CheckOps.h"
#include "fuser/Support/Spelling.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringSwitch.h"

using namespace fuser;
using namespace fuser::frontend;

namespace {
/// Where elements are in order, and what becomes of a result.
struct Ordered {
  Term x; ///< As it was given.
  SmallVector<int64_t> dims;
  bool keep;
  Term elements; ///< Along the last dimension.
  Term size;     ///< How many, an i64 of rank 0.

  Emitter &emitter() const { return x.emitter(); }
  Term read(const Term &place) const {
    return elements.apply("take", place,
                          emitter().intAttr("dim", elements.rank() - 1));
  }
  Term makeNumber(int64_t number) const {
    return makeInteger(emitter(), number);
  }
  /// The result, of NaN if one of the elements is, in the type of x if that is
  /// one of floats. Its last `rank` dimensions become the first ones.
  Term finish(Term result, int64_t rank = 0) const {
    if (!result)
      return result;
    int64_t rest = result.rank() - rank;
    if (elements.isFloat()) {
      Term last = read(size - makeNumber(1))
                      .unsqueeze(llvm::to_vector(
                          llvm::seq<int64_t>(rest, result.rank())));
      result = choose(last.apply("isnan"), last, result);
    }
    if (x.isFloat())
      result = result.castTo(x.element());
    SmallVector<int64_t> order, kept;
    llvm::append_range(order, llvm::seq<int64_t>(rest, rest + rank));
    llvm::append_range(order, llvm::seq<int64_t>(0, rest));
    if (rank > 0)
      result = result.permute(order);
    for (int64_t dim : dims)
      kept.push_back(dim + rank);
    return keep ? result.unsqueeze(kept) : result;
  }
};
} // namespace

/// x with what is along `dims` as its last dimension.
static Term gather(const Term &x, ArrayRef<int64_t> dims) {
  Emitter &e = x.emitter();
  SmallVector<int64_t> order;
  SmallVector<OpFoldResult> shape;
  for (int64_t dim = 0; dim < x.rank(); ++dim) {
    if (llvm::is_contained(dims, dim))
      continue;
    order.push_back(dim);
    shape.push_back(e.getDim(x.get(), dim));
  }
  llvm::append_range(order, dims);
  Term last = x.permute(order);
  if (dims.size() == 1)
    return last;
  auto isZero = [](OpFoldResult size) {
    return getConstantIntValue(size) == 0;
  };
  // Of no rows their length does not follow from the number of elements.
  shape.push_back(
      llvm::any_of(shape, isZero)
          ? e.multiply(llvm::map_to_vector(
                dims, [&](int64_t d) { return e.getDim(x.get(), d); }))
          : OpFoldResult(e.builder.getIndexAttr(-1)));
  return last.shaped("reshape", shape);
}

/// Sorts `x`, of which `given` is in another type.
static FailureOr<Ordered> order(const Term &given, const Term &x) {
  Emitter &e = x.emitter();
  FailureOr<SmallVector<int64_t>> dims = e.getDims(given.rank());
  FailureOr<bool> keep = e.getFlag("keep");
  if (failed(dims) || failed(keep) || !x)
    return failure();
  Term elements = gather(x, *dims);
  if (!elements)
    return failure();
  elements =
      applyAll("sort", elements, e.intAttr("dim", elements.rank() - 1), 2)
          .front();
  if (!elements)
    return failure();
  OpFoldResult size = e.getDim(elements.get(), elements.rank() - 1);
  FailureOr<Value> count =
      e.fill(e.builder.getI64Type(), e.toInteger(size), {});
  if (failed(count))
    return failure();
  return Ordered{given, *dims, *keep, elements, Term(e, *count)};
}

/// The element in the middle, or the mean of both.
static Results emitMedian(Emitter &e) {
  FailureOr<Term> x = takeOnly(e);
  if (failed(x))
    return failure();
  FailureOr<Ordered> of = order(*x, x->widen());
  if (failed(of))
    return failure();
  Term two = of->makeNumber(2);
  Term low = of->read((of->size - of->makeNumber(1)).apply("floor_div", two));
  Term high = of->read(of->size.apply("floor_div", two));
  // Of two infinities the sum is no NaN, either.
  Term middle = choose(low.compare("eq", high), low, (low + high) / two);
  return finish(of->finish(middle));
}

/// By which op a place between two elements becomes that of one of them.
static std::optional<StringRef> getRounding(StringRef method) {
  return llvm::StringSwitch<std::optional<StringRef>>(method)
      .Case("lower", "floor")
      .Case("higher", "ceil")
      .Case("nearest", "round")
      .Default(std::nullopt);
}

/// What is at a place between two elements: by how near it is, or their
/// midpoint.
static Term interpolate(const Ordered &of, const Term &place, bool isMidpoint) {
  Emitter &e = of.emitter();
  Term first = place.apply("floor"), zero = makeFloat(e, 0);
  Term rest = (place - first).castTo(of.elements.element());
  if (isMidpoint)
    rest = choose(rest.compare("eq", zero), rest, makeFloat(e, 0.5));
  Term below = first.castTo(of.size.element());
  Term low = of.read(below);
  Term above =
      (below + of.makeNumber(1)).apply("min", of.size - of.makeNumber(1));
  Term between = low.apply("lerp", {of.read(above), rest});
  return choose(rest.compare("eq", zero), low, between);
}

static LogicalResult refuseMethod(Emitter &e, StringRef method) {
  InFlightDiagnostic diag =
      e.error() << "'linear', 'lower', 'higher', 'nearest' or 'midpoint' as "
                   "'method', got '"
                << method << "'";
  StringRef near = findNearName(
      method, {"linear", "lower", "higher", "nearest", "midpoint"});
  if (!near.empty())
    diag << "; did you mean '" << near << "'?";
  return diag;
}

/// Of one constant (ConstantOp, C2).
static constexpr size_t kMostNumbers = 64;

/// The attribute `fractions` as f64, a tensor with `stack`; else an operand.
static FailureOr<Term> takeFractions(Emitter &e) {
  Type f64 = e.builder.getF64Type();
  if (!e.has("fractions")) {
    FailureOr<Term> given = takeTensorOrNumber(e);
    if (failed(given))
      return failure();
    if (isComplexElement(given->element()) || given->element().isInteger(1))
      return e.error() << "fractions as floats, got " << given->type();
    return given->castTo(f64);
  }
  FailureOr<ArrayRef<double>> fractions = e.getNumbers("fractions");
  FailureOr<bool> isStacked = e.getFlag("stack");
  if (failed(fractions) || failed(isStacked))
    return failure();
  for (double each : *fractions)
    if (!(each >= 0 && each <= 1))
      return e.error() << "fractions from 0 to 1, got " << describeNumber(each);
  if (fractions->empty() || (!*isStacked && fractions->size() != 1))
    return e.error() << "one of 'fractions', or several with 'stack', got "
                     << fractions->size();
  if (!*isStacked)
    return makeFloat(e, fractions->front());
  SmallVector<Term> parts;
  for (ArrayRef<double> rest = *fractions; !rest.empty();) {
    ArrayRef<double> part = rest.take_front(kMostNumbers);
    rest = rest.drop_front(part.size());
    auto type = RankedTensorType::get(static_cast<int64_t>(part.size()), f64);
    parts.emplace_back(
        e, e.verify(fusion::ConstantOp::create(
               e.builder, e.loc, type, DenseElementsAttr::get(type, part))));
  }
  return parts.size() == 1
             ? parts.front()
             : applyAll("cat", parts, e.intAttr("dim", 0), 1).front();
}

/// The element at a fraction of the way through the others, for each of
/// `fractions`, whose dimensions are the first ones of the result.
static Results emitQuantile(Emitter &e) {
  FailureOr<Term> x = takeAny(e);
  if (failed(x))
    return failure();
  FailureOr<Term> fractions = takeFractions(e);
  FailureOr<StringRef> method = e.getString("method");
  if (failed(fractions) || failed(e.checkNoneLeft()) || failed(method))
    return failure();
  std::optional<StringRef> rounding = getRounding(*method);
  if (!rounding && *method != "linear" && *method != "midpoint")
    return refuseMethod(e, *method);
  FailureOr<Ordered> of = order(*x, rounding ? *x : x->widen());
  if (failed(of) || !*fractions)
    return failure();
  // As in NumPy the place of one fraction is in the type of floats that x has:
  // it may be whole there alone.
  bool isWide = *method == "linear" || fractions->isTensor() || !x->isFloat();
  Type type = isWide ? Type(e.builder.getF64Type()) : x->getWideType();
  Term size = of->size.castTo(type),
       place = (size - makeFloat(e, 1)) * *fractions;
  // What is no fraction is where no element is.
  if (!e.has("fractions"))
    place = choose(fractions->compare("ge", makeFloat(e, 0))
                       .apply("and", fractions->compare("le", makeFloat(e, 1))),
                   place, size);
  return finish(of->finish(
      rounding ? of->read(place.apply(*rounding).castTo(of->size.element()))
               : interpolate(*of, place, *method == "midpoint"),
      fractions->isTensor() ? fractions->rank() : 0));
}

/// Fails, or has the program check, unless k is one of 1 to `size`.
static LogicalResult checkPlace(Emitter &e, OpFoldResult k, OpFoldResult size,
                                int64_t dim) {
  std::string message =
      ("a k of 1 to {0}, the elements of dimension " + Twine(dim) + ", got {1}")
          .str();
  std::optional<int64_t> place = getConstantIntValue(k),
                         count = getConstantIntValue(size);
  if (place && *place < 1)
    return e.error() << "a k of at least 1, got " << *place;
  if (place && count && *place > *count)
    return e.error() << fillCheckMessage(message, {*count, *place});
  if (place && count)
    return success();
  Value first = e.toValue(e.subtract(k, e.builder.getIndexAttr(1)));
  Value isElement = e.builder.createOrFold<arith::CmpIOp>(
      e.loc, arith::CmpIPredicate::ult, first, e.toValue(size));
  e.checkWhenRun(isElement, "'" + e.asked + "': expected " + message,
                 {e.toValue(size), e.toValue(k)});
  return success();
}

namespace {
/// The elements along one dimension in order, and where each is.
struct SortedRows {
  Term elements, places;
  int64_t dim;
  bool keep; ///< Whether the dimension stays in results.

  Emitter &emitter() const { return elements.emitter(); }
  OpFoldResult getSize() const { return emitter().getDim(elements.get(), dim); }
  /// One element of each row, and where it is.
  Results finish(function_ref<Term(const Term &)> read) const {
    SmallVector<Term> results;
    for (const Term &each : {elements, places}) {
      Term found = read(each);
      if (!found)
        return failure();
      results.push_back(keep ? found : found.squeeze(dim));
    }
    return frontend::finish(results);
  }
};
} // namespace

/// Sorts a tensor along the attribute `dim`; one without dimensions is a row.
static FailureOr<SortedRows> sortRows(Emitter &e, const Term &x) {
  FailureOr<bool> keep = e.getFlag("keep");
  Term input = x.rank() == 0 ? x.unsqueeze({0}) : x;
  FailureOr<int64_t> dim = e.getDimAttr("dim", input.rank(), -1);
  if (failed(keep) || failed(dim))
    return failure();
  SmallVector<Term> sorted = applyAll("sort", input, e.intAttr("dim", *dim), 2);
  if (!sorted.front())
    return failure();
  return SortedRows{sorted[0], sorted[1], *dim, *keep && x.rank() != 0};
}

/// The element that is number k in order, from 1 on, and where it is.
static Results emitKthValue(Emitter &e) {
  FailureOr<Term> x = takeTensorOrNumber(e);
  if (failed(x))
    return failure();
  FailureOr<SmallVector<OpFoldResult>> k = e.takeSizes("k");
  if (failed(k) || failed(e.checkNoneLeft()))
    return failure();
  if (k->size() != 1)
    return e.error() << "one number as 'k', got " << k->size();
  FailureOr<SortedRows> rows = sortRows(e, *x);
  if (failed(rows) ||
      failed(checkPlace(e, k->front(), rows->getSize(), rows->dim)))
    return failure();
  OpFoldResult place = e.subtract(k->front(), e.builder.getIndexAttr(1));
  return rows->finish([&](const Term &each) {
    return Term(
        e, e.sliceDim(each.get(), rows->dim, place, e.builder.getIndexAttr(1)));
  });
}

/// What each row has at a place along `dim`, which is a tensor of size 1 there.
static Results readAt(const SortedRows &rows, const Term &place) {
  return rows.finish([&](const Term &each) {
    return each.apply("take_along_axis", place,
                      each.emitter().intAttr("dim", rows.dim));
  });
}

/// The only operand's.
static FailureOr<SortedRows> takeSortedRows(Emitter &e) {
  FailureOr<Term> x = takeTensorOrNumber(e);
  if (failed(x) || failed(e.checkNoneLeft()))
    return failure();
  return sortRows(e, *x);
}

/// The element in the middle, of two the lower one, of NaN that, and where it
/// is.
static Results emitLowMedian(Emitter &e) {
  FailureOr<SortedRows> rows = takeSortedRows(e);
  if (failed(rows))
    return failure();
  Term size(e, e.toInteger(rows->getSize())), one = makeInteger(e, 1);
  SmallVector<OpFoldResult> ones(rows->elements.rank(),
                                 e.builder.getIndexAttr(1));
  Term last(e, e.fill(e.builder.getI64Type(), (size - one).get(), ones));
  Term greatest = rows->elements.apply("take_along_axis", last,
                                       e.intAttr("dim", rows->dim));
  // NaN is in order behind all others.
  Term middle = (size - one).apply("floor_div", makeInteger(e, 2));
  return readAt(*rows, choose(greatest.apply("isnan"), size - one, middle));
}

/// The element that is there most often, of several the least, and where the
/// last of those is.
static Results emitMode(Emitter &e) {
  FailureOr<SortedRows> rows = takeSortedRows(e);
  if (failed(rows))
    return failure();
  const Term &elements = rows->elements;
  NamedAttribute dim = e.intAttr("dim", rows->dim);
  Term number = makeRange(e, rows->getSize(), 0);
  // Equal elements are neighbours, whose run begins behind another one.
  Term before = elements.apply("take", number - makeInteger(e, 1), dim);
  Term place = makeRange(e, e.getShape(elements.get()), rows->dim);
  Term start = choose(elements.compare("ne", before), place, makeInteger(e, 0))
                   .apply("cummax", {}, dim);
  Term most = (place - start)
                  .apply("argmax", {},
                         {e.intsAttr("dims", rows->dim), e.intAttr("keep", 1)});
  return readAt(*rows, most);
}

void frontend::addQuantileOps(HandlerMap &map) {
  map["kthvalue"] = {emitKthValue, "k dim keep"};
  map["median_low"] = {emitLowMedian, "dim keep"};
  map["mode"] = {emitMode, "dim keep"};
  map["median"] = {emitMedian, "dims keep"};
  map["quantile"] = {emitQuantile, "fractions dims keep method stack"};
}
