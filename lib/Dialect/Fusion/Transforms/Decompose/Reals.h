//===- Reals.h - Formulas as ops on tensors ---------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of real tensors as ops of the dialect, and their sizes.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_TRANSFORMS_DECOMPOSE_REALS_H
#define FUSER_LIB_DIALECT_FUSION_TRANSFORMS_DECOMPOSE_REALS_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "mlir/IR/Builders.h"
#include <limits>

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

/// A tensor of numbers.
struct Real {
  Place *at = nullptr;
  mlir::Value value;

  mlir::Type getElement() const;
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
Real convert(Real x, mlir::Type element);

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Whether the sign is minus, also of zero.
Truth isNegative(Real x);
Truth isNaN(Real x);
/// `number` in the type of `x`.
Real makeFull(Real x, double number);

/// A size, as a number or a value.
struct Size {
  int64_t known;
  mlir::Value open;
};

Size getSize(Place &place, mlir::Value tensor, int64_t dim);
llvm::SmallVector<Size> getSizes(Place &place, mlir::Value tensor);
Size getTwice(Place &place, Size size);
/// Rounded down.
Size getHalf(Place &place, Size size);
/// Those that are values.
llvm::SmallVector<mlir::Value> getOpen(llvm::ArrayRef<Size> sizes);
/// The type of `tensor` with other sizes.
mlir::RankedTensorType withSizes(mlir::Value tensor,
                                 llvm::ArrayRef<Size> sizes);
mlir::Value reshapeTo(Place &place, mlir::Value tensor,
                      llvm::ArrayRef<Size> sizes);
/// The elements of `tensor` whose last index is `number`, without that
/// dimension.
mlir::Value extractLast(Place &place, mlir::Value tensor, int64_t number);

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_TRANSFORMS_DECOMPOSE_REALS_H
