//===- Async.cpp - Mbarriers and asynchronous copies ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim/Async.h"

#include "Sim/Checker.h"
#include "Sim/Group.h"
#include "Status.h"

#include <cinttypes>
#include <cstring>

using namespace fuser_rt;

/// The most arrivals, and bytes, that an mbarrier counts.
static constexpr int64_t kMaxCount = (1 << 20) - 1;
static constexpr uint32_t kMBarrierBytes = 8;
static constexpr uint32_t kBulkBytes = 16;

/// Who a copy's accesses are by, for who waits for them.
static SimPlace getPlace(const SimBlock &home, const SimMBarrier &mbarrier) {
  return {home.number() | kSimAsync, mbarrier.number, home.clusterNumber()};
}

/// The same for copies of a thread's groups, which are waited for as reads and
/// as writes.
static SimPlace getPlace(const SimThread &thread, bool isWrite) {
  constexpr uint32_t kWrite = kSimBulk >> 1;
  return {thread.place.block | kSimAsync,
          thread.place.thread | kSimBulk | (isWrite ? kWrite : 0),
          thread.place.cluster};
}

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

SimMBarrier *SimAsync::find(const char *address, SimBlock *&home) {
  home = group.findBlock(address);
  if (!home)
    return nullptr;
  auto it = home->mbarriers.find(address);
  return it == home->mbarriers.end() ? nullptr : &it->second;
}

/// The one at `ref`; does not return if there is none.
SimMBarrier &SimAsync::get(SimThread &thread, const SimRef &ref,
                           const FuserSimSite &site, SimBlock *&home) {
  SimMBarrier *mbarrier = find(ref.address, home);
  if (!mbarrier) {
    group.noteFault(
        thread, site,
        "expected an mbarrier that kernel.mbarrier_init has initialized, "
        "got memory without one" +
            (home ? ", " + home->describeByte(ref.address) : ""));
    group.stop();
  }
  return *mbarrier;
}

void SimAsync::init(SimThread &thread, const SimRef &ref, uint32_t count,
                    const FuserSimSite &site) {
  SimBlock *home = nullptr;
  if (const SimMBarrier *old = find(ref.address, home)) {
    group.noteFault(thread, site,
                    "expected memory without an mbarrier, got " +
                        old->describe() + ", which is initialized already");
    return group.stop();
  }
  if (count == 0 || count > kMaxCount)
    return group.fail(thread, site,
                      format("expected a count of 1 to %" PRId64
                             ", got %" PRIu32,
                             kMaxCount, count));
  std::map<const char *, SimMBarrier> &all = thread.home->mbarriers;
  SimMBarrier &mbarrier = all[ref.address];
  mbarrier.home = thread.home;
  mbarrier.address = ref.address;
  mbarrier.number = static_cast<uint32_t>(all.size());
  mbarrier.count = mbarrier.pending = count;
  mbarrier.initializer = &thread;
  mbarrier.initializedAt = thread.clock.own;
}

static uint32_t getScopeBit(uint32_t scope) {
  return scope == FUSER_SIM_SCOPE_BLOCK ? FUSER_SIM_OF_BLOCK
                                        : FUSER_SIM_OF_CLUSTER;
}

/// The phase that `thread` waits for is complete: it knows what those know who
/// have arrived.
void SimAsync::leaveWait(SimThread &thread, SimMBarrier &mbarrier,
                         uint32_t scope, const FuserSimSite &site) {
  SimChecker *checker = group.getChecker();
  if (!checker)
    return;
  for (uint32_t of = 0; of <= scope; ++of)
    thread.clock.acquire(mbarrier.released[of]);
  checker->noteMBarrier(thread, mbarrier.address,
                        FUSER_SIM_ACQUIRE | getScopeBit(scope), site);
  mbarrier.waited.push_back({&thread, thread.clock.own++, &site});
}

/// A parity tells a phase from the next one only: the one that `thread` waits
/// for is the first that it does not know to be complete.
void SimAsync::checkMissed(SimThread &thread, const SimMBarrier &mbarrier,
                           const SimBlock &home, uint32_t parity,
                           const FuserSimSite &site) {
  SimPlace place = getPlace(home, mbarrier);
  uint64_t known = 0;
  if (const SimView *view = thread.clock.others.get())
    if (auto it = view->seen.threads.find({place.block, place.thread});
        it != view->seen.threads.end())
      known = it->second;
  uint64_t phase = SimMBarrier::findPhase(known, parity);
  if (phase + 1 < mbarrier.phase)
    group.getChecker()->reportMissed(thread, mbarrier, phase + 1, site);
}

