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
#include <deque>
#include <functional>
#include <memory>
#include <string>
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

/// "memref.load (softmax.mlir:13:9)".
std::string describeSite(const FuserSimSite &site);

/// Why two atomic accesses that race are not so for each other; empty if they
/// are not two such ones of the same bytes.
std::string describeWeak(const SimRecord &a, const SimRecord &b);

/// An atomic access, or one to an mbarrier, that may order what is before one
/// thread's with what is behind another one's.
struct SimSync {
  const char *address;
  uint32_t kind; ///< FUSER_SIM_RELEASE | ..., and its scope.
  const FuserSimSite *site;
};

/// The last ones of a launch, to explain races by those that were to order what
/// races, and do not.
class SimSyncs {
public:
  /// `clock` is that of the thread, for which it is a step.
  void add(SimPlace place, SimClock &clock, const SimSync &sync);
  /// What keeps the one of two accesses from being ordered behind the other;
  /// empty if that is not known.
  std::string explain(const SimEvent &event, const SimRecord &before) const;
  void clear() { entries.clear(); }

private:
  struct Entry {
    SimPlace place;
    SimClock clock;
    SimSync sync;
  };
  std::deque<Entry> entries;
};

} // namespace fuser_rt

#endif // FUSER_RT_SIM_RACES_H
