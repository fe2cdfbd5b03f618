//===- ScanOrder.cpp - The order in which a GPU scans ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScanOrder.h"
#include "../GpuKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace fuser;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Combining
//===----------------------------------------------------------------------===//

ScanCombiner::ScanCombiner(SegmentKernel &kernel, fusion::ScanOpInterface op)
    : kernel(kernel), op(op), b(kernel.builder), loc(op.getLoc()) {
  neutral = kernel.withContext(loc, [&](fusion::EmitContext &ctx) {
    return this->op.emitNeutral(ctx, getType(this->op));
  });
}

Type ScanCombiner::getType(fusion::ScanOpInterface op) {
  return getComputeType(getElementTypeOrSelf(op->getResult(0).getType()));
}

Value ScanCombiner::combine(Value before, Value after) const {
  fusion::ScanOpInterface op = this->op;
  return kernel.withContext(loc, [&](fusion::EmitContext &ctx) {
    return op.emitCombined(ctx, before, after);
  });
}

Value ScanCombiner::getNeutral(Type type) const {
  if (type == neutral.getType())
    return neutral;
  return vector::BroadcastOp::create(b, loc, type, neutral);
}

Value ScanCombiner::orNeutral(Value exists, Value element) const {
  if (!exists)
    return element;
  return arith::SelectOp::create(b, loc, exists, element,
                                 getNeutral(element.getType()));
}

SmallVector<Value> ScanCombiner::emitLeaf(ArrayRef<Value> elements) const {
  SmallVector<Value> results = {elements.front()};
  for (Value element : elements.drop_front())
    results.push_back(combine(results.back(), element));
  return results;
}

Value ScanCombiner::emitRounded(Value result) const {
  fusion::ScanOpInterface op = this->op;
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (!isNarrowFloat(element))
    return result;
  return emitToCompute(b, loc, emitToStorage(b, loc, result, element), element);
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

SmallVector<Value> SegmentChain::getInit(const ScanCombiner &combiner) {
  return SmallVector<Value>(kNumCarried,
                            combiner.getNeutral(combiner.getType()));
}

SegmentChain::SegmentChain(OpBuilder &b, const ScanCombiner &combiner,
                           ValueRange before, Value step, int64_t segments,
                           bool hasGroups)
    : b(b), combiner(combiner), groups(before[0]), sections(before[1]),
      segments(before[2]), step(step), numSegments(segments),
      hasGroups(hasGroups) {
  Value none = combiner.getNeutral(combiner.getType());
  if (!hasGroups || groups == none)
    groups = nullptr;
  if (sections == none)
    sections = nullptr;
}

/// Whether so many segments begin with segment `number`; null: in each step, or
/// there is one.
Value SegmentChain::emitStarts(int64_t number, int64_t every) {
  if (!step || numSegments % every == 0)
    return nullptr;
  Location loc = combiner.getOp().getLoc();
  auto getConstant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value first = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, step, getConstant(numSegments)),
      getConstant(number));
  Value inside = arith::AndIOp::create(b, loc, first, getConstant(every - 1));
  return emitCompare(b, loc, CmpIPredicate::eq, inside, b.getIndexAttr(0));
}

/// `isNext`: a section begins here; null: it does. So does a group where
/// `isNextGroup` is true; null: nowhere.
void SegmentChain::endSection(Value isNext, Value isNextGroup) {
  Location loc = combiner.getOp().getLoc();
  Value none = combiner.getNeutral(combiner.getType());
  auto select = [&](Value condition, Value value, Value otherwise) -> Value {
    if (!condition)
      return value;
    return arith::SelectOp::create(b, loc, condition, value,
                                   otherwise ? otherwise : none);
  };
  Value ended = sections ? combiner.combine(sections, segments) : segments;
  if (isNextGroup) {
    Value more = groups ? combiner.combine(groups, ended) : ended;
    groups = select(isNextGroup, more, groups);
    ended = select(isNextGroup, none, ended);
  }
  sections = select(isNext, ended, sections);
  segments = select(isNext, none, segments);
}

/// Nothing is asked where the answer is the same in each step.
void SegmentChain::enter(int64_t number) {
  constexpr int64_t kOfGroup = kScanSegments * kScanSections;
  int64_t every = step ? std::gcd(numSegments, kScanSegments) : kScanSegments;
  if (number % every != 0 || (!step && number == 0))
    return;
  Value isNext = emitStarts(number, kScanSegments);
  // One step has too few segments for two groups.
  endSection(isNext, hasGroups ? emitStarts(number, kOfGroup) : Value());
}

void SegmentChain::add(Value segment) {
  segments = combiner.combine(segments, segment);
}

Value SegmentChain::combineSections(Value segments) const {
  if (groups && sections)
    return combiner.combine(combiner.combine(groups, sections), segments);
  Value before = groups ? groups : sections;
  return before ? combiner.combine(before, segments) : segments;
}

