//===- VectorProducts.cpp - Products of vectors, by name ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Term.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace fuser;
using namespace fuser::frontend;

static Term flatten(const Term &x) {
  Emitter &e = x.emitter();
  return x.rank() == 1 ? x : x.apply("reshape", {}, e.intsAttr("shape", -1));
}

/// The sum of products along `dim` of the result of broadcasting, in their own
/// type, where a sum of integers is i64. Complex numbers of x are conjugated.
static Results sumProducts(Emitter &e, Term x, const Term &y, int64_t dim) {
  if (x && isComplexElement(x.element()))
    x = x.apply("conj");
  Term products = x * y;
  if (!products)
    return failure();
  FailureOr<int64_t> place = e.normalizeDim(dim, products.rank());
  if (failed(place))
    return failure();
  return finish(products.sumOver(*place).castTo(products.element()));
}

static Results emitVecDot(Emitter &e) {
  FailureOr<std::pair<Term, Term>> pair = takePair(e);
  FailureOr<int64_t> dim = e.getInt("dim", -1);
  if (failed(pair) || failed(dim))
    return failure();
  return sumProducts(e, pair->first, pair->second, *dim);
}

static Results emitVDot(Emitter &e) {
  FailureOr<std::pair<Term, Term>> pair = takePair(e);
  if (failed(pair))
    return failure();
  Term x = flatten(pair->first), y = flatten(pair->second);
  if (!x || !y ||
      failed(e.expectEqual(e.getDim(x.get(), 0), e.getDim(y.get(), 0),
                           "as many elements of both, got {0} and {1}")))
    return failure();
  return sumProducts(e, x, y, 0);
}

/// The products of each element of x and each one of y, in row-major order.
static Results emitOuter(Emitter &e) {
  FailureOr<std::pair<Term, Term>> pair = takePair(e);
  if (failed(pair))
    return failure();
  return finish(flatten(pair->first).unsqueeze(1) * flatten(pair->second));
}

/// The products of each element of x and the tensor y, in place of the element.
static Results emitKron(Emitter &e) {
  FailureOr<std::pair<Term, Term>> pair = takePair(e);
  if (failed(pair))
    return failure();
  auto [x, y] = *pair;
  int64_t rank = std::max(x.rank(), y.rank());
  x = x.unsqueeze(llvm::to_vector(llvm::seq(rank - x.rank())));
  y = y.unsqueeze(llvm::to_vector(llvm::seq(rank - y.rank())));
  if (!x || !y)
    return failure();
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> inner, outer;
  for (int64_t dim = 0; dim < rank; ++dim) {
    sizes.push_back(
        e.multiply({e.getDim(x.get(), dim), e.getDim(y.get(), dim)}));
    outer.push_back(2 * dim);
    inner.push_back(2 * dim + 1);
  }
  return finish(
      (x.unsqueeze(inner) * y.unsqueeze(outer)).shaped("reshape", sizes));
}

/// x with its dimension `dim`, of three elements, in front, as three parts.
static FailureOr<SmallVector<Term>> takeVector(Emitter &e, const Term &x,
                                               int64_t given) {
  if (x.rank() == 0)
    return e.error() << "vectors of 3 elements, got " << x.type();
  FailureOr<int64_t> dim = e.normalizeDim(given, x.rank());
  if (failed(dim))
    return failure();
  Value tensor = x.get();
  if (failed(e.expectEqual(e.builder.getIndexAttr(3), e.getDim(tensor, *dim),
                           "{0} elements along dimension " + Twine(given) +
                               ", got {1}")))
    return failure();
  SmallVector<Term> parts;
  for (int64_t number = 0; number < 3; ++number)
    parts.push_back(x.apply(
        "select", {}, {e.intAttr("dim", *dim), e.intsAttr("index", number)}));
  return parts;
}

/// The products of vectors of three elements along `dim` that are at right
/// angles to both.
static Results emitCross(Emitter &e) {
  FailureOr<std::pair<Term, Term>> pair = takePair(e);
  FailureOr<int64_t> dim = e.getInt("dim", -1);
  if (failed(pair) || failed(dim))
    return failure();
  FailureOr<SmallVector<Term>> x = takeVector(e, pair->first, *dim);
  if (failed(x))
    return failure();
  FailureOr<SmallVector<Term>> y = takeVector(e, pair->second, *dim);
  if (failed(y))
    return failure();
  SmallVector<Term> parts;
  for (int64_t number = 0; number < 3; ++number) {
    int64_t next = (number + 1) % 3, last = (number + 2) % 3;
    parts.push_back((*x)[next] * (*y)[last] - (*x)[last] * (*y)[next]);
  }
  return finish(applyAll("stack", parts, e.intAttr("dim", *dim), 1).front());
}

void frontend::addVectorProductOps(HandlerMap &map) {
  map["vecdot"] = {emitVecDot, "dim"};
  map["vdot"] = {emitVDot, ""};
  map["outer"] = {emitOuter, ""};
  map["kron"] = {emitKron, ""};
  map["cross"] = {emitCross, "dim"};
}
