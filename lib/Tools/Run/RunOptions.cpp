//===- RunOptions.cpp - The command line of fuser-run ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"
#include "../CommandLine.h"
#include "fuser_rt/fuser_rt.h"
#include "llvm/Support/CommandLine.h"

using namespace fuser;
using namespace fuser::run;
namespace cl = llvm::cl;

namespace {
/// Which checks: "all" if the option has no value. An empty one is a value.
struct ChecksParser : cl::parser<std::string> {
  using cl::parser<std::string>::parser;
  bool parse(cl::Option &, StringRef, StringRef text, std::string &value) {
    value = text.data() ? text.str() : "all";
    return false;
  }
};

/// Made when the tool starts, so that other tools in the same library do not
/// get these flags.
struct Flags {
  cl::OptionCategory category{"fuser-run options"};
  cl::opt<std::string> file{
      cl::Positional, cl::Required,
      cl::desc("<source, or compiled program; -: standard "
               "input>"),
      cl::cat(category)};
  cl::opt<std::string> entry{"entry", cl::value_desc("name"),
                             cl::desc("The function to run"),
                             cl::cat(category)};
  cl::opt<std::string> target{
      "target", cl::value_desc("name"), cl::init("cpu"),
      cl::desc(
          "cpu, cuda, or sim: the kernels of cuda, run by a simulator of GPUs"),
      cl::cat(category)};
  cl::opt<std::string> arch{
      "arch", cl::value_desc("name"),
      cl::desc("GPU architecture or CPU name; default: the device's"),
      cl::cat(category)};
  cl::list<std::string> inputs{
      "input", cl::value_desc("tensor"),
      cl::desc("A tensor: SHAPExTYPE=random:SEED[,below=N] | normal:SEED | "
               "bits:SEED | value:V | iota | FILE.npy, or FILE.npy alone; "
               "behind it [,strides=AxB][,offset=N]. random: floats of [-2, "
               "2), integers of [-8, 8], or of [0, N). Elements that share "
               "memory are "
               "filled in the order of memory"),
      cl::cat(category)};
  cl::list<std::string> scalars{"scalar", cl::value_desc("number"),
                                cl::desc("A number, in the order of the "
                                         "arguments that are no tensors"),
                                cl::cat(category)};
  cl::list<std::string> outputs{
      "output", cl::value_desc("file"),
      cl::desc("Write an output as .npy, in order; -: to "
               "standard output, which then has "
               "nothing else"),
      cl::cat(category)};
  cl::opt<bool> check{"check", cl::ValueDisallowed,
                      cl::desc("Compare with the reference"),
                      cl::cat(category)};
  cl::opt<bool> exact{
      "exact", cl::ValueDisallowed,
      cl::desc("Compute with integers that wrap in place of floats, so that no "
               "order of sums changes a bit; with --check, results have to be "
               "equal. Floats of inputs and outputs are their bits"),
      cl::cat(category)};
  cl::opt<bool> quick{
      "quick", cl::ValueDisallowed,
      cl::desc("Optimise the code of the CPU little: it compiles faster, and "
               "runs slower"),
      cl::cat(category)};
  cl::opt<std::string, false, ChecksParser> simCheck{
      "sim-check", cl::value_desc("checks"), cl::ValueOptional,
      cl::desc("Look for faults of kernels, for the target sim: races, bounds, "
               "uninit, divergence, alignment, barriers, or all (default)"),
      cl::cat(category)};
  cl::opt<std::string> simSeed{
      "sim-seed", cl::value_desc("number"),
      cl::desc("Another order of blocks and threads, for the target sim"),
      cl::cat(category)};
  cl::opt<std::string> source{
      "source", cl::value_desc("file"),
      cl::desc("What a program file was made of, for --check"),
      cl::cat(category)};
  cl::opt<bool> reference{
      "reference", cl::ValueDisallowed,
      cl::desc("Run the reference instead of compiled kernels"),
      cl::cat(category)};
  cl::opt<std::string> bench{
      "bench", cl::value_desc("file"), cl::ValueOptional,
      cl::desc("Time it; with a file name (-: standard output), write the "
               "figures as JSON"),
      cl::cat(category)};
  cl::opt<bool> preallocate{"preallocate", cl::ValueDisallowed,
                            cl::desc("Hand in memory for every new output"),
                            cl::cat(category)};
  cl::opt<std::string> guard{
      "guard", cl::value_desc("side"), cl::ValueOptional,
      cl::desc("Run twice, the second time with each input and output at its "
               "end (begin: at its beginning) beside memory that faults, for "
               "the target cpu"),
      cl::cat(category)};
  cl::opt<bool> report{
      "report", cl::ValueDisallowed,
      cl::desc("A line for each kernel: its time, bytes, the share of a copy's "
               "speed, what it takes of the GPU, its schedule; and what "
               "--explain says"),
      cl::cat(category)};
  cl::opt<bool> explain{
      "explain", cl::ValueDisallowed,
      cl::desc("Say why the program is cut where it is, why schedules are what "
               "they are, and what could be changed"),
      cl::cat(category)};
  cl::opt<bool> cache{
      "cache", cl::ValueDisallowed,
      cl::desc("Take the program from the folder of compiled programs if it is "
               "there, and keep it there (FUSER_CACHE_DIR)"),
      cl::cat(category)};
  cl::list<std::string> dumpAfter{
      "dump-ir-after", cl::value_desc("passes"), cl::CommaSeparated,
      cl::desc("Print the module after these passes, or 'all'"),
      cl::cat(category)};
  cl::opt<bool> timing{"timing", cl::ValueDisallowed,
                       cl::desc("Print the time of each stage"),
                       cl::cat(category)};
  cl::opt<std::string> emit{"emit", cl::value_desc("file"),
                            cl::desc("Write the compiled program to a file "
                                     "(-: standard output)"),
                            cl::cat(category)};
  cl::opt<std::string> device{
      "device", cl::value_desc("number"),
      cl::desc("The ordinal of the GPU, for the target cuda"),
      cl::cat(category)};
  cl::opt<std::string> threads{
      "num-threads", cl::value_desc("number"),
      cl::desc("CPU threads, for the targets cpu and sim; 0: all"),
      cl::cat(category)};
  cl::opt<std::string> ranks{
      "ranks", cl::value_desc("number | mpi"),
      cl::desc("Run on so many ranks, threads that communicate, or on those "
               "that MPI's launcher has started, processes; {rank} in --input, "
               "--scalar, --output and, with mpi, --trace is a rank's number. "
               "GPUs are numbered from --device on; with mpi it is this "
               "process's, by default that of its number on its machine"),
      cl::cat(category)};
  cl::opt<std::string> timeout{
      "timeout", cl::value_desc("seconds"),
      cl::desc("How long a rank waits for another; default: 60"),
      cl::cat(category)};
  cl::opt<std::string> trace{
      "trace", cl::value_desc("file"),
      cl::desc("Write when each piece of work ran, of all ranks, as JSON for "
               "Perfetto (https://ui.perfetto.dev)"),
      cl::cat(category)};
  cl::opt<std::string> delays{
      "delays", cl::value_desc("seed[,microseconds]"),
      cl::desc("Let each stream sleep before each piece of its work, for "
               "pseudo-random times below so many microseconds (default: "
               "1000): a missing wait changes results; for the target cpu"),
      cl::cat(category)};
};
} // namespace

