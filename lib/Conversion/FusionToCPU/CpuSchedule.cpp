//===- CpuSchedule.cpp - What heuristics say of a segment -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuPlan.h"
#include "GroupAnalysis.h"
#include "ReductionAnalysis.h"
#include "fuser/Conversion/FusionToCPU.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Schedule/CpuHeuristic.h"
#include "fuser/Schedule/PointwiseHeuristic.h"
#include "llvm/ADT/Sequence.h"

using namespace fuser;
using fusion::SegmentOp;
using schedule::CpuGroupSchedule;

/// Why the segment's scheduler does not take it; empty if it does. Sets how
/// many neighbours stay neighbours.
static std::string getMisfit(SegmentOp segment, const ShapeSymbols &symbols,
                             int64_t &contiguousWidth) {
  if (segment.getScheduler() == "row_reduction") {
    RowShape rows;
    schedule::RowProblem row = analyzeRows(segment, symbols, rows);
    contiguousWidth = row.contiguousWidth;
    return row.fits ? "" : row.misfit;
  }
  schedule::PointwiseProblem pointwise = analyzePointwise(segment, symbols);
  contiguousWidth = pointwise.contiguousWidth;
  return segment.getScheduler() == "pointwise"
             ? schedule::acceptsPointwise(pointwise).getReason()
             : "";
}

static schedule::CpuProblem analyzeLanes(SegmentOp segment,
                                         const ShapeSymbols &symbols) {
  schedule::CpuProblem problem;
  std::string why = getMisfit(segment, symbols, problem.contiguousWidth);
  if (!why.empty()) {
    fallBackToGeneric(segment, why);
    (void)getMisfit(segment, symbols, problem.contiguousWidth);
  }
  for (auto op : segment.getBody().getOps<fusion::ElementwiseOpInterface>())
    problem.operations += op.getElementCost();
  problem.hasReduction =
      !segment.getBody().getOps<fusion::ReductionOpInterface>().empty();
  return problem;
}

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
chooseRows(SegmentOp segment, const CpuReductionPlan &rows, int64_t vector) {
  schedule::CpuRowsProblem problem = analyzeRowsOfOps(segment, rows);
  int64_t elements = countKeptElements(rows, vector);
  if (!ShapedType::isDynamic(elements))
    problem.elements = elements;
  return schedule::chooseCpuRows(problem);
}

LogicalResult fuser::scheduleForCpu(SegmentOp segment,
                                    const ShapeSymbols &symbols) {
  schedule::CpuProblem lanes = analyzeLanes(segment, symbols);
  MLIRContext *context = segment.getContext();
  int64_t vector = schedule::chooseCpuVector(lanes);
  auto getNumbers = [&](ArrayRef<int64_t> numbers) {
    return numbers.empty() ? DenseI64ArrayAttr()
                           : DenseI64ArrayAttr::get(context, numbers);
  };
  ArrayAttr groups;
  schedule::CpuRowsSchedule rows;
  if (auto plan = findReductionPlan(segment, symbols))
    rows = chooseRows(segment, *plan, vector);
  else
    groups = chooseGroups(segment, symbols, vector);
  segment.setScheduleAttr(fusion::CPUScheduleAttr::get(
      context, segment.getScheduler(), vector, groups, getNumbers(rows.kept),
      getNumbers(rows.readBack)));
  return success();
}
