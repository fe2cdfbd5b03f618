//===- RowScans.cpp - Scans of rows that threads share --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowScans.h"
#include "../GpuKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fuser;
using arith::CmpIPredicate;

/// Elements that a thread has beside each other.
struct RowScans::Leaf {
  /// Of which pieces, by number.
  unsigned first, end;
  /// What the leaf's elements are combined to, up to each one.
  SmallVector<Value> upTo;
  /// What is before the leaf: in the segment, and at last in the row.
  Value before;
  Value segment; ///< What all of its segment is combined to.
};

/// The columns' threads, a power of two of them.
static int64_t countThreads(const schedule::TileSchedule &schedule) {
  int64_t columns = schedule.getNumAxes() - 1;
  return schedule.layout.getExtent(columns) / schedule.getVector();
}

RowScans::RowScans(SegmentKernel &kernel, const ScanSpace &space,
                   TileIndex &index, const schedule::TileSchedule &schedule,
                   gpu::GPUFuncOp func)
    : kernel(kernel), index(index), func(func), b(kernel.builder),
      loc(kernel.segment.getLoc()), leafSize(schedule.getVector()),
      rows(schedule.layout.getExtent(schedule.getNumAxes() - 2)),
      numWarps(llvm::divideCeil(countThreads(schedule), kWarpSize)),
      lanes(b, loc,
            llvm::Log2_64(std::min(countThreads(schedule), kWarpSize))) {
  for (fusion::ScanOpInterface op : space.scans)
    combiners.emplace_back(kernel, op);
}

void RowScans::unbind() {
  for (const ScanCombiner &combiner : combiners)
    kernel.getElements().bind(combiner.getOp()->getResult(0), {});
}

SmallVector<Value> RowScans::getNeutral() const {
  return llvm::map_to_vector(combiners, [](const ScanCombiner &combiner) {
    return combiner.getNeutral(combiner.getType());
  });
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

/// What there is of the leaves, and of the segments that the lanes have.
SmallVector<RowScans::Leaf, 0>
RowScans::emitLeaves(const ScanCombiner &combiner, ArrayRef<Piece> pieces) {
  Value operand = fusion::getTensorOperands(combiner.getOp()).front()->get();
  SmallVector<Leaf, 0> leaves;
  for (unsigned first = 0, end = 0; first < pieces.size(); first = end) {
    int64_t number = pieces[first].offsets.back() / leafSize;
    SmallVector<Value> elements;
    for (;
         end < pieces.size() && pieces[end].offsets.back() / leafSize == number;
         ++end) {
      const Piece &piece = pieces[end];
      kernel.setReadCondition(piece.inside,
                              index.emitCutCount(piece, piece.index));
      Value read =
          kernel.getElements().emit(loc, operand, piece.index, piece.width);
      read = combiner.orNeutral(index.emitExist(piece), read);
      for (int64_t i = 0; i < piece.width; ++i)
        elements.push_back(emitPiece(b, loc, read, i, 1));
    }
    SmallVector<Value> upTo = combiner.emitLeaf(elements);
    LaneScan::Result scanned = lanes.emit(combiner, upTo.back());
    leaves.push_back(
        {first, end, std::move(upTo), scanned.before, scanned.all});
  }
  kernel.setReadCondition({});
  return leaves;
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

Value RowScans::getBuffer(const ScanCombiner &combiner, int64_t size) {
  Value &buffer = buffers[combiner.getOp()];
  if (buffer)
    return buffer;
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto type = MemRefType::get({size}, combiner.getType(),
                              MemRefLayoutAttrInterface(), space);
  return buffer = func.addWorkgroupAttribution(type, loc);
}

/// Warps follow each other in a row, and the leaves of a thread in steps of all
/// of them. Two steps have memory of their own: before the third all threads
/// have read what the first one left there.
Value RowScans::emitShared(const ScanCombiner &combiner,
                           MutableArrayRef<Leaf> leaves, Value before,
                           Value step) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  };
  auto multiply = [&](Value value, int64_t factor) -> Value {
    return b.createOrFold<arith::MulIOp>(loc, value, constant(factor));
  };
  int64_t numSegments = numWarps * static_cast<int64_t>(leaves.size());
  Value buffer = getBuffer(combiner, numSegments * rows * (step ? 2 : 1));
  Value first = constant(0);
  if (rows > 1)
    first = multiply(index.emitThreadAlong(0), numSegments);
  if (step)
    first =
        add(first, multiply(arith::AndIOp::create(b, loc, step, constant(1)),
                            numSegments * rows));
  Value thread = index.emitThreadAlong(1);
  Value warp = arith::DivUIOp::create(b, loc, thread, constant(kWarpSize));
  Value lane = arith::RemUIOp::create(b, loc, thread, constant(kWarpSize));
  Value isFirst =
      emitCompare(b, loc, CmpIPredicate::eq, lane, b.getIndexAttr(0));
  emitIf(b, loc, isFirst, [&] {
    for (auto [number, leaf] : llvm::enumerate(leaves))
      memref::StoreOp::create(
          b, loc, leaf.segment, buffer,
          add(add(first, warp), constant(int64_t(number) * numWarps)));
  });
  gpu::BarrierOp::create(b, loc);
  SmallVector<Value> areOwn;
  for (int64_t number = 0; number < numWarps; ++number)
    areOwn.push_back(
        emitCompare(b, loc, CmpIPredicate::eq, warp, b.getIndexAttr(number)));
  for (auto [number, leaf] : llvm::enumerate(leaves)) {
    Value own = before;
    for (int64_t i = 0; i < numWarps; ++i) {
      if (i > 0)
        own = arith::SelectOp::create(b, loc, areOwn[i], before, own);
      int64_t segment = int64_t(number) * numWarps + i;
      before = combiner.combine(
          before, memref::LoadOp::create(b, loc, buffer,
                                         add(first, constant(segment))));
    }
    leaf.before = combiner.combine(own, leaf.before);
  }
  return before;
}

