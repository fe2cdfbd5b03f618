//===- Trial.h - One program on one target --------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_FUZZ_TRIAL_H
#define FUSER_LIB_TOOLS_FUZZ_TRIAL_H

#include "../Run/DeviceRun.h"
#include "FuzzOptions.h"
#include "fuser/Reference/Reference.h"

namespace fuser::fuzz {

/// How a trial ends: the exit code of its process. What else a process ends
/// with is a crash.
enum class Verdict : int {
  Passed = 0,
  NotGenerated = 20, ///< The program is not valid.
  NotMeant = 21,     ///< The reference refuses it.
  NotCompiled = 22,
  NotRun = 23,
  Wrong = 24,
  Refused = 25, ///< Its schedules are (refusesSchedules).
  NoDevice = 26,
};

/// A program as text, and how it runs.
struct Trial {
  std::string text;
  run::RunOptions options;

  /// The command that does the same.
  std::string getCommand() const;
  /// The text behind the command.
  std::string getFile() const;
  /// To the file that the options name; it is there until it is removed.
  void write() const;
  void remove() const;
};

/// The program of a seed for a target, in the file `path`. Nothing, with an
/// error on standard error, if it is not valid.
std::optional<Trial> makeTrial(uint64_t seed, const Target &target,
                               const FuzzOptions &options,
                               llvm::StringRef path);

/// What a trial has computed.
struct Outcome {
  Verdict verdict = Verdict::Passed;
  llvm::SmallVector<run::HostTensor> outputs;
};

/// What several trials of one seed share if their programs are the same: the
/// last one's.
struct Shared {
  std::string text; ///< Of the program; empty: there was none.
  std::unique_ptr<run::Source> source;
  /// The reference's, if it was asked.
  std::optional<llvm::SmallVector<ReferenceOutput>> expected;
};

/// Compiles and runs the program and, if its options say so, compares it with
/// the reference; says on standard error what is wrong.
Outcome runTrial(const Trial &trial, Shared &shared);

/// Whether the target has a device to run on; if not, standard error says why.
Verdict tryDevice(const Target &target);

} // namespace fuser::fuzz

#endif // FUSER_LIB_TOOLS_FUZZ_TRIAL_H
