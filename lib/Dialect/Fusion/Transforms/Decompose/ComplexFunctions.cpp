//===- ComplexFunctions.cpp - Functions of complex numbers ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formulas that neither overflow nor cancel where the result need not: many are
// those of W. Kahan, "Branch Cuts for Complex Elementary Functions".
//
//===----------------------------------------------------------------------===//

#include "ComplexNumbers.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace fuser;
using namespace fuser::fusion;

static constexpr double kLn2 = 0.69314718055994530942;
static constexpr double kLn10 = 2.30258509299404568402;
static constexpr double kPi = 3.14159265358979323846;

//===----------------------------------------------------------------------===//
// Exponentials and logarithms
//===----------------------------------------------------------------------===//

/// `x * y`, which is 0 where `y` is, also if `x` is infinite.
static Real scaleBy(Real x, Real y) {
  Truth isSpecial = (y == 0.0) & (apply<AbsOp>(x) == kInfinity);
  return select(isSpecial, y, x * y);
}

/// The point of the modulus `size` at `angle`. On the first axis it stays
/// there, and 0 is 0 also at an angle that is no number.
static Complex makePolar(Real size, Real angle) {
  Truth isNowhere =
      (size == 0.0) & compare(CmpPredicate::Ne, angle - angle, 0.0);
  Real re = size * apply<CosOp>(angle);
  Real im = scaleBy(size, apply<SinOp>(angle));
  return {select(isNowhere, 0.0, re), select(isNowhere, 0.0, im)};
}

static Complex emitExp(Complex z) {
  return makePolar(apply<ExpOp>(z.re), z.im);
}

static Complex emitExp2(Complex z) {
  return makePolar(apply<Exp2Op>(z.re), z.im * kLn2);
}

// e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y / 2)
static Complex emitExpM1(Complex z) {
  Real half = apply<SinOp>(z.im * 0.5);
  Real re = apply<ExpM1Op>(z.re) * apply<CosOp>(z.im) - half * half * 2.0;
  return {re, scaleBy(apply<ExpOp>(z.re), apply<SinOp>(z.im))};
}

// Near the unit circle ln |z| is half of ln(1 + (|z|^2 - 1)).
static Complex emitLog(Complex z) {
  Real a = apply<AbsOp>(z.re), b = apply<AbsOp>(z.im);
  Real large = apply<MaxOp>(a, b), small = apply<MinOp>(a, b);
  Real beyond = (large - 1.0) * (large + 1.0) + small * small;
  Truth isNear = (large > 0.5) & (large < 2.0);
  Real re = select(isNear, apply<Log1pOp>(beyond) * 0.5,
                   apply<LogOp>(hypot(z.re, z.im)));
  return {re, apply<Atan2Op>(z.im, z.re)};
}

static Complex emitLog2(Complex z) { return emitLog(z) * (1 / kLn2); }
static Complex emitLog10(Complex z) { return emitLog(z) * (1 / kLn10); }

// |1 + z|^2 - 1 = x (x + 2) + y^2
static Complex emitLog1p(Complex z) {
  Real beyond = z.re * (z.re + 2.0) + z.im * z.im;
  Complex log = emitLog(1.0 + z);
  Truth isNear = apply<AbsOp>(beyond) < 0.5;
  return {select(isNear, apply<Log1pOp>(beyond) * 0.5, log.re),
          apply<Atan2Op>(z.im, z.re + 1.0)};
}

// Of f32 in f64: what the product with the logarithm loses, the exponential
// multiplies.
static Complex emitPow(Complex x, Complex y) {
  Type element = x.re.getElement();
  FloatType wide = x.re.at->builder.getF64Type();
  Complex z = emitExp(convert(y, wide) * emitLog(convert(x, wide)));
  z = convert(z, element);
  Truth isZero = (x.re == 0.0) & (x.im == 0.0);
  Complex zero{makeFull(x.re, 0), makeFull(x.re, 0)};
  z = select(isZero & (y.re > 0.0), zero, z);
  Truth isOne = (y.re == 0.0) & (y.im == 0.0);
  return {select(isOne, 1.0, z.re), select(isOne, 0.0, z.im)};
}

