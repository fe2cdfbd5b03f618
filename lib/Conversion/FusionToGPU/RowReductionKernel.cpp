//===- RowReductionKernel.cpp - Rows in registers -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A row is shared by T threads. Thread t owns the chunks of V columns that
// start at (u * T + t) * V, u < U. What it reads of them stays in SSA values,
// so a row is read from memory once, whatever reductions follow each other:
//
//   reads of all chunks
//   for each reduction: in the thread, each chunk -> the T threads -> a value
//                       that all of them know
//   stores of all chunks, and of one element a row by thread 0
//
// Chunks beyond the row's end read its first columns instead, are neutral in
// reductions and not stored: there is no branch around a read. Likewise rows
// beyond the last in a block of several rows.
//
// The order of a sum is that of ReductionTree.h.
//
//===----------------------------------------------------------------------===//

#include "BlockReduction.h"
#include "GpuKernel.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Conversion/SegmentKernel.h"
#include "fuser/Schedule/RowReductionHeuristic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace fuser;
using arith::CmpIPredicate;
using fusion::ReductionOpInterface;
using fusion::SegmentOp;

namespace {
/// Neighbouring columns of a thread.
struct Piece {
  /// Of the first one, with the coordinates of the row.
  SmallVector<Value> index;
  int64_t chunk;
  int64_t width;
  Value valid; ///< Whether the row has them. Null: always.
  /// The same, and whether there is such a row.
  Value inside;
};

class RowEmitter {
public:
  RowEmitter(SegmentKernel &kernel, const ReductionSpace &rows,
             ArrayRef<int64_t> columnDims,
             fusion::RowReductionScheduleAttr schedule, gpu::GPUFuncOp func)
      : kernel(kernel), rows(rows), columnDims(columnDims), schedule(schedule),
        func(func), b(kernel.builder), loc(kernel.segment.getLoc()) {}

  LogicalResult run();

private:
  void emitPosition();
  void emitPieces();
  void addPiece(int64_t chunk, Value column, int64_t offset, int64_t width);
  void emitReduction(ReductionOpInterface op, BlockReduction &block);
  SmallVector<Accumulators> emitChunks(ReductionOpInterface op,
                                       const Combiner &combiner);
  void emitFullResults();
  void emitRowResults();
  SegmentKernel &kernel;
  const ReductionSpace &rows;
  ArrayRef<int64_t> columnDims; ///< Sizes.
  fusion::RowReductionScheduleAttr schedule;
  gpu::GPUFuncOp func;
  OpBuilder &b;
  Location loc;

  int64_t numColumns = 1;
  Value thread;                ///< Among those of the row.
  Value rowValid;              ///< Null: always.
  SmallVector<Value> rowIndex; ///< The row's coordinates.
  SmallVector<Piece> pieces;
};
} // namespace

//===----------------------------------------------------------------------===//
// Where the thread is
//===----------------------------------------------------------------------===//

void RowEmitter::emitPosition() {
  SmallVector<OpFoldResult> sizes =
      kernel.getSizes().getDims(rows.tensor, rows.keptDims);
  OpFoldResult numRows = emitProduct(b, loc, sizes);
  int64_t threads = schedule.getThreads(),
          perBlock = schedule.getRowsPerBlock();
  thread = emitThread(b, loc);
  Value row = emitBlockStart(b, loc, perBlock);
  if (perBlock > 1) {
    Value size = arith::ConstantIndexOp::create(b, loc, threads);
    row = arith::AddIOp::create(b, loc, row,
                                arith::DivUIOp::create(b, loc, thread, size));
    thread = arith::RemUIOp::create(b, loc, thread, size);
    std::optional<int64_t> known = getConstantIntValue(numRows);
    if (!known || *known % perBlock != 0) {
      rowValid = emitCompare(b, loc, CmpIPredicate::ult, row, numRows);
      Value last =
          arith::SubIOp::create(b, loc, emitIndex(b, loc, numRows),
                                arith::ConstantIndexOp::create(b, loc, 1));
      row = arith::MinUIOp::create(b, loc, row, last);
    }
  }
  rowIndex = emitCoordinates(b, loc, row, sizes, isNarrow(numRows));
}