/// A phase is complete. Who has waited for the one before has done so before
/// one of those arrived that this one waited for, or could have missed it.
void SimAsync::checkWaited(SimMBarrier &mbarrier) {
  for (const SimMBarrier::Waited &waited : mbarrier.waited) {
    bool isKnown = false;
    for (const SimView &arriving : mbarrier.arriving)
      isKnown |= arriving.seen.has(waited.thread->place, waited.clock);
    if (!isKnown)
      group.getChecker()->reportMissed(*waited.thread, mbarrier, mbarrier.phase,
                                       *waited.site);
  }
  mbarrier.waited.clear();
}

/// The phase may be complete.
void SimAsync::settle(SimMBarrier &mbarrier, SimBlock &home) {
  if (mbarrier.pending != 0 || mbarrier.bytes != 0)
    return;
  if (group.getChecker())
    checkWaited(mbarrier);
  ++mbarrier.phase;
  mbarrier.pending = mbarrier.count;
  if (group.getChecker()) {
    SimPlace place = getPlace(home, mbarrier);
    for (int of = 0; of < 2; ++of) {
      SimView &arriving = mbarrier.arriving[of];
      arriving.seen.threads[{place.block, place.thread}] =
          static_cast<uint32_t>(mbarrier.phase);
      mbarrier.released[of].merge(arriving);
      arriving = SimView();
    }
  }
  // All that wait wait for this phase.
  auto waiting = std::move(mbarrier.waiting);
  mbarrier.waiting.clear();
  for (auto [thread, scope] : waiting) {
    leaveWait(*thread, mbarrier, scope, *thread->waits);
    group.wake(*thread);
  }
}

void SimAsync::arrive(SimThread &thread, SimMBarrier &mbarrier, SimBlock &home,
                      uint32_t count, uint32_t scope,
                      const FuserSimSite &site) {
  if (mbarrier.pending == 0) {
    group.noteFault(thread, site,
                    format("expected no arrival, since phase %" PRIu64
                           " of %s has none pending, only %" PRId64
                           " bytes, got %" PRIu32,
                           mbarrier.phase, mbarrier.describe().c_str(),
                           mbarrier.bytes, count));
    return group.stop();
  }
  if (count == 0 || count > mbarrier.pending) {
    group.noteFault(thread, site,
                    format("expected 1 to %" PRId64
                           " arrivals, which phase %" PRIu64
                           " of %s has pending, got %" PRIu32,
                           mbarrier.pending, mbarrier.phase,
                           mbarrier.describe().c_str(), count));
    return group.stop();
  }
  if (SimChecker *checker = group.getChecker()) {
    bool isOwn = thread.home == &home;
    checker->noteMBarrier(thread, mbarrier.address,
                          FUSER_SIM_RELEASE | getScopeBit(scope), site);
    SimClock clock = thread.clock;
    if (isOwn)
      clock.release(thread.place, mbarrier.arriving[FUSER_SIM_SCOPE_BLOCK]);
    clock = thread.clock;
    if (scope == FUSER_SIM_SCOPE_CLUSTER)
      clock.release(thread.place, mbarrier.arriving[FUSER_SIM_SCOPE_CLUSTER]);
    ++thread.clock.own;
  }
  mbarrier.pending -= count;
  settle(mbarrier, home);
}

void SimAsync::expect(SimThread &thread, SimMBarrier &mbarrier, int64_t bytes,
                      const FuserSimSite &site) {
  mbarrier.bytes += bytes;
  if (mbarrier.bytes <= kMaxCount)
    return;
  group.noteFault(thread, site,
                  format("expected at most %" PRId64
                         " bytes in a phase of %s, got %" PRId64,
                         kMaxCount, mbarrier.describe().c_str(),
                         mbarrier.bytes));
  group.stop();
}

void SimAsync::wait(SimThread &thread, SimMBarrier &mbarrier,
                    const SimBlock &home, uint32_t parity, uint32_t scope,
                    const FuserSimSite &site) {
  if (group.getChecker())
    checkMissed(thread, mbarrier, home, parity, site);
  if (mbarrier.isComplete(parity))
    return leaveWait(thread, mbarrier, scope, site);
  mbarrier.waiting.emplace_back(&thread, scope);
  thread.mbarrier = &mbarrier;
  group.wait(thread, &site);
}