SmallVector<Value> SegmentChain::getCarried() const {
  Value none = combiner.getNeutral(combiner.getType());
  return {groups ? groups : none, sections ? sections : none, segments};
}

//===----------------------------------------------------------------------===//
// One thread
//===----------------------------------------------------------------------===//

namespace {
/// What a thread has before a leaf: the groups, the sections, the segments, and
/// of the one that the leaf is in a tree for each bit of the leaf's number that
/// is set.
class SerialScan {
public:
  SerialScan(const ScanCombiner &combiner, fusion::FibreContext &ctx)
      : combiner(combiner), ctx(ctx), b(ctx.emit.builder), loc(ctx.emit.loc) {}

  void emit();

private:
  using Trees = SmallVector<Value>;

  Value getIndex(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value emitIsSet(Value number, int64_t bit);
  Value emitLeaf(Value start, Value before);
  Value emitBefore(Value number, ValueRange carried);
  void emitEnd(Value number, int64_t leaves, Value &outer, Value &inner);
  Trees emitAfter(Value number, ValueRange carried, Value leaf);

  const ScanCombiner &combiner;
  fusion::FibreContext &ctx;
  OpBuilder &b;
  Location loc;
};
} // namespace

static const int64_t kLevels = llvm::Log2_64(kScanLanes);
/// Those of groups, of sections, and of segments.
static constexpr int64_t kNumChains = SegmentChain::kNumCarried;

Value SerialScan::emitIsSet(Value number, int64_t bit) {
  Value digit =
      arith::AndIOp::create(b, loc, number, getIndex(int64_t(1) << bit));
  return emitCompare(b, loc, CmpIPredicate::ne, digit, b.getIndexAttr(0));
}

/// Stores its elements, and gives what they are combined to.
Value SerialScan::emitLeaf(Value start, Value before) {
  Type element = getElementTypeOrSelf(combiner.getOp()->getResult(0).getType());
  Value end = arith::AddIOp::create(
      b, loc, start, getIndex(getScanLeaf(getStorageBytes(element))));
  end = arith::MinUIOp::create(b, loc, end, ctx.length);
  auto loop = scf::ForOp::create(
      b, loc, start, end, getIndex(1), combiner.getNeutral(ctx.type),
      [&](OpBuilder &, Location, Value position, ValueRange carried) {
        Value next = combiner.combine(carried.front(), ctx.load(0, position));
        ctx.store(position, combiner.combine(before, next));
        scf::YieldOp::create(b, loc, next);
      });
  return loop.getResult(0);
}

/// The trees from the last one backwards, then segments, sections and groups.
Value SerialScan::emitBefore(Value number, ValueRange carried) {
  Value lanes = combiner.getNeutral(ctx.type);
  for (auto [bit, tree] : llvm::enumerate(carried.drop_front(kNumChains)))
    lanes = arith::SelectOp::create(b, loc, emitIsSet(number, int64_t(bit)),
                                    combiner.combine(tree, lanes), lanes);
  Value sections = combiner.combine(carried[0], carried[1]);
  return combiner.combine(combiner.combine(sections, carried[2]), lanes);
}

/// What ends behind leaf `number` if it is the last one of so many: `inner`
/// becomes part of `outer`, and begins again.
void SerialScan::emitEnd(Value number, int64_t leaves, Value &outer,
                         Value &inner) {
  Value inside = arith::AndIOp::create(b, loc, number, getIndex(leaves - 1));
  Value isLast = emitCompare(b, loc, CmpIPredicate::eq, inside,
                             b.getIndexAttr(leaves - 1));
  outer = arith::SelectOp::create(b, loc, isLast,
                                  combiner.combine(outer, inner), outer);
  inner = arith::SelectOp::create(b, loc, isLast, combiner.getNeutral(ctx.type),
                                  inner);
}

/// The same with one more leaf: it makes a tree of two, of four, and so on, as
/// far as there is another one as large, then a segment, a section, a group.
SerialScan::Trees SerialScan::emitAfter(Value number, ValueRange carried,
                                        Value leaf) {
  Value groups = carried[0], sections = carried[1], segments = carried[2];
  Trees after;
  Value goesOn = arith::ConstantIntOp::create(b, loc, 1, 1), tree = leaf;
  for (auto [bit, waiting] : llvm::enumerate(carried.drop_front(kNumChains))) {
    Value isSet = emitIsSet(number, int64_t(bit));
    Value joined = combiner.combine(waiting, tree);
    Value joins = arith::AndIOp::create(b, loc, goesOn, isSet);
    after.push_back(arith::SelectOp::create(b, loc, isSet, waiting, tree));
    tree = arith::SelectOp::create(b, loc, joins, joined, tree);
    goesOn = joins;
  }
  segments = arith::SelectOp::create(
      b, loc, goesOn, combiner.combine(segments, tree), segments);
  constexpr int64_t kLeaves = kScanLanes * kScanSegments;
  emitEnd(number, kLeaves, sections, segments);
  emitEnd(number, kLeaves * kScanSections, groups, sections);
  after.insert(after.begin(), {groups, sections, segments});
  return after;
}

void SerialScan::emit() {
  Type element = getElementTypeOrSelf(combiner.getOp()->getResult(0).getType());
  int64_t leafSize = getScanLeaf(getStorageBytes(element));
  SmallVector<Value> init(kNumChains + kLevels, combiner.getNeutral(ctx.type));
  scf::ForOp::create(
      b, loc, getIndex(0), ctx.length, getIndex(leafSize), init,
      [&](OpBuilder &, Location, Value start, ValueRange carried) {
        Value number =
            arith::DivUIOp::create(b, loc, start, getIndex(leafSize));
        Value before = emitBefore(number, carried);
        Value leaf = emitLeaf(start, before);
        scf::YieldOp::create(b, loc, emitAfter(number, carried, leaf));
      });
}

void fuser::emitSerialScan(const ScanCombiner &combiner,
                           fusion::FibreContext &ctx) {
  SerialScan(combiner, ctx).emit();
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

LaneScan::LaneScan(OpBuilder &b, Location loc, int64_t bits)
    : b(b), loc(loc), bits(bits) {
  Value thread =
      arith::IndexCastUIOp::create(b, loc, b.getI32Type(), emitThread(b, loc));
  lane = arith::AndIOp::create(b, loc, thread, getInt(kWarpSize - 1));
}

Value LaneScan::getInt(int64_t value) const {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

/// Whether the lane's number has one of these bits.
Value LaneScan::emitHas(int64_t mask) const {
  return arith::CmpIOp::create(
      b, loc, CmpIPredicate::ne,
      arith::AndIOp::create(b, loc, lane, getInt(mask)), getInt(0));
}

/// Bit by bit of the number of the lane, from the lowest on: where it is set,
/// what is in the half of the lanes where it is not comes before.
Value LaneScan::emitByBits(CombineFn combine, Value leaf) const {
  Value upTo = leaf;
  for (int64_t bit = 0; bit < bits; ++bit) {
    int64_t mask = int64_t(1) << bit;
    // The last lane of the lower half.
    Value from = arith::OrIOp::create(
        b, loc, arith::AndIOp::create(b, loc, lane, getInt(-2 * mask)),
        getInt(mask - 1));
    Value lower = emitShuffle(b, loc, upTo, from, gpu::ShuffleMode::IDX);
    upTo = arith::SelectOp::create(b, loc, emitHas(mask), combine(lower, upTo),
                                   upTo);
  }
  return upTo;
}

/// The same of integers, any parts of which may be combined first: what is 1,
/// 2, 4, ... lanes before, so that no register has the number of another lane.
Value LaneScan::emitByDistance(CombineFn combine, Value leaf) const {
  int64_t lanes = int64_t(1) << bits;
  Value inRow = arith::AndIOp::create(b, loc, lane, getInt(lanes - 1));
  Value upTo = leaf;
  for (int64_t distance = 1; distance < lanes; distance *= 2) {
    Value lower =
        emitShuffle(b, loc, upTo, getInt(distance), gpu::ShuffleMode::UP);
    Value isThere = arith::CmpIOp::create(b, loc, CmpIPredicate::uge, inRow,
                                          getInt(distance));
    upTo = arith::SelectOp::create(b, loc, isThere, combine(lower, upTo), upTo);
  }
  return upTo;
}

LaneScan::Result LaneScan::emitBefore(Value upTo, Value neutral) const {
  if (bits == 0)
    return {neutral, upTo};
  Value previous = emitShuffle(b, loc, upTo, getInt(1), gpu::ShuffleMode::UP);
  Value hasPrevious = emitHas((int64_t(1) << bits) - 1);
  return {arith::SelectOp::create(b, loc, hasPrevious, previous, neutral),
          upTo};
}

LaneScan::Result LaneScan::emit(const ScanCombiner &combiner,
                                Value leaf) const {
  auto combine = [&](Value before, Value after) {
    return combiner.combine(before, after);
  };
  Value upTo = isa<IntegerType>(leaf.getType()) ? emitByDistance(combine, leaf)
                                                : emitByBits(combine, leaf);
  return emitBefore(upTo, combiner.getNeutral(leaf.getType()));
}

LaneScan::Result LaneScan::emit(CombineFn combine, Value neutral,
                                Value leaf) const {
  return emitBefore(emitByBits(combine, leaf), neutral);
}

Value LaneScan::emitAll(Value upTo) const {
  if (bits == 0)
    return upTo;
  Value last =
      arith::OrIOp::create(b, loc, lane, getInt((int64_t(1) << bits) - 1));
  return emitShuffle(b, loc, upTo, last, gpu::ShuffleMode::IDX);
}
