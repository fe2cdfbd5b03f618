//===- RunMain.cpp - Compiles and runs a file -----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CommandLine.h"
#include "../Signature.h"
#include "MpiRanks.h"
#include "OutputFile.h"
#include "Ranks.h"
#include "ReferenceRun.h"
#include "Report.h"
#include "Shards.h"
#include "fuser/Pipelines/Executable.h"
#include "fuser/Support/GpuTarget.h"
#include "fuser/Target/CPU/CpuTarget.h"
#include "fuser/Tools/Mains.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <limits>
#include <malloc.h>

using namespace fuser;
using namespace fuser::run;

/// Those that the program requires; else of the element type alone.
static SmallVector<uint64_t>
getAlignments(ArrayRef<fuser_rt::TensorSpec> tensors) {
  return llvm::map_to_vector(tensors, [](const fuser_rt::TensorSpec &tensor) {
    return tensor.alignmentRequired ? tensor.alignment
                                    : fuser_rt::elementBytes(tensor.element);
  });
}

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
  std::vector<fuser_rt::TensorSpec> inputs, outputs;
  std::vector<fuser_rt::ScalarSpec> scalars;
  Alignments alignments;
  /// Not if all results are inputs or views of them.
  bool movesBytes = true;

  void describe(const fuser_rt::Program &program) {
    const fuser_rt::Variant &variant = program.variants.front();
    inputs = variant.inputs;
    outputs = variant.outputs;
    scalars = variant.scalars;
    // A library needs no kernel to write a result.
    movesBytes = !variant.kernels.empty() ||
                 llvm::any_of(outputs, [](const fuser_rt::TensorSpec &output) {
                   return output.alias == fuser_rt::TensorSpec::Alias::New;
                 });
    alignments = {getAlignments(variant.inputs),
                  getAlignments(variant.outputs)};
  }
  FuserProgram *get() const {
    return executable ? executable->getProgram() : file.get();
  }
};

/// What is to run: a source with what it needs to live or, for a compiled
/// program, its bytes and its source if there is one.
struct Source {
  std::unique_ptr<llvm::MemoryBuffer> compiled;
  std::unique_ptr<MLIRContext> context;
  llvm::SourceMgr sources;
  std::unique_ptr<SourceMgrDiagnosticHandler> handler;
  OwningOpRef<ModuleOp> module;
  std::vector<StageTime> times; ///< Of making all this.
  /// What sources may use besides this project's dialects; null: nothing.
  const DialectRegistry *dialects = nullptr;
};
} // namespace

using Clock = std::chrono::steady_clock;

static double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

/// What `path` or, for "-", standard input holds.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readInput(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return llvm::createStringError("'" + path +
                                   "': " + buffer.getError().message());
  return std::move(*buffer);
}

/// A compiled program is known by how it begins; one that is damaged there, by
/// its name.
static bool isCompiled(StringRef path, StringRef bytes) {
  return fuser_rt::isProgram(bytes.data(), bytes.size()) ||
         path.ends_with(".fx");
}

/// Runs `check`, whose errors are about what `subject` names, an option or a
/// file, and not about a place in it.
static llvm::Error runCheck(MLIRContext *context, const Twine &subject,
                            llvm::function_ref<LogicalResult()> check) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diag) {
    os << diag;
    for (Diagnostic &note : diag.getNotes()) {
      os << "\n";
      if (auto place = note.getLocation()->findInstanceOf<FileLineColLoc>())
        os << place.getFilename().getValue() << ":" << place.getLine() << ":"
           << place.getColumn() << ": ";
      os << "note: " << note;
    }
    return success();
  });
  if (succeeded(check()))
    return llvm::Error::success();
  // Notes stand below, at places in the file.
  if (StringRef(subject.str()).starts_with("--") &&
      !StringRef(text).contains('\n'))
    return usageError(subject + ": " + text);
  return llvm::createStringError(subject + ": " + text);
}

