//===- NeighbourReduction.cpp - Neighbours reduced by neighbours ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NeighbourReduction.h"
#include "../GpuKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <numeric>

using namespace fuser;
using arith::CmpIPredicate;

/// How many registers of a thread hold the elements under way: vectors of 8.
/// Elements one by one have an index each.
static constexpr int64_t kRegistersAtOnce = 32;

NeighbourReduction::NeighbourReduction(SegmentKernel &kernel,
                                       ReductionWalk &walk,
                                       MutableArrayRef<Request> requests,
                                       Value part, int64_t threads)
    : kernel(kernel), elements(kernel.getElements()), b(kernel.builder),
      loc(kernel.segment.getLoc()), walk(walk), requests(requests), part(part),
      threads(threads) {
  for (Request &request : requests)
    combiners.push_back(makeCombiner(kernel, request.op, request.neutral));
  joint.emplace(joinCombiners(combiners));
}

//===----------------------------------------------------------------------===//
// Who has what
//===----------------------------------------------------------------------===//

/// So many neighbours in the order are neighbours in memory, or in what is
/// computed of it: no access goes beyond the last dimension.
int64_t NeighbourReduction::getAccessWidth() {
  if (flatCount)
    return kLeaf;
  int64_t width = kLeaf;
  for (const Request &request : requests) {
    auto type = cast<RankedTensorType>(request.operand.getType());
    int64_t last = type.getRank() - 1;
    if (request.dims.empty() || request.dims.back() != last)
      return 1;
    width = std::gcd(width, kernel.getDivisor(request.operand, last));
  }
  return width;
}

/// A lane has a leaf, or every 32nd of the 256 elements of a warp; the next
/// bits are those of warps, of a thread's vectors, and of groups of them.
void NeighbourReduction::setVectors(const ReductionRange &range) {
  width = getAccessWidth();
  bool isVector = hasVectors();
  const int64_t laneBits = llvm::Log2_64(kWarpSize),
                leafBits = llvm::Log2_64(kLeaf);
  row.bits.clear();
  for (int64_t bit = 0; bit < int64_t(llvm::Log2_64(threads)); ++bit)
    row.bits.push_back(
        {bit < laneBits && !isVector ? bit : bit + leafBits, bit});
  int64_t lanes = kLanes;
  if (range.length)
    lanes = std::min<int64_t>(
        lanes,
        llvm::bit_ceil(uint64_t(llvm::divideCeil(*range.length, kLeaf))));
  int64_t all = std::max<int64_t>(lanes / threads, 1);
  int64_t registers = 1;
  for (const Request &request : requests)
    registers = std::max<int64_t>(
        registers,
        getStorageBytes(getElementTypeOrSelf(request.operand.getType())) / 4);
  int64_t most = isVector ? kRegistersAtOnce / (kLeaf * registers) : 1;
  int64_t vectors = std::min(all, most);
  numGroups = all / vectors;
  offsets.clear();
  for (int64_t i = 0; i < vectors; ++i)
    for (int64_t k = 0; k < (isVector ? 1 : kLeaf); ++k)
      offsets.push_back(i * threads * kLeaf + k * kWarpSize);
}

