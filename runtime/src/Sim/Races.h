//===- Races.h - Accesses without an order ---------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of each byte is kept who wrote it last, and who has read it since: those that
// happened before a later reader need not be kept, since what comes behind that
// one comes behind them. Of many readers, two of each warp are kept.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_SIM_RACES_H
#define FUSER_RT_SIM_RACES_H

#include "Sim/Clocks.h"
#include "fuser_rt/sim_abi.h"

#include <array>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

namespace fuser_rt {

/// An access that was made.
struct SimRecord {
  const FuserSimAccess *access = nullptr;
  SimPlace place;
  uint32_t clock = 0;
  uint64_t offset = 0; ///< Of its first byte, in the buffer.
};

/// An access that is being made.
struct SimEvent {
  SimRecord record;
  /// What the thread knows that does it, or knew when it started it.
  const SimClock &clock;
  SimPlace thread;
  unsigned space = 0; ///< Of the memory: a number of FUSER_SIM_FENCE_...

  /// A thread's write is before accesses by the asynchronous proxy only if a
  /// fence lies between.
  bool needsFence(const SimRecord &other) const {
    uint32_t kind = other.access->kind;
    return record.access->kind & FUSER_SIM_PROXY && kind & FUSER_SIM_WRITE &&
           !(kind & FUSER_SIM_PROXY);
  }
  bool isOrdered(const SimRecord &other) const {
    return clock.isBefore(other.place, other.clock, thread);
  }
  bool isAfter(const SimRecord &other) const {
    return needsFence(other) ? clock.isFenced(other.place, other.clock, space)
                             : isOrdered(other);
  }
};

/// The bytes of one buffer.
class RaceShadow {
public:
  RaceShadow();
  ~RaceShadow();
  RaceShadow(RaceShadow &&) noexcept;
  RaceShadow &operator=(RaceShadow &&) noexcept;

  /// Notes that `event` accesses [offset, offset + bytes). The first access
  /// that it races with, or one without `access`; `*byte` is where.
  SimRecord note(const SimEvent &event, uint64_t offset, uint64_t bytes,
                 uint64_t *byte);
  void clear();

private:
  struct Cell;
  struct Page;
  Page &getPage(uint64_t number);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
};

} // namespace fuser_rt

#endif // FUSER_RT_SIM_RACES_H
