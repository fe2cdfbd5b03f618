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

#include "Sim/Async.h"
#include "Sim/Block.h"
#include "Sim/Fiber.h"
#include "Sim/Order.h"
#include "fuser_rt/fuser_rt.h"

#include <memory>

namespace fuser_rt {

class SimGroup {
public:
  /// `checker` may be null.
  explicit SimGroup(SimChecker *checker) : checker(checker), async(*this) {}

  /// Runs the blocks of group `number` of the launch. An error if its threads
  /// are in a deadlock.
  FuserStatus *run(const SimLaunch &launch, int64_t number);

  // What threads call.
  void barrier(SimThread &thread, const FuserSimSite *site);
  void namedBarrier(SimThread &thread, int64_t number, uint32_t threads,
                    bool waits, const FuserSimSite &site);
  void clusterBarrier(SimThread &thread, bool waits, const FuserSimSite &site);
  FuserSimShuffled shuffle(SimThread &thread, uint32_t mode, uint64_t value,
                           uint32_t offset, uint32_t width,
                           const FuserSimSite *site);
  uint64_t ballot(SimThread &thread, bool predicate, bool orders,
                  const FuserSimSite *site);
  bool elect(SimThread &thread, const FuserSimSite *site);
  void *mapBlock(SimThread &thread, void *address, int64_t block,
                 const FuserSimSite &site);
  void waitForCounter(SimThread &thread, const SimRef &ref, uint64_t bound,
                      uint32_t bytes, const FuserSimSite &site);
  /// Behind an atomic access, which has `changed` memory: threads that wait by
  /// such ones let others go on.
  void pause(SimThread &thread, bool changed, const FuserSimSite &site);
  void begin(const FuserSimInfo &info);
  void access(SimThread &thread, const void *address, const void *base,
              uint64_t mask, const FuserSimAccess &access);
  void privateAccess(SimThread &thread, const SimRef &ref, uint64_t mask,
                     const FuserSimAccess &access);

  // What its parts call.
  SimAsync &getAsync() { return async; }
  /// May be null.
  SimChecker *getChecker() { return checker; }
  /// What the kernel says of itself; null if it does not.
  const FuserSimInfo *getInfo() const { return info; }
  /// The block in whose shared memory `address` lies, or null.
  SimBlock *findBlock(const void *address);
  void wait(SimThread &thread, const FuserSimSite *site);
  void wake(SimThread &thread);
  /// A number below `count`; 0 without a seed.
  uint64_t choose(uint64_t count);
  /// `thread`, which runs, cannot go on, and so the launch ends.
  void stop();
  /// A fault of `thread`, which does not depend on what is checked.
  void fail(const SimThread &thread, const FuserSimSite &site,
            std::string text);
  /// The same before `stop`, behind which nothing of the stack is destroyed:
  /// for texts made of others.
  void noteFault(const SimThread &thread, const FuserSimSite &site,
                 const std::string &text);

  /// The thread that runs cannot go on for `status`, which is taken.
  void fail(FuserStatus *status);

private:
  /// A thread that waits for a counter.
  struct CounterWait {
    SimThread *thread;
    const FuserSimSite *site;
    SimRef ref;
    uint64_t bound;
    uint32_t bytes;

    bool isOver() const;
  };

  void placeBlock(SimBlock &block, int64_t number);
  void prepareChecks(SimBlock &block);
  void placeClusters();
  void dropFibers();
  void runThreads();
  void finish(SimThread &thread);
  void finishBarrier(SimBlock &block, const SimThread *last);
  void finishShuffle(SimBlock &block, SimWarp &warp, const SimThread *last);
  void finishCluster(SimCluster &cluster);
  void exchange(SimThread &thread, uint64_t value, uint32_t source,
                uint32_t members, const FuserSimSite *site);
  bool acquireCounter(const CounterWait &wait);
  void wakeCounters();
  bool waitForOthers();
  bool othersGoOn();
  SimThread *takeUnstarted();
  bool canStart() const;
  bool advance();
  Fiber *chooseFiber();
  Fiber &takeFiber();
  FuserStatus *finishRun();
  FuserStatus *describeDeadlock();

  SimChecker *checker;
  SimAsync async;
  const SimLaunch *launch = nullptr;
  const FuserSimInfo *info = nullptr;
  /// A thread cannot go on.
  bool isStopped = false;
  FuserStatus *error = nullptr;
  std::vector<SimBlock> blocks;
  std::vector<SimCluster> clusters;
  /// The next thread that no fiber has begun with, counted through all blocks
  /// in this order.
  SimOrder startOrder;
  int64_t unstarted = 0, unfinished = 0;
  /// How often threads have let others go on: in all, and since one got
  /// somewhere.
  uint64_t numTurns = 0, numPauses = 0;
  /// How often that was too often, since another group has ended; and how many
  /// had then.
  uint64_t numRounds = 0, endedGroups = 0;
  std::vector<SimThread *> ready;
  size_t nextReady = 0;
  std::vector<CounterWait> counterWaits;
  std::vector<std::unique_ptr<Fiber>> fibers;
  /// Those that have no thread.
  std::vector<Fiber *> idle;
  Fiber *current = nullptr;
  /// The state of what chooses; 0 without a seed.
  uint64_t random = 0;
};

/// The table of threads' functions.
extern const FuserSimApi simApi;

} // namespace fuser_rt

#endif // FUSER_RT_SIM_GROUP_H
