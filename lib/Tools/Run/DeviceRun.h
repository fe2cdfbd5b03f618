//===- DeviceRun.h - One run of a program on a device ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_RUN_DEVICERUN_H
#define FUSER_LIB_TOOLS_RUN_DEVICERUN_H

#include "../GuardedMemory.h"
#include "Report/Report.h"
#include "fuser/Pipelines/Executable.h"
#include "fuser/Reference/Reference.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>

namespace fuser::run {

/// What is to run: a source with what it needs to live or, for a compiled
/// program, its bytes and its source if there is one.
struct Source {
  std::unique_ptr<llvm::MemoryBuffer> compiled;
  std::unique_ptr<mlir::MLIRContext> context;
  llvm::SourceMgr sources;
  std::unique_ptr<mlir::SourceMgrDiagnosticHandler> handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<StageTime> times; ///< Of making all this.
  /// What sources may use besides this project's dialects; null: nothing.
  const mlir::DialectRegistry *dialects = nullptr;
};

using Clock = std::chrono::steady_clock;

/// Parses `buffer`, of the file `path`, and looks whether it can be compiled
/// with `options`.
llvm::Error parseSource(std::unique_ptr<llvm::MemoryBuffer> buffer,
                        llvm::StringRef path, const RunOptions &options,
                        Source &source);

CompileOptions makeCompileOptions(const RunOptions &options);

/// Notes what was compiled since `start`, after `source` was made.
void noteCompiled(Report &report, const Source &source, CompileResult result,
                  Clock::time_point start);

struct ProgramDeleter {
  void operator()(FuserProgram *program) const {
    fuser_program_destroy(program);
  }
};

/// The program to run, from source or from a program file.
struct Loaded {
  std::unique_ptr<Executable> executable;
  std::unique_ptr<FuserProgram, ProgramDeleter> file;
  std::vector<fuser_rt::TensorSpec> inputs, outputs;
  std::vector<fuser_rt::ScalarSpec> scalars;
  Alignments alignments;
  /// Not if all results are inputs or views of them.
  bool movesBytes = true;

  void describe(const fuser_rt::Program &program);
  FuserProgram *get() const {
    return executable ? executable->getProgram() : file.get();
  }
};

/// A program in a context of its own. `options` and `source` outlive it.
class DeviceRun {
public:
  DeviceRun(const RunOptions &options, Source &source)
      : options(options), source(source) {}

  /// Makes the context, and compiles or loads the program: if `inputs` are
  /// given, for such as those, so that it need not be compiled again for them.
  llvm::Error load(Report &report, llvm::ArrayRef<HostTensor> inputs = {});
  /// Once or, so that the outputs have memory before, twice.
  llvm::Expected<llvm::SmallVector<HostTensor>>
  run(llvm::MutableArrayRef<HostTensor> inputs);

  llvm::ArrayRef<fuser_rt::TensorSpec> getOutputs() const {
    return loaded.outputs;
  }
  /// Of a program that has run, with --report: what its kernels took.
  llvm::Error reportWork(Report &report);
  /// Whether it computes anything.
  bool movesBytes() const { return loaded.movesBytes; }
  /// Of a program that has run.
  Session &getSession() { return *session; }

private:
  void noteLaunches(CompileOptions &compile, llvm::ArrayRef<HostTensor> inputs);
  llvm::Error loadFile(llvm::StringRef bytes);
  llvm::Error loadProgram(Report &report, llvm::ArrayRef<HostTensor> inputs);
  llvm::Error runSession(llvm::ArrayRef<HostTensor> inputs);

  const RunOptions &options;
  Source &source;
  // What comes later is destroyed before.
  std::optional<GuardedMemory> guards;
  ContextPtr context;
  Loaded loaded;
  std::optional<Session> session;
  std::shared_ptr<LaunchNotes> launches; ///< With --report.
};

/// Compares all outputs with the reference, and says on standard error what
/// differs. An error if there are not as many.
llvm::Error checkOutputs(llvm::ArrayRef<ReferenceOutput> expected,
                         llvm::ArrayRef<HostTensor> outputs,
                         llvm::ArrayRef<fuser_rt::TensorSpec> specs,
                         Report &report);

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_RUN_DEVICERUN_H
