//===- FusionSchedule.cpp - How each segment becomes a kernel -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/FusionToCPU.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Schedule/GenericHeuristic.h"
#include "fuser/Schedule/PointwiseHeuristic.h"
#include "fuser/Schedule/RowReductionHeuristic.h"
#include "fuser/Schedule/TransposeHeuristic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fuser {

#define GEN_PASS_DEF_FUSIONSCHEDULEPASS
#include "fuser/Conversion/FusionToKernel.h.inc"

using fusion::SegmentOp;
using schedule::TargetInfo;
using schedule::Verdict;

static LogicalResult verifyScheduler(SegmentOp segment) {
  StringRef scheduler = segment.getScheduler();
  if (scheduler == "generic" || scheduler == "pointwise" ||
      scheduler == "row_reduction")
    return success();
  return segment.emitOpError()
         << "expected scheduler \"generic\", \"pointwise\" or "
            "\"row_reduction\", got \""
         << scheduler << "\"";
}

static void scheduleGeneric(SegmentOp segment, const TargetInfo &target) {
  schedule::GenericProblem problem = analyzeGeneric(segment);
  if (auto split = schedule::chooseSplitReduction(problem, target)) {
    segment.setScheduleAttr(fusion::SplitReductionScheduleAttr::get(
        segment.getContext(), split->threads, split->foldThreads,
        split->minBlocks));
    return;
  }
  schedule::GenericSchedule chosen = schedule::chooseGeneric(problem, target);
  segment.setScheduleAttr(fusion::GenericScheduleAttr::get(
      segment.getContext(), chosen.threads, chosen.parts, chosen.stride,
      chosen.minBlocks));
}

/// What a scheduler does not take is never an error.
static LogicalResult refuse(SegmentOp segment, StringRef reason,
                            const TargetInfo &target) {
  fallBackToGeneric(segment, reason);
  scheduleGeneric(segment, target);
  return success();
}

/// Only here is it known how the tensors lie in memory, so that a transpose is
/// another schedule of the scheduler `pointwise`.
static LogicalResult schedulePointwise(SegmentOp segment,
                                       const ShapeSymbols &symbols,
                                       const TargetInfo &target) {
  SmallVector<PlainRead> reads;
  schedule::TransposeProblem transpose =
      analyzeTranspose(segment, symbols, reads);
  const schedule::PointwiseProblem &problem = transpose.pointwise;
  if (Verdict verdict = schedule::acceptsPointwise(problem); !verdict)
    return refuse(segment, verdict.getReason(), target);
  if (auto chosen = schedule::chooseTranspose(transpose, target)) {
    auto getList = [&](ArrayRef<int64_t> numbers) {
      return numbers.empty()
                 ? DenseI64ArrayAttr()
                 : DenseI64ArrayAttr::get(segment.getContext(), numbers);
    };
    segment.setScheduleAttr(fusion::TransposeScheduleAttr::get(
        segment.getContext(), chosen->threads, chosen->tile, chosen->along,
        chosen->across, getList(chosen->reads), getList(chosen->results)));
    return success();
  }
  schedule::PointwiseSchedule chosen =
      schedule::choosePointwise(problem, target);
  segment.setScheduleAttr(fusion::PointwiseScheduleAttr::get(
      segment.getContext(), chosen.threads, chosen.vector, chosen.unroll));
  return success();
}

static LogicalResult scheduleRows(SegmentOp segment,
                                  const ShapeSymbols &symbols,
                                  const TargetInfo &target) {
  RowShape rows;
  schedule::RowProblem problem = analyzeRows(segment, symbols, rows);
  // Whoever chose the scheduler may know better how much fits into registers;
  // what does not spills, and is right.
  if (!problem.fits)
    return refuse(segment, problem.misfit, target);
  if (problem.columns == schedule::kUnknown)
    return refuse(segment,
                  schedule::acceptsRowReduction(problem, target).getReason(),
                  target);
  if (problem.columns > kSectionElements)
    return refuse(segment,
                  "its rows have " + std::to_string(problem.columns) +
                      " elements, more than " +
                      std::to_string(kSectionElements),
                  target);
  schedule::RowReductionSchedule chosen =
      schedule::chooseRowReduction(problem, target);
  auto emitError = [&] {
    return segment.emitOpError()
           << "does not fit the scheduler " << segment.getSchedulerAttr()
           << ": its rows have " << problem.columns << " elements: ";
  };
  auto attr = fusion::RowReductionScheduleAttr::getChecked(
      emitError, segment.getContext(), chosen.threads, chosen.rowsPerBlock,
      chosen.vector, chosen.unroll, chosen.minBlocks, chosen.lateReads);
  if (!attr)
    return failure();
  segment.setScheduleAttr(attr);
  return success();
}

static LogicalResult scheduleForGpu(SegmentOp segment,
                                    const ShapeSymbols &symbols,
                                    const TargetInfo &target) {
  StringRef scheduler = segment.getScheduler();
  if (scheduler == "pointwise")
    return schedulePointwise(segment, symbols, target);
  if (scheduler == "row_reduction")
    return scheduleRows(segment, symbols, target);
  scheduleGeneric(segment, target);
  return success();
}

namespace {
struct FusionSchedulePass : impl::FusionSchedulePassBase<FusionSchedulePass> {
  using Base::Base;

  void runOnOperation() override {
    const TargetInfo *gpu = nullptr;
    if (target == "cuda") {
      FailureOr<const TargetInfo *> found =
          lookupGpuTarget(arch, [&] { return getOperation().emitError(); });
      if (failed(found))
        return signalPassFailure();
      gpu = *found;
    } else if (target != "cpu") {
      getOperation().emitError()
          << "expected target cuda or cpu, got '" << target << "'";
      return signalPassFailure();
    }
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() && failed(runOnFunction(func, gpu)))
        return signalPassFailure();
  }

private:
  LogicalResult runOnFunction(func::FuncOp func, const TargetInfo *gpu) {
    std::optional<ShapeSymbols> symbols;
    LogicalResult result = success();
    func.walk([&](SegmentOp segment) {
      // A schedule that is there was written by hand, or by a tuner.
      if (segment.getScheduleAttr())
        return;
      if (!symbols)
        symbols.emplace(func);
      if (failed(verifyScheduler(segment)) ||
          failed(target == "cpu" ? scheduleForCpu(segment, *symbols)
                                 : scheduleForGpu(segment, *symbols, *gpu)))
        result = failure();
    });
    return result;
  }
};
} // namespace

} // namespace fuser
