//===- SortNetwork.h - A tile in order -------------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are sorted as words: a key that says what comes first, and behind it
// the element's position, so that no two are equal and the order is stable. A
// word of at most 64 bits is one integer; a key of 64 bits has the position
// beside it.
//
// Words are sorted by a bitonic network over the bits of a position in the
// tile: those of registers by comparing in the thread, those of lanes by
// shuffles, and those of warps through shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_FIBRES_SORTNETWORK_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_FIBRES_SORTNETWORK_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"

namespace fuser {

/// How words are made of keys of `keyBits` and positions of `positionBits`, at
/// most 32.
class SortWords {
public:
  SortWords(OpBuilder &b, Location loc, int64_t keyBits, int64_t positionBits);

  /// The key in one integer, or what is beside it.
  using Word = SmallVector<Value, 2>;

  SmallVector<Type, 2> getTypes() const;
  /// `key` as OrderOpInterface gives it, `position` an `index`.
  Word make(Value key, Value position) const;
  /// The word behind all others but those with greater positions.
  Word makeLast(Value position) const;
  /// The position, an i64.
  Value getPosition(const Word &word) const;

  Value isBefore(const Word &lhs, const Word &rhs) const;
  Word select(Value condition, const Word &then, const Word &otherwise) const;

private:
  bool isPair() const { return keyBits + positionBits > 64; }
  Type getType() const;
  Value getConstant(int64_t value) const;

  OpBuilder &b;
  Location loc;
  int64_t keyBits, positionBits;
};

/// A row has `threads` neighbouring threads, a power of two, each of which has
/// `neighbours`; a block has `rows` of them, the thread that of number `row`
/// (null: 0).
struct NetworkRows {
  int64_t neighbours, threads, rows;
  Value row;
};

class SortNetwork {
public:
  using Word = SortWords::Word;

  SortNetwork(OpBuilder &b, gpu::GPUFuncOp func, const SortWords &words,
              const NetworkRows &sorted);

  /// The thread's words in order, those of a row all together.
  void emit(MutableArrayRef<Word> mine);

private:
  void compare(MutableArrayRef<Word> mine, int64_t mask);
  void compareInThread(MutableArrayRef<Word> mine, int64_t mask);
  Word exchange(const Word &word, int64_t threadMask);
  SmallVector<Word> exchangeShared(ArrayRef<Word> mine, int64_t threadMask,
                                   int64_t neighbourMask);
  Value getMemory(unsigned part);
  Value getConstant(int64_t value);

  OpBuilder &b;
  gpu::GPUFuncOp func;
  Location loc;
  const SortWords &words;
  int64_t neighbours, threads, rows;
  Value thread; ///< Among those of its row.
  Value first;  ///< Of the row in shared memory; null: 0.
  SmallVector<Value, 2> memory;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_FIBRES_SORTNETWORK_H
