//===- HostToLLVM.h - Host programs to native code ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_HOSTTOLLVM_H
#define FUSER_CONVERSION_HOSTTOLLVM_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace fuser {

#define GEN_PASS_DECL_HOSTTOLLVMPASS
#include "fuser/Conversion/HostToLLVM.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuser/Conversion/HostToLLVM.h.inc"

/// From a host program whose aliases are resolved to a module in LLVM dialect:
/// cleans up, and runs host-to-llvm. For a pass manager on builtin.module.
void buildHostToLLVMPipeline(mlir::OpPassManager &pm);

} // namespace fuser

#endif // FUSER_CONVERSION_HOSTTOLLVM_H
