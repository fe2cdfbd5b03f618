//===- OuterReductionKernel.cpp - Sums of rows ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions that leave the last dimension, in the order of SumOrder.h. A
// thread has some columns and adds rows of them, step by step, from the first
// read on without a word to others; what the threads of a column have is
// combined at the end (ReductionWalk.h). Results as large as what is reduced
// are written on the way.
//
//   one kernel   a block has all parts of its columns
//   two kernels  a block has one part, which goes to a workspace[part, column];
//                those of the second kernel add parts as the first ones rows
//
//===----------------------------------------------------------------------===//

#include "GpuKernel.h"
#include "PartialSums.h"
#include "Reduction/ReductionWalk.h"
#include "TileIndex.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Schedule/OuterReductionHeuristic.h"
#include "fuser/Support/SumOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fuser;
using arith::CmpIPredicate;
using fusion::ReductionOpInterface;
using fusion::SegmentOp;
using schedule::TileSchedule;

/// Of the axes of a schedule.
static constexpr int64_t kOuter = 0, kRows = 1, kColumns = 2;

namespace {
struct OuterProgram : ReductionSpace {
  TileSchedule schedule;
  /// Of the second kernel; without axes if there is none.
  TileSchedule fold;
  SmallVector<int64_t> shape; ///< Of the space; negative where it is not known.
  PartialSums partials;

  bool isSplit() const { return fold.getNumAxes() != 0; }
};

/// How the space looks in one of the functions.
struct OuterSizes {
  SmallVector<OpFoldResult> dims;
  SmallVector<OpFoldResult> kept; ///< Of the dimensions that stay.
  OpFoldResult rows, parts;

  OuterSizes(OpBuilder &b, Location loc, SegmentSizes &sizes,
             const OuterProgram &program);
};

class OuterEmitter {
public:
  OuterEmitter(SegmentKernel &kernel, const OuterProgram &program,
               gpu::GPUFuncOp func, bool isFold);

  LogicalResult run();

private:
  /// By the position of the chain or the part, and the first column: what all
  /// reductions hold of neighbouring columns.
  using Held = std::map<std::pair<int64_t, int64_t>, Accumulators>;

  std::pair<int64_t, int64_t> getKey(const Piece &piece) const;
  void emitReads(ArrayRef<Piece> pieces);
  Accumulators emitElements(const Piece &piece);
  Accumulators emitPartials(const Piece &piece);
  void emitFullResults(const Piece &piece);
  void emitStep(Value start, Held &held);
  bool hasOneStep() const;
  Held emitSteps(ArrayRef<Piece> pieces);
  RowThreads getRowThreads();
  Accumulators emitSums(const Held &held);
  Accumulators emitTrees(ArrayRef<Piece> pieces);
  Combiner joinCombinersOf(size_t columns) const {
    return joinCombiners(std::vector<Combiner>(columns, combiner));
  }
  void emitResults(const Piece &piece, ArrayRef<Accumulators> sums);
  void emitStores(const Piece &piece, ArrayRef<Accumulators> sums);
  void bindReductions(const Piece &piece, ArrayRef<Accumulators> sums);
  Value emitPosition(const Piece &piece, Value part);
  bool isLast() const { return isFold || !program.isSplit(); }

  SegmentKernel &kernel;
  const OuterProgram &program;
  bool isFold;
  const TileSchedule &schedule;
  OpBuilder &b;
  Location loc;
  ElementEmitter &elements;
  OuterSizes sizes;
  TileIndex index;
  ReductionWalk walk;
  Combiner combiner; ///< Of all reductions.
  SmallVector<TensorAccess> workspaces;
};
} // namespace

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
  SmallVector<OpFoldResult> reduced;
  for (int64_t dim : program.reducedDims)
    reduced.push_back(dims[dim]);
  rows = emitProduct(b, loc, reduced);
  parts = emitNumParts(b, loc, rows);
}

