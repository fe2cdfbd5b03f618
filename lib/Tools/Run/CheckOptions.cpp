//===- CheckOptions.cpp - Which options go together -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CommandLine.h"
#include "../OutputFile.h"
#include "RunOptions.h"
#include "fuser/Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace fuser;
using namespace fuser::run;
using llvm::StringRef;

namespace {
struct Given {
  StringRef flag;
  bool isGiven;
};
} // namespace

/// An error for the first of `others` that is given, all of them without effect
/// beside `flag`.
static llvm::Error refuse(StringRef flag, StringRef why,
                          llvm::ArrayRef<Given> others) {
  for (const Given &other : others)
    if (other.isGiven)
      return usageError(flag + ": expected no " + other.flag +
                        " with it because " + why);
  return llvm::Error::success();
}

/// The passes of a compilation, in order.
static llvm::SetVector<StringRef> listPasses(const RunOptions &run,
                                             std::string &text) {
  mlir::OpPassManager passes(mlir::ModuleOp::getOperationName());
  PipelineOptions options{run.target, "", false};
  options.arithmetic = run.arithmetic;
  options.checkKernels = run.simChecks != 0;
  buildFusionPipeline(passes, options);
  buildKernelPipeline(passes, options);
  buildHostPipeline(passes);
  buildKernelLoweringPipeline(passes, options);
  buildKernelEmissionPipeline(passes, options);
  buildHostLoweringPipeline(passes);
  llvm::raw_string_ostream os(text);
  passes.printAsTextualPipeline(os);
  // A name ends at its options, or where the next one begins; before a
  // parenthesis it is that of an op.
  llvm::SetVector<StringRef> names;
  StringRef rest = text;
  while (!rest.empty()) {
    StringRef name =
        rest.take_until([](char c) { return StringRef("(){},").contains(c); });
    rest = rest.drop_front(name.size());
    if (!name.empty() && !rest.starts_with("("))
      names.insert(name);
    if (rest.starts_with("{"))
      rest = rest.drop_front(rest.find('}'));
    rest = rest.drop_front(rest.empty() ? 0 : 1);
  }
  return names;
}

static llvm::Error checkDumps(const RunOptions &options) {
  std::string text;
  llvm::SetVector<StringRef> known = listPasses(options, text);
  for (StringRef pass : options.dumpAfter)
    if (pass != "all" && !known.contains(pass))
      return usageError(
          "--dump-ir-after: expected all or a pass of the target " +
          options.target->name + " (" + llvm::join(known, ", ") + "), got '" +
          pass + "'");
  return llvm::Error::success();
}

/// One thing at most goes to standard output besides what outputs, one behind
/// the other, are.
static llvm::Error checkFiles(const RunOptions &options) {
  bool toStdout = llvm::is_contained(options.outputs, "-");
  for (auto [flag, path] :
       {std::pair<StringRef, StringRef>("--emit", options.emit),
        {"--bench", options.benchFile},
        {"--trace", options.trace}}) {
    if (path.empty())
      continue;
    if (llvm::Error error = checkWritable(flag, path))
      return error;
    if (path == "-" && toStdout)
      return usageError(
          flag + ": expected a file because --output goes to standard output, "
                 "got '-'");
    toStdout |= path == "-";
  }
  for (StringRef path : options.outputs)
    if (llvm::Error error = checkWritable("--output", path))
      return error;
  if (toStdout)
    return refuse("-",
                  "what is written to standard output is not to be mixed with "
                  "anything else",
                  {{"--dump-ir-after", !options.dumpAfter.empty()}});
  return llvm::Error::success();
}

/// Options that belong to one target.
static llvm::Error checkTarget(const RunOptions &options) {
  if (!options.guard.empty() && options.guard != "end" &&
      options.guard != "begin")
    return usageError("--guard: expected end or begin, got '" + options.guard +
                      "'");
  std::string flag = ("--target " + options.target->name).str();
  if (options.target->device != fuser_rt::Target::Sim)
    if (llvm::Error error = refuse(flag, "it is about simulated kernels",
                                   {{"--sim-check", options.simChecks != 0},
                                    {"--sim-seed", options.simSeed != 0}}))
      return error;
  if (options.target->device != fuser_rt::Target::Cuda)
    return refuse(flag, "there is one CPU",
                  {{"--device", options.device.has_value()}});
  if (llvm::Error error = refuse(flag, "it is about the memory of the CPU",
                                 {{"--guard", !options.guard.empty()}}))
    return error;
  if (llvm::Error error = refuse(flag, "it is about the streams of the CPU",
                                 {{"--delays", options.delays.has_value()}}))
    return error;
  return refuse(flag, "it is a number of threads of the CPU",
                {{"--num-threads", options.threads.has_value()}});
}

