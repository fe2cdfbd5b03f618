//===- TileStaging.cpp - Tiles that are handed over -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileStaging.h"
#include "GpuKernel.h"
#include "fuser/Schedule/TransposeHeuristic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include <map>
#include <numeric>

using namespace fuser;
using schedule::TileSchedule;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// The exclusive or of `bits[i]` for all bits i that are set in `number`, an
/// i32.
static Value emitPosition(OpBuilder &b, Location loc, Value number,
                          ArrayRef<int64_t> bits) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  };
  // Bits that move as far move at once.
  std::map<int64_t, int64_t> moves;
  for (auto [from, mask] : llvm::enumerate(bits))
    for (int64_t to = 0; mask >> to != 0; ++to)
      if (mask >> to & 1)
        moves[to - int64_t(from)] |= int64_t(1) << from;
  Value position;
  for (auto [distance, mask] : moves) {
    Value part = arith::AndIOp::create(b, loc, number, constant(mask));
    if (distance > 0)
      part = arith::ShLIOp::create(b, loc, part, constant(distance));
    if (distance < 0)
      part = arith::ShRUIOp::create(b, loc, part, constant(-distance));
    position = position ? arith::XOrIOp::create(b, loc, position, part) : part;
  }
  return position ? position : constant(0);
}

TileStaging::TileStaging(SegmentKernel &kernel, gpu::GPUFuncOp func,
                         const TileSchedule &schedule,
                         ArrayRef<PlainRead> reads, int64_t vector)
    : kernel(kernel), schedule(schedule), reads(reads), b(kernel.builder),
      loc(kernel.segment.getLoc()),
      across(schedule::getLaneAxis(schedule.staged)), vector(vector),
      isTurned(across + 1 != schedule.getNumAxes()),
      rows(isTurned ? vector : 1) {
  for (const PlainRead &read : reads)
    readTiles.push_back(
        createTile(func, kernel.getOperandAccess(read.operand)));
  for (int64_t result : schedule.results)
    resultTiles.push_back(createTile(func, kernel.getResultAccess(result)));
}

TileStaging::Tile TileStaging::createTile(gpu::GPUFuncOp func,
                                          const TensorAccess &access) {
  constexpr int64_t kMaxBytes = 16;
  Type element = access.getElementType();
  int64_t bytes = getStorageBytes(element);
  int64_t part = std::min(vector, kMaxBytes / bytes);
  SharedTile places(schedule.layout, schedule.staged, part, bytes);
  Value memref = addSharedMemory(func, loc, getStorageType(element),
                                 schedule.getElementsPerThread() *
                                     schedule.layout.getThreads());
  func.setWorkgroupAttributionAttr(func.getNumWorkgroupAttributions() - 1,
                                   LLVM::LLVMDialect::getAlignAttrName(),
                                   b.getI64IntegerAttr(kMaxBytes));
  Value thread =
      arith::IndexCastUIOp::create(b, loc, b.getI32Type(), emitThread(b, loc));
  auto getAll = [](ArrayRef<int64_t> masks) {
    return std::accumulate(masks.begin(), masks.end(), int64_t(0),
                           std::bit_or<>());
  };
  SmallVector<int64_t> staged = places.getThreadBits(schedule.staged),
                       used = places.getThreadBits(schedule.layout);
  return {places,
          TensorAccess(memref, element, part * bytes),
          part,
          emitPosition(b, loc, thread, staged),
          emitPosition(b, loc, thread, used),
          getAll(staged),
          getAll(used)};
}

/// The index in shared memory of the element at `offsets` from the first one.
Value TileStaging::emitIndex(const Tile &tile, ArrayRef<int64_t> offsets,
                             bool isStaged) {
  int64_t repeated = 0;
  SmallVector<int64_t> inside;
  for (auto [axis, offset] : llvm::enumerate(offsets)) {
    int64_t extent = schedule.layout.getExtent(axis);
    repeated = repeated * schedule.repeat[axis] + offset / extent;
    inside.push_back(offset % extent);
  }
  int64_t behind =
      repeated * schedule.layout.getRegisters() * schedule.layout.getThreads();
  Value first = isStaged ? tile.staged : tile.used;
  int64_t position = tile.places.getPosition(inside);
  if ((position & (isStaged ? tile.stagedBits : tile.usedBits)) != 0)
    first = arith::XOrIOp::create(
        b, loc, first, arith::ConstantIntOp::create(b, loc, position, 32));
  else
    behind += position;
  first = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), first);
  return kernel.getElements().addIndex(loc, first, behind);
}

/// Loads a vector along the last axis from shared memory.
Value TileStaging::emitLoad(const Tile &tile, ArrayRef<int64_t> offsets,
                            bool isStaged) {
  SmallVector<Value> parts;
  SmallVector<int64_t> at(offsets);
  for (int64_t i = 0; i < vector; i += tile.vector, at.back() += tile.vector)
    parts.push_back(
        tile.memory.load(b, loc, emitIndex(tile, at, isStaged), tile.vector));
  return emitConcat(b, loc, parts);
}

void TileStaging::emitStore(const Tile &tile, Value stored,
                            ArrayRef<int64_t> offsets, bool isStaged) {
  SmallVector<int64_t> at(offsets);
  for (int64_t i = 0; i < vector; i += tile.vector, at.back() += tile.vector)
    tile.memory.store(b, loc, emitPiece(b, loc, stored, i, tile.vector),
                      emitIndex(tile, at, isStaged));
}

//===----------------------------------------------------------------------===//
// Small tiles
//===----------------------------------------------------------------------===//

