//===- MergeSort.cpp - Rows of any length in order ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is sorted is the positions of a row's elements, in a workspace of
// [rows, elements]:
//
//   tiles   a thread block sorts a tile (SortNetwork.h): a run
//   merge   of each two neighbouring runs becomes one, in another workspace. A
//           thread has an element, and looks for its place in the other run by
//           bisection
//   result  the first positions are stored
//
// The host program launches merges until a row is one run, two of them each
// time: from one workspace into the other, and back. Rows that are known to be
// one run are stored at once.
//
// Elements of the first run come before equal ones of the second one, whose
// positions are greater, so that the order is stable.
//
//===----------------------------------------------------------------------===//

#include "../GpuKernel.h"
#include "../Reduction/PartialSums.h"
#include "RowOrder.h"
#include "SortNetwork.h"
#include "fuser/Conversion/SegmentFibres.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Schedule/OrderHeuristic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace fuser;
using arith::CmpIPredicate;

/// Of a block whose threads have an element each.
static constexpr int64_t kMergeThreads = 256;

namespace {
/// The rows of the input, in the host program or in a kernel.
struct Rows {
  SmallVector<OpFoldResult> sizes; ///< Of the other dimensions.
  OpFoldResult number;             ///< Their product.
  OpFoldResult length;
};

/// What the kernels have in common.
class MergeKernel {
public:
  MergeKernel(SegmentLowering &lowering, OrderProgram &program,
              GpuKernelOptions options);

  /// An element of the row of number `row`.
  Value emitKey(Value row, Value position);
  void storeResult(Value row, Value place, Value position);

  Value load(Value workspace, Value row, Value place);
  void store(Value position, Value workspace, Value row, Value place);

  /// What `emit` computes is forgotten behind it.
  void ifTrue(Value condition, function_ref<void()> emit) {
    emitIf(b, loc, condition, [&] {
      ElementEmitter::Scope scope(elements);
      emit();
    });
  }
  Value getIndex(int64_t value) { return elements.getIndex(loc, value); }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(b, loc, lhs, rhs);
  }
  Value sub(Value lhs, Value rhs) {
    return arith::SubIOp::create(b, loc, lhs, rhs);
  }
  Value min(Value lhs, Value rhs) {
    return arith::MinUIOp::create(b, loc, lhs, rhs);
  }
  Value compare(CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  }
  Value select(Value condition, Value then, Value otherwise) {
    return arith::SelectOp::create(b, loc, condition, then, otherwise);
  }
  /// The row and the place in it that are the thread's, of `length` places a
  /// row. Calls `emit` with `isThere`.
  void forOwnPlace(OpFoldResult length,
                   function_ref<void(Value row, Value place, Value isThere)>);

  Location loc;
  OpBuilder b;
  gpu::GPUFuncOp func;
  SegmentKernel kernel;
  ElementEmitter &elements;
  OrderProgram &program;
  Rows rows;
  Value length; ///< Of a row.
  SmallVector<Value> arguments;

private:
  SmallVector<Value> getIndexOf(Value row, Value position);
};
} // namespace

static Rows getRows(OpBuilder &b, Location loc, SegmentSizes &sizes,
                    OrderProgram &program) {
  Rows rows;
  rows.sizes = sizes.getDims(program.getInput(), program.problem.rowDims);
  rows.number = emitProduct(b, loc, rows.sizes);
  rows.length = sizes.getDim(program.getInput(), program.problem.dim);
  return rows;
}

MergeKernel::MergeKernel(SegmentLowering &lowering, OrderProgram &program,
                         GpuKernelOptions options)
    : loc(lowering.getLoc()), b(loc.getContext()),
      func(createGpuKernel(b, lowering, options)),
      kernel(b, lowering.getSegment(), func.getArguments(),
             &lowering.getSymbols()),
      elements(kernel.getElements()), program(program),
      rows(getRows(b, loc, kernel.getSizes(), program)),
      length(emitIndex(b, loc, rows.length)) {
  unsigned inputs = func.getFunctionType().getNumInputs();
  llvm::append_range(arguments,
                     func.getArguments().take_front(inputs).take_back(
                         options.workspaces.size()));
}

SmallVector<Value> MergeKernel::getIndexOf(Value row, Value position) {
  SmallVector<Value> index(rows.sizes.size() + 1);
  index[program.problem.dim] = position;
  SmallVector<Value> others =
      emitCoordinates(b, loc, row, rows.sizes, isNarrow(rows.number));
  for (auto [dim, coordinate] : llvm::zip(program.problem.rowDims, others))
    index[dim] = coordinate;
  return index;
}