/// As text, because LLVM's parser of numbers prints what is wrong itself.
static llvm::Error parseNumber(const cl::opt<std::string> &flag,
                               std::optional<int> &number) {
  if (flag.getNumOccurrences() == 0)
    return llvm::Error::success();
  int value = 0;
  if (llvm::StringRef(flag).getAsInteger(10, value))
    return usageError("--" + flag.ArgStr + ": expected an integer, got '" +
                      flag.getValue() + "'");
  number = value;
  return llvm::Error::success();
}

/// A number of at least 1; `number` stays if the option is not given.
static llvm::Error parsePositive(const cl::opt<std::string> &flag,
                                 int &number) {
  std::optional<int> value;
  if (llvm::Error error = parseNumber(flag, value))
    return error;
  if (value && *value < 1)
    return usageError("--" + flag.ArgStr + ": expected 1 or more, got " +
                      llvm::Twine(*value));
  number = value.value_or(number);
  return llvm::Error::success();
}

/// Of --ranks.
static llvm::Error parseRanks(const cl::opt<std::string> &flag,
                              RunOptions &options) {
  options.mpi = flag == "mpi";
  if (flag.getNumOccurrences() == 0 || options.mpi)
    return llvm::Error::success();
  if (llvm::StringRef(flag).getAsInteger(10, options.ranks) ||
      options.ranks < 1)
    return usageError("--ranks: expected a number of 1 or more, or mpi, got '" +
                      flag.getValue() + "'");
  return llvm::Error::success();
}