/// The columns of a matrix for its rows.
SmallVector<Value> TileStaging::emitTurned(ArrayRef<Value> rows) {
  if (!isTurned)
    return SmallVector<Value>(rows);
  SmallVector<Value> columns;
  for (int64_t i = 0, width = getWidth(rows.front()); i < width; ++i) {
    SmallVector<Value> column;
    for (Value row : rows)
      column.push_back(emitPiece(b, loc, row, i, 1));
    columns.push_back(emitConcat(b, loc, column));
  }
  return columns;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value TileStaging::emitGlobalRead(const PlainRead &read, const Piece &piece) {
  SmallVector<Value> index;
  int64_t neighbours = kLastDim;
  for (auto [number, expr] : llvm::enumerate(read.map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    index.push_back(dim ? piece.index[dim.getPosition()]
                        : kernel.getElements().getIndex(loc, 0));
    if (dim && dim.getPosition() == schedule.axes[across].back())
      neighbours = number;
  }
  kernel.setReadCondition(piece.inside);
  Value value =
      kernel.loadOperand(loc, read.operand, index, piece.width, neighbours);
  kernel.setReadCondition({});
  return value;
}

void TileStaging::emitReads(ArrayRef<Piece> pieces) {
  held.clear();
  for (const PlainRead &read : reads) {
    for (const Piece &piece : pieces)
      held.push_back(emitGlobalRead(read, piece));
    kernel.getElements().bind(
        kernel.segment.getBody().getArgument(read.operand), {});
  }
}

void TileStaging::emitReadsHandOver(ArrayRef<Piece> pieces) {
  ArrayRef<Value> values = held;
  for (const Tile &tile : readTiles)
    for (size_t first = 0; first < pieces.size(); first += rows) {
      SmallVector<int64_t, 3> at = pieces[first].offsets;
      for (Value column : emitTurned(values.take_front(rows))) {
        emitStore(tile, column, at, /*isStaged=*/true);
        ++at[across];
      }
      values = values.drop_front(rows);
    }
  for (const PlainRead &read : reads)
    bindRead(read.operand);
}

/// The number of the current piece's element that `map` maps to `index`; -1 if
/// there is none.
int64_t TileStaging::findCurrent(AffineMap map, ValueRange index) {
  auto last = schedule.axes.back().empty() ? -1 : schedule.axes.back().back();
  for (int64_t i = 0; i < current->width; ++i) {
    bool isSame = true;
    for (auto [expr, value] : llvm::zip(map.getResults(), index)) {
      auto of = dyn_cast<AffineDimExpr>(expr);
      if (!of) {
        isSame &= matchPattern(value, m_Zero());
        continue;
      }
      Value own = current->index[of.getPosition()];
      if (of.getPosition() == last)
        own = kernel.getElements().addIndex(loc, own, i);
      isSame &= value == own;
    }
    if (isSame)
      return i;
  }
  return -1;
}

/// Elements of an input, in storage type, neighbours along dimension `dim`:
/// from shared memory if they are there. Null if that takes several accesses.
Value TileStaging::emitRead(unsigned operand, ValueRange index, int64_t width,
                            int64_t dim) {
  auto last = schedule.axes.back().empty() ? -1 : schedule.axes.back().back();
  const TensorAccess &access = kernel.getOperandAccess(operand);
  for (auto [read, tile] : llvm::zip(reads, readTiles)) {
    if (read.operand != operand)
      continue;
    int64_t along = dim == kLastDim ? index.size() - 1 : dim;
    auto isLast = [&](AffineExpr expr) {
      auto of = dyn_cast<AffineDimExpr>(expr);
      return of && of.getPosition() == last;
    };
    if (width != 1 && !isLast(read.map.getResult(along)))
      continue;
    int64_t first = findCurrent(read.map, index);
    if (first >= 0)
      return emitPiece(b, loc, emitLoad(tile, current->offsets, false), first,
                       width);
  }
  if (width != 1 && dim != kLastDim && !access.isContiguous(dim))
    return nullptr;
  return kernel.loadOperand(loc, operand, index, width, dim);
}

void TileStaging::bindRead(unsigned operand) {
  auto load = [this, operand](OpBuilder &, Location, ValueRange index,
                              int64_t width, int64_t dim) {
    Type type = kernel.getOperandAccess(operand).getElementType();
    Value stored = emitRead(operand, index, width, dim);
    return stored ? emitToCompute(b, loc, stored, type) : stored;
  };
  kernel.getElements().bind(
      kernel.segment.getBody().getArgument(operand),
      [load](OpBuilder &b, Location loc, ValueRange index, int64_t width) {
        return load(b, loc, index, width, kLastDim);
      },
      load);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void TileStaging::emitHandOver(ArrayRef<Value> values) {
  for (auto [result, tile] : llvm::zip(schedule.results, resultTiles)) {
    Type type = kernel.getResultAccess(result).getElementType();
    emitStore(tile, emitToStorage(b, loc, values[result], type),
              current->offsets, /*isStaged=*/false);
  }
}

void TileStaging::emitWrites(ArrayRef<Piece> pieces) {
  for (; !pieces.empty(); pieces = pieces.drop_front(rows))
    emitIf(b, loc, pieces.front().inside, [&] {
      for (auto [result, tile] : llvm::zip(schedule.results, resultTiles)) {
        SmallVector<Value> columns;
        SmallVector<int64_t, 3> at = pieces.front().offsets;
        int64_t count = isTurned ? pieces.front().width : 1;
        for (int64_t i = 0; i < count; ++i, ++at[across])
          columns.push_back(emitLoad(tile, at, /*isStaged=*/true));
        for (auto [row, piece] : llvm::zip(emitTurned(columns), pieces))
          kernel.getResultAccess(result).store(b, loc, row, piece.index,
                                               schedule.axes[across].back());
      }
    });
}
