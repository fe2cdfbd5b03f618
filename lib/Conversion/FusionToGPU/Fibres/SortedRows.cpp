//===- SortedRows.cpp - Kernels over rows that are sorted -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SortedRows.h"
#include "../Reduction/PartialSums.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Schedule/OrderHeuristic.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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

Value RowKernel::emitKey(Value element) {
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

void RowKernel::storePosition(Value position, Value workspace, Value number) {
  Type type = cast<MemRefType>(workspace.getType()).getElementType();
  Value stored = arith::IndexCastUIOp::create(b, loc, type, position);
  memref::StoreOp::create(b, loc, stored, workspace, number);
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

Value fuser::emitBisection(RowKernel &k, Value low, Value high,
                           function_ref<Value(Value place)> isBefore) {
  Value one = k.getIndex(1);
  auto loop = scf::WhileOp::create(
      k.b, k.loc, TypeRange{low.getType(), high.getType()},
      ValueRange{low, high},
      [&](OpBuilder &, Location, ValueRange bounds) {
        Value isOpen = k.compare(CmpIPredicate::ult, bounds[0], bounds[1]);
        scf::ConditionOp::create(k.b, k.loc, isOpen, bounds);
      },
      [&](OpBuilder &, Location, ValueRange bounds) {
        ElementEmitter::Scope scope(k.elements);
        Value middle = arith::ShRUIOp::create(k.b, k.loc,
                                              k.add(bounds[0], bounds[1]), one);
        Value goesUp = isBefore(middle);
        Value next[] = {k.select(goesUp, k.add(middle, one), bounds[0]),
                        k.select(goesUp, bounds[1], middle)};
        scf::YieldOp::create(k.b, k.loc, next);
      });
  return loop.getResult(0);
}

RowTile fuser::emitOwnTile(RowKernel &k, OpFoldResult length) {
  int64_t columns = k.sorted.getTile();
  OpFoldResult tiles = emitCeilDiv(k.b, k.loc, length, columns);
  OpFoldResult count = emitProduct(k.b, k.loc, {k.rows.number, tiles});
  SmallVector<Value> at =
      emitCoordinates(k.b, k.loc, emitBlock(k.b, k.loc), {k.rows.number, tiles},
                      isNarrow(count));
  return {at[0], at[1],
          arith::MulIOp::create(k.b, k.loc, at[1], k.getIndex(columns))};
}

//===----------------------------------------------------------------------===//
// The host program
//===----------------------------------------------------------------------===//

void fuser::launchElements(SegmentLowering &lowering, gpu::GPUFuncOp kernel,
                           OpFoldResult count, ValueRange workspaces) {
  OpFoldResult blocks = emitCeilDiv(lowering.getHostBuilder(),
                                    lowering.getLoc(), count, kElementThreads);
  lowering.launch(kernel, {blocks, kElementThreads}, workspaces);
}

RowSort::RowSort(SegmentLowering &lowering, const SortedRows &sorted)
    : lowering(lowering), sorted(sorted), host(lowering.getHostBuilder()),
      loc(lowering.getLoc()),
      rows(host, loc, lowering.getInnerSizes(), sorted) {
  bool isNarrow = schedule::hasNarrowPositions(sorted.problem);
  positionType = host.getIntegerType(isNarrow ? 32 : 64);
  elements = emitProduct(host, loc, {rows.number, rows.length});
}

gpu::GPUFuncOp RowSort::createKernel(GpuKernelOptions options,
                                     TypeRange workspaces, EmitFn emit) {
  SmallVector<Type> types(workspaces);
  options.workspaces = types;
  RowKernel kernel(lowering, sorted, options);
  return failed(emit(kernel)) ? nullptr : kernel.func;
}

gpu::GPUFuncOp RowSort::createTileKernel(StringRef suffix, TypeRange workspaces,
                                         EmitFn emit) {
  const schedule::TileSchedule &schedule = sorted.schedule;
  int64_t ofTile = schedule.layout.getExtent(0);
  if (ofTile == 1)
    return createKernel(
        {schedule.layout.getThreads(), schedule.minBlocks, suffix}, workspaces,
        emit);
  lowering.getSegment().emitOpError(
      "expected tiles of one row in its schedule, because a row has several, "
      "or is not of the last dimension, got tiles of ")
      << ofTile;
  return nullptr;
}

void RowSort::launchTiles(gpu::GPUFuncOp kernel, ValueRange workspaces,
                          OpFoldResult length) {
  OpFoldResult tiles = emitProduct(
      host, loc,
      {rows.number, emitCeilDiv(host, loc, length, sorted.getTile())});
  lowering.launch(kernel, {tiles, sorted.schedule.layout.getThreads()},
                  workspaces);
}

Value RowSort::createWorkspace(int64_t number, Type element,
                               OpFoldResult size) {
  return host::WorkspaceOp::create(
      host, loc, MemRefType::get({ShapedType::kDynamic}, element), number,
      emitIndex(host, loc, size), /*zeroed=*/false);
}
