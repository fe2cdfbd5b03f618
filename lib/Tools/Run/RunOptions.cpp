//===- RunOptions.cpp - The command line of fuser-run ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"
#include "llvm/Support/CommandLine.h"

using namespace fuser;
using namespace fuser::run;
namespace cl = llvm::cl;

namespace {
/// Made when the tool starts, so that other tools in the same library do not
/// get these flags.
struct Flags {
  cl::OptionCategory category{"fuser-run options"};
  cl::opt<std::string> file{
      cl::Positional, cl::Required,
      cl::desc("<source, or compiled program; -: standard "
               "input>"),
      cl::cat(category)};
  cl::opt<std::string> entry{"entry", cl::desc("The function to run"),
                             cl::cat(category)};
  cl::opt<std::string> target{"target", cl::init("cpu"),
                              cl::desc("cpu or cuda"), cl::cat(category)};
  cl::opt<std::string> arch{
      "arch", cl::desc("GPU architecture or CPU name; default: the device's"),
      cl::cat(category)};
  cl::list<std::string> inputs{
      "input",
      cl::desc("A tensor: SHAPExTYPE=random:SEED | normal:SEED | value:V | "
               "iota | FILE.npy, or FILE.npy alone; behind it "
               "[,strides=AxB][,offset=N]. Elements that share memory are "
               "filled in the order of memory"),
      cl::cat(category)};
  cl::list<std::string> scalars{"scalar",
                                cl::desc("A number, in the order of the "
                                         "arguments that are no tensors"),
                                cl::cat(category)};
  cl::list<std::string> outputs{
      "output",
      cl::desc("Write an output as .npy, in order; -: to "
               "standard output, which then has "
               "nothing else"),
      cl::cat(category)};
  cl::opt<bool> check{"check", cl::desc("Compare with the reference"),
                      cl::cat(category)};
  cl::opt<std::string> source{
      "source", cl::desc("What a program file was made of, for --check"),
      cl::cat(category)};
  cl::opt<bool> reference{
      "reference", cl::desc("Run the reference instead of compiled kernels"),
      cl::cat(category)};
  cl::opt<std::string> bench{
      "bench", cl::ValueOptional,
      cl::desc("Time it; with a file name (-: standard output), write the "
               "figures as JSON"),
      cl::cat(category)};
  cl::opt<bool> preallocate{"preallocate",
                            cl::desc("Hand in memory for every new output"),
                            cl::cat(category)};
  cl::opt<std::string> guard{
      "guard", cl::ValueOptional,
      cl::desc("Run twice, the second time with each input and output at its "
               "end (begin: at its beginning) beside memory that faults, for "
               "the target cpu"),
      cl::cat(category)};
  cl::list<std::string> dumpAfter{
      "dump-ir-after", cl::CommaSeparated,
      cl::desc("Print the module after these passes, or 'all'"),
      cl::cat(category)};
  cl::opt<bool> timing{"timing", cl::desc("Print the time of each stage"),
                       cl::cat(category)};
  cl::opt<std::string> emit{"emit",
                            cl::desc("Write the compiled program to a file "
                                     "(-: standard output)"),
                            cl::cat(category)};
  cl::opt<int> device{"device",
                      cl::desc("The ordinal of the GPU, for the target cuda"),
                      cl::cat(category)};
  cl::opt<int> threads{"num-threads",
                       cl::desc("CPU threads, for the target cpu; 0: all"),
                       cl::cat(category)};
};
} // namespace

llvm::Expected<RunOptions> run::parseRunOptions(int argc, char **argv,
                                                Targets targets) {
  // LLVM keeps pointers to registered options to the end of the process.
  Flags &flags = *new Flags;
  cl::HideUnrelatedOptions(flags.category);
  cl::ParseCommandLineOptions(argc, argv, "Compiles and runs a fusion\n");
  RunOptions options;
  options.file = flags.file;
  options.entry = flags.entry;
  options.target = findTarget(targets, flags.target);
  if (!options.target)
    return llvm::createStringError("--target: expected " +
                                   getTargetNames(targets) + ", got '" +
                                   flags.target.getValue() + "'");
  options.arch = flags.arch;
  options.emit = flags.emit;
  options.source = flags.source;
  options.benchFile = flags.bench;
  options.bench = flags.bench.getNumOccurrences() > 0;
  if (flags.guard.getNumOccurrences() > 0)
    options.guard = flags.guard.empty() ? "end" : flags.guard.getValue();
  options.inputs = flags.inputs;
  options.scalars = flags.scalars;
  options.outputs = flags.outputs;
  options.dumpAfter = flags.dumpAfter;
  options.check = flags.check;
  options.reference = flags.reference;
  options.timing = flags.timing;
  options.preallocate = flags.preallocate;
  if (flags.device.getNumOccurrences() > 0)
    options.device = flags.device;
  if (flags.threads.getNumOccurrences() > 0)
    options.threads = flags.threads;
  return options;
}
