//===- OuterProgram.cpp - Sums of rows, in one or two kernels -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OuterProgram.h"
#include "../GpuKernel.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Schedule/OuterReductionHeuristic.h"

using namespace fuser;
using fusion::SegmentOp;
using schedule::TileSchedule;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

OuterSizes::OuterSizes(OpBuilder &b, Location loc, SegmentSizes &sizes,
                       const OuterProgram &program)
    : dims(sizes.getDims(program.tensor)) {
  for (auto [dim, known] : llvm::zip(dims, program.shape))
    if (known >= 0)
      dim = b.getIndexAttr(known);
  for (int64_t dim : program.keptDims)
    kept.push_back(dims[dim]);
  places = kept;
  int64_t vector = program.schedule.getVector();
  if (program.mostCut > 1 && program.facts.back().divisor % vector != 0)
    places.back() = emitProduct(
        b, loc,
        {emitCeilDiv(b, loc, kept.back(), vector), b.getIndexAttr(vector)});
  SmallVector<OpFoldResult> reduced;
  for (int64_t dim : program.reducedDims)
    reduced.push_back(dims[dim]);
  rows = emitProduct(b, loc, reduced);
  parts = emitNumParts(b, loc, rows);
  positions =
      emitProduct(b, loc, {parts, b.getIndexAttr(program.getBlocksOfPart())});
}

Value OuterSizes::emitSlabStep(OpBuilder &b, Location loc) const {
  return emitIndex(b, loc,
                   emitProduct(b, loc, {b.getIndexAttr(kSlabRows), parts}));
}

TileSpace OuterSizes::emitSpace(OpBuilder &b, Location loc,
                                const OuterProgram &program,
                                bool isFold) const {
  const TileSchedule &schedule = isFold ? program.fold : program.schedule;
  bool hasRows = program.inner && !isFold;
  TileSpace space = emitTileSpace(b, loc, dims, schedule, /*cutsRows=*/!hasRows,
                                  program.facts);
  TileSpace::Axis &axis = space.axes[kRows];
  if (isFold) {
    axis.dims.clear();
    axis.sizes = {positions};
    axis.extent = positions;
    axis.facts = {};
  }
  if (hasRows)
    space.mostCut = program.mostCut;
  bool isSplit = program.isSplit() && !isFold;
  axis.numTiles = isSplit ? positions : b.getIndexAttr(1);
  return space;
}

//===----------------------------------------------------------------------===//
// Whether a schedule, perhaps written by hand, is one of the segment
//===----------------------------------------------------------------------===//

static InFlightDiagnostic emitError(SegmentOp segment,
                                    const OuterProgram &program) {
  return segment.emitOpError()
         << "expected an "
         << (program.inner ? fusion::TileScheduleAttr::kInnerOuterReduction
                           : fusion::TileScheduleAttr::kOuterReduction)
         << " schedule ";
}

static LogicalResult verifyAxes(SegmentOp segment, const OuterProgram &program,
                                ArrayRef<ArrayRef<int64_t>> expected) {
  for (auto [number, dims] : llvm::enumerate(expected))
    if (ArrayRef<int64_t>(program.schedule.axes[number]) != dims) {
      auto diag = emitError(segment, program)
                  << "whose axis " << number << " is [";
      llvm::interleaveComma(dims, diag);
      return diag << ']';
    }
  return success();
}

/// The tiles of both kernels along the second axis.
static LogicalResult verifyRowTiles(SegmentOp segment,
                                    const OuterProgram &program) {
  int64_t tile = program.schedule.getExtent(kRows);
  int64_t rows = fusion::multiplySizes(program.shape, program.reducedDims);
  int64_t parts = rows >= 0 ? getNumParts(rows) : kTreeParts;
  bool hasAll =
      rows >= 0 &&
      (tile >= rows || (tile == kFewParts * kSlabRows && parts <= kFewParts));
  if (!program.isSplit() && !hasAll)
    return emitError(segment, program)
           << "with fold, or a tile of all rows, or of "
           << kFewParts * kSlabRows << " of at most "
           << kFewParts * kSlabRows * kPartSteps << ", got " << tile;
  int64_t least = program.inner ? 1 : kChains;
  int64_t most = program.inner ? kChains : kSlabRows;
  if (program.isSplit() && (tile < least || tile > most))
    return emitError(segment, program)
           << "with fold to have a tile of " << least << " to " << most
           << " rows, got " << tile;
  return success();
}

