//===- Meetings.cpp - Simulated threads that wait for each other ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim/Checker.h"
#include "Sim/Group.h"

using namespace fuser_rt;

//===----------------------------------------------------------------------===//
// Barriers and shuffles
//===----------------------------------------------------------------------===//

void SimGroup::finishBarrier(SimBlock &block, const SimThread *last) {
  block.atBarrier = 0;
  if (checker) {
    SimMeeting meeting;
    for (const SimThread &thread : block.threads)
      if (!thread.isDone)
        meeting.add(thread.clock);
    meeting.compact(block.number(),
                    static_cast<uint32_t>(block.threads.size()));
    for (SimThread &thread : block.threads)
      if (!thread.isDone)
        meeting.leave(thread.clock);
  }
  for (SimThread &thread : block.threads)
    if (&thread != last && !thread.isDone)
      wake(thread);
}

static const SimThread *findEnded(const SimBlock &block) {
  for (const SimThread &thread : block.threads)
    if (thread.isDone)
      return &thread;
  return nullptr;
}

void SimGroup::barrier(SimThread &thread, const FuserSimSite *site) {
  SimBlock &block = *thread.home;
  if (block.atBarrier == 0)
    block.barrier = site;
  else if (checker)
    checker->checkMeeting(thread, *block.barrier, *site);
  if (checker && block.alive != block.threads.size())
    checker->checkEnded(*findEnded(block), *site);
  if (++block.atBarrier == block.alive)
    return finishBarrier(block, &thread);
  wait(thread, site);
}

void SimGroup::begin(const FuserSimInfo &newInfo) {
  info = &newInfo;
  if (checker && newInfo.is_checked)
    checker->startThread(newInfo);
}

void SimGroup::access(SimThread &thread, const void *address, const void *base,
                      uint64_t mask, const FuserSimAccess &access) {
  // Of the thread's own memory by a pointer that may be another one.
  if (!base && current->holds(address))
    return;
  if (checker && !checker->access(thread, address, base, mask, access))
    stop();
}

void SimGroup::privateAccess(SimThread &thread, const SimRef &ref,
                             uint64_t mask, const FuserSimAccess &access) {
  if (checker && !checker->privateAccess(thread, ref, mask, access))
    stop();
}

/// The lane that `lane` reads, and whether there is one: shfl.sync of PTX, as
/// gpu.shuffle becomes it, whose last lane is width - 1, and whose first one is
/// 32 - width where it reads from lanes below.
static FuserSimShuffled findSource(uint32_t lane, uint32_t mode,
                                   uint32_t offset, uint32_t width) {
  offset &= kSimWarpSize - 1;
  switch (mode) {
  case FUSER_SIM_SHUFFLE_XOR:
    return {lane ^ offset, (lane ^ offset) < width};
  case FUSER_SIM_SHUFFLE_UP:
    return {lane - offset, lane >= offset + kSimWarpSize - width};
  case FUSER_SIM_SHUFFLE_DOWN:
    return {lane + offset, lane + offset < width};
  default:
    return {offset, offset < width};
  }
}

/// What one of the lanes did is before what all of them do next.
static void orderLanes(SimThread *threads, uint32_t lanes) {
  SimView view;
  auto forEach = [&](auto fn) {
    for (uint32_t lane = 0; lane < kSimWarpSize; ++lane)
      if (lanes >> lane & 1)
        fn(threads[lane]);
  };
  forEach([&](SimThread &thread) { thread.clock.release(thread.place, view); });
  forEach([&](SimThread &thread) { thread.clock.acquire(view); });
}

void SimGroup::finishShuffle(SimBlock &block, SimWarp &warp,
                             const SimThread *last) {
  auto number = static_cast<size_t>(&warp - block.warps.data());
  uint32_t arrived = warp.arrived;
  warp.arrived = 0;
  if (checker && warp.orders)
    orderLanes(&block.threads[number * kSimWarpSize], arrived);
  uint64_t ballot = uint64_t(arrived) << 32;
  for (uint32_t lane = 0; lane < kSimWarpSize; ++lane)
    if (arrived >> lane & warp.values[lane] & 1)
      ballot |= uint64_t(1) << lane;
  for (uint32_t lane = 0; lane < kSimWarpSize; ++lane) {
    if (!(arrived >> lane & 1))
      continue;
    warp.ballots[lane] = ballot;
    uint32_t source = warp.sources[lane];
    warp.results[lane].value = warp.values[source];
    SimThread &thread = block.threads[number * kSimWarpSize + lane];
    if (checker && !(arrived >> source & 1))
      checker->checkLane(thread, source, *warp.site);
    if (&thread != last)
      wake(thread);
  }
}

