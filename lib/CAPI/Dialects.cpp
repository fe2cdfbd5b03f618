//===- Dialects.cpp - fuser in MLIR's C API -------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser-c/Dialects.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/InitAllDialects.h"
#include "fuser/InitAllPasses.h"
#include "mlir/CAPI/Registration.h"

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Fusion, fusion,
                                      fuser::fusion::FusionDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Host, host, fuser::host::HostDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Kernel, kernel,
                                      fuser::kernel::KernelDialect)

void fuserInsertAllDialects(MlirDialectRegistry registry) {
  fuser::registerAllDialects(*unwrap(registry));
}

void fuserRegisterAllPasses(void) { fuser::registerAllPasses(); }
