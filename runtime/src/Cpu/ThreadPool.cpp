//===- ThreadPool.cpp - Ranges of work items over threads -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cpu/ThreadPool.h"

#include <algorithm>
#include <chrono>

using namespace fuser_rt;

static constexpr uint64_t openBit = uint64_t(1) << 31;
static constexpr uint64_t insideMask = openBit - 1;

/// Chunks that a thread's range is cut into: enough to balance, few enough not
/// to be seen.
static constexpr int64_t chunksPerThread = 8;

/// How long a worker looks for the next job before it sleeps. Longer than the
/// gap between the launches of one program, much shorter than a time slice.
static constexpr auto spinTime = std::chrono::microseconds(30);

static uint32_t epochOf(uint64_t gate) {
  return static_cast<uint32_t>(gate >> 32);
}

static void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

bool Scratch::reserve(size_t bytes) {
  if (bytes <= capacity)
    return true;
  constexpr size_t alignment = 64;
  if (bytes > SIZE_MAX - alignment)
    return false;
  size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void *data = aligned_alloc(alignment, rounded);
  if (!data)
    return false;
  memory.reset(data);
  capacity = rounded;
  return true;
}

ThreadPool::ThreadPool(unsigned threads) {
  unsigned helpers = std::max(threads, 1u) - 1;
  ranges = std::make_unique<Range[]>(helpers + 1);
  scratches.resize(helpers);
  workers.reserve(helpers);
  try {
    for (unsigned i = 0; i < helpers; ++i)
      workers.emplace_back([this, i] { workerMain(i + 1); });
  } catch (const std::system_error &) {
    // The system has no more threads: go on with those that there are.
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(parking);
    stop.store(true);
  }
  wakeUp.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

bool ThreadPool::hasNews(uint32_t lastEpoch) const {
  uint64_t now = gate.load();
  return stop.load(std::memory_order_relaxed) ||
         ((now & openBit) && epochOf(now) != lastEpoch);
}

/// Enters the current job, if it is open and not the one of `lastEpoch`.
bool ThreadPool::enter(uint32_t &lastEpoch) {
  uint64_t now = gate.load(std::memory_order_acquire);
  while ((now & openBit) && epochOf(now) != lastEpoch)
    if (gate.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel)) {
      lastEpoch = epochOf(now);
      return true;
    }
  return false;
}

void ThreadPool::work(unsigned self, Scratch &scratch) {
  unsigned threads = size();
  for (unsigned turn = 0; turn < threads; ++turn) {
    Range &range = ranges[(self + turn) % threads];
    for (;;) {
      int64_t begin = range.next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= range.end)
        break;
      // The end first: begin + chunk may pass the largest integer.
      int64_t end = range.end - begin < chunk ? range.end : begin + chunk;
      job.function(job.user, begin, end, scratch.data());
    }
  }
}

void ThreadPool::workerMain(unsigned self) {
  uint32_t lastEpoch = 0;
  while (!stop.load(std::memory_order_relaxed)) {
    if (enter(lastEpoch)) {
      work(self, scratches[self - 1]);
      leave();
    }
    auto limit = std::chrono::steady_clock::now() + spinTime;
    while (!hasNews(lastEpoch) && std::chrono::steady_clock::now() < limit)
      for (int i = 0; i < 32; ++i)
        pause();
    if (hasNews(lastEpoch))
      continue;
    std::unique_lock<std::mutex> lock(parking);
    // Before the last look at the gate: either this thread sees the job there,
    // or who brought it sees this thread here (both are sequentially
    // consistent).
    parked.fetch_add(1);
    wakeUp.wait(lock, [&] { return hasNews(lastEpoch); });
    parked.fetch_sub(1);
  }
}

/// Divides the items and lets the workers in.
void ThreadPool::openGate(const RangeTask &task, int64_t items) {
  job = task;
  int64_t threads = size(), each = items / threads, more = items % threads;
  chunk = std::max<int64_t>(1, each / chunksPerThread);
  int64_t begin = 0;
  for (int64_t i = 0; i < threads; ++i) {
    int64_t end = begin + each + (i < more ? 1 : 0);
    ranges[i].next.store(begin, std::memory_order_relaxed);
    ranges[i].end = end;
    begin = end;
  }
  uint32_t epoch = epochOf(gate.load(std::memory_order_relaxed)) + 1;
  // Zero is the epoch of a worker that has seen no job.
  epoch += epoch == 0;
  gate.store(uint64_t(epoch) << 32 | openBit);
  if (parked.load() == 0)
    return;
  {
    std::lock_guard<std::mutex> lock(parking);
  }
  wakeUp.notify_all();
}

/// Lets no one in any more, and waits for those who are.
void ThreadPool::closeGate() {
  gate.fetch_and(~openBit, std::memory_order_acq_rel);
  for (int spins = 0; gate.load(std::memory_order_acquire) & insideMask;
       ++spins) {
    if (spins < 1000)
      pause();
    else
      std::this_thread::yield();
  }
}

bool ThreadPool::run(const RangeTask &task, int64_t items, Scratch &scratch) {
  if (items <= 0)
    return true;
  if (!scratch.reserve(task.scratchBytes))
    return false;
  std::unique_lock<std::mutex> lock(busy, std::defer_lock);
  if (items == 1 || workers.empty() || !lock.try_lock()) {
    task.function(task.user, 0, items, scratch.data());
    return true;
  }
  // No one is inside: the workers' scratch is not in use.
  for (Scratch &other : scratches)
    if (!other.reserve(task.scratchBytes))
      return false;
  openGate(task, items);
  work(0, scratch);
  closeGate();
  return true;
}
