//===- Block.h - Simulated threads and who they meet ------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_SIM_BLOCK_H
#define FUSER_RT_SIM_BLOCK_H

#include "Sim/Clocks.h"
#include "Sim/Memory.h"
#include "fuser_rt/sim_abi.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fuser_rt {

class Fiber;
class SimGroup;
struct SimBlock;
struct SimMBarrier;

/// Barriers of a block; number 0 is that of all its threads.
constexpr int64_t kSimBarriers = 16;

/// The CPU threads that run groups of one launch at the same time.
struct SimWorkers {
  std::atomic<int> active{0};
  /// Of them, those whose group waits for another one.
  std::atomic<int> waiting{0};
  /// Groups that have ended.
  std::atomic<uint64_t> ended{0};
};

/// What all threads of a launch have in common.
struct SimLaunch {
  FuserSimKernel kernel;
  const char *name;
  void *const *params;
  int64_t grid[3];
  int32_t block[3];
  int32_t cluster[3];
  size_t sharedBytes;
  size_t dynamicSharedBytes;
  bool isCooperative;
  /// Of the order in which threads take turns. 0: the order of their numbers.
  uint64_t seed;
  /// Null if groups run one after the other.
  SimWorkers *workers;

  int64_t countClusterBlocks() const {
    return int64_t(cluster[0]) * cluster[1] * cluster[2];
  }
  /// The blocks that run together.
  int64_t countGroupBlocks() const {
    return isCooperative ? grid[0] * grid[1] * grid[2] : countClusterBlocks();
  }
  int64_t countThreads() const {
    return int64_t(block[0]) * block[1] * block[2];
  }
};

/// Memory that an op names.
struct SimRef {
  char *address = nullptr;
  const char *base = nullptr; ///< Null if that is not known.
  uint64_t bufferBytes = 0;   ///< In shared memory; else 0.

  SimRef() = default;
  SimRef(const void *address, const void *base, uint64_t bufferBytes)
      : address(static_cast<char *>(const_cast<void *>(address))),
        base(static_cast<const char *>(base)), bufferBytes(bufferBytes) {}
  SimRef(const FuserSimRef &ref)
      : SimRef(ref.address, ref.base, ref.buffer_bytes) {}
};

/// A copy that a thread has started by kernel.copy_async, and not waited for.
struct SimCopy {
  const FuserSimSite *site;
  SimClock clock; ///< The thread's when it started it.
  SimRef source;  ///< Null: zeros are written.
  SimRef target;
  uint32_t bytes;
  uint32_t group; ///< Of the thread.
  bool isMoved;   ///< The bytes are there.
};

struct SimThread : FuserSimThread {
  // What each thread takes comes first: it is written anew for each.
  SimBlock *home = nullptr;
  /// Where it waits; null if it does not.
  const FuserSimSite *waits = nullptr;
  /// The phase of the cluster's barrier that it has arrived at and not waited
  /// for; -1 if there is none.
  int64_t clusterPhase = -1;
  /// Atomic accesses since it has let others go on.
  uint32_t numAtomics = 0;
  /// Groups of bulk copies that it has committed; one behind the last group
  /// that it has put a copy into; and how far it has waited until shared memory
  /// was read.
  uint32_t bulkGroups = 0, bulkStarted = 0, bulkWaited = 0;
  bool waitsForBulk = false, waitsForReads = false;
  /// Groups of copies by kernel.copy_async that it has committed, and those
  /// copies that it has not waited for.
  uint32_t copyGroups = 0;
  std::vector<SimCopy> copies;
  bool isDone = false;

  /// What it waits on.
  Fiber *fiber = nullptr;
  /// And for, where that is an mbarrier; only while it waits for one.
  const SimMBarrier *mbarrier = nullptr;
  /// The groups that it waits for.
  uint32_t bulkLimit = 0;
  /// Where it has started a copy of a group.
  const FuserSimSite *bulkSite = nullptr;
  // Where accesses are checked.
  /// What it knew of others when it arrived at the cluster's barrier.
  std::shared_ptr<const SimView> knownAtArrival;
  SimPlace place;
  SimClock clock;

  /// "thread (3, 0, 0) of block (0, 0, 0)".
  std::string describe() const;
};

/// Threads that exchange values.
struct SimWarp {
  uint32_t alive = 0, arrived = 0;
  /// Those that the first who waits waits for, and where.
  uint32_t members = 0;
  const FuserSimSite *site = nullptr;
  /// What each did to memory before is before what all do behind it.
  bool orders = false;
  uint64_t values[kSimWarpSize];
  FuserSimShuffled results[kSimWarpSize];
  /// The lanes that each asks for.
  uint32_t sources[kSimWarpSize];
  /// What each gets to know of all: values of 1, and who was there.
  uint64_t ballots[kSimWarpSize];

