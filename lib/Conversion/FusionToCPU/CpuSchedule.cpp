//===- CpuSchedule.cpp - What can make CPU kernels of a segment -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuAnalysis.h"
#include "CpuPlan.h"
#include "fuser/Conversion/KernelEmitters.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Conversion/SegmentFibres.h"
#include "fuser/Schedule/CpuHeuristic.h"
#include "fuser/Schedule/GroupFit.h"
#include "fuser/Schedule/PointwiseHeuristic.h"
#include "fuser/Support/SchedulerNames.h"
#include "llvm/ADT/Sequence.h"

using namespace fuser;
using fusion::SegmentOp;
using schedule::Choice;
using schedule::CpuGroupSchedule;
using schedule::Processor;
using schedule::Segment;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Null for the order of the dimensions themselves.
static DenseI64ArrayAttr getOrderAttr(MLIRContext *context,
                                      ArrayRef<int64_t> order) {
  if (llvm::equal(order, llvm::seq<int64_t>(0, order.size())))
    return {};
  return DenseI64ArrayAttr::get(context, order);
}

static Attribute getGroupAttr(MLIRContext *context,
                              const CpuGroupSchedule &group) {
  DenseI64ArrayAttr order = getOrderAttr(context, group.order);
  switch (group.kind) {
  case CpuGroupSchedule::Kind::Flat:
    return fusion::CPUFlatAttr::get(context, group.chunk);
  case CpuGroupSchedule::Kind::Squares:
    return fusion::CPUSquaresAttr::get(context, group.dim, group.lanes,
                                       group.chunk, order);
  case CpuGroupSchedule::Kind::Parts:
    return fusion::CPUPartsAttr::get(context, group.chunk, group.lanes,
                                     group.narrow);
  case CpuGroupSchedule::Kind::Tiles:
    break;
  }
  int64_t rank = group.order.size();
  bool isDefault = rank == 0 || group.itemDims == rank - 1;
  return fusion::CPUTilesAttr::get(context, order,
                                   isDefault ? -1 : group.itemDims, group.chunk,
                                   group.lanes);
}

/// Null for the tiles of a schedule that leaves them out.
static ArrayAttr chooseGroups(SegmentOp segment, const ShapeSymbols &symbols,
                              int64_t vector) {
  MLIRContext *context = segment.getContext();
  SmallVector<Attribute> groups;
  for (ArrayRef<unsigned> results : groupResults(segment, symbols))
    groups.push_back(getGroupAttr(
        context,
        schedule::chooseCpuGroup(analyzeGroup(segment, results), vector)));
  if (llvm::all_equal(groups) &&
      groups.front() == fusion::CPUTilesAttr::getPlain(context))
    return {};
  return ArrayAttr::get(context, groups);
}

static schedule::CpuRowsSchedule
chooseStages(SegmentOp segment, const CpuReductionPlan &rows, int64_t vector) {
  schedule::CpuRowsProblem problem = analyzeRowsOfOps(segment, rows);
  int64_t elements = countKeptElements(rows, vector);
  if (!ShapedType::isDynamic(elements))
    problem.elements = elements;
  return schedule::chooseCpuRows(problem);
}

/// What stages keep, as attributes on ops.
static void addKept(SegmentOp segment, const schedule::CpuRowsSchedule &rows,
                    Choice &choice) {
  MLIRContext *context = segment.getContext();
  auto keep = [&](Operation *op, fusion::Keep where) {
    choice.opAttrs.emplace_back(
        op, NamedAttribute(fusion::FusionDialect::getKeepAttrName(),
                           fusion::KeepAttr::get(context, where)));
  };
  auto ops = llvm::to_vector(
      llvm::make_pointer_range(segment.getBody().front().without_terminator()));
  for (int64_t number : rows.kept)
    keep(ops[number], fusion::Keep::Scratch);
  for (int64_t result : rows.readBack)
    keep(segment.getYielded(result).getDefiningOp(), fusion::Keep::Result);
}

