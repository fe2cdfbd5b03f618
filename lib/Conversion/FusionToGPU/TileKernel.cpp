//===- TileKernel.cpp - A thread block a tile of elements -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread reads what it has of the block's tile, once, and keeps it in SSA
// values:
//
//   staged reads        in another layout
//   reads               of all pieces, so that many are under way; what is
//                       staged goes to shared memory. With stages all reads of
//                       rows do (ReadAhead.h)
//   reductions          of a row (RowReductions.h), or scans (TileScans.h)
//   results             of each piece, and of one element a row by its first
//                       thread; what is staged goes to shared memory,
//   staged results      and from there in the other layout
//
// Where a tile is cut by the end of the space: with barriers all threads go on
// with elements that exist, which are neutral in reductions and not stored;
// there is no branch around a read. Without barriers vector by vector, and one
// that is cut element by element. Rows of scans that are longer than a tile are
// gone through in steps.
//
//===----------------------------------------------------------------------===//

#include "TileKernel.h"
#include "Scans/OuterScans.h"
#include "Scans/RowScans.h"
#include "fuser/Schedule/GroupFit.h"
#include "fuser/Schedule/TransposeHeuristic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;
using arith::CmpIPredicate;
using fusion::SegmentOp;
using schedule::TileSchedule;

SmallVector<Value> TileProgram::getReadStarts(SegmentOp segment) const {
  SmallVector<Value> tensors;
  auto add = [&](Operation *op) {
    tensors.push_back(fusion::getTensorOperands(op).front()->get());
  };
  if (rows)
    llvm::for_each(rows->reductions, add);
  if (scans)
    llvm::for_each(scans->scans, add);
  if (!schedule.lateReads)
    for (unsigned i : fullResults)
      tensors.push_back(segment.getYielded(i));
  return tensors;
}

TileSpace TileProgram::emitSpace(OpBuilder &b, Location loc,
                                 SegmentSizes &sizes) const {
  SmallVector<OpFoldResult> dims = sizes.getDims(tensor);
  for (auto [dim, known] : llvm::zip(dims, shape))
    if (known >= 0)
      dim = b.getIndexAttr(known);
  if (isFlat)
    return emitFlatSpace(b, loc, emitProduct(b, loc, dims), schedule);
  TileSpace space = emitTileSpace(b, loc, dims, schedule, cutsRows(), facts);
  space.mostCut = mostCut;
  // A block goes through all of what is scanned, or has a section of it.
  if (scans) {
    TileSpace::Axis &axis = space.axes[kScannedAxis];
    axis.numTiles = isSplit ? emitCeilDiv(b, loc, axis.extent, axis.tile)
                            : b.getIndexAttr(1);
  }
  return space;
}

/// None of rows without elements, unless there is something to be computed.
OpFoldResult TileProgram::emitNumTiles(OpBuilder &b, Location loc,
                                       const TileSpace &space) const {
  if (rows && !hasEmptyRows())
    return space.emitNumBlocksOfRows(b, loc);
  OpFoldResult tiles = space.emitNumBlocks(b, loc);
  if (!scans || !isOneStep || isSplit)
    return tiles;
  const TileSpace::Axis &axis = space.axes[kScannedAxis];
  return emitProduct(b, loc,
                     {tiles, emitCeilDiv(b, loc, axis.extent, axis.tile)});
}

/// The dimension along which vectors lie: the last one, but of what is staged.
static int64_t getVectorDim(const TileSchedule &schedule) {
  ArrayRef<int64_t> last = schedule.axes.back();
  return schedule.isStaged() && !last.empty() ? last.back() : kLastDim;
}

/// The space of the kernel.
static TileSpace emitSpace(SegmentKernel &kernel, const TileProgram &program,
                           ValueRange inverses) {
  TileSpace space = program.emitSpace(kernel.builder, kernel.segment.getLoc(),
                                      kernel.getSizes());
  space.setInverses(inverses);
  return space;
}

