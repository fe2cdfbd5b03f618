//===- Process.cpp - MPI in this process ----------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Process.h"

#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <time.h>
#include <unistd.h>

using namespace fuser_rt;
using namespace fuser_rt::mpi;

namespace {

/// How long a rank that saw a failure waits for the others before it ends: so
/// long that they can report it, for launchers kill what is left.
constexpr double secondsForReports = 10;

/// Rounds of a wait that keep the processor: about 10 us.
constexpr unsigned busyRounds = 64;

struct Start {
  std::mutex mutex;
  MPI_Request duplication = MPI_REQUEST_NULL;
  bool isReady = false;
  LeaveFunction leave = nullptr;
};

} // namespace

// Not destroyed: `finish` may run after the destructors of this library.
static Process &process() {
  static Process *const result = new Process;
  return *result;
}

static Start &start() {
  static Start *const result = new Start;
  return *result;
}

double mpi::secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void mpi::pause(unsigned round, bool isLong) {
  if (isLong) {
    timespec time{0, 50000};
    nanosleep(&time, nullptr);
  } else if (round >= busyRounds) {
    sched_yield();
  }
}

FuserStatus *mpi::makeMpiError(int code, const char *call) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return makeError(FUSER_COMMUNICATION_ERROR, "%s failed: %.*s", call, length,
                   text);
}

FuserStatus *Process::check() const {
  if (pid != getpid())
    return makeError(FUSER_COMMUNICATION_ERROR,
                     "MPI was initialised in process %ld, and this is process "
                     "%ld, forked off: MPI does not survive a fork",
                     static_cast<long>(pid), static_cast<long>(getpid()));
  int isFinalized = 0;
  MPI_Finalized(&isFinalized);
  if (isFinalized)
    return makeError(FUSER_COMMUNICATION_ERROR,
                     "expected MPI to be finalised after the communicator is "
                     "destroyed, but MPI_Finalize has been called");
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

/// Whether all ranks are ending. Where all is well it waits for as long as it
/// takes, as MPI_Finalize does, but after a failure MPI_Finalize would wait for
/// ranks that are stuck or gone.
static bool allEnd(Process &process) {
  MPI_Request barrier;
  if (MPI_Ibarrier(process.comm, &barrier) != MPI_SUCCESS)
    return false;
  Clock::time_point start = Clock::now();
  for (unsigned round = 0;; ++round) {
    int done = 0;
    if (MPI_Test(&barrier, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      return false;
    if (done)
      return true;
    double waited = secondsSince(start);
    if (process.hasFailed && waited > secondsForReports)
      return false;
    pause(round, waited > 1e-3);
  }
}

static void finish() {
  Process &process = ::process();
  if (process.pid != getpid())
    return;
  int isFinalized = 0;
  MPI_Finalized(&isFinalized);
  if (isFinalized)
    return;
  if (start().leave)
    start().leave();
  std::lock_guard<std::mutex> lock(process.mutex);
  if (start().isReady ? !allEnd(process) : process.hasFailed.load()) {
    fprintf(stderr,
            "fuser: rank %d ends without MPI_Finalize: after a failure it "
            "waited %g s, and not all ranks came\n",
            process.rank, secondsForReports);
    return;
  }
  MPI_Finalize();
}

void mpi::callAtExit(LeaveFunction function) { start().leave = function; }

//===----------------------------------------------------------------------===//
// The start
//===----------------------------------------------------------------------===//

static FuserStatus *initialise(Process &process) {
  int isInitialized = 0, isFinalized = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&isInitialized);
  MPI_Finalized(&isFinalized);
  if (isFinalized)
    return makeError(FUSER_COMMUNICATION_ERROR,
                     "expected a process that has not called MPI_Finalize: MPI "
                     "cannot be initialised again");
  if (isInitialized) {
    MPI_Query_thread(&level);
  } else {
    // The caller may use MPI, too, at the same time if MPI allows it.
    int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
    if (code != MPI_SUCCESS)
      return makeMpiError(code, "MPI_Init_thread");
    process.isFinalizedHere = true;
  }
  process.pid = getpid();
  if (process.isFinalizedHere && std::atexit(finish) != 0)
    return makeError(FUSER_OUT_OF_MEMORY, "atexit failed");
  process.threadLevel = level;
  return nullptr;
}

/// Ends with a communicator whose errors are returned. All ranks make it; one
/// that timed out can go on waiting for it in a later call.
static FuserStatus *duplicate(Process &process, double timeoutSeconds) {
  MPI_Request &request = start().duplication;
  std::lock_guard<std::mutex> lock(process.mutex);
  if (request == MPI_REQUEST_NULL) {
    int code = MPI_Comm_idup(MPI_COMM_WORLD, &process.comm, &request);
    if (code != MPI_SUCCESS)
      return makeMpiError(code, "MPI_Comm_idup");
  }
  Clock::time_point begin = Clock::now();
  for (unsigned round = 0;; ++round) {
    int done = 0;
    int code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
      return makeMpiError(code, "MPI_Comm_idup");
    if (done)
      break;
    double waited = secondsSince(begin);
    if (waited > timeoutSeconds) {
      process.hasFailed = true;
      return makeError(FUSER_COMMUNICATION_ERROR,
                       "rank %d waited %.1f s for all %d ranks to make their "
                       "first communicator, and not all did",
                       process.rank, waited, process.size);
    }
    pause(round, waited > 1e-3);
  }
  MPI_Comm_set_errhandler(process.comm, MPI_ERRORS_RETURN);
  return nullptr;
}

FuserStatus *mpi::getProcess(double timeoutSeconds, Process *&result) {
  Process &process = ::process();
  std::lock_guard<std::mutex> lock(start().mutex);
  if (!start().isReady) {
    if (process.pid == 0)
      FUSER_RETURN_IF_ERROR(initialise(process));
    FUSER_RETURN_IF_ERROR(process.check());
    if (process.threadLevel < MPI_THREAD_SERIALIZED)
      return makeError(FUSER_INVALID_ARGUMENT,
                       "expected MPI with MPI_THREAD_SERIALIZED (%d) or more, "
                       "got level %d: communications are not all of one thread",
                       MPI_THREAD_SERIALIZED, process.threadLevel);
    MPI_Comm_rank(MPI_COMM_WORLD, &process.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &process.size);
    FUSER_RETURN_IF_ERROR(duplicate(process, timeoutSeconds));
    void *limit = nullptr;
    int hasLimit = 0;
    MPI_Comm_get_attr(process.comm, MPI_TAG_UB, &limit, &hasLimit);
    process.tagLimit = hasLimit ? *static_cast<int *>(limit) : 32767;
    start().isReady = true;
  }
  FUSER_RETURN_IF_ERROR(process.check());
  result = &process;
  return nullptr;
}
