//===- ComplexArithmetic.cpp - Complex numbers of real tensors ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComplexNumbers.h"

using namespace fuser;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Real numbers
//===----------------------------------------------------------------------===//

Real fusion::copySign(Real x, Real y) {
  Real size = apply<AbsOp>(x);
  return select(isNegative(y), -size, size);
}

namespace {
/// The greater and the smaller size, and their quotient, which is at most 1.
struct Sizes {
  Real large, small, quotient;
};
} // namespace

static Sizes getBothSizes(Real x, Real y) {
  Real a = apply<AbsOp>(x), b = apply<AbsOp>(y);
  Real large = apply<MaxOp>(a, b), small = apply<MinOp>(a, b);
  Real quotient = select(large == 0.0, 0.0, small / large);
  return {large, small, quotient};
}

static Truth isInfinite(Real x) { return apply<AbsOp>(x) == kInfinity; }

// Scaled by the greater of both, so that no square overflows.
Real fusion::hypot(Real x, Real y) {
  Sizes sizes = getBothSizes(x, y);
  Real root = apply<SqrtOp>(sizes.quotient * sizes.quotient + 1.0);
  return select(isInfinite(x) | isInfinite(y), kInfinity, sizes.large * root);
}

//===----------------------------------------------------------------------===//
// Complex numbers
//===----------------------------------------------------------------------===//

Complex fusion::select(Truth condition, Complex x, Complex y) {
  return {select(condition, x.re, y.re), select(condition, x.im, y.im)};
}

Complex fusion::convert(Complex z, Type element) {
  return {convert(z.re, element), convert(z.im, element)};
}

Complex fusion::operator*(Complex x, Complex y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

// Smith's: both are divided by the greater part of the divisor, so that nothing
// overflows on the way. By 0 each part is divided by 0, as in NumPy and
// PyTorch.
Complex fusion::operator/(Complex x, Complex y) {
  Truth swap = apply<AbsOp>(y.re) < apply<AbsOp>(y.im);
  Real large = select(swap, y.im, y.re), small = select(swap, y.re, y.im);
  Truth isZero = large == 0.0;
  Real quotient = select(isZero, 0.0, small / large);
  Real divisor = select(isZero, 0.0, large + small * quotient);
  Real p = select(swap, x.im, x.re), q = select(swap, x.re, x.im);
  Real re = select(isZero, x.re, p + q * quotient);
  Real difference = q - p * quotient;
  Real im = select(isZero, x.im, select(swap, -difference, difference));
  return {re / divisor, im / divisor};
}

// One part is sqrt((|z| + |x|) / 2), the other y / 2 divided by it.
Complex fusion::sqrt(Complex z) {
  Sizes sizes = getBothSizes(z.re, z.im);
  Real half = (sizes.large * 0.5) *
              apply<SqrtOp>(sizes.quotient * sizes.quotient + 1.0);
  Real size = apply<AbsOp>(z.re);
  Real root = apply<SqrtOp>(size * 0.5 + half);
  Truth isZero = root == 0.0;
  Real other = select(isZero, z.im, z.im / (root * 2.0));
  Truth isLeft = z.re < 0.0;
  Real re = select(isLeft, apply<AbsOp>(other), root);
  Real im = select(isLeft, copySign(root, z.im), other);
  Truth isInfinite = apply<AbsOp>(z.im) == kInfinity;
  return {select(isInfinite, kInfinity, re), select(isInfinite, z.im, im)};
}
