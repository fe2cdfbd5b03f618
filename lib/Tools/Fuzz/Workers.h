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

  uint64_t key = 0; ///< What it was started with.
  /// Its exit code; less than 0: it has none. A signal's number, negative.
  int code = 0;
  /// What it wrote and, if it was stopped, by what.
  std::string message;
};

/// Runs functions in forked processes, each for a limited time.
class Workers {
public:
  explicit Workers(unsigned timeout) : timeout(timeout) {}
  Workers(const Workers &) = delete;
  ~Workers();

  size_t getNumRunning() const { return running.size(); }
  /// The function's result is the exit code of the process.
  void start(uint64_t key, llvm::function_ref<int()> work);
  /// Waits until one ends, of one at least that runs.
  Ended wait();

private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    pid_t process;
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
