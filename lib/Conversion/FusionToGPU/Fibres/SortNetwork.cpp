//===- SortNetwork.cpp - A tile in order ----------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SortNetwork.h"
#include "../GpuKernel.h"
#include "fuser/Support/GpuTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

SortWords::SortWords(OpBuilder &b, Location loc, int64_t keyBits,
                     int64_t positionBits)
    : b(b), loc(loc), keyBits(keyBits), positionBits(positionBits) {}

Type SortWords::getType() const {
  return b.getIntegerType(keyBits + positionBits <= 32 ? 32 : 64);
}

SmallVector<Type, 2> SortWords::getTypes() const {
  SmallVector<Type, 2> types = {getType()};
  if (isPair())
    types.push_back(b.getI32Type());
  return types;
}

Value SortWords::getConstant(int64_t value) const {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(getType(), value));
}

SortWords::Word SortWords::make(Value key, Value position) const {
  auto cast = [&](Type type) -> Value {
    return arith::IndexCastUIOp::create(b, loc, type, position);
  };
  if (isPair())
    return {key, cast(b.getI32Type())};
  if (key.getType() != getType())
    key = arith::ExtUIOp::create(b, loc, getType(), key);
  Value moved = arith::ShLIOp::create(b, loc, key, getConstant(positionBits));
  return {arith::OrIOp::create(b, loc, moved, cast(getType()))};
}

SortWords::Word SortWords::makeLast(Value position) const {
  Type type = b.getIntegerType(keyBits > 32 ? 64 : 32);
  uint64_t key = llvm::maskTrailingOnes<uint64_t>(keyBits);
  IntegerAttr all =
      b.getIntegerAttr(type, APInt(type.getIntOrFloatBitWidth(), key));
  return make(arith::ConstantOp::create(b, loc, all), position);
}

Value SortWords::getPosition(const Word &word) const {
  Value position = word.back();
  if (!isPair())
    position = arith::AndIOp::create(
        b, loc, position,
        getConstant(int64_t(llvm::maskTrailingOnes<uint64_t>(positionBits))));
  if (position.getType().isInteger(64))
    return position;
  return arith::ExtUIOp::create(b, loc, b.getI64Type(), position);
}

Value SortWords::isBefore(const Word &lhs, const Word &rhs) const {
  Value isLess =
      arith::CmpIOp::create(b, loc, CmpIPredicate::ult, lhs[0], rhs[0]);
  if (!isPair())
    return isLess;
  Value isEqual =
      arith::CmpIOp::create(b, loc, CmpIPredicate::eq, lhs[0], rhs[0]);
  Value isFirst =
      arith::CmpIOp::create(b, loc, CmpIPredicate::ult, lhs[1], rhs[1]);
  return arith::OrIOp::create(b, loc, isLess,
                              arith::AndIOp::create(b, loc, isEqual, isFirst));
}

SortWords::Word SortWords::select(Value condition, const Word &then,
                                  const Word &otherwise) const {
  Word word;
  for (auto [a, c] : llvm::zip(then, otherwise))
    word.push_back(arith::SelectOp::create(b, loc, condition, a, c));
  return word;
}

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

SortNetwork::SortNetwork(OpBuilder &b, gpu::GPUFuncOp func,
                         const SortWords &words, const NetworkRows &sorted)
    : b(b), func(func), loc(func.getLoc()), words(words),
      neighbours(sorted.neighbours), threads(sorted.threads),
      rows(sorted.rows) {
  // A row's threads are aligned.
  thread =
      arith::RemUIOp::create(b, loc, emitThread(b, loc), getConstant(threads));
  if (sorted.row && rows > 1)
    first = arith::MulIOp::create(b, loc, sorted.row,
                                  getConstant(neighbours * threads));
  memory.resize(words.getTypes().size());
}

Value SortNetwork::getConstant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value SortNetwork::getMemory(unsigned part) {
  Value &buffer = memory[part];
  if (!buffer)
    buffer = addSharedMemory(func, loc, words.getTypes()[part],
                             rows * neighbours * threads);
  return buffer;
}

