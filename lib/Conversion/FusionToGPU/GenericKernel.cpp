//===- GenericKernel.cpp - Some threads an element -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has `threads / parts` neighbouring elements of the results. Each is
// computed from scratch, by one thread, or by `parts` threads that share the
// work of its reductions (ElementReduction.h). Thread 0 of them stores.
//
// Threads beyond the last element work on the last one, and store nothing: all
// threads come to the barriers.
//
// Of an op that computes fibres a thread has a whole one; where several threads
// have one, the first of them does the work.
//
//===----------------------------------------------------------------------===//

#include "GpuKernel.h"
#include "Reduction/ElementReduction.h"
#include "Scans/ScanOrder.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Conversion/SegmentFibres.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace fuser;
using fusion::SegmentOp;

/// The blocks for the largest of the results, or for the fibres of the one.
static LaunchSize getLaunchSize(SegmentLowering &lowering,
                                fusion::GenericScheduleAttr schedule) {
  OpBuilder &b = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  int64_t perBlock = schedule.getThreads() / schedule.getParts();
  OpFoldResult most;
  if (fusion::FibreOpInterface op = getFibreOp(lowering.getSegment())) {
    SmallVector<OpFoldResult> sizes =
        lowering.getSizes(lowering.getSegment()->getResult(0));
    sizes.erase(sizes.begin() + op.getFibreDim());
    most = emitProduct(b, loc, sizes);
  } else {
    most = emitMostElements(lowering);
  }
  return {emitCeilDiv(b, loc, most, perBlock), schedule.getThreads()};
}

//===----------------------------------------------------------------------===//
// Fibres
//===----------------------------------------------------------------------===//

static void emitFibres(SegmentKernel &kernel, fusion::FibreOpInterface op,
                       const ElementThreads &threads) {
  OpBuilder &b = kernel.builder;
  Location loc = op.getLoc();
  OpFoldResult count = emitProduct(
      b, loc,
      kernel.getSizes().getDims(op->getResult(0), getFibreNumberDims(op)));
  Value works =
      emitCompare(b, loc, arith::CmpIPredicate::ult, threads.element, count);
  if (threads.part)
    works = emitAnd(b, loc, works,
                    emitCompare(b, loc, arith::CmpIPredicate::eq, threads.part,
                                b.getIndexAttr(0)));
  // Scans have one order on all GPUs, whoever does what.
  auto scan = dyn_cast<fusion::ScanOpInterface>(op.getOperation());
  auto emitScan = [&](fusion::FibreContext &ctx) {
    emitSerialScan(ScanCombiner(kernel, scan), ctx);
  };
  function_ref<void(fusion::FibreContext &)> emit;
  if (scan)
    emit = emitScan;
  emitIf(b, loc, works, [&] {
    emitFibre(kernel, op, threads.element, isNarrow(count), emit);
  });
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

LogicalResult fuser::lowerGeneric(SegmentLowering &lowering) {
  SegmentOp segment = lowering.getSegment();
  auto schedule = cast<fusion::GenericScheduleAttr>(*segment.getSchedule());
  OpBuilder b(segment.getContext());
  gpu::GPUFuncOp func = createGpuKernel(
      b, lowering, {schedule.getThreads(), schedule.getMinBlocks()});
  SegmentKernel kernel(b, segment, func.getArguments(), &lowering.getSymbols());
  ElementThreads threads(kernel, schedule.getThreads(), schedule.getParts());
  ElementReduction reduction(kernel, func, {threads.parts, threads.part});
  kernel.getElements().setReducer([&](ElementReduction::Request &request) {
    return reduction.emit(request);
  });
  if (fusion::FibreOpInterface op = getFibreOp(segment))
    emitFibres(kernel, op, threads);
  else
    emitElements(kernel, lowering.getSymbols(), threads);
  lowering.launch(func, getLaunchSize(lowering, schedule));
  return kernel.getStatus();
}
