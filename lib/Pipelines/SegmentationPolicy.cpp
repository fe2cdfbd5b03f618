//===- SegmentationPolicy.cpp - Which groups become one kernel ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/SegmentationPolicy.h"
#include "fuser/Schedule/CpuHeuristic.h"
#include "fuser/Schedule/GenericHeuristic.h"
#include "fuser/Schedule/PointwiseHeuristic.h"
#include "fuser/Schedule/RowReductionHeuristic.h"
#include "fuser/Schedule/TargetInfo.h"
#include <algorithm>
#include <cmath>

using namespace fuser;
using namespace fuser::fusion;

/// Computing a tensor again from every place that looks at it may make a kernel
/// this many times larger, as a power of two.
static constexpr double kMaxViewGrowth = 6;

/// A parameter of a kernel takes so many bytes at most.
static constexpr int64_t kParamBytes = 8;

/// A size that is only known at run time is taken for this, where a number is
/// needed to compare costs.
static constexpr double kAssumedSize = 4096;

/// LLVM takes more than linear time for a function, and a kernel that computes
/// so much for an element waits for that, not for memory: to cut it costs
/// little. In simple instructions an element, as each reduction takes some.
static constexpr double kMaxKernelCode = 2048;
static constexpr double kReductionCode = 32;

/// The parameters of a kernel on a CPU: what LLVM does with the loops and the
/// addresses of many tensors takes a time quadratic in their number.
static constexpr unsigned kMaxCpuParams = 256;

namespace {

/// How fast a target is, roughly: only ratios matter.
struct CostModel {
  double bytesPerSecond;
  double operationsPerSecond;
  double launchSeconds;
};

/// The target that a policy has in mind.
struct PolicyTarget {
  /// Null: a CPU.
  const schedule::TargetInfo *gpu;
  CostModel cost;
};

} // namespace

//===----------------------------------------------------------------------===//
// May: does a scheduler take the group?
//===----------------------------------------------------------------------===//

/// All results have one shape.
static bool hasOneResultShape(const GroupSummary &group) {
  return llvm::count_if(group.spaces, [](const SpaceSummary &space) {
           return space.numResults != 0;
         }) <= 1;
}

static Decision fitsPointwise(const GroupSummary &group) {
  if (group.numReductions != 0)
    return Decision::no("there is a reduction");
  if (!hasOneResultShape(group))
    return Decision::no("the results have several shapes");
  return Decision::yes();
}

/// True if `shape` has one element for each row: the row dimensions, and
/// perhaps reduced ones of size 1.
static bool isPerRow(const GroupShape &shape, const RowStructure &rows) {
  size_t numRowDims = rows.getNumRowDims();
  if (shape.size() != numRowDims && shape.size() != rows.shape.size())
    return false;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size != (dim < numRowDims ? rows.shape[dim] : 1))
      return false;
  return true;
}

static Decision fitsRows(const GroupSummary &group) {
  if (group.numReductions == 0)
    return Decision::no("there is no reduction");
  if (group.hasOuterReduction)
    return Decision::no("a reduction is over other than the last dimensions");
  if (!group.rows)
    return Decision::no("reductions are over different rows");
  if (group.keptDimsAfterReduction &&
      *group.keptDimsAfterReduction < group.rows->getNumRowDims())
    return Decision::no("what depends on a reduction is used in another row");
  for (const SpaceSummary &space : group.spaces)
    if (space.numResults != 0 && space.shape != group.rows->shape &&
        !isPerRow(space.shape, *group.rows))
      return Decision::no("a result is neither as large as the rows, nor has "
                          "an element a row");
  return Decision::yes();
}

static int64_t multiply(llvm::ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 0)
      return schedule::kUnknown;
    product *= size;
  }
  return product;
}

static schedule::RowProblem getRowProblem(const GroupSummary &group) {
  const RowStructure &rows = *group.rows;
  llvm::ArrayRef<int64_t> shape = rows.shape;
  schedule::RowProblem problem;
  problem.columns = multiply(shape.drop_front(rows.getNumRowDims()));
  problem.lastDim =
      shape.empty() || shape.back() < 0 ? schedule::kUnknown : shape.back();
  // Strides and alignment come later and make accesses narrower at most.
  problem.contiguousWidth = 16;
  const SpaceSummary *space = group.findSpace(shape);
  if (!space)
    return problem;
  if (space->widestBytes != 0) {
    problem.narrowestBytes = space->narrowestBytes;
    problem.widestBytes = space->widestBytes;
  }
  // What is read is read at once.
  problem.liveRegisters =
      std::max({1u, group.countLiveRegisters(shape),
                static_cast<unsigned>(llvm::divideCeil(space->inputBytes, 4))});
  return problem;
}

static Decision fitsRowRegisters(const GroupSummary &group,
                                 const PolicyTarget &target) {
  if (Decision decision = fitsRows(group); !decision)
    return decision;
  if (!target.gpu) // Long rows go through the caches.
    return Decision::yes();
  if (acceptsRowReduction(getRowProblem(group), *target.gpu))
    return Decision::yes();
  return Decision::no("the rows are not known to fit in registers");
}

/// A thread computes a result from scratch: right for anything, but each
/// reduction should be computed once.
static Decision fitsGeneric(const GroupSummary &group) {
  if (!hasOneResultShape(group))
    return Decision::no("the results have several shapes");
  if (group.numReductions == 0)
    return Decision::yes();
  if (group.hasDependentReductions)
    return Decision::no("a reduction would be computed again for each element "
                        "of another one");
  if (group.keptDimsAfterReduction)
    return Decision::no("a reduction would be computed again for each element "
                        "that is made of it");
  return Decision::yes();
}

