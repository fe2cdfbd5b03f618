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
//   rows, too    where the rows themselves are reduced, a block (or a cluster)
//                has them as a whole, a few chains of a part, and goes from row
//                to row: it reads later ones, reduces its own, writes what is
//                made of it, and adds it to its columns
//
//===----------------------------------------------------------------------===//

#include "../GpuKernel.h"
#include "RowSteps.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Schedule/OuterReductionHeuristic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fuser;
using arith::CmpIPredicate;
using fusion::ReductionOpInterface;
using fusion::SegmentOp;
using schedule::TileSchedule;

namespace {
class OuterEmitter {
public:
  OuterEmitter(SegmentKernel &kernel, const OuterProgram &program,
               gpu::GPUFuncOp func, bool isFold);

  LogicalResult run();

  /// Bytes of it that the kernel asks the launch for.
  int64_t getSharedBytes() const {
    return (ahead ? ahead->getSharedBytes() : 0) +
           (rowSteps ? rowSteps->getSharedBytes() : 0);
  }

private:
  using Held = HeldColumns;

  std::pair<int64_t, int64_t> getKey(const Piece &piece) const;
  SmallVector<Value> getReadStarts();
  void emitReads(ArrayRef<Piece> pieces);
  Accumulators emitElements(const Piece &piece);
  Accumulators emitPartials(const Piece &piece);
  void emitFullResults(const Piece &piece);
  void addElements(const Piece &piece, const Accumulators &values, Held &held);
  void emitStep(ArrayRef<Piece> first, Value start, bool isWhole, Held &held);
  bool hasOneStep() const;
  Held emitNone(ArrayRef<Piece> pieces);
  Held emitSteps(ArrayRef<Piece> pieces);
  void emitLoop(Value begin, Value end, Value step, Held &held,
                function_ref<void(Value at)> body);
  void emitSlabs(ArrayRef<Piece> pieces, Held &held);
  Value emitFirstRow();
  void emplaceRowSteps() {
    rowSteps.emplace(kernel, program,
                     RowChains(kernel, program, sizes, firstRow), index, walk,
                     *ahead);
  }
  Held emitRows(ArrayRef<Piece> pieces);
  void emitTile(ArrayRef<Piece> pieces);
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
  bool hasRows() const { return program.inner && !isFold; }
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
  Combiner combiner; ///< Of all reductions of columns.
  Value firstRow;    ///< Of the block, or the first part.
  std::optional<ReadAhead> ahead;
  std::optional<RowSteps> rowSteps; ///< Where rows are reduced.
  SmallVector<TensorAccess> workspaces;
};
} // namespace

OuterEmitter::OuterEmitter(SegmentKernel &kernel, const OuterProgram &program,
                           gpu::GPUFuncOp func, bool isFold)
    : kernel(kernel), program(program), isFold(isFold),
      schedule(isFold ? program.fold : program.schedule), b(kernel.builder),
      loc(kernel.segment.getLoc()), elements(kernel.getElements()),
      sizes(b, loc, kernel.getSizes(), program),
      index(kernel, sizes.emitSpace(b, loc, program, isFold), schedule),
      walk(b, func), combiner(makeCombiner(kernel, program.reductions)) {
  if (program.isSplit())
    workspaces = program.partials.getAccesses(func);
  if (isFold)
    return;
  ahead.emplace(kernel, getReadStarts(), index, kRows, schedule);
}

/// The tensors from which the reductions, and results as large, are computed.
SmallVector<Value> OuterEmitter::getReadStarts() {
  SmallVector<Value> tensors;
  auto addOperands = [&](const ReductionSpace &space) {
    for (ReductionOpInterface op : space.reductions)
      tensors.push_back(fusion::getTensorOperands(op).front()->get());
  };
  addOperands(program);
  if (program.inner)
    addOperands(*program.inner);
  for (unsigned i : program.fullResults)
    tensors.push_back(kernel.segment.getYielded(i));
  return tensors;
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
  SmallVector<Value> tensors = getReadStarts();
  for (const Piece &piece : pieces) {
    index.enter(piece);
    for (Value tensor : tensors)
      elements.prefetch(loc, tensor, piece.index, piece.width);
  }
  kernel.setReadCondition({});
}

/// What all reductions make of the elements of a piece.
Accumulators OuterEmitter::emitElements(const Piece &piece) {
  return emitPrepared(kernel, index, program.reductions, piece);
}

/// Loads the partial sums of a piece's columns from the workspaces.
Accumulators OuterEmitter::emitPartials(const Piece &piece) {
  return program.partials.load(
      b, loc, workspaces, emitPosition(piece, piece.at[kRows]), piece.width);
}

