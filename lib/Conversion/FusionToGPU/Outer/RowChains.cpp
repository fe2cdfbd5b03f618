//===- RowChains.cpp - The rows that a block goes through -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowChains.h"
#include "../GpuKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;
using arith::CmpIPredicate;

SmallVector<Value> fuser::flatten(const HeldColumns &held) {
  SmallVector<Value> values;
  for (const auto &entry : held)
    llvm::append_range(values, entry.second);
  return values;
}

ValueRange fuser::unflatten(ValueRange values, HeldColumns &held) {
  for (auto &entry : held)
    for (Value &value : entry.second) {
      value = values.front();
      values = values.drop_front();
    }
  return values;
}

Accumulators fuser::emitNeutral(const Combiner &combiner, OpBuilder &b,
                                int64_t width) {
  Accumulators values;
  for (Value none : combiner.neutral)
    values.push_back(emitRepeated(b, combiner.loc, none, width));
  return values;
}

RowChains::RowChains(SegmentKernel &kernel, const OuterProgram &program,
                     const OuterSizes &sizes, Value firstRow)
    : program(program), b(kernel.builder), loc(kernel.segment.getLoc()),
      elements(kernel.getElements()),
      numChains(program.schedule.layout.getVector(kRows)),
      rowsAreNarrow(isNarrow(sizes.rows)), firstRow(firstRow),
      slabStep(sizes.emitSlabStep(b, loc)),
      stepsOfChain(emitStepsOfChain(sizes)), numSteps(stepsOfChain) {
  if (numChains > 1)
    numSteps = arith::MulIOp::create(b, loc, stepsOfChain,
                                     elements.getIndex(loc, numChains));
}

/// The steps that have a row: a part's last slab may have fewer rows, or none
/// of the block's chains.
Value RowChains::emitStepsOfChain(const OuterSizes &sizes) {
  Value rows = emitIndex(b, loc, sizes.rows);
  Value perSlab = elements.getIndex(loc, kChainRows);
  Value zero = elements.getIndex(loc, 0);
  // Of the rows from the first one on: whole distances between slabs, and what
  // is left in the last one.
  Value hasAny = emitCompare(b, loc, CmpIPredicate::ult, firstRow, sizes.rows);
  Value left = arith::SelectOp::create(
      b, loc, hasAny, arith::SubIOp::create(b, loc, rows, firstRow), zero);
  Value whole = arith::DivUIOp::create(b, loc, left, slabStep);
  Value inLast = arith::RemUIOp::create(b, loc, left, slabStep);
  Value steps = arith::MinUIOp::create(
      b, loc,
      arith::CeilDivUIOp::create(b, loc, inLast,
                                 elements.getIndex(loc, kChains)),
      perSlab);
  return arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, whole, perSlab), steps);
}

/// A GPU computes with 64 bits in two instructions and more, and does this once
/// a row. A chain has few steps, for more rows are more chains.
Value RowChains::emitNarrow(Value value) {
  return arith::IndexCastUIOp::create(b, loc, b.getI32Type(), value);
}

/// The chain that a step belongs to, and its number in there, as integers of 32
/// bits. There are few: to compare takes less than to divide.
std::pair<Value, Value> RowChains::emitChainOf(Value step) {
  Value steps = emitNarrow(stepsOfChain), end = steps;
  Value chain = arith::ConstantIntOp::create(b, loc, 0, 32);
  for (int64_t i = 1; i < numChains; ++i) {
    Value isBehind =
        arith::CmpIOp::create(b, loc, CmpIPredicate::uge, step, end);
    chain = arith::AddIOp::create(
        b, loc, chain,
        arith::ExtUIOp::create(b, loc, b.getI32Type(), isBehind));
    end = arith::AddIOp::create(b, loc, end, steps);
  }
  Value at = arith::SubIOp::create(b, loc, step,
                                   arith::MulIOp::create(b, loc, chain, steps));
  return {chain, at};
}

/// From step to step it is 16 rows further, or in the part's next slab.
Value RowChains::emitRow(Value step) {
  Value last =
      arith::SubIOp::create(b, loc, numSteps, elements.getIndex(loc, 1));
  step = arith::MinUIOp::create(b, loc, emitNarrow(step), emitNarrow(last));
  auto [chain, at] = emitChainOf(step);
  Type type = rowsAreNarrow ? Type(b.getI32Type()) : b.getIndexType();
  auto get = [&](Value value) -> Value {
    if (value.getType() == type)
      return value;
    return arith::IndexCastUIOp::create(b, loc, type, value);
  };
  auto getConstant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  };
  Value perSlab = getConstant(kChainRows);
  Value slab = arith::MulIOp::create(
      b, loc, get(arith::DivUIOp::create(b, loc, at, perSlab)), get(slabStep));
  Value inSlab =
      arith::MulIOp::create(b, loc, arith::RemUIOp::create(b, loc, at, perSlab),
                            getConstant(kChains));
  Value first = arith::AddIOp::create(b, loc, get(firstRow), get(chain));
  Value row = arith::AddIOp::create(
      b, loc, first, arith::AddIOp::create(b, loc, slab, get(inSlab)));
  return rowsAreNarrow
             ? arith::IndexCastUIOp::create(b, loc, b.getIndexType(), row)
             : row;
}

