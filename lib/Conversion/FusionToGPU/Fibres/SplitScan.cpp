//===- SplitScan.cpp - Scans of rows that thread blocks share -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few rows that are long: one thread block a row would leave most of the GPU
// idle. Three kernels instead, with a workspace for each scan:
//
//   sections  a thread block a section of a row (SumOrder.h): what it is
//             combined to
//   before    a thread block a row: of each section what those before it are
//             combined to, in its place
//   scan      a thread block a section: the results
//
// So the inputs are read twice.
//
//===----------------------------------------------------------------------===//

#include "../TileKernel.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;
using arith::CmpIPredicate;

/// Sections that a block reads at a time, one a thread, and of which one thread
/// reads so many before it combines them.
static constexpr int64_t kBeforeThreads = 256, kAtOnce = 16;

namespace {
/// The kernel between the other two, of one scan.
class BeforeEmitter {
public:
  BeforeEmitter(SegmentKernel &kernel, gpu::GPUFuncOp func,
                fusion::ScanOpInterface op, Value workspace)
      : elements(kernel.getElements()), b(kernel.builder),
        loc(kernel.segment.getLoc()), combiner(kernel, op),
        workspace(workspace),
        shared(addSharedMemory(func, loc, combiner.getType(), kBeforeThreads)),
        thread(emitThread(b, loc)) {}

  /// Of the block's row, which has so many sections.
  void emit(Value sections);

private:
  Value emitChain(Value before);
  Value emitStep(Value first, Value left, Value before);
  Value getIndex(int64_t value) { return elements.getIndex(loc, value); }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(b, loc, lhs, rhs);
  }

  ElementEmitter &elements;
  OpBuilder &b;
  Location loc;
  ScanCombiner combiner;
  Value workspace, shared, thread;
};
} // namespace

/// Replaces each value in shared memory by what is before it; gives what is
/// behind all.
Value BeforeEmitter::emitChain(Value before) {
  auto emit = [&](Value first, ValueRange carried) -> SmallVector<Value> {
    SmallVector<Value> places, values;
    for (int64_t i = 0; i < kAtOnce; ++i) {
      places.push_back(elements.addIndex(loc, first, i));
      values.push_back(memref::LoadOp::create(b, loc, shared, places.back()));
    }
    Value before = carried.front();
    for (auto [place, value] : llvm::zip(places, values)) {
      memref::StoreOp::create(b, loc, before, shared, place);
      before = combiner.combine(before, value);
    }
    return {before};
  };
  return elements
      .emitLoop(loc, getIndex(0), getIndex(kBeforeThreads), getIndex(kAtOnce),
                before, emit)
      .front();
}

/// Of the sections from number `first` of all rows on, of which the row has
/// `left`. Threads beyond its end have one that exists, and change nothing.
Value BeforeEmitter::emitStep(Value first, Value left, Value before) {
  Value isThere =
      arith::CmpIOp::create(b, loc, CmpIPredicate::ult, thread, left);
  Value last = arith::SubIOp::create(b, loc, left, getIndex(1));
  Value place = add(first, arith::MinUIOp::create(b, loc, thread, last));
  Value total = memref::LoadOp::create(b, loc, workspace, place);
  memref::StoreOp::create(b, loc, combiner.orNeutral(isThere, total), shared,
                          thread);
  gpu::BarrierOp::create(b, loc);
  Value isFirst =
      emitCompare(b, loc, CmpIPredicate::eq, thread, b.getIndexAttr(0));
  Value after =
      elements
          .emitEither(
              loc, before.getType(), isFirst,
              [&]() -> SmallVector<Value> { return {emitChain(before)}; },
              [&]() -> SmallVector<Value> { return {before}; })
          .front();
  gpu::BarrierOp::create(b, loc);
  emitIf(b, loc, isThere, [&] {
    Value own = memref::LoadOp::create(b, loc, shared, thread);
    memref::StoreOp::create(b, loc, own, workspace, place);
  });
  gpu::BarrierOp::create(b, loc);
  return after;
}

