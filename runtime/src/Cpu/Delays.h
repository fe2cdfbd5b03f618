//===- Delays.h - Pseudo-random delays of a stream ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_CPU_DELAYS_H
#define FUSER_RT_CPU_DELAYS_H

#include <chrono>
#include <cstdint>

namespace fuser_rt {

/// How long a stream sleeps before each piece of its work. A program enqueues
/// in the same order each time, so the n-th piece of a stream gets the same
/// delay, whatever the other streams do.
class Delays {
public:
  /// None.
  Delays() = default;
  /// Each less than `mostMicroseconds`.
  Delays(uint64_t seed, uint64_t stream, int32_t mostMicroseconds)
      : mostNanoseconds(uint64_t(mostMicroseconds) * 1000),
        state(mix(mix(seed) + stream)) {}

  std::chrono::nanoseconds next() {
    state += kStep;
    // In steps of 2^-20 of the most, which is less than 2^41.
    return std::chrono::nanoseconds((mix(state) >> 44) * mostNanoseconds >> 20);
  }

private:
  // SplitMix64: any state will do, so that seeds and numbers of streams that
  // are close to each other give sequences that are not.
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15ull;
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }

  uint64_t mostNanoseconds = 0;
  uint64_t state = 0;
};

} // namespace fuser_rt

#endif // FUSER_RT_CPU_DELAYS_H
