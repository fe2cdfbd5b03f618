//===- Ranks.cpp - Ranks that are threads of one process ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Ranks.h"

#include "Status.h"

#include <cinttypes>
#include <cstring>
#include <tuple>

using namespace fuser_rt;

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

FuserStatus *RankSet::failed() const {
  return makeError(FUSER_COMMUNICATION_ERROR, failure);
}

void RankSet::fail(const std::string &message) {
  if (failure.empty())
    failure = message.empty() ? "the communications were ended" : message;
  changed.notify_all();
}

void RankSet::abort(const std::string &message) {
  Lock lock(mutex);
  fail(message);
}

FuserStatus *RankSet::join(int64_t rank) {
  Lock lock(mutex);
  if (!failure.empty())
    return failed();
  if (taken[size_t(rank)])
    return makeError(FUSER_INVALID_ARGUMENT,
                     "expected each rank to join once, got rank %" PRId64
                     " a second time",
                     rank);
  taken[size_t(rank)] = true;
  return nullptr;
}

void RankSet::leave(int64_t rank) {
  Lock lock(mutex);
  left[size_t(rank)] = true;
  changed.notify_all();
}

FuserStatus *RankSet::wait(Lock &lock, const std::function<bool()> &holds,
                           const std::function<int64_t()> &findMissing,
                           const std::string &what) {
  auto deadline = std::chrono::steady_clock::now() +
                  std::chrono::duration_cast<std::chrono::milliseconds>(
                      std::chrono::duration<double>(timeoutSeconds));
  for (;;) {
    if (holds())
      return nullptr;
    if (!failure.empty())
      return failed();
    int64_t missing = findMissing();
    if (missing >= 0 && left[size_t(missing)])
      fail(format("%s: rank %" PRId64
                  " has left, and the others wait for it here",
                  what.c_str(), missing));
    else if (changed.wait_until(lock, deadline) == std::cv_status::timeout &&
             !holds() && failure.empty())
      fail(format("%s: expected all ranks within %g seconds, but rank %" PRId64
                  " has not come: it hangs, or runs another program",
                  what.c_str(), timeoutSeconds, findMissing()));
  }
}

//===----------------------------------------------------------------------===//
// Transfers of all
//===----------------------------------------------------------------------===//

/// The elements of a part, about which all sides agree.
static int64_t getPart(const FuserTransfer &transfer) {
  bool isResult =
      transfer.kind == FUSER_REDUCE_SCATTER || transfer.kind == FUSER_SCATTER;
  return isResult ? transfer.dst_count : transfer.src_count;
}

static bool agree(const FuserTransfer &a, const FuserTransfer &b) {
  return a.kind == b.kind && a.type == b.type && a.peer == b.peer &&
         a.reduction == b.reduction && getPart(a) == getPart(b);
}

/// Puts down this rank's side, and waits until all sides are there.
FuserStatus *RankSet::arrive(Lock &lock, Meeting &meeting,
                             const Members &members, int64_t index,
                             const FuserTransfer &transfer) {
  meeting.sides.resize(members.size());
  meeting.sides[size_t(index)] = &transfer;
  if (++meeting.arrived < members.size())
    return wait(
        lock, [&] { return meeting.agreed; },
        [&] {
          for (size_t i = 0; i < members.size(); ++i)
            if (!meeting.sides[i])
              return members[i];
          return int64_t(-1);
        },
        format("rank %" PRId64 ", %s", members[size_t(index)],
               describe(transfer).c_str()));
  for (size_t i = 0; i < members.size(); ++i)
    if (const FuserTransfer &other = *meeting.sides[i];
        !agree(other, transfer)) {
      fail(format("expected all ranks to come to the same communication, got "
                  "%s on rank %" PRId64 " and %s on rank %" PRId64,
                  describe(other).c_str(), members[i],
                  describe(transfer).c_str(), members[size_t(index)]));
      return failed();
    }
  meeting.agreed = true;
  changed.notify_all();
  return nullptr;
}

