//===- TileScans.cpp - Scans of the elements of a tile --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileScans.h"
#include "../GpuKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fuser;

TileScans::TileScans(SegmentKernel &kernel, const ScanSpace &space,
                     TileIndex &index, const schedule::TileSchedule &schedule,
                     gpu::GPUFuncOp func)
    : kernel(kernel), index(index), schedule(schedule), func(func),
      b(kernel.builder), loc(kernel.segment.getLoc()),
      leafSize(schedule.layout.getVector(kScannedAxis)),
      dim(schedule.axes[kScannedAxis].front()) {
  for (fusion::ScanOpInterface op : space.scans)
    combiners.emplace_back(kernel, op);
}

void TileScans::unbind() {
  for (const ScanCombiner &combiner : combiners)
    kernel.getElements().bind(combiner.getOp()->getResult(0), {});
}

SmallVector<TileScans::Leaf, 0>
TileScans::emitLeaves(const ScanCombiner &combiner, ArrayRef<Piece> pieces,
                      bool inVectors) {
  Value operand = fusion::getTensorOperands(combiner.getOp()).front()->get();
  SmallVector<Leaf, 0> leaves;
  auto getLeaf = [&](unsigned piece) {
    return pieces[piece].offsets[kScannedAxis] / leafSize;
  };
  for (unsigned first = 0, end = 0; first < pieces.size(); first = end) {
    SmallVector<Value> elements;
    for (; end < pieces.size() && getLeaf(end) == getLeaf(first); ++end) {
      const Piece &piece = pieces[end];
      index.enter(piece);
      Value read =
          kernel.getElements().emit(loc, operand, piece.index, piece.width);
      Value exists = inVectors ? index.emitExist(piece) : piece.inside;
      read = combiner.orNeutral(exists, read);
      for (int64_t i = 0; inVectors && i < piece.width; ++i)
        elements.push_back(emitPiece(b, loc, read, i, 1));
      if (!inVectors)
        elements.push_back(read);
    }
    leaves.push_back({first, end, combiner.emitLeaf(elements), Value()});
  }
  kernel.setReadCondition({});
  return leaves;
}

void TileScans::bind(const ScanCombiner &combiner, ArrayRef<Leaf> leaves,
                     ArrayRef<Piece> pieces, bool inVectors) {
  /// By where a piece begins.
  DenseMap<Value, Value> results;
  for (const Leaf &leaf : leaves) {
    ArrayRef<Value> upTo = leaf.upTo;
    for (const Piece &piece : pieces.slice(leaf.first, leaf.end - leaf.first)) {
      int64_t width = inVectors ? piece.width : 1;
      Value own =
          inVectors ? emitConcat(b, loc, upTo.take_front(width)) : upTo.front();
      upTo = upTo.drop_front(width);
      Value before = leaf.before;
      if (before.getType() != own.getType())
        before = vector::BroadcastOp::create(b, loc, own.getType(), before);
      results[piece.index[dim]] =
          combiner.emitRounded(combiner.combine(before, own));
    }
  }
  kernel.getElements().bind(
      combiner.getOp()->getResult(0),
      // Nothing but element-wise ops ask: for the pieces, as they are.
      [results, dim = dim](OpBuilder &, Location, ValueRange index, int64_t) {
        return results.at(index[dim]);
      });
}

Value TileScans::getBuffer(const ScanCombiner &combiner, int64_t size) {
  Value &buffer = buffers[combiner.getOp()];
  if (!buffer)
    buffer = addSharedMemory(func, loc, combiner.getType(), size);
  return buffer;
}

bool TileScans::hasGroups() const {
  std::optional<int64_t> length =
      getConstantIntValue(index.getSpace().axes[kScannedAxis].extent);
  return !length ||
         *length > leafSize * kScanLanes * kScanSegments * kScanSections;
}

Value TileScans::getConstant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value TileScans::add(Value lhs, Value rhs) {
  return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}

Value TileScans::multiply(Value value, int64_t factor) {
  return b.createOrFold<arith::MulIOp>(loc, value, getConstant(factor));
}
