//===- Group.h - Thread blocks that are simulated together -----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks of a cluster, or of a whole cooperative grid; of any other grid
// one block. Their GPU threads run one after the other on one CPU thread. A
// fiber runs GPU threads as long as none of them has to wait, so a kernel in
// which threads do not meet takes one; the fiber of a thread that waits is the
// thread's own until it ends.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_SIM_GROUP_H
#define FUSER_RT_SIM_GROUP_H

#include "Sim/Fiber.h"
#include "Sim/Memory.h"
#include "fuser_rt/fuser_rt.h"
#include "fuser_rt/sim_abi.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace fuser_rt {

constexpr uint32_t kSimWarpSize = 32;

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

  /// The blocks that run together.
  int64_t countGroupBlocks() const {
    const auto &sizes = cluster;
    return isCooperative ? grid[0] * grid[1] * grid[2]
                         : int64_t(sizes[0]) * sizes[1] * sizes[2];
  }
  int64_t countThreads() const {
    return int64_t(block[0]) * block[1] * block[2];
  }
};

class SimChecker;
class SimGroup;
struct SimBlock;

struct SimThread : FuserSimThread {
  SimBlock *home = nullptr;
  SimPlace place;
  SimClock clock;
  /// The one that it waits on.
  Fiber *fiber = nullptr;
  /// Where it waits; null if it does not.
  const FuserSimSite *waits = nullptr;
  bool isDone = false;
};

/// Threads that exchange values.
struct SimWarp {
  uint32_t alive = 0, arrived = 0;
  /// Where the first is that waits.
  const FuserSimSite *site = nullptr;
  uint64_t values[kSimWarpSize];
  FuserSimShuffled results[kSimWarpSize];
  /// The lanes that each asks for.
  uint32_t sources[kSimWarpSize];
};

struct SimBlock {
  FuserSimBlock place;
  SimGroup *group = nullptr;
  std::vector<SimThread> threads;
  std::vector<SimWarp> warps;
  std::vector<char> shared, dynamicShared;
  /// What is known of them, if accesses are checked.
  SimBuffer sharedBytes, dynamicSharedBytes;
  uint32_t alive = 0, atBarrier = 0;
  /// Where the first is that waits at the barrier.
  const FuserSimSite *barrier = nullptr;
};

class SimGroup {
public:
  /// `checker` may be null.
  explicit SimGroup(SimChecker *checker) : checker(checker) {}

  /// Runs the blocks of group `number` of the launch. An error if its threads
  /// wait for ever.
  FuserStatus *run(const SimLaunch &launch, int64_t number);

  // What threads call.
  void barrier(SimThread &thread, const FuserSimSite *site);
  FuserSimShuffled shuffle(SimThread &thread, uint32_t mode, uint64_t value,
                           uint32_t offset, uint32_t width,
                           const FuserSimSite *site);
  void begin(const FuserSimInfo &info);
  void access(SimThread &thread, const void *address, const void *base,
              uint64_t mask, const FuserSimAccess &access);

private:
  void placeBlock(SimBlock &block, int64_t number);
  void prepareChecks(SimBlock &block);
  void dropFibers();
  void runThreads();
  void wait(SimThread &thread, const FuserSimSite *site);
  void wake(SimThread &thread);
  void finish(SimThread &thread);
  void finishBarrier(SimBlock &block, const SimThread *last);
  void finishShuffle(SimBlock &block, SimWarp &warp, const SimThread *last);
  SimThread *takeUnstarted();
  Fiber *chooseFiber();
  uint64_t choose(uint64_t count);
  Fiber &takeFiber();
  FuserStatus *describeDeadlock();

  SimChecker *checker;
  const SimLaunch *launch = nullptr;
  /// A thread cannot go on.
  bool isStopped = false;
  std::vector<SimBlock> blocks;
  /// The next thread that no fiber has begun with, counted through all blocks.
  int64_t unstarted = 0, unfinished = 0;
  std::vector<SimThread *> ready;
  size_t nextReady = 0;
  std::vector<std::unique_ptr<Fiber>> fibers;
  /// Those that have no thread.
  std::vector<Fiber *> idle;
  Fiber *current = nullptr;
  /// The state of what chooses; 0 without a seed.
  uint64_t random = 0;
};

} // namespace fuser_rt

#endif // FUSER_RT_SIM_GROUP_H
