//===- RowSteps.cpp - From row to row -------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSteps.h"
#include "../GpuKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace fuser;
using arith::CmpIPredicate;

RowSteps::RowSteps(SegmentKernel &kernel, const OuterProgram &program,
                   RowChains chains, TileIndex &index, ReductionWalk &walk,
                   ReadAhead &ahead)
    : kernel(kernel), program(program), index(index), walk(walk), ahead(ahead),
      b(kernel.builder), loc(kernel.segment.getLoc()),
      elements(kernel.getElements()),
      reductions(kernel, *program.inner, index, program.schedule, walk),
      chains(std::move(chains)) {}

//===----------------------------------------------------------------------===//
// A row
//===----------------------------------------------------------------------===//

/// The rows of the first `ahead` steps. Loops carry so many.
RowSteps::Rows RowSteps::emitFirstRows(int64_t ahead) {
  Rows rows;
  for (int64_t step = 0; step < ahead; ++step)
    rows.push_back(chains.emitRow(getConstant(step)));
  return rows;
}

/// Starts the copies of a step to shared memory, if there is such a step.
void RowSteps::emitCopies(Value step, Value row) {
  if (ahead.hasCopies())
    ahead.emitCopies(movePieces(row), step,
                     arith::CmpIOp::create(b, loc, CmpIPredicate::ult, step,
                                           chains.getNumSteps()));
}

/// The values of `then`, or zeros if the condition does not hold.
SmallVector<Value> RowSteps::emitEither(ArrayRef<Type> types, Value condition,
                                        ElementEmitter::BlockFn then) {
  return elements.emitEither(loc, types, condition, then, [&] {
    return llvm::map_to_vector(types, [&](Type type) -> Value {
      return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    });
  });
}

/// The reads of the first row; zeros if there is no row.
SmallVector<Value> RowSteps::emitFirstReads(Value row) {
  SmallVector<Piece> first = movePieces(row);
  return emitEither(ahead.getStepTypes(first),
                    emitCompare(b, loc, CmpIPredicate::ne, chains.getNumSteps(),
                                b.getIndexAttr(0)),
                    [&] { return ahead.emitStep(first); });
}

/// Stores the results that have one element a row, by the row's first thread.
void RowSteps::emitResults(const Piece &piece) {
  ArrayRef<unsigned> results = program.inner->rowResults;
  if (results.empty())
    return;
  emitBarrierBeforeReuse(b, kernel.segment, results,
                         program.schedule.layout.getBlocks() > 1);
  Value stores =
      emitCompare(b, loc, CmpIPredicate::eq, index.emitThreadAlong(kColumns),
                  b.getIndexAttr(0));
  emitIf(b, loc, emitAnd(b, loc, stores, piece.valid[kRows]), [&] {
    ElementEmitter::Scope scope(elements);
    kernel.emitAndStore(loc, results, /*width=*/1, [&](unsigned i) {
      auto type =
          cast<RankedTensorType>(kernel.segment->getResult(i).getType());
      SmallVector<Value> place;
      for (int64_t dim : program.reducedDims)
        place.push_back(piece.index[dim]);
      place.resize(type.getRank(), getConstant(0));
      return place;
    });
  });
}

void RowSteps::emitFinish(ArrayRef<Piece> current, HeldColumns &held) {
  for (const Piece &piece : current)
    finish(piece, held);
  emitResults(current.front());
}

//===----------------------------------------------------------------------===//
// One row after the other
//===----------------------------------------------------------------------===//

/// What is in shared memory is read again behind a reduction.
void RowSteps::emitInTurn(HeldColumns &held) {
  int64_t others = program.schedule.stages - 1; // Rows that are under way.
  Rows first = emitFirstRows(std::max<int64_t>(others, 1));
  for (int64_t step = 0; step < others; ++step)
    emitCopies(getConstant(step), first[step]);
  SmallVector<Value> init = flatten(held);
  llvm::append_range(init, first);
  llvm::append_range(init, emitFirstReads(first.front()));
  walk.emitRoundsBegin();
  auto body = [&](Value step, ValueRange carried) {
    ValueRange read = unflatten(carried, held);
    Rows rows = llvm::to_vector(read.take_front(first.size()));
    read = read.drop_front(first.size());
    rows.push_back(chains.emitRow(elements.addIndex(loc, step, first.size())));
    if (others >= 0)
      emitCopies(elements.addIndex(loc, step, others), rows[others]);
    SmallVector<Value> next = ahead.emitStep(movePieces(rows[1]));
    SmallVector<Piece> current = movePieces(rows[0]);
    ahead.emitWait(others);
    ahead.setStep(current, read, step);
    walk.beginRound(step, reductions.getNumWalks());
    reductions.emit(current, /*keeps=*/!ahead.hasCopies());
    emitFinish(current, held);
    walk.endRound();
    chains.emitEndOfStep(step, *combiner, held);
    SmallVector<Value> values = flatten(held);
    llvm::append_range(values, ArrayRef(rows).drop_front());
    llvm::append_range(values, next);
    return values;
  };
  unflatten(elements.emitLoop(loc, getConstant(0), chains.getNumSteps(),
                              getConstant(1), init, body),
            held);
}

//===----------------------------------------------------------------------===//
// A row is finished while the next one is reduced
//===----------------------------------------------------------------------===//

