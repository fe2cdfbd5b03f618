//===- ExpandFunctions.cpp - Functions of f32 as arithmetic ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An f32 has 24 digits and an f64 53: what is computed in f64 with an error of
// 2^-30 is rounded to the right f32 but for one of a hundred, and needs no
// tricks where digits cancel. Most kernels wait for memory long before such
// arithmetic; those that models have everywhere are of f32.
//
// There are no tables, and no branches but one for angles that are far from 0,
// so that scalars, vectors and all targets compute the same. Polynomials are
// minimax fits; the comment of each says for which range, and to how many bits.
//
//===----------------------------------------------------------------------===//

#include "fuser/Transforms/ExpandFunctions.h"
#include "fuser/Support/FloatBuilder.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace fuser;

using P = arith::CmpFPredicate;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
static constexpr double kHalfPi = 0x1.921fb54442d18p0;
static constexpr double kLn2 = 0x1.62e42fefa39efp-1;
static constexpr double kLog2E = 0x1.71547652b82fep0;
static constexpr double kLog10E = 0x1.bcb7b1526e50ep-2;

namespace {
/// Emits functions of f64 whose results are to be rounded to f32.
class Functions : public FloatBuilder {
public:
  Functions(OpBuilder &builder, Location loc, Type type,
            Lanes lanes = Lanes::Together)
      : FloatBuilder(builder, loc, type), lanes(lanes) {}

  Value exp(Value x) { return expOf(x, /*unit=*/kLn2, /*less=*/0); }
  Value exp2(Value x) { return expOf(x, /*unit=*/1, /*less=*/0); }
  Value log(Value x) { return logOf(x, /*isOneMore=*/false); }
  Value log1p(Value x) {
    return withSign(abs(logOf(x, /*isOneMore=*/true)), x);
  }
  Value expm1(Value x) {
    return withSign(abs(expOf(x, /*unit=*/kLn2, /*less=*/1)), x);
  }
  Value log2(Value x) { return mul(log(x), number(kLog2E)); }
  Value log10(Value x) { return mul(log(x), number(kLog10E)); }

  Value tan(Value x) { return quotient(x, reduce(x), 0, true); }
  Value asin(Value x) { return atan2(x, leg(x)); }
  Value acos(Value x) { return atan2(leg(x), x); }
  Value atan(Value x) { return atan2(x, number(1)); }
  Value atan2(Value y, Value x);

  Value sinh(Value x);
  Value cosh(Value x);
  Value asinh(Value x);
  Value acosh(Value x);
  Value atanh(Value x);

  Value erfc(Value x);
  Value pow(Value x, Value y);
  Value rem(Value x, Value y);

  // Of f32, in f32: what models have everywhere would wait for arithmetic.
  Value erfOfF32(Value x);
  Value log1pOfF32(Value x);
  Value expm1OfF32(Value x);
  Value sinOfF32(Value x) { return waveOfF32(x, /*turn=*/0); }
  Value cosOfF32(Value x) { return waveOfF32(x, /*turn=*/1); }

private:
  /// An angle of `quadrant` quarters of a turn and `rest`.
  struct Angle {
    Value quadrant, rest;
  };

  Value number(double value) {
    return constant(getBuilder().getF64Type(), value);
  }
  Value less(Value x, Value y) { return compare(P::OLT, x, y); }
  Value equal(Value x, Value y) { return compare(P::OEQ, x, y); }
  /// NaNs stay what they are.
  Value atMost(Value x, Value y) { return select(less(y, x), y, x); }
  Value atLeast(Value x, Value y) { return select(less(x, y), y, x); }
  Value orNaN(Value condition, Value x) {
    return select(condition, x, number(kNaN));
  }
  Value isNegative(Value x) {
    return comparei(arith::CmpIPredicate::slt, toBits(x), integer(64, 0));
  }
  /// `magnitude`, or its opposite if `x` is negative. No copysign: LLVM
  /// moves roundings to f16 into its second operand, an f64, for which there is
  /// no instruction.
  Value withSign(Value magnitude, Value x) {
    return select(isNegative(x), neg(magnitude), magnitude);
  }
  Value isSet(Value bits, int64_t mask) {
    return comparei(arith::CmpIPredicate::ne, andi(bits, integer(64, mask)),
                    integer(64, 0));
  }
  Value sqrt(Value x) {
    return math::SqrtOp::create(getBuilder(), getLoc(), x);
  }
  Value trunc(Value x) {
    return math::TruncOp::create(getBuilder(), getLoc(), x);
  }
  Value multiply(Value x, Value y) {
    return arith::MulIOp::create(getBuilder(), getLoc(), x, y);
  }