static LogicalResult verifyColumnTiles(SegmentOp segment,
                                       const OuterProgram &program) {
  int64_t bytesPerColumn = 0;
  for (Type type : program.partials.getSlots())
    bytesPerColumn += llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  for (const TileSchedule *each : {&program.schedule, &program.fold}) {
    if (each->getNumAxes() == 0)
      continue;
    bool mayBeCut =
        each == &program.schedule && each->getVector() <= program.mostCut;
    if (!mayBeCut && program.facts.back().divisor % each->getVector() != 0)
      return emitError(segment, program)
             << "with vectors that divide the last dimension"
             << (program.inner ? ", or with one dimension of columns" : "")
             << ", got " << each->getVector();
    int64_t bytes =
        schedule::countSharedBytes(each->layout, each == &program.fold,
                                   bytesPerColumn * each->repeat[kColumns]);
    if (bytes > kMaxStaticSharedBytes)
      return emitError(segment, program)
             << "that takes at most " << kMaxStaticSharedBytes
             << " bytes of shared memory, got " << bytes;
  }
  if (!program.inner)
    return success();
  if (program.maxColumns == schedule::kUnknown)
    return emitError(segment, program)
           << "for rows of static length, or with a bound of it "
              "(fusion.bounds)";
  if (program.schedule.getExtent(kColumns) < program.maxColumns)
    return emitError(segment, program)
           << "with a tile of at least " << program.maxColumns
           << " columns, the length of a row, got "
           << program.schedule.getExtent(kColumns);
  return success();
}

/// Sets the reductions, and the axes that a schedule has.
static Decision analyze(const schedule::Segment &segment, OuterProgram &program,
                        bool isInnerOuter,
                        SmallVectorImpl<SmallVector<int64_t>> &axes) {
  auto setAxes = [&](ArrayRef<ArrayRef<int64_t>> lists) {
    for (ArrayRef<int64_t> list : lists)
      axes.emplace_back(list);
  };
  if (!isInnerOuter) {
    schedule::OuterProblem problem;
    Decision decision = analyzeOuter(segment, program, problem);
    setAxes({problem.outerDims, program.reducedDims, problem.columnDims});
    return decision;
  }
  schedule::InnerOuterProblem problem;
  Decision decision =
      analyzeInnerOuter(segment, program.inner.emplace(), program, problem);
  program.fullResults = std::exchange(program.inner->fullResults, {});
  program.maxColumns = problem.row.maxColumns;
  if (program.keptDims.size() == 1)
    program.mostCut = problem.row.contiguousWidth;
  setAxes({{}, program.reducedDims, program.keptDims});
  return decision;
}

FailureOr<OuterProgram>
fuser::makeOuterProgram(const schedule::Segment &segment,
                        const TileSchedule &schedule, bool isInnerOuter) {
  OuterProgram program;
  program.schedule = schedule;
  if (schedule.fold.getNumAxes() != 0) {
    program.fold.axes = schedule.axes;
    program.fold.layout = schedule.fold;
    program.fold.repeat.assign(schedule.getNumAxes(), 1);
  }
  SegmentOp op = segment.op;
  SmallVector<SmallVector<int64_t>> axes;
  if (Decision verdict = analyze(segment, program, isInnerOuter, axes);
      !verdict)
    return op.emitOpError()
           << "does not fit an "
           << (isInnerOuter ? fusion::TileScheduleAttr::kInnerOuterReduction
                            : fusion::TileScheduleAttr::kOuterReduction)
           << " schedule: " << verdict.getReason();
  for (int64_t dim = 0; dim < program.getRank(); ++dim)
    program.shape.push_back(segment.symbols.getShape(program.tensor)[dim]);
  program.facts = segment.symbols.getFacts(program.tensor);
  program.partials = PartialSums(program.reductions);
  SmallVector<ArrayRef<int64_t>> expected(axes.begin(), axes.end());
  if (failed(verifyAxes(op, program, expected)) ||
      failed(verifyRowTiles(op, program)) ||
      failed(verifyColumnTiles(op, program)))
    return failure();
  return program;
}
