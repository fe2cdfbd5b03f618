//===- Order.h - Orders that a seed chooses ---------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_SIM_ORDER_H
#define FUSER_RT_SIM_ORDER_H

#include <cstdint>
#include <numeric>

namespace fuser_rt {

/// Another number for each: the finalizer of splitmix64.
inline uint64_t mixSeed(uint64_t seed) {
  seed += 0x9e3779b97f4a7c15;
  seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9;
  seed = (seed ^ seed >> 27) * 0x94d049bb133111eb;
  return seed ^ seed >> 31;
}

/// An order of 0 to count - 1: that of the numbers without a seed (0).
class SimOrder {
public:
  SimOrder() = default;
  SimOrder(int64_t count, uint64_t seed) : count(count) {
    if (seed == 0 || count == 0)
      return;
    // A step that has no factor in common with the count comes to all.
    uint64_t random = mixSeed(seed);
    step = random % this->count + 1;
    while (std::gcd(step, this->count) != 1)
      ++step;
    first = mixSeed(random) % this->count;
  }

  /// Number `i` of it.
  int64_t operator[](int64_t i) const {
    if (step == 1 && first == 0)
      return i;
    return static_cast<int64_t>(
        (static_cast<unsigned __int128>(step) * i + first) % count);
  }

private:
  uint64_t count = 1, step = 1, first = 0;
};

} // namespace fuser_rt

#endif // FUSER_RT_SIM_ORDER_H