/// All lanes of `members` say `value`, and each gets that of lane `source`.
void SimGroup::exchange(SimThread &thread, uint64_t value, uint32_t source,
                        uint32_t members, const FuserSimSite *site) {
  SimBlock &block = *thread.home;
  SimWarp &warp = block.warps[thread.linear_id / kSimWarpSize];
  uint32_t lane = thread.linear_id % kSimWarpSize;
  warp.values[lane] = value;
  warp.sources[lane] = source;
  if (!warp.arrived) {
    warp.site = site;
    warp.members = members;
  } else if (checker) {
    checker->checkMeeting(thread, *warp.site, *site);
  }
  warp.arrived |= 1u << lane;
  if (warp.isComplete())
    finishShuffle(block, warp, &thread);
  else
    wait(thread, site);
}

FuserSimShuffled SimGroup::shuffle(SimThread &thread, uint32_t mode,
                                   uint64_t value, uint32_t offset,
                                   uint32_t width, const FuserSimSite *site) {
  SimWarp &warp = thread.home->warps[thread.linear_id / kSimWarpSize];
  uint32_t lane = thread.linear_id % kSimWarpSize;
  if (width < 1 || width > kSimWarpSize) {
    fail(thread, *site,
         "expected a width from 1 to 32, got " + std::to_string(width));
    return {value, 0};
  }
  FuserSimShuffled source = findSource(lane, mode, offset, width);
  if (lane >= width) {
    if (checker)
      checker->checkMember(thread, width, *site);
    return {value, 0};
  }
  uint32_t members = width == kSimWarpSize ? ~uint32_t(0) : (1u << width) - 1;
  warp.results[lane].valid = source.valid;
  warp.orders = false;
  exchange(thread, value, source.valid ? uint32_t(source.value) : lane, members,
           site);
  return warp.results[lane];
}

uint64_t SimGroup::ballot(SimThread &thread, bool predicate, bool orders,
                          const FuserSimSite *site) {
  SimWarp &warp = thread.home->warps[thread.linear_id / kSimWarpSize];
  uint32_t lane = thread.linear_id % kSimWarpSize;
  warp.orders = orders;
  exchange(thread, predicate, lane, ~uint32_t(0), site);
  return warp.ballots[lane];
}

/// The first; PTX promises none, so with a seed the last of some launches.
bool SimGroup::elect(SimThread &thread, const FuserSimSite *site) {
  uint64_t lanes = ballot(thread, true, /*orders=*/false, site) >> 32;
  uint64_t lane = uint64_t(1) << (thread.linear_id % kSimWarpSize);
  return launch->seed & 1 ? lanes < 2 * lane : (lanes & (lane - 1)) == 0;
}

//===----------------------------------------------------------------------===//
// Barriers of some threads, and of clusters
//===----------------------------------------------------------------------===//

/// One that is none of `lanes` of the warp of `thread`; null if all are there.
static const SimThread *findEnded(const SimBlock &block,
                                  const SimThread &thread, uint32_t lanes) {
  size_t first = thread.linear_id / kSimWarpSize * kSimWarpSize;
  for (size_t lane = 0; lane < kSimWarpSize; ++lane)
    if (first + lane < block.threads.size() && !(lanes >> lane & 1))
      return &block.threads[first + lane];
  return nullptr;
}

void SimGroup::namedBarrier(SimThread &thread, int64_t number, uint32_t threads,
                            bool waits, const FuserSimSite &site) {
  if (number < 1 || number >= kSimBarriers)
    return fail(thread, site,
                "expected a barrier from 1 to 15, got " +
                    std::to_string(number));
  // A warp arrives as one, and counts for 32 however many threads it has.
  auto lanes = static_cast<uint32_t>(
      ballot(thread, true, /*orders=*/false, &site) >> 32);
  if (checker)
    if (const SimThread *ended = findEnded(*thread.home, thread, lanes))
      checker->checkEnded(*ended, site);
  std::vector<SimNamedBarrier> &all = thread.home->named;
  all.resize(kSimBarriers);
  SimNamedBarrier &barrier = all[number];
  if (barrier.arrived && barrier.threads != threads)
    return fail(thread, site,
                "expected a barrier of " + std::to_string(barrier.threads) +
                    " threads, as others that it is to meet, got one of " +
                    std::to_string(threads));
  barrier.threads = threads;
  if (checker)
    thread.clock.release(thread.place, barrier.released);
  uint32_t &come = barrier.lanes[thread.linear_id / kSimWarpSize];
  come |= 1u << (thread.linear_id % kSimWarpSize);
  if (come == lanes)
    barrier.arrived += kSimWarpSize;
  if (barrier.arrived < threads || come != lanes) {
    if (!waits)
      return;
    barrier.waiting.push_back(&thread);
    return wait(thread, &site);
  }
  // Who waits knows nothing that it has not released.
  auto view = std::make_shared<SimView>(std::move(barrier.released.view));
  if (waits && checker)
    thread.clock.others = view;
  for (SimThread *other : barrier.waiting) {
    if (checker)
      other->clock.others = view;
    wake(*other);
  }
  barrier = SimNamedBarrier();
}

