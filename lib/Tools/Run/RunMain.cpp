//===- RunMain.cpp - Compiles and runs a file
//------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceRun.h"
#include "Report.h"
#include "fuser/Pipelines/Executable.h"
#include "fuser/Tools/Mains.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace fuser;
using namespace fuser::run;

namespace {
struct ProgramDeleter {
  void operator()(FuserProgram *program) const {
    fuser_program_destroy(program);
  }
};

/// The program to run, from source or from a program file.
struct Loaded {
  std::unique_ptr<Executable> executable;
  std::unique_ptr<FuserProgram, ProgramDeleter> file;
  FuserProgram *get() const {
    return executable ? executable->getProgram() : file.get();
  }
};

/// The source file and what it needs to live; empty for a program file.
struct Source {
  std::unique_ptr<MLIRContext> context;
  llvm::SourceMgr sources;
  std::unique_ptr<SourceMgrDiagnosticHandler> handler;
  OwningOpRef<ModuleOp> module;
};
} // namespace

static bool isProgramFile(StringRef path) { return path.ends_with(".fx"); }

static llvm::Error parseSource(const RunOptions &options, Source &source) {
  source.context = createCompilerContext();
  source.handler = std::make_unique<SourceMgrDiagnosticHandler>(
      source.sources, source.context.get());
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options.file);
  if (!buffer)
    return llvm::createStringError("'" + options.file +
                                   "': " + buffer.getError().message());
  source.sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  source.module =
      parseSourceFile<ModuleOp>(source.sources, source.context.get());
  if (!source.module)
    return llvm::createStringError("'" + options.file + "' was not accepted");
  return llvm::Error::success();
}

static CompileOptions makeCompileOptions(const RunOptions &options) {
  CompileOptions result;
  result.entry = options.entry;
  result.target =
      options.target == "cuda" ? fuser_rt::Target::Cuda : fuser_rt::Target::Cpu;
  result.arch = options.arch;
  if (!options.dumpAfter.empty())
    result.afterPass = [&options](StringRef pass, Operation *module) {
      if (llvm::is_contained(options.dumpAfter, "all") ||
          llvm::is_contained(options.dumpAfter, pass)) {
        llvm::outs() << "// ----- after " << pass << "\n";
        module->print(llvm::outs());
        llvm::outs() << "\n";
      }
    };
  return result;
}

static double millisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - start)
      .count();
}

static llvm::Error load(const RunOptions &options, Source &source,
                        FuserContext *context, Report &report, Loaded &loaded) {
  if (isProgramFile(options.file)) {
    FuserProgram *program = nullptr;
    llvm::Error error = toError(
        fuser_program_load_file(context, options.file.c_str(), &program));
    loaded.file.reset(program);
    return error;
  }
  auto start = std::chrono::steady_clock::now();
  std::string error;
  loaded.executable =
      Executable::create(context, OwningOpRef<ModuleOp>(source.module->clone()),
                         makeCompileOptions(options), error);
  if (!loaded.executable)
    return llvm::createStringError(error);
  report.compileMilliseconds = millisecondsSince(start);
  report.compiled = loaded.executable->getResult();
  return llvm::Error::success();
}

/// Adds a variant that takes any strides and any alignment, so that a program
/// in a file, which has no compiler behind it, refuses no input.
static llvm::Error addGeneralVariant(const RunOptions &options, Source &source,
                                     fuser_rt::Program &program) {
  CompileOptions general = makeCompileOptions(options);
  general.inputs.assign(program.variants.front().inputs.size(), {true, 0});
  general.outputAlignment = 1;
  general.arch = program.variants.front().arch;
  FailureOr<CompileResult> result = compileModule(*source.module, general);
  if (failed(result))
    return llvm::createStringError("'" + options.file + "' was not compiled");
  program.variants.push_back(std::move(result->program.variants.front()));
  return llvm::Error::success();
}

/// Compiles only: --emit needs neither inputs nor a device.
static llvm::Error emitProgram(const RunOptions &options, Source &source) {
  FailureOr<CompileResult> result =
      compileModule(*source.module, makeCompileOptions(options));
  if (failed(result))
    return llvm::createStringError("'" + options.file + "' was not compiled");
  if (llvm::Error error = addGeneralVariant(options, source, result->program))
    return error;
  return writeProgram(result->program, options.emit);
}

