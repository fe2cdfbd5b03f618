//===- Clocks.h - What has happened before what ----------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks of the threads of a grid. A thread has a clock of its own, and
// knows up to which clock the others have happened before it. As most threads
// learn of each other at barriers of whole blocks, that is one number for the
// own block, and a list for all others, which is shared by those who have the
// same.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_SIM_CLOCKS_H
#define FUSER_RT_SIM_CLOCKS_H

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>

namespace fuser_rt {

/// Of a SimPlace's block: not a thread, but an mbarrier of the block, which
/// asynchronous accesses complete, or the bulk copies of a thread.
constexpr uint32_t kSimAsync = uint32_t(1) << 31;
/// Of the thread of such a place: the bulk copies of that thread.
constexpr uint32_t kSimBulk = uint32_t(1) << 31;

constexpr uint32_t kSimWarpSize = 32;

/// A thread of a grid.
struct SimPlace {
  uint32_t block = 0;   ///< Its number in the grid.
  uint32_t thread = 0;  ///< In the block.
  uint32_t cluster = 0; ///< Its number in the grid.

  uint32_t warp() const { return thread / kSimWarpSize; }
  bool isThread() const { return !(block & kSimAsync); }
  bool operator==(const SimPlace &other) const {
    return block == other.block && thread == other.thread;
  }
};

/// What is known of threads elsewhere: all of a block, or one.
struct SimKnowledge {
  using Key = std::pair<uint32_t, uint32_t>;
  std::map<uint32_t, uint32_t> blocks;
  std::map<Key, uint32_t> threads;

  bool has(SimPlace place, uint32_t clock) const;
  void merge(const SimKnowledge &other);
  /// What is known of each of the `count` threads of a block becomes one
  /// number.
  void compact(uint32_t block, uint32_t count);
};

struct SimReleases;

/// Memory that fences between proxies are for: numbers of FUSER_SIM_FENCE_...
constexpr unsigned kSimSpaces = 2;

/// What one passes on to another.
struct SimView {
  SimKnowledge seen;
  /// What a fence between the proxies has come behind, of each kind of memory.
  SimKnowledge fenced[kSimSpaces];

  void merge(const SimView &other);
  void compact(uint32_t block, uint32_t count);
};

struct SimClock {
  uint32_t own = 1;
  uint32_t block = 0;
  std::shared_ptr<const SimView> others;

  /// Whether what `other` did at `clock` has happened before what `self`, whose
  /// clock this is, does next.
  bool isBefore(SimPlace other, uint32_t clock, SimPlace self) const {
    if (other.block == self.block &&
        clock <= (other.thread == self.thread ? own : block))
      return true;
    return others && others->seen.has(other, clock);
  }
  bool isFenced(SimPlace other, uint32_t clock, unsigned space) const {
    return others && others->fenced[space].has(other, clock);
  }

  /// Adds what `self` has done and knows to `view`.
  void release(SimPlace self, SimView &view);
  /// The same to what some have released: most know the same.
  void release(SimPlace self, SimReleases &releases);
  void acquire(const SimView &view);
  /// What `self` has done and knows is before asynchronous accesses to `space`
  /// that come behind.
  void fence(SimPlace self, unsigned space);

private:
  void addOwn(SimPlace self, SimKnowledge &knowledge) const;
};

/// What several threads have released.
struct SimReleases {
  SimView view;
  /// What the last one knew of others, which is in `view`.
  std::shared_ptr<const SimView> last;
};

/// The threads of a block, which have all waited for each other.
class SimMeeting {
public:
  void add(const SimClock &clock);
  /// They are all that have not ended of the `count` threads of `block`.
  void compact(uint32_t block, uint32_t count) {
    if (merged)
      merged->compact(block, count);
  }
  /// To each of those that were added.
  void leave(SimClock &clock) const;

private:
  uint32_t last = 0;
  /// What the first knew, as long as all know the same; else `merged`.
  std::shared_ptr<const SimView> others;
  std::shared_ptr<SimView> merged;
};

} // namespace fuser_rt

#endif // FUSER_RT_SIM_CLOCKS_H