//===----------------------------------------------------------------------===//
// Sums that wait
//===----------------------------------------------------------------------===//

void RowChains::createMemory(int64_t firstByte, const HeldColumns &held) {
  if (numChains == 1)
    return;
  constexpr int64_t kAlignment = 16;
  for (const auto &entry : held)
    elementsPerThread += getWidth(entry.second.front());
  int64_t size = elementsPerThread * program.schedule.layout.getThreads() *
                 llvm::Log2_64(numChains);
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto getType = [&](int64_t size, Type element) {
    return MemRefType::get({size}, element, MemRefLayoutAttrInterface(), space);
  };
  Value all = gpu::DynamicSharedMemoryOp::create(
      b, loc, getType(ShapedType::kDynamic, b.getI8Type()));
  thread = emitThread(b, loc);
  int64_t at = llvm::alignTo(firstByte, kAlignment);
  for (Type type : program.partials.getSlots()) {
    Value view = memref::ViewOp::create(
        b, loc, getType(size, getStorageType(type)), all,
        arith::ConstantIndexOp::create(b, loc, at), ValueRange());
    memory.emplace_back(view, type, kAlignment);
    at = llvm::alignTo(at + size * getStorageBytes(type), kAlignment);
  }
  sharedBytes = at - firstByte;
}

/// The place of a waiting sum. The accesses of all threads lie side by side.
Value RowChains::emitPlace(int64_t level, int64_t element, int64_t width) {
  int64_t first = (level * elementsPerThread + element) *
                  program.schedule.layout.getThreads();
  return elements.addIndex(
      loc, arith::MulIOp::create(b, loc, thread, elements.getIndex(loc, width)),
      first);
}

/// Adds a finished chain at this level of the tree; `held` are its sums and
/// those of the chains before it below the level. Returns what is held then.
SmallVector<Value> RowChains::emitJoined(int64_t level, Value chain,
                                         const Combiner &combiner,
                                         const HeldColumns &held) {
  SmallVector<Value> values = flatten(held);
  if (int64_t(1) << level == numChains)
    return values;
  Value digit = arith::AndIOp::create(
      b, loc,
      arith::ShRUIOp::create(b, loc, chain, elements.getIndex(loc, level)),
      elements.getIndex(loc, 1));
  Value isSecond =
      emitCompare(b, loc, CmpIPredicate::ne, digit, b.getIndexAttr(0));
  // Both branches below do `body` for each piece.
  auto forPieces =
      [&](function_ref<Accumulators(const Accumulators &, Value, int64_t)>
              body) {
        HeldColumns next = held;
        int64_t element = 0;
        for (auto &entry : next) {
          int64_t width = getWidth(entry.second.front());
          entry.second =
              body(entry.second, emitPlace(level, element, width), width);
          element += width;
        }
        return next;
      };
  return elements.emitEither(
      loc, TypeRange(ValueRange(values)), isSecond,
      [&] {
        HeldColumns sums =
            forPieces([&](const Accumulators &own, Value place, int64_t width) {
              return combiner.combine(
                  program.partials.load(b, loc, memory, place, width), own);
            });
        return emitJoined(level + 1, chain, combiner, sums);
      },
      [&] {
        return flatten(
            forPieces([&](const Accumulators &own, Value place, int64_t width) {
              program.partials.store(b, loc, memory, own, place);
              return emitNeutral(combiner, b, width);
            }));
      });
}

void RowChains::emitEndOfStep(Value step, const Combiner &combiner,
                              HeldColumns &held) {
  if (numChains == 1)
    return;
  auto [number, at] = emitChainOf(emitNarrow(step));
  Value chain = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), number);
  Value isLast = arith::CmpIOp::create(
      b, loc, CmpIPredicate::eq,
      arith::AddIOp::create(b, loc, at,
                            arith::ConstantIntOp::create(b, loc, 1, 32)),
      emitNarrow(stepsOfChain));
  SmallVector<Value> values = flatten(held);
  unflatten(elements.emitEither(
                loc, TypeRange(ValueRange(values)), isLast,
                [&] { return emitJoined(/*level=*/0, chain, combiner, held); },
                [&] { return values; }),
            held);
}