/// `width` columns from `column` on: those of the thread's chunk from `offset`
/// on.
void RowEmitter::addPiece(int64_t chunk, Value column, int64_t offset,
                          int64_t width) {
  int64_t vector = schedule.getVector();
  int64_t first = chunk * schedule.getThreads() * vector + offset;
  if (first >= numColumns)
    return;
  column = kernel.getElements().addIndex(loc, column, first);
  Piece piece{rowIndex, chunk, width, nullptr, nullptr};
  if (first + (schedule.getThreads() - 1) * vector + width > numColumns) {
    piece.valid = emitCompare(b, loc, CmpIPredicate::ult, column,
                              b.getIndexAttr(numColumns));
    column = arith::SelectOp::create(b, loc, piece.valid, column,
                                     kernel.getElements().getIndex(loc, 0));
  }
  piece.inside = emitAnd(b, loc, piece.valid, rowValid);
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : columnDims)
    sizes.push_back(b.getIndexAttr(size));
  llvm::append_range(piece.index,
                     emitCoordinates(b, loc, column, sizes, /*narrow=*/true));
  pieces.push_back(std::move(piece));
}

void RowEmitter::emitPieces() {
  int64_t vector = schedule.getVector(), threads = schedule.getThreads();
  int64_t lastDim = columnDims.back();
  // A chunk that may be cut by the end of a row, or of the last dimension,
  // comes in pieces that are not.
  int64_t whole = std::gcd(vector, lastDim);
  bool oneDim = columnDims.size() == 1;
  Value start = thread;
  if (vector > 1)
    start = arith::MulIOp::create(
        b, loc, thread, arith::ConstantIndexOp::create(b, loc, vector));
  for (int64_t u = 0; u < schedule.getUnroll(); ++u) {
    int64_t first = u * threads * vector;
    bool fits = oneDim && first + threads * vector <= numColumns;
    int64_t width = fits ? vector : whole;
    for (int64_t offset = 0; offset < vector; offset += width)
      addPiece(u, start, offset, width);
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// What each chunk holds of the columns, as a tree of neighbours.
SmallVector<Accumulators> RowEmitter::emitChunks(ReductionOpInterface op,
                                                 const Combiner &combiner) {
  Value operand = fusion::getTensorOperands(op).front()->get();
  SmallVector<SmallVector<Accumulators>> parts(schedule.getUnroll());
  for (const Piece &piece : pieces) {
    Value element =
        kernel.getElements().emit(loc, operand, piece.index, piece.width);
    Accumulators values = kernel.emitPrepare(op, element);
    values = combiner.orNeutral(piece.valid, std::move(values));
    parts[piece.chunk].push_back(emitLaneTree(combiner, std::move(values)));
  }
  SmallVector<Accumulators> chunks;
  for (SmallVector<Accumulators> &part : parts)
    if (!part.empty())
      chunks.push_back(emitNeighbourTree(combiner, std::move(part)));
  return chunks;
}

void RowEmitter::emitReduction(ReductionOpInterface op, BlockReduction &block) {
  Combiner combiner = makeCombiner(kernel, op, kernel.emitNeutral(op));
  Accumulators sum =
      block.emitRow(combiner, emitChunks(op, combiner), schedule.getVector());
  Value count = kernel.getElements().getIndex(loc, numColumns);
  Value result = kernel.getElements().emitReductionResult(loc, op, sum, count);
  kernel.getElements().bind(
      op->getResult(0),
      [result](OpBuilder &b, Location loc, ValueRange, int64_t width) {
        if (width == 1)
          return result;
        return Value(vector::BroadcastOp::create(
            b, loc, VectorType::get({width}, result.getType()), result));
      });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void RowEmitter::emitFullResults() {
  if (rows.fullResults.empty())
    return;
  for (const Piece &piece : pieces) {
    SmallVector<Value> elements;
    kernel.setReadCondition(piece.inside);
    for (unsigned i : rows.fullResults)
      elements.push_back(kernel.emitResult(loc, i, piece.index, piece.width));
    kernel.setReadCondition({});
    emitIf(b, loc, piece.inside, [&] {
      for (auto [i, value] : llvm::zip(rows.fullResults, elements))
        kernel.storeResult(loc, i, value, piece.index);
    });
  }
}

void RowEmitter::emitRowResults() {
  if (rows.rowResults.empty())
    return;
  emitBarrierBeforeReuse(b, kernel.segment, rows.rowResults);
  Value isFirst =
      emitCompare(b, loc, CmpIPredicate::eq, thread, b.getIndexAttr(0));
  emitIf(b, loc, emitAnd(b, loc, isFirst, rowValid), [&] {
    ElementEmitter::Scope scope(kernel.getElements());
    SmallVector<Value> elements;
    SmallVector<SmallVector<Value>> indices;
    for (unsigned i : rows.rowResults) {
      SmallVector<Value> &index = indices.emplace_back(rowIndex);
      auto type =
          cast<RankedTensorType>(kernel.segment->getResult(i).getType());
      index.resize(type.getRank(), kernel.getElements().getIndex(loc, 0));
      elements.push_back(kernel.emitResult(loc, i, index, 1));
    }
    for (auto [i, value, index] : llvm::zip(rows.rowResults, elements, indices))
      kernel.storeResult(loc, i, value, index);
  });
}

LogicalResult RowEmitter::run() {
  for (int64_t size : columnDims)
    numColumns *= size;
  emitPosition();
  emitPieces();
  ElementEmitter &elements = kernel.getElements();
  for (const Piece &piece : pieces) {
    kernel.setReadCondition(piece.inside);
    for (ReductionOpInterface op : rows.reductions)
      elements.prefetch(loc, fusion::getTensorOperands(op).front()->get(),
                        piece.index, piece.width);
    for (unsigned i : rows.fullResults)
      if (!schedule.getLateReads())
        elements.prefetch(loc, kernel.segment.getYielded(i), piece.index,
                          piece.width);
  }
  kernel.setReadCondition({});
  BlockReduction block(b, func, thread, schedule.getThreads());
  for (ReductionOpInterface op : rows.reductions)
    emitReduction(op, block);
  emitFullResults();
  emitRowResults();
  return kernel.getStatus();
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

/// Whether the schedule, perhaps written by hand, covers the rows.
static LogicalResult verifySchedule(SegmentOp segment,
                                    const schedule::RowProblem &problem) {
  auto schedule =
      cast<fusion::RowReductionScheduleAttr>(*segment.getSchedule());
  if (problem.columns == schedule::kUnknown)
    return segment.emitOpError()
           << "expected rows of static length for a row_reduction schedule";
  if (problem.columns > kSectionElements)
    return segment.emitOpError()
           << "expected rows of at most " << kSectionElements
           << " elements, a section of a sum, for a row_reduction schedule, "
              "got "
           << problem.columns;
  int64_t elements =
      schedule.getThreads() * schedule.getVector() * schedule.getUnroll();
  if (elements < problem.columns)
    return segment.emitOpError()
           << "expected threads * vector * unroll of the schedule to be at "
              "least the length of a "
              "row, "
           << problem.columns << ", got " << elements;
  return success();
}

/// Results begin with the dimensions of the rows.
static LaunchSize getLaunchSize(SegmentLowering &lowering,
                                fusion::RowReductionScheduleAttr schedule,
                                unsigned numRowDims) {
  OpBuilder &b = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  SmallVector<OpFoldResult> sizes =
      lowering.getSizes(lowering.getSegment()->getResult(0));
  sizes.resize(numRowDims);
  return {emitCeilDiv(b, loc, emitProduct(b, loc, sizes),
                      schedule.getRowsPerBlock()),
          schedule.getThreads() * schedule.getRowsPerBlock()};
}

LogicalResult fuser::lowerRowReduction(SegmentLowering &lowering) {
  SegmentOp segment = lowering.getSegment();
  auto schedule =
      cast<fusion::RowReductionScheduleAttr>(*segment.getSchedule());
  schedule::Segment described = describeSegment(segment, lowering.getSymbols());
  ReductionSpace rows;
  schedule::RowProblem problem;
  if (Decision verdict = analyzeRows(described, rows, problem); !verdict)
    return segment.emitOpError()
           << "does not fit a row_reduction schedule: " << verdict.getReason();
  if (failed(verifySchedule(segment, problem)))
    return failure();
  size_t numRowDims = rows.keptDims.size();
  LaunchSize size = getLaunchSize(lowering, schedule, numRowDims);
  OpBuilder b(segment.getContext());
  gpu::GPUFuncOp func =
      createGpuKernel(b, lowering, {size.threads, schedule.getMinBlocks()});
  SegmentKernel kernel(b, segment, func.getArguments());
  ArrayRef<int64_t> shape = described.group.rows->shape;
  if (failed(
          RowEmitter(kernel, rows, shape.drop_front(numRowDims), schedule, func)
              .run()))
    return failure();
  lowering.launch(func, size);
  return success();
}
