//===- RowReductions.cpp - What threads of a row reduce it to -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowReductions.h"
#include "../GpuKernel.h"
#include "fuser/Analysis/TensorLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace fuser;
using fusion::ReductionOpInterface;

/// What can be walked together: a maximum, which takes a shorter way, only with
/// its like.
static SmallVector<SmallVector<ReductionOpInterface>>
groupReductions(const ReductionSpace &space) {
  std::map<std::pair<unsigned, bool>, SmallVector<ReductionOpInterface>> groups;
  for (ReductionOpInterface op : space.reductions)
    groups[{space.depths.lookup(op->getResult(0)), op.isIdempotent()}]
        .push_back(op);
  return llvm::to_vector(llvm::make_second_range(groups));
}

/// Who shares a row.
static RowThreads getThreads(const schedule::TileSchedule &schedule) {
  int64_t columns = schedule.getNumAxes() - 1;
  RowThreads threads;
  for (const TileLayout::Field &field :
       schedule.layout.getThreadFields(columns))
    for (int64_t bit = 0; bit < field.bits; ++bit)
      threads.bits.push_back({field.offset + bit, field.first + bit});
  threads.blocks = schedule.layout.getBlocks();
  threads.rows = schedule.layout.getExtent(columns - 1) /
                 schedule.layout.getVector(columns - 1);
  return threads;
}

RowReductions::RowReductions(SegmentKernel &kernel, const ReductionSpace &space,
                             TileIndex &index,
                             const schedule::TileSchedule &schedule,
                             ReductionWalk &walk)
    : kernel(kernel), space(space), index(index), schedule(schedule),
      walk(walk), b(kernel.builder), loc(kernel.segment.getLoc()),
      sharing(getThreads(schedule)), groups(groupReductions(space)) {}

/// Blocks meet nowhere else in a row unless its results are stored over inputs.
void RowReductions::emitClusterBegin() {
  bool meets = llvm::any_of(space.rowResults, [&](unsigned i) {
    return bool(getReusedInput(kernel.segment->getResult(i)));
  });
  walk.emitClusterBegin(getNumWalks(), getNumWalks() <= 2 && !meets);
}

RowThreads RowReductions::emitThreads() const {
  RowThreads threads = sharing;
  if (threads.rows > 1)
    threads.row = index.emitThreadAlong(schedule.getNumAxes() - 2);
  return threads;
}

Accumulators fuser::emitPrepared(SegmentKernel &kernel, TileIndex &index,
                                 ArrayRef<ReductionOpInterface> reductions,
                                 const Piece &piece) {
  index.enter(piece);
  Accumulators values;
  for (ReductionOpInterface op : reductions) {
    Value element = kernel.getElements().emit(
        kernel.segment.getLoc(), fusion::getTensorOperands(op).front()->get(),
        piece.index, piece.width);
    llvm::append_range(values, kernel.emitPrepare(op, element, piece.index));
  }
  kernel.setReadCondition({});
  return values;
}

/// What each piece holds of the columns, as a tree of neighbours.
HeldByPosition RowReductions::emitVectors(const Group &group,
                                          const Combiner &combiner,
                                          ArrayRef<Piece> pieces) {
  HeldByPosition held;
  for (const Piece &piece : pieces) {
    Accumulators values = combiner.orNeutral(
        index.emitExist(piece), emitPrepared(kernel, index, group, piece));
    held[piece.offsets.back()] = emitLaneTree(combiner, std::move(values));
  }
  return held;
}

/// The type of 16 bits that all elements were converted from, of which no more
/// is wanted than the greatest or least; else null.
static FloatType getNarrowType(ArrayRef<ReductionOpInterface> group) {
  FloatType narrow;
  for (ReductionOpInterface op : group) {
    auto cast = fusion::getTensorOperands(op)
                    .front()
                    ->get()
                    .getDefiningOp<fusion::CastOp>();
    auto type = cast ? dyn_cast<FloatType>(
                           getElementTypeOrSelf(cast->getOperand(0).getType()))
                     : FloatType();
    if (!type || type.getWidth() != 16 || (narrow && narrow != type) ||
        !getElementTypeOrSelf(cast->getResult(0).getType()).isF32() ||
        !op.isIdempotent() || op.needsPosition() || fusion::isInRing(op) ||
        !llvm::all_of(getAccumulatorTypes(op),
                      [](Type type) { return type.isF32(); }))
      return {};
    narrow = type;
  }
  return narrow;
}

static Accumulators emitNarrowed(OpBuilder &b, Location loc,
                                 const Accumulators &values, Type narrow) {
  return llvm::map_to_vector(values, [&](Value value) -> Value {
    auto vector = dyn_cast<VectorType>(value.getType());
    Type type =
        vector ? Type(VectorType::get(vector.getShape(), narrow)) : narrow;
    return arith::TruncFOp::create(b, loc, type, value);
  });
}

