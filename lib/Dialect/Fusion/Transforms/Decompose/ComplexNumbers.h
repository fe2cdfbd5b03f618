//===- ComplexNumbers.h - Complex numbers of real tensors -------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formulas of complex numbers as ops of the dialect on real tensors.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_TRANSFORMS_DECOMPOSE_COMPLEXNUMBERS_H
#define FUSER_LIB_DIALECT_FUSION_TRANSFORMS_DECOMPOSE_COMPLEXNUMBERS_H

#include "Reals.h"
#include <optional>

namespace fuser::fusion {

struct Complex {
  Real re, im;
};

inline Complex operator-(Complex z) { return {-z.re, -z.im}; }
inline Complex operator+(Complex x, Complex y) {
  return {x.re + y.re, x.im + y.im};
}
inline Complex operator-(Complex x, Complex y) {
  return {x.re - y.re, x.im - y.im};
}
inline Complex operator+(double x, Complex y) { return {x + y.re, y.im}; }
inline Complex operator*(Complex z, Real x) { return {z.re * x, z.im * x}; }
inline Complex operator*(Complex z, double x) { return {z.re * x, z.im * x}; }
Complex operator*(Complex x, Complex y);
Complex operator/(Complex x, Complex y);
Complex select(Truth condition, Complex x, Complex y);
Complex convert(Complex z, mlir::Type element);

/// |x| with the sign of `y`.
Real copySign(Real x, Real y);
Real hypot(Real x, Real y);
Complex sqrt(Complex z);

/// `op` of complex operands as what its result is, elementwise: both parts of
/// it; nothing if it is no such op.
std::optional<Complex> emitComplexFunction(mlir::Operation *op,
                                           llvm::ArrayRef<Complex> operands);
/// The same of ops with a real or logical result; null if it is none.
mlir::Value emitRealFunction(mlir::Operation *op,
                             llvm::ArrayRef<Complex> operands);

/// The product of elements by its modulus and its angle, each of which `reduce`
/// makes by a product or a sum.
Complex
emitProduct(Complex z,
            llvm::function_ref<mlir::Value(ReduceKind, mlir::Value)> reduce);

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_TRANSFORMS_DECOMPOSE_COMPLEXNUMBERS_H
