//===- ThreadCommunicator.cpp - One of several ranks of a process ---------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Ranks.h"
#include "Device.h"
#include "Status.h"

using namespace fuser_rt;

namespace {
/// How many transfers some ranks have had.
struct Counters {
  uint64_t meetings = 0;
  std::vector<uint64_t> sent, received; ///< Messages by the other rank.
};

class ThreadGroup : public Group {
public:
  ThreadGroup(Members ranks, int64_t rank, Counters &counters)
      : Group(rank, int64_t(ranks.size())), members(std::move(ranks)),
        counters(counters) {}

  const Members members;
  Counters &counters;
};

/// Transfers of one call, with the numbers that they have got.
struct Posted {
  std::vector<FuserTransfer> meetings;
  uint64_t firstMeeting = 0;
  std::vector<RankSet::Numbered> messages;
};

class ThreadCommunicator : public Communicator {
public:
  ThreadCommunicator(std::shared_ptr<RankSet> ranks, int64_t rank)
      : Communicator(rank, ranks->size), ranks(std::move(ranks)) {}
  ~ThreadCommunicator() override { ranks->leave(rank); }

  FuserStatus *post(Group &group, const FuserTransfer *transfers, size_t count,
                    Device &device, void *stream) override;
  void abort(const std::string &message) override {
    ranks->abort(format("rank %d has failed: %s", int(rank), message.c_str()));
  }

protected:
  FuserStatus *makeGroup(const std::vector<int64_t> &members,
                         std::unique_ptr<Group> &group) override;

private:
  std::shared_ptr<RankSet> ranks;
  /// Of all groups of the same members: they meet in the same places.
  std::map<Members, Counters> counters;
};
} // namespace

FuserStatus *ThreadCommunicator::makeGroup(const std::vector<int64_t> &members,
                                           std::unique_ptr<Group> &group) {
  int64_t place = -1;
  for (size_t i = 0; i < members.size(); ++i)
    if (members[i] == rank)
      place = int64_t(i);
  Counters &own = counters[members];
  own.sent.resize(members.size());
  own.received.resize(members.size());
  group = std::make_unique<ThreadGroup>(members, place, own);
  return nullptr;
}

static Posted number(ThreadGroup &group, const FuserTransfer *transfers,
                     size_t count) {
  Posted posted;
  Counters &counters = group.counters;
  posted.firstMeeting = counters.meetings;
  std::vector<Message> messages;
  for (size_t i = 0; i < count; ++i) {
    if (!isMessage(transfers[i])) {
      posted.meetings.push_back(transfers[i]);
      ++counters.meetings;
      continue;
    }
    messages.clear();
    appendMessages(transfers[i], group.rank, group.size, messages);
    for (const Message &message : messages) {
      std::vector<uint64_t> &counts =
          message.isSend ? counters.sent : counters.received;
      posted.messages.push_back({message, FuserTransferType(transfers[i].type),
                                 counts[size_t(message.peer)]++});
    }
  }
  return posted;
}

FuserStatus *ThreadCommunicator::post(Group &group,
                                      const FuserTransfer *transfers,
                                      size_t count, Device &device,
                                      void *stream) {
  auto &own = static_cast<ThreadGroup &>(group);
  return device.submit(
      [ranks = ranks, &own,
       posted = number(own, transfers, count)]() -> FuserStatus * {
        uint64_t meeting = posted.firstMeeting;
        for (const FuserTransfer &transfer : posted.meetings)
          FUSER_RETURN_IF_ERROR(
              ranks->meet(own.members, meeting++, own.rank, transfer));
        if (posted.messages.empty())
          return nullptr;
        return ranks->exchange(own.members, own.rank, posted.messages);
      },
      stream);
}

std::unique_ptr<Communicator>
fuser_rt::createThreadCommunicator(std::shared_ptr<RankSet> ranks,
                                   int64_t rank) {
  return std::make_unique<ThreadCommunicator>(std::move(ranks), rank);
}
