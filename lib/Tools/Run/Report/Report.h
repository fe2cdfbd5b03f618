//===- Report.h - What fuser-run says -------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_RUN_REPORT_REPORT_H
#define FUSER_LIB_TOOLS_RUN_REPORT_REPORT_H

#include "../Check.h"
#include "../Session.h"
#include "fuser/Pipelines/KernelReport.h"

namespace fuser::run {

/// What --bench measures.
struct BenchResult {
  double microseconds = 0; ///< Median of batches: time of one run.
  uint64_t bytes = 0;      ///< Of all inputs and outputs; 0 for views only.
  uint64_t runs = 0;
  double getGigabytesPerSecond() const {
    return microseconds > 0 ? bytes / microseconds * 1e-3 : 0;
  }
};

/// Times runs that write into the outputs of the last one, back to back, in
/// batches that are synchronised at their end.
llvm::Expected<BenchResult> bench(Session &session);
/// The same with numbers of runs that do not depend on their times: those of
/// ranks that communicate go on in step.
llvm::Expected<BenchResult> benchInStep(Session &session);

/// Everything that a run has found out.
struct Report {
  std::string target, device;
  std::optional<CompileResult> compiled; ///< Nothing for a program file.
  double compileMilliseconds = 0;
  std::optional<BenchResult> bench;
  std::optional<CheckResult> check; ///< The worst of all outputs.
  std::vector<WorkReport> work;     ///< With --report.
};

void printReport(const Report &report, const RunOptions &options);
/// Writes outputs to the files that --output names.
llvm::Error writeOutputs(const RunOptions &options,
                         llvm::ArrayRef<HostTensor> outputs);
llvm::Error writeReport(const Report &report, llvm::StringRef path);

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_RUN_REPORT_REPORT_H
