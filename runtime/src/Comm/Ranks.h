//===- Ranks.h - Ranks that are threads of one process --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the ranks of a process share. Each transfer of a group has a number,
// which a rank gives it when its program asks for it, so that ranks whose
// streams run in another order still meet. At a meeting all ranks of the group
// put down their side, the last one compares them, and then each does its share
// of the copying in its own thread: what one rank writes, no other rank reads.
// Messages meet in pairs, numbered for each pair, and the receiver copies.
//
// Once all sides of a meeting are there it is carried out, whatever happens
// elsewhere. Until then a failure of any rank ends it, for good.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_COMM_RANKS_H
#define FUSER_RT_COMM_RANKS_H

#include "Comm/Communicator.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace fuser_rt {

/// A group's ranks in the whole.
using Members = std::vector<int64_t>;

class RankSet {
public:
  RankSet(int64_t size, double timeoutSeconds)
      : size(size), timeoutSeconds(timeoutSeconds),
        taken(static_cast<size_t>(size)), left(static_cast<size_t>(size)) {}

  const int64_t size;
  const double timeoutSeconds;

  FuserStatus *join(int64_t rank);
  void leave(int64_t rank);
  void abort(const std::string &message);

  /// A transfer of all members, the `number`th of this group. `index` is this
  /// rank's place in it.
  FuserStatus *meet(const Members &members, uint64_t number, int64_t index,
                    const FuserTransfer &transfer);

  /// A message, numbered among those between the two ranks.
  struct Numbered {
    Message message;
    FuserTransferType type;
    uint64_t number;
  };
  /// Messages of this rank that go on at the same time.
  FuserStatus *exchange(const Members &members, int64_t index,
                        const std::vector<Numbered> &messages);

  /// Bytes that the first caller makes and all others get (an id of NCCL's).
  FuserStatus *shareBytes(std::vector<char> &bytes,
                          const std::function<FuserStatus *()> &make);

private:
  struct Meeting {
    std::vector<const FuserTransfer *> sides;
    size_t arrived = 0, finished = 0;
    bool agreed = false;
  };
  using MeetingKey = std::pair<Members, uint64_t>;

  struct Channel {
    const Numbered *send = nullptr, *receive = nullptr;
    bool finished = false;
  };
  struct ChannelKey {
    Members members;
    int64_t from, to;
    uint64_t number;
    bool operator<(const ChannelKey &other) const;
  };

  using Lock = std::unique_lock<std::mutex>;
  /// Waits until `holds`. A failure, a missing rank that has left, or the
  /// timeout ends it with a status; `what` says what was waited for.
  FuserStatus *wait(Lock &lock, const std::function<bool()> &holds,
                    const std::function<int64_t()> &findMissing,
                    const std::string &what);
  FuserStatus *failed() const;
  void fail(const std::string &message);
  FuserStatus *arrive(Lock &lock, Meeting &meeting, const Members &members,
                      int64_t index, const FuserTransfer &transfer);
  FuserStatus *receive(Lock &lock, const ChannelKey &key, const Numbered &mine);
  FuserStatus *awaitTaken(Lock &lock, const ChannelKey &key);
  ChannelKey getKey(const Members &members, int64_t index,
                    const Numbered &mine) const;

  std::mutex mutex;
  std::condition_variable changed;
  std::string failure; ///< Empty as long as there is none.
  std::vector<char> taken, left;
  std::vector<char> shared;
  std::map<MeetingKey, Meeting> meetings;
  std::map<ChannelKey, Channel> channels;
};

/// This rank's share of a transfer that all sides agree about: `sides[i]` is
/// rank i's.
void carryOut(const FuserTransfer *const *sides, int64_t numSides,
              int64_t rank);

/// Rank `rank` of `ranks`, on a CPU. It has joined, and leaves when it goes.
std::unique_ptr<Communicator>
createThreadCommunicator(std::shared_ptr<RankSet> ranks, int64_t rank);

} // namespace fuser_rt

struct FuserRanks {
  std::shared_ptr<fuser_rt::RankSet> set;
};

#endif // FUSER_RT_COMM_RANKS_H
