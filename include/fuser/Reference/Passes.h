//===- Passes.h - The reference as a pass ---------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_REFERENCE_PASSES_H
#define FUSER_REFERENCE_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace fuser {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fuser/Reference/Passes.h.inc"

} // namespace fuser

#endif // FUSER_REFERENCE_PASSES_H