static llvm::Error checkArch(MLIRContext *context, const RunOptions &options) {
  if (options.arch.empty() && options.emit.empty())
    return llvm::Error::success();
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(context)); };
  return runCheck(context, options.arch.empty() ? "--emit" : "--arch",
                  [&]() -> LogicalResult {
                    return options.target->resolveArch(options.arch, emitError);
                  });
}

/// Whether the file has the function that is asked for.
static llvm::Error checkEntry(ModuleOp module, StringRef path,
                              const RunOptions &options) {
  std::string subject =
      options.entry.empty() ? ("'" + path + "', --entry").str() : "--entry";
  return runCheck(module.getContext(), subject, [&]() -> LogicalResult {
    return findEntry(module, options.entry);
  });
}

static llvm::Error parseSource(std::unique_ptr<llvm::MemoryBuffer> buffer,
                               StringRef path, const RunOptions &options,
                               Source &source) {
  Clock::time_point start = Clock::now();
  source.context = createCompilerContext();
  if (source.dialects)
    source.context->appendDialectRegistry(*source.dialects);
  source.times.push_back({"context", millisecondsSince(start)});
  start = Clock::now();
  source.handler = std::make_unique<SourceMgrDiagnosticHandler>(
      source.sources, source.context.get());
  source.sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  source.module = parseProgram(source.sources, source.context.get());
  if (!source.module)
    return llvm::createStringError("'" + path + "' was not accepted");
  source.times.push_back({"parse", millisecondsSince(start)});
  if (llvm::Error error = checkArch(source.context.get(), options))
    return error;
  return checkEntry(*source.module, path, options);
}

