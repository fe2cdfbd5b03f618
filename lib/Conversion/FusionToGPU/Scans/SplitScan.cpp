//===- SplitScan.cpp - Scans of rows that thread blocks share -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitScan.h"
#include "../GpuKernel.h"
#include "../TileKernel.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;
using arith::CmpIPredicate;

/// Of all blocks: those that have begun, and those that have ended.
static constexpr int64_t kBegun = 0, kEnded = 1;

/// Of so many blocks one thread asks again and again; fewer are done sooner if
/// all do.
static constexpr int64_t kManyBlocks = 64;

/// Sections of which a thread reads what they are combined to before it
/// combines them: a power of two.
static constexpr int64_t kAtOnce = 16;

Value ScanSections::getIndex(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value ScanSections::getInt(int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

Value ScanSections::add(Value lhs, Value rhs) {
  return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}

Value ScanSections::multiply(Value lhs, Value rhs) {
  return b.createOrFold<arith::MulIOp>(loc, lhs, rhs);
}

/// One more; gives what was counted before.
Value ScanSections::emitCount(Value counter, kernel::Order order) {
  return kernel::CounterAddOp::create(b, loc, getInt(1).getType(), counters,
                                      counter, getInt(1), order,
                                      kernel::Scope::Device);
}

MemRefType ScanSections::getCountersType(MLIRContext *context) {
  return MemRefType::get({ShapedType::kDynamic}, IntegerType::get(context, 32));
}

OpFoldResult ScanSections::emitPlaces(OpBuilder &b, Location loc,
                                      OpFoldResult rows, OpFoldResult sections,
                                      int64_t sectionsOfGroup) {
  OpFoldResult groups = emitCeilDiv(b, loc, sections, sectionsOfGroup);
  Value perRow = b.createOrFold<arith::AddIOp>(loc, emitIndex(b, loc, sections),
                                               emitIndex(b, loc, groups));
  return emitProduct(b, loc, {rows, getAsOpFoldResult(perRow)});
}

//===----------------------------------------------------------------------===//
// Begin and end
//===----------------------------------------------------------------------===//

void ScanSections::emitIfFirst(function_ref<void()> body) {
  emitIf(b, loc,
         emitCompare(b, loc, CmpIPredicate::eq, thread, b.getIndexAttr(0)),
         body);
}

/// One thread counts for all: those behind the next barrier get what was
/// counted before.
void ScanSections::emitBlockCount(int64_t counter, kernel::Order order) {
  Value before = emitCount(getIndex(counter), order);
  memref::StoreOp::create(b, loc, before, counted, getIndex(0));
}

Value ScanSections::emitCounted() {
  gpu::BarrierOp::create(b, loc);
  Value before = memref::LoadOp::create(b, loc, counted, getIndex(0));
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), before);
}

ScanSections::ScanSections(SegmentKernel &kernel, gpu::GPUFuncOp func,
                           int64_t threads, int64_t sectionsOfGroup,
                           ValueRange workspaces)
    : kernel(kernel), func(func), b(kernel.builder),
      loc(kernel.segment.getLoc()), threads(threads),
      sectionsOfGroup(sectionsOfGroup), workspaces(workspaces.drop_back()),
      counters(workspaces.back()),
      counted(addSharedMemory(func, loc, b.getI32Type(), 1)),
      thread(emitThread(b, loc)) {
  emitIfFirst([&] { emitBlockCount(kBegun, kernel::Order::Relaxed); });
  block = emitCounted();
}

