//===- LogGamma.cpp - The logarithm of the gamma function ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Computed in f64, with one logarithm, and two below -1/2. Polynomials are
// minimax fits; the comment of each says for which range, and to how many bits.
//
//===----------------------------------------------------------------------===//

#include "ElementFunctions.h"
#include "fuser/Support/FloatBuilder.h"
#include <limits>

using namespace fuser;
using namespace fuser::fusion;

namespace {
using P = arith::CmpFPredicate;

/// Arithmetic of f64 with its constants.
class LogGamma : public FloatBuilder {
public:
  /// `flags`: how exact a logarithm has to be.
  LogGamma(OpBuilder &b, Location loc, Type example, arith::FastMathFlags flags)
      : FloatBuilder(b, loc, example), flags(flags) {}

  Value of(Value x);

private:
  Value number(double value) {
    return constant(getBuilder().getF64Type(), value);
  }
  Value less(Value x, double y) { return compare(P::OLT, x, number(y)); }
  Value log(Value x) {
    return math::LogOp::create(getBuilder(), getLoc(), x, flags);
  }
  Value floor(Value x) {
    return math::FloorOp::create(getBuilder(), getLoc(), x);
  }

  Value ofAtMost8(Value x, Value n, Value log);
  Value ofAtLeast8(Value x, Value log);
  Value product(Value x, Value n);

  arith::FastMathFlags flags;
};
} // namespace

/// With gamma(x) = gamma(x - n) p, or gamma(x - n) / p if n is negative: p,
/// where n is from -2 to 6.
Value LogGamma::product(Value x, Value n) {
  Value p = number(1);
  for (int k = 1; k <= 6; ++k)
    p = select(less(n, k), p, mul(p, sub(x, number(k))));
  p = select(less(n, 0), abs(x), p);
  return select(less(n, -1), abs(mul(x, add(x, number(1)))), p);
}

/// gamma(2 + t), with t from -0.65 to 0.35, times or by the product whose
/// logarithm is `log`. Nothing cancels near the zeros, 1 and 2.
Value LogGamma::ofAtMost8(Value x, Value n, Value log) {
  Value t = sub(x, add(n, number(2)));
  // ln(gamma(2 + t)) / t, 57 bits.
  Value q = polynomial(
      t, {0.42278433509846713, 0.3224670334241133, -0.06735230105319737,
          0.02058080842776652, -0.007385551028779625, 0.0028905103320544696,
          -0.0011927539053067523, 0.00050966948456935, -0.00022315495819922332,
          9.945807463104598e-05, -4.492280667943332e-05, 2.050456729367251e-05,
          -9.47152940051299e-06, 4.358133179260872e-06, -1.8944056842979266e-06,
          1.177089140897882e-06, -6.20791941521262e-07, -4.2453097760058914e-07,
          -5.661163576980632e-07});
  return fma(t, q, select(less(n, 0), neg(log), log));
}

/// Stirling's series.
Value LogGamma::ofAtLeast8(Value x, Value log) {
  Value inverse = div(number(1), x);
  // What is left, times x, in 1 / x^2, 60 bits.
  Value rest = polynomial(mul(inverse, inverse),
                          {0.08333333333333333, -0.002777777777773988,
                           0.000793650789752374, -0.0005952365844987332,
                           0.0008414700845084233, -0.0018903829559755586,
                           0.005065904614765912});
  constexpr double kHalfLn2PiLessHalf = 0.4189385332046727;
  Value small = fma(inverse, rest, number(kHalfLn2PiLessHalf));
  return fma(sub(x, number(0.5)), sub(log, number(1)), small);
}

/// Below -1/2 by gamma(x) gamma(-x) = -pi / (x sin(pi x)).
Value LogGamma::of(Value x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kLnPi = 1.1447298858494002;
  Value isReflected = less(x, -0.5);
  Value y = select(isReflected, neg(x), x);
  Value n = sub(floor(add(y, number(0.65))), number(2));
  Value isSmall = less(y, 8);
  Value ln = log(select(isSmall, product(y, n), y));
  Value result = select(isSmall, ofAtMost8(y, n, ln), ofAtLeast8(y, ln));
  Value whole =
      math::RoundEvenOp::create(getBuilder(), getLoc(), x).getResult();
  Value f = sub(x, whole);
  // sin(pi f) / f in f^2, for |f| <= 1/2, 62 bits.
  Value sine = mul(
      f, polynomial(mul(f, f),
                    {3.141592653589793, -5.167712780049969, 2.5501640398773007,
                     -0.5992645293189447, 0.0821458865731029,
                     -0.007370430505916944, 0.0004662998161898394,
                     -2.1903497074626018e-05, 7.697826768224191e-07}));
  Value reflected = sub(sub(number(kLnPi), log(mul(y, abs(sine)))), result);
  result = select(isReflected, reflected, result);
  // Whole numbers that are not positive are poles.
  Value isPole = andi(compare(P::OEQ, x, whole), compare(P::OLE, x, number(0)));
  Value isEnd = compare(P::OEQ, abs(x), number(kInfinity));
  return select(ori(isPole, isEnd), number(kInfinity), result);
}

Value fusion::emitLogGamma(EmitContext &ctx, Type element, Value input) {
  OpBuilder &b = ctx.builder;
  // What is rounded to fewer bits needs a logarithm of fewer.
  LogGamma f(b, ctx.loc, input.getType(),
             element.isF64() ? arith::FastMathFlags::none
                             : arith::FastMathFlags::afn);
  if (getElementTypeOrSelf(input).isF64())
    return f.of(input);
  Value result = f.of(f.extendFloat(input, b.getF64Type()));
  return f.truncateFloat(result, getElementTypeOrSelf(input));
}
