//===- Async.h - Mbarriers and asynchronous copies --------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What threads have started and not waited for happens at some time between.
// Without a seed that is as late as can be: when no thread can go on. With one
// it is any time, in any order. Copies of a thread happen when it starts them,
// if a seed says so, or when it waits for them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_SIM_ASYNC_H
#define FUSER_RT_SIM_ASYNC_H

#include "Sim/Block.h"

#include <deque>
#include <vector>

namespace fuser_rt {

class SimChecker;

class SimAsync {
public:
  explicit SimAsync(SimGroup &group) : group(group) {}

  /// Nothing is under way.
  void clear() { pending.clear(); }
  bool isIdle() const { return pending.empty(); }
  /// A step of one that is under way, which a seed chooses.
  void advance();
  /// `thread` ends.
  void endThread(SimThread &thread);
  /// The threads of `block` have ended.
  void endBlock(const SimBlock &block);

  // What threads call.
  void mbarrier(SimThread &thread, const SimRef &ref, uint32_t action,
                uint32_t value, uint32_t scope, const FuserSimSite &site);
  void fence(SimThread &thread, uint32_t kind);
  void store(SimThread &thread, const SimRef &target, const void *value,
             uint32_t bytes, const SimRef &mbarrier, const FuserSimSite &site);
  void copy(SimThread &thread, const SimRef &source, const SimRef &target,
            uint64_t bytes, const FuserSimRef *mbarrier,
            const FuserSimSite &site);
  void bulkGroup(SimThread &thread, uint32_t action, uint32_t groups,
                 const FuserSimSite &site);
  /// Without a source zeros are written.
  void copyAsync(SimThread &thread, const FuserSimRef *source,
                 const SimRef &target, uint32_t bytes,
                 const FuserSimSite &site);
  void copyGroup(SimThread &thread, uint32_t action, uint32_t groups);

private:
  /// A copy, or a store, that is under way.
  struct Transfer {
    SimThread *thread;
    const FuserSimSite *site;
    SimClock clock; ///< The thread's when it started it.
    SimRef source;  ///< Null where the value is known.
    SimRef target;
    uint64_t bytes;
    std::vector<char> value; ///< What was read.
    bool hasRead;
    SimMBarrier *mbarrier; ///< Null for one of a group of the thread.
    SimBlock *home;        ///< The mbarrier's.
    uint32_t group;        ///< Of the thread.

    bool isBulk() const { return source.address; }
  };

  void init(SimThread &thread, const SimRef &ref, uint32_t count,
            const FuserSimSite &site);
  SimMBarrier *find(const char *address, SimBlock *&home);
  SimMBarrier &get(SimThread &thread, const SimRef &ref,
                   const FuserSimSite &site, SimBlock *&home);
  SimMBarrier *getForTransfer(SimThread &thread, const SimRef &ref,
                              const SimRef &target, const FuserSimSite &site,
                              SimBlock *&home);
  void arrive(SimThread &thread, SimMBarrier &mbarrier, SimBlock &home,
              uint32_t count, uint32_t scope, const FuserSimSite &site);
  void expect(SimThread &thread, SimMBarrier &mbarrier, int64_t bytes,
              const FuserSimSite &site);
  void wait(SimThread &thread, SimMBarrier &mbarrier, const SimBlock &home,
            uint32_t parity, uint32_t scope, const FuserSimSite &site);
  void settle(SimMBarrier &mbarrier, SimBlock &home);
  void leaveWait(SimThread &thread, SimMBarrier &mbarrier, uint32_t scope,
                 const FuserSimSite &site);
  void checkMissed(SimThread &thread, const SimMBarrier &mbarrier,
                   const SimBlock &home, uint32_t parity,
                   const FuserSimSite &site);
  void checkWaited(SimMBarrier &mbarrier);

  void start(Transfer transfer);
  void read(Transfer &transfer);
  void write(Transfer &transfer);
  bool isBulkDone(const SimThread &thread) const;
  void leaveBulk(SimThread &thread);
  void finishCopies(SimThread &thread, uint32_t limit);

  SimGroup &group;
  std::deque<Transfer> pending;
};

} // namespace fuser_rt

#endif // FUSER_RT_SIM_ASYNC_H
