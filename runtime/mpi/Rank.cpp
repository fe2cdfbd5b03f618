//===- Rank.cpp - Messages, waits and failures ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rank.h"

#include <algorithm>
#include <cstring>

using namespace fuser_rt;
using namespace fuser_rt::mpi;

/// Tags of MPI that one communicator uses. The next has others, so that what
/// one that failed has left under way is not taken for a message of the next.
static constexpr int tagsPerCommunicator = 16;
/// MPI counts by int, and what is awaited is seen to move piece by piece.
static constexpr int64_t pieceBytes = int64_t(64) << 20;
/// Looks at requests between two looks at the clock and at notices.
static constexpr unsigned roundsBetweenChecks = 16;
/// A rank that left may have sent what is awaited before.
static constexpr double secondsAfterLeaving = 1;
/// How long receives are given to be cancelled.
static constexpr double secondsToCancel = 0.1;

Rank::Rank(Process &process, double timeoutSeconds)
    : process(process), timeoutSeconds(timeoutSeconds),
      left(static_cast<size_t>(process.size)) {
  std::lock_guard<std::mutex> lock(process.mutex);
  int available = std::max(1, process.tagLimit / tagsPerCommunicator);
  firstTag = process.numCommunicators++ % available * tagsPerCommunicator;
}

