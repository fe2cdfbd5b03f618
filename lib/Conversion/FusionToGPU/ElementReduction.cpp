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

ElementReduction::ElementReduction(SegmentKernel &kernel,
                                   const Threads &threads, BlockReduction block)
    : kernel(kernel), b(kernel.builder), loc(kernel.segment.getLoc()),
      threads(threads), block(std::move(block)) {}

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

/// The elements 32 * i + lane, i < 8, of the block that begins at `start`.
/// Those beyond the last one are neutral.
SmallVector<Accumulators>
ElementReduction::emitBlock(Request &request, const Combiner &combiner,
                            Value start, Value lane,
                            const ReductionRange &range) {
  ElementEmitter &elements = kernel.getElements();
  Value first = arith::AddIOp::create(b, loc, start, lane);
  SmallVector<Value> positions;
  for (int64_t i = 0; i < kLeaf; ++i)
    positions.push_back(elements.addIndex(loc, first, i * kLanes));
  if (range.length && *range.length % kBlockElements == 0)
    return emitPrepared(request, positions);
  auto flatten = [](ArrayRef<Accumulators> sets) {
    Accumulators flat;
    for (const Accumulators &set : sets)
      llvm::append_range(flat, set);
    return flat;
  };
  auto whole = [&] { return flatten(emitPrepared(request, positions)); };
  auto partial = [&]() -> Accumulators {
    Value last = elements.addIndex(loc, emitIndex(b, loc, range.end), -1);
    SmallVector<Value> exists, inside;
    for (Value position : positions) {
      exists.push_back(
          emitCompare(b, loc, CmpIPredicate::ult, position, range.end));
      inside.push_back(
          arith::SelectOp::create(b, loc, exists.back(), position, last));
    }
    SmallVector<Accumulators> prepared = emitPrepared(request, inside);
    for (auto [set, isThere] : llvm::zip(prepared, exists))
      set = combiner.orNeutral(isThere, set);
    return flatten(prepared);
  };
  SmallVector<Type> types;
  for (int64_t i = 0; i < kLeaf; ++i)
    llvm::append_range(types, request.types);
  Accumulators flat =
      range.isAtMost(kBlockElements - 1)
          ? partial()
          : kernel.getElements().emitEither(
                loc, types, getIsWhole(start, kBlockElements, range), whole,
                partial);
  SmallVector<Accumulators> sets;
  size_t size = combiner.neutral.size();
  for (size_t i = 0; i < flat.size(); i += size)
    sets.push_back(llvm::to_vector(ArrayRef<Value>(flat).slice(i, size)));
  return sets;
}

/// Whether 8 neighbours in the order are neighbours in memory, or in what is
/// computed of it: no leaf goes beyond the last dimension.
bool ElementReduction::hasVectorLeaves(const Request &request) {
  auto type = cast<RankedTensorType>(request.operand.getType());
  return !request.dims.empty() && request.dims.back() == type.getRank() - 1 &&
         !type.isDynamicDim(type.getRank() - 1) &&
         type.getShape().back() % kLeaf == 0;
}

/// The leaf of the block that begins at `start` which is the lane's. Leaves
/// beyond the last element are neutral.
Accumulators ElementReduction::emitVectorLeaf(Request &request,
                                              const Combiner &combiner,
                                              Value start, Value lane,
                                              const ReductionRange &range) {
  ElementEmitter &elements = kernel.getElements();
  Value position = arith::AddIOp::create(
      b, loc, start,
      arith::MulIOp::create(b, loc, lane, elements.getIndex(loc, kLeaf)));
  Value exists;
  if (!range.length || *range.length % kBlockElements != 0) {
    exists = emitCompare(b, loc, CmpIPredicate::ult, position, range.end);
    Value last = elements.addIndex(loc, emitIndex(b, loc, range.end), -kLeaf);
    position = arith::SelectOp::create(b, loc, exists, position, last);
  }
  setPosition(request, position);
  Value values = elements.emit(loc, request.operand, request.index, kLeaf);
  return combiner.orNeutral(
      exists, emitLaneTree(combiner, kernel.emitPrepare(request.op, values)));
}

/// By one thread: all lanes from `start` on, or some of them.
Accumulators ElementReduction::emitAlone(Request &request,
                                         const Combiner &combiner,
                                         const ReductionRange &range,
                                         Value start, int64_t lanes) {
  ReductionLoops loops(kernel.getElements(), combiner, range, [&](Value at) {
    return emitLeaf(request, loops, combiner, at, range);
  });
  return loops.emitLanes(start, lanes);
}

/// `offset` elements behind the first one.
Value ElementReduction::shift(const ReductionRange &range, Value offset) {
  return range.begin ? arith::AddIOp::create(b, loc, range.begin, offset)
                     : offset;
}

/// By threads that have some lanes each.
Accumulators ElementReduction::emitStrided(Request &request,
                                           const Combiner &combiner,
                                           const ReductionRange &range) {
  // Of a short sum only the first lanes have elements: one lane a thread.
  int64_t parts = threads.parts;
  int64_t lanes = range.isAtMost(parts * kLeaf) ? 1 : kLanes / parts;
  Value start =
      arith::MulIOp::create(b, loc, threads.part, getConstant(lanes * kLeaf));
  return block.emitStrided(combiner, emitAlone(request, combiner, range,
                                               shift(range, start), lanes));
}

/// By warps that have some blocks each.
Accumulators ElementReduction::emitNeighbours(Request &request,
                                              const Combiner &combiner,
                                              const ReductionRange &range) {
  Value lane = threads.part, start = getConstant(0);
  if (threads.parts > kLanes) {
    Value width = getConstant(kLanes);
    lane = arith::RemUIOp::create(b, loc, threads.part, width);
    start = arith::MulIOp::create(
        b, loc, arith::DivUIOp::create(b, loc, threads.part, width),
        getConstant(kBlockElements));
  }
  bool isVector = hasVectorLeaves(request);
  auto emitPart = [&](Value at) {
    if (isVector)
      return emitVectorLeaf(request, combiner, at, lane, range);
    return block.emitLeaves(combiner,
                            emitBlock(request, combiner, at, lane, range));
  };
  ReductionLoops loops(kernel.getElements(), combiner, range, emitPart);
  Accumulators sum =
      loops.emitBlocks(shift(range, start), threads.parts / kLanes, isVector);
  return block.emitNeighbours(combiner, sum, /*inOrder=*/isVector);
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
  return threads.stride != 1 ? emitStrided(request, combiner, range)
                             : emitNeighbours(request, combiner, range);
}

Accumulators ElementReduction::emitSection(Request &request,
                                           const ReductionRange &section) {
  Combiner combiner = makeCombiner(kernel, request.op, request.neutral);
  bool isShared = threads.parts > 1;
  auto emitIt = [&](const ReductionRange &range) {
    return emitRange(request, combiner, range, isShared);
  };
  if (section.length || !hasVectorLeaves(request))
    return emitIt(section);
  // All but the last one are whole, which makes for fewer loops.
  ReductionRange whole = section;
  whole.length = kSectionElements;
  return kernel.getElements().emitEither(
      loc, request.types, getIsWhole(section.begin, kSectionElements, section),
      [&] { return emitIt(whole); }, [&] { return emitIt(section); });
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