  Value expOf(Value x, double unit, double less);
  Value logOf(Value x, bool isOneMore);
  /// sqrt(1 - x^2), of a triangle with a hypotenuse of 1 and a leg of x.
  Value leg(Value x) {
    Value one = number(1);
    return sqrt(mul(sub(one, x), add(one, x)));
  }
  Value window(Value place, unsigned word);
  Angle reduce(Value x);
  Value quotient(Value x, Angle angle, int64_t turn, bool isTangent);
  Value waveOfF32(Value x, int32_t turn);
  Value farWaves(Value x, int32_t turn);

  Lanes lanes;
};
} // namespace

//===----------------------------------------------------------------------===//
// Exponentials and logarithms
//===----------------------------------------------------------------------===//

/// With x = (n + f) unit, |f| <= 1/2: 2^n (1 + r q(r)) - less for r = f ln 2,
/// where nothing cancels if n = 0.
Value Functions::expOf(Value x, double unit, double less) {
  // Results of f32 are 0 or infinite long before.
  x = atLeast(x, number(-1000 * unit));
  x = atMost(x, number(1000 * unit));
  Value magic = number(6755399441055744.0);
  Value shifted = fma(x, number(1 / unit), magic);
  Value n = sub(shifted, magic);
  Value r = fma(n, number(-unit), x);
  if (unit == 1)
    r = mul(r, number(kLn2));
  // (e^r - 1) / r for |r| <= ln(2)/2, 37 bits.
  Value q = polynomial(r, {0.9999999999955365, 0.500000000012134,
                           0.16666666786062453, 0.041666665948313836,
                           0.008333283553528938, 0.001388897849689903,
                           0.00019907583245111677, 2.4801658548221647e-05});
  Value exponent = addi(toBits(shifted), integer(64, 1023));
  Value power = fromBits(shl(exponent, 52), getBuilder().getF64Type());
  Value rest = less == 0 ? power : sub(power, number(less));
  return fma(power, mul(r, q), rest);
}

/// x, or 1 + x, is 2^k (1 + m), with 1 + m from sqrt(1/2) to sqrt(2).
Value Functions::logOf(Value x, bool isOneMore) {
  Value one = number(1);
  Value y = isOneMore ? add(x, one) : x;
  Type f64 = getBuilder().getF64Type();
  constexpr int64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  Value bits = subi(toBits(y), integer(64, kSqrtHalf));
  Value k = shrs(bits, 52);
  Value mantissa = addi(andi(bits, integer(64, (int64_t(1) << 52) - 1)),
                        integer(64, kSqrtHalf));
  Value m = sub(fromBits(mantissa, f64), one);
  // The digits that 1 + x has lost.
  if (isOneMore)
    m = select(comparei(arith::CmpIPredicate::eq, k, integer(64, 0)), x, m);
  Value s = div(m, add(m, number(2)));
  Value z = mul(s, s);
  // ln(1 + m) / s - 2, of fdlibm, 58 bits.
  Value series =
      mul(z, polynomial(z, {6.666666666666735130e-01, 3.999999999940941908e-01,
                            2.857142874366239149e-01, 2.222219843214978396e-01,
                            1.818357216161805012e-01, 1.531383769920937332e-01,
                            1.479819860511658591e-01}));
  Value ln = mul(s, add(number(2), series));
  Value result = fma(toFloat(truncate(k, 32), f64), number(kLn2), ln);
  // Infinity and NaN are their own logarithms.
  result = select(less(y, number(kInfinity)), result, y);
  result = select(equal(y, number(0)), number(-kInfinity), result);
  return select(less(y, number(0)), number(kNaN), result);
}

