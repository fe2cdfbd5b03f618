//===- fuser-test-opt.cpp - The pass driver, with test-only ops -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFusion.h"
#include "fuser/InitAllDialects.h"
#include "fuser/InitAllPasses.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  fuser::registerAllPasses(fuser::test::getTargetsWithStub());
  fuser::test::registerTestPasses();
  fuser::test::registerSummariesPass();
  mlir::DialectRegistry registry;
  fuser::registerAllDialects(registry);
  registry.insert<fuser::test::TestFusionDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "fuser pass driver with test-only ops\n", registry));
}
