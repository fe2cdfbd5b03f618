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

SmallVector<Value> TileScans::emitElements(const ScanCombiner &combiner,
                                           ArrayRef<Piece> pieces,
                                           bool inVectors) {
  Value operand = fusion::getTensorOperands(combiner.getOp()).front()->get();
  SmallVector<Value> elements;
  for (const Piece &piece : pieces) {
    kernel.setReadCondition(piece.inside,
                            index.emitCutCount(piece, piece.index));
    Value read =
        kernel.getElements().emit(loc, operand, piece.index, piece.width);
    Value exists = inVectors ? index.emitExist(piece) : piece.inside;
    read = combiner.orNeutral(exists, read);
    for (int64_t i = 0; inVectors && i < piece.width; ++i)
      elements.push_back(emitPiece(b, loc, read, i, 1));
    if (!inVectors)
      elements.push_back(read);
  }
  kernel.setReadCondition({});
  return elements;
}

SmallVector<TileScans::Leaf, 0>
TileScans::emitLeaves(const ScanCombiner &combiner, ArrayRef<Piece> pieces,
                      bool inVectors) {
  SmallVector<Leaf, 0> leaves;
  auto getLeaf = [&](const Piece &piece) {
    return piece.offsets[kScannedAxis] / leafSize;
  };
  while (!pieces.empty()) {
    ArrayRef<Piece> own = pieces.take_while([&](const Piece &piece) {
      return getLeaf(piece) == getLeaf(pieces.front());
    });
    pieces = pieces.drop_front(own.size());
    leaves.push_back({SmallVector<Piece>(own),
                      combiner.emitLeaf(emitElements(combiner, own, inVectors)),
                      Value()});
  }
  return leaves;
}

/// The results of a leaf, by where its pieces begin.
void TileScans::emitResults(const ScanCombiner &combiner, const Leaf &leaf,
                            ArrayRef<Value> upTo, bool inVectors,
                            DenseMap<Value, Value> &results) {
  for (const Piece &piece : leaf.pieces) {
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

/// Nothing but element-wise ops ask: for the pieces, as they are.
void TileScans::bind(const ScanCombiner &combiner, ArrayRef<Leaf> leaves,
                     bool inVectors) {
  auto results = std::make_shared<DenseMap<Value, Value>>();
  if (schedule.stages == 0) {
    for (const Leaf &leaf : leaves)
      emitResults(combiner, leaf, leaf.upTo, inVectors, *results);
    leaves = {};
  }
  auto get = [this, &combiner, leaves = SmallVector<Leaf, 0>(leaves), inVectors,
              results](OpBuilder &, Location, ValueRange at, int64_t) {
    auto isAsked = [&](const Piece &piece) {
      return piece.index[dim] == at[dim];
    };
    // Once each, where it is stored: no thread holds all of them.
    for (const Leaf &leaf : leaves) {
      const Piece *asked = llvm::find_if(leaf.pieces, isAsked);
      if (asked == leaf.pieces.end() || results->contains(at[dim]))
        continue;
      SmallVector<Value> elements =
          emitElements(combiner, leaf.pieces, inVectors);
      emitResults(combiner, leaf, combiner.emitLeaf(elements), inVectors,
                  *results);
      index.enter(*asked);
    }
    return results->at(at[dim]);
  };
  kernel.getElements().bind(combiner.getOp()->getResult(0), get);
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
