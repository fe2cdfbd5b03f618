//===- CutTrial.cpp - A program against itself, cut -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CutTrial.h"
#include "Bits.h"
#include "fuser/Fuzz/Cuts.h"
#include "llvm/Support/raw_ostream.h"

using namespace fuser;
using namespace fuser::fuzz;
using run::HostTensor;

/// Behind every op, and here and there.
static constexpr unsigned kPercents[] = {100, 50, 20};

/// What the program is cut from; null if it cannot be made.
static OwningOpRef<ModuleOp> parse(const Trial &trial, run::Source &source) {
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(trial.text);
  llvm::Error error = run::parseSource(std::move(buffer), trial.options.file,
                                       trial.options, source);
  if (!error && failed(prepareForCuts(*source.module)))
    return nullptr;
  if (!error)
    return OwningOpRef<ModuleOp>(source.module->clone());
  llvm::errs() << llvm::toString(std::move(error)) << "\n";
  return nullptr;
}

static Verdict compareDecisions(ModuleOp whole, ModuleOp cut,
                                BuildDecisions build) {
  auto expected = listDecisions(whole, build), got = listDecisions(cut, build);
  if (failed(expected) || failed(got))
    return Verdict::NotCompiled;
  if (*expected == *got)
    return Verdict::Passed;
  llvm::errs() << "expected the decisions ";
  llvm::interleaveComma(*expected, llvm::errs());
  llvm::errs() << "; got ";
  llvm::interleaveComma(*got, llvm::errs());
  llvm::errs() << "\n";
  return Verdict::Wrong;
}

static Verdict compareBits(const Trial &cut, ArrayRef<HostTensor> expected) {
  Shared none; // The whole program was compared with the reference.
  Outcome outcome = runTrial(cut, none);
  if (outcome.verdict != Verdict::Passed)
    return outcome.verdict;
  std::string difference = describeDifference(expected, outcome.outputs);
  if (difference.empty())
    return Verdict::Passed;
  llvm::errs() << difference << "\n";
  return Verdict::Wrong;
}

namespace {
/// One way to cut a program.
struct Cut {
  unsigned number;
  uint64_t seed;
};
} // namespace

static Verdict runCut(const Trial &whole, const FuzzOptions &options,
                      ArrayRef<HostTensor> outputs, Cut cut) {
  bool keeps = !options.folder.empty();
  run::Source source;
  OwningOpRef<ModuleOp> module = parse(whole, source);
  if (!module)
    return Verdict::NotGenerated;
  Random random(cut.seed + cut.number);
  if (options.cuts != Cuts::Segments)
    cutProgram(*module, kPercents[cut.number], random);
  else if (failed(cutIntoOps(*module)))
    return Verdict::NotCompiled;
  Trial trial = whole;
  trial.options.file =
      StringRef(whole.options.file).drop_back(strlen(".mlir")).str() + "-" +
      std::to_string(cut.number) + ".mlir";
  trial.text.clear();
  llvm::raw_string_ostream(trial.text) << *module << "\n";
  if (keeps)
    trial.write();
  trial.options.check = false;
  llvm::errs() << "cut " << cut.number << ": ";
  Verdict verdict =
      options.cuts == Cuts::Decisions
          ? compareDecisions(*source.module, *module, options.buildDecisions)
          : compareBits(trial, outputs);
  if (keeps && verdict == Verdict::Passed)
    trial.remove();
  return verdict;
}

Verdict fuzz::runCuts(const Trial &whole, const FuzzOptions &options,
                      ArrayRef<HostTensor> outputs, uint64_t seed) {
  unsigned count = options.cuts == Cuts::Segments ? 1 : std::size(kPercents);
  for (unsigned number = 0; number < count; ++number) {
    Verdict verdict = runCut(whole, options, outputs, {number, seed});
    if (verdict != Verdict::Passed)
      return verdict;
  }
  return Verdict::Passed;
}
