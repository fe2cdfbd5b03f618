//===- Composites.cpp - Element-wise ops that follow from others ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Term.h"

using namespace fuser;
using namespace fuser::frontend;
using fusion::CmpPredicate;

/// All operands of the request, of which there are to be `count`.
static FailureOr<SmallVector<Term>> takeOperands(Emitter &e, size_t count) {
  ArrayRef<Value> operands = e.request.operands;
  if (operands.size() == count)
    return llvm::map_to_vector(operands,
                               [&](Value value) { return Term(e, value); });
  return e.error() << count << (count == 1 ? " operand" : " operands")
                   << ", got " << operands.size();
}

/// The same as values.
static FailureOr<SmallVector<Value>> takeValues(Emitter &e, size_t count) {
  if (failed(takeOperands(e, count)))
    return failure();
  return SmallVector<Value>(e.request.operands);
}

static bool isFloat(ArrayRef<Value> operands) {
  return isa<FloatType>(promoteOperands(operands));
}

/// A number that promotes no operand of `like`.
static Term makeNumber(const Term &like, int64_t number) {
  return like.isFloat() ? makeFloat(like.emitter(), double(number))
                        : makeInteger(like.emitter(), number);
}

//===----------------------------------------------------------------------===//
// Comparison and logic
//===----------------------------------------------------------------------===//

template <CmpPredicate predicate>
static Results emitCompare(Emitter &e) {
  FailureOr<SmallVector<Value>> operands = takeValues(e, 2);
  if (failed(operands))
    return failure();
  return single(e.compare(predicate, (*operands)[0], (*operands)[1]));
}

/// `logical_and` and the like: `fusion.and` of whether operands are not 0.
static Results emitLogical(Emitter &e) {
  StringRef mnemonic = e.request.name;
  mnemonic.consume_front("logical_");
  FailureOr<SmallVector<Value>> operands =
      takeValues(e, mnemonic == "not" ? 1 : 2);
  if (failed(operands))
    return failure();
  return single(e.elementwise(mnemonic, *operands, Promotion::Bool));
}

static Results emitWhere(Emitter &e) {
  FailureOr<SmallVector<Value>> operands = takeValues(e, 3);
  if (failed(operands))
    return failure();
  return single(e.where((*operands)[0], (*operands)[1], (*operands)[2]));
}

static Results emitIsInfinite(Emitter &e) {
  FailureOr<SmallVector<Term>> x = takeOperands(e, 1);
  if (failed(x))
    return failure();
  double sign = e.request.name == "isposinf" ? 1 : -1;
  return finish(x->front().compare("eq", makeFloat(e, sign * HUGE_VAL)));
}

