//===- FuzzMain.cpp - Runs random programs --------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CommandLine.h"
#include "../OutputFile.h"
#include "../Reduce.h"
#include "../Run/Session.h"
#include "Bits.h"
#include "CutTrial.h"
#include "Workers.h"
#include "fuser/Tools/Mains.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>
#include <malloc.h>

using namespace fuser;
using namespace fuser::fuzz;

//===----------------------------------------------------------------------===//
// One seed, in a process of its own
//===----------------------------------------------------------------------===//

static std::string getPath(const FuzzOptions &options, uint64_t seed,
                           StringRef suffix = ".mlir") {
  SmallString<128> path(options.folder);
  llvm::sys::path::append(path, Twine(seed) + suffix);
  return path.str().str();
}

/// `first` is what the first target has computed: nothing if this is it.
static Verdict runProgram(const Trial &trial, uint64_t seed,
                          const FuzzOptions &options, Shared &shared,
                          std::optional<Outcome> &first) {
  Outcome outcome;
  if (options.cuts != Cuts::Decisions)
    outcome = runTrial(trial, shared);
  if (outcome.verdict != Verdict::Passed)
    return outcome.verdict;
  if (options.cuts != Cuts::None)
    return runCuts(trial, options, outcome.outputs, seed);
  if (!options.sameBits)
    return Verdict::Passed;
  if (!first) {
    first = std::move(outcome);
    return Verdict::Passed;
  }
  std::string difference = describeDifference(first->outputs, outcome.outputs);
  if (difference.empty())
    return Verdict::Passed;
  llvm::errs() << "not as on " << options.targets.front()->name << ": "
               << difference << "\n";
  return Verdict::Wrong;
}

/// Runs the program of a seed on a target after the other. What it fails on
/// stays behind as a file.
static Verdict runSeed(uint64_t seed, const FuzzOptions &options) {
  Shared shared;
  std::optional<Outcome> first;
  for (const Target *target : options.targets) {
    std::optional<Trial> trial =
        makeTrial(seed, *target, options, getPath(options, seed));
    if (!trial)
      return Verdict::NotGenerated;
    bool keeps = !options.folder.empty();
    if (keeps)
      trial->write();
    Verdict verdict = runProgram(*trial, seed, options, shared, first);
    if (verdict != Verdict::Passed && verdict != Verdict::Refused)
      return verdict;
    if (keeps)
      trial->remove();
    if (verdict == Verdict::Refused)
      return verdict;
  }
  return Verdict::Passed;
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

/// "The program is not valid", for what a process ended with.
static StringRef describe(int code) {
  switch (static_cast<Verdict>(code)) {
  case Verdict::NotGenerated:
    return "the generator made a program that is not valid";
  case Verdict::NotMeant:
    return "the reference refuses the program";
  case Verdict::NotCompiled:
    return "the program was not compiled";
  case Verdict::NotRun:
    return "the program did not run";
  case Verdict::Wrong:
    return "the results are wrong";
  default:
    if (code == Ended::kLate)
      return "the process did not end";
    return code < 0 ? "the process crashed" : "the process ended by itself";
  }
}

namespace {
/// Runs all seeds, and keeps what fails.
class Fuzzer {
public:
  explicit Fuzzer(const FuzzOptions &options)
      : options(options), workers(options.timeout) {}
  /// The exit code of the tool.
  int run();

private:
  void start(uint64_t seed, uint64_t count);
  void add(const Ended &ended);
  void report(const Ended &ended);
  void reduce(const Ended &ended);

  const FuzzOptions &options;
  Workers workers;
  std::vector<uint64_t> failed;
  uint64_t numRefused = 0;
};
} // namespace

/// The first lines of a message as comments.
static std::string comment(StringRef message) {
  std::string text;
  SmallVector<StringRef> lines;
  message.trim().split(lines, '\n', /*MaxSplit=*/20);
  for (StringRef line : ArrayRef(lines).take_front(20))
    text += ("// " + line + "\n").str();
  return text;
}

/// Adds to the program's file what went wrong, behind the command.
static void noteFailure(StringRef path, StringRef message) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return;
  auto [command, text] = (*file)->getBuffer().split('\n');
  std::string noted = (command + "\n" + comment(message) + text).str();
  file->reset(); // It is a map of the file.
  llvm::Error error =
      run::writeFile(path, [&](llvm::raw_ostream &os) { os << noted; });
  if (error)
    llvm::errs() << llvm::toString(std::move(error)) << "\n";
}

void Fuzzer::report(const Ended &ended) {
  std::string message = describe(ended.code).str() + "\n" + ended.message;
  llvm::outs() << "seed " << ended.key << ": " << message;
  if (!options.folder.empty())
    noteFailure(getPath(options, ended.key), message);
}

/// Whether the program fails as before, on the target that it failed on.
static bool failsLike(const Ended &ended, const Trial &trial,
                      unsigned timeout) {
  Ended again = runInProcess(timeout, [&] {
    Shared shared;
    return static_cast<int>(runTrial(trial, shared).verdict);
  });
  return again.code == ended.code;
}

/// The inputs of some of the arguments of the program that `run` is about.
static void keepInputs(ModuleOp whole, ArrayRef<unsigned> arguments,
                       run::RunOptions &run) {
  std::vector<std::string> inputs, scalars;
  auto func = *whole.getOps<func::FuncOp>().begin();
  size_t nextInput = 0, nextScalar = 0;
  for (BlockArgument argument : func.getArguments()) {
    bool isTensor = isa<RankedTensorType>(argument.getType());
    const std::string &text =
        isTensor ? run.inputs[nextInput++] : run.scalars[nextScalar++];
    if (llvm::is_contained(arguments, argument.getArgNumber()))
      (isTensor ? inputs : scalars).push_back(text);
  }
  run.inputs = std::move(inputs);
  run.scalars = std::move(scalars);
}

