//===- ThreadPool.h - Ranges of work items over threads -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One job at a time; the thread that brings it works too and never waits for a
// thread that has not started on it. Everything turns around one word, the
// gate:
//
//   epoch (32 bits) | open (1 bit) | threads at work (31 bits)
//
// A job opens the gate with a new epoch. A worker enters by adding one while
// the gate is open, takes chunks, and leaves by subtracting one. When the
// caller has found no more chunks it closes the gate and waits for those
// inside. So a job that is done before a worker wakes up costs nothing more.
//
// Items are split into one contiguous range a thread, so that the same thread
// tends to see the same data in the next launch; each range is taken in chunks,
// and who is done with its own range helps the others.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_CPU_THREADPOOL_H
#define FUSER_RT_CPU_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace fuser_rt {

/// Memory for one thread's kernels, 64-byte aligned.
class Scratch {
public:
  /// Makes it at least that large; what was in it is lost. False if there is no
  /// memory.
  bool reserve(size_t bytes);
  void *data() const { return memory.get(); }

private:
  struct Free {
    void operator()(void *pointer) const { free(pointer); }
  };
  std::unique_ptr<void, Free> memory;
  size_t capacity = 0;
};

/// Work on the items [begin, end).
struct RangeTask {
  void (*function)(void *user, int64_t begin, int64_t end, void *scratch);
  void *user;
  /// What every thread's scratch must hold.
  size_t scratchBytes = 0;
};

class ThreadPool {
public:
  /// `threads` counts the caller's. Starts as many as the system allows.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned size() const { return static_cast<unsigned>(workers.size()) + 1; }

  /// Runs `task` on every item of [0, items) exactly once; complete on return.
  /// `scratch` is the calling thread's. While another thread's job is under
  /// way, the caller does all items itself. False, and nothing was run, if
  /// there is no memory for scratch.
  bool run(const RangeTask &task, int64_t items, Scratch &scratch);

private:
  struct alignas(64) Range {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  bool enter(uint32_t &lastEpoch);
  void leave() { gate.fetch_sub(1, std::memory_order_release); }
  bool hasNews(uint32_t lastEpoch) const;
  void work(unsigned self, Scratch &scratch);
  void workerMain(unsigned self);
  void openGate(const RangeTask &task, int64_t items);
  void closeGate();

  std::mutex busy; // held by the one who brought the job
  alignas(64) std::atomic<uint64_t> gate{0};
  alignas(64) std::atomic<uint32_t> parked{0};
  std::mutex parking;
  std::condition_variable wakeUp;
  std::atomic<bool> stop{false};

  // The job; written while the gate is shut and empty.
  RangeTask job{};
  int64_t chunk = 1;
  std::unique_ptr<Range[]> ranges; // one for each thread, the caller's first
  std::vector<Scratch> scratches;  // of the workers
  std::vector<std::thread> workers;
};

} // namespace fuser_rt

#endif // FUSER_RT_CPU_THREADPOOL_H
