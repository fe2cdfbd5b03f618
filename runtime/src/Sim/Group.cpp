//===- Group.cpp - Thread blocks that are simulated together --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim/Group.h"

#include "Sim/Checker.h"
#include "Status.h"

#include <cinttypes>
#include <cstring>

using namespace fuser_rt;

//===----------------------------------------------------------------------===//
// What kernels call
//===----------------------------------------------------------------------===//

static SimThread &of(FuserSimThread *thread) {
  return *static_cast<SimThread *>(thread);
}

static void callBarrier(FuserSimThread *thread, const FuserSimSite *site) {
  of(thread).home->group->barrier(of(thread), site);
}

static FuserSimShuffled callShuffle(FuserSimThread *thread, uint32_t mode,
                                    uint64_t value, uint32_t offset,
                                    uint32_t width, const FuserSimSite *site) {
  return of(thread).home->group->shuffle(of(thread), mode, value, offset, width,
                                         site);
}

static void callAccess(FuserSimThread *thread, const void *address,
                       const void *base, uint64_t mask,
                       const FuserSimAccess *access) {
  of(thread).home->group->access(of(thread), address, base, mask, *access);
}

static void callBegin(FuserSimThread *thread, const FuserSimInfo *info) {
  of(thread).home->group->begin(*info);
}

static const FuserSimApi api = {callBarrier, callShuffle, callBegin,
                                callAccess};

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

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
  int64_t perCluster =
      int64_t(launch->cluster[0]) * launch->cluster[1] * launch->cluster[2];
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
  block.shared.resize(launch->sharedBytes + 127);
  block.dynamicShared.resize(launch->dynamicSharedBytes + 127);
  auto align = [](std::vector<char> &bytes) {
    auto address = reinterpret_cast<uintptr_t>(bytes.data());
    return bytes.data() + ((address + 127) / 128 * 128 - address);
  };
  place.shared = align(block.shared);
  place.dynamic_shared = align(block.dynamicShared);
  block.alive = count;
  block.atBarrier = 0;
  if (checker)
    prepareChecks(block);
  block.threads.resize(count);
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
  block.threads.resize(static_cast<size_t>(launch->countThreads()));
  auto inGrid = place.block_id[0] +
                place.grid_dim[0] *
                    (place.block_id[1] + place.grid_dim[1] * place.block_id[2]);
  for (SimThread &thread : block.threads) {
    thread.clock = SimClock();
    thread.place = {static_cast<uint32_t>(inGrid),
                    static_cast<uint32_t>(&thread - block.threads.data())};
  }
}

void SimGroup::dropFibers() {
  idle.clear();
  for (std::unique_ptr<Fiber> &fiber : fibers) {
    fiber->restart();
    idle.push_back(fiber.get());
  }
}

/// A number below `count`; 0 without a seed.
uint64_t SimGroup::choose(uint64_t count) {
  if (random == 0)
    return 0;
  // Marsaglia's xorshift, which never gets to 0.
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  return random % count;
}

/// The one that goes on: with a new thread, as long as there are some, unless a
/// seed chooses one that was woken. Null if there is none.
Fiber *SimGroup::chooseFiber() {
  bool canStart = unstarted < int64_t(blocks.size()) * launch->countThreads();
  size_t numReady = ready.size() - nextReady;
  if (numReady == 0 || (canStart && choose(2) == 0))
    return canStart ? &takeFiber() : nullptr;
  std::swap(ready[nextReady], ready[nextReady + choose(numReady)]);
  Fiber *fiber = ready[nextReady++]->fiber;
  if (nextReady == ready.size()) {
    ready.clear();
    nextReady = 0;
  }
  return fiber;
}

FuserStatus *SimGroup::run(const SimLaunch &newLaunch, int64_t number) {
  launch = &newLaunch;
  int64_t perGroup = launch->countGroupBlocks();
  blocks.resize(static_cast<size_t>(perGroup));
  for (int64_t i = 0; i < perGroup; ++i)
    placeBlock(blocks[i], number * perGroup + i);
  unstarted = 0;
  unfinished = perGroup * launch->countThreads();
  ready.clear();
  nextReady = 0;
  random = launch->seed ? launch->seed + static_cast<uint64_t>(number) : 0;
  while (unfinished > 0) {
    current = chooseFiber();
    if (!current)
      return describeDeadlock();
    current->resume();
    if (isStopped) {
      // What its threads would have gone on with is dropped.
      isStopped = false;
      dropFibers();
      return nullptr;
    }
  }
  return nullptr;
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
  SimBlock &block = blocks[unstarted / perBlock];
  int64_t number = unstarted++ % perBlock;
  SimThread &thread = block.threads[number];
  thread.api = &api;
  thread.block = &block.place;
  thread.linear_id = number;
  delinearize(number, launch->block, thread.thread_id);
  thread.home = &block;
  thread.waits = nullptr;
  thread.isDone = false;
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
  thread.waits = nullptr;
  ready.push_back(&thread);
}

