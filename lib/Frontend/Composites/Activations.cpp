//===- Activations.cpp - Activations and their gradients, by name -------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computed in f32, of f64 in f64; each result is rounded once.
//
//===----------------------------------------------------------------------===//

#include "../Term.h"

using namespace fuser;
using namespace fuser::frontend;

//===----------------------------------------------------------------------===//
// Formulas of an element
//===----------------------------------------------------------------------===//

using Operands = const WideOperands &;

static Term isAbove(const Term &x, double bound) {
  return x.compare("gt", makeFloat(x.emitter(), bound));
}

static Term clamp(const Term &x, double least, double most) {
  return x.apply("max", makeFloat(x.emitter(), least))
      .apply("min", makeFloat(x.emitter(), most));
}

static Term zero(const Term &x) { return makeFloat(x.emitter(), 0); }

static Term leakyRelu(Operands of) {
  return choose(isAbove(of[0], 0), of[0], of[0] * of[1]);
}

/// softplus(x, beta, threshold): log(1 + exp(beta * x)) / beta, or x where
/// beta * x is above the threshold.
static Term softplus(Operands of) {
  Term scaled = of[0] * of[1];
  Term plus = scaled.apply("exp").apply("log1p") / of[1];
  return choose(scaled.compare("gt", of[2]), of[0], plus);
}

static Term elu(Operands of) {
  return choose(isAbove(of[0], 0), of[0], of[0].apply("expm1") * of[1]);
}

static Term selu(Operands of) {
  constexpr double scale = 1.0507009873554805;
  Term below = of[0].apply("expm1") * (1.6732632423543772 * scale);
  return choose(isAbove(of[0], 0), of[0] * scale, below);
}

static Term celu(Operands of) {
  Term below = (of[0] / of[1]).apply("expm1") * of[1];
  return choose(isAbove(of[0], 0), of[0], below);
}

/// x tanh(log(1 + e)), with e = exp(x): of n = e (e + 2) it is x n / (n + 2).
/// Beyond 20 it is x, and n would be too large.
static Term mish(Operands of) {
  Term e = of[0].apply("min", makeFloat(of[0].emitter(), 20)).apply("exp");
  Term n = e * (e + 2);
  return of[0] * (n / (n + 2));
}

static Term hardsigmoid(Operands of) { return clamp(of[0] + 3, 0, 6) / 6; }

static Term hardswish(Operands of) {
  return of[0] * clamp(of[0] + 3, 0, 6) / 6;
}

static Term softsign(Operands of) { return of[0] / (of[0].apply("abs") + 1); }

static Term tanhshrink(Operands of) { return of[0] - of[0].apply("tanh"); }

// The bound is one of the operand's type, as PyTorch has it.

static Term hardshrink(Operands of) {
  Term isSmall = of[0].apply("abs").compare("le", of.getRounded(1));
  return choose(isSmall, zero(of[0]), of[0]);
}

/// What is below the bound is a zero of its sign.
static Term softshrink(Operands of) {
  Term bound = of.getRounded(1).castTo(of[0].element());
  Term isLarge = of[0].apply("abs").compare("gt", bound);
  return choose(isLarge, of[0] - of[0].apply("sign") * bound, of[0] * 0.0);
}

/// No exponential is infinite.
static Term logSigmoid(Operands of) {
  Term rest = (-of[0].apply("abs")).apply("exp").apply("log1p");
  return of[0].apply("min", zero(of[0])) - rest;
}

/// A weight of one dimension has one for each of the second dimension of x.
static Term prelu(Operands of) {
  Term x = of[0], weight = of[1];
  if (x && x.isTensor() && weight && weight.isTensor() && weight.rank() == 1 &&
      x.rank() > 2)
    weight =
        weight.unsqueeze(llvm::to_vector(llvm::seq<int64_t>(1, x.rank() - 1)));
  return choose(isAbove(x, 0), x, x * weight);
}

static Term logit(Operands of) { return (of[0] / (1 - of[0])).apply("log"); }

/// x log(y), of a 0 and any number 0.
static Term xlogy(Operands of) {
  Term isNumber = of[1].apply("isnan").apply("logical_not");
  Term isNone = of[0].compare("eq", zero(of[0])).apply("and", isNumber);
  return choose(isNone, zero(of[0]), of[0] * of[1].apply("log"));
}

/// addcdiv(x, a, b, factor)
static Term addcdiv(Operands of) { return of[0] + of[1] / of[2] * of[3]; }