/// Of maxima of what is made of 16 bits: they are no wider, and two at a time
/// take one instruction, which has no conversion before it.
HeldByPosition RowReductions::emitNarrow(const Group &group, Combiner combiner,
                                         ArrayRef<Piece> pieces) {
  Type wide = combiner.neutral.front().getType(), narrow = getNarrowType(group);
  combiner.neutral = emitNarrowed(b, loc, combiner.neutral, narrow);
  // Vectors of one width, which cut pieces do not have, together.
  std::map<int64_t, Accumulators> vectors;
  for (const Piece &piece : pieces) {
    Accumulators values =
        emitNarrowed(b, loc, emitPrepared(kernel, index, group, piece), narrow);
    Accumulators &all = vectors[piece.width];
    all = combiner.join(
        all, combiner.orNeutral(index.emitExist(piece), std::move(values)));
  }
  Accumulators all;
  for (auto &[width, values] : vectors)
    all = combiner.join(all, emitLaneTree(combiner, values));
  for (Value &value : all)
    value = arith::ExtFOp::create(b, loc, wide, value);
  return {{0, std::move(all)}};
}

HeldByPosition RowReductions::emitHeld(const Group &group,
                                       const Combiner &combiner,
                                       ArrayRef<Piece> pieces) {
  bool isNarrow = !pieces.empty() && getNarrowType(group);
  return isNarrow ? emitNarrow(group, combiner, pieces)
                  : emitVectors(group, combiner, pieces);
}

Accumulators RowReductions::emitGroup(const Group &group,
                                      ArrayRef<Piece> pieces,
                                      const RowThreads &threads) {
  Combiner combiner = makeCombiner(kernel, group);
  Accumulators sums =
      walk.emit(combiner, threads, emitHeld(group, combiner, pieces));
  bindGroup(group, sums);
  return sums;
}

void RowReductions::bindGroup(const Group &group, ArrayRef<Value> sums) {
  Value count = emitIndex(b, loc, index.getSpace().axes.back().extent);
  size_t first = 0;
  for (ReductionOpInterface op : group) {
    size_t size = getAccumulatorTypes(op).size();
    Value result = kernel.getElements().emitReductionResult(
        loc, op, sums.slice(first, size), count);
    first += size;
    kernel.getElements().bind(
        op->getResult(0),
        [result](OpBuilder &b, Location loc, ValueRange, int64_t width) {
          return emitRepeated(b, loc, result, width);
        });
  }
}

void RowReductions::emit(ArrayRef<Piece> pieces, bool keeps) {
  RowThreads threads = emitThreads();
  for (const Group &group : groups) {
    std::optional<ElementEmitter::Scope> scope;
    if (!keeps)
      scope.emplace(kernel.getElements());
    emitGroup(group, pieces, threads);
  }
}

//===----------------------------------------------------------------------===//
// In parts
//===----------------------------------------------------------------------===//

static SmallVector<Type> getTypes(ArrayRef<ReductionOpInterface> group) {
  SmallVector<Type> types;
  for (ReductionOpInterface op : group)
    llvm::append_range(types, getAccumulatorTypes(op));
  return types;
}

SmallVector<Type> RowReductions::getTypes() const {
  SmallVector<Type> types;
  for (const Group &group : groups)
    llvm::append_range(types, ::getTypes(group));
  return types;
}

/// Without an exchange nothing is left to receive.
size_t RowReductions::getNumSent() const {
  size_t all = getTypes().size();
  return hasExchange() ? all - ::getTypes(groups.back()).size() : all;
}

SmallVector<Value> RowReductions::emitSend(ArrayRef<Piece> pieces) {
  RowThreads threads = emitThreads();
  SmallVector<Value> values;
  for (const Group &group : ArrayRef(groups).drop_back()) {
    ElementEmitter::Scope scope(kernel.getElements());
    llvm::append_range(values, emitGroup(group, pieces, threads));
  }
  ElementEmitter::Scope scope(kernel.getElements());
  Combiner combiner = makeCombiner(kernel, groups.back());
  sent = walk.emitSend(combiner, threads,
                       emitHeld(groups.back(), combiner, pieces));
  if (!hasExchange())
    llvm::append_range(values,
                       walk.emitReceive(combiner, threads, std::move(sent)));
  return values;
}

SmallVector<Value> RowReductions::emitReceive(ValueRange values) {
  SmallVector<Value> all(values);
  if (hasExchange())
    llvm::append_range(all,
                       walk.emitReceive(makeCombiner(kernel, groups.back()),
                                        emitThreads(), std::move(sent)));
  return all;
}

void RowReductions::emitBind(ValueRange accumulators) {
  for (const Group &group : groups) {
    size_t size = ::getTypes(group).size();
    bindGroup(group, llvm::to_vector(accumulators.take_front(size)));
    accumulators = accumulators.drop_front(size);
  }
}
