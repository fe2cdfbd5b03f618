//===- FuserRtMpi.cpp - The C ABI of communications by MPI ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rank that fails tells the others, by a message that they look for while
// they wait, and does not call MPI_Abort: that would end processes which can
// report what happened, and perhaps go on with a new communicator. A rank whose
// process is killed cannot tell; then launchers of MPI end the job, and the
// timeout ends the waiting if they do not.
//
//===----------------------------------------------------------------------===//

#include "fuser_rt/mpi.h"

#include "Rank.h"

#include <algorithm>

using namespace fuser_rt;
using namespace fuser_rt::mpi;

namespace {

/// The communicators that have not been destroyed, and those that MPI still
/// needs. Not destroyed: processes end in any order.
struct Registry {
  std::mutex mutex;
  std::vector<Rank *> live, retired;
};

} // namespace

static Registry &registry() {
  static Registry *const result = new Registry;
  return *result;
}

/// Of a process that ends: others are not to wait for it.
static void leaveAll() {
  std::lock_guard<std::mutex> lock(registry().mutex);
  for (Rank *rank : registry().live)
    rank->notify(Notice::Left, "its process ends");
}

static FuserStatus *makeGroup(void *user, const int64_t *ranks, int64_t count,
                              void **group) {
  return guarded([&]() -> FuserStatus * {
    MpiGroup *made = nullptr;
    FUSER_RETURN_IF_ERROR(
        static_cast<Rank *>(user)->makeGroup(ranks, count, made));
    *group = made;
    return nullptr;
  });
}

static FuserStatus *communicate(void *user, void *group,
                                const FuserTransfer *transfers, size_t count,
                                void *) {
  return guarded([&] {
    return static_cast<Rank *>(user)->communicate(
        *static_cast<const MpiGroup *>(group), transfers, count);
  });
}

static void abortRank(void *user, const char *message) {
  FuserStatus *status = guarded([&]() -> FuserStatus * {
    Process *process = nullptr;
    // Without MPI there is nobody to tell.
    FUSER_RETURN_IF_ERROR(getProcess(0, process));
    static_cast<Rank *>(user)->abort(message);
    return nullptr;
  });
  fuser_status_destroy(status);
}

static void destroy(void *user, const char *message) {
  FuserStatus *status = guarded([&]() -> FuserStatus * {
    std::lock_guard<std::mutex> lock(registry().mutex);
    std::vector<Rank *> &live = registry().live;
    auto *rank = static_cast<Rank *>(user);
    live.erase(std::remove(live.begin(), live.end(), rank), live.end());
    Process *process = nullptr;
    // Without MPI there is nobody to tell, and what is retired stays.
    FUSER_RETURN_IF_ERROR(getProcess(0, process));
    rank->notify(message ? Notice::Failed : Notice::Left,
                 message ? message : "its context was destroyed");
    std::vector<Rank *> &retired = registry().retired;
    retired.push_back(rank);
    auto isDone = [](Rank *rank) {
      bool done = rank->retire();
      if (done)
        delete rank;
      return done;
    };
    retired.erase(std::remove_if(retired.begin(), retired.end(), isDone),
                  retired.end());
    return nullptr;
  });
  fuser_status_destroy(status);
}

extern "C" FuserStatus *fuser_mpi_communicator(double timeoutSeconds,
                                               FuserCommunicator *result) {
  return guarded([&]() -> FuserStatus * {
    if (!result || !(timeoutSeconds >= 0))
      return makeError(FUSER_INVALID_ARGUMENT,
                       "fuser_mpi_communicator: expected a timeout of 0 s or "
                       "more and a place for the result, got %g s%s",
                       timeoutSeconds, result ? "" : " and null");
    if (timeoutSeconds == 0)
      timeoutSeconds = 600;
    Process *process = nullptr;
    FUSER_RETURN_IF_ERROR(getProcess(timeoutSeconds, process));
    callAtExit(leaveAll);
    auto rank = std::make_unique<Rank>(*process, timeoutSeconds);
    std::lock_guard<std::mutex> lock(registry().mutex);
    registry().live.push_back(rank.get());
    *result = FuserCommunicator{rank.get(), rank->getRank(), rank->getSize(),
                                makeGroup,  communicate,     destroy,
                                abortRank};
    rank.release();
    return nullptr;
  });
}
