//===- RunOptions.h - The command line of fuser-run -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_RUN_RUNOPTIONS_H
#define FUSER_LIB_TOOLS_RUN_RUNOPTIONS_H

#include "fuser/Support/Arithmetic.h"
#include "fuser/Target/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace fuser::run {

/// Of each stream, before its work: pseudo-random.
struct DelayOptions {
  uint64_t seed = 0;
  int mostMicroseconds = 1000;
};

struct RunOptions {
  /// As it was named: not null.
  const Target *target = nullptr;
  std::string file, entry, arch, emit, source, benchFile, guard, trace;
  std::vector<std::string> inputs, scalars, outputs, dumpAfter;
  bool cache = false;
  bool explain = false, check = false, reference = false, bench = false,
       timing = false, preallocate = false, quick = false, report = false;
  /// With a ring, kernels and reference compute with integers in place of
  /// floats and are compared bit for bit.
  Arithmetic arithmetic = Arithmetic::Floats;
  /// What is looked for in simulated kernels: FUSER_CHECK_... of the runtime.
  uint32_t simChecks = 0;
  /// Of the order of blocks and threads of a simulated GPU.
  uint64_t simSeed = 0;
  std::optional<int> device, threads;
  std::optional<DelayOptions> delays;
  /// 0: one context that communicates with no other, unless `mpi`.
  int ranks = 0;
  /// This process is one of the ranks that MPI's launcher has started.
  bool mpi = false;
  /// How long a rank waits for another, in seconds.
  int timeout = 60;
  /// The words of the command, without inputs and scalars.
  std::vector<std::string> command;

  /// Whether a file is standard output, where nothing else may go then.
  bool writesToStdout() const {
    return emit == "-" || benchFile == "-" || !dumpAfter.empty() ||
           llvm::is_contained(outputs, "-");
  }
};

/// Says which options would be ignored, or cannot be obeyed, in whose company,
/// and which files cannot be written.
llvm::Error checkOptions(const RunOptions &options);

/// Whether each of `size` ranks has files of its own to write.
llvm::Error checkRankFiles(const RunOptions &options, int size);

/// The same as checkOptions for a file whose content is known: `isCompiled` for
/// a program file.
llvm::Error checkOptionsWithFile(const RunOptions &options, bool isCompiled);

/// An error for what is no option or no value of one, among them a target that
/// is none of `targets`.
llvm::Expected<RunOptions> parseRunOptions(int argc, char **argv,
                                           Targets targets);

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_RUN_RUNOPTIONS_H
