//===- TileStaging.cpp - Tiles that are handed over -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileStaging.h"
#include "GpuKernel.h"
#include "fuser/Schedule/TransposeHeuristic.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace fuser;
using schedule::TileSchedule;

TileStaging::TileStaging(SegmentKernel &kernel, gpu::GPUFuncOp func,
                         const TileSchedule &schedule,
                         ArrayRef<PlainRead> reads)
    : kernel(kernel), schedule(schedule), reads(reads), b(kernel.builder),
      loc(kernel.segment.getLoc()) {
  for (const PlainRead &read : reads)
    readTiles.push_back(
        createTile(func, kernel.getOperandAccess(read.operand)));
  for (int64_t result : schedule.results)
    resultTiles.push_back(createTile(func, kernel.getResultAccess(result)));
  for (const PlainRead &read : reads)
    bindRead(read.operand);
}

Value TileStaging::createTile(gpu::GPUFuncOp func, const TensorAccess &access) {
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  Type element = access.getElementType();
  SmallVector<int64_t> shape =
      schedule::getStagedShape(schedule, getStorageBytes(element));
  auto memref = MemRefType::get(shape, getStorageType(element),
                                MemRefLayoutAttrInterface(), space);
  return func.addWorkgroupAttribution(memref, loc);
}

/// In shared memory.
SmallVector<Value> TileStaging::getPosition(const Piece &piece) const {
  SmallVector<Value> position;
  for (int64_t axis : schedule::getStagedOrder(schedule))
    position.push_back(piece.inTile[axis]);
  return position;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// All reads first, so that they are under way together.
void TileStaging::emitReads(ArrayRef<Piece> pieces) {
  SmallVector<Value> values;
  for (const PlainRead &read : reads) {
    const TensorAccess &access = kernel.getOperandAccess(read.operand);
    for (const Piece &piece : pieces) {
      SmallVector<Value> index;
      for (AffineExpr expr : read.map.getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        index.push_back(dim ? piece.index[dim.getPosition()]
                            : kernel.getElements().getIndex(loc, 0));
      }
      values.push_back(access.load(b, loc, index, /*width=*/1));
    }
  }
  for (auto [i, value] : llvm::enumerate(values))
    memref::StoreOp::create(b, loc, value, readTiles[i / pieces.size()],
                            getPosition(pieces[i % pieces.size()]));
}

/// True if the index that `map` makes of the current piece's is `index`.
bool TileStaging::isCurrent(AffineMap map, ValueRange index) const {
  return llvm::all_of(llvm::zip(map.getResults(), index), [&](auto both) {
    auto [expr, value] = both;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim ? value == current->index[dim.getPosition()]
               : matchPattern(value, m_Zero());
  });
}

/// An element of an input, in storage type: from shared memory if it is there.
Value TileStaging::emitRead(unsigned operand, ValueRange index) {
  for (auto [read, tile] : llvm::zip(reads, readTiles))
    if (read.operand == operand && isCurrent(read.map, index))
      return memref::LoadOp::create(b, loc, tile, getPosition(*current));
  return kernel.loadOperand(loc, operand, index, /*width=*/1);
}

void TileStaging::bindRead(unsigned operand) {
  auto load = [this, operand](OpBuilder &, Location, ValueRange index,
                              int64_t) {
    Type type = kernel.getOperandAccess(operand).getElementType();
    return emitToCompute(b, loc, emitRead(operand, index), type,
                         Precision::Native);
  };
  kernel.getElements().bind(kernel.segment.getBody().getArgument(operand),
                            load);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void TileStaging::emitHandOver(ArrayRef<Value> values) {
  for (auto [result, tile] : llvm::zip(schedule.results, resultTiles)) {
    Type type = kernel.getResultAccess(result).getElementType();
    memref::StoreOp::create(b, loc, emitToStorage(b, loc, values[result], type),
                            tile, getPosition(*current));
  }
}

void TileStaging::emitWrites(ArrayRef<Piece> pieces) {
  for (const Piece &piece : pieces)
    emitIf(b, loc, piece.inside, [&] {
      for (auto [result, tile] : llvm::zip(schedule.results, resultTiles)) {
        Value stored = memref::LoadOp::create(b, loc, tile, getPosition(piece));
        kernel.getResultAccess(result).store(b, loc, stored, piece.index);
      }
    });
}
