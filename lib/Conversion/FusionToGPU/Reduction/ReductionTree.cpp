//===- ReductionTree.cpp - The order in which a GPU adds ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionTree.h"
#include "../GpuKernel.h"
#include "fuser/Support/SumOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fuser;

Accumulators Combiner::join(const Accumulators &lhs,
                            const Accumulators &rhs) const {
  if (lhs.empty() || rhs.empty())
    return lhs.empty() ? rhs : lhs;
  return combine(lhs, rhs);
}

Accumulators Combiner::orNeutral(Value exist, Accumulators values) const {
  if (!exist)
    return values;
  for (auto [value, none] : llvm::zip(values, neutral)) {
    Value other = emitRepeated(b, loc, none, getWidth(value));
    value = arith::SelectOp::create(b, loc, exist, value, other);
  }
  return values;
}

Accumulators Combiner::finish(const Accumulators &sum) const {
  return join(neutral, sum);
}

Combiner fuser::makeCombiner(SegmentKernel &kernel,
                             fusion::ReductionOpInterface op,
                             Accumulators neutral) {
  auto combine = [&kernel, op](ValueRange lhs, ValueRange rhs) {
    return kernel.emitCombine(op, lhs, rhs);
  };
  return {kernel.builder, kernel.segment.getLoc(), combine, std::move(neutral),
          op.isIdempotent()};
}

Combiner fuser::joinCombiners(ArrayRef<Combiner> combiners) {
  if (combiners.size() == 1)
    return combiners.front();
  std::vector<Combiner> each(combiners.begin(), combiners.end());
  Combiner joint = combiners.front();
  joint.combine = [each](ValueRange lhs, ValueRange rhs) {
    Accumulators values;
    for (const Combiner &combiner : each) {
      size_t first = values.size(), size = combiner.neutral.size();
      llvm::append_range(values, combiner.combine(lhs.slice(first, size),
                                                  rhs.slice(first, size)));
    }
    return values;
  };
  joint.neutral.clear();
  for (const Combiner &combiner : each)
    llvm::append_range(joint.neutral, combiner.neutral);
  joint.isIdempotent = llvm::all_of(
      each, [](const Combiner &combiner) { return combiner.isIdempotent; });
  return joint;
}

Combiner fuser::makeCombiner(SegmentKernel &kernel,
                             ArrayRef<fusion::ReductionOpInterface> ops) {
  return joinCombiners(llvm::map_to_vector<1>(ops, [&](auto op) {
    return makeCombiner(kernel, op, kernel.emitNeutral(op));
  }));
}

Accumulators fuser::emitNeighbourTree(const Combiner &combiner,
                                      SmallVector<Accumulators> values) {
  if (values.empty())
    return {};
  while (values.size() > 1) {
    SmallVector<Accumulators> next;
    for (size_t i = 0; i < values.size(); i += 2)
      next.push_back(i + 1 < values.size()
                         ? combiner.join(values[i], values[i + 1])
                         : values[i]);
    values = std::move(next);
  }
  return values.front();
}

/// Every other lane of `vector`, from `first` on.
static Value emitEveryOther(const Combiner &combiner, Value vector,
                            int64_t first) {
  int64_t size = cast<VectorType>(vector.getType()).getNumElements();
  OpBuilder &b = combiner.b;
  if (size == 2)
    return vector::ExtractOp::create(b, combiner.loc, vector, first);
  SmallVector<int64_t> lanes;
  for (int64_t lane = first; lane < size; lane += 2)
    lanes.push_back(lane);
  return vector::ShuffleOp::create(b, combiner.loc, vector, vector, lanes);
}

Accumulators fuser::emitLaneTree(const Combiner &combiner,
                                 Accumulators vectors) {
  while (!vectors.empty() && isa<VectorType>(vectors.front().getType())) {
    Accumulators even, odd;
    for (Value vector : vectors) {
      even.push_back(emitEveryOther(combiner, vector, 0));
      odd.push_back(emitEveryOther(combiner, vector, 1));
    }
    vectors = combiner.combine(even, odd);
  }
  return vectors;
}

