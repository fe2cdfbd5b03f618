//===- Quantiles.cpp - Elements by their place in order, by name ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Term.h"
#include "fuser/Support/Spelling.h"
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
  /// one of floats.
  Term finish(Term result) const {
    if (elements.isFloat()) {
      Term last = read(size - makeNumber(1));
      result = choose(last.apply("isnan"), last, result);
    }
    if (x.isFloat())
      result = result.castTo(x.element());
    return keep ? result.unsqueeze(dims) : result;
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
  shape.push_back(e.builder.getIndexAttr(-1));
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
  FailureOr<Term> x = takeAny(e);
  if (failed(x) || failed(e.checkNoneLeft()))
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

/// The element at a fraction of the way through the others, for each of
/// `fractions`; with `stack` along a new first dimension, else of the only one.
static Results emitQuantile(Emitter &e) {
  FailureOr<Term> x = takeAny(e);
  FailureOr<ArrayRef<double>> fractions = e.getNumbers("fractions");
  FailureOr<StringRef> method = e.getString("method");
  FailureOr<bool> isStacked = e.getFlag("stack");
  if (failed(x) || failed(e.checkNoneLeft()) || failed(fractions) ||
      failed(method) || failed(isStacked))
    return failure();
  std::optional<StringRef> rounding = getRounding(*method);
  if (!rounding && *method != "linear" && *method != "midpoint")
    return refuseMethod(e, *method);
  for (double each : *fractions)
    if (!(each >= 0 && each <= 1))
      return e.error() << "fractions from 0 to 1, got " << describeNumber(each);
  if (fractions->empty() || (fractions->size() > 1 && !*isStacked))
    return e.error() << "one of 'fractions', or several with 'stack', got "
                     << fractions->size();
  FailureOr<Ordered> of = order(*x, rounding ? *x : x->widen());
  if (failed(of))
    return failure();
  // As in NumPy the place of one fraction is in the type of floats that x has:
  // it may be whole there alone.
  bool isWide = *method == "linear" || *isStacked || !x->isFloat();
  Type type = isWide ? Type(e.builder.getF64Type()) : x->getWideType();
  Term last = of->size.castTo(type) - makeFloat(e, 1);
  SmallVector<Term> results;
  for (double fraction : *fractions) {
    Term place = last * fraction;
    Term result =
        rounding ? of->read(place.apply(*rounding).castTo(of->size.element()))
                 : interpolate(*of, place, *method == "midpoint");
    results.push_back(of->finish(result));
    if (!results.back())
      return failure();
  }
  if (!*isStacked)
    return finish(results);
  return finish(applyAll("stack", results, {}, 1).front());
}

void frontend::addQuantileOps(HandlerMap &map) {
  map["median"] = {emitMedian, "dims keep"};
  map["quantile"] = {emitQuantile, "fractions dims keep method stack"};
}