Value MergeKernel::emitKey(Value row, Value position) {
  Value element =
      elements.emit(loc, program.getInput(), getIndexOf(row, position));
  return kernel.withContext(loc, [&](fusion::EmitContext &ctx) {
    return program.op.emitSortKey(ctx, element, program.getElementType());
  });
}

void MergeKernel::storeResult(Value row, Value place, Value position) {
  Value stored = arith::IndexCastUIOp::create(b, loc, b.getI64Type(), position);
  kernel.storeResult(loc, 0, stored, getIndexOf(row, place));
}

Value MergeKernel::load(Value workspace, Value row, Value place) {
  Value at =
      emitLinear(b, loc, {row, place}, {rows.number, rows.length}, getIndex(0));
  Value position = memref::LoadOp::create(b, loc, workspace, at);
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), position);
}

void MergeKernel::store(Value position, Value workspace, Value row,
                        Value place) {
  Type type = cast<MemRefType>(workspace.getType()).getElementType();
  Value at =
      emitLinear(b, loc, {row, place}, {rows.number, rows.length}, getIndex(0));
  Value stored = arith::IndexCastUIOp::create(b, loc, type, position);
  memref::StoreOp::create(b, loc, stored, workspace, at);
}

/// Threads beyond the last place look at the last one.
void MergeKernel::forOwnPlace(
    OpFoldResult places,
    function_ref<void(Value row, Value place, Value isThere)> emit) {
  OpFoldResult count = emitProduct(b, loc, {rows.number, places});
  Value number = add(emitBlockStart(b, loc, kMergeThreads), emitThread(b, loc));
  Value isThere = emitCompare(b, loc, CmpIPredicate::ult, number, count);
  Value last = sub(emitIndex(b, loc, count), getIndex(1));
  SmallVector<Value> at = emitCoordinates(
      b, loc, min(number, last), {rows.number, places}, isNarrow(count));
  emit(at[0], at[1], isThere);
}

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

/// The tile of a thread block in order, one after the other in a row. It stores
/// positions in the workspace or, without one, those of the result.
static LogicalResult emitTiles(MergeKernel &k) {
  OpBuilder &b = k.b;
  Location loc = k.loc;
  const schedule::TileSchedule &schedule = k.program.schedule;
  int64_t columns = k.program.getColumns(), neighbours = schedule.getVector(),
          threads = schedule.layout.getThreads();
  OpFoldResult tiles = emitCeilDiv(b, loc, k.rows.length, columns);
  OpFoldResult count = emitProduct(b, loc, {k.rows.number, tiles});
  SmallVector<Value> at = emitCoordinates(
      b, loc, emitBlock(b, loc), {k.rows.number, tiles}, isNarrow(count));
  Value row = at[0], thread = emitThread(b, loc);
  Value start = arith::MulIOp::create(b, loc, at[1], k.getIndex(columns));
  Value left = k.sub(k.length, start);
  SortWords words(b, loc, k.program.getElementType().getIntOrFloatBitWidth(),
                  llvm::Log2_64(columns));
  SmallVector<SortWords::Word> mine;
  // In whatever order: neighbouring threads read neighbours.
  for (int64_t i = 0; i < neighbours; ++i) {
    Value inTile = k.elements.addIndex(loc, thread, i * threads);
    Value exists = k.compare(CmpIPredicate::ult, inTile, left);
    Value position = k.select(exists, k.add(start, inTile), start);
    SortWords::Word word = words.make(k.emitKey(row, position), inTile);
    mine.push_back(words.select(exists, word, words.makeLast(inTile)));
  }
  SortNetwork(b, k.func, words, {neighbours, threads, 1, Value()}).emit(mine);
  Value first = arith::MulIOp::create(b, loc, thread, k.getIndex(neighbours));
  OpFoldResult stored =
      k.arguments.empty()
          ? k.kernel.getDim(k.program.op->getResult(0), k.program.problem.dim)
          : k.rows.length;
  Value end = k.sub(emitIndex(b, loc, stored), start);
  for (auto [i, word] : llvm::enumerate(mine)) {
    Value place = k.elements.addIndex(loc, first, int64_t(i));
    Value inTile = arith::IndexCastUIOp::create(b, loc, b.getIndexType(),
                                                words.getPosition(word));
    Value isThere = k.compare(CmpIPredicate::ult, place, end);
    k.ifTrue(isThere, [&] {
      Value position = k.add(start, inTile), to = k.add(start, place);
      if (k.arguments.empty())
        k.storeResult(row, to, position);
      else
        k.store(position, k.arguments[0], row, to);
    });
  }
  return k.kernel.getStatus();
}

