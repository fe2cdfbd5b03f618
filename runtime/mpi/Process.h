//===- Process.h - MPI in this process ------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_MPI_PROCESS_H
#define FUSER_RT_MPI_PROCESS_H

#include "Status.h"

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <sys/types.h>

namespace fuser_rt::mpi {

using Clock = std::chrono::steady_clock;

/// Seconds since a point in time.
double secondsSince(Clock::time_point start);

/// What is there once, however many communicators there are.
struct Process {
  MPI_Comm comm = MPI_COMM_NULL; ///< Ours alone: nobody else's messages.
  int rank = 0, size = 1;
  int tagLimit = 0;
  int threadLevel = MPI_THREAD_SINGLE;
  int numCommunicators = 0;
  bool isFinalizedHere = false; ///< Whether this library has initialised MPI.
  std::atomic<bool> hasFailed = false; ///< Any of its communicators.
  pid_t pid = 0;
  /// Held by every call of MPI, for MPI_THREAD_SERIALIZED, but not while
  /// another rank is waited for.
  std::mutex mutex;

  /// A status if MPI cannot be called: after MPI_Finalize, or in a process that
  /// was forked off.
  FuserStatus *check() const;
};

/// MPI, which is initialised if it has not been. Waits for the other ranks, the
/// first time.
FuserStatus *getProcess(double timeoutSeconds, Process *&result);

/// The status of a call of MPI that failed.
FuserStatus *makeMpiError(int code, const char *call);

/// What `finish` calls for the communicators that are still there.
using LeaveFunction = void (*)();
void callAtExit(LeaveFunction function);

/// Waits before the next look at what is awaited, the `round`th. `isLong`: the
/// processor is better used by others.
void pause(unsigned round, bool isLong);

} // namespace fuser_rt::mpi

#endif // FUSER_RT_MPI_PROCESS_H