/// What else is computed of a piece, which no reduction needs.
void OuterEmitter::emitFullResults(const Piece &piece) {
  SmallVector<Value> values(kernel.segment->getNumResults());
  index.enter(piece);
  for (unsigned i : program.fullResults)
    values[i] = kernel.emitResult(loc, i, piece.index, piece.width);
  kernel.setReadCondition({});
  index.storeResults(program.fullResults, piece, values,
                     /*areThere=*/program.inner.has_value(), kLastDim,
                     /*areKnown=*/true);
}

/// Adds the `values` of a piece, and writes what else is computed of it.
void OuterEmitter::addElements(const Piece &piece, const Accumulators &values,
                               Held &held) {
  Accumulators &sum = held[getKey(piece)];
  sum = combiner.join(sum, combiner.orNeutral(piece.valid[kRows], values));
  if (!isFold && !program.fullResults.empty())
    emitFullResults(piece);
}

/// Adds the rows from `start` on; `first` are the pieces of other ones. All are
/// read before the first is used. `isWhole`: there are as many.
void OuterEmitter::emitStep(ArrayRef<Piece> first, Value start, bool isWhole,
                            Held &held) {
  SmallVector<Piece> pieces = index.movePieces(first, kRows, start, isWhole);
  SmallVector<Accumulators> values;
  if (isFold)
    for (const Piece &piece : pieces)
      values.push_back(emitPartials(piece));
  else
    emitReads(pieces);
  for (auto [number, piece] : llvm::enumerate(pieces))
    addElements(piece, isFold ? values[number] : emitElements(piece), held);
}

/// Whether the tile has all rows, or parts. Of none there is no step.
bool OuterEmitter::hasOneStep() const {
  std::optional<int64_t> known =
      getConstantIntValue(index.getSpace().axes[kRows].extent);
  return known && *known > 0 && *known <= schedule.getExtent(kRows);
}

/// The sums that the pieces add to, as neutral elements.
OuterEmitter::Held OuterEmitter::emitNone(ArrayRef<Piece> pieces) {
  Held held;
  for (const Piece &piece : pieces) {
    auto [entry, isNew] = held.try_emplace(getKey(piece));
    if (isNew)
      entry->second = emitNeutral(combiner, b, piece.width);
  }
  return held;
}

/// `body` adds to what is held.
void OuterEmitter::emitLoop(Value begin, Value end, Value step, Held &held,
                            function_ref<void(Value at)> body) {
  SmallVector<Value> sums = elements.emitLoop(
      loc, begin, end, step, flatten(held), [&](Value at, ValueRange carried) {
        unflatten(carried, held);
        body(at);
        return flatten(held);
      });
  unflatten(sums, held);
}

/// The slabs of a part: whole ones, which need no masks, and perhaps what is
/// left of the last one, a row of each chain at a time.
void OuterEmitter::emitSlabs(ArrayRef<Piece> pieces, Held &held) {
  int64_t tile = schedule.getExtent(kRows);
  Value end = emitIndex(b, loc, sizes.rows);
  Value slabRows = elements.getIndex(loc, kSlabRows);
  Value step = sizes.emitSlabStep(b, loc);
  Value whole = b.createOrFold<arith::SubIOp>(
      loc, end, b.createOrFold<arith::RemUIOp>(loc, end, slabRows));
  emitLoop(firstRow, whole, step, held, [&](Value slab) {
    if (tile == kSlabRows)
      return emitStep(pieces, slab, /*isWhole=*/true, held);
    emitLoop(slab, elements.addIndex(loc, slab, kSlabRows),
             elements.getIndex(loc, tile), held,
             [&](Value at) { emitStep(pieces, at, /*isWhole=*/true, held); });
  });
  if (getConstantIntValue(sizes.rows).value_or(1) % kSlabRows == 0)
    return;
  // Parts have the slabs in turn.
  Value distance = arith::SubIOp::create(b, loc, whole, firstRow);
  Value isOwn = emitCompare(b, loc, CmpIPredicate::eq,
                            arith::RemUIOp::create(b, loc, distance, step),
                            b.getIndexAttr(0));
  auto chains = llvm::filter_to_vector(pieces, [](const Piece &piece) {
    return piece.offsets[kRows] < kChains;
  });
  emitLoop(arith::SelectOp::create(b, loc, isOwn, whole, end), end,
           elements.getIndex(loc, kChains), held,
           [&](Value at) { emitStep(chains, at, /*isWhole=*/false, held); });
}

