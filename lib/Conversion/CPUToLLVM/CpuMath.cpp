//===- CpuMath.cpp - Transcendental functions as arithmetic ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branch-free code that is the same for scalars and for every vector length, so
// that results do not depend on where in a vector an element lies. Errors are
// below 2 ulp; subnormals, infinities and NaN come out as IEEE 754 has them.
// The classical reductions and coefficients (fdlibm, Cephes), evaluated with
// fused multiply-add.
//
//===----------------------------------------------------------------------===//

#include "CpuArithmetic.h"
#include "fuser/Support/FloatBuilder.h"
#include "fuser/Transforms/ExpandFunctions.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include <limits>

using namespace fuser;

namespace {
/// What the algorithms need to know of a float type.
struct FloatFormat {
  unsigned width;
  unsigned mantissa;
  int64_t bias;
  /// Adding this and subtracting it again rounds to an integer, whose bits are
  /// then the lowest.
  double roundMagic;
  double minNormal;
  /// exp is subnormal below; the smallest subnormal number is 2^-tinyExponent.
  double expTiny;
  int64_t tinyExponent;
  /// exp is infinite above, and zero below.
  double expMax, expMin;
  /// ln 2 in two parts. `log` needs a high part whose product with an exponent
  /// is exact.
  double ln2High, ln2Low;
  double logLn2High, logLn2Low;
  /// The bits of sqrt(1/2), and of 1.
  int64_t sqrtHalf, one;
};
} // namespace

static const FloatFormat kF32 = {32,
                                 23,
                                 127,
                                 12582912.0,
                                 0x1p-126,
                                 -87.33655,
                                 149,
                                 89.0,
                                 -105.0,
                                 0x1.62e43p-1,
                                 -1.904654299957768e-09,
                                 6.9313812256e-01,
                                 9.0580006145e-06,
                                 0x3f3504f3,
                                 0x3f800000};
static const FloatFormat kF64 = {64,
                                 52,
                                 1023,
                                 6755399441055744.0,
                                 0x1p-1022,
                                 -708.39641853227,
                                 1074,
                                 710.0,
                                 -746.0,
                                 0x1.62e42fefa39efp-1,
                                 2.3190468138462996e-17,
                                 6.93147180369123816490e-01,
                                 1.90821492927058770002e-10,
                                 0x3fe6a09e667f3bcd,
                                 0x3ff0000000000000};

static const FloatFormat &formatOf(Value x) {
  return FloatBuilder::bits(x) == 32 ? kF32 : kF64;
}

/// e^r for |r| <= ln(2)/2.
static Value expReduced(FloatBuilder &f, Value r) {
  if (FloatBuilder::bits(r) == 32)
    return expandExpOfRemainder(f, r);
  Value r2 = f.mul(r, r);
  Value p = f.mul(
      r, f.polynomial(r2, {9.99999999999999999910e-1, 3.02994407707441961300e-2,
                           1.26177193074810590878e-4}));
  Value q =
      f.polynomial(r2, {2.00000000000000000005e0, 2.27265548208155028766e-1,
                        2.52448340349684104192e-3, 3.00198505138664455042e-6});
  Value t = f.div(p, f.sub(q, p));
  return f.fma(t, f.constantLike(r, 2.0), f.constantLike(r, 1.0));
}

/// 2^n for an integer n in the range of normal exponents.
static Value powerOfTwo(FloatBuilder &f, const FloatFormat &format, Value n,
                        Type element) {
  Value biased = f.addi(n, f.integer(format.width, format.bias));
  return f.fromBits(f.shl(biased, format.mantissa), element);
}

/// 2^n x, where the float `n` is `t` with its bits moved by those of `magic`.
static Value scaleByPower(FloatBuilder &f, Value x, Value n, Value t,
                          Value magic, bool hasAVX512) {
  if (hasAVX512 && fillsAVX512(x.getType()))
    return emitScale(f.getBuilder(), f.getLoc(), x, n);
  const FloatFormat &format = formatOf(x);
  Type element = getElementTypeOrSelf(x.getType());
  Value exponent = f.subi(f.toBits(t), f.toBits(magic));
  // Two factors: one alone overflows next to infinity.
  Value half = f.shrs(exponent, 1);
  Value rest = f.subi(exponent, half);
  x = f.mul(x, powerOfTwo(f, format, half, element));
  return f.mul(x, powerOfTwo(f, format, rest, element));
}

