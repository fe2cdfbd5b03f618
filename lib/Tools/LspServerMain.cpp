//===- LspServerMain.cpp - Editor support ---------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "fuser/InitAllDialects.h"
#include "fuser/Tools/Mains.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int fuser::lspServerMain(int argc, char **argv) {
  fuser::setVersionPrinter();
  mlir::DialectRegistry registry;
  fuser::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