/// The sums of all steps. `pieces` are those of the first step.
OuterEmitter::Held OuterEmitter::emitSteps(ArrayRef<Piece> pieces) {
  if (!isFold)
    ahead->emitFixed(pieces);
  Held held;
  auto emitMasked = [&](Value at) { emitStep(pieces, at, false, held); };
  if (hasOneStep()) {
    emitMasked(firstRow);
    return held;
  }
  held = emitNone(pieces);
  if (isLast())
    emitLoop(firstRow, emitIndex(b, loc, sizes.rows),
             elements.getIndex(loc, schedule.getExtent(kRows)), held,
             emitMasked);
  else
    emitSlabs(pieces, held);
  return held;
}

//===----------------------------------------------------------------------===//
// Row by row
//===----------------------------------------------------------------------===//

/// The first row of the block's first chain.
Value OuterEmitter::emitFirstRow() {
  Value tile = index.getTile(kRows);
  Value perPart = elements.getIndex(loc, program.getBlocksOfPart());
  Value part = b.createOrFold<arith::DivUIOp>(loc, tile, perPart);
  Value chains = b.createOrFold<arith::RemUIOp>(loc, tile, perPart);
  return b.createOrFold<arith::AddIOp>(
      loc,
      b.createOrFold<arith::MulIOp>(loc, part,
                                    elements.getIndex(loc, kSlabRows)),
      b.createOrFold<arith::MulIOp>(
          loc, chains, elements.getIndex(loc, schedule.getExtent(kRows))));
}

/// The sums of all rows. `pieces` are those of the first row.
OuterEmitter::Held OuterEmitter::emitRows(ArrayRef<Piece> pieces) {
  Held held = emitNone(pieces);
  emplaceRowSteps();
  rowSteps->emit(pieces, combiner, held, [&](const Piece &piece, Held &held) {
    addElements(piece, emitElements(piece), held);
  });
  return held;
}

//===----------------------------------------------------------------------===//
// The threads of a column
//===----------------------------------------------------------------------===//

RowThreads OuterEmitter::getRowThreads() {
  RowThreads threads;
  threads.treeEnd = RowThreads::kPositionBits;
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
    for (int64_t i = 0, width = getWidth(values.front()); i < width; ++i)
      for (Value value : values)
        flat.push_back(emitPiece(b, loc, value, i, 1));
  }
  size_t columns = byPosition.begin()->second.size() / combiner.neutral.size();
  RowThreads threads = getRowThreads();
  return walk.emitLanes(joinCombinersOf(columns), threads,
                        {std::move(byPosition), threads.bits});
}

/// The same of parts, a tree after the other; a tree may take several steps.
Accumulators OuterEmitter::emitTrees(ArrayRef<Piece> pieces) {
  size_t columns = 0;
  for (const Piece &piece : pieces)
    columns += piece.offsets[kRows] == 0 ? piece.width : 0;
  Combiner joint = joinCombinersOf(columns);
  Value end = emitIndex(b, loc, sizes.positions);
  int64_t step = schedule.getExtent(kRows);
  int64_t tree = kTreeParts * program.getBlocksOfPart();
  auto emitPart = [&](Value at) {
    Held held;
    emitStep(pieces, at, /*isWhole=*/false, held);
    Accumulators sums = emitSums(held);
    // The next one has the same shared memory.
    gpu::BarrierOp::create(b, loc);
    return sums;
  };
  return emitChain(elements, joint, firstRow, end, tree, [&](Value at) {
    if (tree == step)
      return emitPart(at);
    Value last =
        arith::MinUIOp::create(b, loc, elements.addIndex(loc, at, tree), end);
    return emitTree(elements, joint, {at, last, step, tree / step}, emitPart);
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Where workspaces have a part of the piece's columns.
Value OuterEmitter::emitPosition(const Piece &piece, Value part) {
  SmallVector<Value> kept;
  for (int64_t dim : program.keptDims)
    kept.push_back(piece.index[dim]);
  return emitLinear(b, loc, kept, sizes.places, part);
}

/// The part of `result`, whose first column is `begin`, that begins at column
/// `at` and has `width` columns. Ops that read single elements ask for parts.
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
  return emitConcat(b, loc, columns);
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
    Value result = emitConcat(b, loc, columns), begin = piece.index.back();
    elements.bind(op->getResult(0), [result, begin](OpBuilder &b, Location loc,
                                                    ValueRange index,
                                                    int64_t width) {
      return emitColumns(b, loc, result, begin, index.back(), width);
    });
  }
}

void OuterEmitter::emitStores(const Piece &piece, ArrayRef<Accumulators> sums) {
  bindReductions(piece, sums);
  kernel.emitAndStore(loc, program.rowResults, piece.width, [&](unsigned i) {
    auto type = cast<RankedTensorType>(kernel.segment->getResult(i).getType());
    SmallVector<Value> place;
    bool keepsDims = type.getRank() == program.getRank();
    for (int64_t dim = 0; dim < program.getRank(); ++dim)
      if (program.isKept(dim))
        place.push_back(piece.index[dim]);
      else if (keepsDims)
        place.push_back(elements.getIndex(loc, 0));
    return place;
  });
}

/// Stores the results of the piece's columns, by their first thread.
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
      values.push_back(emitConcat(
          b, loc, llvm::map_to_vector(sums, [&](const Accumulators &sum) {
            return sum[slot];
          })));
    program.partials.store(b, loc, workspaces, values,
                           emitPosition(piece, index.getTile(kRows)));
  });
}

