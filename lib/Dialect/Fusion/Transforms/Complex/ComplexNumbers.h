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

#ifndef FUSER_LIB_DIALECT_FUSION_TRANSFORMS_COMPLEX_COMPLEXNUMBERS_H
#define FUSER_LIB_DIALECT_FUSION_TRANSFORMS_COMPLEX_COMPLEXNUMBERS_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "mlir/IR/Builders.h"
#include <limits>
#include <optional>

namespace fuser::fusion {

/// Where ops are made.
struct Place {
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// A tensor of i1.
struct Truth {
  Place *at = nullptr;
  mlir::Value value;
};

/// A tensor of f32 or f64.
struct Real {
  Place *at = nullptr;
  mlir::Value value;

  mlir::FloatType getElement() const;
};

/// Of tensors of one type, or one and a number. An op of a single operand.
template <typename OpT>
Real apply(Real x) {
  return {x.at, OpT::create(x.at->builder, x.at->loc, x.value)};
}
template <typename OpT>
Real apply(Real x, Real y) {
  return {x.at, OpT::create(x.at->builder, x.at->loc, x.value, y.value)};
}
/// A number in the element type of `x`.
mlir::TypedAttr makeNumber(Real x, double number);
template <typename OpT>
Real apply(Real x, double y) {
  return {x.at, OpT::create(x.at->builder, x.at->loc, x.value, mlir::Value(),
                            makeNumber(x, y), /*scalar_first=*/false)};
}
template <typename OpT>
Real apply(double x, Real y) {
  return {y.at, OpT::create(y.at->builder, y.at->loc, y.value, mlir::Value(),
                            makeNumber(y, x), /*scalar_first=*/true)};
}

inline Real operator-(Real x) { return apply<NegOp>(x); }
inline Real operator+(Real x, Real y) { return apply<AddOp>(x, y); }
inline Real operator+(Real x, double y) { return apply<AddOp>(x, y); }
inline Real operator+(double x, Real y) { return apply<AddOp>(x, y); }
inline Real operator-(Real x, Real y) { return apply<SubOp>(x, y); }
inline Real operator-(Real x, double y) { return apply<SubOp>(x, y); }
inline Real operator-(double x, Real y) { return apply<SubOp>(x, y); }
inline Real operator*(Real x, Real y) { return apply<MulOp>(x, y); }
inline Real operator*(Real x, double y) { return apply<MulOp>(x, y); }
inline Real operator*(double x, Real y) { return apply<MulOp>(x, y); }
inline Real operator/(Real x, Real y) { return apply<DivOp>(x, y); }
inline Real operator/(Real x, double y) { return apply<DivOp>(x, y); }
inline Real operator/(double x, Real y) { return apply<DivOp>(x, y); }

Truth compare(CmpPredicate predicate, Real x, Real y);
Truth compare(CmpPredicate predicate, Real x, double y);
inline Truth operator<(Real x, Real y) {
  return compare(CmpPredicate::Lt, x, y);
}
inline Truth operator<(Real x, double y) {
  return compare(CmpPredicate::Lt, x, y);
}
inline Truth operator>(Real x, double y) {
  return compare(CmpPredicate::Gt, x, y);
}
inline Truth operator==(Real x, double y) {
  return compare(CmpPredicate::Eq, x, y);
}
Truth operator&(Truth x, Truth y);
Truth operator|(Truth x, Truth y);

Real select(Truth condition, Real x, Real y);
Real select(Truth condition, double x, Real y);

/// In another element type.
Real convert(Real x, mlir::FloatType element);

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
Complex convert(Complex z, mlir::FloatType element);

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Whether the sign is minus, also of zero.
Truth isNegative(Real x);
/// |x| with the sign of `y`.
Real copySign(Real x, Real y);
Real hypot(Real x, Real y);
Complex sqrt(Complex z);
/// `number` in the type of `x`.
Real makeFull(Real x, double number);

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

#endif // FUSER_LIB_DIALECT_FUSION_TRANSFORMS_COMPLEX_COMPLEXNUMBERS_H
