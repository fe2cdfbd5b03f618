//===- RunMain.cpp - Compiles and runs a file -----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CommandLine.h"
#include "../OutputFile.h"
#include "../Signature.h"
#include "DeviceRun.h"
#include "MpiRanks.h"
#include "Ranks.h"
#include "ReferenceRun.h"
#include "Shards.h"
#include "fuser/Support/GpuTarget.h"
#include "fuser/Target/CPU/CpuTarget.h"
#include "fuser/Tools/Mains.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>
#include <malloc.h>

using namespace fuser;
using namespace fuser::run;

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

static llvm::Error checkWithReference(Source &source, const RunOptions &options,
                                      ArrayRef<HostTensor> inputs,
                                      ArrayRef<HostTensor> outputs,
                                      ArrayRef<fuser_rt::TensorSpec> specs,
                                      Report &report) {
  auto expected = runReferenceOn(*source.module, options, inputs);
  if (!expected)
    return expected.takeError();
  return checkOutputs(*expected, outputs, specs, report);
}

static llvm::Error runOnDevice(const RunOptions &options, Source &source,
                               SmallVectorImpl<HostTensor> &inputs,
                               Report &report) {
  DeviceRun run(options, source);
  ArrayRef<HostTensor> expected;
  if (options.report)
    expected = inputs;
  if (llvm::Error error = run.load(report, expected))
    return error;
  auto outputs = run.run(inputs);
  if (!outputs)
    return outputs.takeError();
  if (llvm::Error error = writeOutputs(options, *outputs))
    return error;
  if (options.check)
    if (llvm::Error error = checkWithReference(
            source, options, inputs, *outputs, run.getOutputs(), report))
      return error;
  if (options.report)
    if (llvm::Error error = run.reportWork(report))
      return error;
  if (options.bench) {
    auto result = bench(run.getSession());
    if (!result)
      return result.takeError();
    report.bench = *result;
    if (!run.movesBytes())
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
  return checkWithReference(source, options, (*shards)->getInputs(), *outputs,
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