/// 2^-tinyExponent x for an x from 0 to 2^mantissa, rounded as the product
/// is, without it: processors stop for more than 100 cycles where a product is
/// subnormal, as most of those in a masked softmax would be. The bits of a
/// subnormal number are how many of the smallest one it is.
static Value scaleToSubnormal(FloatBuilder &f, Value x) {
  const FloatFormat &format = formatOf(x);
  Value rounder = f.constantLike(x, double(1ull << format.mantissa));
  return f.fromBits(f.subi(f.toBits(f.add(x, rounder)), f.toBits(rounder)),
                    getElementTypeOrSelf(x.getType()));
}

/// e^x = 2^n e^r, with n the integer nearest to x / ln 2.
static Value emitExp(FloatBuilder &f, Value x, bool hasAVX512) {
  const FloatFormat &format = formatOf(x);
  // Comparisons that a NaN passes through.
  Value low = f.constantLike(x, format.expMin);
  Value high = f.constantLike(x, format.expMax);
  x = f.select(f.compare(arith::CmpFPredicate::OLT, x, low), low, x);
  x = f.select(f.compare(arith::CmpFPredicate::OGT, x, high), high, x);
  Value magic = f.constantLike(x, format.roundMagic);
  Value t = f.fma(x, f.constantLike(x, 1.4426950408889634), magic);
  Value n = f.sub(t, magic);
  Value r = f.fma(n, f.constantLike(x, -format.ln2High), x);
  r = f.fma(n, f.constantLike(x, -format.ln2Low), r);
  Value isTiny = f.compare(arith::CmpFPredicate::OLT, x,
                           f.constantLike(x, format.expTiny));
  Value lift = f.select(isTiny, f.constantLike(x, format.tinyExponent),
                        f.constantLike(x, 0.0));
  Value scaled = scaleByPower(f, expReduced(f, r), f.add(n, lift),
                              f.add(t, lift), magic, hasAVX512);
  return f.select(isTiny, scaleToSubnormal(f, scaled), scaled);
}

/// The series of log(1+f) as fdlibm has it: s (hfsq + R).
static Value logSeries(FloatBuilder &f, Value z) {
  if (FloatBuilder::bits(z) == 32)
    return f.mul(z, f.polynomial(z, {0xaaaaaa.0p-24, 0xccce13.0p-25,
                                     0x91e9ee.0p-25, 0xf89e26.0p-26}));
  return f.mul(
      z, f.polynomial(z, {6.666666666666735130e-01, 3.999999999940941908e-01,
                          2.857142874366239149e-01, 2.222219843214978396e-01,
                          1.818357216161805012e-01, 1.531383769920937332e-01,
                          1.479819860511658591e-01}));
}

/// log x = k ln 2 + log(1+m), with 1+m from sqrt(1/2) to sqrt(2).
static Value emitLog(FloatBuilder &f, Value x) {
  const FloatFormat &format = formatOf(x);
  Type element = getElementTypeOrSelf(x.getType());
  Value zero = f.constantLike(x, 0.0);
  Value one = f.constantLike(x, 1.0);
  Value tiny = f.compare(arith::CmpFPredicate::OLT, x,
                         f.constantLike(x, format.minNormal));
  Value scale = f.constantLike(x, double(1ull << format.mantissa));
  Value normal = f.select(tiny, f.mul(x, scale), x);
  Value bits = f.addi(f.toBits(normal),
                      f.integer(format.width, format.one - format.sqrtHalf));
  Value k = f.subi(f.shru(bits, format.mantissa),
                   f.integer(format.width, format.bias));
  k = f.subi(k, f.select(tiny, f.integer(format.width, format.mantissa),
                         f.integer(format.width, 0)));
  int64_t mantissaMask = (int64_t(1) << format.mantissa) - 1;
  bits = f.addi(f.andi(bits, f.integer(format.width, mantissaMask)),
                f.integer(format.width, format.sqrtHalf));
  Value m = f.sub(f.fromBits(bits, element), one);
  Value s = f.div(m, f.add(m, f.constantLike(x, 2.0)));
  Value series = logSeries(f, f.mul(s, s));
  Value half = f.mul(f.mul(m, m), f.constantLike(x, 0.5));
  Value dk = f.toFloat(k, element);
  Value sum = f.mul(s, f.add(half, series));
  sum = f.fma(dk, f.constantLike(x, format.logLn2Low), sum);
  sum = f.add(f.sub(sum, half), m);
  sum = f.fma(dk, f.constantLike(x, format.logLn2High), sum);
  double infinity = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  // Infinity and NaN are their own logarithms here.
  Value finite =
      f.compare(arith::CmpFPredicate::OLT, x, f.constantLike(x, infinity));
  sum = f.select(finite, sum, x);
  sum = f.select(f.compare(arith::CmpFPredicate::OLT, x, zero),
                 f.constantLike(x, nan), sum);
  return f.select(f.compare(arith::CmpFPredicate::OEQ, x, zero),
                  f.constantLike(x, -infinity), sum);
}

