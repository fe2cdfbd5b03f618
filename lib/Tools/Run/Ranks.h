//===- Ranks.h - A program on several ranks -------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_RUN_RANKS_H
#define FUSER_LIB_TOOLS_RUN_RANKS_H

#include "Report.h"
#include "RunOptions.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fuser::run {

/// A program that all ranks run.
struct RankProgram {
  std::string bytes;
  fuser_rt::Variant variant; ///< The first: all have the same arguments.
};
llvm::Expected<RankProgram> makeRankProgram(llvm::StringRef bytes);

/// What is left of one rank's run. The context is there as soon as it is made.
struct RankResult {
  ContextPtr context;
  std::string device;
  std::optional<BenchResult> bench;
};

/// `all` with the number of one rank: in file names, and in the seed of delays.
RunOptions getRankOptions(const RunOptions &all, int rank);

/// Runs one rank, from its inputs to its outputs. `join` makes the context a
/// rank.
llvm::Error runRank(const RunOptions &options, const RankProgram &program,
                    llvm::function_ref<llvm::Error(FuserContext *)> join,
                    RankResult &result);

/// Why a rank ended. `isOthers`: another one failed, or did not come.
struct RankFailure {
  std::string message;
  bool isOthers = false;
};
RankFailure takeFailure(llvm::Error error);

/// Runs a compiled program on `options.ranks` ranks, threads of this process
/// that communicate: on a CPU through memory, on GPUs, one for each rank,
/// through NCCL. "{rank}" in inputs, scalars and outputs is the rank's number.
/// `report` receives the first rank's device and bench. The error is that of
/// the rank that failed first by itself, if one did.
llvm::Error runOnRanks(const RunOptions &options, llvm::StringRef program,
                       Report &report);

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_RUN_RANKS_H