void SimAsync::mbarrier(SimThread &thread, const SimRef &ref, uint32_t action,
                        uint32_t value, uint32_t scope,
                        const FuserSimSite &site) {
  bool isNew = action == FUSER_SIM_MBARRIER_INIT;
  uint32_t kind = isNew ? FUSER_SIM_WRITE : FUSER_SIM_READ | FUSER_SIM_ATOMIC;
  if (!isNew && action != FUSER_SIM_MBARRIER_WAIT)
    kind |= FUSER_SIM_WRITE;
  SimChecker *checker = group.getChecker();
  if (checker && !checker->accessRef(thread, ref, kMBarrierBytes,
                                     kMBarrierBytes, kind, site))
    return group.stop();
  if (isNew)
    return init(thread, ref, value, site);
  SimBlock *home = nullptr;
  SimMBarrier &mbarrier = get(thread, ref, site, home);
  if (action == FUSER_SIM_MBARRIER_WAIT)
    return wait(thread, mbarrier, *home, value, scope, site);
  bool expects = action != FUSER_SIM_MBARRIER_ARRIVE;
  if (expects)
    expect(thread, mbarrier, value, site);
  if (action != FUSER_SIM_MBARRIER_EXPECT)
    arrive(thread, mbarrier, *home, expects ? 1 : value, scope, site);
}

void SimAsync::fence(SimThread &thread, uint32_t kind) {
  if (kind != FUSER_SIM_FENCE_MBARRIERS) {
    if (group.getChecker())
      thread.clock.fence(thread.place, kind);
    return;
  }
  for (auto &[address, mbarrier] : thread.home->mbarriers)
    if (mbarrier.initializer == &thread && !mbarrier.fencedAt)
      mbarrier.fencedAt = thread.clock.own;
  ++thread.clock.own;
}

//===----------------------------------------------------------------------===//
// Stores and copies
//===----------------------------------------------------------------------===//

/// The mbarrier that counts what is written to `target`.
SimMBarrier *SimAsync::getForTransfer(SimThread &thread, const SimRef &ref,
                                      const SimRef &target,
                                      const FuserSimSite &site,
                                      SimBlock *&home) {
  SimMBarrier &mbarrier = get(thread, ref, site, home);
  SimBlock *written = group.findBlock(target.address);
  if (written != home) {
    group.noteFault(thread, site,
                    "expected an mbarrier in the block that is written to, " +
                        (written ? written->describe() : "which is none") +
                        ", got " + mbarrier.describe() + " in " +
                        home->describe());
    group.stop();
  }
  const SimClock &clock = thread.clock;
  SimPlace initializer = mbarrier.initializer->place;
  bool isFenced = mbarrier.fencedAt &&
                  clock.isBefore(initializer, mbarrier.fencedAt, thread.place);
  if (group.getChecker() && !isFenced &&
      !clock.isFenced(initializer, mbarrier.initializedAt,
                      FUSER_SIM_FENCE_SHARED)) {
    group.noteFault(thread, site,
                    "expected a kernel.fence_mbarrier_init between the "
                    "initialization of " +
                        mbarrier.describe() +
                        " and the copies that it counts, got " +
                        (clock.isFenced(initializer, mbarrier.initializedAt,
                                        FUSER_SIM_FENCE_GLOBAL)
                             ? "kernel.fence_async global"
                             : "none"));
    group.stop();
  }
  return &mbarrier;
}

/// What the thread does from now on is not before it.
void SimAsync::start(Transfer transfer) {
  if (group.getChecker()) {
    transfer.clock = transfer.thread->clock;
    ++transfer.thread->clock.own;
  }
  pending.push_back(std::move(transfer));
}

void SimAsync::store(SimThread &thread, const SimRef &target, const void *value,
                     uint32_t bytes, const SimRef &ref,
                     const FuserSimSite &site) {
  SimChecker *checker = group.getChecker();
  if (checker &&
      !checker->checkRef(thread, target, bytes, bytes, FUSER_SIM_WRITE, site))
    return group.stop();
  Transfer transfer{};
  transfer.mbarrier = getForTransfer(thread, ref, target, site, transfer.home);
  transfer.thread = &thread;
  transfer.site = &site;
  transfer.target = target;
  transfer.bytes = bytes;
  const char *begin = static_cast<const char *>(value);
  transfer.value.assign(begin, begin + bytes);
  transfer.hasRead = true;
  start(std::move(transfer));
}

