//===- CpuStream.cpp - Queues of work on the CPU --------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cpu/CpuStream.h"

#include <utility>

using namespace fuser_rt;

void CpuStream::start() {
  thread = std::thread([this] { threadMain(); });
}

CpuStream::~CpuStream() {
  if (isWorker()) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      stop = true;
    }
    arrived.notify_all();
    thread.join();
  }
  fuser_status_destroy(takeError());
}

void CpuStream::push(std::function<void()> task) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    tasks.push_back(std::move(task));
    ++submitted;
  }
  arrived.notify_one();
}

uint64_t CpuStream::record() {
  std::lock_guard<std::mutex> lock(mutex);
  return submitted;
}

void CpuStream::waitFor(uint64_t ticket) {
  std::unique_lock<std::mutex> lock(mutex);
  done.wait(lock, [&] { return completed >= ticket; });
}

void CpuStream::fail(FuserStatus *status) {
  std::lock_guard<std::mutex> lock(mutex);
  if (error)
    fuser_status_destroy(status);
  else
    error = status;
}

FuserStatus *CpuStream::takeError() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(error, nullptr);
}

void CpuStream::threadMain() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    arrived.wait(lock, [&] { return stop || !tasks.empty(); });
    // What was given before the end is still done.
    if (tasks.empty())
      return;
    std::function<void()> task = std::move(tasks.front());
    tasks.pop_front();
    lock.unlock();
    task();
    lock.lock();
    ++completed;
    done.notify_all();
  }
}