/// The word of the lane whose number differs from this one in the mask's bits.
SortNetwork::Word SortNetwork::exchange(const Word &word, int64_t threadMask) {
  Value mask = arith::ConstantIntOp::create(b, loc, threadMask, 32);
  return llvm::map_to_vector<2>(word, [&](Value part) {
    return emitShuffle(b, loc, part, mask, gpu::ShuffleMode::XOR);
  });
}

/// The same with threads of other warps and other neighbours, through shared
/// memory. Neighbours of one number lie together, so that banks do not
/// conflict.
SmallVector<SortNetwork::Word>
SortNetwork::exchangeShared(ArrayRef<Word> mine, int64_t threadMask,
                            int64_t neighbourMask) {
  auto getPlace = [&](Value number, int64_t neighbour) -> Value {
    Value place =
        arith::AddIOp::create(b, loc, number, getConstant(neighbour * threads));
    return first ? arith::AddIOp::create(b, loc, first, place).getResult()
                 : place;
  };
  for (auto [neighbour, word] : llvm::enumerate(mine))
    for (auto [part, value] : llvm::enumerate(word))
      memref::StoreOp::create(b, loc, value, getMemory(part),
                              getPlace(thread, int64_t(neighbour)));
  gpu::BarrierOp::create(b, loc);
  Value other = arith::XOrIOp::create(b, loc, thread, getConstant(threadMask));
  SmallVector<Word> others;
  for (int64_t neighbour = 0; neighbour < neighbours; ++neighbour) {
    Word &word = others.emplace_back();
    for (unsigned part = 0; part < memory.size(); ++part)
      word.push_back(memref::LoadOp::create(
          b, loc, getMemory(part), getPlace(other, neighbour ^ neighbourMask)));
  }
  gpu::BarrierOp::create(b, loc);
  return others;
}

void SortNetwork::compareInThread(MutableArrayRef<Word> mine, int64_t mask) {
  for (int64_t low = 0; low < neighbours; ++low) {
    int64_t high = low ^ mask;
    if (high < low)
      continue;
    Word a = mine[low], c = mine[high];
    Value isRight = words.isBefore(a, c);
    mine[low] = words.select(isRight, a, c);
    mine[high] = words.select(isRight, c, a);
  }
}

/// Compares words whose places differ in the bits of the mask: the lower place
/// gets the one that comes first.
void SortNetwork::compare(MutableArrayRef<Word> mine, int64_t mask) {
  int64_t neighbourMask = mask % neighbours, threadMask = mask / neighbours;
  if (threadMask == 0)
    return compareInThread(mine, neighbourMask);
  SmallVector<Word> others;
  if (threadMask >= kWarpSize)
    others = exchangeShared(mine, threadMask, neighbourMask);
  else
    for (int64_t neighbour = 0; neighbour < neighbours; ++neighbour)
      others.push_back(exchange(mine[neighbour ^ neighbourMask], threadMask));
  int64_t highest = int64_t(1) << llvm::Log2_64(threadMask);
  Value digit = arith::AndIOp::create(b, loc, thread, getConstant(highest));
  Value isLower =
      emitCompare(b, loc, CmpIPredicate::eq, digit, b.getIndexAttr(0));
  for (auto [word, other] : llvm::zip(mine, others)) {
    // No two are equal.
    Value isMine = arith::CmpIOp::create(b, loc, CmpIPredicate::eq,
                                         words.isBefore(word, other), isLower);
    word = words.select(isMine, word, other);
  }
}

/// A bitonic sort: merges sorted halves, the second one in reverse.
void SortNetwork::emit(MutableArrayRef<Word> mine) {
  int64_t all = neighbours * threads;
  for (int64_t size = 2; size <= all; size *= 2) {
    compare(mine, size - 1);
    for (int64_t mask = size / 4; mask > 0; mask /= 2)
      compare(mine, mask);
  }
}
