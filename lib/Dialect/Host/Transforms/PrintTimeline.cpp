//===- PrintTimeline.cpp - Prints what programs do on each stream ---------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/Transforms/Passes.h"
#include "fuser/Dialect/Host/Transforms/Timeline.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"
#include <mutex>

namespace fuser::host {
#define GEN_PASS_DEF_HOSTPRINTTIMELINEPASS
#include "fuser/Dialect/Host/Transforms/Passes.h.inc"
} // namespace fuser::host

using namespace fuser;
using namespace fuser::host;

/// Writes `text` to the file; what went wrong, or "".
static std::string writeFile(StringRef path, StringRef text) {
  std::string why;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &why);
  if (!file)
    return why;
  file->os() << text;
  file->os().flush();
  if (file->os().has_error()) {
    why = "cannot write output file '" + path.str() +
          "': " + file->os().error().message();
    // With an error on it, its destructor would end the process.
    file->os().clear_error();
    return why;
  }
  file->keep();
  return "";
}

/// The programs in an op, or the op itself if it is one.
static SmallVector<func::FuncOp> findPrograms(Operation *root) {
  SmallVector<func::FuncOp> programs;
  root->walk<WalkOrder::PreOrder>([&](func::FuncOp func) {
    if (func->hasAttr(kProgramAttrName) && !func.isExternal())
      programs.push_back(func);
    return WalkResult::skip();
  });
  return programs;
}

namespace {
struct PrintTimeline
    : public fuser::host::impl::HostPrintTimelinePassBase<PrintTimeline> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

void PrintTimeline::runOnOperation() {
  markAllAnalysesPreserved();
  SmallVector<func::FuncOp> programs = findPrograms(getOperation());
  if (programs.empty())
    return;
  std::vector<Timeline> timelines;
  for (func::FuncOp program : programs) {
    FailureOr<Timeline> timeline = buildTimeline(program, unroll);
    if (failed(timeline))
      return signalPassFailure();
    timelines.push_back(std::move(*timeline));
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  if (svg.empty()) {
    for (const Timeline &timeline : timelines)
      printTimeline(timeline, os);
    // Functions of a module are visited on several threads.
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    llvm::errs() << text;
    return;
  }
  drawTimelines(timelines, os);
  if (std::string why = writeFile(svg, text); !why.empty()) {
    emitError(programs.front().getLoc(),
              "expected a file for the timeline: " + why);
    signalPassFailure();
  }
}
