//===- Group.cpp - Thread blocks that are simulated together --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim/Group.h"

#include "Sim/Checker.h"
#include "Status.h"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstring>
#include <thread>
#include <utility>

using namespace fuser_rt;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Of shared memory: wide enough for what is copied there without threads.
static constexpr size_t kSharedAlignment = 128;

/// The coordinates of number `number` in a space of `sizes`, x first.
template <typename Size>
static void delinearize(int64_t number, const Size (&sizes)[3],
                        int64_t (&place)[3]) {
  for (int dim = 0; dim < 3; ++dim) {
    place[dim] = number % sizes[dim];
    number /= sizes[dim];
  }
}

void SimGroup::placeBlock(SimBlock &block, int64_t number) {
  FuserSimBlock &place = block.place;
  int64_t perCluster = launch->countClusterBlocks();
  int64_t clusters[3];
  for (int dim = 0; dim < 3; ++dim) {
    place.block_dim[dim] = launch->block[dim];
    place.grid_dim[dim] = launch->grid[dim];
    place.cluster_blocks[dim] = launch->cluster[dim];
    clusters[dim] = place.cluster_dim[dim] =
        launch->grid[dim] / launch->cluster[dim];
  }
  delinearize(number / perCluster, clusters, place.cluster_id);
  delinearize(number % perCluster, launch->cluster, place.cluster_block_id);
  for (int dim = 0; dim < 3; ++dim)
    place.block_id[dim] = place.cluster_id[dim] * launch->cluster[dim] +
                          place.cluster_block_id[dim];
  block.group = this;
  auto count = static_cast<uint32_t>(launch->countThreads());
  auto allocate = [](std::vector<char> &bytes, size_t size) {
    bytes.resize(size + kSharedAlignment - 1);
    auto address = reinterpret_cast<uintptr_t>(bytes.data());
    return bytes.data() + (0 - address) % kSharedAlignment;
  };
  place.shared = allocate(block.shared, launch->sharedBytes);
  place.dynamic_shared =
      allocate(block.dynamicShared, launch->dynamicSharedBytes);
  place.dynamic_shared_bytes = static_cast<int64_t>(launch->dynamicSharedBytes);
  block.alive = count;
  block.atBarrier = 0;
  block.hasBulkCopies = false;
  block.visits.clear();
  block.releases.clear();
  block.named.clear();
  block.mbarriers.clear();
  block.threads.resize(count);
  if (checker)
    prepareChecks(block);
  block.warps.resize((count + kSimWarpSize - 1) / kSimWarpSize);
  for (SimWarp &warp : block.warps) {
    warp.arrived = 0;
    auto lanes = count - uint32_t(&warp - block.warps.data()) * kSimWarpSize;
    warp.alive = lanes >= kSimWarpSize ? ~uint32_t(0) : (1u << lanes) - 1;
  }
}

/// Shared memory is new in each block.
void SimGroup::prepareChecks(SimBlock &block) {
  const FuserSimBlock &place = block.place;
  auto prepare = [](SimBuffer &buffer, const char *begin, size_t bytes) {
    buffer = SimBuffer();
    buffer.begin = begin;
    buffer.bytes = bytes;
    buffer.isGlobal = false;
    buffer.written.resize(bytes);
  };
  prepare(block.sharedBytes, place.shared, launch->sharedBytes);
  prepare(block.dynamicSharedBytes, place.dynamic_shared,
          launch->dynamicSharedBytes);
  for (SimThread &thread : block.threads) {
    thread.isDone = false;
    thread.waits = nullptr;
    thread.clock = SimClock();
    thread.place = {block.number(),
                    static_cast<uint32_t>(&thread - block.threads.data()),
                    block.clusterNumber()};
  }
}

void SimGroup::placeClusters() {
  size_t perCluster = launch->countClusterBlocks();
  clusters.resize(blocks.size() / perCluster);
  for (SimCluster &cluster : clusters) {
    cluster.alive = cluster.arrived = 0;
    cluster.phase = 0;
    cluster.waiting.clear();
    if (checker)
      cluster.arriving = SimReleases();
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].cluster = &clusters[i / perCluster];
    blocks[i].cluster->alive += blocks[i].alive;
  }
}

