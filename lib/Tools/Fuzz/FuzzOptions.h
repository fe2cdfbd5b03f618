//===- FuzzOptions.h - The command line of fuser-fuzz ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_FUZZ_FUZZOPTIONS_H
#define FUSER_LIB_TOOLS_FUZZ_FUZZOPTIONS_H

#include "fuser/Fuzz/Cuts.h"
#include "fuser/Fuzz/Generator.h"
#include "fuser/Target/Target.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>

namespace fuser::fuzz {

/// What is asked of a program besides that it gives what the reference gives.
enum class Cuts {
  None,
  Bits,      ///< The same bits, cut at random by segment_set.
  Segments,  ///< The same bits in segments of one op.
  Decisions, ///< The same decisions what to approximate, cut at random.
};

struct FuzzOptions {
  uint64_t seed = 0, count = 1;
  llvm::SmallVector<const Target *> targets;
  Topic topic = Topic::Any;
  /// Where programs that fail stay; empty: nowhere.
  std::string folder;
  Cuts cuts = Cuts::None;
  BuildDecisions buildDecisions = fuzz::buildDecisions;
  bool exact = false, schedules = false, reduce = false, print = false;
  bool sameBits = false; ///< On all targets.
  /// batch: how many programs one process runs.
  unsigned jobs = 1, timeout = 120, batch = 1;
};

/// An error for what is no option or no value of one, among them a target that
/// is none of `targets`.
llvm::Expected<FuzzOptions> parseFuzzOptions(int argc, char **argv,
                                             Targets targets);

} // namespace fuser::fuzz

#endif // FUSER_LIB_TOOLS_FUZZ_FUZZOPTIONS_H