namespace {
struct Activation {
  StringRef name;
  /// What its operands are called, as OpHandler has it.
  StringRef operands;
  Term (*formula)(Operands);
};
} // namespace

static constexpr Activation kActivations[] = {
    {"leaky_relu", "x slope", leakyRelu},
    {"softplus", "x beta threshold", softplus},
    {"elu", "x alpha", elu},
    {"selu", "x", selu},
    {"celu", "x alpha", celu},
    {"mish", "x", mish},
    {"hardsigmoid", "x", hardsigmoid},
    {"hardswish", "x", hardswish},
    {"softsign", "x", softsign},
    {"tanhshrink", "x", tanhshrink},
    {"hardshrink", "x bound", hardshrink},
    {"softshrink", "x bound", softshrink},
    {"log_sigmoid", "x", logSigmoid},
    {"prelu", "x weight", prelu},
    {"logit", "x", logit},
    {"xlogy", "x y", xlogy},
    {"addcdiv", "x a b factor", addcdiv}};

static Results emitActivation(Emitter &e) {
  const Activation *found =
      llvm::find_if(kActivations, [&](const Activation &each) {
        return each.name == e.request.name;
      });
  FailureOr<WideOperands> operands =
      takeWide(e, found->operands.count(' ') + 1);
  if (failed(operands))
    return failure();
  return operands->finish(found->formula(*operands));
}

/// x with numbers in place of NaN, inf and -inf: those that are there, else 0
/// and the greatest and least ones of its type. Integers stay as they are.
static Results emitNanToNum(Emitter &e) {
  FailureOr<bool> hasNaN = e.getFlag("has_nan"),
                  hasMost = e.getFlag("has_posinf"),
                  hasLeast = e.getFlag("has_neginf");
  FailureOr<TypedValue<RankedTensorType>> input = e.takeTensor();
  if (failed(hasNaN) || failed(hasMost) || failed(hasLeast) || failed(input))
    return failure();
  Term x(e, Value(*input));
  auto type = dyn_cast<FloatType>(x.element());
  double greatest = 0;
  if (type)
    greatest =
        llvm::APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
  double numbers[] = {0, greatest, -greatest};
  SmallVector<Term> places;
  for (auto [isThere, number] :
       llvm::zip(ArrayRef<bool>{*hasNaN, *hasMost, *hasLeast}, numbers)) {
    FailureOr<Term> place = makeFloat(e, number);
    if (isThere)
      place = takeNumber(e);
    if (failed(place))
      return failure();
    places.push_back(*place);
  }
  if (failed(e.checkNoneLeft()))
    return failure();
  if (!type)
    return finish(x);
  Term result = choose(x.apply("isnan"), places[0], x);
  result = choose(x.apply("isposinf"), places[1], result);
  return finish(choose(x.apply("isneginf"), places[2], result).castTo(type));
}

//===----------------------------------------------------------------------===//
// GELU, and gradients of activations
//===----------------------------------------------------------------------===//

/// `count` operands, all in the type that is computed in.
static FailureOr<SmallVector<Term>> takeFloatsWide(Emitter &e, size_t count) {
  SmallVector<Term> operands;
  for (size_t i = 0; i < count; ++i) {
    FailureOr<Term> each = takeFloats(e);
    if (failed(each))
      return failure();
    operands.push_back(each->widen());
  }
  return operands;
}

/// The result in the type of the last tensor.
static Results finishWide(Emitter &e, const Term &result) {
  Type own = e.request.operands.front().getType();
  for (Value operand : e.request.operands)
    own = isTensor(operand) ? operand.getType() : own;
  return finish(result.castTo(getElementTypeOrSelf(own)));
}

/// True if `approximate` asks for the form with tanh.
static FailureOr<bool> isTanhForm(Emitter &e) {
  if (!e.has("approximate"))
    return false;
  FailureOr<StringRef> form = e.getString("approximate");
  if (failed(form) || *form == "tanh" || *form == "none")
    return failed(form) ? FailureOr<bool>(failure()) : *form == "tanh";
  return e.error() << "'none' or 'tanh' as 'approximate', got '" << *form
                   << "'";
}

static const double kTanhFactor = std::sqrt(2 / M_PI), kCubeFactor = 0.044715;

/// x times the probability that a normal number is less.
static Results emitGelu(Emitter &e) {
  FailureOr<bool> isTanh = isTanhForm(e);
  FailureOr<SmallVector<Term>> operands = takeFloatsWide(e, 1);
  if (failed(isTanh) || failed(operands) || failed(e.checkNoneLeft()))
    return failure();
  Term x = operands->front();
  Term inner =
      *isTanh ? (x + x * x * x * kCubeFactor) * kTanhFactor : x * M_SQRT1_2;
  Term outer = inner.apply(*isTanh ? "tanh" : "erf") + 1;
  return finishWide(e, x * 0.5 * outer);
}

