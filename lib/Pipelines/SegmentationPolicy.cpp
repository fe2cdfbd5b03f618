//===- SegmentationPolicy.cpp - Which groups become one kernel ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/SegmentationPolicy.h"
#include "fuser/Schedule/GroupFit.h"
#include "fuser/Schedule/RowReductionHeuristic.h"
#include "fuser/Target/Target.h"
#include <cmath>

using namespace fuser;
using namespace fuser::fusion;
using schedule::Scheduler;

/// Computing a tensor again from every place that looks at it may make a kernel
/// this many times larger, as a power of two.
static constexpr double kMaxViewGrowth = 6;

/// LLVM takes more than linear time for a function, and a kernel that computes
/// so much for an element waits for that, not for memory: to cut it costs
/// little. In simple instructions an element, as each reduction takes some.
static constexpr double kMaxKernelCode = 2048;
static constexpr double kReductionCode = 32;

//===----------------------------------------------------------------------===//
// May: does a scheduler take the group?
//===----------------------------------------------------------------------===//

static double countCode(const GroupSummary &group) {
  double code = kReductionCode * group.numReductions;
  for (const SpaceSummary &space : group.spaces)
    code += space.elementCost * std::exp2(group.maxViewGrowth);
  return code;
}

/// " (301, at most 256)".
static std::string getLimit(int64_t got, int64_t most) {
  return " (" + std::to_string(got) + ", at most " + std::to_string(most) + ")";
}

/// What is true of kernels, whoever makes them.
static Decision fitsKernel(const GroupSummary &group,
                           const schedule::Processor &processor) {
  if (group.has(Family::Opaque))
    return Decision::no("an op is of no known family",
                        "give it an interface of a family "
                        "(docs/reference/fusion-interfaces.md)");
  if (group.numParams > processor.maxParams)
    return Decision::no(
        "the kernel would have too many parameters" +
            getLimit(group.numParams, processor.maxParams),
        "read and return fewer tensors in one chain of ops, such as parts of "
        "one tensor; segment_set moves the cut");
  if (group.numReductions > processor.maxReductions)
    return Decision::no(
        "so many reductions would take long to compile" +
            getLimit(group.numReductions, processor.maxReductions),
        "reduce a larger tensor at once; segment_set moves the "
        "cut");
  if (group.viewGrowth > kMaxViewGrowth)
    return Decision::no("too much would be computed again",
                        "put a segment_set behind what is read at many places, "
                        "so that it is computed once");
  return Decision::yes();
}

/// The first scheduler that takes the group; null, and the reason of the first
/// one whose business the group is.
static const Scheduler *findScheduler(const GroupSummary &group,
                                      const ChosenTarget &target,
                                      Decision &reason) {
  for (const Scheduler &scheduler : target.target->getSchedulers()) {
    Decision decision = scheduler.supports(group);
    if (decision)
      decision = scheduler.may(group, target.processor);
    if (decision)
      return &scheduler;
    if (reason || (reason.isNotMine() && !decision.isNotMine()))
      reason = std::move(decision);
  }
  return nullptr;
}

static Decision mayMerge(const MergeCandidate &candidate,
                         const ChosenTarget &target) {
  if (Decision fits = fitsKernel(candidate.merged, target.processor); !fits)
    return fits;
  Decision reason = Decision::yes();
  if (!findScheduler(candidate.merged, target, reason))
    return reason;
  if (countCode(candidate.merged) > kMaxKernelCode)
    return Decision::no(
        "so large a kernel would take long to compile" +
            getLimit(static_cast<int64_t>(countCode(candidate.merged)),
                     static_cast<int64_t>(kMaxKernelCode)),
        "nothing need be: a kernel of so many instructions an element waits "
        "for them, not for memory; segment_set moves the cut");
  return Decision::yes();
}

/// The scheduler of a group, which may be one op that none has asked for.
static const Scheduler &getScheduler(const GroupSummary &group,
                                     const ChosenTarget &target) {
  Decision reason = Decision::yes();
  const Scheduler *found = findScheduler(group, target, reason);
  return found ? *found : target.target->getSchedulers().back();
}

//===----------------------------------------------------------------------===//
// Should: is one kernel faster than two?
//===----------------------------------------------------------------------===//