void Fuzzer::reduce(const Ended &ended) {
  std::string path = getPath(options, ended.key);
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return;
  // The file is of the target that failed.
  StringRef text = (*file)->getBuffer();
  std::optional<Trial> trial;
  for (const Target *target : options.targets)
    if (text.contains(("--target=" + target->name + " ").str()) && !trial)
      trial = makeTrial(ended.key, *target, options, path);
  if (!trial)
    return;
  run::Source source;
  if (llvm::Error error =
          run::parseSource(llvm::MemoryBuffer::getMemBufferCopy(trial->text),
                           path, trial->options, source)) {
    llvm::consumeError(std::move(error));
    return;
  }
  OwningOpRef<ModuleOp> whole = source.module->clone();
  Trial smallest = *trial;
  Reduction ops = reduceProgram(
      source.module, [&](ModuleOp smaller, ArrayRef<unsigned> arguments) {
        Trial attempt = *trial;
        attempt.text.clear();
        llvm::raw_string_ostream(attempt.text) << smaller << "\n";
        keepInputs(*whole, arguments, attempt.options);
        if (!failsLike(ended, attempt, options.timeout))
          return false;
        smallest = std::move(attempt);
        return true;
      });
  smallest.options.file = getPath(options, ended.key, ".reduced.mlir");
  smallest.write();
  llvm::outs() << "seed " << ended.key << ": reduced " << ops.before
               << " ops to " << ops.after << "\n";
}

/// What keeps devices set up, which takes a driver longer than a program does.
static std::vector<run::ContextPtr>
openDevices(ArrayRef<const Target *> targets) {
  std::vector<run::ContextPtr> devices;
  for (const Target *target : targets) {
    run::RunOptions options;
    options.target = target;
    if (auto context = run::createContext(options))
      devices.push_back(std::move(*context));
    else
      llvm::consumeError(context.takeError()); // Programs say so.
  }
  return devices;
}

/// Runs programs of seeds that follow each other in a process.
void Fuzzer::start(uint64_t seed, uint64_t count) {
  // The devices of the new process.
  std::vector<run::ContextPtr> devices;
  workers.start(seed, count, [&](uint64_t current) {
    if (count > 1 && devices.empty())
      devices = openDevices(options.targets);
    return static_cast<int>(runSeed(current, options));
  });
}

void Fuzzer::add(const Ended &ended) {
  if (ended.rest > 0)
    start(ended.key + 1, ended.rest);
  if (ended.code == static_cast<int>(Verdict::Passed))
    return;
  if (ended.code == static_cast<int>(Verdict::Refused)) {
    ++numRefused;
    return;
  }
  failed.push_back(ended.key);
  report(ended);
  if (options.reduce)
    reduce(ended);
}

int Fuzzer::run() {
  for (uint64_t index = 0; index < options.count; index += options.batch) {
    while (workers.getNumRunning() == options.jobs)
      add(workers.wait());
    start(options.seed + index,
          std::min<uint64_t>(options.batch, options.count - index));
  }
  while (workers.getNumRunning() > 0)
    add(workers.wait());
  llvm::sort(failed);
  if (options.schedules)
    llvm::outs() << numRefused << " programs have a schedule that is refused\n";
  llvm::outs() << options.count << " programs, " << failed.size()
               << " failed: [";
  llvm::interleaveComma(failed, llvm::outs());
  llvm::outs() << "]\n";
  return failed.empty() ? 0 : 1;
}

//===----------------------------------------------------------------------===//
// The tool
//===----------------------------------------------------------------------===//

static int printPrograms(const FuzzOptions &options) {
  for (uint64_t index = 0; index < options.count; ++index) {
    uint64_t seed = options.seed + index;
    std::optional<Trial> trial = makeTrial(seed, *options.targets.front(),
                                           options, getPath(options, seed));
    if (!trial)
      return 1;
    llvm::outs() << trial->getFile();
  }
  return 0;
}

/// Asked in other processes: a driver of a device does not survive a fork.
static llvm::Error checkDevices(const FuzzOptions &options) {
  for (const Target *target : options.targets) {
    Ended ended = runInProcess(
        options.timeout, [&] { return static_cast<int>(tryDevice(*target)); });
    if (ended.code != 0)
      return usageError("--targets: expected a device for '" + target->name +
                        "', got none: " + StringRef(ended.message).trim());
  }
  return llvm::Error::success();
}

static llvm::Expected<int> fuzzTool(const FuzzOptions &options) {
  if (options.print)
    return printPrograms(options);
  if (!options.folder.empty()) {
    std::error_code error = llvm::sys::fs::create_directories(options.folder);
    if (!error && !llvm::sys::fs::is_directory(options.folder))
      error = std::make_error_code(std::errc::not_a_directory);
    if (error)
      return usageError("--out: expected a folder, got '" + options.folder +
                        "': " + error.message());
  }
  if (llvm::Error error = checkDevices(options))
    return error;
  return Fuzzer(options).run();
}

int fuser::fuzzMain(int argc, char **argv, Targets targets,
                    BuildDecisions buildDecisions) {
  // The reference makes and frees buffers of the same sizes over and over.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  llvm::Expected<FuzzOptions> options = parseFuzzOptions(argc, argv, targets);
  if (!options)
    return reportError("fuser-fuzz", options.takeError());
  options->buildDecisions = buildDecisions;
  llvm::Expected<int> code = fuzzTool(*options);
  if (!code)
    return reportError("fuser-fuzz", code.takeError());
  llvm::outs().flush();
  return *code;
}

int fuser::fuzzMain(int argc, char **argv) {
  return fuzzMain(argc, argv, getAllTargets(), fuzz::buildDecisions);
}