static llvm::Error parseDelays(const cl::opt<std::string> &flag,
                               std::optional<DelayOptions> &delays) {
  if (flag.getNumOccurrences() == 0)
    return llvm::Error::success();
  DelayOptions value;
  auto [seed, most] = llvm::StringRef(flag).split(',');
  bool isBad = seed.getAsInteger(10, value.seed);
  if (llvm::StringRef(flag).contains(','))
    isBad |= most.getAsInteger(10, value.mostMicroseconds) ||
             value.mostMicroseconds < 1;
  if (isBad)
    return usageError("--delays: expected SEED or SEED,MICROSECONDS, a number "
                      "of 0 or more and one of 1 or more, got '" +
                      flag.getValue() + "'");
  delays = value;
  return llvm::Error::success();
}

/// All words but those of --input and --scalar, which are known to be complete.
static std::vector<std::string> getCommand(int argc, char **argv) {
  std::vector<std::string> words;
  for (int i = 0; i < argc; ++i) {
    auto [name, value] = llvm::StringRef(argv[i]).split('=');
    bool isInput = name.consume_front("-");
    name.consume_front("-");
    isInput &= name == "input" || name == "scalar";
    if (!isInput)
      words.push_back(argv[i]);
    else if (!llvm::StringRef(argv[i]).contains('='))
      ++i;
  }
  return words;
}

/// The names of checks as bits.
static llvm::Error parseChecks(const std::string &names, uint32_t &checks) {
  FuserStatus *status = fuser_find_checks(names.c_str(), &checks);
  if (!status)
    return llvm::Error::success();
  llvm::Error error =
      usageError(llvm::Twine("--sim-check: ") + fuser_status_message(status));
  fuser_status_destroy(status);
  return error;
}

llvm::Expected<RunOptions> run::parseRunOptions(int argc, char **argv,
                                                Targets targets) {
  // LLVM keeps pointers to registered options to the end of the process.
  Flags &flags = *new Flags;
  cl::HideUnrelatedOptions(flags.category);
  if (llvm::Error error =
          parseCommandLine(argc, argv, "Compiles and runs a fusion\n", {1, 1}))
    return error;
  RunOptions options;
  options.file = flags.file;
  options.command = getCommand(argc, argv);
  options.entry = flags.entry;
  options.target = findTarget(targets, flags.target);
  if (!options.target)
    return usageError("--target: expected " + getTargetNames(targets) +
                      ", got '" + flags.target.getValue() + "'");
  options.arch = flags.arch;
  options.emit = flags.emit;
  options.source = flags.source;
  options.trace = flags.trace;
  options.benchFile = flags.bench;
  options.bench = flags.bench.getNumOccurrences() > 0;
  if (flags.guard.getNumOccurrences() > 0)
    options.guard = flags.guard.empty() ? "end" : flags.guard.getValue();
  options.inputs = flags.inputs;
  options.scalars = flags.scalars;
  options.outputs = flags.outputs;
  options.dumpAfter = flags.dumpAfter;
  options.check = flags.check;
  if (flags.exact)
    options.arithmetic = Arithmetic::Ring;
  options.report = flags.report;
  options.cache = flags.cache;
  options.explain = flags.explain || flags.report;
  options.reference = flags.reference;
  options.timing = flags.timing;
  options.preallocate = flags.preallocate;
  options.quick = flags.quick;
  if (flags.simCheck.getNumOccurrences() > 0)
    if (llvm::Error error = parseChecks(flags.simCheck, options.simChecks))
      return error;
  if (flags.simSeed.getNumOccurrences() > 0 &&
      StringRef(flags.simSeed).getAsInteger(10, options.simSeed))
    return usageError("--sim-seed: expected a number of 64 bits, got '" +
                      flags.simSeed.getValue() + "'");
  if (llvm::Error error = parseNumber(flags.device, options.device))
    return error;
  if (llvm::Error error = parseNumber(flags.threads, options.threads))
    return error;
  if (llvm::Error error = parseRanks(flags.ranks, options))
    return error;
  if (llvm::Error error = parsePositive(flags.timeout, options.timeout))
    return error;
  if (llvm::Error error = parseDelays(flags.delays, options.delays))
    return error;
  return options;
}
