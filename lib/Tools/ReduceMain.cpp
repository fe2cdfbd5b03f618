//===- ReduceMain.cpp - Reduces a failing program -------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a program smaller for as long as a script says that what is wrong with
// it is still there.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Files.h"
#include "Reduce.h"
#include "fuser/InitAllDialects.h"
#include "fuser/Tools/Mains.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace {
struct ReduceFlags {
  llvm::cl::OptionCategory category{"fuser-reduce options"};
  llvm::cl::opt<std::string> input{llvm::cl::Positional, llvm::cl::Required,
                                   llvm::cl::desc("<program.mlir>"),
                                   llvm::cl::cat(category)};
  llvm::cl::opt<std::string> test{
      "test", llvm::cl::Required, llvm::cl::value_desc("script"),
      llvm::cl::desc("Called with the name of a file; exits with 1 if the "
                     "program in it is still wrong"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> output{
      "o", llvm::cl::init("-"), llvm::cl::value_desc("file"),
      llvm::cl::desc("Where to write"), llvm::cl::cat(category)};
};

/// Asks the script about programs.
class Tester {
public:
  explicit Tester(StringRef script) : script(script) {}

  /// Whether `module` is still wrong.
  bool isWrong(ModuleOp module);
  unsigned getNumRuns() const { return numRuns; }
  /// What the last run ended with.
  std::string getOutcome() const {
    return outcome < 0 ? message : "exit code " + std::to_string(outcome);
  }

private:
  std::string script, message;
  int outcome = 0;
  unsigned numRuns = 0;
};
} // namespace

bool Tester::isWrong(ModuleOp module) {
  SmallString<128> path;
  int descriptor;
  if (llvm::sys::fs::createTemporaryFile("fuser-reduce", "mlir", descriptor,
                                         path))
    return false;
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  module.print(os);
  os.close();
  ++numRuns;
  // Less than 0: it did not run, or not to its end.
  outcome = llvm::sys::ExecuteAndWait(script, {script, path}, std::nullopt, {},
                                      /*SecondsToWait=*/0, /*MemoryLimit=*/0,
                                      &message);
  return outcome == 1;
}

static int reduceFile(const ReduceFlags &flags) {
  DialectRegistry registry;
  fuser::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  fuser::ToolFiles files;
  if (!files.open(flags.input, flags.output))
    return 1;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(files.input), llvm::SMLoc());
  OwningOpRef<ModuleOp> module;
  {
    SourceMgrDiagnosticHandler handler(sources, &context);
    module = parseSourceFile<ModuleOp>(sources, &context);
  }
  if (!module)
    return 1;
  Tester tester(flags.test);
  if (!tester.isWrong(*module)) {
    llvm::errs() << "fuser-reduce: --test: expected '" << flags.test
                 << "' to exit with 1 for the whole program, got "
                 << tester.getOutcome() << '\n';
    return 1;
  }
  fuser::Reduction ops =
      fuser::reduceProgram(module, [&](ModuleOp smaller, ArrayRef<unsigned>) {
        return tester.isWrong(smaller);
      });
  llvm::errs() << "reduced " << ops.before << " ops to " << ops.after << " in "
               << tester.getNumRuns() << " runs of the script\n";
  module->print(files.output->os());
  files.output->os() << "\n";
  files.output->keep();
  return 0;
}

int fuser::reduceMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  ReduceFlags flags;
  llvm::cl::HideUnrelatedOptions(flags.category);
  if (llvm::Error error =
          parseCommandLine(argc, argv, "Reduces a failing program\n", {1, 1}))
    return reportError("fuser-reduce", std::move(error));
  return reduceFile(flags);
}
