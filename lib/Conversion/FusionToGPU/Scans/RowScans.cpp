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
                   gpu::GPUFuncOp func, ScanSections *sections)
    : TileScans(kernel, space, index, schedule, func), sections(sections),
      rows(schedule.layout.getExtent(0)),
      numWarps(llvm::divideCeil(countThreads(schedule), kWarpSize)),
      lanes(b, loc,
            llvm::Log2_64(std::min(countThreads(schedule), kWarpSize))) {}

SmallVector<Value> RowScans::getInit() const {
  SmallVector<Value> init;
  for (const ScanCombiner &combiner : combiners)
    llvm::append_range(init, SegmentChain::getInit(combiner));
  return init;
}

/// Into shared memory what segments are combined to, in their order. Warps
/// follow each other in a row, and the leaves of a thread in steps of all of
/// them. Two steps have memory of their own: before the third all threads have
/// read what the first one left there.
RowScans::Shared RowScans::emitShared(const ScanCombiner &combiner,
                                      ArrayRef<Value> segments, Value step) {
  int64_t numLeaves = static_cast<int64_t>(segments.size());
  int64_t numSegments = numWarps * numLeaves;
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
  return {buffer, first, warp, numLeaves};
}

/// What is before the thread's segment in each of its leaves: each thread goes
/// through all segments.
SmallVector<Value> RowScans::emitChain(const Shared &shared,
                                       SegmentChain &chain) {
  SmallVector<Value> areOwn;
  for (int64_t number = 0; number < numWarps; ++number)
    areOwn.push_back(emitCompare(b, loc, CmpIPredicate::eq, shared.warp,
                                 b.getIndexAttr(number)));
  SmallVector<Value> before;
  for (int64_t number = 0; number < shared.numLeaves; ++number) {
    chain.enter(number * numWarps);
    Value own = chain.getSegments();
    for (int64_t i = 0; i < numWarps; ++i) {
      if (i > 0)
        own = arith::SelectOp::create(b, loc, areOwn[i], chain.getSegments(),
                                      own);
      Value place = getConstant(number * numWarps + i);
      chain.add(memref::LoadOp::create(b, loc, shared.buffer,
                                       add(shared.first, place)));
    }
    before.push_back(chain.combineSections(own));
  }
  return before;
}

/// The same of a tile that is a section. One thread goes through the segments
/// and leaves there what is before each: the others have their registers for
/// elements, and wait for other sections in any case.
SmallVector<Value> RowScans::emitSectionChain(const ScanCombiner &combiner,
                                              const Shared &shared) {
  Type type = combiner.getType();
  Value neutral = combiner.getNeutral(type);
  Value isFirst =
      emitCompare(b, loc, CmpIPredicate::eq,
                  index.emitThreadAlong(kScannedAxis), b.getIndexAttr(0));
  auto emit = [&]() -> SmallVector<Value> {
    Value all = neutral;
    for (int64_t i = 0; i < numWarps * shared.numLeaves; ++i) {
      Value place = add(shared.first, getConstant(i));
      Value own = memref::LoadOp::create(b, loc, shared.buffer, place);
      memref::StoreOp::create(b, loc, all, shared.buffer, place);
      all = combiner.combine(all, own);
    }
    return {all};
  };
  Value total = kernel.getElements().emitEither(
      loc, type, isFirst, emit, [&] { return SmallVector<Value>{neutral}; })[0];
  auto scan = static_cast<unsigned>(&combiner - combiners.begin());
  Value ofOthers = sections->emitBefore(combiner, scan, total);
  SmallVector<Value> before;
  for (int64_t number = 0; number < shared.numLeaves; ++number) {
    Value place =
        add(add(shared.first, shared.warp), getConstant(number * numWarps));
    before.push_back(combiner.combine(
        ofOthers, memref::LoadOp::create(b, loc, shared.buffer, place)));
  }
  return before;
}

/// Sets `before` of the leaves.
void RowScans::emitSegments(const ScanCombiner &combiner,
                            MutableArrayRef<Leaf> leaves, SegmentChain &chain,
                            Value step) {
  SmallVector<Value> segments, before;
  for (Leaf &leaf : leaves) {
    LaneScan::Result scanned = lanes.emit(combiner, leaf.upTo.back());
    leaf.before = scanned.before;
    segments.push_back(scanned.all);
  }
  if (sections) {
    before = emitSectionChain(combiner, emitShared(combiner, segments, step));
  } else if (numWarps > 1) {
    before = emitChain(emitShared(combiner, segments, step), chain);
  } else {
    for (auto [number, segment] : llvm::enumerate(segments)) {
      chain.enter(int64_t(number));
      before.push_back(chain.combineSections(chain.getSegments()));
      chain.add(segment);
    }
  }
  for (auto [leaf, own] : llvm::zip(leaves, before))
    leaf.before = combiner.combine(own, leaf.before);
}

SmallVector<Value> RowScans::emit(ArrayRef<Piece> pieces, ValueRange before,
                                  Value step) {
  SmallVector<Value> after;
  for (const ScanCombiner &combiner : combiners) {
    SmallVector<Leaf, 0> leaves =
        emitLeaves(combiner, pieces, /*inVectors=*/true);
    SegmentChain chain(
        b, combiner, before.take_front(SegmentChain::kNumCarried), step,
        numWarps * static_cast<int64_t>(leaves.size()), hasGroups());
    before = before.drop_front(SegmentChain::kNumCarried);
    emitSegments(combiner, leaves, chain, step);
    llvm::append_range(after, chain.getCarried());
    bind(combiner, leaves, pieces, /*inVectors=*/true);
  }
  return after;
}
