//===- Report.cpp - What fuser-run says -----------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "../../CommandLine.h"
#include "../../OutputFile.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>

using namespace fuser;
using namespace fuser::run;
using Clock = std::chrono::steady_clock;

static double microsecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start)
      .count();
}

/// The median of batches, of `count` runs each.
static BenchResult summarize(Session &session, std::vector<double> times,
                             uint64_t count) {
  BenchResult result;
  std::nth_element(times.begin(), times.begin() + times.size() / 2,
                   times.end());
  result.microseconds = times[times.size() / 2];
  result.bytes = session.getBytesMoved();
  result.runs = times.size() * count;
  return result;
}

/// The time of one of `count` runs.
static llvm::Expected<double> timeBatch(Session &session, uint64_t count) {
  Clock::time_point start = Clock::now();
  for (uint64_t i = 0; i < count; ++i)
    if (llvm::Error error = session.run())
      return error;
  if (llvm::Error error = session.synchronize())
    return error;
  return microsecondsSince(start) / count;
}

llvm::Expected<BenchResult> run::bench(Session &session) {
  constexpr double kBatchMicroseconds = 20e3, kTotalMicroseconds = 600e3;
  session.keepOutputs();
  // The first batch warms up and tells how many runs a batch should have.
  llvm::Expected<double> first = timeBatch(session, 3);
  if (!first)
    return first.takeError();
  auto count = static_cast<uint64_t>(
      std::clamp(kBatchMicroseconds / std::max(*first, 0.1), 1.0, 1e5));
  std::vector<double> times;
  Clock::time_point start = Clock::now();
  while (times.size() < 5 || (microsecondsSince(start) < kTotalMicroseconds &&
                              times.size() < 1000)) {
    llvm::Expected<double> time = timeBatch(session, count);
    if (!time)
      return time.takeError();
    times.push_back(*time);
  }
  return summarize(session, std::move(times), count);
}

llvm::Expected<BenchResult> run::benchInStep(Session &session) {
  constexpr int kBatches = 11, kRuns = 20;
  session.keepOutputs();
  std::vector<double> times;
  for (int batch = 0; batch < kBatches; ++batch) {
    llvm::Expected<double> time = timeBatch(session, kRuns);
    if (!time)
      return time.takeError();
    times.push_back(*time);
  }
  // The first one warms up.
  times.erase(times.begin());
  return summarize(session, std::move(times), kRuns);
}

/// The largest difference may be of another element than the one that comes
/// nearest to what is allowed.
static void printCheck(llvm::raw_ostream &os, const CheckResult &check) {
  os << (check.numWrong ? "WRONG" : "right")
     << llvm::format(": largest difference from the reference %.3g, at worst "
                     "%.2f of what is allowed",
                     check.maxAbsolute, check.worst.share);
  std::string measure = describe(check.worst);
  if (!measure.empty())
    os << " (" << measure << ")";
  if (check.numNaN)
    os << ", " << check.numNaN << " of " << check.numElements
       << " elements are NaN";
  if (check.numInfinite)
    os << ", " << check.numInfinite << " of " << check.numElements
       << " elements are infinite";
  os << "\n";
}

void run::printReport(const Report &report, const RunOptions &options) {
  llvm::raw_ostream &os =
      options.writesToStdout() ? llvm::errs() : llvm::outs();
  os << "target " << report.target << " (" << report.device << ")";
  if (report.compiled)
    os << ", " << report.compiled->program.numSegments << " segment"
       << (report.compiled->program.numSegments == 1 ? "" : "s")
       << ", compiled in "
       << llvm::format("%.1f ms", report.compileMilliseconds);
  os << "\n";
  if (report.compiled && options.timing)
    for (const StageTime &time : report.compiled->times)
      os << llvm::format("  %8.2f ms  ", time.milliseconds) << time.stage
         << "\n";
  if (report.bench) {
    os << llvm::format("%.2f us a run, ", report.bench->microseconds);
    if (report.bench->bytes != 0)
      os << llvm::format("%.1f", report.bench->getGigabytesPerSecond());
    else
      os << "-";
    os << " GB/s (" << report.bench->bytes << " bytes, median of "
       << report.bench->runs << " runs in batches)\n";
  }
  if (!report.work.empty())
    printWork(os, report.work);
  if (report.check)
    printCheck(os, *report.check);
}

llvm::Error run::writeOutputs(const RunOptions &options,
                              ArrayRef<HostTensor> outputs) {
  if (options.outputs.size() > outputs.size())
    return usageError("expected at most " + Twine(outputs.size()) +
                      " --output, one for each result, got " +
                      Twine(options.outputs.size()));
  for (auto [path, tensor] : llvm::zip(options.outputs, outputs))
    if (llvm::Error error = writeNpy(path, tensor))
      return error;
  return llvm::Error::success();
}

llvm::Error run::writeReport(const Report &report, llvm::StringRef path) {
  llvm::json::Object object{{"target", report.target},
                            {"device", report.device}};
  if (report.compiled) {
    object["segments"] = report.compiled->program.numSegments;
    object["compile_ms"] = report.compileMilliseconds;
    llvm::json::Object stages;
    for (const StageTime &time : report.compiled->times)
      stages[time.stage] = time.milliseconds;
    object["stages_ms"] = std::move(stages);
  }
  if (report.bench) {
    object["run_us"] = report.bench->microseconds;
    object["bytes"] = report.bench->bytes;
    object["gbps"] = report.bench->getGigabytesPerSecond();
    object["runs"] = report.bench->runs;
  }
  if (!report.work.empty())
    object["kernels"] = toJson(report.work);
  if (report.check) {
    object["max_error_ulp"] = report.check->maxUlp;
    object["max_abs_error"] = report.check->maxAbsolute;
    object["error_over_allowed"] = report.check->worst.share;
    object["worst"] = describe(report.check->worst);
    object["right"] = report.check->numWrong == 0;
  }
  return writeFile(path, [&](llvm::raw_ostream &os) {
    os << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
  });
}