/// 1 + x is 2^k (1 + m), with 1 + m from 3/4 to 3/2, and m has the digits that
/// 1 + x has lost. Off by 0.95 units at most.
Value Functions::log1pOfF32(Value x) {
  Value one = constantLike(x, 1);
  Value sum = add(x, one);
  // k, as the exponent of a float.
  Value exponent = andi(subi(toBits(sum), integer(32, 0x3f400000)),
                        integer(32, int32_t(0xff800000)));
  Type f32 = getBuilder().getF32Type();
  // 4 / 2^k: 1 / 2^k may be no normal number.
  Value scale = fromBits(subi(integer(32, 0x40800000), exponent), f32);
  Value rest = fma(scale, constantLike(x, 0.25), constantLike(x, -1));
  Value m = add(fromBits(subi(toBits(x), exponent), f32), rest);
  // (ln(1 + m) - m) / m^2 for m from -1/4 to 1/2, 25 bits.
  Value series = polynomial(
      m, {-0.4999999979364829, 0.33333395581213243, -0.25000154852084816,
          0.19993583864202458, -0.16647588617381273, 0.14438511702014478,
          -0.13123619575639833, 0.10626902213678911, -0.047388156923041616});
  Value ln = fma(mul(m, m), series, m);
  Value k = toFloat(shrs(exponent, 23), f32);
  Value result = fma(k, constantLike(x, kLn2), ln);
  // Infinity, NaN and zeros are their own.
  Value isOther = andi(compare(P::OLT, x, constantLike(x, kInfinity)),
                       compare(P::ONE, x, constantLike(x, 0)));
  result = select(isOther, result, x);
  result = select(compare(P::OEQ, sum, constantLike(x, 0)),
                  constantLike(x, -kInfinity), result);
  return select(compare(P::OLT, sum, constantLike(x, 0)), constantLike(x, kNaN),
                result);
}

/// With x = j ln 2 + r: 2^j (e^r - 1) + (2^j - 1), all over 2, as 2^128 is
/// infinite. Off by 1.45 units at most.
Value Functions::expm1OfF32(Value x) {
  // Beyond these it is infinite, and -1.
  Value most = constantLike(x, 89), least = constantLike(x, -20);
  Value y = select(compare(P::OGT, x, most), most, x);
  y = select(compare(P::OLT, y, least), least, y);
  Value rounder = constantLike(x, 12582912.0); // 1.5 * 2^23
  Value shifted = fma(y, constantLike(x, kLog2E), rounder);
  Value j = neg(sub(shifted, rounder));
  Value r = fma(j, constantLike(x, 6.93145752e-1), y);
  r = fma(j, constantLike(x, 1.42860677e-6), r);
  // (e^r - 1 - r) / r^2 for |r| <= ln(2)/2, 29 bits.
  Value series = polynomial(r, {0.5000000013488438, 0.1666666668185034,
                                0.04166646469926911, 0.008333310810768676,
                                0.0013933675076345882, 0.00019891093224870822});
  Value rest = fma(mul(r, r), series, r);
  // 2^(j-1)
  Value bits = addi(shl(toBits(shifted), 23), integer(32, 126 << 23));
  Value power = fromBits(bits, getBuilder().getF32Type());
  Value half = fma(rest, power, sub(power, constantLike(x, 0.5)));
  // What is small may be no normal number, and has no half.
  Value isTiny = compare(P::OLT, abs(x), constantLike(x, 0x1p-40));
  return select(isTiny, x, add(half, half));
}

