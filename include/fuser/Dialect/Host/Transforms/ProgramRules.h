//===- ProgramRules.h - What holds of a whole host program -----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_TRANSFORMS_PROGRAMRULES_H
#define FUSER_DIALECT_HOST_TRANSFORMS_PROGRAMRULES_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fuser::host {

/// True if the op only makes one memref from another, or asks for a size.
bool isView(Operation *op);

/// Checks what the verifiers of ops cannot: that inputs begin where tensors do,
/// that no buffer is used after it is freed, and that each output is made once
/// and returned. Diagnostics on failure. For a program before its control flow
/// is lowered.
LogicalResult verifyProgram(mlir::func::FuncOp program);

/// The buffer that a view, a view of a view and so on is of; a buffer that is
/// no view is its own.
Value getRootBuffer(Value value);

/// Whether an op may write into a buffer, or into a view of it, also one that
/// comes out of a branch or a loop. For a program that calls no functions.
bool mayBeWritten(Value buffer);

} // namespace fuser::host

#endif // FUSER_DIALECT_HOST_TRANSFORMS_PROGRAMRULES_H
