//===- Random.cpp - Random choices ----------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Fuzz/Random.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace fuser::fuzz;

uint64_t Random::next() {
  uint64_t z = state += 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

int64_t Random::between(int64_t least, int64_t most) {
  return least + static_cast<int64_t>(below(most - least + 1));
}

llvm::SmallVector<int64_t> Random::permute(int64_t count) {
  llvm::SmallVector<int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = count - 1; i > 0; --i)
    std::swap(order[i], order[below(i + 1)]);
  return order;
}

llvm::SmallVector<int64_t> Random::choose(int64_t count, int64_t size) {
  llvm::SmallVector<int64_t> chosen = permute(count);
  chosen.truncate(size);
  llvm::sort(chosen);
  return chosen;
}
