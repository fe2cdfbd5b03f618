//===- Api.cpp - What simulated kernels call ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim/Group.h"

using namespace fuser_rt;

static SimThread &of(FuserSimThread *thread) {
  return *static_cast<SimThread *>(thread);
}

static SimGroup &groupOf(FuserSimThread *thread) {
  return *of(thread).home->group;
}

static void callBarrier(FuserSimThread *thread, const FuserSimSite *site) {
  groupOf(thread).barrier(of(thread), site);
}

static FuserSimShuffled callShuffle(FuserSimThread *thread, uint32_t mode,
                                    uint64_t value, uint32_t offset,
                                    uint32_t width, const FuserSimSite *site) {
  return groupOf(thread).shuffle(of(thread), mode, value, offset, width, site);
}

static void callBegin(FuserSimThread *thread, const FuserSimInfo *info) {
  groupOf(thread).begin(*info);
}

static void callAccess(FuserSimThread *thread, const void *address,
                       const void *base, uint64_t mask,
                       const FuserSimAccess *access) {
  groupOf(thread).access(of(thread), address, base, mask, *access);
}

static void callNamedBarrier(FuserSimThread *thread, int64_t number,
                             uint32_t threads, uint32_t waits,
                             const FuserSimSite *site) {
  groupOf(thread).namedBarrier(of(thread), number, threads, waits, *site);
}

static void callClusterBarrier(FuserSimThread *thread, uint32_t waits,
                               const FuserSimSite *site) {
  groupOf(thread).clusterBarrier(of(thread), waits, *site);
}

static uint64_t callBallot(FuserSimThread *thread, uint32_t predicate,
                           const FuserSimSite *site) {
  return groupOf(thread).ballot(of(thread), predicate, site);
}

static uint32_t callElect(FuserSimThread *thread, const FuserSimSite *site) {
  return groupOf(thread).elect(of(thread), site);
}

static void *callMapBlock(FuserSimThread *thread, void *address, int64_t block,
                          const FuserSimSite *site) {
  return groupOf(thread).mapBlock(of(thread), address, block, *site);
}

static void callMBarrier(FuserSimThread *thread, const FuserSimRef *ref,
                         uint32_t action, uint32_t value, uint32_t scope,
                         const FuserSimSite *site) {
  groupOf(thread).getAsync().mbarrier(of(thread), *ref, action, value, scope,
                                      *site);
}

static void callFence(FuserSimThread *thread, uint32_t kind,
                      const FuserSimSite *) {
  groupOf(thread).getAsync().fence(of(thread), kind);
}

static void callStoreAsync(FuserSimThread *thread, const FuserSimRef *target,
                           const void *value, uint32_t bytes,
                           const FuserSimRef *mbarrier,
                           const FuserSimSite *site) {
  groupOf(thread).getAsync().store(of(thread), *target, value, bytes, *mbarrier,
                                   *site);
}

static void callBulkCopy(FuserSimThread *thread, const FuserSimRef *source,
                         const FuserSimRef *target, uint64_t bytes,
                         const FuserSimRef *mbarrier,
                         const FuserSimSite *site) {
  groupOf(thread).getAsync().copy(of(thread), *source, *target, bytes, mbarrier,
                                  *site);
}

static void callBulkGroup(FuserSimThread *thread, uint32_t action,
                          uint32_t groups, const FuserSimSite *site) {
  groupOf(thread).getAsync().bulkGroup(of(thread), action, groups, *site);
}

static void callCounterWait(FuserSimThread *thread, const FuserSimRef *ref,
                            uint64_t bound, uint32_t bytes,
                            const FuserSimSite *site) {
  groupOf(thread).waitForCounter(of(thread), *ref, bound, bytes, *site);
}

static void callPause(FuserSimThread *thread, const FuserSimSite *site) {
  groupOf(thread).pause(of(thread), *site);
}

const FuserSimApi fuser_rt::simApi = {
    callBarrier,      callShuffle,        callBegin,       callAccess,
    callNamedBarrier, callClusterBarrier, callBallot,      callElect,
    callMapBlock,     callMBarrier,       callFence,       callStoreAsync,
    callBulkCopy,     callBulkGroup,      callCounterWait, callPause};
