//===- ReductionLoops.cpp - One thread's part of a reduction --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionLoops.h"
#include "GpuKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace fuser;

//===----------------------------------------------------------------------===//
// Chains and sections
//===----------------------------------------------------------------------===//

Accumulators fuser::emitChain(ElementEmitter &elements,
                              const Combiner &combiner, Value begin, Value end,
                              int64_t step, const ReductionPartFn &part) {
  OpBuilder &b = combiner.b;
  Location loc = combiner.loc;
  return elements.emitLoop(loc, begin, end,
                           arith::ConstantIndexOp::create(b, loc, step),
                           combiner.neutral, [&](Value at, ValueRange sum) {
                             Accumulators value = part(at);
                             return combiner.join(Accumulators(sum), value);
                           });
}

ReductionRange fuser::getSection(ElementEmitter &elements, Location loc,
                                 Value begin, OpFoldResult count) {
  OpBuilder &b = elements.getBuilder();
  Value end = elements.addIndex(loc, begin, kSectionElements);
  std::optional<int64_t> known = getConstantIntValue(count);
  if (known && *known % kSectionElements == 0)
    return {begin, end, kSectionElements};
  end = arith::MinUIOp::create(b, loc, end, emitIndex(b, loc, count));
  return {begin, end, std::nullopt};
}

Accumulators fuser::emitSections(
    ElementEmitter &elements, const Combiner &combiner, OpFoldResult count,
    llvm::function_ref<Accumulators(const ReductionRange &)> section) {
  OpBuilder &b = combiner.b;
  Location loc = combiner.loc;
  constexpr int64_t kGroup = kSectionElements * kSectionGroup;
  std::optional<int64_t> known = getConstantIntValue(count);
  auto emitOne = [&](Value at) {
    return section(getSection(elements, loc, at, count));
  };
  Value zero = elements.getIndex(loc, 0), end = emitIndex(b, loc, count);
  if (known && *known <= kGroup)
    return emitChain(elements, combiner, zero, end, kSectionElements, emitOne);
  return emitChain(elements, combiner, zero, end, kGroup, [&](Value begin) {
    Value last = arith::MinUIOp::create(
        b, loc, elements.addIndex(loc, begin, kGroup), end);
    return emitChain(elements, combiner, begin, last, kSectionElements,
                     emitOne);
  });
}

//===----------------------------------------------------------------------===//
// A section
//===----------------------------------------------------------------------===//

ReductionLoops::ReductionLoops(ElementEmitter &elements,
                               const Combiner &combiner,
                               const ReductionRange &range,
                               ReductionPartFn leaf)
    : elements(elements), combiner(combiner), b(combiner.b), loc(combiner.loc),
      range(range), end(emitIndex(b, loc, range.end)), leaf(std::move(leaf)) {}

/// Both halves of a tree: from `start` and, if there is such an element, from
/// `start + span` on.
Accumulators ReductionLoops::emitPair(Value start, int64_t span,
                                      const ReductionPartFn &part) {
  if (range.isAtMost(span))
    return part(start);
  Value second = elements.addIndex(loc, start, span);
  Value exists = emitCompare(b, loc, arith::CmpIPredicate::ult, second, end);
  Value last = arith::SelectOp::create(
      b, loc, exists, elements.addIndex(loc, start, 2 * span), second);
  return emitChain(elements, combiner, start, last, span, part);
}

/// `size` neighbours that are `distance` elements apart, as a tree.
Accumulators ReductionLoops::emitTree(Value start, int64_t size,
                                      int64_t distance,
                                      const ReductionPartFn &part) {
  if (size == 1)
    return part(start);
  return emitPair(start, distance * size / 2, [&](Value at) {
    return emitTree(at, size / 2, distance, part);
  });
}

Accumulators ReductionLoops::emitLanes(Value start, int64_t lanes) {
  return emitTree(start, lanes, kLeaf,
                  [&](Value at) { return emitBlocks(at, 1); });
}

