//===- SizeChecks.h - What sizes must obey at run time ---------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_ANALYSIS_SIZECHECKS_H
#define FUSER_ANALYSIS_SIZECHECKS_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fuser {

/// A condition (i1), and what to say if it is false, "expected ...", in which
/// {0}, {1}, ... stand for the values (index). The name of the op comes before
/// that, and `dim`, the dimension that it is said of, if it is one.
using SizeCheckFn = llvm::function_ref<void(
    mlir::Value condition, llvm::StringRef message, mlir::ValueRange values,
    std::optional<int64_t> dim)>;

/// Implements SizeCheckOpInterface for the ops of the fusion dialect.
void registerSizeChecks(mlir::DialectRegistry &registry);

} // namespace fuser

#include "fuser/Analysis/SizeChecks.h.inc"

#endif // FUSER_ANALYSIS_SIZECHECKS_H