/// Emits the tile. `pieces` are those of the first row, or of the first parts.
void OuterEmitter::emitTile(ArrayRef<Piece> pieces) {
  bool hasTrees = isFold && !hasOneStep();
  Accumulators flat = hasTrees    ? emitTrees(pieces)
                      : hasRows() ? emitSums(emitRows(pieces))
                                  : emitSums(emitSteps(pieces));
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
}

LogicalResult OuterEmitter::run() {
  if (program.schedule.programmatic && isFold)
    kernel::GridDependencyWaitOp::create(b, loc);
  else if (program.schedule.programmatic)
    kernel::GridDependencyLaunchOp::create(b, loc);
  firstRow = isLast() ? index.getTile(kRows) : emitFirstRow();
  index.setStart(kRows, firstRow);
  SmallVector<Piece> pieces =
      index.emitPieces(schedule.layout, /*isWhole=*/false);
  // A thread has its chains one after the other.
  if (hasRows())
    llvm::erase_if(
        pieces, [](const Piece &piece) { return piece.offsets[kRows] != 0; });
  // Of no columns at all there is no block.
  if (pieces.empty())
    return kernel.getStatus();
  // The second kernel adds parts, and does not look at rows.
  bool mayBeEmpty = program.hasEmptyRows() && !isFold;
  elements.emitEither(
      loc, mayBeEmpty ? index.emitHasColumns() : Value(),
      [&] { emitTile(pieces); },
      [&] {
        emplaceRowSteps();
        rowSteps->emitEmpty(pieces);
      });
  return kernel.getStatus();
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

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
  SegmentKernel kernel(b, segment, func.getArguments(), &lowering.getSymbols());
  OuterEmitter emitter(kernel, program, func, isFold);
  if (failed(emitter.run()) ||
      failed(verifySharedBytes(segment, func, emitter.getSharedBytes())))
    return failure();
  OpBuilder &host = lowering.getHostBuilder();
  OuterSizes sizes(host, lowering.getLoc(), lowering.getInnerSizes(), program);
  TileSpace space = sizes.emitSpace(host, lowering.getLoc(), program, isFold);
  int64_t clusterBlocks = schedule.layout.getBlocks();
  bool skipsEmpty = program.inner && !isFold && !program.hasEmptyRows();
  OpFoldResult blocks = emitProduct(
      host, lowering.getLoc(),
      {skipsEmpty ? space.emitNumBlocksOfRows(host, lowering.getLoc())
                  : space.emitNumBlocks(host, lowering.getLoc()),
       host.getIndexAttr(clusterBlocks)});
  lowering.launch(func,
                  {blocks, threads, clusterBlocks,
                   isFold && program.schedule.programmatic,
                   emitter.getSharedBytes()},
                  workspaces);
  return success();
}

LogicalResult fuser::lowerOuterReduction(SegmentLowering &lowering,
                                         const TileSchedule &schedule,
                                         bool isInnerOuter) {
  SegmentOp segment = lowering.getSegment();
  FailureOr<OuterProgram> program = makeOuterProgram(
      describeSegment(segment, lowering.getSymbols()), schedule, isInnerOuter);
  if (failed(program))
    return failure();
  if (!program->isSplit())
    return emitKernel(lowering, *program, /*isFold=*/false, {}, {});
  OpBuilder &host = lowering.getHostBuilder();
  OuterSizes sizes(host, lowering.getLoc(), lowering.getInnerSizes(), *program);
  SmallVector<OpFoldResult> factors = sizes.places;
  factors.push_back(sizes.positions);
  SmallVector<Value> workspaces = program->partials.createWorkspaces(
      lowering, emitProduct(host, lowering.getLoc(), factors));
  SmallVector<Type> types = program->partials.getMemRefTypes();
  return failure(
      failed(emitKernel(lowering, *program, false, types, workspaces)) ||
      failed(emitKernel(lowering, *program, true, types, workspaces)));
}