/// The number whose `bits` bits are those of `value` in the other order.
static Value emitReversed(OpBuilder &b, Location loc, Value value,
                          int64_t bits) {
  auto constant = [&](int64_t number) {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  Value reversed = constant(0);
  for (int64_t bit = 0; bit < bits; ++bit) {
    Value digit = arith::AndIOp::create(
        b, loc, arith::ShRUIOp::create(b, loc, value, constant(bit)),
        constant(1));
    digit = arith::ShLIOp::create(b, loc, digit, constant(bits - 1 - bit));
    reversed = arith::OrIOp::create(b, loc, reversed, digit);
  }
  return reversed;
}

/// Adds `value`, the leaf of this number, to a tree of which `held` has what
/// waits for its other half on each level; returns what is complete then.
Accumulators ReductionLoops::emitCarry(Value number, Accumulators value,
                                       SmallVector<Accumulators> &held) {
  auto select = [&](Value condition, ValueRange lhs, ValueRange rhs) {
    Accumulators selected;
    for (auto [a, c] : llvm::zip(lhs, rhs))
      selected.push_back(arith::SelectOp::create(b, loc, condition, a, c));
    return selected;
  };
  Value none = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  Value carries = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  for (auto [level, waiting] : llvm::enumerate(held)) {
    Value bit = arith::AndIOp::create(
        b, loc, number,
        arith::ConstantIndexOp::create(b, loc, int64_t(1) << level));
    Value isSecond =
        emitCompare(b, loc, arith::CmpIPredicate::ne, bit, b.getIndexAttr(0));
    Value combines = arith::SelectOp::create(b, loc, carries, isSecond, none);
    Value waits = arith::SelectOp::create(b, loc, isSecond, none, carries);
    Accumulators both = combiner.join(waiting, value);
    waiting = select(waits, value, waiting);
    value = select(combines, both, value);
    carries = combines;
  }
  return value;
}

/// How many of the `bits` highest bits of the number of a block, `distance`
/// elements apart, are 0 in all blocks that there are.
Value ReductionLoops::emitUnusedBits(int64_t distance, int64_t bits) {
  Value unused = elements.getIndex(loc, 0);
  Value length =
      range.begin ? arith::SubIOp::create(b, loc, end, range.begin) : end;
  for (int64_t used = bits - 1; used >= 0; --used) {
    Value limit = elements.getIndex(loc, distance << used);
    Value isFree =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, length, limit);
    unused = arith::AddIOp::create(
        b, loc, unused,
        arith::SelectOp::create(b, loc, isFree, elements.getIndex(loc, 1),
                                elements.getIndex(loc, 0)));
  }
  return unused;
}

Accumulators ReductionLoops::emitRounds(Value start, bool unroll) {
  if (!unroll || !range.length || *range.length % kRoundElements != 0)
    return emitChain(elements, combiner, start, end, kRoundElements, leaf);
  SmallVector<Accumulators> rounds;
  for (int64_t offset = 0; offset < *range.length; offset += kRoundElements)
    rounds.push_back(leaf(elements.addIndex(loc, start, offset)));
  Accumulators sum = combiner.neutral;
  for (const Accumulators &round : rounds)
    sum = combiner.join(sum, round);
  return sum;
}

Accumulators ReductionLoops::emitBlocks(Value start, int64_t stride,
                                        bool unroll) {
  int64_t distance = kBlockElements * stride, bits = 0;
  while (stride << bits < kBlocks && !range.isAtMost(distance << bits))
    ++bits;
  if (bits == 0)
    return emitRounds(start, unroll);
  // One loop over the leaves of the tree that folding is: its first halves are
  // those of the highest bit. Where bits are unused it begins as if the halves
  // before had been there and were neutral.
  size_t size = combiner.neutral.size();
  SmallVector<Value> init;
  for (int64_t level = 0; level <= bits; ++level)
    llvm::append_range(init, combiner.neutral);
  Value unused =
      range.length ? elements.getIndex(loc, 0) : emitUnusedBits(distance, bits);
  Value all = elements.getIndex(loc, 1 << bits);
  Value used = arith::ShRUIOp::create(b, loc, all, unused);
  auto body = [&](Value number, ValueRange carried) {
    Value block = arith::ShRUIOp::create(
        b, loc, emitReversed(b, loc, number, bits), unused);
    Value offset =
        arith::MulIOp::create(b, loc, block, elements.getIndex(loc, distance));
    Accumulators value =
        emitRounds(arith::AddIOp::create(b, loc, start, offset), unroll);
    SmallVector<Accumulators> held;
    for (int64_t level = 0; level < bits; ++level)
      held.push_back(llvm::to_vector(carried.slice(level * size, size)));
    Accumulators complete = emitCarry(number, std::move(value), held);
    SmallVector<Value> next;
    for (const Accumulators &waiting : held)
      llvm::append_range(next, waiting);
    llvm::append_range(next, complete);
    return next;
  };
  SmallVector<Value> results =
      elements.emitLoop(loc, arith::SubIOp::create(b, loc, all, used), all,
                        elements.getIndex(loc, 1), init, body);
  return llvm::to_vector(ArrayRef<Value>(results).take_back(size));
}
