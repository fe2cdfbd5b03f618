//===- InitAllPasses.cpp - Registration of all passes
//----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/InitAllPasses.h"
#include "fuser/Conversion/CPUToLLVM.h"
#include "fuser/Conversion/HostToLLVM.h"
#include "fuser/Conversion/KernelToNVPTX.h"
#include "fuser/Dialect/Host/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

void fuser::registerAllPasses() {
  mlir::registerTransformsPasses();
  host::registerHostPasses();
  registerCPUToLLVMPasses();
  registerHostToLLVMPasses();
  registerKernelToNVPTXPasses();
}
