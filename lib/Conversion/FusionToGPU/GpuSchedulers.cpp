//===- GpuSchedulers.cpp - What can make GPU kernels of a segment -------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/KernelEmitters.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Schedule/GenericHeuristic.h"
#include "fuser/Schedule/GroupFit.h"
#include "fuser/Schedule/InnerOuterHeuristic.h"
#include "fuser/Schedule/OrderHeuristic.h"
#include "fuser/Schedule/OuterReductionHeuristic.h"
#include "fuser/Schedule/PointwiseHeuristic.h"
#include "fuser/Schedule/RowReductionHeuristic.h"
#include "fuser/Schedule/ScanHeuristic.h"
#include "fuser/Schedule/TransposeHeuristic.h"
#include "fuser/Support/SchedulerNames.h"

using namespace fuser;
using fusion::GroupSummary;
using fusion::ScheduleAttrInterface;
using schedule::Choice;
using schedule::Processor;
using schedule::Scheduler;
using schedule::Segment;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static ScheduleAttrInterface makeTile(MLIRContext *context, StringRef kind,
                                      const schedule::TileSchedule &chosen) {
  auto getList = [&](ArrayRef<int64_t> numbers) {
    return numbers.empty() ? DenseI64ArrayAttr()
                           : DenseI64ArrayAttr::get(context, numbers);
  };
  SmallVector<DenseI64ArrayAttr> axes;
  for (ArrayRef<int64_t> axis : chosen.axes)
    axes.push_back(DenseI64ArrayAttr::get(context, axis));
  bool isRepeated =
      llvm::any_of(chosen.repeat, [](int64_t number) { return number != 1; });
  return fusion::TileScheduleAttr::get(
      context, kind, ArrayRef<DenseI64ArrayAttr>(axes), chosen.layout.getRuns(),
      isRepeated ? getList(chosen.repeat) : DenseI64ArrayAttr(),
      chosen.staged.getRuns(), getList(chosen.reads), getList(chosen.results),
      chosen.fold.getRuns(), chosen.programmatic, chosen.minBlocks,
      chosen.stages, chosen.lateReads);
}

/// A group that fits is taken if it is preferred as a problem.
template <auto fits, auto getProblem, auto prefers>
static Decision may(const GroupSummary &group, const Processor &processor) {
  if (Decision decision = fits(group, processor); !decision)
    return decision;
  return prefers(getProblem(group), processor);
}

//===----------------------------------------------------------------------===//
// Pointwise
//===----------------------------------------------------------------------===//

