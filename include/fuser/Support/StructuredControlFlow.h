//===- StructuredControlFlow.h - Loops and branches as blocks -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_STRUCTUREDCONTROLFLOW_H
#define FUSER_SUPPORT_STRUCTUREDCONTROLFLOW_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/BuiltinOps.h"

namespace fuser {

/// Makes blocks of the sequential loops and the branches of the scf dialect, in
/// a time that is linear in the module.
LogicalResult lowerStructuredControlFlow(ModuleOp module);

} // namespace fuser

#endif // FUSER_SUPPORT_STRUCTUREDCONTROLFLOW_H
