//===- KernelReport.h - What each kernel of a run took --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times are those of a trace (fuser_context_start_trace), medians of runs that
// follow each other; a kernel then overlaps with no other. The floor is what a
// copy that moves as many bytes takes, measured in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_RUN_REPORT_KERNELREPORT_H
#define FUSER_LIB_TOOLS_RUN_REPORT_KERNELREPORT_H

#include "../Session.h"
#include "fuser/Pipelines/Launches.h"
#include "llvm/Support/JSON.h"

namespace fuser::run {

/// A kernel, or other work of a stream.
struct WorkReport {
  std::string name, schedule;
  uint64_t launches = 0;   ///< Of one run.
  double microseconds = 0; ///< Of one launch.
  std::optional<uint64_t> bytes;
  std::optional<double> floorMicroseconds;
  /// As the trace has it: grid, registers and so on.
  llvm::json::Object details;
};

/// Runs the session, whose outputs are kept, and tells what it took. `notes`
/// is what the compiler knows of kernels.
llvm::Expected<std::vector<WorkReport>>
measureWork(FuserContext *context, Session &session, const LaunchNotes &notes);

/// Fills in the floors of those whose bytes are known.
llvm::Error measureFloors(FuserContext *context, const RunOptions &options,
                          std::vector<WorkReport> &work);

void printWork(llvm::raw_ostream &os, llvm::ArrayRef<WorkReport> work);
llvm::json::Array toJson(llvm::ArrayRef<WorkReport> work);

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_RUN_REPORT_KERNELREPORT_H