SimBlock *SimGroup::findBlock(const void *address) {
  const auto *at = static_cast<const char *>(address);
  auto holds = [at](const char *begin, size_t bytes) {
    return at >= begin && at < begin + bytes;
  };
  for (SimBlock &block : blocks)
    if (holds(block.place.shared, launch->sharedBytes) ||
        holds(block.place.dynamic_shared, launch->dynamicSharedBytes))
      return &block;
  return nullptr;
}

void SimGroup::dropFibers() {
  for (SimBlock &block : blocks)
    for (SimThread &thread : block.threads) {
      thread.waits = nullptr;
      thread.mbarrier = nullptr;
    }
  idle.clear();
  for (std::unique_ptr<Fiber> &fiber : fibers) {
    fiber->restart();
    idle.push_back(fiber.get());
  }
}

uint64_t SimGroup::choose(uint64_t count) {
  if (random == 0)
    return 0;
  // Marsaglia's xorshift, which never gets to 0.
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  return random % count;
}

bool SimGroup::canStart() const {
  return unstarted < int64_t(blocks.size()) * launch->countThreads();
}

/// The one that goes on: with a new thread, as long as there are some, unless a
/// seed chooses one that was woken. Null if there is none.
Fiber *SimGroup::chooseFiber() {
  size_t numReady = ready.size() - nextReady;
  if (numReady == 0 || (canStart() && choose(2) == 0))
    return canStart() ? &takeFiber() : nullptr;
  std::swap(ready[nextReady], ready[nextReady + choose(numReady)]);
  Fiber *fiber = ready[nextReady++]->fiber;
  if (nextReady == ready.size()) {
    ready.clear();
    nextReady = 0;
  }
  return fiber;
}

/// A thread runs until it waits, or a copy goes on. False if there is neither.
bool SimGroup::advance() {
  wakeCounters();
  // With a seed at any time, else when nothing else is left to do.
  bool copies = !async.isIdle() && random && choose(4) == 0;
  current = copies ? nullptr : chooseFiber();
  if (current) {
    current->resume();
    return true;
  }
  if (async.isIdle())
    return false;
  async.advance();
  return true;
}

FuserStatus *SimGroup::finishRun() {
  FuserStatus *status = error;
  error = nullptr;
  if (isStopped || status) {
    // What its threads would have gone on with is dropped.
    isStopped = false;
    dropFibers();
  }
  return status;
}

