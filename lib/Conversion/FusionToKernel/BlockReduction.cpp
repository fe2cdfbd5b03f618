//===- BlockReduction.cpp - Combining what the threads of a row hold -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockReduction.h"
#include "GpuKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;

static constexpr int64_t kWarp = 32;

static Value emitInt(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

/// The value of the thread whose lane differs in the bits of `mask`. Shuffles
/// move 32 bits.
static Value emitExchange(OpBuilder &b, Location loc, Value value,
                          int64_t mask) {
  auto exchange = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(b, loc, word, emitInt(b, loc, mask),
                                  emitInt(b, loc, kWarp), gpu::ShuffleMode::XOR)
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

SmallVector<Value>
BlockReduction::emitButterfly(Location loc, SmallVector<Value> accumulators,
                              int64_t width, CombineFn combine) {
  for (int64_t mask = width / 2; mask > 0; mask /= 2) {
    SmallVector<Value> others;
    for (Value accumulator : accumulators)
      others.push_back(emitExchange(b, loc, accumulator, mask));
    accumulators = combine(accumulators, others);
  }
  return accumulators;
}

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

SmallVector<Value> BlockReduction::emitStrided(Location loc,
                                               ValueRange accumulators,
                                               CombineFn combine) {
  auto at = [&](unsigned i) {
    return getBuffer(accumulators[i].getType(), i, threads * stride);
  };
  for (unsigned i = 0; i < accumulators.size(); ++i)
    memref::StoreOp::create(b, loc, accumulators[i], at(i), thread);
  gpu::BarrierOp::create(b, loc);
  Value first = arith::RemUIOp::create(
      b, loc, thread, arith::ConstantIndexOp::create(b, loc, stride));
  SmallVector<Value> total;
  for (int64_t part = 0; part < threads; ++part) {
    Value position = arith::AddIOp::create(
        b, loc, first, arith::ConstantIndexOp::create(b, loc, part * stride));
    SmallVector<Value> values;
    for (unsigned i = 0; i < accumulators.size(); ++i)
      values.push_back(memref::LoadOp::create(b, loc, at(i), position));
    total = total.empty() ? values : combine(total, values);
  }
  parity ^= 1;
  return total;
}

SmallVector<Value> BlockReduction::emit(Location loc, ValueRange accumulators,
                                        ValueRange neutral, CombineFn combine) {
  if (stride > 1)
    return emitStrided(loc, accumulators, combine);
  SmallVector<Value> values = emitButterfly(loc, llvm::to_vector(accumulators),
                                            std::min(threads, kWarp), combine);
  if (threads <= kWarp)
    return values;
  int64_t warps = threads / kWarp;
  Value size = arith::ConstantIndexOp::create(b, loc, kWarp);
  Value lane = arith::RemUIOp::create(b, loc, thread, size);
  Value warp = arith::DivUIOp::create(b, loc, thread, size);
  auto at = [&](unsigned i) {
    return getBuffer(values[i].getType(), i, warps);
  };
  Value isFirst =
      emitCompare(b, loc, arith::CmpIPredicate::eq, lane, b.getIndexAttr(0));
  emitIf(b, loc, isFirst, [&] {
    for (unsigned i = 0; i < values.size(); ++i)
      memref::StoreOp::create(b, loc, values[i], at(i), warp);
  });
  gpu::BarrierOp::create(b, loc);
  // Groups of `group` lanes read all partial results each, so that the
  // butterfly leaves the result in every lane. Lanes without a warp to look at
  // read the last one's and forget it: no branch.
  int64_t group = llvm::bit_ceil(uint64_t(warps));
  Value source = lane;
  if (group < kWarp)
    source = arith::RemUIOp::create(
        b, loc, lane, arith::ConstantIndexOp::create(b, loc, group));
  Value isWarp;
  if (group != warps) {
    isWarp = emitCompare(b, loc, arith::CmpIPredicate::ule, source,
                         b.getIndexAttr(warps - 1));
    Value last = arith::ConstantIndexOp::create(b, loc, warps - 1);
    source = arith::MinUIOp::create(b, loc, source, last);
  }
  for (unsigned i = 0; i < values.size(); ++i) {
    Value loaded = memref::LoadOp::create(b, loc, at(i), source);
    values[i] =
        isWarp ? arith::SelectOp::create(b, loc, isWarp, loaded, neutral[i])
               : loaded;
  }
  parity ^= 1;
  return emitButterfly(loc, values, group, combine);
}
