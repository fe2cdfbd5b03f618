//===- RowOrderKernel.cpp - Rows in order ---------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of rows of the last dimension that are a tile a thread block sorts one or
// several (SortNetwork.h). Other rows are sorted in tiles, or digit by digit
// (SortedRows.h).
//
//===----------------------------------------------------------------------===//

#include "../GpuKernel.h"
#include "../TileIndex.h"
#include "SortNetwork.h"
#include "SortedRows.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Schedule/GroupFit.h"
#include "fuser/Schedule/OrderHeuristic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace fuser;
using arith::CmpIPredicate;
using fusion::SegmentOp;
using schedule::TileSchedule;

static constexpr int64_t kColumns = 1;

namespace {
struct OrderProgram {
  TileSchedule schedule;
  fusion::OrderOpInterface op;
  schedule::OrderProblem problem;
  /// What is sorted, in order.
  SmallVector<fusion::TakeAlongAxisOp> taken;
  SmallVector<SizeFacts> facts;

  Value getInput() { return fusion::getTensorOperands(op).front()->get(); }
  Type getElementType() { return getElementTypeOrSelf(getInput().getType()); }
  int64_t getColumns() const { return schedule.getExtent(kColumns); }
};

class OrderEmitter {
public:
  OrderEmitter(SegmentKernel &kernel, OrderProgram &program,
               gpu::GPUFuncOp func, ValueRange inverses);

  LogicalResult run();

private:
  using Words = SmallVector<SortWords::Word>;

  Words emitRead(Value start);
  void emitResults(const Words &words);
  Value getIndex(int64_t value) {
    return kernel.getElements().getIndex(loc, value);
  }

  SegmentKernel &kernel;
  OrderProgram &program;
  const TileSchedule &schedule;
  OpBuilder &b;
  Location loc;
  TileIndex index;
  SortWords words;
  SortNetwork network;
};
} // namespace

/// From now on elements of the sort are this one, wherever they are asked for.
static void bindPosition(SegmentKernel &kernel, OrderProgram &program,
                         Value position) {
  kernel.getElements().bind(program.op->getResult(0),
                            [position](OpBuilder &, Location, ValueRange,
                                       int64_t) { return position; });
}

static TileSpace emitSpace(OpBuilder &b, Location loc, SegmentSizes &sizes,
                           OrderProgram &program) {
  TileSpace space =
      emitTileSpace(b, loc, sizes.getDims(program.getInput()), program.schedule,
                    /*cutsRows=*/false, program.facts);
  // Any row may end within the vectors of a thread.
  space.mostCut = program.schedule.getVector();
  return space;
}

static TileSpace emitSpace(SegmentKernel &kernel, OrderProgram &program,
                           ValueRange inverses) {
  TileSpace space = emitSpace(kernel.builder, kernel.segment.getLoc(),
                              kernel.getSizes(), program);
  space.setInverses(inverses);
  return space;
}

OrderEmitter::OrderEmitter(SegmentKernel &kernel, OrderProgram &program,
                           gpu::GPUFuncOp func, ValueRange inverses)
    : kernel(kernel), program(program), schedule(program.schedule),
      b(kernel.builder), loc(kernel.segment.getLoc()),
      index(kernel, emitSpace(kernel, program, inverses), schedule),
      words(b, loc, program.getElementType().getIntOrFloatBitWidth(),
            llvm::Log2_64(uint64_t(program.getColumns()))),
      network(b, func, words,
              {schedule.getVector(),
               schedule.layout.getExtent(kColumns) / schedule.getVector(),
               schedule.layout.getExtent(0), index.emitThreadAlong(0)}) {}

/// The thread's words of the elements from `start` on. What is beyond the end
/// of the row comes last.
OrderEmitter::Words OrderEmitter::emitRead(Value start) {
  index.setStart(kColumns, start);
  Words read;
  for (const Piece &piece :
       index.emitPieces(schedule.layout, /*isWhole=*/false)) {
    index.enter(piece);
    Value elements = kernel.getElements().emit(loc, program.getInput(),
                                               piece.index, piece.width);
    Value exist = index.emitExist(piece);
    for (int64_t i = 0; i < piece.width; ++i) {
      Value element = emitPiece(b, loc, elements, i, 1);
      Value key = kernel.withContext(loc, [&](fusion::EmitContext &ctx) {
        return program.op.emitSortKey(ctx, element, program.getElementType());
      });
      Value position =
          kernel.getElements().addIndex(loc, piece.place.back(), i);
      SortWords::Word word = words.make(key, position);
      Value exists = exist;
      if (exists && isa<VectorType>(exists.getType()))
        exists = emitPiece(b, loc, exists, i, 1);
      read.push_back(
          exists ? words.select(exists, word, words.makeLast(position)) : word);
    }
  }
  kernel.setReadCondition({});
  // No thread has them: all elements of the tile are known to be none.
  while (int64_t(read.size()) < schedule.getVector())
    read.push_back(words.makeLast(kernel.getElements().addIndex(
        loc, start, schedule.getExtent(kColumns) + int64_t(read.size()))));
  return read;
}