/// How many elements of the run that is [begin, end) come before an element
/// with `key`; of equal ones those of an earlier run.
static Value emitCountBefore(MergeKernel &k, Value row, Value key, Value begin,
                             Value end, Value isEarlier, Value steps) {
  OpBuilder &b = k.b;
  Location loc = k.loc;
  Value last = k.sub(k.length, k.getIndex(1));
  auto bisect = [&](Value, ValueRange bounds) -> SmallVector<Value> {
    Value low = bounds[0], high = bounds[1];
    Value middle =
        arith::ShRUIOp::create(b, loc, k.add(low, high), k.getIndex(1));
    Value position = k.load(k.arguments[0], row, k.min(middle, last));
    Value other = k.emitKey(row, position);
    Value isEqual = k.compare(CmpIPredicate::eq, other, key);
    Value isBefore =
        arith::OrIOp::create(b, loc, k.compare(CmpIPredicate::ult, other, key),
                             arith::AndIOp::create(b, loc, isEqual, isEarlier));
    Value isOpen = k.compare(CmpIPredicate::ult, low, high);
    Value goesUp = arith::AndIOp::create(b, loc, isOpen, isBefore);
    return {k.select(goesUp, k.add(middle, k.getIndex(1)), low),
            k.select(isBefore, high, middle)};
  };
  Value low = k.elements.emitLoop(loc, k.getIndex(0), steps, k.getIndex(1),
                                  {begin, end}, bisect)[0];
  return k.sub(low, begin);
}

/// Runs have 2^shift elements, the last one of a row may have fewer, or none.
static LogicalResult emitMerge(MergeKernel &k) {
  OpBuilder &b = k.b;
  Location loc = k.loc;
  Value from = k.arguments[0], to = k.arguments[1], shift = k.arguments[2];
  auto getStart = [&](Value run) -> Value {
    return arith::ShLIOp::create(b, loc, run, shift);
  };
  k.forOwnPlace(k.rows.length, [&](Value row, Value place, Value isThere) {
    Value run = arith::ShRUIOp::create(b, loc, place, shift);
    Value other = arith::XOrIOp::create(b, loc, run, k.getIndex(1));
    Value begin = k.min(getStart(other), k.length);
    Value end = k.min(getStart(k.add(other, k.getIndex(1))), k.length);
    Value isEarlier = k.compare(CmpIPredicate::ult, other, run);
    Value position = k.load(from, row, place);
    Value key = k.emitKey(row, position);
    Value before = emitCountBefore(k, row, key, begin, end, isEarlier,
                                   k.elements.addIndex(loc, shift, 1));
    Value inRun = k.sub(place, getStart(run));
    Value merged = k.add(getStart(k.min(run, other)), k.add(inRun, before));
    k.ifTrue(isThere, [&] { k.store(position, to, row, merged); });
  });
  return k.kernel.getStatus();
}

static LogicalResult emitFirst(MergeKernel &k) {
  OpFoldResult places =
      k.kernel.getDim(k.program.op->getResult(0), k.program.problem.dim);
  k.forOwnPlace(places, [&](Value row, Value place, Value isThere) {
    k.ifTrue(isThere, [&] {
      k.storeResult(row, place, k.load(k.arguments[0], row, place));
    });
  });
  return k.kernel.getStatus();
}

//===----------------------------------------------------------------------===//
// The launches
//===----------------------------------------------------------------------===//

/// How often rows are merged twice: as long as they have more elements than a
/// run has, which becomes four times as long.
static OpFoldResult emitNumRounds(OpBuilder &host, Location loc,
                                  OpFoldResult length, int64_t columns) {
  constexpr int64_t kMost = int64_t(1) << 61;
  if (std::optional<int64_t> known = getConstantIntValue(length)) {
    int64_t rounds = 0;
    for (int64_t run = columns; run < *known; run *= 4)
      ++rounds;
    return host.getIndexAttr(rounds);
  }
  Value rounds = arith::ConstantIndexOp::create(host, loc, 0);
  for (int64_t run = columns; run < kMost; run *= 4) {
    Value isLonger = emitCompare(host, loc, CmpIPredicate::ugt,
                                 cast<Value>(length), host.getIndexAttr(run));
    Value one =
        arith::IndexCastUIOp::create(host, loc, host.getIndexType(), isLonger);
    rounds = arith::AddIOp::create(host, loc, rounds, one);
  }
  return rounds;
}

