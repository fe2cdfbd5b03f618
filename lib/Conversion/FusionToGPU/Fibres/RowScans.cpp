//===- RowScans.cpp - Scans of rows that threads share --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowScans.h"
#include "../GpuKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;
using arith::CmpIPredicate;

/// The number of threads that share a row, a power of two.
static int64_t countThreads(const schedule::TileSchedule &schedule) {
  return schedule.layout.getExtent(kScannedAxis) / schedule.getVector();
}

RowScans::RowScans(SegmentKernel &kernel, const ScanSpace &space,
                   TileIndex &index, const schedule::TileSchedule &schedule,
                   gpu::GPUFuncOp func)
    : TileScans(kernel, space, index, schedule, func),
      rows(schedule.layout.getExtent(0)),
      numWarps(llvm::divideCeil(countThreads(schedule), kWarpSize)),
      lanes(b, loc,
            llvm::Log2_64(std::min(countThreads(schedule), kWarpSize))) {}

SmallVector<Value> RowScans::getInit() const {
  return llvm::map_to_vector(combiners, [](const ScanCombiner &combiner) {
    return combiner.getNeutral(combiner.getType());
  });
}

/// Warps follow each other in a row, and the leaves of a thread in steps of all
/// of them. Two steps have memory of their own: before the third all threads
/// have read what the first one left there.
Value RowScans::emitShared(const ScanCombiner &combiner,
                           MutableArrayRef<Leaf> leaves,
                           ArrayRef<Value> segments, Value before, Value step) {
  int64_t numSegments = numWarps * static_cast<int64_t>(leaves.size());
  Value buffer = getBuffer(combiner, numSegments * rows * (step ? 2 : 1));
  Value first = getConstant(0);
  if (rows > 1)
    first = multiply(index.emitThreadAlong(0), numSegments);
  if (step)
    first =
        add(first, multiply(arith::AndIOp::create(b, loc, step, getConstant(1)),
                            numSegments * rows));
  Value thread = index.emitThreadAlong(kScannedAxis);
  Value warp = arith::DivUIOp::create(b, loc, thread, getConstant(kWarpSize));
  Value lane = arith::RemUIOp::create(b, loc, thread, getConstant(kWarpSize));
  Value isFirst =
      emitCompare(b, loc, CmpIPredicate::eq, lane, b.getIndexAttr(0));
  emitIf(b, loc, isFirst, [&] {
    for (auto [number, segment] : llvm::enumerate(segments))
      memref::StoreOp::create(
          b, loc, segment, buffer,
          add(add(first, warp), getConstant(int64_t(number) * numWarps)));
  });
  gpu::BarrierOp::create(b, loc);
  SmallVector<Value> areOwn;
  for (int64_t number = 0; number < numWarps; ++number)
    areOwn.push_back(
        emitCompare(b, loc, CmpIPredicate::eq, warp, b.getIndexAttr(number)));
  for (auto [number, leaf] : llvm::enumerate(leaves)) {
    Value own = before;
    for (int64_t i = 0; i < numWarps; ++i) {
      if (i > 0)
        own = arith::SelectOp::create(b, loc, areOwn[i], before, own);
      int64_t segment = int64_t(number) * numWarps + i;
      before = combiner.combine(
          before, memref::LoadOp::create(b, loc, buffer,
                                         add(first, getConstant(segment))));
    }
    leaf.before = combiner.combine(own, leaf.before);
  }
  return before;
}

/// Sets `before` of the leaves, and returns that of the first leaf behind them.
Value RowScans::emitSegments(const ScanCombiner &combiner,
                             MutableArrayRef<Leaf> leaves, Value before,
                             Value step) {
  SmallVector<Value> segments;
  for (Leaf &leaf : leaves) {
    LaneScan::Result scanned = lanes.emit(combiner, leaf.upTo.back());
    leaf.before = scanned.before;
    segments.push_back(scanned.all);
  }
  if (numWarps > 1)
    return emitShared(combiner, leaves, segments, before, step);
  for (auto [leaf, segment] : llvm::zip(leaves, segments)) {
    leaf.before = combiner.combine(before, leaf.before);
    before = combiner.combine(before, segment);
  }
  return before;
}

SmallVector<Value> RowScans::emit(ArrayRef<Piece> pieces, ValueRange before,
                                  Value step) {
  SmallVector<Value> after;
  for (auto [combiner, first] : llvm::zip(combiners, before)) {
    SmallVector<Leaf, 0> leaves =
        emitLeaves(combiner, pieces, /*inVectors=*/true);
    after.push_back(emitSegments(combiner, leaves, first, step));
    bind(combiner, leaves, pieces, /*inVectors=*/true);
  }
  return after;
}