/// What all have released who have arrived.
static void acquireCluster(SimThread &thread) {
  const std::shared_ptr<const SimView> &released =
      thread.home->cluster->released;
  if (thread.clock.others == thread.knownAtArrival)
    thread.clock.others = released;
  else
    thread.clock.acquire(*released);
  thread.knownAtArrival = nullptr;
}

/// Those who have arrived may go on, and know of each other.
void SimGroup::finishCluster(SimCluster &cluster) {
  ++cluster.phase;
  cluster.arrived = 0;
  cluster.released =
      std::make_shared<SimView>(std::move(cluster.arriving.view));
  cluster.arriving = SimReleases();
  std::vector<SimThread *> waiting = std::move(cluster.waiting);
  cluster.waiting.clear();
  for (SimThread *thread : waiting) {
    if (checker)
      acquireCluster(*thread);
    thread->clusterPhase = -1;
    wake(*thread);
  }
}

void SimGroup::clusterBarrier(SimThread &thread, bool waits,
                              const FuserSimSite &site) {
  SimCluster &cluster = *thread.home->cluster;
  if (waits) {
    if (thread.clusterPhase < 0)
      return fail(thread, site,
                  "expected the thread to have arrived at the barrier of the "
                  "cluster before it waits, got no arrival");
    if (thread.clusterPhase == cluster.phase) {
      cluster.waiting.push_back(&thread);
      return wait(thread, &site);
    }
    if (checker)
      acquireCluster(thread);
    thread.clusterPhase = -1;
    return;
  }
  if (thread.clusterPhase >= 0)
    return fail(
        thread, site,
        "expected a wait between two arrivals at the barrier of the cluster, "
        "got none");
  thread.clusterPhase = cluster.phase;
  if (checker) {
    thread.knownAtArrival = thread.clock.others;
    thread.clock.release(thread.place, cluster.arriving);
  }
  if (++cluster.arrived == cluster.alive)
    finishCluster(cluster);
}

//===----------------------------------------------------------------------===//
// Memory of clusters, and counters
//===----------------------------------------------------------------------===//

void *SimGroup::mapBlock(SimThread &thread, void *address, int64_t number,
                         const FuserSimSite &site) {
  int64_t count = launch->countClusterBlocks();
  if (number < 0 || number >= count) {
    fail(thread, site,
         "expected a block from 0 to " + std::to_string(count - 1) +
             " of the cluster, got " + std::to_string(number));
    return address;
  }
  SimBlock &own = *thread.home;
  auto first = (&own - blocks.data()) / count * count;
  const SimBlock &other = blocks[first + number];
  auto *at = static_cast<char *>(address);
  if (findBlock(address) == &own && at >= own.place.dynamic_shared &&
      at < own.place.dynamic_shared + launch->dynamicSharedBytes)
    return other.place.dynamic_shared + (at - own.place.dynamic_shared);
  return other.place.shared + (at - own.place.shared);
}

bool SimGroup::CounterWait::isOver() const {
  const void *counter = ref.address;
  if (bytes == 4)
    return __atomic_load_n(static_cast<const uint32_t *>(counter),
                           __ATOMIC_ACQUIRE) >= bound;
  return __atomic_load_n(static_cast<const uint64_t *>(counter),
                         __ATOMIC_ACQUIRE) >= bound;
}

bool SimGroup::acquireCounter(const CounterWait &wait) {
  return !checker ||
         checker->accessRef(
             *wait.thread, wait.ref, wait.bytes, wait.bytes,
             FUSER_SIM_READ | FUSER_SIM_ATOMIC | FUSER_SIM_ACQUIRE, *wait.site);
}

/// What they wait for has come just now: they know what was released until
/// then, and no more.
void SimGroup::wakeCounters() {
  for (size_t i = 0; i < counterWaits.size();) {
    if (!counterWaits[i].isOver()) {
      ++i;
      continue;
    }
    (void)acquireCounter(counterWaits[i]);
    wake(*counterWaits[i].thread);
    counterWaits.erase(counterWaits.begin() + static_cast<ptrdiff_t>(i));
  }
}

void SimGroup::waitForCounter(SimThread &thread, const SimRef &ref,
                              uint64_t bound, uint32_t bytes,
                              const FuserSimSite &site) {
  CounterWait counter{&thread, &site, ref, bound, bytes};
  if (!acquireCounter(counter))
    return stop();
  if (counter.isOver())
    return;
  counterWaits.push_back(counter);
  wait(thread, &site);
}
