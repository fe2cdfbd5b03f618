//===- NumpyFunctions.cpp - Functions of elements that NumPy has, by name -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Term.h"
#include <cmath>

using namespace fuser;
using namespace fuser::frontend;

/// All operands, of which there are to be `count`: tensors, and numbers, which
/// promote none.
static FailureOr<SmallVector<Term>> takeAll(Emitter &e, size_t count) {
  if (e.request.operands.size() != count)
    return e.error() << count << " operands, got " << e.request.operands.size();
  SmallVector<Term> terms;
  for (size_t number = 0; number < count; ++number)
    terms.emplace_back(e, e.takeOperand());
  return terms;
}

static bool isOfIntegers(const Term &x) {
  return isa<IntegerType>(x.element());
}

/// 0 where x is negative, 1 where it is positive, y where it is 0.
static Results emitHeaviside(Emitter &e) {
  FailureOr<SmallVector<Term>> terms = takeAll(e, 2);
  if (failed(terms))
    return failure();
  const Term &x = terms->front(), &y = terms->back();
  Term zero = makeInteger(e, 0), one = makeInteger(e, 1);
  // What is left is NaN.
  Term step = choose(x.compare("gt", zero), one,
                     choose(x.compare("lt", zero), zero, x));
  return finish(choose(x.compare("eq", zero), y, step));
}

/// -1, 0 or 1; of NaN NaN, which `sign` has 0 of.
static Results emitSignum(Emitter &e) {
  FailureOr<SmallVector<Term>> terms = takeAll(e, 1);
  if (failed(terms))
    return failure();
  const Term &x = terms->front();
  Term sign = x.apply("sign");
  return finish(x.isFloat() ? choose(x.apply("isnan"), x, sign) : sign);
}

/// x * x; of booleans integers.
static Results emitSquare(Emitter &e) {
  FailureOr<SmallVector<Term>> terms = takeAll(e, 1);
  if (failed(terms))
    return failure();
  const Term &x = terms->front();
  bool isBool = isBoolElement(x.element());
  return finish(isBool ? x.apply("pow", makeInteger(e, 2)) : x * x);
}

static Results emitCubeRoot(Emitter &e) {
  FailureOr<SmallVector<Term>> terms = takeAll(e, 1);
  if (failed(terms))
    return failure();
  Term given = terms->front();
  // There is no integer that is the opposite of the least one.
  Term x = given.widen();
  Term magnitude = x.apply("abs"), third = makeFloat(e, 1.0 / 3);
  // A third is rounded, and so the power is off by dozens of units.
  Term power = magnitude.apply("pow", third);
  Term other = magnitude / (power * power);
  Term step = power + (other - power) * third;
  Term isUsual = other.compare("eq", other); // Neither zero nor infinite.
  Term root = choose(isUsual, step, power).apply("copysign", x);
  return finish(isOfIntegers(given) ? root : root.castTo(given.element()));
}

/// Rounded to `decimals`; to tens, hundreds, ... if that is negative.
static Results emitAround(Emitter &e) {
  constexpr int64_t kMost = 308; // 10 to the power of more is no f64.
  FailureOr<SmallVector<Term>> terms = takeAll(e, 1);
  FailureOr<int64_t> decimals = e.getInt("decimals", 0);
  if (failed(terms) || failed(decimals))
    return failure();
  if (*decimals < -kMost || *decimals > kMost)
    return e.error() << -kMost << " to " << kMost << " as 'decimals', got "
                     << *decimals;
  const Term &x = terms->front();
  if (*decimals == 0)
    return finish(x.apply("round"));
  bool isInteger = isOfIntegers(x) && !x.element().isInteger(1);
  if (isInteger && *decimals > 0)
    return finish(x);
  Term factor =
      makeFloat(e, std::pow(10.0, static_cast<double>(std::abs(*decimals))));
  if (*decimals > 0)
    return finish((x * factor).apply("round") / factor);
  Term wide = isInteger ? x.castTo(e.builder.getF64Type()) : x;
  Term result = (wide / factor).apply("round") * factor;
  return finish(result.castTo(x.element()));
}

/// Whether x and y differ by at most atol + rtol * |y|, or are equal. Operands
/// are x, y, rtol and atol.
static Results emitIsClose(Emitter &e) {
  FailureOr<SmallVector<Term>> terms = takeAll(e, 4);
  FailureOr<bool> areNanEqual = e.getFlag("equal_nan");
  if (failed(terms) || failed(areNanEqual))
    return failure();
  // Differences of integers may be no integers of their type.
  for (Term &term : MutableArrayRef(*terms).take_front(2))
    if (term.isTensor() && isOfIntegers(term))
      term = term.castTo(e.builder.getF64Type());
  const Term &x = (*terms)[0], &y = (*terms)[1];
  Term bound = y.apply("abs") * (*terms)[2] + (*terms)[3];
  // What is infinite is near nothing but itself.
  Term isNear = (x - y)
                    .apply("abs")
                    .compare("le", bound)
                    .apply("logical_and", y.apply("isfinite"));
  Term result = isNear.apply("logical_or", x.compare("eq", y));
  if (*areNanEqual)
    result = result.apply(
        "logical_or", x.apply("isnan").apply("logical_and", y.apply("isnan")));
  return finish(result);
}

void frontend::addNumpyOps(HandlerMap &map) {
  map["heaviside"] = {emitHeaviside, ""};
  map["signum"] = {emitSignum, ""};
  map["square"] = {emitSquare, ""};
  map["cbrt"] = {emitCubeRoot, ""};
  map["around"] = {emitAround, "decimals"};
  map["isclose"] = {emitIsClose, "equal_nan"};
}