static TileSpace emitSpace(OpBuilder &b, Location loc, const OuterSizes &sizes,
                           const OuterProgram &program, bool isFold) {
  const TileSchedule &schedule = isFold ? program.fold : program.schedule;
  TileSpace space =
      emitTileSpace(b, loc, sizes.dims, schedule, /*cutsRows=*/true);
  TileSpace::Axis &axis = space.axes[kRows];
  if (isFold) {
    axis.dims.clear();
    axis.sizes = {sizes.parts};
    axis.extent = sizes.parts;
  }
  bool isSplit = program.isSplit() && !isFold;
  axis.numTiles = isSplit ? sizes.parts : b.getIndexAttr(1);
  return space;
}

static Combiner joinReductions(SegmentKernel &kernel,
                               const OuterProgram &program) {
  return joinCombiners(
      llvm::map_to_vector<1>(program.reductions, [&](ReductionOpInterface op) {
        return makeCombiner(kernel, op, kernel.emitNeutral(op));
      }));
}

OuterEmitter::OuterEmitter(SegmentKernel &kernel, const OuterProgram &program,
                           gpu::GPUFuncOp func, bool isFold)
    : kernel(kernel), program(program), isFold(isFold),
      schedule(isFold ? program.fold : program.schedule), b(kernel.builder),
      loc(kernel.segment.getLoc()), elements(kernel.getElements()),
      sizes(b, loc, kernel.getSizes(), program),
      index(kernel, emitSpace(b, loc, sizes, program, isFold), schedule),
      walk(b, func), combiner(joinReductions(kernel, program)) {
  if (program.isSplit())
    workspaces = program.partials.getAccesses(func);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Positions have chains and parts from bit 3 on: below it are leaves, which
/// others have.
static constexpr int64_t kLeafBits = llvm::ConstantLog2<kLeaf>();

static int64_t getPosition(int64_t row, bool isFold) {
  return schedule::getOuterPosition(row, isFold) << kLeafBits;
}

std::pair<int64_t, int64_t> OuterEmitter::getKey(const Piece &piece) const {
  return {getPosition(piece.offsets[kRows], isFold), piece.offsets[kColumns]};
}

void OuterEmitter::emitReads(ArrayRef<Piece> pieces) {
  for (const Piece &piece : pieces) {
    kernel.setReadCondition(piece.inside);
    for (ReductionOpInterface op : program.reductions)
      elements.prefetch(loc, fusion::getTensorOperands(op).front()->get(),
                        piece.index, piece.width);
    for (unsigned i : program.fullResults)
      elements.prefetch(loc, kernel.segment.getYielded(i), piece.index,
                        piece.width);
  }
  kernel.setReadCondition({});
}

/// What all reductions make of the elements of a piece.
Accumulators OuterEmitter::emitElements(const Piece &piece) {
  Accumulators values;
  kernel.setReadCondition(piece.inside);
  for (ReductionOpInterface op : program.reductions)
    llvm::append_range(
        values,
        kernel.emitPrepare(
            op, elements.emit(loc, fusion::getTensorOperands(op).front()->get(),
                              piece.index, piece.width)));
  kernel.setReadCondition({});
  return values;
}

/// What blocks have added of a piece's columns.
Accumulators OuterEmitter::emitPartials(const Piece &piece) {
  return program.partials.load(
      b, loc, workspaces, emitPosition(piece, piece.at[kRows]), piece.width);
}

/// What else is computed of a piece, which no reduction needs.
void OuterEmitter::emitFullResults(const Piece &piece) {
  SmallVector<Value> values;
  kernel.setReadCondition(piece.inside);
  for (unsigned i : program.fullResults)
    values.push_back(kernel.emitResult(loc, i, piece.index, piece.width));
  kernel.setReadCondition({});
  emitIf(b, loc, piece.inside, [&] {
    for (auto [i, value] : llvm::zip(program.fullResults, values))
      kernel.storeResult(loc, i, value, piece.index);
  });
}

/// Adds the rows from `start` on. All are read before the first is used.
void OuterEmitter::emitStep(Value start, Held &held) {
  index.setStart(kRows, start);
  SmallVector<Piece> pieces =
      index.emitPieces(schedule.layout, /*isWhole=*/false);
  SmallVector<Accumulators> values;
  if (isFold)
    for (const Piece &piece : pieces)
      values.push_back(emitPartials(piece));
  else
    emitReads(pieces);
  for (auto [number, piece] : llvm::enumerate(pieces)) {
    Accumulators &sum = held[getKey(piece)];
    sum = combiner.join(
        sum, combiner.orNeutral(piece.valid[kRows],
                                isFold ? values[number] : emitElements(piece)));
    if (!isFold && !program.fullResults.empty())
      emitFullResults(piece);
  }
}

/// Whether the tile has all rows, or parts. Of none there is no step.
bool OuterEmitter::hasOneStep() const {
  std::optional<int64_t> known =
      getConstantIntValue(index.getSpace().axes[kRows].extent);
  return known && *known > 0 && *known <= schedule.getExtent(kRows);
}

/// `pieces` are those of the first step.
OuterEmitter::Held OuterEmitter::emitSteps(ArrayRef<Piece> pieces) {
  Held held;
  OpFoldResult extent = index.getSpace().axes[kRows].extent;
  Value start = index.getStart(kRows);
  int64_t tile = schedule.getExtent(kRows);
  if (hasOneStep()) {
    emitStep(start, held);
    return held;
  }
  SmallVector<Value> init;
  for (const Piece &piece : pieces) {
    auto [entry, isNew] = held.try_emplace(getKey(piece));
    if (!isNew)
      continue;
    for (Value none : combiner.neutral) {
      Value value = none;
      if (piece.width != 1)
        value = vector::BroadcastOp::create(
            b, loc, VectorType::get({piece.width}, none.getType()), none);
      entry->second.push_back(value);
    }
  }
  for (const auto &entry : held)
    llvm::append_range(init, entry.second);
  auto setHeld = [&](ValueRange values) {
    for (auto &entry : held)
      for (Value &value : entry.second) {
        value = values.front();
        values = values.drop_front();
      }
  };
  auto emitOne = [&](Value at, ValueRange carried) {
    setHeld(carried);
    emitStep(at, held);
    SmallVector<Value> next;
    for (const auto &entry : held)
      llvm::append_range(next, entry.second);
    return next;
  };
  Value end = emitIndex(b, loc, extent);
  if (isLast()) {
    setHeld(elements.emitLoop(loc, start, end, elements.getIndex(loc, tile),
                              init, emitOne));
    return held;
  }
  OpFoldResult step =
      emitProduct(b, loc, {b.getIndexAttr(kSlabRows), sizes.parts});
  SmallVector<Value> sums = elements.emitLoop(
      loc, start, end, emitIndex(b, loc, step), init,
      [&](Value at, ValueRange carried) {
        if (tile == kSlabRows)
          return emitOne(at, carried);
        Value last = arith::MinUIOp::create(
            b, loc, elements.addIndex(loc, at, kSlabRows), end);
        return elements.emitLoop(loc, at, last, elements.getIndex(loc, tile),
                                 carried, emitOne);
      });
  setHeld(sums);
  return held;
}

//===----------------------------------------------------------------------===//
// The threads of a column
//===----------------------------------------------------------------------===//

RowThreads OuterEmitter::getRowThreads() {
  RowThreads threads;
  threads.treeEnd = 62;
  for (const TileLayout::Field &field : schedule.layout.getThreadFields(kRows))
    for (int64_t bit = 0; bit < field.bits; ++bit) {
      int64_t position =
          getPosition(int64_t(1) << (field.offset + bit), isFold);
      threads.bits.push_back(
          {int64_t(llvm::Log2_64(position)), field.first + bit});
    }
  for (int64_t axis : {kOuter, kColumns}) {
    int64_t bits = 0;
    for (const TileLayout::Field &field : schedule.layout.getThreadFields(axis))
      bits += field.bits;
    if (bits == 0)
      continue;
    int64_t number = int64_t(1) << bits;
    threads.rows *= number;
    Value along = index.emitThreadAlong(axis);
    threads.row =
        threads.row ? arith::AddIOp::create(
                          b, loc,
                          arith::MulIOp::create(b, loc, threads.row,
                                                elements.getIndex(loc, number)),
                          along)
                    : along;
  }
  return threads;
}

/// What all reductions have of each of the thread's columns, one after the
/// other: all threads of a column know it.
Accumulators OuterEmitter::emitSums(const Held &held) {
  HeldByPosition byPosition;
  for (const auto &[key, values] : held) {
    Accumulators &flat = byPosition[key.first];
    auto vector = dyn_cast<VectorType>(values.front().getType());
    for (int64_t i = 0; i < (vector ? vector.getNumElements() : 1); ++i)
      for (Value value : values)
        flat.push_back(vector ? vector::ExtractOp::create(b, loc, value, i)
                              : value);
  }
  size_t columns = byPosition.begin()->second.size() / combiner.neutral.size();
  RowThreads threads = getRowThreads();
  return walk.emitLanes(joinCombinersOf(columns), threads,
                        {std::move(byPosition), threads.bits});
}

/// The same of parts, a tree after the other.
Accumulators OuterEmitter::emitTrees(ArrayRef<Piece> pieces) {
  size_t columns = 0;
  for (const Piece &piece : pieces)
    columns += piece.offsets[kRows] == 0 ? piece.width : 0;
  return emitChain(elements, joinCombinersOf(columns), index.getStart(kRows),
                   emitIndex(b, loc, sizes.parts), schedule.getExtent(kRows),
                   [&](Value at) {
                     Held held;
                     emitStep(at, held);
                     Accumulators sums = emitSums(held);
                     // The next one has the same shared memory.
                     gpu::BarrierOp::create(b, loc);
                     return sums;
                   });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Neighbouring columns as a vector.
static Value joinColumns(OpBuilder &b, Location loc, ArrayRef<Value> columns) {
  if (columns.size() == 1)
    return columns.front();
  return vector::FromElementsOp::create(
      b, loc,
      VectorType::get({static_cast<int64_t>(columns.size())},
                      columns.front().getType()),
      columns);
}

/// Where workspaces have a part of the piece's columns.
Value OuterEmitter::emitPosition(const Piece &piece, Value part) {
  SmallVector<Value> kept;
  for (int64_t dim : program.keptDims)
    kept.push_back(piece.index[dim]);
  return emitLinear(b, loc, kept, sizes.kept, part);
}

/// `width` of the columns that `result` has from `begin` on: from `at` on. Ops
/// that look at their operands element by element ask for fewer than all.
static Value emitColumns(OpBuilder &b, Location loc, Value result, Value begin,
                         Value at, int64_t width) {
  auto type = dyn_cast<VectorType>(result.getType());
  if (!type || type.getNumElements() == width)
    return result;
  Value first = arith::SubIOp::create(b, loc, at, begin);
  SmallVector<Value> columns;
  for (int64_t i = 0; i < width; ++i)
    columns.push_back(vector::ExtractOp::create(
        b, loc, result,
        OpFoldResult(Value(arith::AddIOp::create(
            b, loc, first, arith::ConstantIndexOp::create(b, loc, i))))));
  return joinColumns(b, loc, columns);
}

void OuterEmitter::bindReductions(const Piece &piece,
                                  ArrayRef<Accumulators> sums) {
  Value count = emitIndex(b, loc, sizes.rows);
  size_t first = 0;
  for (ReductionOpInterface op : program.reductions) {
    size_t size = getAccumulatorTypes(op).size();
    SmallVector<Value> columns;
    for (const Accumulators &sum : sums)
      columns.push_back(elements.emitReductionResult(
          loc, op, ArrayRef(sum).slice(first, size), count));
    first += size;
    Value result = joinColumns(b, loc, columns), begin = piece.index.back();
    elements.bind(op->getResult(0), [result, begin](OpBuilder &b, Location loc,
                                                    ValueRange index,
                                                    int64_t width) {
      return emitColumns(b, loc, result, begin, index.back(), width);
    });
  }
}

/// All results are computed before the first is stored: it may be stored over
/// an input.
void OuterEmitter::emitStores(const Piece &piece, ArrayRef<Accumulators> sums) {
  bindReductions(piece, sums);
  SmallVector<SmallVector<Value>> indices;
  SmallVector<Value> values;
  for (unsigned i : program.rowResults) {
    auto type = cast<RankedTensorType>(kernel.segment->getResult(i).getType());
    SmallVector<Value> &place = indices.emplace_back();
    bool keepsDims = type.getRank() == program.getRank();
    for (int64_t dim = 0; dim < program.getRank(); ++dim)
      if (program.isKept(dim))
        place.push_back(piece.index[dim]);
      else if (keepsDims)
        place.push_back(elements.getIndex(loc, 0));
    values.push_back(kernel.emitResult(loc, i, place, piece.width));
  }
  for (auto [i, value, place] : llvm::zip(program.rowResults, values, indices))
    kernel.storeResult(loc, i, value, place);
}

/// By the first thread of the piece's columns.
void OuterEmitter::emitResults(const Piece &piece,
                               ArrayRef<Accumulators> sums) {
  Value stores;
  if (!schedule.layout.getThreadFields(kRows).empty())
    stores = emitCompare(b, loc, CmpIPredicate::eq,
                         index.emitThreadAlong(kRows), b.getIndexAttr(0));
  for (int64_t axis : {kOuter, kColumns})
    stores = emitAnd(b, loc, stores, piece.valid[axis]);
  emitIf(b, loc, stores, [&] {
    ElementEmitter::Scope scope(elements);
    if (isLast())
      return emitStores(piece, sums);
    SmallVector<Value> values;
    for (size_t slot = 0; slot < combiner.neutral.size(); ++slot)
      values.push_back(joinColumns(
          b, loc, llvm::map_to_vector(sums, [&](const Accumulators &sum) {
            return sum[slot];
          })));
    program.partials.store(b, loc, workspaces, values,
                           emitPosition(piece, index.getTile(kRows)));
  });
}

LogicalResult OuterEmitter::run() {
  if (program.schedule.programmatic && isFold)
    kernel::GridDependencyWaitOp::create(b, loc);
  else if (program.schedule.programmatic)
    kernel::GridDependencyLaunchOp::create(b, loc);
  Value first = index.getTile(kRows);
  if (!isLast())
    first =
        arith::MulIOp::create(b, loc, first, elements.getIndex(loc, kSlabRows));
  index.setStart(kRows, first);
  SmallVector<Piece> pieces =
      index.emitPieces(schedule.layout, /*isWhole=*/false);
  // Of no columns at all there is no block.
  if (pieces.empty())
    return kernel.getStatus();
  bool hasTrees = isFold && !hasOneStep();
  Accumulators flat =
      hasTrees ? emitTrees(pieces) : emitSums(emitSteps(pieces));
  SmallVector<Accumulators> sums;
  for (ArrayRef<Value> left = flat; !left.empty();
       left = left.drop_front(combiner.neutral.size()))
    sums.push_back(llvm::to_vector(left.take_front(combiner.neutral.size())));
  if (isLast())
    emitBarrierBeforeReuse(b, kernel.segment, program.rowResults);
  ArrayRef<Accumulators> left = sums;
  for (const Piece &piece : pieces) {
    if (piece.offsets[kRows] != 0)
      continue;
    emitResults(piece, left.take_front(piece.width));
    left = left.drop_front(piece.width);
  }
  return kernel.getStatus();
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

static LogicalResult verifyTile(SegmentOp segment,
                                const OuterProgram &program) {
  const TileSchedule &schedule = program.schedule;
  int64_t tile = schedule.getExtent(kRows), rows = 1;
  for (int64_t dim : program.reducedDims)
    rows = rows < 0 || program.shape[dim] < 0 ? -1 : rows * program.shape[dim];
  int64_t parts = rows < 0 ? kTreeParts : getNumParts(rows);
  bool hasAll =
      rows >= 0 &&
      (tile >= rows || (tile == kFewParts * kSlabRows && parts <= kFewParts));
  auto emitError = [&] {
    return segment.emitOpError() << "expected an outer_reduction schedule ";
  };
  if (!program.isSplit() && !hasAll)
    return emitError() << "with fold, or a tile of all rows, or of "
                       << kFewParts * kSlabRows << " of at most "
                       << kFewParts * kSlabRows * kPartSteps << ", got "
                       << tile;
  if (program.isSplit() && (tile < kChains || tile > kSlabRows))
    return emitError() << "with fold to have a tile of " << kChains << " to "
                       << kSlabRows << " rows, got " << tile;
  if (program.isSplit() &&
      program.fold.getExtent(kRows) < std::min(parts, kTreeParts))
    return emitError() << "to have a fold of at least "
                       << std::min(parts, kTreeParts) << " parts, got "
                       << program.fold.getExtent(kRows);
  int64_t last = program.shape.back();
  for (const TileSchedule *each : {&schedule, &program.fold})
    if (each->getNumAxes() != 0 && each->getVector() != 1 &&
        (last < 0 || last % each->getVector() != 0))
      return emitError() << "with vectors that divide the last dimension, got "
                         << each->getVector();
  int64_t bytesPerColumn = 0;
  for (Type type : program.partials.getSlots())
    bytesPerColumn += llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  for (const TileSchedule *each : {&schedule, &program.fold})
    if (int64_t bytes = schedule::countSharedBytes(
            each->layout, each == &program.fold, bytesPerColumn);
        bytes > kMaxStaticSharedBytes)
      return emitError() << "that takes at most " << kMaxStaticSharedBytes
                         << " bytes of shared memory, got " << bytes;
  return success();
}

static LogicalResult analyze(const schedule::Segment &segment,
                             OuterProgram &program) {
  SegmentOp op = segment.op;
  schedule::OuterProblem problem;
  if (Decision verdict = analyzeOuter(segment, program, problem); !verdict)
    return op.emitOpError() << "does not fit an outer_reduction schedule: "
                            << verdict.getReason();
  ArrayRef<int64_t> expected[] = {problem.outerDims, program.reducedDims,
                                  problem.columnDims};
  for (auto [number, dims] : llvm::enumerate(expected))
    if (ArrayRef<int64_t>(program.schedule.axes[number]) != dims) {
      auto diag = op.emitOpError() << "expected axis " << number
                                   << " of an outer_reduction schedule to be [";
      llvm::interleaveComma(dims, diag);
      return diag << ']';
    }
  llvm::append_range(program.shape, segment.group.rows->shape);
  program.partials = PartialSums(program.reductions);
  return verifyTile(op, program);
}

static LogicalResult emitKernel(SegmentLowering &lowering,
                                const OuterProgram &program, bool isFold,
                                ArrayRef<Type> types, ValueRange workspaces) {
  const TileSchedule &schedule = isFold ? program.fold : program.schedule;
  SegmentOp segment = lowering.getSegment();
  OpBuilder b(segment.getContext());
  int64_t threads = schedule.layout.getThreads();
  bool isPartial = program.isSplit() && !isFold;
  gpu::GPUFuncOp func = createGpuKernel(
      b, lowering,
      {threads, schedule.minBlocks, isPartial ? "_partial" : "", types});
  SegmentKernel kernel(b, segment, func.getArguments());
  if (failed(OuterEmitter(kernel, program, func, isFold).run()))
    return failure();
  OpBuilder &host = lowering.getHostBuilder();
  OuterSizes sizes(host, lowering.getLoc(), lowering.getInnerSizes(), program);
  TileSpace space = emitSpace(host, lowering.getLoc(), sizes, program, isFold);
  lowering.launch(func,
                  {space.emitNumBlocks(host, lowering.getLoc()), threads,
                   /*clusterBlocks=*/1,
                   isFold && program.schedule.programmatic},
                  workspaces);
  return success();
}

LogicalResult fuser::lowerOuterReduction(SegmentLowering &lowering,
                                         const TileSchedule &schedule) {
  SegmentOp segment = lowering.getSegment();
  OuterProgram program;
  program.schedule = schedule;
  if (schedule.fold.getNumAxes() != 0) {
    program.fold.axes = schedule.axes;
    program.fold.layout = schedule.fold;
    program.fold.repeat.assign(schedule.getNumAxes(), 1);
  }
  if (failed(analyze(describeSegment(segment, lowering.getSymbols()), program)))
    return failure();
  if (!program.isSplit())
    return emitKernel(lowering, program, /*isFold=*/false, {}, {});
  OpBuilder &host = lowering.getHostBuilder();
  OuterSizes sizes(host, lowering.getLoc(), lowering.getInnerSizes(), program);
  SmallVector<OpFoldResult> factors = sizes.kept;
  factors.push_back(sizes.parts);
  SmallVector<Value> workspaces = program.partials.createWorkspaces(
      lowering, emitProduct(host, lowering.getLoc(), factors));
  SmallVector<Type> types = program.partials.getMemRefTypes();
  return failure(
      failed(emitKernel(lowering, program, false, types, workspaces)) ||
      failed(emitKernel(lowering, program, true, types, workspaces)));
}