FuserStatus *SimGroup::run(const SimLaunch &newLaunch, int64_t number) {
  launch = &newLaunch;
  info = nullptr;
  int64_t perGroup = launch->countGroupBlocks();
  blocks.resize(static_cast<size_t>(perGroup));
  for (int64_t i = 0; i < perGroup; ++i)
    placeBlock(blocks[i], number * perGroup + i);
  placeClusters();
  unstarted = 0;
  unfinished = perGroup * launch->countThreads();
  startOrder = SimOrder(unfinished, launch->seed);
  numTurns = numPauses = 0;
  ready.clear();
  nextReady = 0;
  counterWaits.clear();
  async.clear();
  random = launch->seed
               ? mixSeed(launch->seed + static_cast<uint64_t>(number)) | 1
               : 0;
  while (!isStopped && (unfinished > 0 || !async.isIdle()))
    if (!advance() && !waitForOthers())
      return describeDeadlock();
  return finishRun();
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

Fiber &SimGroup::takeFiber() {
  if (idle.empty()) {
    fibers.push_back(std::make_unique<Fiber>(
        [](void *self) { static_cast<SimGroup *>(self)->runThreads(); }, this));
    return *fibers.back();
  }
  Fiber &fiber = *idle.back();
  idle.pop_back();
  return fiber;
}

SimThread *SimGroup::takeUnstarted() {
  int64_t perBlock = launch->countThreads();
  if (unstarted == perBlock * int64_t(blocks.size()))
    return nullptr;
  int64_t place = startOrder[unstarted++];
  SimBlock &block = blocks[place / perBlock];
  int64_t number = place % perBlock;
  SimThread &thread = block.threads[number];
  thread.api = &simApi;
  thread.block = &block.place;
  thread.linear_id = number;
  delinearize(number, launch->block, thread.thread_id);
  thread.home = &block;
  thread.waits = nullptr;
  thread.clusterPhase = -1;
  thread.bulkGroups = thread.bulkStarted = thread.bulkWaited = 0;
  thread.copyGroups = 0;
  thread.copies.clear();
  thread.numAtomics = 0;
  thread.isDone = thread.waitsForBulk = false;
  return &thread;
}

/// What a fiber does.
void SimGroup::runThreads() {
  while (true) {
    while (SimThread *thread = takeUnstarted()) {
      launch->kernel(thread, launch->params);
      finish(*thread);
    }
    idle.push_back(current);
    current->suspend();
  }
}

void SimGroup::wait(SimThread &thread, const FuserSimSite *site) {
  thread.waits = site;
  thread.fiber = current;
  Fiber *own = current;
  own->suspend();
}

void SimGroup::wake(SimThread &thread) {
  numPauses = 0;
  thread.waits = nullptr;
  thread.mbarrier = nullptr;
  ready.push_back(&thread);
}

/// After so many atomic accesses a thread lets others go on; if so many times
/// none has changed memory and no thread has met another one or ended, none
/// will.
static constexpr uint32_t kMaxAtomics = 16;
static constexpr uint64_t kMaxPauses = 1 << 20;
/// After so many a copy that is under way goes on.
static constexpr uint64_t kTurnsPerCopy = 1 << 10;

/// Groups that others run may do so much more before this one gives up.
static constexpr uint64_t kMaxRounds = 32;
static constexpr std::chrono::milliseconds kMaxWait(500);

/// No thread of this group can go on. Returns true as soon as what it waits for
/// has come from another group; false if none can do that.
bool SimGroup::waitForOthers() {
  if (!launch->workers || counterWaits.empty())
    return false;
  SimWorkers &workers = *launch->workers;
  using Clock = std::chrono::steady_clock;
  Clock::time_point since = Clock::now();
  uint64_t ended = workers.ended;
  ++workers.waiting;
  while (ready.size() == nextReady) {
    std::this_thread::yield();
    wakeCounters();
    // Those that wait may be about to see that it is over.
    if (workers.waiting < workers.active || workers.ended != ended)
      since = Clock::now();
    else if (Clock::now() - since > kMaxWait)
      break;
    ended = workers.ended;
  }
  --workers.waiting;
  return ready.size() != nextReady;
}

/// Whether it may come from another group.
bool SimGroup::othersGoOn() {
  SimWorkers *workers = launch->workers;
  if (!workers || workers->active - workers->waiting < 2)
    return false;
  if (uint64_t ended = workers->ended; ended != endedGroups) {
    endedGroups = ended;
    numRounds = 0;
  }
  std::this_thread::yield();
  return ++numRounds < kMaxRounds;
}

void SimGroup::pause(SimThread &thread, bool changed,
                     const FuserSimSite &site) {
  if (!counterWaits.empty())
    wakeCounters();
  if (changed)
    numPauses = 0;
  if (++thread.numAtomics < kMaxAtomics)
    return;
  thread.numAtomics = 0;
  // What it waits for may come from a thread that waits for a copy.
  if (++numTurns % kTurnsPerCopy == 0 && !async.isIdle())
    async.advance();
  if (++numPauses > kMaxPauses) {
    if (!othersGoOn())
      return fail(
          thread, site,
          "expected threads that loop over atomic accesses to go on, got "
          "a livelock");
    numPauses = 0;
  }
  thread.fiber = current;
  ready.push_back(&thread);
  Fiber *own = current;
  own->suspend();
}

void SimGroup::fail(FuserStatus *status) {
  if (error)
    fuser_status_destroy(status);
  else
    error = status;
  stop();
}

void SimGroup::stop() {
  isStopped = true;
  if (current)
    current->suspend();
}

void SimGroup::fail(const SimThread &thread, const FuserSimSite &site,
                    std::string text) {
  {
    // Nothing of the stack is destroyed once the thread is stopped.
    std::string why = std::exchange(text, std::string());
    noteFault(thread, site, why);
  }
  stop();
}

void SimGroup::noteFault(const SimThread &thread, const FuserSimSite &site,
                         const std::string &text) {
  std::string fault = thread.describe() + " at " + site.op + " (" +
                      site.location + "): " + text;
  if (checker)
    checker->reportFault(site, fault);
  else if (!error)
    error = makeError(FUSER_DEVICE_ERROR, "kernel '%s': %s", site.kernel,
                      fault.c_str());
}

void SimGroup::finish(SimThread &thread) {
  async.endThread(thread);
  thread.isDone = true;
  --unfinished;
  numPauses = 0;
  SimBlock &block = *thread.home;
  --block.alive;
  SimWarp &warp = block.warps[thread.linear_id / kSimWarpSize];
  warp.alive &= ~(1u << (thread.linear_id % kSimWarpSize));
  // Those that wait do not wait for a thread that has ended.
  if (checker && block.atBarrier)
    checker->checkEnded(thread, *block.barrier);
  if (warp.isComplete())
    finishShuffle(block, warp, nullptr);
  if (block.atBarrier && block.atBarrier == block.alive)
    finishBarrier(block, nullptr);
  SimCluster &cluster = *block.cluster;
  --cluster.alive;
  if (thread.clusterPhase == cluster.phase)
    --cluster.arrived;
  if (cluster.arrived && cluster.arrived == cluster.alive)
    finishCluster(cluster);
  if (block.alive == 0) {
    async.endBlock(block);
    if (checker)
      checker->endBlock(block);
  }
}

//===----------------------------------------------------------------------===//
// Deadlocks
//===----------------------------------------------------------------------===//

/// How many of those that `thread` waits for have come; empty: it is not known
/// here.
static std::string describeArrivals(const SimThread &thread) {
  const SimBlock &block = *thread.home;
  const SimWarp &warp = block.warps[thread.linear_id / kSimWarpSize];
  if (warp.arrived >> (thread.linear_id % kSimWarpSize) & 1)
    return format(", with lanes 0x%08" PRIx32 " of 0x%08" PRIx32 " of its warp",
                  warp.arrived, warp.alive & warp.members);
  for (size_t i = 0; i < block.named.size(); ++i) {
    const SimNamedBarrier &barrier = block.named[i];
    const std::vector<SimThread *> &waiting = barrier.waiting;
    if (std::find(waiting.begin(), waiting.end(), &thread) != waiting.end())
      return format(", barrier %zu, with %" PRIu32 " of %" PRIu32 " threads", i,
                    barrier.arrived, barrier.threads);
  }
  if (block.atBarrier && thread.waits == block.barrier)
    return format(", with %" PRIu32 " of %" PRIu32 " threads of its block",
                  block.atBarrier, block.alive);
  if (thread.clusterPhase >= 0)
    return format(", with %" PRIu32 " of %" PRIu32 " threads of its cluster",
                  block.cluster->arrived, block.cluster->alive);
  return "";
}

static std::string describeWait(const SimThread &thread) {
  std::string text = thread.describe() + " at " + thread.waits->op + " (" +
                     thread.waits->location + ")";
  if (const SimMBarrier *mbarrier = thread.mbarrier)
    text += format(", of %s, whose phase %" PRIu64 " has %" PRId64
                   " arrivals and %" PRId64 " bytes pending",
                   mbarrier->describe().c_str(), mbarrier->phase,
                   mbarrier->pending, mbarrier->bytes);
  else
    text += describeArrivals(thread);
  return text;
}

FuserStatus *SimGroup::describeDeadlock() {
  const SimThread *first = nullptr, *other = nullptr;
  int64_t waiting = 0;
  for (const SimBlock &block : blocks)
    for (const SimThread &thread : block.threads) {
      if (!thread.waits)
        continue;
      ++waiting;
      if (!first)
        first = &thread;
      else if (!other && thread.waits != first->waits)
        other = &thread;
    }
  std::string message =
      format("kernel '%s': deadlock: %" PRId64 " threads wait: %s",
             first->waits->kernel, waiting, describeWait(*first).c_str());
  if (other)
    message += ", and " + describeWait(*other);
  dropFibers();
  return makeError(FUSER_DEVICE_ERROR, message);
}
