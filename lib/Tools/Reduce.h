//===- Reduce.h - Makes a failing program smaller -------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One op at a time goes, last ones first: its result is replaced by another
// value of its type, or is not used. Every program that is asked for is valid,
// which MLIR's reducer does not promise.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_REDUCE_H
#define FUSER_LIB_TOOLS_REDUCE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fuser {

/// Numbers of ops.
struct Reduction {
  size_t before = 0, after = 0;
};

/// Whether a program is wrong like the one that it was made of. Its function
/// has those of that one's arguments whose numbers are given.
using IsWrong = llvm::function_ref<bool(mlir::ModuleOp smaller,
                                        llvm::ArrayRef<unsigned> arguments)>;

/// Makes `module` smaller, by ops and, if it has one function that runs, by
/// this function's results and arguments.
Reduction reduceProgram(mlir::OwningOpRef<mlir::ModuleOp> &module,
                        IsWrong isWrong);

} // namespace fuser

#endif // FUSER_LIB_TOOLS_REDUCE_H