FuserStatus *RankSet::meet(const Members &members, uint64_t number,
                           int64_t index, const FuserTransfer &transfer) {
  Lock lock(mutex);
  if (!failure.empty())
    return failed();
  // Meetings stay where they are as others come and go.
  auto place = meetings.try_emplace({members, number}).first;
  Meeting &meeting = place->second;
  FUSER_RETURN_IF_ERROR(arrive(lock, meeting, members, index, transfer));
  lock.unlock();
  carryOut(meeting.sides.data(), int64_t(members.size()), index);
  lock.lock();
  // Nobody goes before all are done: its memory is still read.
  if (++meeting.finished == members.size())
    changed.notify_all();
  changed.wait(lock, [&] { return meeting.finished >= members.size(); });
  if (--meeting.arrived == 0)
    meetings.erase(place);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

bool RankSet::ChannelKey::operator<(const ChannelKey &other) const {
  return std::tie(number, from, to, members) <
         std::tie(other.number, other.from, other.to, other.members);
}

RankSet::ChannelKey RankSet::getKey(const Members &members, int64_t index,
                                    const Numbered &mine) const {
  int64_t peer = mine.message.peer;
  return {members, mine.message.isSend ? index : peer,
          mine.message.isSend ? peer : index, mine.number};
}

/// Waits for the sender, and copies.
FuserStatus *RankSet::receive(Lock &lock, const ChannelKey &key,
                              const Numbered &mine) {
  Channel &channel = channels.at(key);
  int64_t from = key.members[size_t(key.from)],
          to = key.members[size_t(key.to)];
  FUSER_RETURN_IF_ERROR(wait(
      lock, [&] { return channel.send != nullptr; }, [&] { return from; },
      format("rank %" PRId64 ", recv from rank %" PRId64, to, from)));
  const Numbered &other = *channel.send;
  if (other.message.count != mine.message.count || other.type != mine.type) {
    fail(format("expected rank %" PRId64 " to send what rank %" PRId64
                " receives, got %" PRId64 " elements of %u bytes for %" PRId64
                " of %u",
                from, to, other.message.count, elementBytes(other.type),
                mine.message.count, elementBytes(mine.type)));
    return failed();
  }
  lock.unlock();
  if (mine.message.count)
    memmove(mine.message.dst, other.message.src,
            size_t(mine.message.count) * elementBytes(mine.type));
  lock.lock();
  channel.finished = true;
  changed.notify_all();
  return nullptr;
}

/// Waits until the receiver has what is sent. A receiver that has come does not
/// go without saying that it has finished.
FuserStatus *RankSet::awaitTaken(Lock &lock, const ChannelKey &key) {
  Channel &channel = channels.at(key);
  int64_t from = key.members[size_t(key.from)],
          to = key.members[size_t(key.to)];
  FuserStatus *status = wait(
      lock, [&] { return channel.finished; }, [&] { return to; },
      format("rank %" PRId64 ", send to rank %" PRId64, from, to));
  changed.wait(lock, [&] { return channel.finished || !channel.receive; });
  channels.erase(key);
  return status;
}

FuserStatus *RankSet::exchange(const Members &members, int64_t index,
                               const std::vector<Numbered> &messages) {
  Lock lock(mutex);
  if (!failure.empty())
    return failed();
  for (const Numbered &mine : messages) {
    Channel &channel = channels[getKey(members, index, mine)];
    (mine.message.isSend ? channel.send : channel.receive) = &mine;
  }
  changed.notify_all();
  FuserStatus *status = nullptr;
  for (const Numbered &mine : messages) {
    if (mine.message.isSend)
      continue;
    ChannelKey key = getKey(members, index, mine);
    if (!status)
      status = receive(lock, key, mine);
    // The sender goes on, whether or not it was copied, and clears up.
    Channel &channel = channels.at(key);
    channel.finished = true;
    if (!channel.send)
      channels.erase(key);
    changed.notify_all();
  }
  for (const Numbered &mine : messages) {
    if (!mine.message.isSend)
      continue;
    FuserStatus *error = awaitTaken(lock, getKey(members, index, mine));
    if (status)
      fuser_status_destroy(error);
    else
      status = error;
  }
  return status;
}

//===----------------------------------------------------------------------===//
// The communicator of one rank
//===----------------------------------------------------------------------===//

FuserStatus *RankSet::shareBytes(std::vector<char> &bytes,
                                 const std::function<FuserStatus *()> &make) {
  Lock lock(mutex);
  if (shared.empty()) {
    FUSER_RETURN_IF_ERROR(make());
    shared = bytes;
  }
  bytes = shared;
  return nullptr;
}