static CompileOptions makeCompileOptions(const RunOptions &options) {
  CompileOptions result;
  result.entry = options.entry;
  result.target = options.target;
  result.arch = options.arch;
  result.explain = options.explain;
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

/// Notes what was compiled since `start`, after `source` was made.
static void noteCompiled(Report &report, const Source &source,
                         CompileResult result, Clock::time_point start) {
  result.times.insert(result.times.begin(), source.times.begin(),
                      source.times.end());
  report.compileMilliseconds = millisecondsSince(start);
  for (const StageTime &time : source.times)
    report.compileMilliseconds += time.milliseconds;
  report.compiled = std::move(result);
}

/// Loads a compiled program.
static llvm::Error loadFile(const RunOptions &options, StringRef bytes,
                            FuserContext *context, Loaded &loaded) {
  FuserProgram *program = nullptr;
  llvm::Error error = toError(
      fuser_program_load(context, bytes.data(), bytes.size(), &program));
  loaded.file.reset(program);
  if (error)
    return llvm::createStringError("'" + options.file +
                                   "': " + llvm::toString(std::move(error)));
  llvm::StringRef name = fuser_program_name(program);
  if (!options.entry.empty() && name != options.entry)
    return usageError("--entry: expected '" + name + "', the program in '" +
                      options.file + "', got '" + options.entry + "'");
  fuser_rt::Program value;
  std::string ignored; // It was read before.
  if (fuser_rt::deserialize(bytes.data(), bytes.size(), value, ignored) &&
      !value.variants.empty())
    loaded.describe(value);
  return llvm::Error::success();
}

/// Compiles the source, or loads what is compiled already.
static llvm::Error load(const RunOptions &options, Source &source,
                        FuserContext *context, Report &report, Loaded &loaded) {
  if (source.compiled)
    return loadFile(options, source.compiled->getBuffer(), context, loaded);
  Clock::time_point start = Clock::now();
  FuserStatus *status =
      Executable::create(context, OwningOpRef<ModuleOp>(source.module->clone()),
                         makeCompileOptions(options), loaded.executable);
  if (fuser_status_code(status) == FUSER_INVALID_ARGUMENT) {
    llvm::errs() << fuser_status_message(status);
    fuser_status_destroy(status);
    return llvm::createStringError("'" + options.file + "' was not compiled");
  }
  if (status)
    return toError(status);
  const CompileResult &result = loaded.executable->getResult();
  loaded.describe(result.program);
  noteCompiled(report, source, result, start);
  return llvm::Error::success();
}

/// Compiles only: --emit needs neither inputs nor a device.
static llvm::Error emitProgram(const RunOptions &options, Source &source) {
  Clock::time_point start = Clock::now();
  FailureOr<CompileResult> result =
      compileToSave(*source.module, makeCompileOptions(options));
  if (failed(result))
    return llvm::createStringError("'" + options.file + "' was not compiled");
  if (llvm::Error error = writeProgram(result->program, options.emit))
    return error;
  if (!options.timing)
    return llvm::Error::success();
  Report report;
  report.target = options.target->name;
  report.device = result->program.variants.front().arch;
  noteCompiled(report, source, std::move(*result), start);
  printReport(report, options);
  return llvm::Error::success();
}

static llvm::Error checkOutputs(Source &source, const RunOptions &options,
                                ArrayRef<HostTensor> inputs,
                                ArrayRef<HostTensor> outputs,
                                ArrayRef<fuser_rt::TensorSpec> specs,
                                Report &report) {
  auto expected = runReferenceOn(*source.module, options, inputs);
  if (!expected)
    return expected.takeError();
  if (expected->size() != outputs.size())
    return llvm::createStringError(
        "--source: expected a function of " + Twine(outputs.size()) +
        " results, as the program has, got one of " + Twine(expected->size()));
  CheckResult total;
  for (auto [index, got] : llvm::enumerate(outputs)) {
    CheckResult result = compare(got, (*expected)[index]);
    if (result.numWrong)
      llvm::errs() << "output " << index << " '" << specs[index].name
                   << "': " << result.numWrong << " of " << got.getNumElements()
                   << " elements differ by more than is allowed, the first at "
                   << result.firstWrong << ": "
                   << describe(got, (*expected)[index], result.firstWrong)
                   << "\n";
    total.merge(result);
  }
  report.check = total;
  return llvm::Error::success();
}

/// Once or, so that the outputs have memory before, twice.
static llvm::Error runSession(Session &session, ArrayRef<HostTensor> inputs,
                              const RunOptions &options) {
  if (!options.trace.empty())
    if (llvm::Error error = session.startTrace())
      return error;
  if (llvm::Error error = session.run())
    return error;
  if (!options.preallocate && options.guard.empty())
    return llvm::Error::success();
  session.keepOutputs();
  if (llvm::Error error = session.copyInputs(inputs))
    return error;
  return session.run();
}

static llvm::Error runOnDevice(const RunOptions &options, Source &source,
                               SmallVectorImpl<HostTensor> &inputs,
                               Report &report) {
  std::optional<GuardedMemory> guards;
  if (!options.guard.empty())
    guards.emplace(options.guard == "end" ? GuardSide::End : GuardSide::Begin);
  auto context = createContext(options);
  if (!context)
    return context.takeError();
  report.target = options.target->name;
  report.device = fuser_context_device_name(context->get());
  Loaded loaded;
  if (llvm::Error error = load(options, source, context->get(), report, loaded))
    return error;
  Signature signature{context->get(), loaded.get(), loaded.inputs,
                      loaded.outputs, loaded.scalars};
  if (llvm::Error error = signature.checkCounts(options)) {
    signature.print(options.writesToStdout() ? llvm::errs() : llvm::outs(),
                    options);
    return error;
  }
  Session session(context->get(), loaded.get());
  if (guards) {
    FuserAllocator allocator = guards->getAllocator();
    fuser_context_set_allocator(context->get(), &allocator);
    session.guard(*guards, loaded.alignments);
  }
  if (llvm::Error error = session.bindInputs(inputs))
    return error;
  if (llvm::Error error = session.bindScalars(options.scalars, loaded.scalars))
    return error;
  if (llvm::Error error = runSession(session, inputs, options))
    return error;
  if (!options.trace.empty())
    if (llvm::Error error = writeTrace(context->get(), options.trace))
      return error;
  auto outputs = session.fetchOutputs();
  if (!outputs)
    return outputs.takeError();
  if (guards)
    if (llvm::Error error = guards->check())
      return error;
  if (llvm::Error error = writeOutputs(options, *outputs))
    return error;
  if (options.check)
    if (llvm::Error error = checkOutputs(source, options, inputs, *outputs,
                                         loaded.outputs, report))
      return error;
  if (options.bench) {
    auto result = bench(session);
    if (!result)
      return result.takeError();
    report.bench = *result;
    if (!loaded.movesBytes)
      report.bench->bytes = 0;
  }
  return llvm::Error::success();
}

/// Reads the file that is to run and, if it is needed, its source.
static llvm::Error openSource(const RunOptions &options, Source &source) {
  auto buffer = readInput(options.file);
  if (!buffer)
    return buffer.takeError();
  bool fileIsCompiled = isCompiled(options.file, (*buffer)->getBuffer());
  if (llvm::Error error = checkOptionsWithFile(options, fileIsCompiled))
    return error;
  if (!fileIsCompiled)
    return parseSource(std::move(*buffer), options.file, options, source);
  source.compiled = std::move(*buffer);
  if (options.source.empty())
    return llvm::Error::success();
  auto text = readInput(options.source);
  if (!text)
    return text.takeError();
  if (isCompiled(options.source, (*text)->getBuffer()))
    return usageError("--source: expected the source of a program, got a "
                      "compiled one, '" +
                      options.source + "'");
  return parseSource(std::move(*text), options.source, options, source);
}

/// The bytes of a program for several ranks: it is compiled, unless it is.
static llvm::Expected<std::string>
compileForRanks(const RunOptions &options, Source &source, Report &report) {
  if (source.compiled)
    return source.compiled->getBuffer().str();
  CompileOptions compile = makeCompileOptions(options);
  if (compile.arch.empty()) {
    auto context = createContext(options);
    if (!context)
      return context.takeError();
    compile.arch =
        options.target->getDeviceArch(fuser_context_arch(context->get()));
  }
  Clock::time_point start = Clock::now();
  FailureOr<CompileResult> result = compileToSave(*source.module, compile);
  if (failed(result))
    return llvm::createStringError("'" + options.file + "' was not compiled");
  std::string bytes = fuser_rt::serialize(result->program);
  noteCompiled(report, source, std::move(*result), start);
  return bytes;
}

/// Prints the figures and writes them to the file that --bench names. The error
/// may be that results are wrong.
static llvm::Error giveReport(const Report &report, const RunOptions &options) {
  printReport(report, options);
  if (!options.benchFile.empty())
    if (llvm::Error error = writeReport(report, options.benchFile))
      return error;
  if (report.check && report.check->numWrong)
    return llvm::createStringError("the results differ from the reference");
  return llvm::Error::success();
}

/// How the program distributes its tensors; nothing if it does not, or is
/// compiled. Checks what the options want of that.
static llvm::Expected<std::optional<Shards>>
findShards(const RunOptions &options, Source &source) {
  std::optional<Shards> shards;
  if (source.module && !source.compiled) {
    auto found = Shards::find(*source.module, options);
    if (!found)
      return found.takeError();
    shards = std::move(*found);
  }
  if (!shards) {
    if (options.check && options.ranks)
      return usageError(
          "--check with --ranks: expected a program that says how "
          "its tensors are distributed (shard.shard)");
    if (llvm::Error error = checkRankFiles(options, options.ranks))
      return std::move(error);
    return std::nullopt;
  }
  if (llvm::Error error = shards->prepare(options))
    return std::move(error);
  if (options.check && !shards->hasWholeInputs())
    return usageError("--check: expected whole inputs, without {rank}");
  return shards;
}

/// Threads of this process.
static llvm::Error runThreads(const RunOptions &options, Source &source,
                              Report &report) {
  if (llvm::Error error = openSource(options, source))
    return error;
  auto shards = findShards(options, source);
  if (!shards)
    return shards.takeError();
  llvm::Expected<std::string> bytes = compileForRanks(options, source, report);
  if (!bytes)
    return bytes.takeError();
  llvm::Expected<RankProgram> program = makeRankProgram(*bytes);
  if (!program)
    return program.takeError();
  program->shards = *shards ? &**shards : nullptr;
  llvm::Expected<RankOutputs> parts = runOnRanks(options, *program, report);
  if (!parts)
    return parts.takeError();
  if (!*shards)
    return llvm::Error::success();
  auto outputs = (*shards)->assemble(*parts);
  if (!outputs)
    return outputs.takeError();
  if ((*shards)->hasWholeOutputs())
    if (llvm::Error error = writeOutputs(options, *outputs))
      return error;
  if (!options.check)
    return llvm::Error::success();
  return checkOutputs(source, options, (*shards)->getInputs(), *outputs,
                      program->variant.outputs, report);
}

/// Runs on several ranks; the first reports.
static llvm::Error runRanks(const RunOptions &options,
                            const DialectRegistry *dialects) {
  Source source;
  source.dialects = dialects;
  Report report;
  report.target = options.target->name;
  if (!options.mpi) {
    if (llvm::Error error = runThreads(options, source, report))
      return error;
    return giveReport(report, options);
  }
  auto compile = [&]() -> llvm::Expected<std::string> {
    if (llvm::Error error = openSource(options, source))
      return std::move(error);
    return compileForRanks(options, source, report);
  };
  llvm::Expected<int> rank = runOnMpi(options, compile, report);
  if (!rank)
    return rank.takeError();
  return *rank == 0 ? giveReport(report, options) : llvm::Error::success();
}

/// Whether the program takes something and nothing is given: then it is loaded
/// instead, which knows what it takes.
static bool lacksInputs(const RunOptions &options, const Source &source) {
  if (!options.inputs.empty() || !options.scalars.empty())
    return false;
  FailureOr<Operation *> entry = findEntry(*source.module, options.entry);
  return succeeded(entry) && cast<func::FuncOp>(*entry).getNumArguments() != 0;
}

static llvm::Error runTool(const RunOptions &options,
                           const DialectRegistry *dialects) {
  if (llvm::Error error = checkOptions(options))
    return error;
  if (options.ranks || options.mpi)
    return runRanks(options, dialects);
  Source source;
  source.dialects = dialects;
  if (llvm::Error error = openSource(options, source))
    return error;
  if (!options.emit.empty())
    return emitProgram(options, source);
  if (!options.reference) {
    auto shards = findShards(options, source);
    if (!shards)
      return shards.takeError();
  }
  Report report;
  auto inputs = makeTensors(options.inputs);
  if (!inputs)
    return inputs.takeError();
  if (options.reference && !lacksInputs(options, source)) {
    auto outputs = runReferenceOn(*source.module, options, *inputs);
    if (!outputs)
      return outputs.takeError();
    SmallVector<HostTensor> tensors;
    for (const ReferenceOutput &output : *outputs) {
      auto tensor = toHostTensor(output);
      if (!tensor)
        return tensor.takeError();
      tensors.push_back(std::move(*tensor));
    }
    return writeOutputs(options, tensors);
  }
  if (llvm::Error error = runOnDevice(options, source, *inputs, report))
    return error;
  return giveReport(report, options);
}

static int runMainWith(int argc, char **argv, const DialectRegistry *dialects,
                       Targets targets) {
  // The reference makes and frees buffers of the same sizes over and over. In
  // pages that go back to the system each time it would fault them in each
  // time, which takes longer than to compute them.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  llvm::Expected<RunOptions> options = parseRunOptions(argc, argv, targets);
  llvm::Error error =
      options ? runTool(*options, dialects) : options.takeError();
  return reportError("fuser-run",
                     llvm::joinErrors(std::move(error), flushOutput()));
}

int fuser::runMain(int argc, char **argv) {
  return runMainWith(argc, argv, nullptr, getAllTargets());
}

int fuser::runMain(int argc, char **argv, const DialectRegistry &dialects,
                   Targets targets) {
  return runMainWith(argc, argv, &dialects, targets);
}
