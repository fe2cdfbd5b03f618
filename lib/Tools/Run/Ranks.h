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

namespace fuser::run {

/// Runs a compiled program on `options.ranks` ranks, threads of this process
/// that communicate: on a CPU through memory, on GPUs, one for each rank,
/// through NCCL. "{rank}" in inputs, scalars and outputs is the rank's number.
/// `report` receives the first rank's device and bench. The error is that of
/// the rank that failed first.
llvm::Error runOnRanks(const RunOptions &options, llvm::StringRef program,
                       Report &report);

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_RUN_RANKS_H