void ScanSections::enter(const TileIndex &index) {
  const TileSpace &space = index.getSpace();
  OpFoldResult sections = space.axes[kScannedAxis].numTiles;
  OpFoldResult blocks = space.emitNumBlocks(b, loc);
  hasManyBlocks =
      getConstantIntValue(blocks).value_or(kManyBlocks) >= kManyBlocks;
  numBlocks = emitIndex(b, loc, blocks);
  numPlaces = emitIndex(
      b, loc,
      emitPlaces(b, loc, space.axes[0].numTiles, sections, sectionsOfGroup));
  Value row = index.getTile(0), section = index.getTile(kScannedAxis);
  Value perRow = emitIndex(b, loc, sections);
  Value groups =
      emitIndex(b, loc, emitCeilDiv(b, loc, sections, sectionsOfGroup));
  Value ofRow =
      arith::DivUIOp::create(b, loc, section, getIndex(sectionsOfGroup));
  number = arith::RemUIOp::create(b, loc, section, getIndex(sectionsOfGroup));
  place = add(multiply(row, perRow), section);
  first = arith::SubIOp::create(b, loc, place, number);
  group = add(numBlocks, add(multiply(row, groups), ofRow));
  if (getConstantIntValue(sections).value_or(sectionsOfGroup + 1) >
      sectionsOfGroup)
    isLater = arith::CmpIOp::create(b, loc, CmpIPredicate::uge, section,
                                    getIndex(sectionsOfGroup));
}

void ScanSections::emitEnd() {
  Value ended = emitCounted();
  Value isLast = arith::CmpIOp::create(b, loc, CmpIPredicate::eq,
                                       add(ended, getIndex(1)), numBlocks);
  emitIf(b, loc, isLast, [&] {
    kernel.getElements().emitLoop(
        loc, thread, add(numPlaces, getIndex(kCountersOfAll)),
        getIndex(threads), {}, [&](Value at, ValueRange) -> SmallVector<Value> {
          memref::StoreOp::create(b, loc, getInt(0), counters, at);
          return {};
        });
  });
}

//===----------------------------------------------------------------------===//
// Between blocks
//===----------------------------------------------------------------------===//

void ScanSections::emitTell(unsigned scan, Value place, Value value) {
  memref::StoreOp::create(b, loc, value, workspaces[scan], place);
  emitCount(add(place, getIndex(kCountersOfAll)), kernel::Order::Release);
}

/// Until a place has been told of.
void ScanSections::emitWait(unsigned scan, Value place) {
  kernel::CounterWaitOp::create(
      b, loc, counters, add(place, getIndex(kCountersOfAll)), getInt(scan + 1));
}

Value ScanSections::emitTold(const ScanCombiner &combiner, unsigned scan,
                             Value isThere, Value place) {
  auto get = [&]() -> SmallVector<Value> {
    emitWait(scan, place);
    return {memref::LoadOp::create(b, loc, workspaces[scan], place)};
  };
  return kernel.getElements().emitEither(
      loc, combiner.getType(), isThere, get, [&] {
        return SmallVector<Value>(1, combiner.getNeutral(combiner.getType()));
      })[0];
}

/// The section before the block's is the last one to be told of, nearly always.
/// One thread asks for it again and again; if all threads of all blocks did so
/// for theirs, reads of elements would be slower.
void ScanSections::emitWaitForLast(unsigned scan) {
  Value isBehind =
      emitCompare(b, loc, CmpIPredicate::ne, number, b.getIndexAttr(0));
  emitIf(b, loc, isBehind, [&] {
    Value last = arith::SubIOp::create(b, loc, place, getIndex(1));
    emitWait(scan, last);
  });
}

/// Into shared memory: of each section of the group before the block's what it
/// is combined to, then neutral elements.
void ScanSections::emitGather(const ScanCombiner &combiner, unsigned scan,
                              Value buffer) {
  for (int64_t from = 0; from < kScanSections; from += threads) {
    Value at = add(thread, getIndex(from));
    Value exists;
    if (kScanSections - from < threads)
      exists = emitCompare(b, loc, CmpIPredicate::ult, at,
                           b.getIndexAttr(kScanSections));
    emitIf(b, loc, exists, [&] {
      Value isBefore =
          arith::CmpIOp::create(b, loc, CmpIPredicate::ult, at, number);
      Value told = emitTold(combiner, scan, isBefore, add(first, at));
      memref::StoreOp::create(b, loc, told, buffer, at);
    });
  }
}

