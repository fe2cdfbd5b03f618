//===- GenericKernel.cpp - A thread an element -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuKernel.h"
#include "fuser/Conversion/SegmentKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace fuser;
using fusion::SegmentOp;

namespace {
/// Results of one shape, which a thread computes together.
struct Group {
  SymbolicShape shape;
  SmallVector<unsigned> results;
};
} // namespace

static SmallVector<Group> groupResults(SegmentOp segment,
                                       const ShapeSymbols &symbols) {
  SmallVector<Group> groups;
  for (unsigned i = 0; i < segment->getNumResults(); ++i) {
    SymbolicShape shape = symbols.getShape(segment.getYielded(i));
    auto *it = llvm::find_if(
        groups, [&](const Group &group) { return group.shape == shape; });
    if (it == groups.end())
      groups.push_back({shape, {i}});
    else
      it->results.push_back(i);
  }
  return groups;
}

/// The elements that thread `id` has of the results of `group`. All are
/// computed before the first is stored: it may be stored over an input.
static LogicalResult emitGroup(SegmentKernel &kernel, const Group &group,
                               Value id) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.segment.getLoc();
  Value first = kernel.segment.getYielded(group.results.front());
  SmallVector<OpFoldResult> sizes;
  for (unsigned d = 0; d < group.shape.size(); ++d)
    sizes.push_back(kernel.getDim(first, d));
  OpFoldResult count = emitProduct(b, loc, sizes);
  Value inBounds = emitCompare(b, loc, arith::CmpIPredicate::ult, id, count);
  bool ok = true;
  emitIf(b, loc, inBounds, [&] {
    ElementEmitter::Scope scope(kernel.getElements());
    SmallVector<Value> index =
        emitCoordinates(b, loc, id, sizes, isNarrow(count));
    SmallVector<Value> elements;
    for (unsigned result : group.results)
      elements.push_back(kernel.emitResult(loc, result, index, 1));
    ok = llvm::all_of(elements,
                      [](Value element) { return element != nullptr; });
    for (auto [result, element] : llvm::zip(group.results, elements))
      if (ok)
        kernel.storeResult(loc, result, element, index);
  });
  return success(ok);
}

LogicalResult fuser::emitGenericKernel(OpBuilder &b, SegmentOp segment,
                                       StringRef name,
                                       const ShapeSymbols &symbols) {
  auto schedule = cast<fusion::GenericScheduleAttr>(*segment.getSchedule());
  Location loc = segment.getLoc();
  gpu::GPUFuncOp func =
      createGpuKernel(b, segment, name, schedule.getThreads());
  SegmentKernel kernel(b, segment, func.getArguments());
  Value id = arith::AddIOp::create(
      b, loc, emitBlockStart(b, loc, schedule.getThreads()),
      emitThread(b, loc));
  for (const Group &group : groupResults(segment, symbols))
    if (failed(emitGroup(kernel, group, id)))
      return failure();
  return success();
}