// 1 / (1 + e^-z), with the exponential that does not overflow.
static Complex emitSigmoid(Complex z) {
  Truth isLeft = z.re < 0.0;
  Complex power = emitExp(select(isLeft, z, -z));
  Complex divisor = 1.0 + power;
  Complex dividend{select(isLeft, power.re, makeFull(z.re, 1)),
                   select(isLeft, power.im, makeFull(z.re, 0))};
  return dividend / divisor;
}

static Complex emitSilu(Complex z) { return z * emitSigmoid(z); }

static Complex emitReciprocal(Complex z) {
  return Complex{makeFull(z.re, 1), makeFull(z.re, 0)} / z;
}

static Complex emitRsqrt(Complex z) { return emitReciprocal(sqrt(z)); }

//===----------------------------------------------------------------------===//
// Trigonometry
//===----------------------------------------------------------------------===//

/// z times the imaginary unit, and divided by it.
static Complex turn(Complex z) { return {-z.im, z.re}; }
static Complex turnBack(Complex z) { return {z.im, -z.re}; }

static Complex emitSinh(Complex z) {
  return {scaleBy(apply<CosOp>(z.im), apply<SinhOp>(z.re)),
          scaleBy(apply<CoshOp>(z.re), apply<SinOp>(z.im))};
}

static Complex emitCosh(Complex z) {
  return {apply<CoshOp>(z.re) * apply<CosOp>(z.im),
          scaleBy(apply<SinhOp>(z.re), apply<SinOp>(z.im))};
}

static Complex emitSin(Complex z) { return turnBack(emitSinh(turn(z))); }
static Complex emitCos(Complex z) { return emitCosh(turn(z)); }

// (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y), in which nothing
// cancels. Beyond the bound it is 1 or -1 in all of its bits.
static Complex emitTanh(Complex z) {
  double bound = z.re.getElement().isF32() ? 40 : 300;
  Truth isBeyond = apply<AbsOp>(z.re) > bound;
  Real x = apply<MaxOp>(apply<MinOp>(z.re, bound), -bound);
  Real sinh = apply<SinhOp>(x);
  Real cosine = select(isBeyond, 0.0, apply<CosOp>(z.im));
  Real sine = select(isBeyond, 0.0, apply<SinOp>(z.im));
  Real divisor = sinh * sinh + cosine * cosine;
  return {sinh * apply<CoshOp>(x) / divisor, sine * cosine / divisor};
}

static Complex emitTan(Complex z) { return turnBack(emitTanh(turn(z))); }

/// z at infinity as seen from far away: an infinite part is 1 or -1, another
/// one 0 with its sign, or NaN.
static Complex makeCorner(Complex z) {
  auto shrink = [](Real x) {
    return select(apply<AbsOp>(x) == kInfinity,
                  apply<MaxOp>(apply<MinOp>(x, 1.0), -1.0), x * 0.0);
  };
  return {shrink(z.re), shrink(z.im)};
}

/// `angle`, or of a z at infinity `corner`.
static Real selectAngle(Complex z, Real corner, Real angle) {
  Truth isInfinite =
      (apply<AbsOp>(z.re) == kInfinity) | (apply<AbsOp>(z.im) == kInfinity);
  return select(isInfinite, corner, angle);
}

/// The roots of 1 - z, and of 1 + z.
static Complex makeRoots(Complex z, Complex &plus) {
  plus = sqrt(Complex{z.re + 1.0, z.im});
  return sqrt(Complex{1.0 - z.re, -z.im});
}

static Complex emitAsin(Complex z) {
  Complex plus, minus = makeRoots(z, plus);
  Real re = apply<Atan2Op>(z.re, minus.re * plus.re - minus.im * plus.im);
  Complex corner = makeCorner(z);
  re = selectAngle(z, apply<Atan2Op>(corner.re, apply<AbsOp>(corner.im)), re);
  return {re, apply<AsinhOp>(minus.re * plus.im - minus.im * plus.re)};
}

static Complex emitAcos(Complex z) {
  Complex plus, minus = makeRoots(z, plus);
  Real re = apply<Atan2Op>(minus.re, plus.re) * 2.0;
  Complex corner = makeCorner(z);
  re = selectAngle(z, apply<Atan2Op>(apply<AbsOp>(corner.im), corner.re), re);
  return {re, apply<AsinhOp>(plus.re * minus.im - plus.im * minus.re)};
}