/// e^(y ln |x|), and what IEEE 754 says of its ends.
Value Functions::pow(Value x, Value y) {
  Value one = number(1), infinity = number(kInfinity);
  Value magnitude = abs(x);
  Value result = exp(mul(y, log(magnitude)));
  // Too large a y is even.
  Value isWhole = equal(trunc(y), y);
  Value half = mul(y, number(0.5));
  Value isOdd = andi(isWhole, compare(P::UNE, trunc(half), half));
  isOdd = andi(isOdd, less(abs(y), infinity));
  result = select(andi(isOdd, isNegative(x)), neg(result), result);
  Value isRoot = andi(less(x, number(0)), less(number(-kInfinity), x));
  isRoot = andi(isRoot, compare(P::UNE, trunc(y), y));
  result = select(isRoot, number(kNaN), result);
  // Of -1 to an infinite power, too.
  Value isUnit = andi(equal(magnitude, one), equal(abs(y), infinity));
  Value isOne = ori(ori(equal(y, number(0)), equal(x, one)), isUnit);
  return select(isOne, one, result);
}

//===----------------------------------------------------------------------===//
// Angles
//===----------------------------------------------------------------------===//

/// 32 bits of 2/pi from bit `place` + 32 `word` on, with 26 zeros before its
/// fraction, as an i64. `place` is no greater than 129.
Value Functions::window(Value place, unsigned word) {
  static constexpr uint32_t kBits[] = {0x00000028, 0xbe60db93, 0x91054a7f,
                                       0x09d5f47d, 0x4d377036, 0xd8a5664f,
                                       0x10e4107f, 0x9458eaf7};
  auto pair = [&](unsigned at) {
    uint64_t bits = uint64_t(kBits[at]) << 32 | kBits[at + 1];
    return integer(64, static_cast<int64_t>(bits));
  };
  Value step = shru(place, 5);
  Value bits = pair(word);
  for (unsigned at = 1; at != 5; ++at)
    bits = select(comparei(arith::CmpIPredicate::uge, step, integer(64, at)),
                  pair(word + at), bits);
  bits = arith::ShLIOp::create(getBuilder(), getLoc(), bits,
                               andi(place, integer(64, 31)));
  return shru(bits, 32);
}

/// |x|, of at most 24 digits, modulo a turn: by the bits of 2/pi that matter,
/// as Payne and Hanek do.
Functions::Angle Functions::reduce(Value x) {
  Type f64 = getBuilder().getF64Type();
  // |x| = digits / 2^24 * 2^place.
  Value bits = andi(toBits(x), integer(64, INT64_MAX));
  Value exponent = subi(shru(bits, 52), integer(64, 1022));
  Value isSmall = comparei(arith::CmpIPredicate::slt, exponent, integer(64, 0));
  Value isLarge =
      comparei(arith::CmpIPredicate::sgt, exponent, integer(64, 128));
  Value place = select(isLarge, integer(64, 128), exponent);
  place = select(isSmall, integer(64, 0), place);
  Value digits = ori(shru(andi(bits, integer(64, (int64_t(1) << 52) - 1)), 29),
                     integer(64, 0x800000));
  // In units of 2^-62 quarters, modulo four.
  Value product = addi(shl(multiply(digits, window(place, 0)), 32),
                       multiply(digits, window(place, 1)));
  product = addi(product, shru(multiply(digits, window(place, 2)), 32));
  Value whole = shru(addi(product, integer(64, int64_t(1) << 61)), 62);
  Value rest = subi(product, shl(whole, 62));
  Value high = toFloat(truncate(shrs(rest, 32), 32), f64);
  Value low =
      toFloat(truncate(shru(andi(rest, integer(64, 0xffffffff)), 1), 32), f64);
  Value fraction = fma(high, number(0x1p-30), mul(low, number(0x1p-61)));
  return {select(isSmall, integer(64, 0), whole),
          select(isSmall, abs(x), mul(fraction, number(kHalfPi)))};
}

