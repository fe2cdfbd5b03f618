//===- CpuStream.h - Queues of work on the CPU ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A worker stream has a queue and a thread that runs its tasks in their order.
// An event is a ticket: the number of tasks that a stream had been given when
// it was recorded. Every wait is for an earlier ticket than what is queued
// behind it, so streams cannot wait for each other in a circle.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_CPU_CPUSTREAM_H
#define FUSER_RT_CPU_CPUSTREAM_H

#include "Cpu/Delays.h"
#include "Cpu/ThreadPool.h"
#include "fuser_rt/fuser_rt.h"

#include <deque>
#include <functional>

namespace fuser_rt {

class CpuStream {
public:
  /// The caller's stream: what it is given is run at once, by the caller.
  CpuStream() = default;
  ~CpuStream();
  CpuStream(const CpuStream &) = delete;
  CpuStream &operator=(const CpuStream &) = delete;

  /// Makes it a worker stream. Throws std::system_error if there is no thread
  /// to have.
  void start();
  bool isWorker() const { return thread.joinable(); }

  void push(std::function<void()> task);
  /// The ticket of the last task given to it.
  uint64_t record();
  void waitFor(uint64_t ticket);
  void synchronize() { waitFor(record()); }

  /// Keeps what a task failed with; of several, the first.
  void fail(FuserStatus *status);
  /// What has failed since the last time, or null. The caller's.
  FuserStatus *takeError();

  /// Of the thread that runs this stream's tasks.
  Scratch scratch;
  /// Of the thread that gives it tasks.
  Delays delays;

private:
  void threadMain();

  FuserStatus *error = nullptr; // with the mutex

  std::thread thread;
  std::mutex mutex;
  std::condition_variable arrived, done;
  std::deque<std::function<void()>> tasks;
  uint64_t submitted = 0, completed = 0;
  bool stop = false;
};

} // namespace fuser_rt

#endif // FUSER_RT_CPU_CPUSTREAM_H