TileEmitter::TileEmitter(SegmentKernel &kernel, const TileProgram &program,
                         gpu::GPUFuncOp func, ValueRange inverses,
                         ScanSections *sections)
    : kernel(kernel), program(program), schedule(program.schedule), func(func),
      b(kernel.builder), loc(kernel.segment.getLoc()),
      index(kernel, emitSpace(kernel, program, inverses), schedule,
            sections ? sections->getBlock() : Value()),
      staging(kernel, func, schedule, program.stagedReads,
              index.getSpace().axes.back().unit),
      walk(b, func), sections(sections), dim(getVectorDim(schedule)) {
  if (program.isFlat)
    kernel.flattenTensors(loc, index.getSpace().lastSize);
  if (program.rows)
    reductions.emplace(kernel, *program.rows, index, schedule, walk);
  if (program.isOuterScan())
    scans = std::make_unique<OuterScans>(kernel, *program.scans, index,
                                         schedule, func);
  else if (program.scans)
    scans = std::make_unique<RowScans>(kernel, *program.scans, index, schedule,
                                       func, sections);
  if (schedule.stages != 0 && !program.scans)
    ahead.emplace(kernel, program.getReadStarts(kernel.segment), index,
                  /*movingAxis=*/0, schedule);
}

/// What is read from now on is of `piece`.
void TileEmitter::enter(const Piece &piece) {
  staging.setCurrent(piece);
  index.enter(piece);
}

void TileEmitter::emitReads(Pieces pieces) {
  SmallVector<Value> tensors = program.getReadStarts(kernel.segment);
  for (const Piece &piece : pieces) {
    enter(piece);
    for (Value tensor : tensors)
      kernel.getElements().prefetch(loc, tensor, piece.index, piece.width, dim);
  }
  kernel.setReadCondition({});
  emitRowReads();
}

/// What a row's own result needs would make the row wait again behind its
/// reductions, one read after the other (the target of a cross entropy).
void TileEmitter::emitRowReads() {
  if (!program.rows)
    return;
  kernel.setReadCondition(index.emitRow().valid);
  for (unsigned i : program.rows->rowResults)
    kernel.getElements().prefetch(loc, kernel.segment.getYielded(i),
                                  getRowPlace(i));
  kernel.setReadCondition({});
}

/// The element of a result that is the thread's row.
SmallVector<Value> TileEmitter::getRowPlace(unsigned result) {
  ArrayRef<Value> row = index.emitRow().index;
  auto type =
      cast<RankedTensorType>(kernel.segment->getResult(result).getType());
  ArrayRef<int64_t> kept = program.rows->keptDims;
  if (type.getRank() == int64_t(kept.size()))
    return llvm::to_vector(row);
  SmallVector<Value> place(type.getRank(),
                           kernel.getElements().getIndex(loc, 0));
  for (auto [dim, coordinate] : llvm::zip(kept, row))
    place[dim] = coordinate;
  return place;
}