/// The sine of `x`, which is +-`angle`, after `turn` quarters; its tangent.
Value Functions::quotient(Value x, Angle angle, int64_t turn, bool isTangent) {
  Value r = angle.rest, z = mul(r, r);
  // (sin r / r - 1) / r^2 and (cos r - 1) / r^2 for |r| <= pi/4, 32 and 40
  // bits.
  Value sine =
      fma(mul(r, z),
          polynomial(z, {-0.16666666663805793, 0.008333331859240794,
                         -0.00019840079592184847, 2.724910415839369e-06}),
          r);
  Value cosine =
      fma(z,
          polynomial(z, {-0.49999999999962824, 0.0416666666368261,
                         -0.0013888885043450208, 2.4799849308397385e-05,
                         -2.723605962208162e-07}),
          number(1));
  Value quadrant = addi(angle.quadrant, integer(64, turn));
  Value isOdd = isSet(quadrant, 1);
  Value result = select(isOdd, cosine, sine);
  if (isTangent)
    result = div(result, select(isOdd, sine, cosine));
  Value isBelow = isTangent ? isOdd : isSet(quadrant, 2);
  result = select(isBelow, neg(result), result);
  // A cosine is the same on both sides.
  if (turn == 0)
    result = withSign(result, x);
  return orNaN(less(abs(x), number(kInfinity)), result);
}

/// Sines of `turn` quarters more than angles that are too great for three
/// products, in f64.
Value Functions::farWaves(Value x, int32_t turn) {
  OpBuilder &b = getBuilder();
  Location loc = getLoc();
  auto type = dyn_cast<VectorType>(x.getType());
  if (!type || lanes == Lanes::Together) {
    Value wide = extendFloat(x, b.getF64Type());
    Functions f(b, loc, wide.getType());
    return truncateFloat(f.quotient(wide, f.reduce(wide), turn, false),
                         b.getF32Type());
  }
  Value none = arith::ConstantIndexOp::create(b, loc, 0);
  Value count = arith::ConstantIndexOp::create(b, loc, type.getNumElements());
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(
      b, loc, none, count, one, x,
      [&](OpBuilder &, Location, Value lane, ValueRange results) {
        Value element = vector::ExtractOp::create(b, loc, results[0], lane);
        Functions f(b, loc, element.getType());
        Value wave = f.farWaves(element, turn);
        Value inserted =
            vector::InsertOp::create(b, loc, wave, results[0], lane);
        scf::YieldOp::create(b, loc, inserted);
      });
  return loop.getResult(0);
}

/// With x = j pi/2 + r, |r| <= pi/4: the sine or the cosine of r. Off by 1.5
/// units at most. Great angles, and what is no number, are a branch.
Value Functions::waveOfF32(Value x, int32_t turn) {
  OpBuilder &b = getBuilder();
  Location loc = getLoc();
  Value rounder = constantLike(x, 12582912.0); // 1.5 * 2^23
  Value shifted = fma(x, constantLike(x, 1 / kHalfPi), rounder);
  Value j = neg(sub(shifted, rounder));
  // pi/2 in three parts: what the first leaves is a number of f32.
  Value r = fma(j, constantLike(x, 1.5707963705062866), x);
  r = fma(j, constantLike(x, -4.3711388286737929e-08), r);
  r = fma(j, constantLike(x, -1.7151245100059e-15), r);
  Value z = mul(r, r);
  // (sin r / r - 1) / r^2 and (cos r - 1) / r^2, 35 and 31 bits.
  Value sine = polynomial(z, {-0.16666666663843785, 0.008333331870238428,
                              -0.00019840084320882218, 2.7249612885872762e-06});
  sine = fma(mul(r, z), sine, r);
  // Of a zero, and of what has no square.
  sine = select(compare(P::OEQ, z, constantLike(x, 0)), x, sine);
  Value cosine =
      polynomial(z, {-0.4999999996899298, 0.041666650595420344,
                     -0.0013887586504808072, 2.4463444765551204e-05});
  cosine = fma(z, cosine, constantLike(x, 1));
  Value quadrant = addi(toBits(shifted), integer(32, turn));
  Value isOdd = comparei(arith::CmpIPredicate::ne,
                         andi(quadrant, integer(32, 1)), integer(32, 0));
  Value sign = shl(andi(quadrant, integer(32, 2)), 30);
  Value magnitude = toBits(select(isOdd, cosine, sine));
  Value near =
      fromBits(arith::XOrIOp::create(b, loc, magnitude, sign), b.getF32Type());
  Value isFar = compare(P::UGE, abs(x), constantLike(x, 0x1p16));
  Value isAnyFar = isFar;
  if (isa<VectorType>(isFar.getType()))
    isAnyFar =
        vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, isFar);
  auto branch = scf::IfOp::create(
      b, loc, isAnyFar,
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, loc, select(isFar, farWaves(x, turn), near));
      },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, near); });
  return branch.getResult(0);
}

