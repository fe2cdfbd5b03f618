//===- ArgumentNames.h - What messages call arguments ----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_ANALYSIS_ARGUMENTNAMES_H
#define FUSER_ANALYSIS_ARGUMENTNAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>

namespace fuser {

/// The name of an argument: that of `fusion.name`, else the one in its
/// location, which is where the parser of programs puts what the text calls it
/// (%x).
std::string getArgumentName(mlir::func::FuncOp function, unsigned number);

/// What messages call an argument of a program, as those of the runtime do:
/// "input 1 '%y'" or "scalar 0 'eps'", tensors and scalars counted each on
/// their own.
std::string describeArgument(mlir::func::FuncOp function, unsigned number);

/// The name of a result: that of `fusion.name`, else "result0".
std::string getResultName(mlir::func::FuncOp function, unsigned number);

} // namespace fuser

#endif // FUSER_ANALYSIS_ARGUMENTNAMES_H