void SimAsync::copy(SimThread &thread, const SimRef &source,
                    const SimRef &target, uint64_t bytes,
                    const FuserSimRef *mbarrier, const FuserSimSite &site) {
  if (bytes % kBulkBytes)
    return group.fail(thread, site,
                      format("expected a multiple of %" PRIu32
                             " bytes, got %" PRIu64,
                             kBulkBytes, bytes));
  SimChecker *checker = group.getChecker();
  if (checker && (!checker->checkRef(thread, source, bytes, kBulkBytes,
                                     FUSER_SIM_READ | FUSER_SIM_PROXY, site) ||
                  !checker->checkRef(thread, target, bytes, kBulkBytes,
                                     FUSER_SIM_WRITE | FUSER_SIM_PROXY, site)))
    return group.stop();
  Transfer transfer{};
  if (mbarrier)
    transfer.mbarrier =
        getForTransfer(thread, *mbarrier, target, site, transfer.home);
  transfer.thread = &thread;
  transfer.site = &site;
  transfer.source = source;
  transfer.target = target;
  transfer.bytes = bytes;
  transfer.group = thread.bulkGroups;
  if (!transfer.mbarrier) {
    thread.bulkStarted = thread.bulkGroups + 1;
    thread.bulkSite = &site;
    thread.home->hasBulkCopies = true;
  }
  start(std::move(transfer));
}

void SimAsync::read(Transfer &transfer) {
  const SimRef &source = transfer.source;
  transfer.value.assign(source.address, source.address + transfer.bytes);
  transfer.hasRead = true;
  SimChecker *checker = group.getChecker();
  if (!checker)
    return;
  bool isCounted = transfer.mbarrier;
  SimPlace place = isCounted ? getPlace(*transfer.home, *transfer.mbarrier)
                             : getPlace(*transfer.thread, /*isWrite=*/false);
  uint64_t clock = isCounted ? transfer.mbarrier->phase : transfer.group;
  checker->noteAsync({*transfer.thread, transfer.clock, place,
                      static_cast<uint32_t>(clock + 1)},
                     source, transfer.bytes, FUSER_SIM_READ | FUSER_SIM_PROXY,
                     *transfer.site);
}

void SimAsync::write(Transfer &transfer) {
  std::memcpy(transfer.target.address, transfer.value.data(), transfer.bytes);
  SimMBarrier *mbarrier = transfer.mbarrier;
  if (SimChecker *checker = group.getChecker()) {
    SimPlace place = mbarrier ? getPlace(*transfer.home, *mbarrier)
                              : getPlace(*transfer.thread, /*isWrite=*/true);
    uint64_t clock = mbarrier ? mbarrier->phase : transfer.group;
    uint32_t proxy = transfer.isBulk() ? FUSER_SIM_PROXY : 0;
    checker->noteAsync({*transfer.thread, transfer.clock, place,
                        static_cast<uint32_t>(clock + 1)},
                       transfer.target, transfer.bytes, FUSER_SIM_WRITE | proxy,
                       *transfer.site);
  }
  if (!mbarrier)
    return;
  mbarrier->bytes -= static_cast<int64_t>(transfer.bytes);
  settle(*mbarrier, *transfer.home);
}

void SimAsync::advance() {
  size_t number = group.choose(pending.size());
  // Reads and writes of a copy that nobody waits for in between are one step.
  if (Transfer &first = pending[number]; !first.hasRead) {
    read(first);
    if (!first.mbarrier) {
      SimThread &thread = *first.thread;
      return leaveBulk(thread);
    }
  }
  std::swap(pending.front(), pending[number]);
  Transfer transfer = std::move(pending.front());
  pending.pop_front();
  write(transfer);
  if (!transfer.mbarrier)
    leaveBulk(*transfer.thread);
}

/// Its shared memory is gone.
void SimAsync::endBlock(const SimBlock &block) {
  if (block.hasBulkCopies)
    for (const SimThread &thread : block.threads)
      if (thread.bulkStarted > thread.bulkWaited)
        return group.fail(thread, *thread.bulkSite,
                          "expected its block to wait until shared memory is "
                          "read (kernel.bulk_wait), before it ends");
  for (const Transfer &transfer : pending) {
    bool reads = transfer.isBulk() && !transfer.hasRead &&
                 group.findBlock(transfer.source.address) == &block;
    if (reads || group.findBlock(transfer.target.address) == &block)
      return group.fail(*transfer.thread, *transfer.site,
                        reads ? "expected the block that is read from to wait "
                                "until it was, before it ends"
                              : "expected the block that is written to to wait "
                                "for it, before it ends");
  }
}

