//===- Passes.h - Passes on host programs ---------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_TRANSFORMS_PASSES_H
#define FUSER_DIALECT_HOST_TRANSFORMS_PASSES_H

#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace fuser::host {

#define GEN_PASS_DECL
#include "fuser/Dialect/Host/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuser/Dialect/Host/Transforms/Passes.h.inc"

} // namespace fuser::host

#endif // FUSER_DIALECT_HOST_TRANSFORMS_PASSES_H
