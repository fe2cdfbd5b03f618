//===- Passes.h - Ops by name as a pass -------------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_FRONTEND_PASSES_H
#define FUSER_FRONTEND_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace fuser::frontend {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fuser/Frontend/Passes.h.inc"

} // namespace fuser::frontend

#endif // FUSER_FRONTEND_PASSES_H