void SimGroup::finish(SimThread &thread) {
  thread.isDone = true;
  --unfinished;
  SimBlock &block = *thread.home;
  --block.alive;
  SimWarp &warp = block.warps[thread.linear_id / kSimWarpSize];
  warp.alive &= ~(1u << (thread.linear_id % kSimWarpSize));
  // Those that wait do not wait for a thread that has ended.
  if (checker && block.atBarrier)
    checker->checkEnded(thread, *block.barrier);
  if (warp.arrived && warp.arrived == warp.alive)
    finishShuffle(block, warp, nullptr);
  if (block.atBarrier && block.atBarrier == block.alive)
    finishBarrier(block, nullptr);
}

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
    for (SimThread &thread : block.threads)
      if (!thread.isDone)
        meeting.leave(thread.clock, /*isWholeBlock=*/true);
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

void SimGroup::begin(const FuserSimInfo &info) {
  if (checker)
    checker->startThread(info);
}

void SimGroup::access(SimThread &thread, const void *address, const void *base,
                      uint64_t mask, const FuserSimAccess &access) {
  if (!checker || checker->access(thread, address, base, mask, access))
    return;
  isStopped = true;
  current->suspend();
}

/// The lane that `lane` reads, and whether there is one; PTX's shfl.
static FuserSimShuffled findSource(uint32_t lane, uint32_t mode,
                                   uint32_t offset, uint32_t width) {
  uint32_t first = lane & ~(width - 1), last = first + width - 1;
  offset &= kSimWarpSize - 1;
  switch (mode) {
  case FUSER_SIM_SHUFFLE_XOR:
    return {lane ^ offset, (lane ^ offset) <= last};
  case FUSER_SIM_SHUFFLE_UP:
    return {lane - offset, lane >= first + offset};
  case FUSER_SIM_SHUFFLE_DOWN:
    return {lane + offset, lane + offset <= last};
  default:
    return {first | (offset & (width - 1)), true};
  }
}

void SimGroup::finishShuffle(SimBlock &block, SimWarp &warp,
                             const SimThread *last) {
  auto number = static_cast<size_t>(&warp - block.warps.data());
  uint32_t arrived = warp.arrived;
  warp.arrived = 0;
  for (uint32_t lane = 0; lane < kSimWarpSize; ++lane) {
    if (!(arrived >> lane & 1))
      continue;
    uint32_t source = warp.sources[lane];
    warp.results[lane].value = warp.values[source];
    SimThread &thread = block.threads[number * kSimWarpSize + lane];
    if (checker && !(arrived >> source & 1))
      checker->checkLane(thread, source, *warp.site);
    if (&thread != last)
      wake(thread);
  }
}

FuserSimShuffled SimGroup::shuffle(SimThread &thread, uint32_t mode,
                                   uint64_t value, uint32_t offset,
                                   uint32_t width, const FuserSimSite *site) {
  SimBlock &block = *thread.home;
  SimWarp &warp = block.warps[thread.linear_id / kSimWarpSize];
  uint32_t lane = thread.linear_id % kSimWarpSize;
  FuserSimShuffled source = findSource(lane, mode, offset, width);
  warp.values[lane] = value;
  warp.sources[lane] = source.valid ? uint32_t(source.value) : lane;
  warp.results[lane].valid = source.valid;
  if (!warp.arrived)
    warp.site = site;
  else if (checker)
    checker->checkMeeting(thread, *warp.site, *site);
  warp.arrived |= 1u << lane;
  if (warp.arrived == warp.alive)
    finishShuffle(block, warp, &thread);
  else
    wait(thread, site);
  return warp.results[lane];
}

//===----------------------------------------------------------------------===//
// Threads that wait for ever
//===----------------------------------------------------------------------===//

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
  auto where = [](const SimThread &thread) {
    return format("thread %" PRId64 " of block (%" PRId64 ", %" PRId64
                  ", %" PRId64 ") at %s (%s)",
                  thread.linear_id, thread.block->block_id[0],
                  thread.block->block_id[1], thread.block->block_id[2],
                  thread.waits->op, thread.waits->location);
  };
  std::string message =
      format("kernel '%s': expected threads to meet, got %" PRId64
             " that wait for ever: %s",
             launch->name, waiting, where(*first).c_str());
  if (other)
    message += ", and " + where(*other);
  dropFibers();
  return makeError(FUSER_DEVICE_ERROR, message);
}