/// Whether the sign is set, of zeros too; of NaN it is not.
static Results emitSignBit(Emitter &e) {
  FailureOr<SmallVector<Term>> operands = takeOperands(e, 1);
  if (failed(operands))
    return failure();
  Term x = operands->front(), zero = makeInteger(e, 0);
  if (!x.isFloat())
    return finish(x.compare("lt", zero));
  x = x.widen(); // Not all types have infinity.
  Term isBelow = x.compare("lt", zero);
  Term inverse = x.apply("reciprocal");
  return finish(isBelow.apply("or", inverse.compare("lt", zero)));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Rounding to whole numbers leaves integers as they are.
static Results emitRounding(Emitter &e) {
  FailureOr<SmallVector<Value>> x = takeValues(e, 1);
  if (failed(x))
    return failure();
  if (!isFloat(*x) && !isComplexElement(getElement((*x)[0])))
    return *x;
  return single(e.elementwise(e.request.name, *x));
}

static Results emitReciprocal(Emitter &e) {
  FailureOr<SmallVector<Term>> x = takeOperands(e, 1);
  if (failed(x))
    return failure();
  return finish(makeFloat(e, 1) / x->front());
}

static Results emitRelu(Emitter &e) {
  FailureOr<SmallVector<Term>> x = takeOperands(e, 1);
  if (failed(x))
    return failure();
  return finish(x->front().apply("max", makeNumber(x->front(), 0)));
}

/// What is left of a float without its whole number.
static Results emitFraction(Emitter &e) {
  FailureOr<SmallVector<Term>> x = takeOperands(e, 1);
  if (failed(x))
    return failure();
  return finish(x->front() - x->front().apply("trunc"));
}

static Results emitTrueDivide(Emitter &e) {
  FailureOr<SmallVector<Value>> operands = takeValues(e, 2);
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

/// Small powers of integers are products. The square of a float is a product
/// too: it is rounded once, as the power is.
static Results emitPower(Emitter &e) {
  FailureOr<SmallVector<Term>> operands = takeOperands(e, 2);
  if (failed(operands))
    return failure();
  Term base = operands->front(), exponent = operands->back();
  bool isComplex = isComplexElement(promoteOperands(e.request.operands));
  if (isFloat(e.request.operands) || isComplex) {
    auto number = dyn_cast_or_null<FloatAttr>(getNumber(exponent.get()));
    bool isSquare = getSmallExponent(exponent.get()) == 2 ||
                    (number && number.getValueAsDouble() == 2);
    if (isSquare && (base.isFloat() || isComplexElement(base.element())))
      return finish(base * base);
    return single(e.elementwise("pow", {base.get(), exponent.get()}));
  }
  auto whole = dyn_cast_or_null<IntegerAttr>(getNumber(exponent.get()));
  if (whole && isSignedElement(whole.getType()) && whole.getInt() < 0)
    return e.error() << "an exponent of at least 0 for integers, got "
                     << whole.getInt()
                     << ": powers below 0 are fractions, so cast to a float";
  std::optional<int64_t> count = getSmallExponent(exponent.get());
  if (!count)
    return single(e.elementwise("pow", {base.get(), exponent.get()}));
  if (*count == 0)
    return finish(base * makeInteger(e, 0) + makeInteger(e, 1));
  // Of booleans to a power that is an integer the result is one, too.
  Term factor = base.castTo(promoteOperands(e.request.operands));
  Term power = factor;
  for (int64_t i = 1; i < *count; ++i)
    power = power * factor;
  return finish(power);
}

/// The attributes say which bounds there are, in the order of the operands.
static Results emitClamp(Emitter &e) {
  FailureOr<bool> hasMin = e.getFlag("has_min"), hasMax = e.getFlag("has_max");
  if (failed(hasMin) || failed(hasMax))
    return failure();
  size_t count = 1 + *hasMin + *hasMax, given = e.request.operands.size();
  if (given != count)
    return e.error() << count << (count == 1 ? " operand" : " operands")
                     << ", got " << given
                     << ": the flags 'has_min' and 'has_max' say which bounds "
                        "come behind the first one";
  FailureOr<SmallVector<Term>> operands = takeOperands(e, count);
  if (failed(operands))
    return failure();
  Term result = operands->front();
  if (*hasMin)
    result = result.apply("max", (*operands)[1]);
  if (*hasMax)
    result = result.apply("min", operands->back());
  return finish(result);
}

/// threshold(x, bound, value): value where x is no greater than the bound.
static Results emitThreshold(Emitter &e) {
  FailureOr<SmallVector<Term>> operands = takeOperands(e, 3);
  if (failed(operands))
    return failure();
  Term x = operands->front();
  return finish(choose(x.compare("le", (*operands)[1]), (*operands)[2], x));
}

/// lerp(start, end, weight), from the end that is nearer, rounded once, as
/// PyTorch does it.
static Results emitLerp(Emitter &e) {
  FailureOr<WideOperands> operands = takeWide(e, 3);
  if (failed(operands))
    return failure();
  Term start = (*operands)[0], end = (*operands)[1], weight = (*operands)[2];
  Term way = end - start;
  Term isNear = weight.compare("lt", makeFloat(e, 0.5));
  return operands->finish(
      choose(isNear, start + weight * way, end - way * (1 - weight)));
}

/// addcmul(x, a, b, factor) = x + factor * a * b, of floats rounded once.
static Results emitAddcmul(Emitter &e) {
  auto sum = [](const auto &operands) {
    return operands[0] + operands[3] * operands[1] * operands[2];
  };
  if (isa_and_nonnull<FloatType>(promoteOperands(e.request.operands))) {
    FailureOr<WideOperands> operands = takeWide(e, 4);
    return failed(operands) ? Results(failure())
                            : operands->finish(sum(*operands));
  }
  FailureOr<SmallVector<Term>> operands = takeOperands(e, 4);
  return failed(operands) ? Results(failure()) : finish(sum(*operands));
}

/// The next operand, which has to be a tensor of integers.
static FailureOr<Term> takeIntegers(Emitter &e) {
  FailureOr<Term> operand = takeAny(e);
  if (failed(operand))
    return failure();
  if (!isa<IntegerType>(operand->element()) || operand->element().isInteger(1))
    return e.error() << "integers, got " << operand->type();
  return operand;
}

/// x / y, rounded up.
static Results emitCeilDiv(Emitter &e) {
  FailureOr<Term> x = takeIntegers(e);
  if (failed(x))
    return failure();
  Term y(e, e.takeOperand());
  if (!y)
    return e.error() << "two operands, got one";
  if (failed(e.checkNoneLeft()))
    return failure();
  // The sum of x and y may be too great.
  return finish(x->apply("floor_div", y) +
                x->apply("remainder", y).compare("ne", makeInteger(e, 0)));
}

/// The least power of two that is not below x; 1 of what is less.
static Results emitBitCeil(Emitter &e) {
  FailureOr<Term> x = takeIntegers(e);
  if (failed(x) || failed(e.checkNoneLeft()))
    return failure();
  Term one = makeInteger(e, 1);
  Term bits = x->apply("max", one) - one;
  for (unsigned i = 1; i < x->element().getIntOrFloatBitWidth(); i *= 2)
    bits = bits.apply("or", bits.apply("shru", makeInteger(e, i)));
  return finish(bits + one);
}

//===----------------------------------------------------------------------===//
// Functions of two operands: in f32, of f64 in f64, rounded once
//===----------------------------------------------------------------------===//

/// The root of the sum of squares, none of which is computed: they might be
/// too large or too small.
static Results emitHypot(Emitter &e) {
  FailureOr<WideOperands> operands = takeWide(e, 2);
  if (failed(operands))
    return failure();
  Term x = (*operands)[0].apply("abs"), y = (*operands)[1].apply("abs");
  Term most = x.apply("max", y), ratio = x.apply("min", y) / most;
  Term root = most * (ratio * ratio + 1).apply("sqrt");
  Term infinity = makeFloat(e, HUGE_VAL);
  Term isInfinite =
      x.compare("eq", infinity).apply("or", y.compare("eq", infinity));
  Term isZero = most.compare("eq", makeFloat(e, 0));
  Term result = choose(isInfinite, infinity, choose(isZero, most, root));
  return operands->finish(result);
}

/// log(exp(x) + exp(y)). Of two equal infinities there is no difference.
static Results emitLogAddExp(Emitter &e) {
  FailureOr<WideOperands> operands = takeWide(e, 2);
  if (failed(operands))
    return failure();
  Term x = (*operands)[0], y = (*operands)[1];
  Term rest = (-(x - y).apply("abs")).apply("exp").apply("log1p");
  Term sum = x.apply("max", y) + rest;
  return operands->finish(choose(x.compare("eq", y), x + M_LN2, sum));
}

/// x with the sign of y, as `signbit` has it.
static Results emitCopySign(Emitter &e) {
  FailureOr<WideOperands> operands = takeWide(e, 2);
  if (failed(operands))
    return failure();
  Term x = (*operands)[0].apply("abs");
  return operands->finish(choose((*operands)[1].apply("signbit"), -x, x));
}

//===----------------------------------------------------------------------===//
// Inverses of erf and erfc: a quotient of polynomials, and in f32 two of
// Newton's steps
//===----------------------------------------------------------------------===//

/// The polynomial of these coefficients, the highest first.
static Term makePolynomial(const Term &x, ArrayRef<double> coefficients) {
  Term sum = x * coefficients[0] + coefficients[1];
  for (double each : coefficients.drop_front(2))
    sum = sum * x + each;
  return sum;
}

/// Where erf is y, of a y between -0.7 and 0.7, in f32.
static Term invertCentre(const Term &y) {
  Term square = y * y;
  Term x =
      y *
      makePolynomial(square,
                     {-0.140543331, 0.914624893, -1.645349621, 0.886226899}) /
      makePolynomial(square,
                     {0.012229801, -0.329097515, 1.442710462, -2.118377725, 1});
  for (int step = 0; step < 2; ++step)
    x = x - (x.apply("erf") - y) / ((-(x * x)).apply("exp") * M_2_SQRTPI);
  return x;
}

/// Where erfc is c, of a c between 0 and 0.3, in f32: erf has no digits left
/// there.
static Term invertTail(const Term &c) {
  Term z = (-(c * 0.5).apply("log")).apply("sqrt");
  Term x = makePolynomial(
               z, {1.641345311, 3.429567803, -1.624906493, -1.970840454}) /
           makePolynomial(z, {1.637067800, 3.543889200, 1});
  for (int step = 0; step < 2; ++step)
    x = x + (x.apply("erfc") - c) / ((-(x * x)).apply("exp") * M_2_SQRTPI);
  Term infinity = makeFloat(c.emitter(), HUGE_VAL);
  return choose(c.compare("eq", makeFloat(c.emitter(), 0)), infinity, x);
}

/// An inverse that is asked for: where erf is `y`. `rest` is 1 less the
/// magnitude of that, with all digits.
struct ErfInverse {
  Term y, rest;
  Term isNegative;
};

static Term invertErf(const ErfInverse &of) {
  Term tail = invertTail(of.rest);
  Term isCentre = of.rest.compare("ge", makeFloat(of.y.emitter(), 0.3));
  return choose(isCentre, invertCentre(of.y),
                choose(of.isNegative, -tail, tail));
}

/// A polynomial over another one.
struct Quotient {
  Term numerator, denominator;
};

static Quotient choose(const Term &condition, const Quotient &x,
                       const Quotient &y) {
  return {choose(condition, x.numerator, y.numerator),
          choose(condition, x.denominator, y.denominator)};
}

/// Of f64: Wichura's quotients for the quantiles of normal numbers (Applied
/// Statistics 37, algorithm AS 241), of which y, or the root, is taken off:
/// what is left is small, and so are its errors.
static Quotient divideCentre(const Term &y) {
  Term x = 0.180625 - y * y * 0.25;
  return {makePolynomial(x, {-4339.4012092273997, -16909.59238865965,
                             -15525.85441797832, -4977.9317864190216,
                             -539.30913204036256, 9.8756578518380618,
                             4.7593574107830676, 0.19753231156709122}),
          makePolynomial(x, {5226.4952788528545610, 28729.085735721942674,
                             39307.895800092710610, 21213.794301586595867,
                             5394.1960214247511077, 687.18700749205790830,
                             42.313330701600911252, 1})};
}

/// `root` is that of the negative logarithm of half of 1 less the magnitude, up
/// to 5.
static Quotient divideTail(const Term &root) {
  Term x = root + -1.6;
  return {makePolynomial(x, {-1.0507500716444169e-9, 9.0542230797292306e-8,
                             -6.6317706715230028e-6, -1.4570525960900583e-3,
                             -0.02838405174558771, -0.20059427897991466,
                             -0.65575674560004649, -1.0109633124184083,
                             -0.59347796639631223}),
          makePolynomial(x, {1.05075007164441684324e-9, 5.475938084995344946e-4,
                             0.0151986665636164571966, 0.14810397642748007459,
                             0.68976733498510000455, 1.6763848301838038494,
                             2.05319162663775882187, 1})};
}

/// The same from 5 on.
static Quotient divideEnd(const Term &root) {
  Term x = root + -5;
  return {
      makePolynomial(x, {-2.0442631033899397e-15, 9.225662560335049e-13,
                         -3.457520321139598e-10, -4.9106440730624127e-7,
                         -4.8615812610009665e-5, -1.6066960044928773e-3,
                         -0.022418661552328162, -0.13568167115055649,
                         -0.29215047808696665}),
      makePolynomial(x, {2.04426310338993978564e-15, 1.4215117583164458887e-7,
                         1.8463183175100546818e-5, 7.868691311456132591e-4,
                         0.0148753612908506148525, 0.13692988092273580531,
                         0.59983220655588793769, 1})};
}

static Term invertErfOfF64(const ErfInverse &of) {
  Emitter &e = of.y.emitter();
  Term root = (-(of.rest * 0.5).apply("log")).apply("sqrt");
  Term isCentre = of.rest.compare("ge", makeFloat(e, 0.15));
  Term isEnd = root.compare("gt", makeFloat(e, 5));
  Quotient quotient = choose(isCentre, divideCentre(of.y),
                             choose(isEnd, divideEnd(root), divideTail(root)));
  Term small = quotient.numerator / quotient.denominator;
  Term infinity = makeFloat(e, HUGE_VAL);
  Term tail = root + small;
  tail = choose(root.compare("eq", infinity), infinity, tail);
  // Of -0 it is -0.
  Term centre = (of.y + of.y * small).apply("copysign", of.y);
  return choose(isCentre, centre, choose(of.isNegative, -tail, tail));
}

/// erfinv, and erfcinv, which is erfinv of 1 - x with all digits near 0.
static Results emitErfInverse(Emitter &e) {
  FailureOr<SmallVector<Term>> operands = takeOperands(e, 1);
  if (failed(operands))
    return failure();
  Term x = operands->front();
  if (!isTensor(x.get()))
    return e.error() << "a tensor, got a scalar";
  if (isComplexElement(x.element()))
    return e.error() << "a tensor of numbers that are not complex, got "
                     << x.element();
  Type own = x.isFloat() ? x.element() : Type(e.builder.getF32Type());
  bool isComplement = e.request.name == "erfcinv";
  x = x.widen();
  Term y = isComplement ? 1 - x : x;
  Term isNegative = y.compare("lt", makeFloat(e, 0));
  Term rest = 1 - y.apply("abs");
  if (isComplement)
    rest = choose(isNegative, 2 - x, x);
  ErfInverse of{y, rest, isNegative};
  Term result = own.isF64() ? invertErfOfF64(of) : invertErf(of);
  return finish(result.castTo(own));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static Results emitCast(Emitter &e) {
  FailureOr<SmallVector<Value>> x = takeValues(e, 1);
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

/// The bits of both parts of a complex<f32> as an i64: of the real one the low
/// half, as they lie in memory.
static Term packParts(const Term &x) {
  Emitter &e = x.emitter();
  auto widen = [&](StringRef part) {
    return x.apply(part)
        .apply("bitcast", {}, e.typeAttr(e.builder.getIntegerType(32, false)))
        .castTo(e.builder.getI64Type());
  };
  return widen("imag")
      .apply("shl", makeInteger(e, 32))
      .apply("or", widen("real"));
}

/// The reverse.
static Term unpackParts(const Term &bits) {
  Emitter &e = bits.emitter();
  auto narrow = [&](const Term &half) {
    return half.castTo(e.builder.getI32Type())
        .apply("bitcast", {}, e.typeAttr(e.builder.getF32Type()));
  };
  Term high = bits.apply("shru", makeInteger(e, 32));
  return narrow(bits).apply("complex", narrow(high));
}

static bool isPairOfFloats(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex && complex.getElementType().isF32();
}

static Results emitBitcast(Emitter &e) {
  FailureOr<SmallVector<Value>> x = takeValues(e, 1);
  FailureOr<Type> type = e.getType("type");
  if (failed(x) || failed(type))
    return failure();
  FailureOr<Value> tensor = (*x)[0];
  if (!isTensor(*tensor))
    tensor = e.fill(tensor->getType(), *tensor, {});
  if (failed(tensor))
    return failure();
  Type own = getElement(*tensor);
  bool isPair = isPairOfFloats(own), toPair = isPairOfFloats(*type);
  if (isPair != toPair) {
    auto asLong = e.typeAttr(e.builder.getI64Type());
    Term x(e, *tensor);
    Term bits = isPair ? packParts(x) : x.apply("bitcast", {}, asLong);
    return finish(toPair ? unpackParts(bits)
                         : bits.apply("bitcast", {}, e.typeAttr(*type)));
  }
  Type result = cast<RankedTensorType>(tensor->getType()).clone(*type);
  return single(e.create("bitcast", *tensor, {}, result));
}

//===----------------------------------------------------------------------===//
// Complex numbers. Of real tensors, parts and conjugates are what NumPy has.
//===----------------------------------------------------------------------===//

static constexpr double kPi = 3.14159265358979323846;

/// The next operand as floats that complex numbers may have as parts, a tensor.
static FailureOr<Term> takePart(Emitter &e, Type element) {
  Value value = e.takeOperand();
  FailureOr<Value> part = e.cast(value, element);
  if (succeeded(part) && !isTensor(*part))
    part = e.fill(element, *part, {});
  if (failed(part))
    return failure();
  return Term(e, *part);
}

/// complex(re, im), and polar(size, angle), of tensors and numbers.
static Results emitFromParts(Emitter &e) {
  ArrayRef<Value> operands = e.request.operands;
  if (operands.size() != 2)
    return e.error() << "2 operands, got " << operands.size();
  Type element = promoteOperands(operands);
  if (isComplexElement(element))
    return e.error() << "real numbers, got " << element;
  bool isWide = element.isF64();
  element = isWide ? Type(e.builder.getF64Type()) : e.builder.getF32Type();
  FailureOr<Term> x = takePart(e, element);
  FailureOr<Term> y = takePart(e, element);
  if (failed(x) || failed(y))
    return failure();
  if (e.request.name == "polar") {
    Term re = *x * y->apply("cos"), im = *x * y->apply("sin");
    return finish(re.apply("complex", im));
  }
  Results parts = e.broadcast({x->get(), y->get()});
  if (failed(parts))
    return failure();
  return single(e.create("complex", *parts));
}

/// `real`, `imag`, `conj` and `angle`.
static Results emitOfComplex(Emitter &e) {
  FailureOr<TypedValue<RankedTensorType>> input = e.takeTensor();
  if (failed(input) || failed(e.checkNoneLeft()))
    return failure();
  StringRef name = e.request.name;
  Term x(e, Value(*input));
  if (isComplexElement(x.element()))
    return single(e.create(name, *input));
  if (name == "real" || name == "conj")
    return finish(x);
  FailureOr<Value> number = e.makeNumber(x.element(), 0);
  FailureOr<Value> zeros = failure();
  if (succeeded(number))
    zeros = e.fill(x.element(), *number, e.getShape(*input));
  if (failed(zeros) || name == "imag")
    return single(zeros);
  Term wide = x.widen(), zero = Term(e, *zeros).castTo(x.getWideType());
  Term angle = choose(wide.compare("lt", makeFloat(e, 0)), makeFloat(e, kPi),
                      choose(wide.apply("isnan"), wide, zero));
  return finish(x.isFloat() ? angle.castTo(x.element()) : angle);
}

/// Complex numbers of pairs along the last dimension.
static Results emitViewAsComplex(Emitter &e) {
  FailureOr<TypedValue<RankedTensorType>> input = e.takeTensor();
  if (failed(input) || failed(e.checkNoneLeft()))
    return failure();
  RankedTensorType type = input->getType();
  int64_t last = type.getRank() - 1;
  bool isOpen = last >= 0 && type.isDynamicDim(last);
  if (last < 0 || (!isOpen && type.getDimSize(last) != 2))
    return e.error() << "a last dimension of size 2, got " << type;
  SmallVector<OpFoldResult> sizes = e.getShape(*input),
                            offsets(last + 1, e.builder.getIndexAttr(0)),
                            steps(last + 1, e.builder.getIndexAttr(1));
  Value pairs = *input;
  if (isOpen) { // Which the program checks.
    sizes[last] = e.builder.getIndexAttr(2);
    pairs = Term(e, pairs).shaped("reshape", sizes).get();
    if (!pairs)
      return failure();
  }
  sizes[last] = e.builder.getIndexAttr(1);
  SmallVector<Value> parts;
  for (int64_t number : {0, 1}) {
    offsets[last] = e.builder.getIndexAttr(number);
    FailureOr<Value> part = e.slice(pairs, offsets, sizes, steps);
    if (succeeded(part))
      part = e.squeeze(*part, last);
    if (failed(part))
      return failure();
    parts.push_back(*part);
  }
  return single(e.create("complex", parts));
}

/// Pairs along a new last dimension.
static Results emitViewAsReal(Emitter &e) {
  FailureOr<TypedValue<RankedTensorType>> input = e.takeTensor();
  if (failed(input) || failed(e.checkNoneLeft()))
    return failure();
  int64_t rank = input->getType().getRank();
  Term x(e, Value(*input));
  if (!isComplexElement(x.element()))
    return e.error() << "complex numbers, got " << input->getType();
  Term re = x.apply("real").unsqueeze(rank),
       im = x.apply("imag").unsqueeze(rank);
  return finish(re.apply("cat", im, e.intAttr("dim", rank)));
}

static void addComplexOps(HandlerMap &map) {
  for (StringRef name : {"complex", "polar"})
    map[name] = {emitFromParts, ""};
  for (StringRef name : {"real", "imag", "conj", "angle"})
    map[name] = {emitOfComplex, ""};
  map["view_as_complex"] = {emitViewAsComplex, ""};
  map["view_as_real"] = {emitViewAsReal, ""};
}

void frontend::addCompositeOps(HandlerMap &map) {
  addComplexOps(map);
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
  map["reciprocal"] = {emitReciprocal, ""};
  map["relu"] = {emitRelu, ""};
  map["frac"] = {emitFraction, ""};
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
  map["ceil_div"] = {emitCeilDiv, ""};
  map["bit_ceil"] = {emitBitCeil, ""};
  for (StringRef name : {"erfinv", "erfcinv"})
    map[name] = {emitErfInverse, ""};
  map["hypot"] = {emitHypot, ""};
  map["logaddexp"] = {emitLogAddExp, ""};
  map["copysign"] = {emitCopySign, ""};
  map["cast"] = {emitCast, "type"};
  map["bitcast"] = {emitBitcast, "type"};
}
