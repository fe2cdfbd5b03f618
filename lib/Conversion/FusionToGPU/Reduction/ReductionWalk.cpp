//===- ReductionWalk.cpp - A reduction over the bits of a layout ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionWalk.h"
#include "../GpuKernel.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Support/GpuTarget.h"
#include "fuser/Support/TileLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;

static const int64_t kLaneBits = llvm::Log2_64(kWarpSize);

static Value emitInt(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

/// The bits that the positions have.
static int64_t getBits(const HeldByPosition &held) {
  int64_t bits = 0;
  for (const auto &entry : held)
    bits |= entry.first;
  return bits;
}

ReductionWalk::ReductionWalk(OpBuilder &b, gpu::GPUFuncOp kernel)
    : b(b), kernel(kernel), thread(emitThread(b, kernel.getLoc())) {}

void ReductionWalk::emitClusterBegin(int64_t numReductions, bool runsAhead) {
  Location loc = kernel.getLoc();
  this->runsAhead = runsAhead;
  walksOfRound = numReductions;
  int64_t numBarriers = runsAhead ? 2 * numReductions : numReductions;
  barriers = addSharedMemory(
      kernel, loc, kernel::MBarrierType::get(b.getContext()), numBarriers);
  rank = gpu::ClusterBlockIdOp::create(b, loc, gpu::Dimension::x);
  Value isFirst =
      emitCompare(b, loc, arith::CmpIPredicate::eq, thread, b.getIndexAttr(0));
  emitIf(b, loc, isFirst, [&] {
    for (int64_t i = 0; i < numBarriers; ++i)
      kernel::MBarrierInitOp::create(
          b, loc, barriers, Value(arith::ConstantIndexOp::create(b, loc, i)),
          emitInt(b, loc, 1));
    kernel::FenceMBarrierInitOp::create(b, loc);
  });
  // The fence says all that others have to know.
  kernel::ClusterArriveOp::create(b, loc, /*relaxed=*/true);
}

void ReductionWalk::emitClusterWait() {
  kernel::ClusterWaitOp::create(b, kernel.getLoc());
}

void ReductionWalk::emitRoundsBegin() {
  if (!runsAhead)
    return;
  emitClusterWait();
  kernel::ClusterArriveOp::create(b, kernel.getLoc(), /*relaxed=*/true);
}

/// Two reductions after each other have memory of their own: with an odd number
/// in a round, the last one and the first one of the next round. Where blocks
/// run ahead, two rounds do: what a block has read in a round all know when the
/// next one ends.
void ReductionWalk::beginRound(Value round, int64_t numReductions) {
  this->round = round;
  if (barriers && !runsAhead)
    emitClusterWait();
  alternates = barriers ? runsAhead : numReductions % 2 != 0;
}

void ReductionWalk::endRound() {
  if (runsAhead)
    emitClusterWait();
  // A release would wait for the stores of the row's results. Blocks that run
  // ahead store to this row's memory again when they have what all others have
  // of the next row, which these store behind what they read and used here.
  if (barriers)
    kernel::ClusterArriveOp::create(b, kernel.getLoc(), runsAhead);
  round = nullptr;
  alternates = false;
}

/// One reduction.
class ReductionWalk::Walk {
public:
  Walk(ReductionWalk &owner, const Combiner &combiner,
       const RowThreads &threads, State state)
      : owner(owner), combiner(combiner), threads(threads), b(owner.b),
        loc(combiner.loc), thread(owner.thread), held(std::move(state.held)),
        left(std::move(state.left)) {}

  SmallVector<int64_t> getOrder() const;
  SmallVector<int64_t> emitBits(ArrayRef<int64_t> order);
  void emitChain(int64_t first, int64_t end);
  void emitSend(Sent &sent);
  void emitReceive(const Sent &sent);
  State takeState() { return {std::move(held), std::move(left)}; }

private:
  void emitShuffles(int64_t lane);
  void forSlots(ArrayRef<int64_t> bits,
                function_ref<void(int64_t slot, ArrayRef<Value> values)> body);
  void emitWrites(ArrayRef<int64_t> bits);
  Value emitBarrierNumber(int64_t walk);
  void emitClusterWrites(ArrayRef<int64_t> bits);
  void emitClusterWait(int64_t walk);
  void emitStoreAsync(Value value, Value buffer, Value place, Value block,
                      Value number);
  void emitReads(ArrayRef<int64_t> bits);
  Value emitDigit(int64_t threadBit);
  Value emitRoundBit(int64_t bit = 0) {
    Value digit = arith::ShRUIOp::create(b, loc, owner.round, getConstant(bit));
    return arith::AndIOp::create(b, loc, digit, getConstant(1));
  }
  SmallVector<int64_t> getSpareLanes() const;
  SmallVector<int64_t> getLanes() const;
  Value emitPlace(ArrayRef<int64_t> bits, int64_t slot);
  Value getBuffer(Type type, unsigned number, ArrayRef<int64_t> bits) {
    return owner.getBuffer(type, number,
                           threads.rows << (bits.size() + owner.alternates));
  }
  Value getConstant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  ReductionWalk &owner;
  const Combiner &combiner;
  const RowThreads &threads;
  OpBuilder &b;
  Location loc;
  Value thread;
  HeldByPosition held;
  SmallVector<RowThreads::Bit> left;
};

//===----------------------------------------------------------------------===//
// Registers and lanes
//===----------------------------------------------------------------------===//

/// The values of the lane whose number differs in one bit are added. Of several
/// values lanes exchange half: each goes on with the other half.
void ReductionWalk::Walk::emitShuffles(int64_t lane) {
  int64_t mask = int64_t(1) << lane;
  // Only bits of the tree may move, and leaves are there already.
  int64_t movable = getBits(held) & ((int64_t(1) << threads.treeEnd) - kLeaf);
  if (movable == 0) {
    for (auto &entry : held) {
      Accumulators others;
      for (Value value : entry.second)
        others.push_back(emitShuffle(b, loc, value, emitInt(b, loc, mask),
                                     gpu::ShuffleMode::XOR));
      entry.second = combiner.combine(entry.second, others);
    }
    return;
  }
  // The lowest bit: of its values most come in pairs.
  int64_t bit = movable & -movable;
  Value digit = arith::AndIOp::create(b, loc, thread, getConstant(mask));
  Value isHigh =
      emitCompare(b, loc, arith::CmpIPredicate::ne, digit, b.getIndexAttr(0));
  HeldByPosition next;
  for (auto &[position, low] : held) {
    if (position & bit)
      continue;
    auto found = held.find(position | bit);
    ArrayRef<Value> high =
        found == held.end() ? combiner.neutral : found->second;
    Accumulators mine, theirs;
    for (auto [a, c] : llvm::zip(low, high)) {
      mine.push_back(arith::SelectOp::create(b, loc, isHigh, c, a));
      Value other = arith::SelectOp::create(b, loc, isHigh, a, c);
      theirs.push_back(emitShuffle(b, loc, other, emitInt(b, loc, mask),
                                   gpu::ShuffleMode::XOR));
    }
    next[position] = combiner.combine(mine, theirs);
  }
  held = std::move(next);
  left.push_back({int64_t(llvm::Log2_64(bit)), lane});
}

/// The bits that are combined one after the other: of a tree from the lowest
/// on, else those of lanes before those of warps.
SmallVector<int64_t> ReductionWalk::Walk::getOrder() const {
  if (!combiner.isIdempotent)
    return llvm::to_vector(
        llvm::seq<int64_t>(llvm::Log2_64(kLeaf), threads.treeEnd));
  SmallVector<int64_t> order;
  for (bool isLane : {true, false})
    for (RowThreads::Bit bit : threads.bits)
      if ((bit.thread < kLaneBits) == isLane)
        order.push_back(bit.position);
  return order;
}

/// Combines bits, in this order, of registers and lanes. Returns those from the
/// first one of warps on.
SmallVector<int64_t> ReductionWalk::Walk::emitBits(ArrayRef<int64_t> order) {
  for (; !order.empty(); order = order.drop_front()) {
    int64_t bit = order.front();
    auto *found = llvm::find_if(
        left, [&](RowThreads::Bit other) { return other.position == bit; });
    if (found == left.end()) {
      emitChain(bit, bit + 1);
      continue;
    }
    int64_t thread = found->thread;
    if (thread >= kLaneBits)
      break;
    left.erase(found);
    emitShuffles(thread);
  }
  return llvm::to_vector(order);
}

/// What differs in these bits, which registers have, one after the other.
void ReductionWalk::Walk::emitChain(int64_t first, int64_t end) {
  int64_t mask = (int64_t(1) << end) - (int64_t(1) << first);
  HeldByPosition next;
  for (auto &[position, values] : held) {
    Accumulators &sum = next[position & ~mask];
    sum = combiner.join(sum, values);
  }
  held = std::move(next);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// For the `number`-th accumulator of the running reduction.
Value ReductionWalk::getBuffer(Type type, unsigned number, int64_t size) {
  Value &buffer = buffers[{type, number, parity, size}];
  if (!buffer)
    buffer = addSharedMemory(kernel, kernel.getLoc(), type, size);
  return buffer;
}

/// A slot for each value of the bits that are left, from the lowest on; rows
/// side by side.
void ReductionWalk::Walk::emitSend(Sent &sent) {
  owner.parity ^= 1;
  int64_t mask = getBits(held);
  for (RowThreads::Bit bit : left)
    mask |= int64_t(1) << bit.position;
  for (int64_t bit = 0; bit < 63; ++bit)
    if (mask >> bit & 1)
      sent.bits.push_back(bit);
  sent.number = owner.numClusterWalks;
  if (threads.blocks > 1)
    emitClusterWrites(sent.bits);
  else
    emitWrites(sent.bits);
}

void ReductionWalk::Walk::emitReceive(const Sent &sent) {
  if (threads.blocks > 1)
    emitClusterWait(sent.number);
  else
    gpu::BarrierOp::create(b, loc);
  emitReads(sent.bits);
}

/// A bit of the thread's number, or of its block's.
Value ReductionWalk::Walk::emitDigit(int64_t threadBit) {
  bool isBlock = threadBit >= TileLayout::kFirstBlockBit;
  int64_t bit = isBlock ? threadBit - TileLayout::kFirstBlockBit : threadBit;
  Value digit = arith::ShRUIOp::create(b, loc, isBlock ? owner.rank : thread,
                                       getConstant(bit));
  return arith::AndIOp::create(b, loc, digit, getConstant(1));
}

/// The place of a slot: `slot` and what the thread's bits that are left add.
Value ReductionWalk::Walk::emitPlace(ArrayRef<int64_t> bits, int64_t slot) {
  Value number = getConstant(slot);
  for (RowThreads::Bit bit : left) {
    int64_t place = llvm::find(bits, bit.position) - bits.begin();
    number = arith::AddIOp::create(b, loc, number,
                                   arith::ShLIOp::create(b, loc,
                                                         emitDigit(bit.thread),
                                                         getConstant(place)));
  }
  if (owner.alternates)
    number =
        arith::AddIOp::create(b, loc, number,
                              arith::ShLIOp::create(b, loc, emitRoundBit(),
                                                    getConstant(bits.size())));
  if (!threads.row)
    return number;
  number = arith::MulIOp::create(b, loc, number, getConstant(threads.rows));
  return arith::AddIOp::create(b, loc, number, threads.row);
}

SmallVector<int64_t> ReductionWalk::Walk::getLanes() const {
  SmallVector<int64_t> lanes;
  for (RowThreads::Bit bit : threads.bits)
    if (bit.thread < kLaneBits)
      lanes.push_back(bit.thread);
  llvm::sort(lanes);
  return lanes;
}

/// Lanes that have what others have.
SmallVector<int64_t> ReductionWalk::Walk::getSpareLanes() const {
  SmallVector<int64_t> lanes = getLanes();
  llvm::erase_if(lanes, [&](int64_t lane) {
    return llvm::any_of(
        left, [&](RowThreads::Bit bit) { return bit.thread == lane; });
  });
  return lanes;
}

/// The slots that the thread's registers have: together, threads have all.
void ReductionWalk::Walk::forSlots(
    ArrayRef<int64_t> bits,
    function_ref<void(int64_t slot, ArrayRef<Value> values)> body) {
  int64_t registers = getBits(held);
  for (int64_t slot = 0; slot < int64_t(1) << bits.size(); ++slot) {
    int64_t position = 0;
    for (auto [number, bit] : llvm::enumerate(bits))
      position |= (slot >> number & 1) << bit;
    if (position & ~registers)
      continue;
    auto found = held.find(position);
    body(slot, found == held.end() ? combiner.neutral : found->second);
  }
}

void ReductionWalk::Walk::emitWrites(ArrayRef<int64_t> bits) {
  // Of lanes that have the same the first one writes.
  int64_t spare = 0;
  for (int64_t lane : getSpareLanes())
    spare |= int64_t(1) << lane;
  Value writes;
  if (spare != 0)
    writes =
        emitCompare(b, loc, arith::CmpIPredicate::eq,
                    arith::AndIOp::create(b, loc, thread, getConstant(spare)),
                    b.getIndexAttr(0));
  emitIf(b, loc, writes, [&] {
    forSlots(bits, [&](int64_t slot, ArrayRef<Value> values) {
      Value place = emitPlace(bits, slot);
      for (auto [i, value] : llvm::enumerate(values))
        memref::StoreOp::create(b, loc, value,
                                getBuffer(value.getType(), i, bits), place);
    });
  });
}

/// To the same place in the memory of a block of the cluster.
void ReductionWalk::Walk::emitStoreAsync(Value value, Value buffer, Value place,
                                         Value block, Value number) {
  auto map = [&](Value memory) -> Value {
    auto type = cast<MemRefType>(memory.getType());
    auto there = MemRefType::get(
        type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(),
        kernel::ClusterMemoryAttr::get(b.getContext()));
    return kernel::MapBlockOp::create(b, loc, there, memory, block);
  };
  kernel::StoreAsyncOp::create(b, loc, value, map(buffer), place,
                               map(owner.barriers), number);
}

/// The barrier of a walk.
Value ReductionWalk::Walk::emitBarrierNumber(int64_t walk) {
  Value number = getConstant(walk);
  if (!owner.runsAhead)
    return number;
  return arith::AddIOp::create(
      b, loc, number,
      arith::MulIOp::create(b, loc, emitRoundBit(),
                            getConstant(owner.walksOfRound)));
}

/// Lanes that have the same store to different blocks. Two reductions have
/// memory of their own: before the third all blocks have read what the first
/// two left there, which asynchronous stores do not promise.
void ReductionWalk::Walk::emitClusterWrites(ArrayRef<int64_t> bits) {
  if (!owner.round && owner.numClusterWalks == 0)
    owner.emitClusterWait();
  if (owner.numClusterWalks != 0 && owner.numClusterWalks % 2 == 0) {
    kernel::ClusterArriveOp::create(b, loc, /*relaxed=*/false);
    kernel::ClusterWaitOp::create(b, loc);
  }
  SmallVector<int64_t> spare = getSpareLanes();
  Value first = getConstant(0);
  for (auto [place, lane] : llvm::enumerate(spare))
    first = arith::AddIOp::create(
        b, loc, first,
        arith::ShLIOp::create(b, loc, emitDigit(lane), getConstant(place)));
  int64_t step = int64_t(1) << spare.size(), bytes = 0;
  for (Value none : combiner.neutral)
    bytes += none.getType().getIntOrFloatBitWidth() / 8;
  Value number = emitBarrierNumber(owner.numClusterWalks++);
  Value isFirst =
      emitCompare(b, loc, arith::CmpIPredicate::eq, thread, b.getIndexAttr(0));
  emitIf(b, loc, isFirst, [&] {
    kernel::MBarrierArriveOp::create(
        b, loc, owner.barriers, number, /*count=*/Value(),
        emitInt(b, loc, bytes << bits.size()), kernel::Scope::Block);
  });
  Value writes;
  if (step > threads.blocks)
    writes = emitCompare(b, loc, arith::CmpIPredicate::ult, first,
                         b.getIndexAttr(threads.blocks));
  emitIf(b, loc, writes, [&] {
    forSlots(bits, [&](int64_t slot, ArrayRef<Value> values) {
      Value place = emitPlace(bits, slot);
      for (int64_t at = 0; at < threads.blocks; at += step) {
        Value block = arith::AddIOp::create(b, loc, first, getConstant(at));
        for (auto [i, value] : llvm::enumerate(values))
          emitStoreAsync(value, getBuffer(value.getType(), i, bits), place,
                         block, number);
      }
    });
  });
}

void ReductionWalk::Walk::emitClusterWait(int64_t walk) {
  Value phase = arith::ConstantIntOp::create(b, loc, 0, 1);
  if (owner.round)
    phase =
        emitCompare(b, loc, arith::CmpIPredicate::ne,
                    emitRoundBit(owner.runsAhead ? 1 : 0), b.getIndexAttr(0));
  kernel::MBarrierWaitOp::create(b, loc, owner.barriers,
                                 emitBarrierNumber(walk), phase,
                                 kernel::Scope::Block);
}

/// Lanes get the highest bits of the order, so that the others are combined at
/// once, and sections in a chain.
void ReductionWalk::Walk::emitReads(ArrayRef<int64_t> bits) {
  SmallVector<int64_t> lanes = getLanes();
  size_t inOrder =
      llvm::count_if(bits, [&](int64_t bit) { return bit < threads.treeEnd; });
  size_t inLanes = std::min(lanes.size(), inOrder);
  left.clear();
  SmallVector<int64_t> registers(bits);
  for (size_t i = 0; i < inLanes; ++i)
    left.push_back({bits[inOrder - inLanes + i], lanes[i]});
  registers.erase(registers.begin() + (inOrder - inLanes),
                  registers.begin() + inOrder);
  held.clear();
  for (int64_t number = 0; number < int64_t(1) << registers.size(); ++number) {
    int64_t position = 0, slot = 0;
    for (auto [digit, bit] : llvm::enumerate(registers)) {
      position |= (number >> digit & 1) << bit;
      slot |= (number >> digit & 1) << (llvm::find(bits, bit) - bits.begin());
    }
    Value place = emitPlace(bits, slot);
    Accumulators &values = held[position];
    for (auto [i, none] : llvm::enumerate(combiner.neutral)) {
      values.push_back(memref::LoadOp::create(
          b, loc, getBuffer(none.getType(), i, bits), place));
    }
  }
}

//===----------------------------------------------------------------------===//
// The order
//===----------------------------------------------------------------------===//

ReductionWalk::State ReductionWalk::emitLeaves(const Combiner &combiner,
                                               const RowThreads &threads,
                                               HeldByPosition held) {
  Walk walk(*this, combiner, threads, {std::move(held), threads.bits});
  if (!combiner.isIdempotent)
    walk.emitBits(llvm::to_vector(llvm::seq<int64_t>(0, llvm::Log2_64(kLeaf))));
  return walk.takeState();
}

bool ReductionWalk::hasExchange(const RowThreads &threads) {
  return llvm::any_of(threads.bits, [](RowThreads::Bit bit) {
    return bit.thread >= kLaneBits;
  });
}

ReductionWalk::Sent ReductionWalk::emitLanesSend(const Combiner &combiner,
                                                 const RowThreads &threads,
                                                 State state) {
  Walk walk(*this, combiner, threads, std::move(state));
  if (combiner.isIdempotent)
    walk.emitChain(0, RowThreads::kPositionBits);
  Sent sent;
  sent.order = walk.emitBits(walk.getOrder());
  if (hasExchange(threads))
    walk.emitSend(sent);
  else
    sent.state = walk.takeState();
  return sent;
}

Accumulators ReductionWalk::emitReceive(const Combiner &combiner,
                                        const RowThreads &threads, Sent sent) {
  Walk walk(*this, combiner, threads, std::move(sent.state));
  if (hasExchange(threads))
    walk.emitReceive(sent);
  walk.emitBits(sent.order);
  if (!combiner.isIdempotent)
    walk.emitChain(threads.treeEnd, RowThreads::kPositionBits);
  return combiner.finish(walk.takeState().held.begin()->second);
}

Accumulators ReductionWalk::emitLanes(const Combiner &combiner,
                                      const RowThreads &threads, State state) {
  return emitReceive(combiner, threads,
                     emitLanesSend(combiner, threads, std::move(state)));
}

ReductionWalk::Sent ReductionWalk::emitSend(const Combiner &combiner,
                                            const RowThreads &threads,
                                            HeldByPosition held) {
  State state = emitLeaves(combiner, threads, std::move(held));
  Walk rounds(*this, combiner, threads, std::move(state));
  rounds.emitChain(llvm::Log2_64(kRoundElements),
                   llvm::Log2_64(kSectionElements));
  return emitLanesSend(combiner, threads, rounds.takeState());
}

Accumulators ReductionWalk::emit(const Combiner &combiner,
                                 const RowThreads &threads,
                                 HeldByPosition held) {
  if (held.empty())
    return combiner.neutral;
  return emitReceive(combiner, threads,
                     emitSend(combiner, threads, std::move(held)));
}
