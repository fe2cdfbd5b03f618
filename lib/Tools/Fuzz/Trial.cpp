//===- Trial.cpp - One program on one target ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trial.h"
#include "../OutputFile.h"
#include "../Run/ReferenceRun.h"
#include "fuser/Fuzz/Generator.h"
#include "fuser/Fuzz/Schedules.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace fuser;
using namespace fuser::fuzz;

std::string Trial::getCommand() const {
  std::string command = "fuser-run " + options.file +
                        " --target=" + options.target->name.str() + " --check";
  if (options.arithmetic == Arithmetic::Ring)
    command += " --exact";
  if (options.quick)
    command += " --quick";
  if (!options.guard.empty())
    command += " --guard=" + options.guard;
  if (options.simChecks)
    command += " --sim-check";
  if (options.simSeed)
    command += " --sim-seed=" + std::to_string(options.simSeed);
  if (options.threads)
    command += " --num-threads=" + std::to_string(*options.threads);
  for (const std::string &input : options.inputs)
    command += " --input=" + input;
  for (const std::string &scalar : options.scalars)
    command += " --scalar=" + scalar;
  return command;
}

std::string Trial::getFile() const {
  return "// " + getCommand() + "\n" + text;
}

void Trial::write() const {
  llvm::Error error = run::writeFile(
      options.file, [&](llvm::raw_ostream &os) { os << getFile(); });
  if (error)
    llvm::errs() << llvm::toString(std::move(error)) << "\n";
}

void Trial::remove() const { llvm::sys::fs::remove(options.file); }

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  os << "\n";
  return text;
}

/// Of the target's device; empty if there is none.
static std::string getArch(const Target &target) {
  run::RunOptions options;
  options.target = &target;
  auto context = run::createContext(options);
  if (context)
    return target.getDeviceArch(fuser_context_arch(context->get()));
  llvm::consumeError(context.takeError());
  return "";
}

/// What "random:7" and "normal:7" become.
static void fillWithBits(std::string &input) {
  auto [type, fill] = StringRef(input).split('=');
  for (StringRef kind : {"random:", "normal:"})
    if (fill.consume_front(kind)) {
      input = (type + "=bits:" + fill).str();
      return;
    }
}

/// Of all tensors of a program that is small.
static constexpr int64_t kFewElements = 30000;

std::optional<Trial> fuzz::makeTrial(uint64_t seed, const Target &target,
                                     const FuzzOptions &options,
                                     StringRef path) {
  Trial trial;
  run::RunOptions &run = trial.options;
  run.target = &target;
  run.file = path;
  run.check = true;
  if (target.device == fuser_rt::Target::Cpu) {
    // No access may leave its tensor; at most ends, which vectors run over.
    run.guard = seed % 4 ? "end" : "begin";
    run.threads = static_cast<int>(seed % 3 + 1);
  }
  if (target.device == fuser_rt::Target::Sim)
    run.simSeed = seed % 3 ? seed : 0;
  // What LLVM's optimisations make of our code is looked at in some programs.
  run.quick = target.device == fuser_rt::Target::Sim || seed % 5 != 0;
  std::unique_ptr<MLIRContext> context = createCompilerContext();
  GeneratorOptions generator;
  generator.topic = options.topic;
  generator.products = options.cuts == Cuts::None && !options.sameBits;
  generator.views = options.cuts == Cuts::None;
  generator.otherLayouts = !options.schedules;
  generator.floatsOfSizes = !options.exact;
  GeneratedProgram program = generateProgram(seed, generator, context.get());
  // One large program takes as long as dozens of others to be looked at.
  if (target.device == fuser_rt::Target::Sim &&
      (program.numElements <= kFewElements || seed % 8 == 0))
    run.simChecks = FUSER_CHECK_ALL;
  run.inputs = std::move(program.inputs);
  run.scalars = std::move(program.scalars);
  if (options.exact) {
    run.arithmetic = Arithmetic::Ring;
    llvm::for_each(run.inputs, fillWithBits);
  }
  LogicalResult valid = verify(*program.module);
  if (succeeded(valid) && options.schedules)
    changeSchedules(*program.module, seed, target, getArch(target),
                    run.arithmetic);
  trial.text = print(*program.module);
  if (succeeded(valid))
    return trial;
  llvm::errs() << "the generator made a program that is not valid:\n"
               << trial.getFile();
  return std::nullopt;
}

/// An error on standard error.
static Outcome fail(Verdict verdict, llvm::Error error) {
  llvm::errs() << llvm::toString(std::move(error)) << "\n";
  return {verdict, {}};
}

static llvm::Error parse(const Trial &trial, Shared &shared) {
  if (shared.source && shared.text == trial.text)
    return llvm::Error::success();
  shared = {trial.text, std::make_unique<run::Source>(), std::nullopt};
  return run::parseSource(llvm::MemoryBuffer::getMemBufferCopy(trial.text),
                          trial.options.file, trial.options, *shared.source);
}

static llvm::Error askReference(const Trial &trial,
                                ArrayRef<run::HostTensor> inputs,
                                Shared &shared) {
  if (!trial.options.check || shared.expected)
    return llvm::Error::success();
  auto outputs =
      run::runReferenceOn(*shared.source->module, trial.options, inputs);
  if (!outputs)
    return outputs.takeError();
  shared.expected = std::move(*outputs);
  return llvm::Error::success();
}

/// Why a program has no kernels. A schedule may ask for what none can do.
static Verdict judgeUncompiled(const Trial &trial, ModuleOp program) {
  const run::RunOptions &options = trial.options;
  bool isRefused = refusesSchedules(
      program, *options.target, getArch(*options.target), options.arithmetic);
  return isRefused ? Verdict::Refused : Verdict::NotCompiled;
}

Outcome fuzz::runTrial(const Trial &trial, Shared &shared) {
  if (llvm::Error error = parse(trial, shared))
    return fail(Verdict::NotGenerated, std::move(error));
  auto inputs = run::makeTensors(trial.options.inputs);
  if (!inputs)
    return fail(Verdict::NotGenerated, inputs.takeError());
  if (llvm::Error error = askReference(trial, *inputs, shared))
    return fail(Verdict::NotMeant, std::move(error));
  run::Report report;
  run::DeviceRun device(trial.options, *shared.source);
  if (llvm::Error error = device.load(report, *inputs))
    return fail(judgeUncompiled(trial, *shared.source->module),
                std::move(error));
  auto outputs = device.run(*inputs);
  if (!outputs)
    return fail(Verdict::NotRun, outputs.takeError());
  if (!trial.options.check)
    return {Verdict::Passed, std::move(*outputs)};
  if (llvm::Error error = run::checkOutputs(*shared.expected, *outputs,
                                            device.getOutputs(), report))
    return fail(Verdict::Wrong, std::move(error));
  if (report.check->numWrong)
    return {Verdict::Wrong, {}};
  return {Verdict::Passed, std::move(*outputs)};
}

Verdict fuzz::tryDevice(const Target &target) {
  run::RunOptions options;
  options.target = &target;
  auto context = run::createContext(options);
  if (context)
    return Verdict::Passed;
  llvm::errs() << llvm::toString(context.takeError());
  return Verdict::NoDevice;
}