static Decision shouldMerge(const MergeCandidate &candidate,
                            const ChosenTarget &target) {
  auto getSeconds = [&](const GroupSummary &group) {
    return getScheduler(group, target).cost(group, target.processor);
  };
  if (getSeconds(candidate.merged) <=
      getSeconds(candidate.producer) + getSeconds(candidate.consumer))
    return Decision::yes();
  return Decision::no("to compute it again would take longer than memory does",
                      "state sizes that are known: an open one counts as 4096");
}

//===----------------------------------------------------------------------===//
// What could be done about it
//===----------------------------------------------------------------------===//

/// The longest row that registers hold beside what `problem` keeps.
static int64_t getLongestRow(schedule::RowProblem problem,
                             const schedule::Processor &processor) {
  int64_t longest = 0;
  for (int64_t step = int64_t(1) << 22; step > 0; step /= 2) {
    problem.maxColumns = problem.lastDivisor = longest + step;
    if (acceptsRowReduction(problem, processor))
      longest += step;
  }
  return longest;
}

/// Of rows with the structure that schedules for rows ask for, only the length
/// can be refused.
static std::string getRowRemedy(const GroupSummary &group,
                                const schedule::Processor &processor) {
  schedule::RowProblem problem = schedule::getRowProblem(group);
  if (acceptsRowReduction(problem, processor))
    return "";
  int64_t fits = getLongestRow(problem, processor);
  if (fits == 0) // No length helps.
    return "";
  std::string longest = std::to_string(fits);
  if (problem.maxColumns == schedule::kUnknown)
    return "state the length of the rows, which is open (up to about " +
           longest + " elements would fit), or a bound of it (fusion.bounds)";
  return "make the rows shorter (up to about " + longest +
         " elements would fit), or keep fewer tensors until the reduction is "
         "done";
}

static std::string getRemedy(const MergeCandidate &candidate,
                             const ChosenTarget &target) {
  const GroupSummary &group = candidate.merged;
  if (group.numReductions == 0 || group.has(Family::Contraction) ||
      !schedule::fitsRows(group, target.processor))
    return "";
  return getRowRemedy(group, target.processor);
}

//===----------------------------------------------------------------------===//
// Should: is computing a tensor again faster than memory?
//===----------------------------------------------------------------------===//

static bool shouldForward(const ForwardCandidate &candidate,
                          const schedule::Processor &processor) {
  auto getBytes = [](const EdgeTensor &tensor) {
    return schedule::estimateElements(tensor.shape) * tensor.bytes;
  };
  double stored = getBytes(candidate.tensor) * (1 + candidate.numReaders);
  double read = 0;
  for (const EdgeTensor &tensor : candidate.reads)
    read += getBytes(tensor);
  for (const EdgeTensor &tensor : candidate.writes)
    read += getBytes(tensor);
  double operations = schedule::estimateElements(candidate.tensor.shape) *
                      candidate.elementCost * candidate.numReaders;
  double again = read / processor.bytesPerSecond +
                 operations / processor.operationsPerSecond;
  return again < stored / processor.bytesPerSecond;
}

//===----------------------------------------------------------------------===//
// The policy
//===----------------------------------------------------------------------===//

SegmentationPolicy fuser::getSegmentationPolicy(Targets targets) {
  return [known = llvm::to_vector(targets)](
             mlir::func::FuncOp func,
             StringRef spec) -> FailureOr<SegmentationOptions> {
    FailureOr<ChosenTarget> chosen = chooseTarget(func, known, spec);
    if (failed(chosen))
      return failure();
    ChosenTarget target = *chosen;
    SegmentationOptions options;
    options.target = target.processor.name;
    options.may = [target](const MergeCandidate &candidate) {
      return mayMerge(candidate, target);
    };
    options.should = [target](const MergeCandidate &candidate) {
      return shouldMerge(candidate, target);
    };
    options.remedy = [target](const MergeCandidate &candidate,
                              const Decision &) {
      return getRemedy(candidate, target);
    };
    options.forward = [target](const ForwardCandidate &candidate) {
      return shouldForward(candidate, target.processor);
    };
    options.scheduler = [target](const GroupSummary &group) {
      return getScheduler(group, target).name.str();
    };
    return options;
  };
}