/// The thread's first element.
Value NeighbourReduction::emitOwn() {
  if (hasVectors())
    return arith::MulIOp::create(b, loc, part, getConstant(kLeaf));
  Value lane = arith::RemUIOp::create(b, loc, part, getConstant(kWarpSize));
  Value warp = arith::DivUIOp::create(b, loc, part, getConstant(kWarpSize));
  return arith::AddIOp::create(
      b, loc, lane,
      arith::MulIOp::create(b, loc, warp, getConstant(kWarpSize * kLeaf)));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void NeighbourReduction::setIndex(Request &request,
                                  ArrayRef<Value> coordinates) {
  if (flatCount)
    request.index.assign(coordinates.begin(), coordinates.end());
  else
    for (auto [dim, coordinate] : llvm::zip(request.dims, coordinates))
      request.index[dim] = coordinate;
}

/// What all threads have in a round.
int64_t NeighbourReduction::getRoundElements() {
  int64_t ofThread = offsets.size() * (hasVectors() ? kLeaf : 1);
  return ofThread * threads;
}

SmallVector<OpFoldResult> NeighbourReduction::getSizes() {
  if (flatCount)
    return {flatCount};
  Request &first = requests.front();
  return kernel.getSizes().getDims(first.operand, first.dims);
}

/// The elements behind the last whole leaf, one by one. All threads have the
/// same.
Accumulators NeighbourReduction::emitTail(Request &request,
                                          const Combiner &combiner) {
  Value begin = arith::SubIOp::create(
      b, loc, flatCount,
      arith::RemUIOp::create(b, loc, flatCount, getConstant(kLeaf)));
  return emitTree(
      elements, combiner, {begin, flatCount, 1, kLeaf}, [&](Value position) {
        setIndex(request, position);
        return kernel.emitPrepare(
            request.op, elements.emit(loc, request.operand, request.index),
            request.index);
      });
}

/// A power of two of neighbours, as emitLaneTree combines lanes.
static Accumulators emitPairs(const Combiner &combiner,
                              ArrayRef<Accumulators> pieces) {
  if (pieces.size() == 1)
    return pieces.front();
  size_t half = pieces.size() / 2;
  return combiner.combine(emitPairs(combiner, pieces.take_front(half)),
                          emitPairs(combiner, pieces.drop_front(half)));
}

SmallVector<Value> NeighbourReduction::emitPlace(Value position) {
  if (axis && !flatCount)
    return emitCoordinates(b, loc, position, *axis);
  SmallVector<OpFoldResult> sizes = getSizes();
  return emitCoordinates(b, loc, position, sizes,
                         isNarrow(emitProduct(b, loc, sizes)));
}

/// Of each access of a round from the thread's first element on: a leaf has
/// several where neighbours end before it does.
SmallVector<int64_t> NeighbourReduction::getStarts() {
  SmallVector<int64_t> starts;
  for (int64_t offset : offsets)
    for (int64_t k = 0; k < (hasVectors() ? kLeaf : 1); k += width)
      starts.push_back(offset + k);
  return starts;
}

/// What is held of the accesses of a round from `start` on. Those beyond the
/// last element are neutral. All are read before the first is used.
NeighbourReduction::Held
NeighbourReduction::emitRound(const ReductionRange &range, Value start) {
  bool isWhole = range.length && *range.length % getRoundElements() == 0;
  Value end = emitIndex(b, loc, range.end);
  SmallVector<Value> exists, areTails;
  SmallVector<SmallVector<Value>> indices;
  for (int64_t offset : getStarts()) {
    Value position = elements.addIndex(loc, start, offset), isThere, isTail;
    if (!isWhole) {
      isThere =
          arith::CmpIOp::create(b, loc, CmpIPredicate::ult, position, end);
      Value other = elements.addIndex(loc, end, -width);
      if (flatCount) {
        Value behind = elements.addIndex(loc, position, width);
        isTail = arith::AndIOp::create(
            b, loc, isThere,
            emitCompare(b, loc, CmpIPredicate::ugt, behind, flatCount));
        isThere = arith::AndIOp::create(
            b, loc, isThere,
            emitCompare(b, loc, CmpIPredicate::ule, behind, flatCount));
        other = getConstant(0);
      }
      position = arith::SelectOp::create(b, loc, isThere, position, other);
    }
    exists.push_back(isThere);
    areTails.push_back(isTail);
    indices.push_back(emitPlace(position));
    for (Request &request : requests) {
      setIndex(request, indices.back());
      elements.prefetch(loc, request.operand, request.index, width);
    }
  }
  Held held;
  for (auto [number, request] : llvm::enumerate(requests)) {
    const Combiner &combiner = combiners[number];
    SmallVector<Accumulators> pieces;
    for (auto [isThere, isTail, index] : llvm::zip(exists, areTails, indices)) {
      setIndex(request, index);
      Value element = elements.emit(loc, request.operand, request.index, width);
      Accumulators &piece = pieces.emplace_back(combiner.orNeutral(
          isThere,
          emitLaneTree(combiner, kernel.emitPrepare(request.op, element,
                                                    request.index))));
      if (isTail)
        for (auto [value, tail] : llvm::zip(piece, tails[number]))
          value = arith::SelectOp::create(b, loc, isTail, tail, value);
    }
    HeldByPosition values;
    size_t ofLeaf = pieces.size() / offsets.size();
    for (auto [place, offset] : llvm::enumerate(offsets))
      values[offset] =
          emitPairs(combiner, ArrayRef(pieces).slice(place * ofLeaf, ofLeaf));
    held.push_back(walk.emitLeaves(combiner, row, std::move(values)));
  }
  return held;
}

Accumulators NeighbourReduction::emitLanes(Held held) {
  Accumulators sums;
  for (auto [combiner, state] : llvm::zip(combiners, held))
    llvm::append_range(sums, walk.emitLanes(combiner, row, std::move(state)));
  return sums;
}

static SmallVector<Value> flatten(ArrayRef<ReductionWalk::State> held) {
  SmallVector<Value> flat;
  for (const ReductionWalk::State &state : held)
    for (const auto &entry : state.held)
      llvm::append_range(flat, entry.second);
  return flat;
}

/// The sum of the thread's vectors from `start` on in each round of a group.
Accumulators NeighbourReduction::emitGroup(const ReductionRange &range,
                                           Value start) {
  Value own = emitOwn();
  auto emitOne = [&](Value at) {
    return emitRound(range, arith::AddIOp::create(b, loc, at, own));
  };
  if (range.isAtMost(kRoundElements))
    return emitLanes(emitOne(start));
  // The first round is there, and says what is held of each.
  Held held = emitOne(start);
  auto body = [&](Value at, ValueRange before) {
    ElementEmitter::Scope scope(elements);
    Held next = emitOne(at);
    size_t number = 0;
    for (auto [combiner, state] : llvm::zip(combiners, next))
      for (auto &entry : state.held) {
        size_t size = entry.second.size();
        entry.second = combiner.join(
            llvm::to_vector(before.slice(number, size)), entry.second);
        number += size;
      }
    return flatten(next);
  };
  SmallVector<Value> sums =
      elements.emitLoop(loc, elements.addIndex(loc, start, kRoundElements),
                        emitIndex(b, loc, range.end),
                        getConstant(kRoundElements), flatten(held), body);
  size_t number = 0;
  for (ReductionWalk::State &state : held)
    for (auto &entry : state.held)
      for (Value &value : entry.second)
        value = sums[number++];
  return emitLanes(std::move(held));
}

/// The sum of all whole leaves.
Accumulators NeighbourReduction::emitAll(const ReductionRange &range) {
  setVectors(range);
  Value begin = range.begin ? range.begin : getConstant(0);
  if (numGroups == 1)
    return emitGroup(range, begin);
  int64_t step = getRoundElements();
  return emitTree(elements, *joint,
                  {begin, emitIndex(b, loc, range.end), step, numGroups},
                  [&](Value at) {
                    Accumulators sums = emitGroup(range, at);
                    // The next group has the same shared memory.
                    if (threads > kWarpSize)
                      gpu::BarrierOp::create(b, loc);
                    return sums;
                  });
}

Accumulators NeighbourReduction::emit(const ReductionRange &range) {
  bool isWhole = range.length && *range.length % kLeaf == 0;
  if (!flatCount || isWhole)
    return emitAll(range);
  SmallVector<Type> types;
  Accumulators sums;
  for (auto [request, combiner] : llvm::zip(requests, combiners)) {
    tails.push_back(emitTail(request, combiner));
    llvm::append_range(types, request.types);
    llvm::append_range(sums, combiner.finish(tails.back()));
  }
  Value hasLeaf =
      emitCompare(b, loc, CmpIPredicate::uge, flatCount, b.getIndexAttr(kLeaf));
  return elements.emitEither(
      loc, types, hasLeaf, [&] { return emitAll(range); },
      [&] { return sums; });
}
