//===- Workers.h - Processes that may crash or hang -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_FUZZ_WORKERS_H
#define FUSER_LIB_TOOLS_FUZZ_WORKERS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallString.h"
#include <atomic>
#include <chrono>
#include <limits>
#include <string>
#include <sys/types.h>
#include <vector>

namespace fuser::fuzz {

/// How a process has ended.
struct Ended {
  /// The code of one that took too long.
  static constexpr int kLate = std::numeric_limits<int>::min();

  uint64_t key = 0;  ///< Of the call that it has ended in.
  uint64_t rest = 0; ///< Of its calls, how many were still to come.
  /// Its exit code; less than 0: it has none. A signal's number, negative.
  int code = 0;
  /// What it wrote and, if it was stopped, by what.
  std::string message;
};

/// Runs functions in forked processes, each call for a limited time.
class Workers {
public:
  explicit Workers(unsigned timeout) : timeout(timeout) {}
  Workers(const Workers &) = delete;
  ~Workers();

  size_t getNumRunning() const { return running.size(); }
  /// Calls the function with `key` and the numbers behind it, `count` of them,
  /// one after another in one process, until a result is not 0. The last result
  /// is the exit code of the process.
  void start(uint64_t key, uint64_t count,
             llvm::function_ref<int(uint64_t)> work);
  /// Waits until one ends, of one at least that runs.
  Ended wait();

private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    pid_t process;
    /// The key of the last call.
    uint64_t last;
    /// The key of its call, in memory that both processes see, and the one that
    /// the deadline is of.
    std::atomic<uint64_t> *current;
    uint64_t key;
    Clock::time_point deadline;
    llvm::SmallString<64> log;
  };

  Ended collect(size_t index, int status, bool isLate);

  std::chrono::seconds timeout;
  std::vector<Running> running;
};

/// Runs one function so.
Ended runInProcess(unsigned timeout, llvm::function_ref<int()> work);

} // namespace fuser::fuzz

#endif // FUSER_LIB_TOOLS_FUZZ_WORKERS_H