void TileEmitter::emitCopies(Pieces pieces) {
  Value number = kernel.getElements().getIndex(loc, 0);
  ahead->emitFixed(pieces);
  ahead->emitCopies(pieces, number, /*condition=*/{});
  SmallVector<Value> values = ahead->emitStep(pieces);
  ahead->emitWait(/*later=*/0);
  ahead->setStep(pieces, values, number);
  emitRowReads();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void TileEmitter::emitResults(const Piece &piece) {
  SmallVector<Value> values(kernel.segment->getNumResults());
  enter(piece);
  for (unsigned i : program.fullResults)
    values[i] = kernel.emitResult(loc, i, piece.index, piece.width, dim);
  kernel.setReadCondition({});
  staging.emitHandOver(values);
  auto direct = llvm::filter_to_vector(program.fullResults, [&](unsigned i) {
    return !llvm::is_contained(schedule.results, i);
  });
  index.storeResults(direct, piece, values, !program.cutsRows(), dim);
}

void TileEmitter::emitRowResults() {
  ArrayRef<unsigned> results = program.rows->rowResults;
  if (results.empty())
    return;
  emitBarrierBeforeReuse(b, kernel.segment, results,
                         schedule.layout.getBlocks() > 1);
  const TilePoint &row = index.emitRow();
  Value isFirst = emitCompare(b, loc, CmpIPredicate::eq,
                              index.emitThreadAlong(1), b.getIndexAttr(0));
  emitIf(b, loc, emitAnd(b, loc, isFirst, row.valid), [&] {
    ElementEmitter::Scope scope(kernel.getElements());
    kernel.emitAndStore(loc, results, /*width=*/1,
                        [&](unsigned i) { return getRowPlace(i); });
  });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void TileEmitter::emitTile(bool isWhole) {
  SmallVector<Piece> staged;
  if (schedule.isStaged())
    staged = index.emitPieces(schedule.staged, isWhole, staging.getAxis());
  staging.emitReads(staged);
  SmallVector<Piece> pieces = index.emitPieces(schedule.layout, isWhole);
  if (schedule.layout.getBlocks() > 1)
    walk.emitClusterBegin(reductions->getNumWalks());
  ahead ? emitCopies(pieces) : emitReads(pieces);
  if (staging.hasReads()) {
    staging.emitReadsHandOver(staged);
    gpu::BarrierOp::create(b, loc);
  }
  if (program.rows)
    reductions->emit(pieces, /*keeps=*/!ahead);
  if (!program.fullResults.empty())
    for (const Piece &piece : pieces)
      emitResults(piece);
  if (program.rows)
    emitRowResults();
  if (staging.hasResults()) {
    gpu::BarrierOp::create(b, loc);
    staging.emitWrites(staged);
  }
}

/// From the first element of a vector to the end of its row, one by one.
void TileEmitter::emitElements(const Piece &piece) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  kernel.getElements().emitLoop(loc, piece.index.back(), index.emitRowEnd(),
                                one, {}, [&](Value position, ValueRange) {
                                  Piece element = piece;
                                  element.width = 1;
                                  element.index.back() = position;
                                  element.place.back() = position;
                                  element.inside = nullptr;
                                  emitResults(element);
                                  return SmallVector<Value>();
                                });
}

/// A loop over the thread's vectors.
void TileEmitter::emitCutTile() {
  auto body = [&](Value number, ValueRange) {
    Piece piece = index.emitPiece(schedule.layout, number);
    Value inside = std::exchange(piece.inside, nullptr);
    emitIf(b, loc, inside, [&] {
      kernel.getElements().emitEither(
          loc, index.emitIsWholeVector(piece),
          [&] {
            emitReads(piece);
            emitResults(piece);
          },
          [&] { emitElements(piece); });
    });
    return SmallVector<Value>();
  };
  ElementEmitter &elements = kernel.getElements();
  elements.emitLoop(loc, elements.getIndex(loc, 0),
                    elements.getIndex(loc, index.getNumVectors()),
                    elements.getIndex(loc, 1), {}, body);
}

/// Threads beyond the end of a row read another element of it. Of rows that may
/// have none, nothing is read.
void TileEmitter::emitRows() {
  kernel.getElements().emitEither(
      loc, program.hasEmptyRows() ? index.emitHasColumns() : Value(),
      [&] { emitTile(/*isWhole=*/false); },
      [&] {
        index.emitPieces(schedule.layout, /*isWhole=*/false);
        reductions->emit({});
        emitRowResults();
      });
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// Those that begin at `start` of what is scanned; `isWhole`: no element is
/// beyond its end.
SmallVector<Piece> TileEmitter::emitScannedPieces(Value start, bool isWhole) {
  if (!program.isOuterScan()) {
    index.setStart(kScannedAxis, start);
    index.setMostCut(isWhole ? schedule.getVector() : program.mostCut);
    return index.emitPieces(schedule.layout, isWhole);
  }
  index.setStart(kScannedAxis, kernel.getElements().getIndex(loc, 0));
  SmallVector<Piece> pieces =
      index.emitPieces(schedule.layout, /*isWhole=*/false);
  return program.isOneStep
             ? pieces
             : index.movePieces(pieces, kScannedAxis, start, isWhole);
}

SmallVector<Value> TileEmitter::emitScanStep(Value start, ValueRange before,
                                             Value step, bool isWhole) {
  SmallVector<Piece> pieces = emitScannedPieces(start, isWhole);
  scans->unbind();
  SmallVector<Value> after =
      scans->emit(pieces, before, step, [&](ArrayRef<Piece> part) {
        emitReads(part);
        if (schedule.stages != 0)
          gpu::BarrierOp::create(b, loc);
      });
  for (const Piece &piece : pieces)
    emitResults(piece);
  return after;
}

/// One step, or a loop over whole ones and one more. Of several rows a block
/// any may be beyond the last one.
void TileEmitter::emitScans() {
  ElementEmitter &elements = kernel.getElements();
  const TileSpace::Axis &axis = index.getSpace().axes[kScannedAxis];
  Value zero = elements.getIndex(loc, 0);
  SmallVector<Value> before = scans->getInit();
  if (program.isOneStep) {
    emitScanStep(zero, before, /*step=*/{}, /*isWhole=*/false);
    return;
  }
  Value tile = elements.getIndex(loc, axis.tile);
  Value end = emitIndex(b, loc, axis.extent);
  bool areWhole = program.isOuterScan() || schedule.getExtent(0) == 1;
  Value whole = end;
  if (areWhole)
    whole = b.createOrFold<arith::MulIOp>(
        loc, b.createOrFold<arith::DivUIOp>(loc, end, tile), tile);
  auto getStep = [&](Value start) -> Value {
    return arith::DivUIOp::create(b, loc, start, tile);
  };
  before = elements.emitLoop(
      loc, zero, whole, tile, before, [&](Value start, ValueRange carried) {
        return emitScanStep(start, carried, getStep(start), areWhole);
      });
  if (!areWhole)
    return;
  Value isLeft = arith::CmpIOp::create(b, loc, CmpIPredicate::ult, whole, end);
  emitIf(b, loc, isLeft, [&] {
    ElementEmitter::Scope scope(elements);
    emitScanStep(whole, before, getStep(whole), /*isWhole=*/false);
  });
}

/// All but the last one of a row have no element beyond its end.
void TileEmitter::emitSection() {
  sections->enter(index);
  // Of what is read in parts each is under way before it is scanned.
  for (unsigned i = 0;
       schedule.stages != 0 && i < kernel.segment->getNumOperands(); ++i)
    if (isa<RankedTensorType>(kernel.segment->getOperand(i).getType()))
      keepReadsInOrder(kernel.getOperandAccess(i).getMemRef());
  auto emitStep = [&](bool isWhole) {
    emitScanStep(index.getStart(kScannedAxis), scans->getInit(), /*step=*/{},
                 isWhole);
  };
  kernel.getElements().emitEither(
      loc, index.emitIsWhole(), [&] { emitStep(/*isWhole=*/true); },
      [&] { emitStep(/*isWhole=*/false); });
  sections->emitEnd();
}

LogicalResult TileEmitter::run() {
  ElementEmitter &elements = kernel.getElements();
  if (sections)
    emitSection();
  else if (program.scans)
    emitScans();
  else if (program.rows)
    emitRows();
  else if (hasBarriers())
    elements.emitEither(
        loc, index.emitIsWhole(), [&] { emitTile(/*isWhole=*/true); },
        [&] { emitTile(/*isWhole=*/false); });
  else
    elements.emitEither(
        loc, index.emitAreVectorsWhole(), [&] { emitTile(/*isWhole=*/true); },
        [&] { emitCutTile(); });
  return kernel.getStatus();
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

TileSchedule fuser::getTileSchedule(fusion::TileScheduleAttr attr) {
  TileSchedule schedule;
  for (DenseI64ArrayAttr axis : attr.getAxes())
    schedule.axes.emplace_back(axis.asArrayRef());
  schedule.layout = attr.getTileLayout();
  schedule.staged = attr.getStagedLayout();
  schedule.repeat.assign(schedule.axes.size(), 1);
  if (DenseI64ArrayAttr repeat = attr.getRepeat())
    schedule.repeat.assign(repeat.asArrayRef().begin(),
                           repeat.asArrayRef().end());
  if (DenseI64ArrayAttr reads = attr.getReads())
    llvm::append_range(schedule.reads, reads.asArrayRef());
  if (DenseI64ArrayAttr results = attr.getResults())
    llvm::append_range(schedule.results, results.asArrayRef());
  schedule.fold = attr.getFoldLayout();
  schedule.programmatic = attr.getProgrammatic();
  schedule.minBlocks = attr.getMinBlocks();
  schedule.stages = attr.getStages();
  schedule.lateReads = attr.getLateReads();
  return schedule;
}

/// Whether the schedule, perhaps written by hand, covers the rows.
static LogicalResult verifyRows(SegmentOp segment, const TileSchedule &schedule,
                                const ReductionSpace &rows, int64_t columns) {
  if (ArrayRef<int64_t>(schedule.axes[0]) != ArrayRef(rows.keptDims) ||
      ArrayRef<int64_t>(schedule.axes[1]) != ArrayRef(rows.reducedDims)) {
    auto diag = segment.emitOpError()
                << "expected the axes of a row_reduction schedule to be the "
                   "dimensions of rows, [";
    llvm::interleaveComma(rows.keptDims, diag);
    diag << "], and those that are reduced, [";
    llvm::interleaveComma(rows.reducedDims, diag);
    return diag << ']';
  }
  if (columns == schedule::kUnknown)
    return segment.emitOpError()
           << "expected rows of static length, or with a bound of it "
              "(fusion.bounds), for a row_reduction schedule";
  if (schedule.getExtent(1) < columns)
    return segment.emitOpError() << "expected a tile of at least " << columns
                                 << " columns, the length of a row, for a "
                                    "row_reduction schedule, got "
                                 << schedule.getExtent(1);
  return success();
}

static LogicalResult analyze(const schedule::Segment &segment,
                             TileProgram &program) {
  SegmentOp op = segment.op;
  ReductionSpace rows;
  schedule::RowProblem problem;
  if (Decision verdict = analyzeRows(segment, rows, problem); !verdict)
    return op.emitOpError()
           << "does not fit a row_reduction schedule: " << verdict.getReason();
  if (failed(verifyRows(op, program.schedule, rows, problem.maxColumns)))
    return failure();
  program.tensor = rows.tensor;
  llvm::append_range(program.shape, segment.group.rows->shape);
  program.facts = segment.symbols.getFacts(program.tensor);
  program.mostCut = problem.contiguousWidth;
  program.fullResults = rows.fullResults;
  program.rows = std::move(rows);
  return success();
}

/// Whether the tile of a schedule, perhaps written by hand, is one of the
/// scans.
static LogicalResult verifyScanTile(SegmentOp op, const TileSchedule &schedule,
                                    const schedule::ScanProblem &problem) {
  SmallVector<SmallVector<int64_t, 4>, 3> axes = {problem.outerDims,
                                                  {problem.dim}};
  if (schedule.getNumAxes() == 3)
    axes.push_back(problem.columnDims);
  if (axes != schedule.axes) {
    auto diag = op.emitOpError()
                << "expected the dimensions before the one that is scanned, "
                   "that one, and those behind it as the axes of a scan's "
                   "schedule, ";
    llvm::interleaveComma(axes, diag, [&](ArrayRef<int64_t> axis) {
      diag << '[';
      llvm::interleaveComma(axis, diag);
      diag << ']';
    });
    return diag;
  }
  int64_t leaf = schedule.layout.getVector(kScannedAxis);
  if (leaf != problem.leaf)
    return op.emitOpError()
           << "expected registers of " << problem.leaf
           << " neighbours of what is scanned, the leaves of these scans, got "
           << leaf;
  int64_t most = schedule.getExtent(kScannedAxis);
  bool isOneStep =
      problem.maxLength != schedule::kUnknown && problem.maxLength <= most;
  // Columns are scanned by as many lanes of a warp as they have leaves.
  bool isPart = schedule.getNumAxes() == 3 &&
                (most > kScanLanes * leaf || !llvm::isPowerOf2_64(most / leaf));
  if ((isOneStep && !isPart) || most % (kScanLanes * leaf) == 0)
    return success();
  return op.emitOpError() << "expected a tile with whole segments of a scan, "
                          << kScanLanes * leaf
                          << " elements, or with all of what is scanned, got "
                          << most;
}

/// Sections of floating-point numbers are combined in their order.
static LogicalResult verifySections(SegmentOp op, const TileSchedule &schedule,
                                    const schedule::ScanProblem &problem) {
  int64_t section = problem.leaf * kScanLanes * kScanSegments;
  if (problem.isOfIntegers || schedule.getExtent(kScannedAxis) == section)
    return success();
  return op.emitOpError() << "expected a tile of one section of a scan of "
                             "floating-point numbers, "
                          << section << " elements, got "
                          << schedule.getExtent(kScannedAxis);
}

static LogicalResult analyzeScans(const schedule::Segment &segment,
                                  bool isSplit, TileProgram &program) {
  SegmentOp op = segment.op;
  const TileSchedule &schedule = program.schedule;
  ScanSpace scans;
  schedule::ScanProblem problem;
  bool isOuter = schedule.getNumAxes() == 3;
  Decision verdict = isOuter   ? schedule::fitsOuterScan(segment.group, {})
                     : isSplit ? schedule::fitsSplitScan(segment.group, {})
                               : schedule::fitsRowScan(segment.group, {});
  if (verdict)
    verdict = analyzeScans(segment, scans, problem);
  if (!verdict)
    return op.emitOpError()
           << "does not fit its schedule of scans: " << verdict.getReason();
  if (failed(verifyScanTile(op, schedule, problem)) ||
      (isSplit && failed(verifySections(op, schedule, problem))))
    return failure();
  program.isSplit = isSplit;
  program.isOneStep =
      isSplit || (problem.maxLength != schedule::kUnknown &&
                  problem.maxLength <= schedule.getExtent(kScannedAxis));
  program.tensor = scans.tensor;
  llvm::append_range(program.shape, segment.group.fibres.rows->shape);
  program.facts = segment.symbols.getFacts(program.tensor);
  program.mostCut = problem.contiguousWidth;
  llvm::append_range(program.fullResults,
                     llvm::seq<unsigned>(0, op->getNumResults()));
  program.scans = std::move(scans);
  return success();
}

static LogicalResult analyzeResults(const schedule::Segment &segment,
                                    TileProgram &program) {
  SegmentOp op = segment.op;
  SmallVector<PlainRead> reads;
  schedule::TransposeProblem problem;
  Decision verdict = schedule::fitsPointwise(segment.group);
  if (verdict) {
    problem = analyzeTranspose(segment, reads);
    verdict = acceptsTranspose(problem, program.schedule);
  }
  if (!verdict)
    return op.emitOpError()
           << "does not fit its pointwise schedule: " << verdict.getReason();
  const TileSchedule &schedule = program.schedule;
  for (auto [read, access] : llvm::zip(reads, problem.accesses))
    if (schedule.isStaged() && isStaged(access, schedule))
      program.stagedReads.push_back(read);
  program.tensor = op.getYielded(0);
  llvm::append_range(program.shape, problem.pointwise.shape);
  program.facts = segment.symbols.getFacts(program.tensor);
  llvm::append_range(program.fullResults,
                     llvm::seq<unsigned>(0, op->getNumResults()));
  program.isFlat = problem.pointwise.isFlat && schedule.axes.size() == 1;
  ArrayRef<int64_t> last = schedule.axes.back();
  bool isLast = !last.empty() &&
                last.back() + 1 == int64_t(problem.pointwise.shape.size());
  if (schedule.getVector() > 1 && !isLast && !program.isFlat &&
      !schedule.isStaged())
    return op.emitOpError() << "expected the last axis of the schedule to end "
                               "with the last dimension, because vectors have "
                               "neighbours in it";
  return success();
}

static LogicalResult analyzeProgram(const schedule::Segment &segment,
                                    StringRef kind, TileProgram &program) {
  bool isSplit = kind == fusion::TileScheduleAttr::kSplitScan;
  if (isSplit || kind == fusion::TileScheduleAttr::kRowScan ||
      kind == fusion::TileScheduleAttr::kOuterScan)
    return analyzeScans(segment, isSplit, program);
  if (kind == fusion::TileScheduleAttr::kRowReduction)
    return analyze(segment, program);
  return analyzeResults(segment, program);
}

LogicalResult fuser::lowerTile(SegmentLowering &lowering) {
  SegmentOp segment = lowering.getSegment();
  auto attr = cast<fusion::TileScheduleAttr>(*segment.getSchedule());
  TileProgram program;
  program.schedule = getTileSchedule(attr);
  if (attr.getKind() == fusion::TileScheduleAttr::kRowOrder)
    return lowerRowOrder(lowering, program.schedule);
  if (attr.getKind() == fusion::TileScheduleAttr::kScatter)
    return lowerScatter(lowering, program.schedule);
  bool isInnerOuter =
      attr.getKind() == fusion::TileScheduleAttr::kInnerOuterReduction;
  if (isInnerOuter ||
      attr.getKind() == fusion::TileScheduleAttr::kOuterReduction)
    return lowerOuterReduction(lowering, program.schedule, isInnerOuter);
  schedule::Segment described = describeSegment(segment, lowering.getSymbols());
  if (failed(analyzeProgram(described, attr.getKind(), program)))
    return failure();
  if (program.isSplit)
    return lowerSplitScan(lowering, program);
  OpBuilder b(segment.getContext()), &host = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  TileSpace space = program.emitSpace(host, loc, lowering.getInnerSizes());
  int64_t threads = program.schedule.layout.getThreads();
  SmallVector<Type> types = space.getInverseTypes(host);
  gpu::GPUFuncOp func = createGpuKernel(
      b, lowering, {threads, program.schedule.minBlocks, "", types});
  SegmentKernel kernel(b, segment, func.getArguments(), &lowering.getSymbols());
  ValueRange inverses = func.getArguments().take_back(types.size());
  TileEmitter emitter(kernel, program, func, inverses);
  if (failed(emitter.run()) ||
      failed(verifySharedBytes(segment, func, emitter.getSharedBytes())))
    return failure();
  int64_t clusterBlocks = program.schedule.layout.getBlocks();
  OpFoldResult blocks = emitProduct(host, loc,
                                    {program.emitNumTiles(host, loc, space),
                                     host.getIndexAttr(clusterBlocks)});
  lowering.launch(func,
                  {blocks, threads, clusterBlocks, /*programmatic=*/false,
                   emitter.getSharedBytes()},
                  space.emitInverses(host, loc));
  return success();
}
