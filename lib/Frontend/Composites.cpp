//===- Composites.cpp - Element-wise ops that follow from others ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace fuser;
using namespace fuser::frontend;
using fusion::CmpPredicate;

/// All operands of the request, of which there are to be `count`.
static FailureOr<SmallVector<Value>> takeOperands(Emitter &e, size_t count) {
  SmallVector<Value> operands(e.request.operands);
  if (operands.size() == count)
    return operands;
  return e.error() << count << (count == 1 ? " operand" : " operands")
                   << ", got " << operands.size();
}

namespace {
/// Emits ops one after another: after a failure nothing more.
class Chain {
public:
  explicit Chain(Emitter &e) : e(e) {}
  Value operator()(StringRef mnemonic, ArrayRef<Value> operands,
                   Promotion promotion = Promotion::Default) {
    return take([&] { return e.elementwise(mnemonic, operands, promotion); },
                operands);
  }
  Value compare(CmpPredicate predicate, Value lhs, Value rhs) {
    return take([&] { return e.compare(predicate, lhs, rhs); }, {lhs, rhs});
  }
  Value where(Value condition, Value trueValue, Value falseValue) {
    return take([&] { return e.where(condition, trueValue, falseValue); },
                {condition, trueValue, falseValue});
  }
  /// A number that promotes no tensor: f64 beside floats, else i64.
  Value number(double value, bool isFloat = true) {
    Type type =
        isFloat ? Type(e.builder.getF64Type()) : Type(e.builder.getI64Type());
    return *e.makeNumber(type, value);
  }

private:
  Value take(function_ref<FailureOr<Value>()> emit, ArrayRef<Value> operands) {
    if (!llvm::all_of(operands, [](Value value) { return bool(value); }))
      return {};
    FailureOr<Value> result = emit();
    return succeeded(result) ? *result : Value();
  }

  Emitter &e;
};
} // namespace

static Results finish(Value value) {
  if (!value)
    return failure();
  return SmallVector<Value>{value};
}

static bool isFloat(ArrayRef<Value> operands) {
  return isa<FloatType>(promoteOperands(operands));
}

//===----------------------------------------------------------------------===//
// Comparison and logic
//===----------------------------------------------------------------------===//

template <CmpPredicate predicate>
static Results emitCompare(Emitter &e) {
  FailureOr<SmallVector<Value>> operands = takeOperands(e, 2);
  if (failed(operands))
    return failure();
  return single(e.compare(predicate, (*operands)[0], (*operands)[1]));
}

/// `logical_and` and the like: `fusion.and` of whether operands are not 0.
static Results emitLogical(Emitter &e) {
  StringRef mnemonic = e.request.name;
  mnemonic.consume_front("logical_");
  FailureOr<SmallVector<Value>> operands =
      takeOperands(e, mnemonic == "not" ? 1 : 2);
  if (failed(operands))
    return failure();
  return single(e.elementwise(mnemonic, *operands, Promotion::Bool));
}

static Results emitWhere(Emitter &e) {
  FailureOr<SmallVector<Value>> operands = takeOperands(e, 3);
  if (failed(operands))
    return failure();
  return single(e.where((*operands)[0], (*operands)[1], (*operands)[2]));
}

static Results emitIsInfinite(Emitter &e) {
  FailureOr<SmallVector<Value>> x = takeOperands(e, 1);
  if (failed(x))
    return failure();
  Chain chain(e);
  double sign = e.request.name == "isposinf" ? 1 : -1;
  return finish(
      chain.compare(CmpPredicate::Eq, (*x)[0], chain.number(sign * HUGE_VAL)));
}