FuserStatus *Rank::makeGroup(const int64_t *ranks, int64_t count,
                             MpiGroup *&group) {
  auto made = std::make_unique<MpiGroup>();
  made->serial = static_cast<int64_t>(groups.size());
  made->hash = hashBytes(ranks, static_cast<size_t>(count) * sizeof(int64_t),
                         static_cast<uint64_t>(count));
  made->rank = -1;
  for (int64_t i = 0; i < count; ++i) {
    if (ranks[i] < 0 || ranks[i] >= process.size)
      return makeError(FUSER_INVALID_ARGUMENT,
                       "expected a group of ranks from 0 to %d, got rank %lld",
                       process.size - 1, static_cast<long long>(ranks[i]));
    if (ranks[i] == process.rank)
      made->rank = i;
    made->members.push_back(static_cast<int>(ranks[i]));
  }
  group = made.get();
  groups.push_back(std::move(made));
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

int Rank::tag(TagKind kind, size_t index) const {
  // Collectives of one call are numbered, since messages are between them.
  constexpr size_t numbers = tagsPerCommunicator - CollectiveTag;
  return firstTag + kind + static_cast<int>(index % numbers);
}

void Rank::send(Pending &pending, int peer, const void *data, int64_t size,
                int tag) {
  std::lock_guard<std::mutex> lock(process.mutex);
  const auto *bytes = static_cast<const char *>(data);
  for (int64_t begin = 0; begin < size && pending.code == MPI_SUCCESS;
       begin += pieceBytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    int length = static_cast<int>(std::min(pieceBytes, size - begin));
    pending.code = MPI_Isend(bytes + begin, length, MPI_BYTE, peer, tag,
                             process.comm, &request);
    pending.requests.push_back(request);
    pending.peers.push_back(peer);
    pending.areReceives.push_back(false);
  }
}

void Rank::receive(Pending &pending, int peer, void *data, int64_t size,
                   int tag) {
  std::lock_guard<std::mutex> lock(process.mutex);
  auto *bytes = static_cast<char *>(data);
  for (int64_t begin = 0; begin < size && pending.code == MPI_SUCCESS;
       begin += pieceBytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    int length = static_cast<int>(std::min(pieceBytes, size - begin));
    pending.code = MPI_Irecv(bytes + begin, length, MPI_BYTE, peer, tag,
                             process.comm, &request);
    pending.requests.push_back(request);
    pending.peers.push_back(peer);
    pending.areReceives.push_back(true);
  }
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

FuserStatus *Rank::progress(Pending &pending, bool &hasMoved) {
  if (pending.code != MPI_SUCCESS)
    return makeMpiError(pending.code, "MPI_Isend or MPI_Irecv");
  int size = static_cast<int>(pending.requests.size()), number = 0;
  finished.resize(pending.requests.size());
  statuses.resize(pending.requests.size());
  std::lock_guard<std::mutex> lock(process.mutex);
  int code = MPI_Testsome(size, pending.requests.data(), &number,
                          finished.data(), statuses.data());
  if (code == MPI_ERR_IN_STATUS) {
    for (int i = 0; i < number; ++i)
      if (statuses[i].MPI_ERROR != MPI_SUCCESS)
        return makeMpiError(
            statuses[i].MPI_ERROR,
            format("the message %s rank %d",
                   pending.areReceives[finished[i]] ? "from" : "to",
                   pending.peers[finished[i]])
                .c_str());
  }
  if (code != MPI_SUCCESS)
    return makeMpiError(code, "MPI_Testsome");
  hasMoved = number != 0;
  if (number == MPI_UNDEFINED)
    pending.requests.clear();
  return nullptr;
}

/// The ranks that are awaited, ascending.
static std::vector<int> findAwaited(const Pending &pending) {
  std::vector<int> awaited;
  for (size_t i = 0; i < pending.requests.size(); ++i)
    if (pending.requests[i] != MPI_REQUEST_NULL)
      awaited.push_back(pending.peers[i]);
  std::sort(awaited.begin(), awaited.end());
  awaited.erase(std::unique(awaited.begin(), awaited.end()), awaited.end());
  return awaited;
}

static std::string describeRanks(const std::vector<int> &ranks) {
  constexpr size_t most = 8;
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (size_t i = 0; i < std::min(ranks.size(), most); ++i)
    text += format(i ? ", %d" : " %d", ranks[i]);
  if (ranks.size() > most)
    text += format(" and %zu more", ranks.size() - most);
  return text;
}

FuserStatus *Rank::wait(Pending &pending, const std::string &what,
                        bool isData) {
  Clock::time_point lastMove = Clock::now();
  double idle = 0;
  for (unsigned round = 0;; ++round) {
    bool hasMoved = false;
    if (FuserStatus *status = progress(pending, hasMoved))
      return fail(status, pending, /*tellOthers=*/true);
    if (pending.requests.empty())
      return nullptr;
    if (isAborted)
      return fail(makeError(FUSER_COMMUNICATION_ERROR,
                            "rank %d has failed elsewhere while it waited for "
                            "%s",
                            process.rank, what.c_str()),
                  pending, /*tellOthers=*/false);
    if (round % roundsBetweenChecks == 0 || hasMoved) {
      if (hasMoved)
        lastMove = Clock::now();
      idle = secondsSince(lastMove);
      if (FuserStatus *status = readNotices(pending, idle))
        return fail(status, pending, /*tellOthers=*/false);
    }
    if (idle > timeoutSeconds) {
      std::vector<int> awaited = findAwaited(pending);
      return fail(
          makeError(FUSER_COMMUNICATION_ERROR,
                    "rank %d waited %.1f s for %s %s %s: expected all ranks "
                    "that it concerns within %g s",
                    process.rank, idle, describeRanks(awaited).c_str(),
                    isData ? "to go on with" : "to come to", what.c_str(),
                    timeoutSeconds),
          pending, /*tellOthers=*/true);
    }
    // Data moves only while MPI is called. A rank that comes late, though, may
    // need the processor to get here.
    pause(round, !isData && idle > 5e-3);
    if (idle > 5e-3)
      round |= roundsBetweenChecks - 1;
  }
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

FuserStatus *Rank::listen() {
  int code = MPI_Irecv(&heard, sizeof(heard), MPI_BYTE, MPI_ANY_SOURCE,
                       tag(NoticeTag), process.comm, &hearing);
  return code == MPI_SUCCESS ? nullptr : makeMpiError(code, "MPI_Irecv");
}

FuserStatus *Rank::readNotices(const Pending &pending, double idleSeconds) {
  {
    std::lock_guard<std::mutex> lock(process.mutex);
    if (hearing == MPI_REQUEST_NULL)
      FUSER_RETURN_IF_ERROR(listen());
    int done = 0;
    int code = MPI_Test(&hearing, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
      return makeMpiError(code, "MPI_Test");
    if (done) {
      heard.text[sizeof(heard.text) - 1] = '\0';
      if (heard.kind == Notice::Failed)
        return makeError(FUSER_COMMUNICATION_ERROR, "rank %d has failed: %s",
                         heard.rank, heard.text);
      if (heard.rank >= 0 && heard.rank < process.size)
        left[static_cast<size_t>(heard.rank)] = heard.text;
      FUSER_RETURN_IF_ERROR(listen());
    }
  }
  if (idleSeconds < secondsAfterLeaving)
    return nullptr;
  for (int peer : findAwaited(pending))
    if (const std::string &text = left[static_cast<size_t>(peer)];
        !text.empty())
      return makeError(FUSER_COMMUNICATION_ERROR,
                       "rank %d waits for rank %d, which has left: %s",
                       process.rank, peer, text.c_str());
  return nullptr;
}

FuserStatus *Rank::checkUsable() const {
  std::lock_guard<std::mutex> lock(process.mutex);
  if (failure.empty())
    return nullptr;
  return makeError(FUSER_COMMUNICATION_ERROR,
                   "the communicator of rank %d is to be replaced, since it "
                   "has failed: %s",
                   process.rank, failure.c_str());
}

void Rank::abort(const std::string &message) {
  process.hasFailed = true;
  {
    std::lock_guard<std::mutex> lock(process.mutex);
    // The others know, or are told by the rank that this one was told by.
    if (!failure.empty())
      return;
    failure = message;
  }
  isAborted = true;
  notify(Notice::Failed, message);
}

FuserStatus *Rank::fail(FuserStatus *status, Pending &pending,
                        bool tellOthers) {
  process.hasFailed = true;
  const std::string message = fuser_status_message(status);
  {
    std::lock_guard<std::mutex> lock(process.mutex);
    if (failure.empty())
      failure = message;
  }
  if (tellOthers)
    notify(Notice::Failed, message);
  // Nothing is to be written to the caller's memory after this. A receive that
  // no message has met is cancelled at once; one whose message stopped halfway
  // may stay, and then only a rank that stood still for the whole timeout and
  // goes on could still write.
  std::lock_guard<std::mutex> lock(process.mutex);
  for (size_t i = 0; i < pending.requests.size(); ++i)
    if (pending.areReceives[i] && pending.requests[i] != MPI_REQUEST_NULL)
      MPI_Cancel(&pending.requests[i]);
  Clock::time_point start = Clock::now();
  int done = 0;
  for (unsigned round = 0; !done && secondsSince(start) < secondsToCancel;
       ++round) {
    MPI_Testall(static_cast<int>(pending.requests.size()),
                pending.requests.data(), &done, MPI_STATUSES_IGNORE);
    pause(round, false);
  }
  for (MPI_Request request : pending.requests)
    if (request != MPI_REQUEST_NULL)
      telling.push_back(request);
  pending.requests.clear();
  return status;
}

void Rank::notify(Notice::Kind kind, const std::string &text) {
  std::lock_guard<std::mutex> lock(process.mutex);
  // The first one is the reason of those after it.
  if (told.text[0] != '\0')
    return;
  told.kind = kind;
  told.rank = process.rank;
  strncpy(told.text, text.c_str(), sizeof(told.text) - 1);
  if (kind == Notice::Failed)
    process.hasFailed = true;
  for (int peer = 0; peer < process.size; ++peer) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (peer != process.rank &&
        MPI_Isend(&told, sizeof(told), MPI_BYTE, peer, tag(NoticeTag),
                  process.comm, &request) == MPI_SUCCESS)
      telling.push_back(request);
  }
}

bool Rank::retire() {
  std::lock_guard<std::mutex> lock(process.mutex);
  if (hearing != MPI_REQUEST_NULL) {
    MPI_Cancel(&hearing);
    telling.push_back(hearing);
    hearing = MPI_REQUEST_NULL;
  }
  int done = 0;
  int code = MPI_Testall(static_cast<int>(telling.size()), telling.data(),
                         &done, MPI_STATUSES_IGNORE);
  return code == MPI_SUCCESS && done;
}
