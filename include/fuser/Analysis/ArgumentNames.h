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

/// What messages call an argument of a program, as those of the runtime do:
/// "input 1 'y'" or "scalar 0 'arg2'", tensors and scalars counted each on
/// their own, with the name that `fusion.name` gives.
std::string describeArgument(mlir::func::FuncOp function, unsigned number);

} // namespace fuser

#endif // FUSER_ANALYSIS_ARGUMENTNAMES_H
