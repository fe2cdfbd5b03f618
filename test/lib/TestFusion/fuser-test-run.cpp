//===- fuser-test-run.cpp - fuser-run, with test-only ops -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFusion.h"
#include "fuser/Tools/Mains.h"
#include "mlir/IR/DialectRegistry.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<fuser::test::TestFusionDialect>();
  return fuser::runMain(argc, argv, registry,
                        fuser::test::getTargetsWithStub());
}