OpFoldResult fuser::emitNumParts(OpBuilder &b, Location loc,
                                 OpFoldResult rows) {
  if (std::optional<int64_t> known = getConstantIntValue(rows))
    return b.getIndexAttr(getNumParts(*known));
  Value few = arith::MinUIOp::create(
      b, loc, emitIndex(b, loc, emitCeilDiv(b, loc, rows, kSlabRows)),
      arith::ConstantIndexOp::create(b, loc, kFewParts));
  OpFoldResult many = emitCeilDiv(b, loc, rows, kSlabRows * kPartSteps);
  return emitMax(b, loc, emitMax(b, loc, few, many), b.getIndexAttr(1));
}

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
// Trees
//===----------------------------------------------------------------------===//

/// Adds `value`, part `number`, to a tree of which `held` has what waits for
/// its other half on each level, or is neutral.
static void emitCarry(const Combiner &combiner, Value number,
                      Accumulators value, SmallVector<Accumulators> &held) {
  OpBuilder &b = combiner.b;
  Location loc = combiner.loc;
  auto select = [&](Value condition, ValueRange lhs, ValueRange rhs) {
    Accumulators selected;
    for (auto [a, c] : llvm::zip(lhs, rhs))
      selected.push_back(arith::SelectOp::create(b, loc, condition, a, c));
    return selected;
  };
  Value none = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  Value carries = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  for (auto [level, waiting] : llvm::enumerate(held)) {
    if (level + 1 == held.size()) {
      // The last level has two at most.
      waiting = select(carries, combiner.join(waiting, value), waiting);
      return;
    }
    Value bit = arith::AndIOp::create(
        b, loc, number,
        arith::ConstantIndexOp::create(b, loc, int64_t(1) << level));
    Value isSecond =
        emitCompare(b, loc, arith::CmpIPredicate::ne, bit, b.getIndexAttr(0));
    Value combines = arith::SelectOp::create(b, loc, carries, isSecond, none);
    Value waits = arith::SelectOp::create(b, loc, isSecond, none, carries);
    Accumulators both = combiner.join(waiting, value);
    waiting = select(waits, value, select(combines, combiner.neutral, waiting));
    value = select(combines, both, value);
    carries = combines;
  }
}

/// The number of parts: those that begin before the end, at most `most`.
static Value emitCount(ElementEmitter &elements, Location loc,
                       const PartRange &range) {
  OpBuilder &b = elements.getBuilder();
  Value left = arith::SubIOp::create(b, loc, range.end, range.start);
  Value count = emitIndex(b, loc, emitCeilDiv(b, loc, left, range.step));
  count =
      arith::MinUIOp::create(b, loc, count, elements.getIndex(loc, range.most));
  Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                        range.start, range.end);
  return arith::SelectOp::create(b, loc, isThere, count,
                                 elements.getIndex(loc, 0));
}

Accumulators fuser::emitTree(ElementEmitter &elements, const Combiner &combiner,
                             const PartRange &range,
                             const ReductionPartFn &part) {
  OpBuilder &b = combiner.b;
  Location loc = combiner.loc;
  size_t size = combiner.neutral.size();
  int64_t levels = std::max<int64_t>(llvm::Log2_64(range.most), 1);
  SmallVector<Value> init;
  for (int64_t level = 0; level < levels; ++level)
    llvm::append_range(init, combiner.neutral);
  auto body = [&](Value number, ValueRange carried) {
    Value offset = arith::MulIOp::create(b, loc, number,
                                         elements.getIndex(loc, range.step));
    Accumulators value =
        part(arith::AddIOp::create(b, loc, range.start, offset));
    SmallVector<Accumulators> held;
    for (int64_t level = 0; level < levels; ++level)
      held.push_back(llvm::to_vector(carried.slice(level * size, size)));
    emitCarry(combiner, number, std::move(value), held);
    SmallVector<Value> next;
    for (const Accumulators &waiting : held)
      llvm::append_range(next, waiting);
    return next;
  };
  SmallVector<Value> results = elements.emitLoop(
      loc, elements.getIndex(loc, 0), emitCount(elements, loc, range),
      elements.getIndex(loc, 1), init, body);
  // Sums without another half: later parts wait on lower levels.
  Accumulators sum;
  for (int64_t level = 0; level < levels; ++level)
    sum = combiner.join(
        llvm::to_vector(ArrayRef<Value>(results).slice(level * size, size)),
        sum);
  return sum;
}