/// The sections of the group that are before the block's, one after the other.
Value ScanSections::emitChain(const ScanCombiner &combiner, unsigned scan,
                              Value buffer) {
  emitGather(combiner, scan, buffer);
  gpu::BarrierOp::create(b, loc);
  auto emit = [&](Value from, ValueRange carried) -> SmallVector<Value> {
    SmallVector<Value> values;
    for (int64_t i = 0; i < kAtOnce; ++i)
      values.push_back(
          memref::LoadOp::create(b, loc, buffer, add(from, getIndex(i))));
    Value before = carried.front();
    for (Value value : values)
      before = combiner.combine(before, value);
    return {before};
  };
  return kernel.getElements()
      .emitLoop(loc, getIndex(0), number, getIndex(kAtOnce),
                combiner.getNeutral(combiner.getType()), emit)
      .front();
}

/// The same of integers, where parts of any size may be combined first: by
/// shuffles, and what warps have through shared memory. Threads read neighbours
/// at a time, unless the scan needs the order: then each thread has neighbours,
/// and the first lane combines them with what comes behind.
Value ScanSections::emitTree(const ScanCombiner &combiner, unsigned scan,
                             Value buffer) {
  int64_t each = llvm::divideCeil(sectionsOfGroup, threads);
  bool inOrder = !combiner.getOp().isCommutative();
  Value value, own = inOrder ? multiply(thread, getIndex(each)) : thread;
  for (int64_t i = 0; i < each; ++i) {
    Value at = add(own, getIndex(inOrder ? i : i * threads));
    Value isBefore =
        arith::CmpIOp::create(b, loc, CmpIPredicate::ult, at, number);
    Value told = emitTold(combiner, scan, isBefore, add(first, at));
    value = value ? combiner.combine(value, told) : told;
  }
  for (int64_t mask = 1; mask < kWarpSize; mask *= 2)
    value = combiner.combine(
        value, emitShuffle(b, loc, value, getInt(mask), gpu::ShuffleMode::XOR));
  Value warp = arith::DivUIOp::create(b, loc, thread, getIndex(kWarpSize));
  Value lane = arith::RemUIOp::create(b, loc, thread, getIndex(kWarpSize));
  emitIf(b, loc,
         emitCompare(b, loc, CmpIPredicate::eq, lane, b.getIndexAttr(0)),
         [&] { memref::StoreOp::create(b, loc, value, buffer, warp); });
  gpu::BarrierOp::create(b, loc);
  Value all = combiner.getNeutral(combiner.getType());
  for (int64_t i = 0; i < std::min(threads, sectionsOfGroup) / kWarpSize; ++i)
    all = combiner.combine(all,
                           memref::LoadOp::create(b, loc, buffer, getIndex(i)));
  return all;
}

/// The next group waits for this one: what can be done before the groups before
/// are there is.
Value ScanSections::emitGroups(const ScanCombiner &combiner, unsigned scan,
                               Value sections, Value total) {
  Value own = combiner.combine(sections, total);
  Value before = arith::SubIOp::create(b, loc, group, getIndex(1));
  Value groups = emitTold(combiner, scan, isLater, before);
  Value isLast = emitCompare(b, loc, CmpIPredicate::eq, number,
                             b.getIndexAttr(sectionsOfGroup - 1));
  emitIf(b, loc, isLast,
         [&] { emitTell(scan, group, combiner.combine(groups, own)); });
  return groups;
}