/// What is made of the positions; those beyond the last element become -1.
void OrderEmitter::emitResults(const Words &sorted) {
  Value result = program.op->getResult(0);
  int64_t vector = schedule.getVector();
  Type i64 = b.getI64Type();
  index.setStart(kColumns, getIndex(0));
  index.emitPieces(schedule.layout, /*isWhole=*/false);
  const TilePoint &row = index.emitRow();
  Value length = arith::IndexCastOp::create(b, loc, i64, index.emitRowEnd());
  Value none = arith::ConstantIntOp::create(b, loc, -1, 64);
  SmallVector<Value> positions;
  for (const SortWords::Word &word : sorted) {
    Value position = words.getPosition(word);
    Value exists =
        arith::CmpIOp::create(b, loc, CmpIPredicate::ult, position, length);
    positions.push_back(
        arith::SelectOp::create(b, loc, exists, position, none));
  }
  SmallVector<Value> at(row.index);
  at.push_back(arith::MulIOp::create(b, loc, index.emitThreadAlong(kColumns),
                                     getIndex(vector)));
  OpFoldResult end = kernel.getDim(result, program.problem.dim);
  Value stores = emitCompare(b, loc, CmpIPredicate::ult, at.back(), end);
  VectorEnd vectorEnd;
  if (getConstantIntValue(end).value_or(1) % vector != 0)
    vectorEnd.count =
        arith::SubIOp::create(b, loc, emitIndex(b, loc, end), at.back());
  if (vector == 1)
    vectorEnd = VectorEnd();
  emitIf(b, loc, emitAnd(b, loc, row.valid, stores), [&] {
    ElementEmitter::Scope scope(kernel.getElements());
    Value last =
        arith::SubIOp::create(b, loc, emitIndex(b, loc, end), getIndex(1));
    SmallVector<SmallVector<Value>> results(kernel.segment->getNumResults());
    for (auto [number, position] : llvm::enumerate(positions)) {
      bindPosition(kernel, program, position);
      SmallVector<Value> own(at);
      own.back() = kernel.getElements().addIndex(loc, at.back(), number);
      if (number > 0 && vectorEnd.count)
        own.back() = arith::MinUIOp::create(b, loc, own.back(), last);
      for (auto [result, elements] : llvm::enumerate(results))
        elements.push_back(kernel.emitResult(loc, result, own, /*width=*/1));
    }
    for (auto [result, elements] : llvm::enumerate(results))
      kernel.storeResult(loc, result, emitConcat(b, loc, elements), at,
                         kLastDim, vectorEnd);
  });
}

