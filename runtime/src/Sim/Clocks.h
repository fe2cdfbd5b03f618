//===- Clocks.h - What has happened before what ----------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks of the threads of a grid. A thread has a clock of its own, and
// knows up to which clock the others have happened before it. As most threads
// learn of each other at barriers of whole blocks and warps, that is one number
// for the own block, one for the own warp, and a list for all others, which is
// shared by those who have the same.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_SIM_CLOCKS_H
#define FUSER_RT_SIM_CLOCKS_H

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>

namespace fuser_rt {

/// A thread of a grid.
struct SimPlace {
  uint32_t block = 0;  ///< Its number in the grid.
  uint32_t thread = 0; ///< In the block.

  uint32_t warp() const { return thread / 32; }
  bool operator==(const SimPlace &other) const {
    return block == other.block && thread == other.thread;
  }
};

/// What is known of threads elsewhere: all of a block, of a warp, or one.
struct SimKnowledge {
  using Key = std::pair<uint32_t, uint32_t>;
  std::map<uint32_t, uint32_t> blocks;
  std::map<Key, uint32_t> warps, threads;

  bool has(SimPlace place, uint32_t clock) const;
  void merge(const SimKnowledge &other);
};

struct SimClock {
  uint32_t own = 1;
  uint32_t block = 0, warp = 0;
  std::shared_ptr<const SimKnowledge> others;

  /// Whether what `other` did at `clock` has happened before what `self`, whose
  /// clock this is, does next.
  bool isBefore(SimPlace other, uint32_t clock, SimPlace self) const {
    if (other.block == self.block) {
      if (other.thread == self.thread || clock <= block)
        return true;
      if (other.warp() == self.warp() && clock <= warp)
        return true;
    }
    return others && others->has(other, clock);
  }

  /// Adds what `self` has done and knows to `knowledge`.
  void release(SimPlace self, SimKnowledge &knowledge);
  void acquire(const SimKnowledge &knowledge);
};

/// Threads that have all waited for each other: all of a block, or of a warp.
class SimMeeting {
public:
  void add(const SimClock &clock);
  /// To each of those that were added.
  void leave(SimClock &clock, bool isWholeBlock) const;

private:
  uint32_t last = 0, block = 0;
  std::shared_ptr<const SimKnowledge> others;
};

} // namespace fuser_rt

#endif // FUSER_RT_SIM_CLOCKS_H
