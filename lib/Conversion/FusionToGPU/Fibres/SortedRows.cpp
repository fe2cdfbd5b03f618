//===- SortedRows.cpp - Kernels over rows that are sorted -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SortedRows.h"
#include "../Reduction/PartialSums.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;
using arith::CmpIPredicate;

LogicalResult fuser::verifySortedAxes(fusion::SegmentOp segment,
                                      const schedule::TileSchedule &schedule,
                                      const schedule::OrderProblem &problem) {
  if (ArrayRef<int64_t>(schedule.axes[0]) ==
          ArrayRef<int64_t>(problem.rowDims) &&
      ArrayRef<int64_t>(schedule.axes[1]) == ArrayRef(problem.dim))
    return success();
  auto attr = cast<fusion::TileScheduleAttr>(*segment.getSchedule());
  return segment.emitOpError("expected the axes of its ")
         << attr.getKind()
         << " schedule to be all dimensions but the one that is sorted, and "
            "that one";
}

RowSizes::RowSizes(OpBuilder &b, Location loc, SegmentSizes &sizes,
                   const SortedRows &sorted)
    : dims(sizes.getDims(sorted.tensor, sorted.problem.rowDims)),
      number(emitProduct(b, loc, dims)),
      length(sizes.getDim(sorted.tensor, sorted.problem.dim)) {}

RowKernel::RowKernel(SegmentLowering &lowering, const SortedRows &sorted,
                     const GpuKernelOptions &options)
    : loc(lowering.getLoc()), b(loc.getContext()),
      func(createGpuKernel(b, lowering, options)),
      kernel(b, lowering.getSegment(), func.getArguments(),
             &lowering.getSymbols()),
      elements(kernel.getElements()), sorted(sorted),
      rows(b, loc, kernel.getSizes(), sorted),
      length(emitIndex(b, loc, rows.length)) {
  auto arguments =
      func.getArguments().take_front(func.getFunctionType().getNumInputs());
  llvm::append_range(workspaces,
                     arguments.take_back(options.workspaces.size()));
}

SmallVector<Value> RowKernel::getIndexOf(Value row, Value position) {
  SmallVector<Value> index(rows.dims.size() + 1);
  index[sorted.problem.dim] = position;
  SmallVector<Value> others =
      emitCoordinates(b, loc, row, rows.dims, isNarrow(rows.number));
  for (auto [dim, coordinate] : llvm::zip(sorted.problem.rowDims, others))
    index[dim] = coordinate;
  return index;
}

Value RowKernel::emitKey(Value row, Value position) {
  Value element = elements.emit(loc, sorted.tensor, getIndexOf(row, position));
  return kernel.withContext(loc, [&](fusion::EmitContext &ctx) {
    return sorted.emitKey(ctx, element, sorted.getElementType());
  });
}

Value RowKernel::getPlace(Value row, Value place) {
  return emitLinear(b, loc, {row, place}, {rows.number, rows.length},
                    getIndex(0));
}

Value RowKernel::load(Value workspace, Value row, Value place) {
  return toIndex(
      memref::LoadOp::create(b, loc, workspace, getPlace(row, place)));
}

void RowKernel::store(Value position, Value workspace, Value row, Value place) {
  Type type = cast<MemRefType>(workspace.getType()).getElementType();
  Value stored = arith::IndexCastUIOp::create(b, loc, type, position);
  memref::StoreOp::create(b, loc, stored, workspace, getPlace(row, place));
}

void fuser::forOwnElement(
    RowKernel &k, ArrayRef<OpFoldResult> sizes,
    function_ref<void(ArrayRef<Value> index, Value isThere)> emit) {
  OpFoldResult count = emitProduct(k.b, k.loc, sizes);
  Value number = k.add(emitBlockStart(k.b, k.loc, kElementThreads),
                       emitThread(k.b, k.loc));
  Value isThere = emitCompare(k.b, k.loc, CmpIPredicate::ult, number, count);
  Value last = k.sub(emitIndex(k.b, k.loc, count), k.getIndex(1));
  emit(emitCoordinates(k.b, k.loc, k.min(number, last), sizes, isNarrow(count)),
       isThere);
}