/// What shows how a program runs.
static llvm::Error checkObservers(const RunOptions &options) {
  if (options.trace == "-")
    return usageError("--trace: expected the name of a file, got '-'");
  if (options.report)
    if (llvm::Error error = refuse("--report", "it traces the program itself",
                                   {{"--trace", !options.trace.empty()},
                                    {"--delays", options.delays.has_value()},
                                    {"--guard", !options.guard.empty()}}))
      return error;
  if (!options.bench)
    return llvm::Error::success();
  return refuse("--bench", "it would be timed, too",
                {{"--trace", !options.trace.empty()},
                 {"--delays", options.delays.has_value()}});
}

llvm::Error run::checkRankFiles(const RunOptions &options, int size) {
  auto check = [&](StringRef flag, StringRef path) -> llvm::Error {
    if (size <= 1 || path.contains("{rank}"))
      return llvm::Error::success();
    return usageError(flag +
                      ": expected {rank} in a file's name, which each "
                      "rank writes, got '" +
                      path + "'");
  };
  for (StringRef path : options.outputs)
    if (llvm::Error error = check("--output", path))
      return error;
  // Threads of one process write one trace.
  if (!options.mpi || options.trace.empty())
    return llvm::Error::success();
  return check("--trace", options.trace);
}

static llvm::Error checkRanks(const RunOptions &options) {
  if (!options.ranks && !options.mpi)
    return llvm::Error::success();
  if (options.mpi)
    if (llvm::Error error = refuse("--ranks mpi", "no process has all results",
                                   {{"--check", options.check}}))
      return error;
  return refuse("--ranks", "it is about one rank",
                {{"--preallocate", options.preallocate},
                 {"--report", options.report},
                 {"--guard", !options.guard.empty()},
                 {"--reference", options.reference},
                 {"--emit", !options.emit.empty()}});
}

llvm::Error run::checkOptions(const RunOptions &options) {
  if (llvm::Error error = checkTarget(options))
    return error;
  if (llvm::Error error = checkObservers(options))
    return error;
  if (llvm::Error error = checkRanks(options))
    return error;
  Given check{"--check", options.check}, bench{"--bench", options.bench},
      preallocate{"--preallocate", options.preallocate},
      timing{"--timing", options.timing}, quick{"--quick", options.quick},
      dump{"--dump-ir-after", !options.dumpAfter.empty()},
      report{"--report", options.report},
      explain{"--explain", options.explain && !options.report},
      cache{"--cache", options.cache}, arch{"--arch", !options.arch.empty()},
      guard{"--guard", !options.guard.empty()},
      trace{"--trace", !options.trace.empty()},
      delays{"--delays", options.delays.has_value()};
  if (options.reference)
    if (llvm::Error error =
            refuse("--reference",
                   "nothing is compiled, and the reference is "
                   "what others are compared with",
                   {check, bench, preallocate, guard, timing, quick, dump,
                    explain, report, arch, trace, delays, cache}))
      return error;
  if (!options.emit.empty())
    if (llvm::Error error =
            refuse("--emit", "it only compiles, and nothing runs",
                   {{"--reference", options.reference},
                    check,
                    bench,
                    preallocate,
                    guard,
                    report,
                    trace,
                    delays,
                    cache,
                    {"--output", !options.outputs.empty()},
                    {"--input", !options.inputs.empty()},
                    {"--scalar", !options.scalars.empty()},
                    {"--device", options.device.has_value()},
                    {"--num-threads", options.threads.has_value()}}))
      return error;
  if (options.cache)
    if (llvm::Error error =
            refuse("--cache", "there may be no compilation to show",
                   {dump, explain, report}))
      return error;
  if (llvm::Error error = checkDumps(options))
    return error;
  return checkFiles(options);
}

llvm::Error run::checkOptionsWithFile(const RunOptions &options,
                                      bool isCompiled) {
  bool hasSource = !options.source.empty();
  if (!isCompiled)
    return refuse(options.file, "it is the source itself",
                  {{"--source", hasSource}});
  if (llvm::Error error =
          refuse(options.file, "a compiled program is not compiled again",
                 {{"--dump-ir-after", !options.dumpAfter.empty()},
                  {"--explain", options.explain && !options.report},
                  {"--report", options.report},
                  {"--cache", options.cache},
                  {"--timing", options.timing},
                  {"--quick", options.quick},
                  {"--arch", !options.arch.empty()}}))
    return error;
  if (!options.emit.empty())
    return usageError(
        "--emit: expected the source of a program, got a compiled one");
  if (!options.check && !options.reference)
    return refuse(options.file, "only --check and --reference need it",
                  {{"--source", hasSource},
                   {"--exact", options.arithmetic == Arithmetic::Ring}});
  if (!hasSource)
    return usageError("--check, --reference: expected --source "
                      "with a compiled program, got none");
  return llvm::Error::success();
}
