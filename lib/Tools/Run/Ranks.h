//===- Ranks.h - A program on several ranks -------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_RUN_RANKS_H
#define FUSER_LIB_TOOLS_RUN_RANKS_H

#include "Report/Report.h"
#include "RunOptions.h"
#include "Shards.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fuser::run {

/// A program that all ranks run.
struct RankProgram {
  std::string bytes;
  std::string name;
  fuser_rt::Variant variant; ///< The first: all have the same arguments.
  /// What whole tensors are to the ranks; null: inputs and outputs are theirs.
  const Shards *shards = nullptr;
};
llvm::Expected<RankProgram> makeRankProgram(llvm::StringRef bytes);

/// What is left of one rank's run. The context is there as soon as it is made.
struct RankResult {
  ContextPtr context;
  std::string device;
  std::optional<BenchResult> bench;
  /// For programs with shards.
  llvm::SmallVector<HostTensor> outputs;
};

/// Puts the rank's number in place of each {rank}.
void replaceRank(std::string &text, int rank);

/// `all` with the number of one rank: in file names, and in the seed of delays.
RunOptions getRankOptions(const RunOptions &all, int rank);

/// Runs rank `rank`, from its inputs to its outputs. `join` makes the context
/// that rank.
llvm::Error runRank(const RunOptions &options, const RankProgram &program,
                    int rank,
                    llvm::function_ref<llvm::Error(FuserContext *)> join,
                    RankResult &result);

/// Why a rank ended. `isOthers`: another one failed, or did not come.
struct RankFailure {
  std::string message;
  bool isOthers = false;
};
RankFailure takeFailure(llvm::Error error);

/// What each rank gives.
using RankOutputs = llvm::SmallVector<llvm::SmallVector<HostTensor>>;

/// Runs a compiled program on `options.ranks` ranks, threads of this process
/// that communicate: on a CPU through memory, on GPUs, one for each rank,
/// through NCCL. "{rank}" in inputs, scalars and outputs is the rank's number.
/// `report` receives the first rank's device and bench. Of a program with
/// shards the ranks' outputs are returned. The error is that of the rank that
/// failed first by itself, if one did.
llvm::Expected<RankOutputs> runOnRanks(const RunOptions &options,
                                       const RankProgram &program,
                                       Report &report);

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_RUN_RANKS_H
