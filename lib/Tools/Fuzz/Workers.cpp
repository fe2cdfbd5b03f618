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
#include <sys/mman.h>
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
    munmap(worker.current, sizeof(*worker.current));
    llvm::sys::fs::remove(worker.log);
  }
}

/// In the new process: it writes to `log`, and leaves no core behind.
[[noreturn]] static void runChild(int log, std::atomic<uint64_t> &key,
                                  uint64_t last,
                                  llvm::function_ref<int(uint64_t)> work) {
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  close(log);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  // The parent's handlers are about the parent's files.
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL})
    std::signal(signal, SIG_DFL);
  for (;; ++key) {
    int code = work(key);
    llvm::outs().flush();
    llvm::errs().flush();
    if (code != 0 || key == last)
      _exit(code);
    // What the next call has to say is about itself.
    if (ftruncate(STDOUT_FILENO, 0) != 0 ||
        lseek(STDOUT_FILENO, 0, SEEK_SET) != 0)
      llvm::report_fatal_error("no temporary file to write from its begin");
  }
}

/// Memory that processes share.
static std::atomic<uint64_t> *makeShared(uint64_t value) {
  void *memory = mmap(nullptr, sizeof(std::atomic<uint64_t>),
                      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                      /*fd=*/-1, /*offset=*/0);
  if (memory == MAP_FAILED)
    llvm::report_fatal_error(llvm::Twine("no memory: ") + strerror(errno));
  return new (memory) std::atomic<uint64_t>(value);
}

void Workers::start(uint64_t key, uint64_t count,
                    llvm::function_ref<int(uint64_t)> work) {
  Running worker{-1,  key + count - 1,        makeShared(key),
                 key, Clock::now() + timeout, {}};
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
    runChild(log, *worker.current, worker.last, work);
  close(log);
  running.push_back(std::move(worker));
}

Ended Workers::collect(size_t index, int status, bool isLate) {
  Running worker = std::move(running[index]);
  running.erase(running.begin() + static_cast<ptrdiff_t>(index));
  uint64_t key = *worker.current;
  munmap(worker.current, sizeof(*worker.current));
  Ended ended{key, worker.last - key, WEXITSTATUS(status), ""};
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
      if (worker.key != *worker.current) {
        worker.key = *worker.current;
        worker.deadline = Clock::now() + timeout;
      }
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
  workers.start(0, 1, [&](uint64_t) { return work(); });
  return workers.wait();
}
