//===- ElementReduction.cpp - Reductions for one element ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementReduction.h"
#include "../GpuKernel.h"
#include "fuser/Support/SumOrder.h"
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
        request.op, elements.emit(loc, request.operand, request.index),
        request.index));
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
Accumulators ElementReduction::emitLeaf(Request &request,
                                        const Combiner &combiner, Value start,
                                        Value end,
                                        const ReductionRange &range) {
  auto whole = [&]() -> Accumulators {
    SmallVector<Value> positions;
    for (int64_t i = 0; i < kLeaf; ++i)
      positions.push_back(kernel.getElements().addIndex(loc, start, i));
    return emitNeighbourTree(combiner, emitPrepared(request, positions));
  };
  if (range.length && *range.length % kLeaf == 0)
    return whole();
  // Some may be missing: an element after the other.
  auto partial = [&] {
    return emitTree(
        kernel.getElements(), combiner, {start, end, 1, kLeaf},
        [&](Value at) { return emitPrepared(request, at).front(); });
  };
  if (range.isAtMost(kLeaf - 1))
    return partial();
  return kernel.getElements().emitEither(
      loc, request.types, getIsWhole(start, kLeaf, range), whole, partial);
}

/// By one thread: leaves and rounds of a section, and its lanes as a tree.
Accumulators ElementReduction::emitAlone(Request &request,
                                         const Combiner &combiner,
                                         const ReductionRange &range) {
  ElementEmitter &elements = kernel.getElements();
  Value end = emitIndex(b, loc, range.end);
  auto emitLane = [&](Value at) {
    auto leaf = [&](Value start) {
      return emitLeaf(request, combiner, start, end, range);
    };
    return range.isAtMost(kRoundElements)
               ? leaf(at)
               : emitChain(elements, combiner, at, end, kRoundElements, leaf);
  };
  Value start = range.begin ? range.begin : getConstant(0);
  int64_t lanes = kLanes;
  if (range.length)
    lanes = std::min<int64_t>(
        lanes,
        llvm::bit_ceil(uint64_t(llvm::divideCeil(*range.length, kLeaf))));
  return combiner.finish(
      emitTree(elements, combiner, {start, end, kLeaf, lanes}, emitLane));
}

//===----------------------------------------------------------------------===//
// Other dimensions than the last
//===----------------------------------------------------------------------===//

/// The rows of a part (SumOrder.h), of which there are `parts`: its chains as a
/// tree.
Accumulators ElementReduction::emitPart(Request &request,
                                        const Combiner &combiner,
                                        OpFoldResult count, Value part,
                                        Value parts) {
  ElementEmitter &elements = kernel.getElements();
  Value end = emitIndex(b, loc, count);
  Value slab = getConstant(kSlabRows);
  Value begin = arith::MulIOp::create(b, loc, part, slab);
  Value step = arith::MulIOp::create(b, loc, parts, slab);
  auto emitRow = [&](Value row, ValueRange sum) {
    return combiner.join(Accumulators(sum), emitPrepared(request, row).front());
  };
  auto emitChain = [&](Value chain) {
    return elements.emitLoop(
        loc, arith::AddIOp::create(b, loc, begin, chain), end, step,
        combiner.neutral, [&](Value first, ValueRange sum) {
          Value last = arith::MinUIOp::create(
              b, loc, elements.addIndex(loc, first, kSlabRows), end);
          return elements.emitLoop(loc, first, last, getConstant(kChains), sum,
                                   emitRow);
        });
  };
  return emitTree(elements, combiner,
                  {getConstant(0), getConstant(kChains), 1, kChains},
                  emitChain);
}

/// All rows: parts as trees, and these one after the other.
Accumulators ElementReduction::emitOuter(Request &request,
                                         const Combiner &combiner,
                                         OpFoldResult count) {
  std::optional<int64_t> known = getConstantIntValue(count);
  if (known && *known <= kChains) {
    SmallVector<Value> rows;
    for (int64_t row = 0; row < *known; ++row)
      rows.push_back(getConstant(row));
    return combiner.finish(
        emitNeighbourTree(combiner, emitPrepared(request, rows)));
  }
  Value parts = emitIndex(b, loc, emitNumParts(b, loc, count));
  int64_t most = known ? std::min(getNumParts(*known), kTreeParts) : kTreeParts;
  ElementEmitter &elements = kernel.getElements();
  auto emitParts = [&](Value first) {
    PartRange range{first, parts, 1, int64_t(llvm::bit_ceil(uint64_t(most)))};
    return emitTree(elements, combiner, range, [&](Value part) {
      return emitPart(request, combiner, count, part, parts);
    });
  };
  if (known && getNumParts(*known) <= kTreeParts)
    return combiner.finish(emitParts(getConstant(0)));
  return emitChain(elements, combiner, getConstant(0), parts, kTreeParts,
                   emitParts);
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
  if (!isShared)
    return emitAlone(request, combiner, range);
  return NeighbourReduction(kernel, walk, request, threads.part, threads.parts)
      .emit(range);
}

/// Whether the last dimension stays.
static bool isOuter(const ElementEmitter::ReductionRequest &request) {
  auto type = cast<RankedTensorType>(request.operand.getType());
  return !llvm::is_contained(request.dims, type.getRank() - 1);
}

Accumulators ElementReduction::emit(Request &request) {
  OpFoldResult count = getCount(request);
  Combiner combiner = makeCombiner(kernel, request.op, request.neutral);
  std::optional<int64_t> known = getConstantIntValue(count);
  if (known == 0)
    return request.neutral;
  if (isOuter(request))
    return emitOuter(request, combiner, count);
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
