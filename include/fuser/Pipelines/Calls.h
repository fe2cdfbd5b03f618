//===- Calls.h - Functions that become part of their callers ---*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PIPELINES_CALLS_H
#define FUSER_PIPELINES_CALLS_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace fuser {

/// Functions that a program calls become part of it; private ones go. What
/// calls itself, or has no body, stays. Fails if there would be too many ops.
LogicalResult inlineCalls(ModuleOp module);

/// Fails, with an error, if `entry` has calls that inlineCalls() left, because
/// of what they call.
LogicalResult verifyCalls(func::FuncOp entry);

} // namespace fuser

#endif // FUSER_PIPELINES_CALLS_H
