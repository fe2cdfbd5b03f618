//===- RowScans.cpp - Scans of rows that threads share --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowScans.h"
#include "../GpuKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

/// Into shared memory what segments are combined to, in their order: the last
/// lane of each has it. Warps follow each other in a row, and the leaves of a
/// thread in steps of all of them. Two steps have memory of their own: before
/// the third all threads have read what the first one left there.
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
  Value isLast = emitCompare(b, loc, CmpIPredicate::eq, lane,
                             b.getIndexAttr(kWarpSize - 1));
  emitIf(b, loc, isLast, [&] {
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

/// What all segments are combined to. The calling thread goes through them and
/// leaves what is before each in its place.
Value RowScans::emitSegmentsBefore(const ScanCombiner &combiner,
                                   const Shared &shared) {
  Value all = combiner.getNeutral(combiner.getType());
  for (int64_t i = 0; i < numWarps * shared.numLeaves; ++i) {
    Value place = add(shared.first, getConstant(i));
    Value own = memref::LoadOp::create(b, loc, shared.buffer, place);
    memref::StoreOp::create(b, loc, all, shared.buffer, place);
    all = combiner.combine(all, own);
  }
  return all;
}

/// The same of integers by the lanes of a warp, each of which has some that
/// follow each other.
Value RowScans::emitSegmentsInLanes(const ScanCombiner &combiner,
                                    const Shared &shared) {
  int64_t each = numWarps * shared.numLeaves / kWarpSize;
  Value first =
      add(shared.first, multiply(index.emitThreadAlong(kScannedAxis), each));
  SmallVector<Value> own, upTo;
  for (int64_t i = 0; i < each; ++i)
    own.push_back(memref::LoadOp::create(b, loc, shared.buffer,
                                         add(first, getConstant(i))));
  upTo = combiner.emitLeaf(own);
  LaneScan ofWarp(b, loc, llvm::Log2_64(kWarpSize));
  LaneScan::Result scanned = ofWarp.emit(combiner, upTo.back());
  for (int64_t i = 0; i < each; ++i) {
    Value before =
        i == 0 ? scanned.before : combiner.combine(scanned.before, upTo[i - 1]);
    memref::StoreOp::create(b, loc, before, shared.buffer,
                            add(first, getConstant(i)));
  }
  return ofWarp.emitAll(scanned.upTo);
}

/// The same as emitChain of a tile that is a section. One thread or warp goes
/// through the segments: the others have their registers for elements, and wait
/// for other sections in any case.
SmallVector<Value> RowScans::emitSectionChain(const ScanCombiner &combiner,
                                              const Shared &shared) {
  Type type = combiner.getType();
  Value neutral = combiner.getNeutral(type);
  bool areIntegers = isa<IntegerType>(type);
  Value isFirst = emitCompare(b, loc, CmpIPredicate::ult,
                              index.emitThreadAlong(kScannedAxis),
                              b.getIndexAttr(areIntegers ? kWarpSize : 1));
  auto emit = [&]() -> SmallVector<Value> {
    return {areIntegers ? emitSegmentsInLanes(combiner, shared)
                        : emitSegmentsBefore(combiner, shared)};
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

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

/// Of so many elements a leaf. What is of one leaf in different threads lies
/// side by side.
RowScans::Parked::Parked(const RowScans &scans, Type type, int64_t elements)
    : elements(elements) {
  int64_t size = scans.schedule.countParked() * countThreads(scans.schedule);
  int64_t bytes = elements * getStorageBytes(type);
  access = TensorAccess(addSharedMemory(scans.func, scans.loc,
                                        getStorageType(type), size * elements),
                        type, bytes);
  gpu::GPUFuncOp func = scans.func;
  func.setWorkgroupAttributionAttr(func.getNumWorkgroupAttributions() - 1,
                                   LLVM::LLVMDialect::getAlignAttrName(),
                                   scans.b.getI64IntegerAttr(bytes));
}

RowScans::ParkedLeaves &RowScans::getParked(const ScanCombiner &combiner) {
  Type type = combiner.getType();
  auto [found, isNew] = parked.try_emplace(type);
  if (isNew) {
    found->second.upTo = Parked(*this, type, leafSize);
    if (!isa<IntegerType>(type))
      found->second.before = Parked(*this, type, 1);
  }
  return found->second;
}

Value RowScans::emitParkedPlace(const Parked &memory, unsigned leaf) {
  return add(multiply(index.emitThreadAlong(kScannedAxis), memory.elements),
             getConstant(leaf * memory.elements * countThreads(schedule)));
}

void RowScans::emitStore(const Parked &memory, unsigned leaf, Value value) {
  Type type = memory.access.getElementType();
  memory.access.store(b, loc, emitToStorage(b, loc, value, type),
                      emitParkedPlace(memory, leaf));
}

Value RowScans::emitLoad(const Parked &memory, unsigned leaf, int64_t width) {
  Value stored =
      memory.access.load(b, loc, emitParkedPlace(memory, leaf), width);
  return emitToCompute(b, loc, stored, memory.access.getElementType());
}

/// Leaves that only wait for what is before their section give their registers
/// to others. Of integers, any parts of which may be combined first, with what
/// is before them in their segment.
void RowScans::emitPark(const ScanCombiner &combiner, Scanned &scanned) {
  ParkedLeaves &memory = getParked(combiner);
  for (; scanned.numParked < scanned.leaves.size(); ++scanned.numParked) {
    Leaf &leaf = scanned.leaves[scanned.numParked];
    if (memory.before)
      emitStore(*memory.before, scanned.numParked, leaf.before);
    else
      for (Value &value : leaf.upTo)
        value = combiner.combine(leaf.before, value);
    emitStore(memory.upTo, scanned.numParked, emitConcat(b, loc, leaf.upTo));
    leaf.before = {};
  }
}

void RowScans::emitUnpark(const ScanCombiner &combiner, Scanned &scanned) {
  for (unsigned i = 0; i < scanned.numParked; ++i) {
    ParkedLeaves &memory = getParked(combiner);
    Leaf &leaf = scanned.leaves[i];
    Value upTo =
        emitLoad(memory.upTo, i, static_cast<int64_t>(leaf.upTo.size()));
    for (auto [number, value] : llvm::enumerate(leaf.upTo))
      value = emitPiece(b, loc, upTo, static_cast<int64_t>(number), 1);
    if (memory.before)
      leaf.before = emitLoad(*memory.before, i, 1);
  }
}

/// The leaves of these pieces, the first of which has this number.
void RowScans::emitPart(const ScanCombiner &combiner, ArrayRef<Piece> pieces,
                        unsigned first, Scanned &scanned) {
  for (Leaf &leaf : emitLeaves(combiner, pieces, /*inVectors=*/true)) {
    leaf.first += first;
    leaf.end += first;
    scanned.leaves.push_back(std::move(leaf));
  }
  for (Leaf &leaf : MutableArrayRef<Leaf>(scanned.leaves)
                        .drop_front(scanned.segments.size())) {
    LaneScan::Result segment = lanes.emit(combiner, leaf.upTo.back());
    leaf.before = segment.before;
    scanned.segments.push_back(segment.upTo);
  }
}

/// All but the last part of a thread's leaves wait in shared memory.
RowScans::Scanned RowScans::emitLeavesInParts(const ScanCombiner &combiner,
                                              ArrayRef<Piece> pieces,
                                              ReadPieces read) {
  Scanned scanned;
  auto getEnd = [&](int64_t part) {
    int64_t end = schedule.getLeavesBefore(part + 1) *
                  schedule.layout.getExtent(kScannedAxis);
    return llvm::partition_point(pieces, [&](const Piece &piece) {
      return piece.offsets[kScannedAxis] < end;
    });
  };
  const Piece *begin = pieces.begin();
  for (int64_t part = 0; part <= schedule.stages; ++part) {
    const Piece *end = getEnd(part);
    ArrayRef<Piece> own(begin, end);
    read(own);
    emitPart(combiner, own, static_cast<unsigned>(begin - pieces.begin()),
             scanned);
    if (part < schedule.stages)
      emitPark(combiner, scanned);
    begin = end;
  }
  return scanned;
}

/// Sets `before` of the leaves.
void RowScans::emitSegments(const ScanCombiner &combiner, Scanned &scanned,
                            SegmentChain &chain, Value step) {
  ArrayRef<Value> segments = scanned.segments;
  SmallVector<Value> before;
  if (sections) {
    before = emitSectionChain(combiner, emitShared(combiner, segments, step));
  } else if (numWarps > 1) {
    before = emitChain(emitShared(combiner, segments, step), chain);
  } else {
    for (auto [number, segment] : llvm::enumerate(segments)) {
      chain.enter(int64_t(number));
      before.push_back(chain.combineSections(chain.getSegments()));
      chain.add(lanes.emitAll(segment));
    }
  }
  emitUnpark(combiner, scanned);
  for (auto [leaf, own] : llvm::zip(scanned.leaves, before))
    leaf.before = leaf.before ? combiner.combine(own, leaf.before) : own;
}

SmallVector<Value> RowScans::emit(ArrayRef<Piece> pieces, ValueRange before,
                                  Value step, ReadPieces read) {
  SmallVector<Value> after;
  for (const ScanCombiner &combiner : combiners) {
    bool isRead = &combiner != combiners.begin();
    Scanned scanned =
        emitLeavesInParts(combiner, pieces, [&](ArrayRef<Piece> part) {
          if (!isRead)
            read(part);
        });
    SegmentChain chain(
        b, combiner, before.take_front(SegmentChain::kNumCarried), step,
        numWarps * static_cast<int64_t>(scanned.leaves.size()), hasGroups());
    before = before.drop_front(SegmentChain::kNumCarried);
    emitSegments(combiner, scanned, chain, step);
    llvm::append_range(after, chain.getCarried());
    bind(combiner, scanned.leaves, pieces, /*inVectors=*/true);
  }
  return after;
}