static Decision isSmallEnough(const GroupSummary &group) {
  double code = kReductionCode * group.numReductions;
  for (const SpaceSummary &space : group.spaces)
    code += space.elementCost * std::exp2(group.maxViewGrowth);
  if (code <= kMaxKernelCode)
    return Decision::yes();
  return Decision::no("so large a kernel would take long to compile");
}

static Decision mayMerge(const MergeCandidate &candidate,
                         const PolicyTarget &target) {
  const GroupSummary &merged = candidate.merged;
  if (merged.has(Family::Opaque))
    return Decision::no("an op is of no known family");
  if (merged.numParams > (target.gpu
                              ? target.gpu->getMaxParamBytes() / kParamBytes
                              : kMaxCpuParams))
    return Decision::no("the kernel would have too many parameters");
  if (!target.gpu && merged.numReductions > schedule::kMaxCpuReductions)
    return Decision::no("so many reductions would take long to compile");
  if (merged.viewGrowth > kMaxViewGrowth)
    return Decision::no("too much would be computed again");
  if (fitsPointwise(merged))
    return Decision::yes();
  // A pointwise kernel has nothing to say on reductions.
  if (merged.numReductions == 0)
    return fitsPointwise(merged);
  Decision rows = fitsRowRegisters(merged, target);
  if (rows || fitsGeneric(merged))
    return Decision::yes();
  return rows;
}

//===----------------------------------------------------------------------===//
// Should: is one kernel faster than two?
//===----------------------------------------------------------------------===//

static double countElements(const GroupShape &shape) {
  double count = 1;
  for (int64_t size : shape)
    count *= size < 0 ? kAssumedSize : static_cast<double>(size);
  return count;
}

/// The time of a group as one kernel, on an otherwise idle target.
static double estimateSeconds(const GroupSummary &group,
                              const CostModel &model) {
  double bytes = 0, largest = group.rows ? countElements(group.rows->shape) : 0;
  for (const SpaceSummary &space : group.spaces) {
    double elements = countElements(space.shape);
    bytes += elements * (space.inputBytes + space.resultBytes);
    if (space.numResults != 0)
      largest = std::max(largest, elements);
  }
  double operations = 0;
  for (const SpaceSummary &space : group.spaces) {
    double elements = countElements(space.shape);
    // What is smaller than the space of the kernel is computed wherever it is
    // used, except for what a row has once.
    if (!group.rows || !isPerRow(space.shape, *group.rows))
      elements = std::max(elements, largest);
    operations += elements * space.elementCost;
  }
  operations *= std::exp2(group.maxViewGrowth);
  return model.launchSeconds + std::max(bytes / model.bytesPerSecond,
                                        operations / model.operationsPerSecond);
}

static Decision shouldMerge(const MergeCandidate &candidate,
                            const CostModel &model) {
  double apart = estimateSeconds(candidate.producer, model) +
                 estimateSeconds(candidate.consumer, model);
  if (estimateSeconds(candidate.merged, model) <= apart)
    return Decision::yes();
  return Decision::no("to compute it again would take longer than memory does");
}

//===----------------------------------------------------------------------===//
// The policy
//===----------------------------------------------------------------------===//

static std::string chooseScheduler(const GroupSummary &group,
                                   const PolicyTarget &target) {
  if (group.has(Family::Opaque))
    return "generic";
  if (fitsPointwise(group))
    return "pointwise";
  return fitsRowRegisters(group, target) ? "row_reduction" : "generic";
}

static FailureOr<PolicyTarget>
getTarget(llvm::StringRef name,
          llvm::function_ref<InFlightDiagnostic()> emitError) {
  // Of one processor: bytes to and from memory, simple instructions, and what
  // it takes to start a kernel.
  if (name == "cpu")
    return PolicyTarget{nullptr, {1.5e10, 1.0e11, 5.0e-6}};
  bool isAnyGpu = name.empty() || name == "cuda";
  const schedule::TargetInfo *gpu = findGpuTarget(isAnyGpu ? "sm_90" : name);
  if (!gpu)
    return emitError() << "expected a target that the segmentation policy "
                          "knows (cpu, cuda, "
                       << getGpuTargetNames() << "), got '" << name << "'";
  double operations = gpu->multiprocessors * 128 * 1.5e9;
  return PolicyTarget{gpu, {gpu->bytesPerSecond, operations, 2.6e-6}};
}

FailureOr<SegmentationOptions> fuser::getSegmentationPolicy(
    llvm::StringRef name, llvm::function_ref<InFlightDiagnostic()> emitError) {
  FailureOr<PolicyTarget> found = getTarget(name, emitError);
  if (failed(found))
    return failure();
  PolicyTarget target = *found;
  SegmentationOptions options;
  options.may = [target](const MergeCandidate &candidate) {
    Decision decision = mayMerge(candidate, target);
    return decision ? isSmallEnough(candidate.merged) : decision;
  };
  options.should = [target](const MergeCandidate &candidate) {
    return shouldMerge(candidate, target.cost);
  };
  options.scheduler = [target](const GroupSummary &group) {
    return chooseScheduler(group, target);
  };
  return options;
}