/// tanh(x) / x - 1 for |x| < 0.625, as z times a function of z = x^2.
static Value tanhSmall(FloatBuilder &f, Value z) {
  if (FloatBuilder::bits(z) == 32)
    return f.mul(z, f.polynomial(z, {-3.33332819422e-1, 1.33314422036e-1,
                                     -5.37397155531e-2, 2.06390887954e-2,
                                     -5.70498872745e-3}));
  Value p =
      f.polynomial(z, {-1.61468768441708447952e3, -9.92877231001918586564e1,
                       -9.64399179425052238628e-1});
  Value q = f.polynomial(z, {4.84406305325125486048e3, 2.23548839060100448583e3,
                             1.12811678491632931402e2, 1.0});
  return f.mul(z, f.div(p, q));
}

/// tanh x = sign(x) (1 - 2 / (e^2|x| + 1)), which loses digits where x is
/// small.
static Value emitTanh(FloatBuilder &f, Value x, bool hasAVX512) {
  Value one = f.constantLike(x, 1.0);
  Value two = f.constantLike(x, 2.0);
  Value magnitude = f.abs(x);
  Value e = emitExp(f, f.mul(magnitude, two), hasAVX512);
  Value large = f.sub(one, f.div(two, f.add(e, one)));
  Value small = f.fma(x, tanhSmall(f, f.mul(x, x)), x);
  Value isSmall =
      f.compare(arith::CmpFPredicate::OLT, magnitude, f.constantLike(x, 0.625));
  // The sum of two zeros is 0 even where x is -0.
  return f.copySign(f.select(isSmall, small, large), x);
}

static Value emitRsqrt(OpBuilder &builder, Location loc, FloatBuilder &f,
                       Value x) {
  Value root = math::SqrtOp::create(builder, loc, x);
  return f.div(f.constantLike(x, 1.0), root);
}

void fuser::expandMath(Operation *root, const CpuInfo &cpu) {
  bool hasAVX512 = cpu.has("avx512f");
  IRRewriter rewriter(root->getContext());
  root->walk([&](Operation *op) {
    // LLVM's approximations are not the same for all vector lengths.
    if (auto quotient = dyn_cast<arith::DivFOp>(op))
      quotient.setFastmath(quotient.getFastmath() & ~arith::FastMathFlags::afn);
    if (hasExpansion(op)) {
      rewriter.setInsertionPoint(op);
      return rewriter.replaceOp(
          op, expandFunction(rewriter, op, op->getOperands()));
    }
    if (!isa<math::ExpOp, math::LogOp, math::TanhOp, math::RsqrtOp,
             arith::RemFOp>(op))
      return;
    Value x = op->getOperand(0);
    Type element = getElementTypeOrSelf(x.getType());
    if (!element.isF32() && !element.isF64())
      return;
    rewriter.setInsertionPoint(op);
    if (isa<arith::RemFOp>(op))
      return rewriter.replaceOp(
          op, emitRemainderOfF64(rewriter, op->getLoc(), x, op->getOperand(1)));
    FloatBuilder f(rewriter, op->getLoc(), x.getType());
    Value result;
    if (isa<math::ExpOp>(op))
      result = emitExp(f, x, hasAVX512);
    else if (isa<math::LogOp>(op))
      result = emitLog(f, x);
    else if (isa<math::TanhOp>(op))
      result = emitTanh(f, x, hasAVX512);
    else
      result = emitRsqrt(rewriter, op->getLoc(), f, x);
    rewriter.replaceOp(op, result);
  });
}