/// Puts what is before the row's segments before the leaves.
Value RowScans::emitSegments(const ScanCombiner &combiner,
                             MutableArrayRef<Leaf> leaves, Value before,
                             Value step) {
  if (numWarps > 1)
    return emitShared(combiner, leaves, before, step);
  for (Leaf &leaf : leaves) {
    leaf.before = combiner.combine(before, leaf.before);
    before = combiner.combine(before, leaf.segment);
  }
  return before;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void RowScans::bind(const ScanCombiner &combiner, ArrayRef<Leaf> leaves,
                    ArrayRef<Piece> pieces) {
  /// By where a piece begins.
  DenseMap<Value, Value> results;
  for (const Leaf &leaf : leaves) {
    ArrayRef<Value> upTo = leaf.upTo;
    for (const Piece &piece : pieces.slice(leaf.first, leaf.end - leaf.first)) {
      Value own = emitConcat(b, loc, upTo.take_front(piece.width));
      upTo = upTo.drop_front(piece.width);
      Value before = leaf.before;
      if (piece.width > 1)
        before = vector::BroadcastOp::create(b, loc, own.getType(), before);
      results[piece.index.back()] =
          combiner.emitRounded(combiner.combine(before, own));
    }
  }
  kernel.getElements().bind(
      combiner.getOp()->getResult(0),
      // Nothing but element-wise ops ask: for the pieces, as they are.
      [results](OpBuilder &, Location, ValueRange index, int64_t) {
        return results.at(index.back());
      });
}

SmallVector<Value> RowScans::emit(ArrayRef<Piece> pieces, ValueRange before,
                                  Value step) {
  SmallVector<Value> after;
  for (auto [combiner, first] : llvm::zip(combiners, before)) {
    SmallVector<Leaf, 0> leaves = emitLeaves(combiner, pieces);
    after.push_back(emitSegments(combiner, leaves, first, step));
    bind(combiner, leaves, pieces);
  }
  return after;
}