void BeforeEmitter::emit(Value sections) {
  Value begin = arith::MulIOp::create(b, loc, emitBlock(b, loc), sections);
  elements.emitLoop(loc, getIndex(0), sections, getIndex(kBeforeThreads),
                    combiner.getNeutral(combiner.getType()),
                    [&](Value at, ValueRange before) -> SmallVector<Value> {
                      Value left = arith::SubIOp::create(b, loc, sections, at);
                      return {emitStep(add(begin, at), left, before.front())};
                    });
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

namespace {
/// Of the kernels, and of their launches by the host program.
class SplitScan {
public:
  SplitScan(SegmentLowering &lowering, const TileProgram &program);

  LogicalResult launchTiles(StringRef suffix, bool isLast);
  LogicalResult launchBefore();

private:
  SegmentLowering &lowering;
  const TileProgram &program;
  OpBuilder &host;
  Location loc;
  TileSpace space;
  SmallVector<Value> workspaces;
};
} // namespace

SplitScan::SplitScan(SegmentLowering &lowering, const TileProgram &program)
    : lowering(lowering), program(program), host(lowering.getHostBuilder()),
      loc(lowering.getLoc()),
      space(program.emitSpace(host, loc, lowering.getInnerSizes())) {
  Value size = emitIndex(host, loc, space.emitNumBlocks(host, loc));
  for (auto [number, op] : llvm::enumerate(program.scans->scans)) {
    auto type =
        MemRefType::get({ShapedType::kDynamic}, ScanCombiner::getType(op));
    workspaces.push_back(host::WorkspaceOp::create(
        host, loc, type, int64_t(number), size, /*zeroed=*/false));
  }
}

LogicalResult SplitScan::launchTiles(StringRef suffix, bool isLast) {
  OpBuilder b(lowering.getSegment().getContext());
  SmallVector<Type> types = space.getInverseTypes(host);
  size_t numInverses = types.size();
  llvm::append_range(types, ValueRange(workspaces).getTypes());
  int64_t threads = program.schedule.layout.getThreads();
  gpu::GPUFuncOp func = createGpuKernel(
      b, lowering, {threads, program.schedule.minBlocks, suffix, types});
  SegmentKernel kernel(b, lowering.getSegment(), func.getArguments(),
                       &lowering.getSymbols());
  ValueRange own = ValueRange(func.getArguments()).take_back(types.size());
  TileEmitter emitter(kernel, program, func, own.take_front(numInverses));
  emitter.setSections(own.drop_front(numInverses));
  if (failed(isLast ? emitter.run() : emitter.emitTotals()))
    return failure();
  SmallVector<Value> arguments = space.emitInverses(host, loc);
  llvm::append_range(arguments, workspaces);
  lowering.launch(func, {space.emitNumBlocks(host, loc), threads}, arguments);
  return success();
}

LogicalResult SplitScan::launchBefore() {
  OpBuilder b(lowering.getSegment().getContext());
  SmallVector<Type> types(ValueRange(workspaces).getTypes());
  gpu::GPUFuncOp func = createGpuKernel(
      b, lowering, {kBeforeThreads, /*minBlocks=*/0, "_before", types});
  SegmentKernel kernel(b, lowering.getSegment(), func.getArguments(),
                       &lowering.getSymbols());
  TileSpace inner = program.emitSpace(b, loc, kernel.getSizes());
  Value sections = emitIndex(b, loc, inner.axes[kScannedAxis].numTiles);
  ValueRange own = ValueRange(func.getArguments()).take_back(types.size());
  for (auto [op, workspace] : llvm::zip(program.scans->scans, own))
    BeforeEmitter(kernel, func, op, workspace).emit(sections);
  lowering.launch(func, {space.axes[0].numTiles, kBeforeThreads}, workspaces);
  return kernel.getStatus();
}

LogicalResult fuser::lowerSplitScan(SegmentLowering &lowering,
                                    const TileProgram &program) {
  SplitScan scan(lowering, program);
  if (failed(scan.launchTiles("_sections", /*isLast=*/false)) ||
      failed(scan.launchBefore()))
    return failure();
  return scan.launchTiles("", /*isLast=*/true);
}