//===----------------------------------------------------------------------===//
// Groups of copies
//===----------------------------------------------------------------------===//

bool SimAsync::isBulkDone(const SimThread &thread) const {
  for (const Transfer &transfer : pending)
    if (transfer.thread == &thread && !transfer.mbarrier &&
        transfer.group < thread.bulkLimit &&
        !(thread.waitsForReads && transfer.hasRead))
      return false;
  return true;
}

/// The thread may be done with waiting.
void SimAsync::leaveBulk(SimThread &thread) {
  if (!thread.waitsForBulk || !isBulkDone(thread))
    return;
  thread.waitsForBulk = false;
  group.wake(thread);
}

void SimAsync::bulkGroup(SimThread &thread, uint32_t action, uint32_t groups,
                         const FuserSimSite &site) {
  if (action == FUSER_SIM_BULK_COMMIT) {
    ++thread.bulkGroups;
    return;
  }
  bool readsOnly = action == FUSER_SIM_BULK_WAIT_READ;
  thread.bulkLimit =
      thread.bulkGroups > groups ? thread.bulkGroups - groups : 0;
  thread.waitsForReads = readsOnly;
  thread.bulkWaited = std::max(thread.bulkWaited, thread.bulkLimit);
  if (!isBulkDone(thread)) {
    thread.waitsForBulk = true;
    group.wait(thread, &site);
  }
  if (!group.getChecker())
    return;
  SimView view;
  for (bool isWrite : {false, true}) {
    SimPlace place = getPlace(thread, isWrite);
    if (!isWrite || !readsOnly)
      view.seen.threads[{place.block, place.thread}] = thread.bulkLimit;
  }
  thread.clock.acquire(view);
}

//===----------------------------------------------------------------------===//
// Copies of a thread
//===----------------------------------------------------------------------===//

static void move(SimCopy &copy) {
  if (copy.source.address)
    std::memcpy(copy.target.address, copy.source.address, copy.bytes);
  else
    std::memset(copy.target.address, 0, copy.bytes);
  copy.isMoved = true;
}

void SimAsync::copyAsync(SimThread &thread, const FuserSimRef *source,
                         const SimRef &target, uint32_t bytes,
                         const FuserSimSite &site) {
  SimChecker *checker = group.getChecker();
  if (checker &&
      ((source && !checker->checkRef(thread, *source, bytes, bytes,
                                     FUSER_SIM_READ, site)) ||
       !checker->checkRef(thread, target, bytes, bytes, FUSER_SIM_WRITE, site)))
    return group.stop();
  SimCopy copy{};
  copy.site = &site;
  copy.clock = thread.clock;
  if (source)
    copy.source = *source;
  copy.target = target;
  copy.bytes = bytes;
  copy.group = thread.copyGroups;
  // What the thread does from now on is not before it.
  ++thread.clock.own;
  if (group.choose(2))
    move(copy);
  thread.copies.push_back(std::move(copy));
}

/// Those of groups before `limit` are over. They are noted as the thread's own
/// accesses at this point, which know what it knew when it started them: what
/// anybody has done in between races with them.
void SimAsync::finishCopies(SimThread &thread, uint32_t limit) {
  SimChecker *checker = group.getChecker();
  auto begin = thread.copies.begin(), end = begin;
  for (; end != thread.copies.end() && end->group < limit; ++end) {
    if (!end->isMoved)
      move(*end);
    if (!checker)
      continue;
    SimActor actor{thread, end->clock, thread.place, thread.clock.own};
    if (end->source.address)
      checker->noteAsync(actor, end->source, end->bytes, FUSER_SIM_READ,
                         *end->site);
    checker->noteAsync(actor, end->target, end->bytes, FUSER_SIM_WRITE,
                       *end->site);
  }
  thread.copies.erase(begin, end);
}

void SimAsync::copyGroup(SimThread &thread, uint32_t action, uint32_t groups) {
  if (action == FUSER_SIM_COPY_COMMIT)
    ++thread.copyGroups;
  else if (thread.copyGroups > groups)
    finishCopies(thread, thread.copyGroups - groups);
}

void SimAsync::endThread(SimThread &thread) {
  if (thread.copies.empty())
    return;
  const FuserSimSite &site = *thread.copies.front().site;
  // What was not waited for may have been accessed.
  finishCopies(thread, UINT32_MAX);
  group.noteFault(thread, site,
                  "expected the thread to wait for its copy "
                  "(kernel.copy_async_wait) before it ends");
}
