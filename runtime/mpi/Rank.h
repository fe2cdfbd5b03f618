//===- Rank.h - This rank of a communicator by MPI ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_MPI_RANK_H
#define FUSER_RT_MPI_RANK_H

#include "Agreement.h"
#include "Process.h"

#include <memory>

namespace fuser_rt::mpi {

/// Messages that are under way.
struct Pending {
  std::vector<MPI_Request> requests;
  std::vector<int> peers; ///< Of each request.
  std::vector<bool> areReceives;
  int code = MPI_SUCCESS; ///< Of the first call that failed.
};

/// What a rank tells all others beside their transfers.
struct Notice {
  enum Kind : int32_t { Failed, Left };
  int32_t kind;
  int32_t rank;
  // Small enough for MPI to send it without waiting for the receiver.
  char text[1000];
};

/// This process as a rank of one communicator. Everything is a message between
/// two ranks of MPI's communicator: groups need no communicators of MPI, the
/// making of which waits without end for a rank that does not come, and a
/// receive, other than a collective, can be cancelled.
class Rank {
public:
  Rank(Process &process, double timeoutSeconds);

  int getRank() const { return process.rank; }
  int getSize() const { return process.size; }

  FuserStatus *makeGroup(const int64_t *ranks, int64_t count, MpiGroup *&group);
  FuserStatus *communicate(const MpiGroup &group,
                           const FuserTransfer *transfers, size_t count);

  /// Ends this rank's waiting, and all others'. From any thread.
  void abort(const std::string &message);
  /// Tells the others that this rank fails, or leaves in good order.
  void notify(Notice::Kind kind, const std::string &text);
  /// After the last communication: whether MPI needs this object no more.
  bool retire();

private:
  enum TagKind { HeaderTag, MessageTag, NoticeTag, CollectiveTag };

  /// Waits until all messages are there. `step` says of what they are.
  FuserStatus *wait(Pending &pending, const std::string &what, bool isData);
  /// Takes what has come; a status if MPI has failed.
  FuserStatus *progress(Pending &pending, bool &hasMoved);
  /// A status if a rank has said that it failed, or one that is awaited left.
  FuserStatus *readNotices(const Pending &pending, double idleSeconds);
  FuserStatus *listen();
  /// Makes this communicator unusable.
  FuserStatus *fail(FuserStatus *status, Pending &pending, bool tellOthers);

  /// A status if a communication, or this rank, has failed.
  FuserStatus *checkUsable() const;

  int tag(TagKind kind, size_t index = 0) const;
  void send(Pending &pending, int peer, const void *data, int64_t size,
            int tag);
  void receive(Pending &pending, int peer, void *data, int64_t size, int tag);

  FuserStatus *agree(const MpiGroup &group, const FuserTransfer *transfers,
                     size_t count, const std::string &what);
  FuserStatus *move(const MpiGroup &group, const FuserTransfer *transfers,
                    size_t count, const std::string &what);
  void postMessages(const MpiGroup &group, const std::vector<Message> &messages,
                    int tag, Pending &pending);
  void postAllGather(const MpiGroup &group, const FuserTransfer &transfer,
                     int tag, Pending &pending);
  FuserStatus *broadcast(const MpiGroup &group, const FuserTransfer &transfer,
                         int tag, const std::string &what);
  FuserStatus *reduce(const MpiGroup &group, const FuserTransfer &transfer,
                      int tag, const std::string &what);
  struct Slices;
  FuserStatus *reduceSlices(const MpiGroup &group,
                            const FuserTransfer &transfer, const Slices &slices,
                            int tag, const std::string &what);
  FuserStatus *returnSlices(const MpiGroup &group,
                            const FuserTransfer &transfer, const Slices &slices,
                            int tag, const std::string &what);

  Process &process;
  const double timeoutSeconds;
  int firstTag;
  /// Why there is no further communication; empty: there is. Under the
  /// process's mutex.
  std::string failure;
  std::atomic<bool> isAborted{false};
  std::vector<std::unique_ptr<MpiGroup>> groups;

  // Buffers of messages, which outlive a communication that failed.
  std::vector<Packet> outgoing, incoming;
  std::vector<unsigned char> parts;

  Notice heard{}, told{};
  MPI_Request hearing = MPI_REQUEST_NULL;
  std::vector<MPI_Request> telling;
  std::vector<std::string> left; ///< By rank: what it said; empty: it is there.
  std::vector<int> finished;     ///< Of MPI_Testsome.
  std::vector<MPI_Status> statuses;
};

} // namespace fuser_rt::mpi

#endif // FUSER_RT_MPI_RANK_H
