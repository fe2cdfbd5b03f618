//===- OuterScans.cpp - Scans of columns that threads share ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OuterScans.h"
#include "../GpuKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;
using arith::CmpIPredicate;

static int64_t countLeaves(const schedule::TileSchedule &schedule) {
  return schedule.getExtent(kScannedAxis) /
         schedule.layout.getVector(kScannedAxis);
}

OuterScans::OuterScans(SegmentKernel &kernel, const ScanSpace &space,
                       TileIndex &index, const schedule::TileSchedule &schedule,
                       gpu::GPUFuncOp func)
    : TileScans(kernel, space, index, schedule, func),
      columns(schedule.layout.getExtent(0) * schedule.layout.getExtent(2)),
      threads(countLeaves(schedule) / schedule.repeat[kScannedAxis]),
      numLeaves(countLeaves(schedule)),
      numWarps(schedule.layout.getThreads() / kWarpSize),
      columnsOfWarp(llvm::divideCeil(columns, numWarps)),
      lanes(b, loc, llvm::Log2_64(std::min(numLeaves, kScanLanes))) {
  Value thread = emitThread(b, loc);
  warp = arith::DivUIOp::create(b, loc, thread, getConstant(kWarpSize));
  lane = arith::RemUIOp::create(b, loc, thread, getConstant(kWarpSize));
  Value column =
      add(multiply(index.emitThreadAlong(0), schedule.layout.getExtent(2)),
          multiply(index.emitThreadAlong(2), schedule.getVector()));
  firstPlace =
      add(multiply(index.emitThreadAlong(kScannedAxis), columns + 1), column);
}

SmallVector<Value> OuterScans::getInit() const {
  SmallVector<Value> init;
  for (const ScanCombiner &combiner : combiners)
    for (int64_t i = 0; i < columnsOfWarp; ++i)
      llvm::append_range(init, SegmentChain::getInit(combiner));
  return init;
}

/// The leaves of one column are one more than the columns apart: lanes that
/// access them do not meet in a bank. Scans of one width have one memory, as
/// integers: what a thread hands over lies where it has taken what was before
/// it, and between the two all others have a barrier.
Value OuterScans::getMemory(const ScanCombiner &combiner) {
  Type type = b.getIntegerType(combiner.getType().getIntOrFloatBitWidth());
  Value &buffer = memory[type];
  if (!buffer)
    buffer = addSharedMemory(func, loc, type, numLeaves * (columns + 1));
  return buffer;
}

Value OuterScans::emitLoad(const ScanCombiner &combiner, Value place) {
  Value bits =
      memref::LoadOp::create(b, loc, getMemory(combiner), ValueRange(place));
  return emitBitcast(b, loc, combiner.getType(), bits);
}

void OuterScans::emitStore(const ScanCombiner &combiner, Value value,
                           Value place) {
  Value memory = getMemory(combiner);
  value = emitBitcast(b, loc, getElementTypeOrSelf(memory.getType()), value);
  memref::StoreOp::create(b, loc, value, memory, place);
}

/// The place of the thread's leaf number `leaf` and one of its columns.
Value OuterScans::emitPlace(int64_t leaf, int64_t neighbour) {
  return add(firstPlace,
             getConstant(leaf * threads * (columns + 1) + neighbour));
}

void OuterScans::emitHandOver(const ScanCombiner &combiner,
                              ArrayRef<Leaf> leaves) {
  for (auto [number, leaf] : llvm::enumerate(leaves))
    for (int64_t i = 0; i < schedule.getVector(); ++i)
      emitStore(combiner, emitPiece(b, loc, leaf.upTo.back(), i, 1),
                emitPlace(int64_t(number), i));
}

void OuterScans::emitTakeOver(const ScanCombiner &combiner,
                              MutableArrayRef<Leaf> leaves) {
  for (auto [number, leaf] : llvm::enumerate(leaves)) {
    SmallVector<Value> before;
    for (int64_t i = 0; i < schedule.getVector(); ++i)
      before.push_back(emitLoad(combiner, emitPlace(int64_t(number), i)));
    leaf.before = emitConcat(b, loc, before);
  }
}

/// Replaces what each leaf of a column is combined to by what is before the
/// leaf. With fewer leaves than lanes, the last lanes have none.
SmallVector<Value> OuterScans::emitColumn(const ScanCombiner &combiner,
                                          Value column, ValueRange before,
                                          Value step) {
  Value hasLeaf;
  if (numLeaves < kScanLanes)
    hasLeaf = emitCompare(b, loc, CmpIPredicate::ult, lane,
                          b.getIndexAttr(numLeaves));
  Value place = add(multiply(lane, columns + 1), column);
  SegmentChain chain(b, combiner, before, step,
                     llvm::divideCeil(numLeaves, kScanLanes), hasGroups());
  for (int64_t first = 0; first < numLeaves; first += kScanLanes) {
    chain.enter(first / kScanLanes);
    Value at = add(place, getConstant(first * (columns + 1)));
    auto load = [&]() -> SmallVector<Value> {
      return {emitLoad(combiner, at)};
    };
    Value leaf =
        hasLeaf ? kernel.getElements()
                      .emitEither(
                          loc, combiner.getType(), hasLeaf, load,
                          [&]() -> SmallVector<Value> {
                            return {combiner.getNeutral(combiner.getType())};
                          })
                      .front()
                : load().front();
    LaneScan::Result scanned = lanes.emit(combiner, leaf);
    Value own = combiner.combine(chain.combineSections(chain.getSegments()),
                                 scanned.before);
    emitIf(b, loc, hasLeaf, [&] { emitStore(combiner, own, at); });
    chain.add(lanes.emitAll(scanned.upTo));
  }
  return chain.getCarried();
}

/// Scans the columns of the thread's warp, as far as there are so many.
SmallVector<Value> OuterScans::emitColumns(const ScanCombiner &combiner,
                                           ValueRange before, Value step) {
  SmallVector<Value> after;
  for (int64_t number = 0; number < columnsOfWarp; ++number) {
    ValueRange first = before.take_front(SegmentChain::kNumCarried);
    before = before.drop_front(SegmentChain::kNumCarried);
    Value column = add(warp, getConstant(number * numWarps));
    if (columns % numWarps == 0) {
      llvm::append_range(after, emitColumn(combiner, column, first, step));
      continue;
    }
    Value isThere = emitCompare(b, loc, CmpIPredicate::ult, column,
                                b.getIndexAttr(columns));
    llvm::append_range(
        after, kernel.getElements().emitEither(
                   loc, llvm::to_vector(first.getTypes()), isThere,
                   [&] { return emitColumn(combiner, column, first, step); },
                   [&] { return SmallVector<Value>(first); }));
  }
  return after;
}

SmallVector<Value> OuterScans::emit(ArrayRef<Piece> pieces, ValueRange before,
                                    Value step, ReadPieces read) {
  read(pieces);
  SmallVector<Value> after;
  for (const ScanCombiner &combiner : combiners) {
    SmallVector<Leaf, 0> leaves =
        emitLeaves(combiner, pieces, /*inVectors=*/false);
    emitHandOver(combiner, leaves);
    gpu::BarrierOp::create(b, loc);
    int64_t carried = columnsOfWarp * SegmentChain::kNumCarried;
    llvm::append_range(after,
                       emitColumns(combiner, before.take_front(carried), step));
    before = before.drop_front(carried);
    gpu::BarrierOp::create(b, loc);
    emitTakeOver(combiner, leaves);
    bind(combiner, leaves, pieces, /*inVectors=*/false);
  }
  return after;
}
