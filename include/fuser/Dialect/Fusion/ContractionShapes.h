//===- ContractionShapes.h - Operands of matrix products -------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_CONTRACTIONSHAPES_H
#define FUSER_DIALECT_FUSION_CONTRACTIONSHAPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

namespace fuser::fusion {

/// A dimension of a tensor of a product, which messages call `name`: "left
/// operand", "right operand" or "result".
struct ProductDim {
  mlir::RankedTensorType type;
  int64_t dim;
  llvm::StringRef name;
};

/// Fails unless both dimensions have one size, as far as they are known.
/// `emitError` begins the error, which goes on with "dimension", and `advice`
/// ends it.
llvm::LogicalResult
verifyShared(const ProductDim &expected, const ProductDim &got,
             llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
             llvm::StringRef advice = "");

/// Operands of `matmul`, or of `linear`, whose right one is transposed.
struct ProductOperands {
  mlir::RankedTensorType lhs, rhs;
  bool isLinear;
  /// Of one that is a part of another op its user has no choice.
  bool isPart = false;
};

/// Fails unless what the op sums over has one size. `rhs` may be a vector. Of a
/// matrix that fits if it is transposed, the error says which op takes it so.
llvm::LogicalResult
verifySummed(const ProductOperands &operands,
             llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace fuser::fusion

#endif // FUSER_DIALECT_FUSION_CONTRACTIONSHAPES_H