/// Both workspaces have the rows; the first one has runs of a tile.
static void launchMerges(SegmentLowering &lowering, FunctionOpInterface merge,
                         const Rows &rows, OpFoldResult blocks,
                         ArrayRef<Value> workspaces, int64_t columns) {
  OpBuilder &host = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  auto launch = [&](unsigned from, Value shift) {
    lowering.launch(merge, {blocks, kMergeThreads},
                    {workspaces[from], workspaces[1 - from], shift});
  };
  auto launchRound = [&](Value round) {
    int64_t first = llvm::Log2_64(columns);
    auto getShift = [&](int64_t more) -> Value {
      Value twice = arith::AddIOp::create(host, loc, round, round);
      return host.createOrFold<arith::AddIOp>(
          loc, twice, arith::ConstantIndexOp::create(host, loc, first + more));
    };
    launch(0, getShift(0));
    launch(1, getShift(1));
  };
  OpFoldResult rounds = emitNumRounds(host, loc, rows.length, columns);
  Value zero = arith::ConstantIndexOp::create(host, loc, 0);
  Value one = arith::ConstantIndexOp::create(host, loc, 1);
  auto loop =
      scf::ForOp::create(host, loc, zero, emitIndex(host, loc, rounds), one);
  OpBuilder::InsertionGuard guard(host);
  host.setInsertionPointToStart(loop.getBody());
  launchRound(loop.getInductionVar());
}

LogicalResult fuser::lowerMergeSort(SegmentLowering &lowering,
                                    OrderProgram &program) {
  Location loc = lowering.getLoc();
  OpBuilder &host = lowering.getHostBuilder();
  int64_t columns = program.getColumns(),
          threads = program.schedule.layout.getThreads(),
          minBlocks = program.schedule.minBlocks;
  if (program.schedule.layout.getExtent(0) != 1)
    return lowering.getSegment().emitOpError(
               "expected tiles of one row, which are merged, in its row_order "
               "schedule, got tiles of ")
           << program.schedule.layout.getExtent(0);
  Rows rows = getRows(host, loc, lowering.getInnerSizes(), program);
  OpFoldResult tiles = emitProduct(
      host, loc, {rows.number, emitCeilDiv(host, loc, rows.length, columns)});
  if (program.isOneTile()) {
    MergeKernel all(lowering, program, {threads, minBlocks});
    lowering.launch(all.func, {tiles, threads});
    return emitTiles(all);
  }
  bool isNarrow = program.problem.maxLength != schedule::kUnknown &&
                  program.problem.maxLength <= schedule::kMaxNarrowLength;
  auto type = MemRefType::get({ShapedType::kDynamic},
                              host.getIntegerType(isNarrow ? 32 : 64));
  SmallVector<Type> ofMerge = {type, type, host.getIndexType()};
  ArrayRef<Type> one = ArrayRef(ofMerge).take_front();
  MergeKernel tile(lowering, program, {threads, minBlocks, "_tiles", one});
  MergeKernel merge(lowering, program, {kMergeThreads, 0, "_merge", ofMerge});
  MergeKernel first(lowering, program, {kMergeThreads, 0, "", one});
  if (failed(emitTiles(tile)) || failed(emitMerge(merge)) ||
      failed(emitFirst(first)))
    return failure();
  OpFoldResult elements = emitProduct(host, loc, {rows.number, rows.length});
  SmallVector<Value> workspaces;
  for (int number : {0, 1})
    workspaces.push_back(host::WorkspaceOp::create(
        host, loc, type, number, emitIndex(host, loc, elements),
        /*zeroed=*/false));
  lowering.launch(tile.func, {tiles, threads}, workspaces[0]);
  launchMerges(lowering, merge.func, rows,
               emitCeilDiv(host, loc, elements, kMergeThreads), workspaces,
               columns);
  OpFoldResult results = emitProduct(
      host, loc, lowering.getSizes(lowering.getSegment()->getResult(0)));
  lowering.launch(
      first.func,
      {emitCeilDiv(host, loc, results, kMergeThreads), kMergeThreads},
      workspaces[0]);
  return success();
}