/// Operands are the gradient and the input.
static Results emitGeluBackward(Emitter &e) {
  FailureOr<bool> isTanh = isTanhForm(e);
  FailureOr<SmallVector<Term>> operands = takeFloatsWide(e, 2);
  if (failed(isTanh) || failed(operands) || failed(e.checkNoneLeft()))
    return failure();
  Term gradient = operands->front(), x = operands->back();
  if (!*isTanh) {
    Term below = ((x * M_SQRT1_2).apply("erf") + 1) * 0.5;
    Term density = (x * x * -0.5).apply("exp") * (M_SQRT1_2 / std::sqrt(M_PI));
    return finishWide(e, gradient * (below + x * density));
  }
  Term tanh = ((x + x * x * x * kCubeFactor) * kTanhFactor).apply("tanh");
  Term slope = (x * x * (3 * kCubeFactor) + 1) * kTanhFactor;
  Term right = x * 0.5 * (1 - tanh * tanh) * slope;
  return finishWide(e, gradient * ((tanh + 1) * 0.5 + right));
}

static Results emitSiluBackward(Emitter &e) {
  FailureOr<SmallVector<Term>> operands = takeFloatsWide(e, 2);
  if (failed(operands) || failed(e.checkNoneLeft()))
    return failure();
  Term gradient = operands->front(), x = operands->back();
  Term sigmoid = x.apply("sigmoid");
  return finishWide(e, gradient * sigmoid * (x * (1 - sigmoid) + 1));
}

/// Of a function whose result is the second operand.
static Results emitOfResultBackward(Emitter &e) {
  FailureOr<SmallVector<Term>> operands = takeFloatsWide(e, 2);
  if (failed(operands) || failed(e.checkNoneLeft()))
    return failure();
  Term gradient = operands->front(), y = operands->back();
  Term slope = e.request.name == "tanh_backward" ? 1 - y * y : y * (1 - y);
  return finishWide(e, gradient * slope);
}

/// The gradient of what was multiplied by a mask and a number.
static Results emitDropoutBackward(Emitter &e) {
  FailureOr<Term> gradient = takeFloats(e);
  if (failed(gradient))
    return failure();
  FailureOr<Term> mask = takeAny(e), scale = takeNumber(e);
  if (failed(mask) || failed(scale) || failed(e.checkNoneLeft()))
    return failure();
  Term wide = gradient->widen() * mask->widen() * *scale;
  return finish(wide.castTo(gradient->element()));
}

/// What a cell of a long short-term memory is next, and what it gives. Operands
/// are the cell, and of the gates of the input, of what is forgotten, of what
/// is new, and of the output what their functions are of.
static Results emitLstm(Emitter &e) {
  FailureOr<SmallVector<Term>> operands = takeFloatsWide(e, 5);
  if (failed(operands) || failed(e.checkNoneLeft()))
    return failure();
  ArrayRef<Term> of = *operands;
  Term kept = of[2].apply("sigmoid") * of[0];
  Term cell = kept + of[1].apply("sigmoid") * of[3].apply("tanh");
  Term hidden = of[4].apply("sigmoid") * cell.apply("tanh");
  Type own = getElementTypeOrSelf(e.request.operands.front().getType());
  return finish({cell.castTo(own), hidden.castTo(own)});
}

//===----------------------------------------------------------------------===//

void frontend::addActivationOps(HandlerMap &map) {
  for (const Activation &each : kActivations)
    map[each.name] = {emitActivation, "", each.operands};
  map["nan_to_num"] = {emitNanToNum, "has_nan has_posinf has_neginf",
                       "x has_nan?nan has_posinf?posinf has_neginf?neginf"};
  map["gelu"] = {emitGelu, "approximate", "x"};
  map["gelu_backward"] = {emitGeluBackward, "approximate", "gradient x"};
  map["silu_backward"] = {emitSiluBackward, "", "gradient x"};
  map["dropout_backward"] = {emitDropoutBackward, "", "gradient mask scale"};
  map["lstm"] = {emitLstm, "", "cell input forgotten new output"};
  for (StringRef name : {"sigmoid_backward", "tanh_backward"})
    map[name] = {emitOfResultBackward, "", "gradient y"};
}
