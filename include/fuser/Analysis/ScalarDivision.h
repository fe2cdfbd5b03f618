//===- ScalarDivision.h - Scalar ops that stop on some values --*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer divisions and remainders stop the process if the divisor is 0, or if
// the quotient does not fit. Sizes may be computed by them, so whoever runs
// size arithmetic checks their operands before.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_ANALYSIS_SCALARDIVISION_H
#define FUSER_ANALYSIS_SCALARDIVISION_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace fuser {

/// A division or remainder of two integers (or indices) of at most 64 bits.
struct ScalarDivision {
  bool isSigned;
  /// The dividends that may not be divided by -1, if signed: `numEdges` numbers
  /// from `firstEdge` on, which wraps.
  llvm::APInt firstEdge;
  unsigned numEdges;

  /// An i1: the operands are none that may be divided.
  mlir::Value emitIsUndefined(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value dividend, mlir::Value divisor) const;
};

/// What `op` is, or nothing if it is something else, or is known to divide by
/// what any number may be divided by.
std::optional<ScalarDivision> getScalarDivision(mlir::Operation *op);

/// Fails, with a diagnostic, if `op`, which is size arithmetic, may stop the
/// process and is no division that can be checked.
mlir::LogicalResult verifySizeArithmetic(mlir::Operation *op);

} // namespace fuser

#endif // FUSER_ANALYSIS_SCALARDIVISION_H