/// The ops whose parts have loops of their own.
static DenseSet<Operation *> findSplitOps(const Segment &segment) {
  DenseSet<Operation *> split;
  for (ArrayRef<unsigned> results : groupResults(segment.op, segment.symbols))
    if (schedule::wantsParts(analyzeGroup(segment.op, results)))
      for (auto [op, source] : findParts(segment.op, results).front().sources)
        split.insert(op);
  return split;
}

/// Of the index map with the most that is not `split`.
static int64_t countSources(SegmentOp segment,
                            const DenseSet<Operation *> &split) {
  int64_t sources = 1;
  for (auto map : segment.getBody().getOps<fusion::IndexMapOpInterface>())
    if (!split.contains(map))
      sources = std::max<int64_t>(sources, map.getNumSources());
  return sources;
}

/// Null for fibres that are as their op emits them. Integers that stand for
/// floats have no keys.
static ArrayAttr chooseFibres(const Segment &segment) {
  if (!isa<fusion::OrderOpInterface>(*getFibreOp(segment.op)) ||
      segment.group.fibres.areInRing)
    return {};
  MLIRContext *context = segment.op->getContext();
  schedule::CpuOrderSchedule order =
      schedule::chooseCpuOrder(schedule::getOrderProblem(segment.group));
  Attribute attr = fusion::CPUOrderAttr::get(context, order.counted,
                                             order.sorted, order.items);
  return ArrayAttr::get(context, attr);
}

/// The schedule of a segment of the scheduler `kind`.
static Choice makeChoice(const Segment &segment, StringRef kind,
                         int64_t contiguousWidth) {
  auto plan = findReductionPlan(segment.op, segment.symbols);
  bool hasGroups = !plan && !getFibreOp(segment.op);
  int64_t sources = countSources(
      segment.op, hasGroups ? findSplitOps(segment) : DenseSet<Operation *>());
  int64_t vector = schedule::chooseCpuVector(
      {contiguousWidth, countOperations(segment.op),
       /*hasReduction=*/segment.group.numReductions != 0, sources});
  Choice choice;
  ArrayAttr groups;
  if (plan)
    addKept(segment.op, chooseStages(segment.op, *plan, vector), choice);
  else
    groups = hasGroups ? chooseGroups(segment.op, segment.symbols, vector)
                       : chooseFibres(segment);
  choice.schedule = fusion::CPUScheduleAttr::get(segment.op->getContext(), kind,
                                                 vector, groups);
  return choice;
}

//===----------------------------------------------------------------------===//
// Schedulers
//===----------------------------------------------------------------------===//

static Decision choosePointwise(const Segment &segment, const Processor &,
                                Choice &choice) {
  Decision decision = schedule::fitsPointwise(segment.group);
  if (decision)
    choice = makeChoice(segment, schedulers::kPointwise,
                        analyzePointwise(segment).contiguousWidth);
  return decision;
}

static Decision chooseRows(const Segment &segment, const Processor &,
                           Choice &choice) {
  ReductionSpace rows;
  schedule::RowProblem problem;
  Decision decision = analyzeRows(segment, rows, problem);
  if (decision)
    choice = makeChoice(segment, fusion::TileScheduleAttr::kRowReduction,
                        problem.contiguousWidth);
  return decision;
}

static Decision chooseGeneric(const Segment &segment, const Processor &,
                              Choice &choice) {
  choice = makeChoice(segment, schedulers::kGeneric,
                      analyzePointwise(segment).contiguousWidth);
  return Decision::yes();
}

schedule::Schedulers fuser::getCpuSchedulers() {
  static const schedule::Scheduler kSchedulers[] = {
      {schedulers::kPointwise, schedule::fitsPointwise, choosePointwise},
      // Rows may be of any length: long ones go through the caches.
      {fusion::TileScheduleAttr::kRowReduction, schedule::fitsRows, chooseRows},
      getLibraryScheduler(),
      getCommunicationScheduler(),
      {schedulers::kGeneric, schedule::fitsGeneric, chooseGeneric,
       schedule::kElementFamilies},
  };
  return kSchedulers;
}
