//===- OptMain.cpp - The pass driver --------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "fuser/InitAllDialects.h"
#include "fuser/InitAllPasses.h"
#include "fuser/Tools/Mains.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int fuser::optMain(int argc, char **argv) {
  fuser::setVersionPrinter();
  fuser::registerAllPasses();
  mlir::DialectRegistry registry;
  fuser::registerAllDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "fuser pass driver\n", registry));
}
