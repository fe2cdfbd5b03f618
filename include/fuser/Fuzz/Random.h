//===- Random.h - Random choices ------------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same choices on every machine: no distribution of the standard library,
// whose numbers differ between libraries. As C++ does not say in which order
// the arguments of a call are evaluated, at most one of them is a choice.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_FUZZ_RANDOM_H
#define FUSER_FUZZ_RANDOM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <initializer_list>

namespace fuser::fuzz {

/// Splitmix64.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next();
  /// 0 to `count` - 1.
  uint64_t below(uint64_t count) { return next() % count; }
  int64_t between(int64_t least, int64_t most);
  bool chance(unsigned percent) { return below(100) < percent; }

  template <typename T>
  const T &pick(llvm::ArrayRef<T> values) {
    return values[below(values.size())];
  }
  template <typename T>
  T pick(std::initializer_list<T> values) {
    return *(values.begin() + below(values.size()));
  }
  /// 0 to `count` - 1 in any order.
  llvm::SmallVector<int64_t> permute(int64_t count);
  /// `size` of the numbers below `count`, ascending.
  llvm::SmallVector<int64_t> choose(int64_t count, int64_t size);

private:
  uint64_t state;
};

} // namespace fuser::fuzz

#endif // FUSER_FUZZ_RANDOM_H
