//===- Parallel.cpp - A loop on several threads --------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Support/Parallel.h"
#include "llvm/Support/Threading.h"
#include <algorithm>
#include <atomic>
#include <csignal>
#include <pthread.h>
#include <vector>

namespace {
struct Loop {
  size_t count;
  llvm::function_ref<void(size_t)> body;
  std::atomic<size_t> next{0};

  void run() {
    for (size_t i = next++; i < count; i = next++)
      body(i);
  }
};
} // namespace

static void *runLoop(void *loop) {
  static_cast<Loop *>(loop)->run();
  return nullptr;
}

/// Starts at most so many threads.
static std::vector<pthread_t> startThreads(Loop &loop, size_t most) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::vector<pthread_t> threads;
  pthread_t thread;
  while (threads.size() < most &&
         pthread_create(&thread, nullptr, runLoop, &loop) == 0)
    threads.push_back(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return threads;
}

void fuser::parallelFor(size_t count, llvm::function_ref<void(size_t)> body) {
  Loop loop{count, body};
  size_t workers = std::min<size_t>(
      count, llvm::hardware_concurrency().compute_thread_count());
  std::vector<pthread_t> threads =
      startThreads(loop, std::max<size_t>(workers, 1) - 1);
  loop.run();
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
}