/// Whether the sign is set, of zeros too; of NaN it is not.
static Results emitSignBit(Emitter &e) {
  FailureOr<SmallVector<Value>> x = takeOperands(e, 1);
  if (failed(x))
    return failure();
  Chain chain(e);
  Value zero = chain.number(0, /*isFloat=*/false);
  Value isBelow = chain.compare(CmpPredicate::Lt, (*x)[0], zero);
  if (!isFloat(*x))
    return finish(isBelow);
  Value inverse = chain("div", {chain.number(1), (*x)[0]});
  return finish(
      chain("or", {isBelow, chain.compare(CmpPredicate::Lt, inverse, zero)}));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Rounding to whole numbers leaves integers as they are.
static Results emitRounding(Emitter &e) {
  FailureOr<SmallVector<Value>> x = takeOperands(e, 1);
  if (failed(x))
    return failure();
  if (!isFloat(*x))
    return *x;
  return single(e.elementwise(e.request.name, *x));
}

/// What one operand becomes in one element-wise op with a number.
static Results emitOfOne(Emitter &e) {
  FailureOr<SmallVector<Value>> x = takeOperands(e, 1);
  if (failed(x))
    return failure();
  Chain chain(e);
  Value input = (*x)[0];
  if (e.request.name == "reciprocal")
    return finish(chain("div", {chain.number(1), input}, Promotion::Float));
  if (e.request.name == "relu")
    return finish(chain("max", {input, chain.number(0, isFloat(*x))}));
  // frac: what is left of a float without its whole number.
  Value whole = chain("trunc", input);
  return finish(chain("sub", {input, whole}));
}

static Results emitTrueDivide(Emitter &e) {
  FailureOr<SmallVector<Value>> operands = takeOperands(e, 2);
  if (failed(operands))
    return failure();
  return single(e.elementwise("div", *operands, Promotion::Float));
}

/// The exponent, if it is a whole number of 0 to 8.
static std::optional<int64_t> getSmallExponent(Value exponent) {
  TypedAttr number = getNumber(exponent);
  if (auto whole = dyn_cast_or_null<IntegerAttr>(number))
    if (whole.getInt() >= 0 && whole.getInt() <= 8)
      return whole.getInt();
  return std::nullopt;
}

/// Integers have powers that are products. The square of a float is a product
/// too: it is rounded once, as the power is.
static Results emitPower(Emitter &e) {
  FailureOr<SmallVector<Value>> operands = takeOperands(e, 2);
  if (failed(operands))
    return failure();
  Value base = (*operands)[0], exponent = (*operands)[1];
  Chain chain(e);
  if (isFloat(*operands)) {
    auto number = dyn_cast_or_null<FloatAttr>(getNumber(exponent));
    bool isSquare = getSmallExponent(exponent) == 2 ||
                    (number && number.getValueAsDouble() == 2);
    if (isSquare && isFloat(base))
      return finish(chain("mul", {base, base}));
    return finish(chain("pow", *operands));
  }
  std::optional<int64_t> count = getSmallExponent(exponent);
  if (!count)
    return e.error() << "floats, or a whole number of 0 to 8 as the exponent "
                        "of integers, got "
                     << base.getType() << " and " << exponent.getType();
  Value power = base;
  if (*count == 0)
    power = chain("add", {chain("mul", {base, chain.number(0, false)}),
                          chain.number(1, false)});
  for (int64_t i = 1; i < *count; ++i)
    power = chain("mul", {power, base});
  return finish(power);
}

/// The attributes say which bounds there are, in the order of the operands.
static Results emitClamp(Emitter &e) {
  FailureOr<bool> hasMin = e.getFlag("has_min"), hasMax = e.getFlag("has_max");
  if (failed(hasMin) || failed(hasMax))
    return failure();
  FailureOr<SmallVector<Value>> operands =
      takeOperands(e, 1 + *hasMin + *hasMax);
  if (failed(operands))
    return failure();
  Chain chain(e);
  Value result = (*operands)[0];
  if (*hasMin)
    result = chain("max", {result, (*operands)[1]});
  if (*hasMax)
    result = chain("min", {result, operands->back()});
  return finish(result);
}

/// threshold(x, bound, value): value where x is no greater than the bound.
static Results emitThreshold(Emitter &e) {
  FailureOr<SmallVector<Value>> operands = takeOperands(e, 3);
  if (failed(operands))
    return failure();
  Chain chain(e);
  Value x = (*operands)[0];
  return finish(chain.where(chain.compare(CmpPredicate::Le, x, (*operands)[1]),
                            (*operands)[2], x));
}

/// lerp(start, end, weight), from the end that is nearer, as PyTorch does it.
static Results emitLerp(Emitter &e) {
  FailureOr<SmallVector<Value>> operands = takeOperands(e, 3);
  if (failed(operands))
    return failure();
  Chain chain(e);
  Value start = (*operands)[0], end = (*operands)[1], weight = (*operands)[2];
  Value way = chain("sub", {end, start});
  Value rest = chain("sub", {chain.number(1), weight});
  Value fromStart = chain("add", {start, chain("mul", {weight, way})});
  Value fromEnd = chain("sub", {end, chain("mul", {way, rest})});
  Value isNear = chain.compare(CmpPredicate::Lt, weight, chain.number(0.5));
  return finish(chain.where(isNear, fromStart, fromEnd));
}

/// addcmul(x, a, b, factor) = x + factor * a * b.
static Results emitAddcmul(Emitter &e) {
  FailureOr<SmallVector<Value>> operands = takeOperands(e, 4);
  if (failed(operands))
    return failure();
  Chain chain(e);
  Value scaled = chain("mul", {(*operands)[3], (*operands)[1]});
  return finish(
      chain("add", {(*operands)[0], chain("mul", {scaled, (*operands)[2]})}));
}

static Results emitCast(Emitter &e) {
  FailureOr<SmallVector<Value>> x = takeOperands(e, 1);
  FailureOr<Type> type = e.getType("type");
  if (failed(x) || failed(type))
    return failure();
  Value value = (*x)[0];
  // Scalars have no sign that a type says.
  if (!isTensor(value) && getScalarType(*type) != *type) {
    FailureOr<Value> scalar = e.cast(value, *type);
    return failed(scalar) ? Results(failure())
                          : single(e.fill(*type, *scalar, {}));
  }
  return single(e.cast(value, *type));
}

void frontend::addCompositeOps(HandlerMap &map) {
  map["eq"] = {emitCompare<CmpPredicate::Eq>, ""};
  map["ne"] = {emitCompare<CmpPredicate::Ne>, ""};
  map["lt"] = {emitCompare<CmpPredicate::Lt>, ""};
  map["le"] = {emitCompare<CmpPredicate::Le>, ""};
  map["gt"] = {emitCompare<CmpPredicate::Gt>, ""};
  map["ge"] = {emitCompare<CmpPredicate::Ge>, ""};
  for (StringRef name :
       {"logical_and", "logical_or", "logical_xor", "logical_not"})
    map[name] = {emitLogical, ""};
  for (StringRef name : {"ceil", "floor", "trunc", "round"})
    map[name] = {emitRounding, ""};
  for (StringRef name : {"reciprocal", "relu", "frac"})
    map[name] = {emitOfOne, ""};
  for (StringRef name : {"isposinf", "isneginf"})
    map[name] = {emitIsInfinite, ""};
  map["signbit"] = {emitSignBit, ""};
  map["where"] = {emitWhere, ""};
  map["true_divide"] = {emitTrueDivide, ""};
  map["pow"] = {emitPower, ""};
  map["clamp"] = {emitClamp, "has_min has_max"};
  map["threshold"] = {emitThreshold, ""};
  map["lerp"] = {emitLerp, ""};
  map["addcmul"] = {emitAddcmul, ""};
  map["cast"] = {emitCast, "type"};
}
