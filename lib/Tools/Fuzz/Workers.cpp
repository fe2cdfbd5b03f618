//===- Workers.cpp - Processes that may crash or hang ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workers.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace fuser;
using namespace fuser::fuzz;

Workers::~Workers() {
  for (Running &worker : running) {
    kill(worker.process, SIGKILL);
    waitpid(worker.process, nullptr, 0);
    llvm::sys::fs::remove(worker.log);
  }
}

/// In the new process: it writes to `log`, and leaves no core behind.
[[noreturn]] static void runChild(int log, llvm::function_ref<int()> work) {
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  close(log);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  // The parent's handlers are about the parent's files.
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL})
    std::signal(signal, SIG_DFL);
  int code = work();
  llvm::outs().flush();
  llvm::errs().flush();
  _exit(code);
}

void Workers::start(uint64_t key, llvm::function_ref<int()> work) {
  Running worker{-1, key, Clock::now() + timeout, {}};
  int log = -1;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile(
          "fuser-fuzz", "log", log, worker.log))
    llvm::report_fatal_error(llvm::Twine("no temporary file: ") +
                             error.message());
  // What is not written yet would be written twice.
  llvm::outs().flush();
  llvm::errs().flush();
  worker.process = fork();
  if (worker.process < 0)
    llvm::report_fatal_error(llvm::Twine("no process: ") + strerror(errno));
  if (worker.process == 0)
    runChild(log, work);
  close(log);
  running.push_back(std::move(worker));
}

Ended Workers::collect(size_t index, int status, bool isLate) {
  Running worker = std::move(running[index]);
  running.erase(running.begin() + static_cast<ptrdiff_t>(index));
  Ended ended{worker.key, WEXITSTATUS(status), ""};
  if (auto text = llvm::MemoryBuffer::getFile(worker.log))
    ended.message = (*text)->getBuffer();
  llvm::sys::fs::remove(worker.log);
  if (!ended.message.empty() && ended.message.back() != '\n')
    ended.message += '\n';
  if (isLate) {
    ended.code = Ended::kLate;
    ended.message += "stopped after " + std::to_string(timeout.count()) +
                     " s: it did not end\n";
  } else if (WIFSIGNALED(status)) {
    ended.code = -WTERMSIG(status);
    ended.message +=
        std::string("ended by a signal: ") + strsignal(WTERMSIG(status)) + "\n";
  }
  return ended;
}

Ended Workers::wait() {
  for (;;) {
    for (size_t index = 0; index < running.size(); ++index) {
      Running &worker = running[index];
      int status = 0;
      if (waitpid(worker.process, &status, WNOHANG) == worker.process)
        return collect(index, status, /*isLate=*/false);
      if (Clock::now() < worker.deadline)
        continue;
      kill(worker.process, SIGKILL);
      waitpid(worker.process, &status, 0);
      return collect(index, status, /*isLate=*/true);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Ended fuzz::runInProcess(unsigned timeout, llvm::function_ref<int()> work) {
  Workers workers(timeout);
  workers.start(0, work);
  return workers.wait();
}
