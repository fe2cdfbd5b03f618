//===- FusionSchedule.cpp - How each segment becomes kernels -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fuser {

#define GEN_PASS_DEF_FUSIONSCHEDULEPASS
#include "fuser/Conversion/FusionToKernel.h.inc"

using fusion::SegmentOp;
using schedule::Scheduler;
using schedule::Schedulers;

/// The segment's scheduler and those behind it; none after an error.
static Schedulers findSchedulers(SegmentOp segment, const Target &target) {
  Schedulers all = target.getSchedulers();
  const auto *it = llvm::find_if(all, [&](const Scheduler &scheduler) {
    return scheduler.name == segment.getScheduler();
  });
  if (it != all.end())
    return all.drop_front(it - all.begin());
  InFlightDiagnostic diag =
      segment.emitOpError("expected a scheduler of target ")
      << target.name << " (";
  llvm::interleaveComma(
      all, diag, [&](const Scheduler &s) { diag << '"' << s.name << '"'; });
  diag << "), got " << segment.getSchedulerAttr();
  return {};
}

/// Has the segment's scheduler choose. What one does not take is never an
/// error: the next one that does takes it. `explain`: a remark says why.
static LogicalResult scheduleSegment(SegmentOp segment,
                                     const ShapeSymbols &symbols,
                                     const ChosenTarget &target, bool explain) {
  Schedulers schedulers = findSchedulers(segment, *target.target);
  if (schedulers.empty())
    return failure();
  Decision first = Decision::yes();
  schedule::Segment described = describeSegment(segment, symbols);
  for (const Scheduler &scheduler : schedulers) {
    schedule::Choice choice;
    Decision decision = scheduler.supports(described.group);
    if (decision)
      decision = scheduler.choose(described, target.processor, choice);
    if (!decision) {
      if (first)
        first = std::move(decision);
      continue;
    }
    if (!first && explain)
      emitRemark(segment.getLoc())
          << "the scheduler " << segment.getSchedulerAttr()
          << " does not take the segment, \"" << scheduler.name
          << "\" does: " << first.getReason();
    segment.setScheduler(scheduler.name);
    segment.setScheduleAttr(choice.schedule);
    // Of an earlier schedule nothing is left.
    for (Operation &op : segment.getBody().front())
      op.removeAttr(fusion::FusionDialect::getKeepAttrName());
    for (auto [op, attr] : choice.opAttrs)
      op->setAttr(attr.getName(), attr.getValue());
    return success();
  }
  return segment.emitOpError("expected a segment that one of the schedulers of "
                             "target ")
         << target.target->name << " takes, got one that "
         << segment.getSchedulerAttr() << " does not: " << first.getReason();
}

LogicalResult forEachOpenSegment(
    func::FuncOp func, Targets targets, StringRef target,
    llvm::function_ref<bool(SegmentOp)> isOpen,
    llvm::function_ref<LogicalResult(SegmentOp, const ChosenTarget &,
                                     const ShapeSymbols &)>
        visit) {
  SmallVector<SegmentOp> segments;
  func.walk([&](SegmentOp segment) {
    if (isOpen(segment))
      segments.push_back(segment);
  });
  if (segments.empty())
    return success();
  FailureOr<ChosenTarget> chosen = chooseTarget(func, targets, target);
  if (failed(chosen))
    return failure();
  ShapeSymbols symbols(func);
  bool isRight = true;
  for (SegmentOp segment : segments)
    isRight &= succeeded(visit(segment, *chosen, symbols));
  return success(isRight);
}

namespace {
struct FusionSchedulePass : impl::FusionSchedulePassBase<FusionSchedulePass> {
  using Base::Base;
  FusionSchedulePass(Targets targets, FusionSchedulePassOptions options)
      : Base(std::move(options)), targets(targets) {}
  FusionSchedulePass(const FusionSchedulePass &other)
      : Base(other), targets(other.targets) {}

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (failed(runOnFunction(func)))
        return signalPassFailure();
  }

private:
  LogicalResult runOnFunction(func::FuncOp func) {
    // A schedule that is there was written by hand, or by a tuner.
    auto isOpen = [](SegmentOp segment) { return !segment.getScheduleAttr(); };
    auto visit = [&](SegmentOp segment, const ChosenTarget &chosen,
                     const ShapeSymbols &symbols) {
      func->setAttr(fusion::FusionDialect::getTargetAttrName(),
                    StringAttr::get(func.getContext(), chosen.processor.name));
      return scheduleSegment(segment, symbols, chosen, explain);
    };
    return forEachOpenSegment(func, targets, target, isOpen, visit);
  }

  SmallVector<const Target *> targets;
};
} // namespace

std::unique_ptr<Pass>
createFusionSchedulePass(Targets targets, FusionSchedulePassOptions options) {
  return std::make_unique<FusionSchedulePass>(targets, std::move(options));
}

} // namespace fuser