  bool isComplete() const {
    return arrived && (arrived & members) == (alive & members);
  }
};

/// A barrier of some warps of a block.
struct SimNamedBarrier {
  uint32_t threads = 0, arrived = 0;  ///< 32 a warp.
  std::map<uint32_t, uint32_t> lanes; ///< That have come, of each warp.
  std::vector<SimThread *> waiting;
  SimReleases released;
};

/// The barrier of a cluster.
struct SimCluster {
  uint32_t alive = 0, arrived = 0;
  /// Complete ones.
  int64_t phase = 0;
  std::vector<SimThread *> waiting;
  SimReleases arriving;
  std::shared_ptr<const SimView> released;
};

/// An mbarrier of a block.
struct SimMBarrier {
  const SimBlock *home = nullptr;
  const char *address = nullptr;
  uint32_t number = 0; ///< In the block.
  int64_t count = 0;
  int64_t pending = 0; ///< Arrivals that the phase waits for.
  int64_t bytes = 0;   ///< And bytes.
  uint64_t phase = 0;  ///< Complete ones.
  /// What those have released who arrived within the block, or the cluster: in
  /// this phase, and until the last one was complete.
  SimView arriving[2], released[2];
  std::vector<std::pair<SimThread *, uint32_t>> waiting; ///< With their scope.
  const SimThread *initializer = nullptr;
  /// The initializer's clock then, and at its fence behind; 0: there was none.
  uint32_t initializedAt = 0, fencedAt = 0;
  /// A thread that has waited for the last complete phase, and its clock then;
  /// if accesses are checked.
  struct Waited {
    SimThread *thread;
    uint32_t clock;
    const FuserSimSite *site;
  };
  std::vector<Waited> waited;

  bool isComplete(uint32_t parity) const { return (phase & 1) != parity; }
  /// The first phase from `known` on of this parity.
  static uint64_t findPhase(uint64_t known, uint32_t parity) {
    return known + ((known & 1) != parity);
  }
  /// "mbarrier 1 of workgroup buffer 0 (...)".
  std::string describe() const;
};

struct SimBlock {
  FuserSimBlock place;
  SimGroup *group = nullptr;
  SimCluster *cluster = nullptr;
  std::vector<SimThread> threads;
  std::vector<SimWarp> warps;
  std::vector<char> shared, dynamicShared;
  /// What is known of them, if accesses are checked.
  SimBuffer sharedBytes, dynamicSharedBytes;
  uint32_t alive = 0, atBarrier = 0;
  /// Where the first is that waits at the barrier.
  const FuserSimSite *barrier = nullptr;
  /// Its threads have started copies that belong to groups.
  bool hasBulkCopies = false;
  std::vector<SimNamedBarrier> named;
  /// The last access of each from another block of the cluster to its shared
  /// memory, and its clock; if accesses are checked.
  struct Visit {
    SimPlace place;
    uint32_t clock;
    const FuserSimAccess *access;
  };
  std::map<std::pair<uint32_t, uint32_t>, Visit> visits;
  /// Where its threads have released something to each other; if accesses are
  /// checked.
  std::set<std::pair<const char *, uint64_t>> releases;
  std::map<const char *, SimMBarrier> mbarriers; // by address

  /// The part of its shared memory that has `address` in it, or null; where
  /// accesses are checked.
  SimBuffer *findShared(const char *address) {
    for (SimBuffer *buffer : {&sharedBytes, &dynamicSharedBytes})
      if (buffer->contains(address, 1))
        return buffer;
    return nullptr;
  }

  /// "block (0, 0, 0)".
  std::string describe() const;
  /// What names the buffer of shared memory that has `address` in it, and the
  /// byte there, or the mbarrier.
  std::string describeBuffer(const char *address) const;
  std::string describeByte(const char *address) const;
  /// Its number in the grid, and that of its cluster.
  uint32_t number() const { return linearize(place.block_id, place.grid_dim); }
  uint32_t clusterNumber() const {
    return linearize(place.cluster_id, place.cluster_dim);
  }

private:
  static uint32_t linearize(const int64_t (&at)[3], const int64_t (&sizes)[3]) {
    return static_cast<uint32_t>(at[0] + sizes[0] * (at[1] + sizes[1] * at[2]));
  }
};

} // namespace fuser_rt

#endif // FUSER_RT_SIM_BLOCK_H
