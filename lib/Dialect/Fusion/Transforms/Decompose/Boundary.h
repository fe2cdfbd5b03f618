//===- Boundary.h - Tensors that callers alone see --------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is common to passes that make other tensors of those of some element
// types. A program's signature has these types again, by a mark on what stands
// for them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_TRANSFORMS_DECOMPOSE_BOUNDARY_H
#define FUSER_LIB_DIALECT_FUSION_TRANSFORMS_DECOMPOSE_BOUNDARY_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fuser::fusion {

/// Tensors that a pass makes others of.
struct TensorKind {
  bool (*contains)(mlir::Type type);
  llvm::StringLiteral name;
};

bool isComplexTensor(mlir::Type type);
bool isPackedTensor(mlir::Type type);
constexpr TensorKind kComplex = {isComplexTensor, "complex"};
constexpr TensorKind kPacked = {isPackedTensor, "packed"};

/// Something in `function` that has a tensor of the kind, or the function
/// itself; null if there is none.
mlir::Operation *findTensor(mlir::func::FuncOp function,
                            const TensorKind &kind);

/// The ops of `function` that have tensors of the kind, in order. Fails with a
/// diagnostic if there may be others, or some in a region.
mlir::FailureOr<llvm::SmallVector<mlir::Operation *>>
collectOps(mlir::func::FuncOp function, const TensorKind &kind);

/// Erases those that are no terminators, the last ones first.
void eraseOps(llvm::ArrayRef<mlir::Operation *> ops);

/// An order that nobody asks for of a result is not for passes to choose: it
/// becomes row-major.
void requireOrder(mlir::NamedAttrList &attrs, int64_t rank,
                  mlir::MLIRContext *context);

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_TRANSFORMS_DECOMPOSE_BOUNDARY_H