/// The angle whose tangent is the lesser of |y| and |x| by the greater, turned
/// to where the point is.
Value Functions::atan2(Value y, Value x) {
  Value large = number(0x1p300), tiny = number(0x1p-500);
  Value height = atMost(abs(y), large), width = atMost(abs(x), large);
  Value isSteep = less(width, height);
  Value greater = select(isSteep, height, width);
  Value lesser = select(isSteep, width, height);
  // Beyond pi/8 from the diagonal.
  Value isNear = less(mul(greater, number(0.41421356237309503)), lesser);
  Value numerator = select(isNear, sub(lesser, greater), lesser);
  Value denominator = select(isNear, add(lesser, greater), greater);
  Value t = div(numerator, atLeast(denominator, tiny));
  Value z = mul(t, t);
  // (atan t / t - 1) / t^2 for |t| <= tan(pi/8), 39 bits.
  Value angle = fma(mul(t, z),
                    polynomial(z, {-0.3333333333326675, 0.19999999950077432,
                                   -0.14285708123294102, 0.11110819902326288,
                                   -0.09084100619138495, 0.076047522443553,
                                   -0.0602694980389826, 0.03294827523404004}),
                    t);
  angle = select(isNear, add(angle, number(kHalfPi / 2)), angle);
  angle = select(isSteep, sub(number(kHalfPi), angle), angle);
  angle = select(isNegative(x), sub(number(2 * kHalfPi), angle), angle);
  return withSign(angle, y);
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

Value Functions::sinh(Value x) {
  Value e = expm1(abs(x));
  Value sum = add(e, div(e, add(e, number(1))));
  return withSign(mul(sum, number(0.5)), x);
}

Value Functions::cosh(Value x) {
  Value e = exp(abs(x));
  return fma(e, number(0.5), div(number(0.5), e));
}

/// ln(a + sqrt(a^2 + 1)), without what cancels near 0.
Value Functions::asinh(Value x) {
  Value one = number(1), a = abs(x);
  Value square = mul(a, a);
  Value less1 = div(square, add(one, sqrt(add(square, one))));
  Value result = log1p(add(a, less1));
  return withSign(select(less(a, number(kInfinity)), result, a), x);
}

Value Functions::acosh(Value x) {
  Value t = sub(x, number(1));
  Value root = sqrt(mul(t, add(t, number(2))));
  return select(less(t, number(0)), number(kNaN), log1p(add(t, root)));
}

Value Functions::atanh(Value x) {
  Value a = abs(x);
  Value ratio = div(add(a, a), sub(number(1), a));
  return withSign(mul(log1p(ratio), number(0.5)), x);
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// A polynomial below 7/8; beyond, 1 - 2^q, where q is log2(erfc(x)). Off by
/// 0.95 units at most.
Value Functions::erfOfF32(Value x) {
  Value a = abs(x), square = mul(a, a);
  // erf x / x - 1 in x^2, 30 bits.
  Value series = polynomial(
      square, {0.12837916688558051, -0.3761263621367055, 0.11283735210155595,
               -0.026861705831181606, 0.0052070489106000265,
               -0.0008214570887454587, 8.690368907390262e-05});
  Value inner = fma(series, a, a);
  // Beyond 4 it is 1. q is a number of f32 at the first place.
  constexpr double kPlace = 1.1480712890625, kValue = -3.2590138912200928;
  Value end = constantLike(x, 4);
  Value y =
      sub(select(compare(P::OGT, a, end), end, a), constantLike(x, kPlace));
  // (log2(erfc(x)) - q) / y, times erfc 29 bits.
  Value slope = polynomial(y, {-4.171199684587261, -1.2411664659201902,
                               -0.05199873677540202, 0.012468316629984773,
                               -0.0024619809112922894, 0.0002892923926491231});
  Value first = constantLike(x, kValue);
  Value rounder = constantLike(x, 12582912.0); // 1.5 * 2^23
  Value shifted = add(fma(y, slope, first), rounder);
  // What is left of q, rounded once.
  Value f = fma(y, slope, sub(first, sub(shifted, rounder)));
  // (2^f - 1) / f for |f| <= 1/2, 27 bits.
  Value power = polynomial(f, {0.6931471880262334, 0.24022650760573544,
                               0.05550357114196619, 0.009618082556111674,
                               0.0013390863376650862, 0.0001545316341417319});
  Value one = constantLike(x, 1);
  Value bits = addi(toBits(fma(power, f, one)), shl(toBits(shifted), 23));
  Value outer = sub(one, fromBits(bits, getBuilder().getF32Type()));
  // A NaN is not less.
  Value isOuter = compare(P::OGE, a, constantLike(x, 0.875));
  return copySign(select(isOuter, outer, inner), x);
}

/// 1 - erf(x) below 1; beyond, e^-x^2 p(u) / (1 + 2 |x|).
Value Functions::erfc(Value x) {
  Value one = number(1), two = number(2);
  Value a = atMost(abs(x), number(12));
  Value square = mul(a, a);
  // erf x / x for |x| <= 1, 40 bits.
  Value inner = mul(
      x, polynomial(square, {1.1283791670945853, -0.3761263888850901,
                             0.11283791285448808, -0.026866131413205475,
                             0.005223776416164262, -0.0008542489058177875,
                             0.00011954819236918432, -1.3898700323385874e-05,
                             1.0562972370730293e-06}));
  Value scale = fma(a, two, one), shifted = add(a, two);
  Value inverse = div(one, mul(scale, shifted));
  Value u = mul(mul(sub(a, two), scale), inverse);
  // e^x^2 erfc(x) (1 + 2 x) for u = (x - 2) / (x + 2), x to 10.5, 38 bits.
  Value p = polynomial(
      u, {1.2769783815557678, -0.09276382652084646, -0.16603039819766555,
          0.1640512760152576, -0.054219984753117165, -0.008033939462606743,
          0.008722494829864508, 0.0012706859255388683, -0.0014561657334163007,
          -0.0004513673004658372, 0.00020556750267860472,
          0.00014370695713854812, -3.2855969436168043e-06,
          -2.737708624781596e-05, -7.451083091263457e-06});
  Value tail = mul(mul(exp(neg(square)), p), mul(shifted, inverse));
  Value outer = select(isNegative(x), sub(two, tail), tail);
  return select(less(a, one), sub(one, inner), outer);
}

/// A long division: each step takes 28 digits of the quotient, so that its
/// product with the 24 of y is exact.
Value Functions::rem(Value x, Value y) {
  Value rest = abs(x), divisor = abs(y), zero = number(0);
  Value inverse = div(number(1), divisor);
  for (int step = 9; step >= 0; --step) {
    double scale = std::ldexp(1.0, 28 * step);
    Value digits = trunc(mul(mul(rest, number(1 / scale)), inverse));
    rest = fma(neg(digits), mul(divisor, number(scale)), rest);
  }
  // The last digit may have been rounded up, or down.
  rest = select(less(rest, zero), add(rest, divisor), rest);
  rest = select(less(rest, divisor), rest, sub(rest, divisor));
  Value isQuotient =
      andi(less(abs(x), number(kInfinity)), compare(P::OGT, divisor, zero));
  Value result = orNaN(isQuotient, withSign(rest, x));
  return select(less(abs(x), divisor), x, result);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

using Unary = Value (Functions::*)(Value);
using Binary = Value (Functions::*)(Value, Value);

static Unary getUnary(Operation *op) {
  return llvm::TypeSwitch<Operation *, Unary>(op)
      .Case([](math::Exp2Op) { return &Functions::exp2; })
      .Case([](math::Log2Op) { return &Functions::log2; })
      .Case([](math::Log10Op) { return &Functions::log10; })
      .Case([](math::TanOp) { return &Functions::tan; })
      .Case([](math::AsinOp) { return &Functions::asin; })
      .Case([](math::AcosOp) { return &Functions::acos; })
      .Case([](math::AtanOp) { return &Functions::atan; })
      .Case([](math::SinhOp) { return &Functions::sinh; })
      .Case([](math::CoshOp) { return &Functions::cosh; })
      .Case([](math::AsinhOp) { return &Functions::asinh; })
      .Case([](math::AcoshOp) { return &Functions::acosh; })
      .Case([](math::AtanhOp) { return &Functions::atanh; })
      .Case([](math::ErfcOp) { return &Functions::erfc; })
      .Default([](Operation *) { return Unary(); });
}

static Binary getBinary(Operation *op) {
  return llvm::TypeSwitch<Operation *, Binary>(op)
      .Case([](math::PowFOp) { return &Functions::pow; })
      .Case([](math::Atan2Op) { return &Functions::atan2; })
      .Case([](arith::RemFOp) { return &Functions::rem; })
      .Default([](Operation *) { return Binary(); });
}

/// Of those of f32 in f32.
static Unary getNarrow(Operation *op) {
  return llvm::TypeSwitch<Operation *, Unary>(op)
      .Case([](math::ErfOp) { return &Functions::erfOfF32; })
      .Case([](math::Log1pOp) { return &Functions::log1pOfF32; })
      .Case([](math::ExpM1Op) { return &Functions::expm1OfF32; })
      .Case([](math::SinOp) { return &Functions::sinOfF32; })
      .Case([](math::CosOp) { return &Functions::cosOfF32; })
      .Default([](Operation *) { return Unary(); });
}

/// A logarithm of f64 that is rounded to f32 in the end.
static bool isLogOfF64(Operation *op) {
  auto log = dyn_cast<math::LogOp>(op);
  return log && getElementTypeOrSelf(log.getType()).isF64() &&
         bitEnumContainsAll(log.getFastmath(), arith::FastMathFlags::afn);
}

Value fuser::expandExpOfRemainder(FloatBuilder &f, Value r) {
  return f.polynomial(r, {1.0, 1.0, 4.99999851e-1, 1.66664720e-1, 4.16695364e-2,
                          8.37312452e-3, 1.37805939e-3});
}

bool fuser::hasExpansion(Operation *op) {
  return op->getNumResults() == 1 &&
         (isLogOfF64(op) ||
          (getElementTypeOrSelf(op->getResult(0).getType()).isF32() &&
           (getNarrow(op) || getUnary(op) || getBinary(op))));
}

Value fuser::expandFunction(OpBuilder &builder, Operation *op,
                            ValueRange operands, Lanes lanes) {
  Functions f(builder, op->getLoc(), operands.front().getType(), lanes);
  if (isLogOfF64(op))
    return f.log(operands.front());
  if (Unary narrow = getNarrow(op))
    return (f.*narrow)(operands.front());
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(f.extendFloat(operand, builder.getF64Type()));
  Unary unary = getUnary(op);
  Value result =
      unary ? (f.*unary)(wide[0]) : (f.*getBinary(op))(wide[0], wide[1]);
  return f.truncateFloat(result, builder.getF32Type());
}

LogicalResult fuser::callExactFunctions(Operation *root) {
  MLIRContext *context = root->getContext();
  bool hasAny = false;
  root->walk(
      [&](Operation *op) { hasAny |= isa<math::ExpM1Op, math::Log1pOp>(op); });
  if (!hasAny)
    return success();
  RewritePatternSet patterns(context);
  populateMathToLibmConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal(
      [](Operation *op) { return !isa<math::ExpM1Op, math::Log1pOp>(op); });
  return applyPartialConversion(root, target, std::move(patterns));
}
