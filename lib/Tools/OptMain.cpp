//===- OptMain.cpp - The pass driver --------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Files.h"
#include "fuser/InitAllDialects.h"
#include "fuser/InitAllPasses.h"
#include "fuser/Tools/Mains.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>

/// What MlirOptMain does with its files, and a check of the input.
static mlir::LogicalResult processFile(llvm::StringRef input,
                                       llvm::StringRef output,
                                       mlir::DialectRegistry &registry,
                                       const mlir::MlirOptMainConfig &config) {
  if (input == "-" &&
      llvm::sys::Process::FileDescriptorIsDisplayed(fileno(stdin)))
    llvm::errs() << "reading from the terminal, up to ctrl-d\n";
  fuser::ToolFiles files;
  if (!files.open(input, output) ||
      mlir::failed(mlir::MlirOptMain(files.output->os(), std::move(files.input),
                                     registry, config)))
    return mlir::failure();
  files.output->keep();
  return mlir::success();
}

int fuser::optMain(int argc, char **argv) {
  fuser::setVersionPrinter();
  fuser::registerAllPasses();
  mlir::DialectRegistry registry;
  fuser::registerAllDialects(registry);
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "fuser pass driver\n", registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));
  llvm::InitLLVM init(argc, argv);
  return mlir::asMainReturnCode(processFile(input, output, registry, config));
}