/// Only here is it known how the tensors lie in memory, so that a transpose is
/// another schedule of the same scheduler.
static Decision choosePointwise(const Segment &segment,
                                const Processor &processor, Choice &choice) {
  Decision decision = schedule::fitsPointwise(segment.group);
  if (!decision)
    return decision;
  SmallVector<PlainRead> reads;
  schedule::TransposeProblem transpose = analyzeTranspose(segment, reads);
  MLIRContext *context = segment.op->getContext();
  auto chosen = schedule::chooseTranspose(transpose, processor);
  if (!chosen)
    chosen = schedule::choosePointwise(transpose.pointwise, processor);
  choice.schedule = makeTile(context, schedulers::kPointwise, *chosen);
  return decision;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static Decision mayRowReduction(const GroupSummary &group,
                                const Processor &processor) {
  Decision decision = schedule::fitsRows(group, processor);
  if (!decision && !schedule::fitsRowsAround(group))
    return decision;
  schedule::GenericProblem problem = schedule::getGenericProblem(group);
  if (isAlwaysSplit(problem, processor))
    return Decision::no("rows of " + std::to_string(problem.minReduced) +
                        " elements or more, which are read once, are shared by "
                        "thread blocks");
  return acceptsRowReduction(schedule::getRowProblem(group), processor);
}

static Decision tooLong(const schedule::RowProblem &problem) {
  return Decision::no("its rows have " + std::to_string(problem.maxColumns) +
                      " elements, more than " +
                      std::to_string(kMaxElementsPerThread) + " for a thread");
}

/// Whoever chose the scheduler may know better how much fits into registers;
/// what does not spills, and is right.
static Decision chooseRowReduction(const Segment &segment,
                                   const Processor &processor, Choice &choice) {
  ReductionSpace rows;
  schedule::RowProblem problem;
  if (Decision decision = analyzeRows(segment, rows, problem); !decision)
    return decision;
  if (problem.maxColumns == schedule::kUnknown)
    return schedule::acceptsRowReduction(problem, processor);
  schedule::TileSchedule chosen =
      schedule::chooseRowReduction(problem, processor);
  if (chosen.getElementsPerThread() > kMaxElementsPerThread)
    return tooLong(problem);
  if (Decision decision = schedule::canExchangeSums(problem, processor);
      !decision)
    return decision;
  choice.schedule = makeTile(segment.op->getContext(),
                             fusion::TileScheduleAttr::kRowReduction, chosen);
  return Decision::yes();
}

//===----------------------------------------------------------------------===//
// Other dimensions than the last
//===----------------------------------------------------------------------===//

static Decision chooseOuterReduction(const Segment &segment,
                                     const Processor &processor,
                                     Choice &choice) {
  ReductionSpace space;
  schedule::OuterProblem problem;
  if (Decision decision = analyzeOuter(segment, space, problem); !decision)
    return decision;
  choice.schedule = makeTile(
      segment.op->getContext(), fusion::TileScheduleAttr::kOuterReduction,
      schedule::chooseOuterReduction(problem, processor));
  return Decision::yes();
}

//===----------------------------------------------------------------------===//
// Rows and columns
//===----------------------------------------------------------------------===//

static Decision chooseInnerOuter(const Segment &segment,
                                 const Processor &processor, Choice &choice) {
  ReductionSpace rows, columns;
  schedule::InnerOuterProblem problem;
  if (Decision decision = analyzeInnerOuter(segment, rows, columns, problem);
      !decision)
    return decision;
  if (problem.row.maxColumns == schedule::kUnknown)
    return schedule::acceptsInnerOuter(problem, processor);
  schedule::TileSchedule chosen =
      schedule::chooseInnerOuter(problem, processor);
  if (chosen.getElementsPerThread() > kMaxElementsPerThread)
    return tooLong(problem.row);
  choice.schedule =
      makeTile(segment.op->getContext(),
               fusion::TileScheduleAttr::kInnerOuterReduction, chosen);
  return Decision::yes();
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// Scans of scans are kernels of their own where several blocks share a row.
static Decision prefersRowScan(const schedule::ScanProblem &problem,
                               const Processor &processor) {
  if (prefersSplitScan(problem, processor))
    return Decision::no("several thread blocks should share a row");
  return Decision::yes();
}

template <const StringLiteral &kind, auto fits, auto choose>
static Decision chooseScan(const Segment &segment, const Processor &processor,
                           Choice &choice) {
  ScanSpace space;
  schedule::ScanProblem problem;
  Decision decision = fits(segment.group, processor);
  if (decision)
    decision = analyzeScans(segment, space, problem);
  if (decision)
    choice.schedule =
        makeTile(segment.op->getContext(), kind, choose(problem, processor));
  return decision;
}

//===----------------------------------------------------------------------===//
// Few results of many elements
//===----------------------------------------------------------------------===//

static Decision chooseSplitReduction(const Segment &segment,
                                     const Processor &processor,
                                     Choice &choice) {
  Decision decision = prefersSplitReduction(
      schedule::getGenericProblem(segment.group), processor);
  schedule::SplitReductionSchedule chosen =
      schedule::chooseSplitReduction(processor);
  choice.schedule = fusion::SplitReductionScheduleAttr::get(
      segment.op->getContext(), chosen.threads, chosen.foldThreads,
      chosen.minBlocks, chosen.programmatic);
  return decision;
}

//===----------------------------------------------------------------------===//
// Everything
//===----------------------------------------------------------------------===//

static Decision chooseGeneric(const Segment &segment,
                              const Processor &processor, Choice &choice) {
  schedule::GenericSchedule chosen = schedule::chooseGeneric(
      schedule::getGenericProblem(segment.group), processor);
  choice.schedule = fusion::GenericScheduleAttr::get(
      segment.op->getContext(), chosen.threads, chosen.parts, chosen.minBlocks);
  return Decision::yes();
}

//===----------------------------------------------------------------------===//
// Sorts and scatters
//===----------------------------------------------------------------------===//

static Decision mayRowOrder(const GroupSummary &group,
                            const Processor &processor) {
  if (Decision decision = schedule::fitsRowOrder(group, processor); !decision)
    return decision;
  if (group.minSortDepth < group.fibres.sortDepth)
    return Decision::no("what does not come of a sort is not fused with it, "
                        "because what is sorted would be computed again for "
                        "each pass");
  return schedule::prefersRowOrder(schedule::getOrderProblem(group));
}

template <const StringLiteral &kind, auto fits, auto choose>
static Decision chooseOrder(const Segment &segment, const Processor &processor,
                            Choice &choice) {
  Decision decision = fits(segment.group, processor);
  if (decision)
    choice.schedule =
        makeTile(segment.op->getContext(), kind,
                 choose(schedule::getOrderProblem(segment.group), processor));
  return decision;
}

/// What can be fused with scans, sorts and scatters, and they.
static constexpr unsigned kPointwiseFamilies =
    static_cast<unsigned>(fusion::Family::Elementwise) |
    static_cast<unsigned>(fusion::Family::IndexMap) |
    static_cast<unsigned>(fusion::Family::Factory);
static constexpr unsigned kScanFamilies =
    kPointwiseFamilies | static_cast<unsigned>(fusion::Family::Scan);
static constexpr unsigned kScatterFamilies =
    kPointwiseFamilies | static_cast<unsigned>(fusion::Family::Scatter);

static constexpr unsigned kOrderFamilies =
    kPointwiseFamilies | static_cast<unsigned>(fusion::Family::Order);

schedule::Schedulers fuser::getGpuSchedulers() {
  using namespace schedule;
  using Tile = fusion::TileScheduleAttr;
  static const Scheduler kSchedulers[] = {
      {schedulers::kPointwise, fitsPointwise, ::choosePointwise},
      {Tile::kRowReduction, mayRowReduction, ::chooseRowReduction},
      {Tile::kOuterReduction, fitsOuterReduction, ::chooseOuterReduction},
      {Tile::kInnerOuterReduction,
       may<fitsInnerOuter, getInnerOuterProblem, acceptsInnerOuter>,
       ::chooseInnerOuter},
      {Tile::kSplitScan, may<fitsSplitScan, getScanProblem, prefersSplitScan>,
       chooseScan<Tile::kSplitScan, fitsSplitScan, chooseSplitScan>,
       kScanFamilies},
      {Tile::kRowScan, may<fitsRowScan, getScanProblem, prefersRowScan>,
       chooseScan<Tile::kRowScan, fitsRowScan, chooseRowScan>, kScanFamilies},
      {Tile::kOuterScan, fitsOuterScan,
       chooseScan<Tile::kOuterScan, fitsOuterScan, chooseOuterScan>,
       kScanFamilies},
      {Tile::kRowOrder, mayRowOrder,
       chooseOrder<Tile::kRowOrder, fitsRowOrder, chooseRowOrder>,
       kOrderFamilies},
      {Tile::kScatter, may<fitsScatter, getOrderProblem, prefersScatter>,
       chooseOrder<Tile::kScatter, fitsScatter, chooseScatter>,
       kScatterFamilies},
      {schedulers::kSplitReduction,
       may<fitsGeneric, getGenericProblem, prefersSplitReduction>,
       ::chooseSplitReduction},
      getLibraryScheduler(),
      getCommunicationScheduler(),
      {schedulers::kGeneric,
       may<fitsGeneric, getGenericProblem, acceptsGeneric>, ::chooseGeneric,
       kElementFamilies},
  };
  return kSchedulers;
}
