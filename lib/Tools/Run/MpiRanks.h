//===- MpiRanks.h - Ranks that are processes of MPI -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_RUN_MPIRANKS_H
#define FUSER_LIB_TOOLS_RUN_MPIRANKS_H

#include "Ranks.h"

namespace fuser::run {

/// Runs a program on the processes that MPI's launcher has started, of which
/// this is one: on CPUs communications are messages of MPI, on GPUs NCCL's.
/// `compile` is called on the first rank and makes the program's bytes for all;
/// `report` receives that rank's device and bench. Returns this process's rank.
llvm::Expected<int>
runOnMpi(const RunOptions &options,
         llvm::function_ref<llvm::Expected<std::string>()> compile,
         Report &report);

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_RUN_MPIRANKS_H