Value ScanSections::emitBefore(const ScanCombiner &combiner, unsigned scan,
                               Value total) {
  Value &buffer = buffers[combiner.getType()];
  if (!buffer)
    buffer = addSharedMemory(func, loc, combiner.getType(), kScanSections + 1);
  else // All threads have read what another scan left there.
    gpu::BarrierOp::create(b, loc);
  emitIfFirst([&] {
    emitTell(scan, place, total);
    if (hasManyBlocks)
      emitWaitForLast(scan);
  });
  if (hasManyBlocks)
    gpu::BarrierOp::create(b, loc);
  Value sections = isa<IntegerType>(combiner.getType())
                       ? emitTree(combiner, scan, buffer)
                       : emitChain(combiner, scan, buffer);
  Value ofGroups = getIndex(kScanSections);
  emitIfFirst([&] {
    if (isLater)
      memref::StoreOp::create(b, loc,
                              emitGroups(combiner, scan, sections, total),
                              buffer, ofGroups);
    // All threads have waited for what they need, and no result is under way,
    // which this would wait for.
    if (scan + 1 == workspaces.size())
      emitBlockCount(kEnded, kernel::Order::AcqRel);
  });
  if (!isLater)
    return sections;
  gpu::BarrierOp::create(b, loc);
  Value groups = memref::LoadOp::create(b, loc, buffer, ofGroups);
  return combiner.combine(groups, sections);
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

LogicalResult fuser::lowerSplitScan(SegmentLowering &lowering,
                                    const TileProgram &program) {
  OpBuilder &host = lowering.getHostBuilder();
  OpBuilder b(lowering.getSegment().getContext());
  Location loc = lowering.getLoc();
  TileSpace space = program.emitSpace(host, loc, lowering.getInnerSizes());
  OpFoldResult numSections = space.axes[kScannedAxis].numTiles;
  bool areIntegers =
      llvm::all_of(program.scans->scans, [](fusion::ScanOpInterface scan) {
        return isa<IntegerType>(ScanCombiner::getType(scan));
      });
  int64_t sectionsOfGroup =
      getScanGroup(getConstantIntValue(numSections), areIntegers);
  Value places =
      emitIndex(host, loc,
                ScanSections::emitPlaces(host, loc, space.axes[0].numTiles,
                                         numSections, sectionsOfGroup));
  SmallVector<Value> arguments = space.emitInverses(host, loc);
  size_t numInverses = arguments.size();
  auto addWorkspace = [&](MemRefType type, Value size, bool isZeroed) {
    int64_t number = int64_t(arguments.size() - numInverses);
    arguments.push_back(
        host::WorkspaceOp::create(host, loc, type, number, size, isZeroed));
  };
  for (fusion::ScanOpInterface op : program.scans->scans)
    addWorkspace(
        MemRefType::get({ShapedType::kDynamic}, ScanCombiner::getType(op)),
        places, /*isZeroed=*/false);
  Value ofAll =
      arith::ConstantIndexOp::create(host, loc, ScanSections::kCountersOfAll);
  addWorkspace(ScanSections::getCountersType(host.getContext()),
               host.createOrFold<arith::AddIOp>(loc, places, ofAll),
               /*isZeroed=*/true);

  SmallVector<Type> types(ValueRange(arguments).getTypes());
  int64_t threads = program.schedule.layout.getThreads();
  gpu::GPUFuncOp func = createGpuKernel(
      b, lowering, {threads, program.schedule.minBlocks, "", types});
  SegmentKernel kernel(b, lowering.getSegment(), func.getArguments(),
                       &lowering.getSymbols());
  ValueRange own = ValueRange(func.getArguments()).take_back(types.size());
  ScanSections sections(kernel, func, threads, sectionsOfGroup,
                        own.drop_front(numInverses));
  TileEmitter emitter(kernel, program, func, own.take_front(numInverses),
                      &sections);
  if (failed(emitter.run()) ||
      failed(verifySharedBytes(lowering.getSegment(), func, /*bytes=*/0)))
    return failure();
  lowering.launch(func, {space.emitNumBlocks(host, loc), threads}, arguments);
  return success();
}