static Complex emitAcosh(Complex z) {
  Complex plus = sqrt(Complex{z.re + 1.0, z.im});
  Complex minus = sqrt(Complex{z.re - 1.0, z.im});
  Real re = apply<AsinhOp>(minus.re * plus.re + minus.im * plus.im);
  Real im = apply<Atan2Op>(minus.im, plus.re) * 2.0;
  Complex corner = makeCorner(z);
  return {selectAngle(z, apply<AbsOp>(z.re) + apply<AbsOp>(z.im), re),
          selectAngle(z, apply<Atan2Op>(corner.im, corner.re), im)};
}

static Complex emitAsinh(Complex z) { return turnBack(emitAsin(turn(z))); }

/// ln(|1 + z| / |1 - z|) / 2 for the size of z's real part. `distance`: the
/// square of |1 - z|, which may be 0 or infinite where |1 - z| is not.
static Real emitAtanhOfSize(Real size, Real im, Real distance) {
  Real apart = hypot(1.0 - size, im);
  Truth isFar = distance == kInfinity;
  Truth isNear = distance < (size.getElement().isF32() ? 1e-30 : 1e-290);
  Real ratio = select(isFar, 0.0, size * 4.0 / distance);
  Real near = 0.5 * kLn2 - apply<LogOp>(apart) * 0.5;
  Real far = select(apart == kInfinity, 0.0, size / apart / apart);
  Real between = apply<Log1pOp>(ratio) * 0.25;
  return select(isFar, far, select(isNear, near, between));
}

// The real part is odd: of a positive one the logarithm is of more than 1.
static Complex emitAtanh(Complex z) {
  Real rest = 1.0 - z.re, square = z.im * z.im;
  Real size = apply<AbsOp>(z.re), ahead = 1.0 - size;
  Real distance = ahead * ahead + square;
  Real part = emitAtanhOfSize(size, z.im, distance);
  Real re = select(z.re < 0.0, -part, select(size > 0.0, part, z.re));
  // Far away it is a quarter of a turn.
  Truth isFar = distance == kInfinity;
  Real sign = apply<MaxOp>(apply<MinOp>(z.im, 1.0), -1.0) * 0.0;
  Real im = apply<Atan2Op>(select(isFar, sign, z.im * 2.0),
                           select(isFar, -1.0, rest * (z.re + 1.0) - square)) *
            0.5;
  return {re, im};
}

static Complex emitAtan(Complex z) { return turnBack(emitAtanh(turn(z))); }

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// cos(pi t) and sin(pi t), exactly at multiples of a half.
static Complex makePolarOfTurns(Real size, Real halfTurns) {
  Real quarters = apply<RoundOp>(halfTurns * 2.0);
  Real rest = (halfTurns - quarters * 0.5) * kPi;
  Real cosine = apply<CosOp>(rest), sine = apply<SinOp>(rest);
  Real quadrant = apply<RemainderOp>(quarters, 4.0);
  Truth isOdd = (quadrant == 1.0) | (quadrant == 3.0);
  Real x = select(isOdd, sine, cosine), y = select(isOdd, cosine, sine);
  Truth isLeft = (quadrant == 1.0) | (quadrant == 2.0);
  Truth isBelow = quadrant > 1.5;
  return {scaleBy(select(isLeft, -x, x), size),
          scaleBy(select(isBelow, -y, y), size)};
}

Complex
fusion::emitProduct(Complex z,
                    llvm::function_ref<Value(ReduceKind, Value)> reduce) {
  Type element = z.re.getElement();
  Place *at = z.re.at;
  Complex wide = convert(z, at->builder.getF64Type());
  Real size = hypot(wide.re, wide.im);
  Real halfTurns = apply<Atan2Op>(wide.im, wide.re) / kPi;
  Real product{at, reduce(ReduceKind::Prod, size.value)};
  Real sum{at, reduce(ReduceKind::Sum, halfTurns.value)};
  return convert(makePolarOfTurns(product, sum), element);
}

//===----------------------------------------------------------------------===//
// By op
//===----------------------------------------------------------------------===//

