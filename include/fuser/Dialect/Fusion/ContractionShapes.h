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

/// Operands whose products are summed over one dimension of each.
struct ContractedDims {
  mlir::RankedTensorType lhs;
  int64_t lhsDim;
  mlir::RankedTensorType rhs;
  int64_t rhsDim;
};

/// Fails unless both dimensions have one size, as far as they are known.
/// `emitError` begins the error, which goes on with "dimension".
llvm::LogicalResult
verifyContracted(const ContractedDims &dims,
                 llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace fuser::fusion

#endif // FUSER_DIALECT_FUSION_CONTRACTIONSHAPES_H
