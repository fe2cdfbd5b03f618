//===- ReduceMain.cpp - Reduces a failing program
//--------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/InitAllDialects.h"
#include "fuser/InitAllPasses.h"
#include "fuser/Tools/Mains.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int fuser::reduceMain(int argc, char **argv) {
  fuser::registerAllPasses();
  mlir::DialectRegistry registry;
  fuser::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