namespace {
/// A function of one number, or of two.
struct Function {
  StringRef name;
  Complex (*unary)(Complex);
  Complex (*binary)(Complex, Complex);
};
} // namespace

template <typename OpT>
static Function makeUnary(Complex (*function)(Complex)) {
  return {OpT::getOperationName(), function, nullptr};
}

template <typename OpT>
static Function makeBinary(Complex (*function)(Complex, Complex)) {
  return {OpT::getOperationName(), nullptr, function};
}

static ArrayRef<Function> getFunctions() {
  static const Function functions[] = {
      makeBinary<AddOp>([](Complex x, Complex y) { return x + y; }),
      makeBinary<SubOp>([](Complex x, Complex y) { return x - y; }),
      makeBinary<MulOp>([](Complex x, Complex y) { return x * y; }),
      makeBinary<DivOp>([](Complex x, Complex y) { return x / y; }),
      makeBinary<PowOp>(emitPow),
      makeUnary<NegOp>([](Complex z) { return -z; }),
      makeUnary<ConjOp>([](Complex z) { return Complex{z.re, -z.im}; }),
      makeUnary<SqrtOp>([](Complex z) { return sqrt(z); }),
      makeUnary<RsqrtOp>(emitRsqrt),
      makeUnary<ExpOp>(emitExp),
      makeUnary<Exp2Op>(emitExp2),
      makeUnary<ExpM1Op>(emitExpM1),
      makeUnary<LogOp>(emitLog),
      makeUnary<Log2Op>(emitLog2),
      makeUnary<Log10Op>(emitLog10),
      makeUnary<Log1pOp>(emitLog1p),
      makeUnary<SigmoidOp>(emitSigmoid),
      makeUnary<SiluOp>(emitSilu),
      makeUnary<SinOp>(emitSin),
      makeUnary<CosOp>(emitCos),
      makeUnary<TanOp>(emitTan),
      makeUnary<SinhOp>(emitSinh),
      makeUnary<CoshOp>(emitCosh),
      makeUnary<TanhOp>(emitTanh),
      makeUnary<AsinOp>(emitAsin),
      makeUnary<AcosOp>(emitAcos),
      makeUnary<AtanOp>(emitAtan),
      makeUnary<AsinhOp>(emitAsinh),
      makeUnary<AcoshOp>(emitAcosh),
      makeUnary<AtanhOp>(emitAtanh),
  };
  return functions;
}

std::optional<Complex> fusion::emitComplexFunction(Operation *op,
                                                   ArrayRef<Complex> operands) {
  const Function *found =
      llvm::find_if(getFunctions(), [&](const Function &function) {
        return op->getName().getStringRef() == function.name;
      });
  if (found == getFunctions().end())
    return std::nullopt;
  return found->unary ? found->unary(operands[0])
                      : found->binary(operands[0], operands[1]);
}

/// Of a question about each part, whether one or both have the answer.
template <typename OpT, typename CombineOp>
static Value combineTests(Complex z) {
  Place *at = z.re.at;
  OpBuilder &b = at->builder;
  return CombineOp::create(b, at->loc, OpT::create(b, at->loc, z.re.value),
                           OpT::create(b, at->loc, z.im.value));
}

Value fusion::emitRealFunction(Operation *op, ArrayRef<Complex> operands) {
  Complex z = operands[0];
  if (isa<RealOp>(op))
    return z.re.value;
  if (isa<ImagOp>(op))
    return z.im.value;
  if (isa<ModulusOp>(op))
    return hypot(z.re, z.im).value;
  if (isa<AngleOp>(op))
    return apply<Atan2Op>(z.im, z.re).value;
  if (isa<IsNaNOp>(op))
    return combineTests<IsNaNOp, OrOp>(z);
  if (isa<IsInfOp>(op))
    return combineTests<IsInfOp, OrOp>(z);
  if (isa<IsFiniteOp>(op))
    return combineTests<IsFiniteOp, AndOp>(z);
  if (auto cmp = dyn_cast<CmpOp>(op)) {
    CmpPredicate predicate = cmp.getPredicate();
    Truth re = compare(predicate, z.re, operands[1].re);
    Truth im = compare(predicate, z.im, operands[1].im);
    return (predicate == CmpPredicate::Eq ? re & im : re | im).value;
  }
  return {};
}