/// Step by step the next row is reduced, but for what others send of it, then
/// the row before it is finished: so there is a step more than there are rows.
void RowSteps::emitOverlapped(HeldColumns &held) {
  Value steps = chains.getNumSteps(), one = getConstant(1);
  int64_t others = program.schedule.stages - 2; // Rows that are under way.
  Rows first = emitFirstRows(others);
  for (int64_t step = 0; step < others; ++step)
    emitCopies(getConstant(step), first[step]);
  SmallVector<Type> types = reductions.getTypes();
  SmallVector<Value> firstReads = emitFirstReads(first.front());
  // No row comes before the first one: its place is taken by the first row.
  first.insert(first.begin(), first.front());
  SmallVector<Value> init = flatten(held);
  llvm::append_range(init, first);
  llvm::append_range(init, firstReads);
  llvm::append_range(init, firstReads);
  for (Type type : types)
    init.push_back(arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
  Value end = arith::SelectOp::create(
      b, loc, emitCompare(b, loc, CmpIPredicate::eq, steps, b.getIndexAttr(0)),
      steps, arith::AddIOp::create(b, loc, steps, one));
  walk.emitRoundsBegin();
  auto body = [&](Value step, ValueRange carried) {
    ValueRange rest = unflatten(carried, held);
    auto take = [&](size_t count) {
      ValueRange values = rest.take_front(count);
      rest = rest.drop_front(count);
      return values;
    };
    Rows rows = llvm::to_vector(take(first.size()));
    ValueRange readBefore = take(firstReads.size()),
               read = take(firstReads.size()), reduced = rest;
    Value later = elements.addIndex(loc, step, others);
    rows.push_back(chains.emitRow(later));
    emitCopies(later, rows.back());
    SmallVector<Value> next = ahead.emitStep(movePieces(rows[2]));
    walk.beginRound(step, reductions.getNumWalks());
    Value isThere =
        arith::CmpIOp::create(b, loc, CmpIPredicate::ult, step, steps);
    SmallVector<Value> sent = emitEither(
        ArrayRef(types).take_front(reductions.getNumSent()), isThere, [&] {
          SmallVector<Piece> current = movePieces(rows[1]);
          ahead.emitWait(others);
          ahead.setStep(current, read, step);
          return reductions.emitSend(current);
        });
    emitFinishBefore(step, rows[0], readBefore, reduced, held);
    SmallVector<Value> values = flatten(held);
    llvm::append_range(values, ArrayRef(rows).drop_front());
    llvm::append_range(values, read);
    llvm::append_range(values, next);
    llvm::append_range(values, emitEither(types, isThere, [&] {
                         return reductions.emitReceive(sent);
                       }));
    walk.endRound();
    return values;
  };
  unflatten(elements.emitLoop(loc, getConstant(0), end, one, init, body), held);
}

/// Finishes the row before a step, whose reductions are known. Step 0 has none.
void RowSteps::emitFinishBefore(Value step, Value row, ValueRange read,
                                ValueRange reduced, HeldColumns &held) {
  SmallVector<Value> before = flatten(held);
  Value hasBefore =
      emitCompare(b, loc, CmpIPredicate::ne, step, b.getIndexAttr(0));
  SmallVector<Value> after = elements.emitEither(
      loc, TypeRange(ValueRange(before)), hasBefore,
      [&] {
        Value own = arith::SubIOp::create(b, loc, step, getConstant(1));
        SmallVector<Piece> current = movePieces(row);
        ahead.setStep(current, read, own);
        reductions.emitBind(reduced);
        emitFinish(current, held);
        chains.emitEndOfStep(own, *combiner, held);
        return flatten(held);
      },
      [&] { return before; });
  unflatten(after, held);
}

//===----------------------------------------------------------------------===//
// All rows
//===----------------------------------------------------------------------===//

void RowSteps::emit(ArrayRef<Piece> firstPieces, const Combiner &columns,
                    HeldColumns &held, FinishFn finishPiece) {
  pieces = firstPieces;
  combiner = &columns;
  finish = finishPiece;
  bool isShared = program.schedule.layout.getBlocks() > 1;
  if (isShared)
    reductions.emitClusterBegin();
  ahead.emitFixed(pieces);
  // Lanes of one warp need no barrier to reduce a row.
  if (llvm::any_of(program.schedule.layout.getRuns(), [](const LayoutRun &run) {
        return run.axis == kColumns &&
               (run.place == Place::Warp || run.place == Place::Block);
      }))
    ahead.keepOrder(pieces);
  chains.createMemory(ahead.getSharedBytes(), held);
  if (program.overlapsRows())
    emitOverlapped(held);
  else
    emitInTurn(held);
  ahead.emitWait(/*later=*/0);
  if (isShared)
    walk.emitClusterWait();
  // What follows may use the same shared memory.
  gpu::BarrierOp::create(b, loc);
}

void RowSteps::emitEmpty(ArrayRef<Piece> firstPieces) {
  pieces = firstPieces;
  reductions.emit({});
  elements.emitLoop(loc, getConstant(0), chains.getNumSteps(), getConstant(1),
                    {}, [&](Value step, ValueRange) {
                      emitResults(movePieces(chains.emitRow(step)).front());
                      return SmallVector<Value>();
                    });
}