/// Of rows without elements nothing is read.
LogicalResult OrderEmitter::run() {
  kernel.getElements().emitEither(
      loc, index.emitHasColumns(),
      [&] {
        Words sorted = emitRead(getIndex(0));
        network.emit(sorted);
        emitResults(sorted);
      },
      [&] {
        SortWords::Word none = words.makeLast(getIndex(0));
        emitResults(Words(schedule.getVector(), none));
      });
  return kernel.getStatus();
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

static FailureOr<OrderProgram> makeProgram(const schedule::Segment &segment,
                                           const TileSchedule &schedule) {
  SegmentOp op = segment.op;
  OrderProgram program;
  program.schedule = schedule;
  Decision verdict = schedule::fitsRowOrder(segment.group, {});
  if (verdict)
    verdict = isMadeOfSameElement(segment, [](Operation *op) {
      return isa<fusion::OrderOpInterface>(op);
    });
  if (!verdict)
    return op.emitOpError()
           << "does not fit a row_order schedule: " << verdict.getReason();
  program.problem = schedule::getOrderProblem(segment.group);
  if (failed(verifySortedAxes(op, schedule, program.problem)))
    return failure();
  program.op = *op.getBody().getOps<fusion::OrderOpInterface>().begin();
  program.facts = segment.symbols.getFacts(program.getInput());
  for (auto take : op.getBody().getOps<fusion::TakeAlongAxisOp>())
    if (take.getInput() == program.getInput() &&
        take.getIndices() == program.op->getResult(0) &&
        int64_t(take.getDim()) == program.problem.dim)
      program.taken.push_back(take);
  return program;
}

/// Stores what is made of a position, and of the element that is there where it
/// is at hand.
static void storeResults(RowKernel &k, OrderProgram &program,
                         SmallVector<Value> at, Value position, Value element) {
  bindPosition(
      k.kernel, program,
      arith::IndexCastUIOp::create(k.b, k.loc, k.b.getI64Type(), position));
  if (element)
    for (fusion::TakeAlongAxisOp take : program.taken)
      k.elements.bind(take.getResult(),
                      [element](OpBuilder &, Location, ValueRange, int64_t) {
                        return element;
                      });
  auto results = llvm::to_vector(
      llvm::seq<unsigned>(0, k.kernel.segment->getNumResults()));
  k.kernel.emitAndStore(k.loc, results, /*width=*/1,
                        [&](unsigned) { return at; });
}

/// By a block a tile.
static LogicalResult lowerTiles(SegmentLowering &lowering,
                                OrderProgram &program) {
  Value result = program.op->getResult(0);
  int64_t dim = program.problem.dim;
  SortedRows sorted{program.getInput(), program.problem,
                    program.getElementType().getIntOrFloatBitWidth(),
                    [&](fusion::EmitContext &ctx, Value element, Type type) {
                      return program.op.emitSortKey(ctx, element, type);
                    },
                    program.schedule};
  sorted.keepsElements =
      !program.taken.empty() &&
      8 * getStorageBytes(program.getElementType()) == sorted.keyBits;
  PlaceStore store{
      [&](RowKernel &k) { return k.kernel.getDim(result, dim); },
      [&](RowKernel &k, Value row, Value place, Value position, Value element) {
        storeResults(k, program, k.getIndexOf(row, place), position, element);
      }};
  if (sorted.isByDigits())
    return emitRadixSort(lowering, sorted, store);
  if (schedule::isSortedInRounds(program.problem, sorted.getTile()))
    return emitRoundSort(lowering, sorted, program.problem.resultLength, store);
  Value positions = emitMergeSort(lowering, sorted);
  if (!positions)
    return failure();
  Type type = positions.getType();
  RowKernel k(lowering, sorted, {kElementThreads, 0, "", type});
  forOwnElement(
      k, {k.rows.number, store.count(k)}, [&](auto at, Value isThere) {
        k.ifTrue(isThere, [&] {
          store.store(k, at[0], at[1], k.load(k.workspaces[0], at[0], at[1]),
                      /*element=*/Value());
        });
      });
  launchElements(lowering, k.func, emitMostElements(lowering), positions);
  return k.kernel.getStatus();
}

LogicalResult fuser::lowerRowOrder(SegmentLowering &lowering,
                                   const TileSchedule &schedule) {
  SegmentOp segment = lowering.getSegment();
  FailureOr<OrderProgram> program =
      makeProgram(describeSegment(segment, lowering.getSymbols()), schedule);
  if (failed(program))
    return failure();
  if (isSortedByDigits(schedule.layout) ||
      !schedule::isSortedByOneBlock(program->problem, program->getColumns()))
    return lowerTiles(lowering, *program);
  OpBuilder b(segment.getContext()), &host = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  TileSpace space = emitSpace(host, loc, lowering.getInnerSizes(), *program);
  int64_t threads = schedule.layout.getThreads();
  SmallVector<Type> types = space.getInverseTypes(host);
  gpu::GPUFuncOp func =
      createGpuKernel(b, lowering, {threads, schedule.minBlocks, "", types});
  SegmentKernel kernel(b, segment, func.getArguments(), &lowering.getSymbols());
  OrderEmitter emitter(kernel, *program, func,
                       func.getArguments().take_back(types.size()));
  if (failed(emitter.run()))
    return failure();
  lowering.launch(func, {space.emitNumBlocks(host, loc), threads},
                  space.emitInverses(host, loc));
  return success();
}
