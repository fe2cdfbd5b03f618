//===- FuzzOptions.cpp - The command line of fuser-fuzz -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzOptions.h"
#include "../CommandLine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include <limits>
#include <optional>

using namespace fuser;
using namespace fuser::fuzz;
namespace cl = llvm::cl;

namespace {
/// Made when the tool starts, so that other tools in the same library do not
/// get these flags. Numbers are text, because LLVM's parser of numbers prints
/// what is wrong itself.
struct Flags {
  cl::OptionCategory category{"fuser-fuzz options"};
  cl::opt<std::string> seed{"seed", cl::value_desc("number"), cl::init("0"),
                            cl::desc("Of the first program; default: 0"),
                            cl::cat(category)};
  cl::opt<std::string> count{
      "count", cl::value_desc("number"), cl::init("1"),
      cl::desc("How many programs, of seeds that follow each other; default: "
               "1"),
      cl::cat(category)};
  cl::list<std::string> targets{
      "targets", cl::value_desc("names"), cl::CommaSeparated,
      cl::desc("What each program is compiled for and runs on, one after "
               "another; default: cpu"),
      cl::cat(category)};
  cl::opt<std::string> about{"about", cl::value_desc("what"),
                             cl::desc("Programs of everything, functions, "
                                      "rows, products, elements, gathers, "
                                      "fibres, complex or composites only"),
                             cl::cat(category)};
  cl::opt<std::string> out{
      "out", cl::value_desc("folder"),
      cl::desc("Where programs that fail stay, as SEED.mlir with the command "
               "that runs them and what went wrong"),
      cl::cat(category)};
  cl::opt<bool> schedules{
      "schedules", cl::ValueDisallowed,
      cl::desc("Cut programs into segments and change their schedules at "
               "random; one that is refused is no failure"),
      cl::cat(category)};
  cl::opt<std::string> cuts{
      "cuts", cl::value_desc("what"), cl::ValueOptional,
      cl::desc("Compare each program with itself, cut: bits (the same bits, "
               "cut at random), segments (the same bits, in segments of one "
               "op) or decisions (what may be approximated; nothing runs). "
               "Programs have no matrix products, whose sums depend on it"),
      cl::cat(category)};
  cl::opt<bool> exact{
      "exact", cl::ValueDisallowed,
      cl::desc("Compute in the ring that stands for floats, with inputs of "
               "random bits, and compare bit for bit"),
      cl::cat(category)};
  cl::opt<bool> sameBits{
      "same-bits", cl::ValueDisallowed,
      cl::desc("Compare what the targets give with each other, bit for bit. "
               "Programs have no matrix products, which libraries compute"),
      cl::cat(category)};
  cl::opt<bool> reduce{
      "reduce", cl::ValueDisallowed,
      cl::desc("Make programs that fail smaller, as SEED.reduced.mlir"),
      cl::cat(category)};
  cl::opt<std::string> jobs{"jobs", cl::value_desc("number"), cl::init("1"),
                            cl::desc("How many programs run at a time; "
                                     "default: 1"),
                            cl::cat(category)};
  cl::opt<std::string> batch{
      "batch", cl::value_desc("number"), cl::init("1"),
      cl::desc("How many programs one process runs, one after another, with "
               "one set-up of the devices; default: 1"),
      cl::cat(category)};
  cl::opt<std::string> timeout{
      "timeout", cl::value_desc("seconds"), cl::init("120"),
      cl::desc("A program that takes longer has failed; default: 120"),
      cl::cat(category)};
  cl::opt<bool> print{
      "print", cl::ValueDisallowed,
      cl::desc("Print the programs, each with the command that runs it on the "
               "first target, and run nothing"),
      cl::cat(category)};
};
} // namespace

template <typename T>
static llvm::Error parseNumber(const cl::opt<std::string> &flag, T least,
                               T &number) {
  if (!llvm::StringRef(flag).getAsInteger(10, number) && number >= least)
    return llvm::Error::success();
  return usageError("--" + flag.ArgStr + ": expected a number of " +
                    llvm::Twine(least) + " or more, got '" + flag.getValue() +
                    "'");
}

static llvm::Error parseTargets(const Flags &flags, Targets known,
                                FuzzOptions &options) {
  std::vector<std::string> names(flags.targets.begin(), flags.targets.end());
  if (names.empty())
    names.push_back("cpu");
  for (const std::string &name : names) {
    const Target *target = findTarget(known, name);
    if (!target)
      return usageError("--targets: expected " + getTargetNames(known) +
                        ", got '" + name + "'");
    if (llvm::is_contained(options.targets, target))
      return usageError("--targets: expected '" + name +
                        "' once, got it again");
    options.targets.push_back(target);
  }
  return llvm::Error::success();
}

