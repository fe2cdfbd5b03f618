//===- ElementReduction.cpp - Reductions for one element ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementReduction.h"
#include "GpuKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace fuser;
using arith::CmpIPredicate;

ElementReduction::ElementReduction(SegmentKernel &kernel, gpu::GPUFuncOp func,
                                   const Threads &threads)
    : kernel(kernel), b(kernel.builder), loc(kernel.segment.getLoc()),
      threads(threads), walk(b, func) {}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The index of the `position`-th element that is reduced.
void ElementReduction::setPosition(Request &request, Value position) {
  SmallVector<OpFoldResult> sizes =
      kernel.getSizes().getDims(request.operand, request.dims);
  SmallVector<Value> coordinates = emitCoordinates(
      b, loc, position, sizes, isNarrow(emitProduct(b, loc, sizes)));
  for (auto [dim, coordinate] : llvm::zip(request.dims, coordinates))
    request.index[dim] = coordinate;
}

/// What is reduced of the elements at `positions`: all are read before the
/// first is used.
SmallVector<Accumulators>
ElementReduction::emitPrepared(Request &request, ArrayRef<Value> positions) {
  ElementEmitter &elements = kernel.getElements();
  for (Value position : positions) {
    setPosition(request, position);
    elements.prefetch(loc, request.operand, request.index);
  }
  SmallVector<Accumulators> prepared;
  for (Value position : positions) {
    setPosition(request, position);
    prepared.push_back(kernel.emitPrepare(
        request.op, elements.emit(loc, request.operand, request.index)));
  }
  return prepared;
}

/// Whether there are `size` elements from `start` on.
Value ElementReduction::getIsWhole(Value start, int64_t size,
                                   const ReductionRange &range) {
  return emitCompare(b, loc, CmpIPredicate::ule,
                     kernel.getElements().addIndex(loc, start, size),
                     range.end);
}

/// The leaf that begins at `start`.
Accumulators ElementReduction::emitLeaf(Request &request, ReductionLoops &loops,
                                        const Combiner &combiner, Value start,
                                        const ReductionRange &range) {
  auto whole = [&]() -> Accumulators {
    SmallVector<Value> positions;
    for (int64_t i = 0; i < kLeaf; ++i)
      positions.push_back(kernel.getElements().addIndex(loc, start, i));
    return emitNeighbourTree(combiner, emitPrepared(request, positions));
  };
  if (range.length && *range.length % kLeaf == 0)
    return whole();
  auto partial = [&] {
    return loops.emitPartialLeaf(
        start, [&](Value at) { return emitPrepared(request, at).front(); });
  };
  if (range.isAtMost(kLeaf - 1))
    return partial();
  return kernel.getElements().emitEither(
      loc, request.types, getIsWhole(start, kLeaf, range), whole, partial);
}

//===----------------------------------------------------------------------===//
// One thread, or some that are apart
//===----------------------------------------------------------------------===//

/// By one thread: the lanes from `start` on.
Accumulators ElementReduction::emitAlone(Request &request,
                                         const Combiner &combiner,
                                         const ReductionRange &range,
                                         Value start, int64_t lanes,
                                         Value end) {
  ReductionLoops loops(kernel.getElements(), combiner, range, [&](Value at) {
    return emitLeaf(request, loops, combiner, at, range);
  });
  return loops.emitLanes(start, lanes, end);
}

/// `offset` elements behind the first one.
Value ElementReduction::shift(const ReductionRange &range, Value offset) {
  return range.begin ? arith::AddIOp::create(b, loc, range.begin, offset)
                     : offset;
}

/// Threads that have neighbouring lanes each. How many does not matter to a
/// tree of them.
RowThreads ElementReduction::getStrided() const {
  RowThreads row;
  int64_t first = llvm::Log2_64(threads.stride),
          position = llvm::Log2_64(kLeaf);
  for (int64_t bit = 0; bit < int64_t(llvm::Log2_64(threads.parts)); ++bit)
    row.bits.push_back({position + bit, first + bit});
  row.rows = threads.stride;
  row.row = arith::RemUIOp::create(
      b, loc, emitThread(b, loc),
      arith::ConstantIndexOp::create(b, loc, threads.stride));
  return row;
}

/// How many neighbours of the range a thread has that shares it: `lanes` leaves
/// or, of a length that is not known, as few as there have to be.
Value ElementReduction::emitOwnElements(const ReductionRange &range,
                                        int64_t lanes) {
  Value own = getConstant(lanes * kLeaf);
  if (range.length)
    return own;
  Value length = emitIndex(b, loc, range.end);
  if (range.begin)
    length = arith::SubIOp::create(b, loc, length, range.begin);
  for (lanes /= 2; lanes > 0; lanes /= 2) {
    Value limit = getConstant(lanes * threads.parts * kLeaf);
    Value isEnough =
        arith::CmpIOp::create(b, loc, CmpIPredicate::ule, length, limit);
    own = arith::SelectOp::create(b, loc, isEnough, getConstant(lanes * kLeaf),
                                  own);
  }
  return own;
}

/// By threads that have some lanes each, as many of those that there are.
Accumulators ElementReduction::emitStrided(Request &request,
                                           const Combiner &combiner,
                                           const ReductionRange &range) {
  int64_t lanes = kLanes / threads.parts;
  if (range.length)
    lanes = std::clamp<int64_t>(
        llvm::bit_ceil(uint64_t(llvm::divideCeil(*range.length, kLeaf))) /
            threads.parts,
        1, lanes);
  Value own = emitOwnElements(range, lanes);
  Value start = shift(range, arith::MulIOp::create(b, loc, threads.part, own));
  Value end = arith::AddIOp::create(b, loc, start, own);
  HeldByPosition held;
  held[0] = emitAlone(request, combiner, range, start, lanes, end);
  return walk.emit(combiner, getStrided(), std::move(held));
}

//===----------------------------------------------------------------------===//
// All elements
//===----------------------------------------------------------------------===//

OpFoldResult ElementReduction::getCount(const Request &request) {
  return emitProduct(b, loc,
                     kernel.getSizes().getDims(request.operand, request.dims));
}

Accumulators ElementReduction::emitRange(Request &request,
                                         const Combiner &combiner,
                                         const ReductionRange &range,
                                         bool isShared) {
  if (!isShared) {
    Value start = range.begin ? range.begin : getConstant(0);
    return combiner.finish(emitAlone(request, combiner, range, start, kLanes));
  }
  if (threads.stride != 1)
    return emitStrided(request, combiner, range);
  return NeighbourReduction(kernel, walk, request, threads.part, threads.parts)
      .emit(range);
}

Accumulators ElementReduction::emit(Request &request) {
  OpFoldResult count = getCount(request);
  Combiner combiner = makeCombiner(kernel, request.op, request.neutral);
  std::optional<int64_t> known = getConstantIntValue(count);
  if (known == 0)
    return request.neutral;
  bool isShared = threads.parts > 1 && request.isOutermost;
  if (known && *known <= kSectionElements)
    return emitRange(request, combiner, {nullptr, count, known}, isShared);
  return emitSections(kernel.getElements(), combiner, count,
                      [&](const ReductionRange &section) {
                        Accumulators sum =
                            emitRange(request, combiner, section, isShared);
                        // The next section has the same shared memory.
                        if (isShared)
                          gpu::BarrierOp::create(b, loc);
                        return sum;
                      });
}