static llvm::Error checkOutputs(Source &source, const RunOptions &options,
                                ArrayRef<HostTensor> inputs,
                                ArrayRef<HostTensor> outputs, Report &report) {
  auto expected = runReferenceOn(*source.module, options, inputs);
  if (!expected)
    return expected.takeError();
  CheckResult total;
  for (auto [index, got] : llvm::enumerate(outputs)) {
    CheckResult result = compare(got, (*expected)[index]);
    if (result.numWrong)
      llvm::errs() << "output " << index << ": " << result.numWrong << " of "
                   << got.getNumElements()
                   << " elements differ by more than is allowed, the first at "
                   << result.firstWrong << "\n";
    total.maxUlp = std::max(total.maxUlp, result.maxUlp);
    total.maxAbsolute = std::max(total.maxAbsolute, result.maxAbsolute);
    total.worst = std::max(total.worst, result.worst);
    total.numWrong += result.numWrong;
  }
  report.check = total;
  return llvm::Error::success();
}

static llvm::Error writeOutputs(const RunOptions &options,
                                ArrayRef<HostTensor> outputs) {
  if (options.outputs.size() > outputs.size())
    return llvm::createStringError("expected at most " + Twine(outputs.size()) +
                                   " --output, one for each result, got " +
                                   Twine(options.outputs.size()));
  for (auto [path, tensor] : llvm::zip(options.outputs, outputs))
    if (llvm::Error error = writeNpy(path, tensor))
      return error;
  return llvm::Error::success();
}

static llvm::Error runOnDevice(const RunOptions &options, Source &source,
                               SmallVectorImpl<HostTensor> &inputs,
                               Report &report) {
  auto context = createContext(options);
  if (!context)
    return context.takeError();
  report.target = options.target;
  report.device = fuser_context_device_name(context->get());
  Loaded loaded;
  if (llvm::Error error = load(options, source, context->get(), report, loaded))
    return error;
  Session session(context->get(), loaded.get());
  if (llvm::Error error = session.bindInputs(inputs))
    return error;
  if (llvm::Error error = session.bindScalars(options.scalars))
    return error;
  if (llvm::Error error = session.run())
    return error;
  if (options.preallocate) {
    session.keepOutputs();
    if (llvm::Error error = session.run())
      return error;
  }
  auto outputs = session.fetchOutputs();
  if (!outputs)
    return outputs.takeError();
  if (llvm::Error error = writeOutputs(options, *outputs))
    return error;
  if (options.check)
    if (llvm::Error error =
            checkOutputs(source, options, inputs, *outputs, report))
      return error;
  if (options.bench) {
    auto result = bench(session);
    if (!result)
      return result.takeError();
    report.bench = *result;
  }
  return llvm::Error::success();
}

static llvm::Error runTool(const RunOptions &options) {
  if (options.target != "cpu" && options.target != "cuda")
    return llvm::createStringError("--target: expected cpu or cuda, got '" +
                                   options.target + "'");
  Source source;
  if (isProgramFile(options.file)) {
    if (options.check || options.reference || !options.emit.empty())
      return llvm::createStringError(
          "--check, --reference and --emit need the source of the program, "
          "got a compiled one");
  } else if (llvm::Error error = parseSource(options, source)) {
    return error;
  }
  if (!options.emit.empty())
    return emitProgram(options, source);
  SmallVector<HostTensor> inputs;
  for (StringRef spec : options.inputs) {
    auto tensor = makeTensor(spec);
    if (!tensor)
      return tensor.takeError();
    inputs.push_back(std::move(*tensor));
  }
  if (options.reference) {
    auto outputs = runReferenceOn(*source.module, options, inputs);
    return outputs ? writeOutputs(options, *outputs) : outputs.takeError();
  }
  Report report;
  if (llvm::Error error = runOnDevice(options, source, inputs, report))
    return error;
  printReport(report, options);
  if (!options.benchFile.empty())
    if (llvm::Error error = writeReport(report, options.benchFile))
      return error;
  if (report.check && report.check->numWrong)
    return llvm::createStringError("the results differ from the reference");
  return llvm::Error::success();
}

int fuser::runMain(int argc, char **argv) {
  RunOptions options = parseRunOptions(argc, argv);
  if (llvm::Error error = runTool(options)) {
    llvm::errs() << "fuser-run: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