static llvm::Error parseTopic(const Flags &flags, FuzzOptions &options) {
  if (flags.about.getNumOccurrences() == 0)
    return llvm::Error::success();
  auto topic = llvm::StringSwitch<std::optional<Topic>>(flags.about)
                   .Case("everything", Topic::Everything)
                   .Case("functions", Topic::Functions)
                   .Case("rows", Topic::Rows)
                   .Case("products", Topic::Products)
                   .Case("elements", Topic::Elements)
                   .Case("gathers", Topic::Gathers)
                   .Case("fibres", Topic::Fibres)
                   .Case("complex", Topic::Complex)
                   .Case("images", Topic::Images)
                   .Case("composites", Topic::Composites)
                   .Default(std::nullopt);
  if (!topic)
    return usageError(
        "--about: expected everything, functions, rows, "
        "products, elements, gathers, fibres, images, complex or composites, "
        "got '" +
        flags.about.getValue() + "'");
  options.topic = *topic;
  return llvm::Error::success();
}

static llvm::Error parseCuts(const Flags &flags, FuzzOptions &options) {
  if (flags.cuts.getNumOccurrences() == 0)
    return llvm::Error::success();
  auto cuts = llvm::StringSwitch<std::optional<Cuts>>(flags.cuts)
                  .Cases({"", "bits"}, Cuts::Bits)
                  .Case("segments", Cuts::Segments)
                  .Case("decisions", Cuts::Decisions)
                  .Default(std::nullopt);
  if (!cuts)
    return usageError("--cuts: expected bits, segments or decisions, got '" +
                      flags.cuts.getValue() + "'");
  options.cuts = *cuts;
  return llvm::Error::success();
}

/// What options would be ignored, or cannot be obeyed, in whose company.
static llvm::Error checkTogether(const FuzzOptions &options) {
  if (options.count - 1 > std::numeric_limits<uint64_t>::max() - options.seed)
    return usageError("--count: expected seeds up to 2^64 - 1, got " +
                      llvm::Twine(options.count) + " from " +
                      llvm::Twine(options.seed) + " on");
  if (options.schedules && options.cuts != Cuts::None)
    return usageError("--schedules: expected no --cuts, got both");
  if (options.reduce && options.cuts != Cuts::None)
    return usageError("--reduce: expected no --cuts, got both");
  if (options.sameBits && options.cuts != Cuts::None)
    return usageError("--same-bits: expected no --cuts, got both");
  if (options.sameBits && options.schedules)
    return usageError("--same-bits: expected no --schedules, which differ from "
                      "target to target, got both");
  if (options.sameBits && options.reduce)
    return usageError("--same-bits: expected no --reduce, which runs one "
                      "target, got both");
  if (options.sameBits && options.topic == Topic::Products)
    return usageError("--same-bits: expected no products, which libraries "
                      "compute, got --about=products");
  if (options.sameBits && options.targets.size() < 2)
    return usageError("--same-bits: expected several --targets, got one");
  if (options.reduce && options.folder.empty())
    return usageError("--reduce: expected --out, which says where to, got "
                      "none");
  if (options.print && (options.reduce || !options.folder.empty()))
    return usageError(
        "--print: expected neither --out nor --reduce, as nothing runs");
  return llvm::Error::success();
}

llvm::Expected<FuzzOptions> fuzz::parseFuzzOptions(int argc, char **argv,
                                                   Targets targets) {
  // LLVM keeps pointers to registered options to the end of the process.
  Flags &flags = *new Flags;
  cl::HideUnrelatedOptions(flags.category);
  if (llvm::Error error = parseCommandLine(
          argc, argv, "Runs random programs against the reference\n", {0, 0}))
    return error;
  FuzzOptions options;
  options.folder = flags.out;
  options.exact = flags.exact;
  options.schedules = flags.schedules;
  options.sameBits = flags.sameBits;
  options.reduce = flags.reduce;
  options.print = flags.print;
  if (llvm::Error error = parseNumber<uint64_t>(flags.seed, 0, options.seed))
    return error;
  if (llvm::Error error = parseNumber<uint64_t>(flags.count, 1, options.count))
    return error;
  if (llvm::Error error = parseNumber<unsigned>(flags.jobs, 1, options.jobs))
    return error;
  if (llvm::Error error =
          parseNumber<unsigned>(flags.timeout, 1, options.timeout))
    return error;
  if (llvm::Error error = parseNumber<unsigned>(flags.batch, 1, options.batch))
    return error;
  if (llvm::Error error = parseTargets(flags, targets, options))
    return error;
  if (llvm::Error error = parseTopic(flags, options))
    return error;
  if (llvm::Error error = parseCuts(flags, options))
    return error;
  if (llvm::Error error = checkTogether(options))
    return error;
  return options;
}
