//===- Api.cpp - What simulated kernels call ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim/Group.h"
#include "Status.h"

using namespace fuser_rt;

static SimThread &of(FuserSimThread *thread) {
  return *static_cast<SimThread *>(thread);
}

static SimGroup &groupOf(FuserSimThread *thread) {
  return *of(thread).home->group;
}

/// Calls `fn`. Without memory the launch ends: nothing is thrown through code
/// of kernels.
template <typename Fn>
static void run(FuserSimThread *thread, Fn fn) {
  FuserStatus *status = guarded([&]() -> FuserStatus * {
    fn(groupOf(thread));
    return nullptr;
  });
  if (status)
    groupOf(thread).fail(status);
}

static void callBarrier(FuserSimThread *thread, const FuserSimSite *site) {
  run(thread, [&](SimGroup &group) { group.barrier(of(thread), site); });
}

static FuserSimShuffled callShuffle(FuserSimThread *thread, uint32_t mode,
                                    uint64_t value, uint32_t offset,
                                    uint32_t width, const FuserSimSite *site) {
  FuserSimShuffled result = {value, 0};
  run(thread, [&](SimGroup &group) {
    result = group.shuffle(of(thread), mode, value, offset, width, site);
  });
  return result;
}

static void callBegin(FuserSimThread *thread, const FuserSimInfo *info) {
  run(thread, [&](SimGroup &group) { group.begin(*info); });
}

static void callAccess(FuserSimThread *thread, const void *address,
                       const void *base, uint64_t mask,
                       const FuserSimAccess *access) {
  run(thread, [&](SimGroup &group) {
    group.access(of(thread), address, base, mask, *access);
  });
}

static void callNamedBarrier(FuserSimThread *thread, int64_t number,
                             uint32_t threads, uint32_t waits,
                             const FuserSimSite *site) {
  run(thread, [&](SimGroup &group) {
    group.namedBarrier(of(thread), number, threads, waits, *site);
  });
}

static void callClusterBarrier(FuserSimThread *thread, uint32_t waits,
                               const FuserSimSite *site) {
  run(thread,
      [&](SimGroup &group) { group.clusterBarrier(of(thread), waits, *site); });
}

static uint64_t callBallot(FuserSimThread *thread, uint32_t votes,
                           const FuserSimSite *site) {
  uint64_t result = 0;
  run(thread, [&](SimGroup &group) {
    result = group.ballot(of(thread), votes & FUSER_SIM_VOTE,
                          votes & FUSER_SIM_ORDERS, site);
  });
  return result;
}

static uint32_t callElect(FuserSimThread *thread, const FuserSimSite *site) {
  uint32_t result = 0;
  run(thread, [&](SimGroup &group) { result = group.elect(of(thread), site); });
  return result;
}

static void *callMapBlock(FuserSimThread *thread, void *address, int64_t block,
                          const FuserSimSite *site) {
  void *result = address;
  run(thread, [&](SimGroup &group) {
    result = group.mapBlock(of(thread), address, block, *site);
  });
  return result;
}

static void callMBarrier(FuserSimThread *thread, const FuserSimRef *ref,
                         uint32_t action, uint32_t value, uint32_t scope,
                         const FuserSimSite *site) {
  run(thread, [&](SimGroup &group) {
    group.getAsync().mbarrier(of(thread), *ref, action, value, scope, *site);
  });
}

static void callFence(FuserSimThread *thread, uint32_t kind,
                      const FuserSimSite *) {
  run(thread,
      [&](SimGroup &group) { group.getAsync().fence(of(thread), kind); });
}

static void callStoreAsync(FuserSimThread *thread, const FuserSimRef *target,
                           const void *value, uint32_t bytes,
                           const FuserSimRef *mbarrier,
                           const FuserSimSite *site) {
  run(thread, [&](SimGroup &group) {
    group.getAsync().store(of(thread), *target, value, bytes, *mbarrier, *site);
  });
}

static void callBulkCopy(FuserSimThread *thread, const FuserSimRef *source,
                         const FuserSimRef *target, uint64_t bytes,
                         const FuserSimRef *mbarrier,
                         const FuserSimSite *site) {
  run(thread, [&](SimGroup &group) {
    group.getAsync().copy(of(thread), *source, *target, bytes, mbarrier, *site);
  });
}

static void callBulkGroup(FuserSimThread *thread, uint32_t action,
                          uint32_t groups, const FuserSimSite *site) {
  run(thread, [&](SimGroup &group) {
    group.getAsync().bulkGroup(of(thread), action, groups, *site);
  });
}

static void callCounterWait(FuserSimThread *thread, const FuserSimRef *ref,
                            uint64_t bound, uint32_t bytes,
                            const FuserSimSite *site) {
  run(thread, [&](SimGroup &group) {
    group.waitForCounter(of(thread), *ref, bound, bytes, *site);
  });
}

static void callPause(FuserSimThread *thread, uint32_t changed,
                      const FuserSimSite *site) {
  run(thread,
      [&](SimGroup &group) { group.pause(of(thread), changed, *site); });
}

static void callPrivateAccess(FuserSimThread *thread, const void *address,
                              const void *base, uint64_t bytes, uint64_t mask,
                              const FuserSimAccess *access) {
  run(thread, [&](SimGroup &group) {
    group.privateAccess(of(thread), {address, base, bytes}, mask, *access);
  });
}

static void callCopyAsync(FuserSimThread *thread, const FuserSimRef *source,
                          const FuserSimRef *target, uint32_t bytes,
                          const FuserSimSite *site) {
  run(thread, [&](SimGroup &group) {
    group.getAsync().copyAsync(of(thread), source, *target, bytes, *site);
  });
}

static void callCopyGroup(FuserSimThread *thread, uint32_t action,
                          uint32_t groups, const FuserSimSite *) {
  run(thread, [&](SimGroup &group) {
    group.getAsync().copyGroup(of(thread), action, groups);
  });
}

const FuserSimApi fuser_rt::simApi = {
    callBarrier,       callShuffle,        callBegin,       callAccess,
    callNamedBarrier,  callClusterBarrier, callBallot,      callElect,
    callMapBlock,      callMBarrier,       callFence,       callStoreAsync,
    callBulkCopy,      callBulkGroup,      callCounterWait, callPause,
    callPrivateAccess, callCopyAsync,      callCopyGroup};
