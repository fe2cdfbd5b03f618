//===- BlockReduction.cpp - Combining what the threads of a row hold -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockReduction.h"
#include "GpuKernel.h"
#include "fuser/Support/GpuTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;

static Value emitInt(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

/// The value of the thread whose lane differs in the bits of `mask`. Shuffles
/// move 32 bits.
static Value emitExchange(OpBuilder &b, Location loc, Value value,
                          int64_t mask) {
  auto exchange = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(b, loc, word, emitInt(b, loc, mask),
                                  emitInt(b, loc, kWarpSize),
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  Type type = value.getType(), word = b.getI32Type();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 32)
    return exchange(value);
  if (bits < 32) {
    Type whole = b.getIntegerType(bits);
    Value raw =
        type == whole ? value : arith::BitcastOp::create(b, loc, whole, value);
    raw = exchange(arith::ExtUIOp::create(b, loc, word, raw));
    raw = arith::TruncIOp::create(b, loc, whole, raw);
    return type == whole ? raw : arith::BitcastOp::create(b, loc, type, raw);
  }
  Type whole = b.getI64Type();
  Value raw =
      type == whole ? value : arith::BitcastOp::create(b, loc, whole, value);
  Value shift = arith::ConstantIntOp::create(b, loc, 32, 64);
  Value low = arith::TruncIOp::create(b, loc, word, raw);
  Value high = arith::TruncIOp::create(
      b, loc, word, arith::ShRUIOp::create(b, loc, raw, shift));
  low = arith::ExtUIOp::create(b, loc, whole, exchange(low));
  high = arith::ExtUIOp::create(b, loc, whole, exchange(high));
  raw = arith::OrIOp::create(b, loc, arith::ShLIOp::create(b, loc, high, shift),
                             low);
  return type == whole ? raw : arith::BitcastOp::create(b, loc, type, raw);
}

/// 1, 2, 4, ... from `first` on, below `end`.
static SmallVector<int64_t> getMasks(int64_t first, int64_t end) {
  SmallVector<int64_t> masks;
  for (int64_t mask = first; mask < end; mask *= 2)
    masks.push_back(mask);
  return masks;
}

Value BlockReduction::getConstant(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value BlockReduction::getLane(Location loc) {
  return threads <= kWarpSize ? thread
                              : arith::RemUIOp::create(
                                    b, loc, thread, getConstant(loc, kWarpSize))
                                    .getResult();
}

Accumulators BlockReduction::emitButterfly(const Combiner &combiner,
                                           Accumulators accumulators,
                                           ArrayRef<int64_t> masks) {
  for (int64_t mask : masks) {
    Accumulators others;
    for (Value accumulator : accumulators)
      others.push_back(emitExchange(b, combiner.loc, accumulator, mask));
    accumulators = combiner.combine(accumulators, others);
  }
  return accumulators;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Value BlockReduction::getBuffer(Type type, unsigned number, int64_t size) {
  Value &buffer = buffers[{type, number, parity}];
  if (!buffer) {
    auto space = gpu::AddressSpaceAttr::get(
        b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
    auto memref =
        MemRefType::get({size}, type, MemRefLayoutAttrInterface(), space);
    buffer = kernel.addWorkgroupAttribution(memref, kernel.getLoc());
  }
  return buffer;
}

void BlockReduction::share(const Combiner &combiner,
                           const Accumulators &accumulators, Value position,
                           Value condition) {
  parity ^= 1;
  emitIf(b, combiner.loc, condition, [&] {
    for (auto [i, value] : llvm::enumerate(accumulators))
      memref::StoreOp::create(b, combiner.loc, value,
                              getBuffer(value.getType(), i, threads * stride),
                              position);
  });
  gpu::BarrierOp::create(b, combiner.loc);
}

/// Those at `position`.
Accumulators BlockReduction::load(const Combiner &combiner, Value position) {
  Accumulators values;
  for (auto [i, none] : llvm::enumerate(combiner.neutral))
    values.push_back(memref::LoadOp::create(
        b, combiner.loc, getBuffer(none.getType(), i, threads * stride),
        position));
  return values;
}

//===----------------------------------------------------------------------===//
// Rows of chunks
//===----------------------------------------------------------------------===//

/// Steps 2 and 3 on some of the `places` blocks: blocks[i] is number
/// i % places of them, in round i / places.
Accumulators BlockReduction::emitBlocks(const Combiner &combiner,
                                        ArrayRef<Accumulators> blocks,
                                        int64_t places) {
  SmallVector<Accumulators> sums;
  for (auto [number, block] : llvm::enumerate(blocks)) {
    if (static_cast<int64_t>(number) < places)
      sums.push_back(block);
    else
      sums[number % places] = combiner.join(sums[number % places], block);
  }
  return emitFold(combiner, sums.size(), places,
                  [&](int64_t place) { return sums[place]; });
}

/// All chunks are one warp's, or a part's of one. `perLeaf` threads have a
/// leaf. Chunk u has, of block u / perLeaf, the lanes from
/// (u % perLeaf) * 32 / perLeaf on.
Accumulators BlockReduction::emitWarpRow(const Combiner &combiner,
                                         ArrayRef<Accumulators> chunks,
                                         int64_t perLeaf) {
  SmallVector<Accumulators> lanes;
  for (int64_t first = 0; first < perLeaf; ++first) {
    SmallVector<Accumulators> blocks;
    for (size_t u = first; u < chunks.size(); u += perLeaf)
      blocks.push_back(chunks[u]);
    Accumulators sum = emitBlocks(combiner, blocks, kBlocks);
    if (!sum.empty())
      lanes.push_back(emitButterfly(combiner, sum, getMasks(perLeaf, threads)));
  }
  return emitNeighbourTree(combiner, std::move(lanes));
}

/// Warp w's chunk u has, of block (u * warps + w) / perLeaf, the lanes from
/// (w % perLeaf) * 32 / perLeaf on.
Accumulators BlockReduction::emitBlockRow(const Combiner &combiner,
                                          ArrayRef<Accumulators> chunks,
                                          int64_t perLeaf) {
  Location loc = combiner.loc;
  int64_t warps = threads / kWarpSize, perWarp = kLanes / perLeaf;
  // Those of which a thread has chunks; warps that are no power of two have
  // one.
  int64_t places = llvm::bit_floor(
      uint64_t(std::max<int64_t>(1, kBlocks * perLeaf / warps)));
  share(combiner, emitBlocks(combiner, chunks, places), thread);
  Value lane = getLane(loc), from = lane, high;
  if (perLeaf > 1) {
    // Lane l takes the place of a thread with the l-th leaf of a block; which
    // of those that have it, so that all lanes read other banks.
    high = arith::DivUIOp::create(b, loc, lane, getConstant(loc, perWarp));
    Value low = arith::RemUIOp::create(b, loc, lane, getConstant(loc, perWarp));
    from = arith::AddIOp::create(
        b, loc,
        arith::MulIOp::create(b, loc, high, getConstant(loc, kWarpSize + 1)),
        arith::MulIOp::create(b, loc, low, getConstant(loc, perLeaf)));
  }
  auto getBlock = [&](int64_t block) {
    int64_t warp = block * perLeaf;
    Value position =
        arith::AddIOp::create(b, loc, from, getConstant(loc, warp * kWarpSize));
    if (warp + perLeaf <= warps)
      return load(combiner, position);
    Value exists = emitCompare(b, loc, arith::CmpIPredicate::ult, high,
                               b.getIndexAttr(warps - warp));
    return combiner.orNeutral(
        exists, load(combiner,
                     arith::SelectOp::create(b, loc, exists, position, lane)));
  };
  Accumulators sum =
      emitFold(combiner, llvm::divideCeil(warps, perLeaf), kBlocks, getBlock);
  return emitButterfly(combiner, sum, getMasks(1, kWarpSize));
}

/// One value a warp through shared memory.
Accumulators BlockReduction::emitIdempotent(const Combiner &combiner,
                                            ArrayRef<Accumulators> chunks) {
  Location loc = combiner.loc;
  Accumulators all;
  for (const Accumulators &chunk : chunks)
    all = combiner.join(all, chunk);
  all = emitButterfly(combiner, all, getMasks(1, std::min(threads, kWarpSize)));
  if (threads <= kWarpSize)
    return all;
  Value width = getConstant(loc, kWarpSize);
  // All lanes have the same.
  Value isFirst = emitCompare(b, loc, arith::CmpIPredicate::eq, getLane(loc),
                              b.getIndexAttr(0));
  share(combiner, all, arith::DivUIOp::create(b, loc, thread, width), isFirst);
  int64_t warps = threads / kWarpSize, group = llvm::bit_ceil(uint64_t(warps));
  Value warp = arith::RemUIOp::create(b, loc, thread, getConstant(loc, group));
  warp = arith::MinUIOp::create(b, loc, warp, getConstant(loc, warps - 1));
  return emitButterfly(combiner, load(combiner, warp), getMasks(1, group));
}

Accumulators BlockReduction::emitRow(const Combiner &combiner,
                                     SmallVector<Accumulators> chunks,
                                     int64_t vector) {
  if (chunks.empty())
    return combiner.neutral;
  if (combiner.isIdempotent)
    return emitIdempotent(combiner, chunks);
  int64_t perLeaf = kLeaf / vector;
  for (Accumulators &chunk : chunks)
    chunk =
        emitButterfly(combiner, chunk, getMasks(1, std::min(perLeaf, threads)));
  return combiner.finish(threads <= kWarpSize
                             ? emitWarpRow(combiner, chunks, perLeaf)
                             : emitBlockRow(combiner, chunks, perLeaf));
}

//===----------------------------------------------------------------------===//
// Elements one by one
//===----------------------------------------------------------------------===//

Accumulators BlockReduction::emitLeaves(const Combiner &combiner,
                                        SmallVector<Accumulators> elements) {
  // Neighbours combine what both have; each goes on with half of the results.
  Location loc = combiner.loc;
  Value lane = getLane(loc);
  for (int64_t mask = 1; elements.size() > 1; mask *= 2) {
    Value bit = arith::AndIOp::create(b, loc, lane, getConstant(loc, mask));
    Value isHigh =
        emitCompare(b, loc, arith::CmpIPredicate::ne, bit, b.getIndexAttr(0));
    size_t half = elements.size() / 2;
    SmallVector<Accumulators> next(half);
    for (size_t i = 0; i < half; ++i) {
      Accumulators mine, theirs;
      for (auto [low, high] : llvm::zip(elements[i], elements[i + half])) {
        mine.push_back(arith::SelectOp::create(b, loc, isHigh, high, low));
        Value other = arith::SelectOp::create(b, loc, isHigh, low, high);
        theirs.push_back(emitExchange(b, loc, other, mask));
      }
      next[i] = combiner.combine(mine, theirs);
    }
    elements = std::move(next);
  }
  return elements.front();
}

/// Where emitLeaves puts the bits of the number of a leaf, the lowest first.
static constexpr int64_t kLeafMasks[] = {8, 16, 4, 2, 1};

Accumulators BlockReduction::emitNeighbours(const Combiner &combiner,
                                            Accumulators leaves, bool inOrder) {
  Location loc = combiner.loc;
  if (threads > kWarpSize) {
    share(combiner, leaves, thread);
    Value lane = getLane(loc);
    leaves =
        emitFold(combiner, threads / kWarpSize, kBlocks, [&](int64_t warp) {
          return load(combiner,
                      arith::AddIOp::create(
                          b, loc, lane, getConstant(loc, warp * kWarpSize)));
        });
  }
  if (inOrder)
    return combiner.finish(
        emitButterfly(combiner, leaves, getMasks(1, kWarpSize)));
  return combiner.finish(emitButterfly(combiner, leaves, kLeafMasks));
}

Accumulators BlockReduction::emitStrided(const Combiner &combiner,
                                         const Accumulators &lanes) {
  Location loc = combiner.loc;
  share(combiner, lanes, thread);
  Value first =
      arith::RemUIOp::create(b, loc, thread, getConstant(loc, stride));
  SmallVector<Accumulators> parts;
  for (int64_t part = 0; part < threads; ++part)
    parts.push_back(
        load(combiner, arith::AddIOp::create(b, loc, first,
                                             getConstant(loc, part * stride))));
  return combiner.finish(emitNeighbourTree(combiner, std::move(parts)));
}
