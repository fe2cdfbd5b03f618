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
//===----------------------------------------------------------------------===//

#include "GpuKernel.h"
#include "Reduction/ElementReduction.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace fuser;
using arith::CmpIPredicate;
using fusion::SegmentOp;

namespace {
class GenericEmitter {
public:
  GenericEmitter(SegmentKernel &kernel, fusion::GenericScheduleAttr schedule,
                 gpu::GPUFuncOp func);
  void run(ArrayRef<unsigned> group);

private:
  void emitElements(ArrayRef<unsigned> group, ArrayRef<OpFoldResult> sizes,
                    OpFoldResult count);
  Value getConstant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  SegmentKernel &kernel;
  OpBuilder &b;
  Location loc;
  ElementReduction::Threads threads;
  Value blockStart; ///< The number of the block's first element.
  Value element;    ///< The number of the thread's element.
  std::optional<ElementReduction> reduction;
};
} // namespace

GenericEmitter::GenericEmitter(SegmentKernel &kernel,
                               fusion::GenericScheduleAttr schedule,
                               gpu::GPUFuncOp func)
    : kernel(kernel), b(kernel.builder), loc(kernel.segment.getLoc()) {
  int64_t parts = schedule.getParts();
  threads = {parts, nullptr};
  Value thread = emitThread(b, loc);
  Value inBlock = thread;
  if (parts > 1) {
    Value width = getConstant(parts);
    inBlock = arith::DivUIOp::create(b, loc, thread, width);
    threads.part = arith::RemUIOp::create(b, loc, thread, width);
  }
  reduction.emplace(kernel, func, threads);
  kernel.getElements().setReducer([this](ElementReduction::Request &request) {
    return reduction->emit(request);
  });
  blockStart = emitBlockStart(b, loc, schedule.getThreads() / parts);
  element = arith::AddIOp::create(b, loc, blockStart, inBlock);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// All elements are computed before the first is stored: it may be stored over
/// an input.
void GenericEmitter::emitElements(ArrayRef<unsigned> group,
                                  ArrayRef<OpFoldResult> sizes,
                                  OpFoldResult count) {
  ElementEmitter::Scope scope(kernel.getElements());
  Value inBounds = emitCompare(b, loc, CmpIPredicate::ult, element, count);
  Value position = element;
  if (threads.parts > 1) {
    Value last =
        arith::SubIOp::create(b, loc, emitIndex(b, loc, count), getConstant(1));
    position = arith::MinUIOp::create(b, loc, element, last);
    Value isFirst =
        emitCompare(b, loc, CmpIPredicate::eq, threads.part, b.getIndexAttr(0));
    inBounds = arith::AndIOp::create(b, loc, inBounds, isFirst);
  }
  SmallVector<Value> index =
      emitCoordinates(b, loc, position, sizes, isNarrow(count));
  SmallVector<Value> elements;
  for (unsigned result : group)
    elements.push_back(kernel.emitResult(loc, result, index, 1));
  // One part may store over what another still reads.
  if (threads.parts > 1)
    emitBarrierBeforeReuse(b, kernel.segment, group);
  emitIf(b, loc, inBounds, [&] {
    for (auto [result, value] : llvm::zip(group, elements))
      kernel.storeResult(loc, result, value, index);
  });
}

void GenericEmitter::run(ArrayRef<unsigned> group) {
  SmallVector<OpFoldResult> sizes =
      kernel.getSizes().getDims(kernel.segment.getYielded(group.front()));
  OpFoldResult count = emitProduct(b, loc, sizes);
  // A block has some of the elements or none: its threads come to the same
  // barriers. A thread alone has no barrier to come to.
  Value first = threads.parts > 1 ? blockStart : element;
  emitIf(b, loc, emitCompare(b, loc, CmpIPredicate::ult, first, count),
         [&] { emitElements(group, sizes, count); });
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

/// The blocks for the largest of the results.
static LaunchSize getLaunchSize(SegmentLowering &lowering,
                                fusion::GenericScheduleAttr schedule) {
  OpBuilder &b = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  int64_t perBlock = schedule.getThreads() / schedule.getParts();
  OpFoldResult most = emitMostElements(lowering);
  return {emitCeilDiv(b, loc, most, perBlock), schedule.getThreads()};
}

LogicalResult fuser::lowerGeneric(SegmentLowering &lowering) {
  SegmentOp segment = lowering.getSegment();
  auto schedule = cast<fusion::GenericScheduleAttr>(*segment.getSchedule());
  OpBuilder b(segment.getContext());
  gpu::GPUFuncOp func = createGpuKernel(
      b, lowering, {schedule.getThreads(), schedule.getMinBlocks()});
  SegmentKernel kernel(b, segment, func.getArguments(), &lowering.getSymbols());
  GenericEmitter emitter(kernel, schedule, func);
  for (ArrayRef<unsigned> group : groupResults(segment, lowering.getSymbols()))
    emitter.run(group);
  lowering.launch(func, getLaunchSize(lowering, schedule));
  return kernel.getStatus();
}
