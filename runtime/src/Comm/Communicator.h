//===- Communicator.h - The ranks that a context is one of ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_COMM_COMMUNICATOR_H
#define FUSER_RT_COMM_COMMUNICATOR_H

#include "fuser_rt/communicator.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fuser_rt {

class Device;

/// Ranks that do things together, as one of them sees it. A rank that is in
/// none of a program's groups has one without members.
class Group {
public:
  Group(int64_t rank, int64_t size) : rank(rank), size(size) {}
  virtual ~Group() = default;
  const int64_t rank; ///< Among the group's ranks; -1 if it is not in it.
  const int64_t size; ///< 0 if this rank is not in it.
};

/// How a context reaches other ranks.
class Communicator {
public:
  virtual ~Communicator() = default;

  int64_t getRank() const { return rank; }
  int64_t getSize() const { return size; }

  /// The group of a host program's lists: the length of each, then its ranks;
  /// no list means all ranks. Made once. All ranks ask for it, whether or not
  /// they are in a list.
  FuserStatus *getGroup(const int64_t *lists, int64_t count, Group **group);

  /// Enqueues transfers that go on at the same time. They have been checked,
  /// and this rank is in the group.
  virtual FuserStatus *post(Group &group, const FuserTransfer *transfers,
                            size_t count, Device &device, void *stream) = 0;

  /// Waits for a stream; not longer than a timeout, if what it waits for is
  /// another rank. Null: the device is to wait.
  virtual FuserStatus *synchronize(void *stream, bool &done) {
    (void)stream;
    done = false;
    return nullptr;
  }

  /// A run of this rank has failed: the others are not to wait for it.
  virtual void abort(const std::string &message) = 0;

protected:
  Communicator(int64_t rank, int64_t size) : rank(rank), size(size) {}

  /// A group of `members`, which are ascending or not; empty if this rank is
  /// not a member, and takes part in the making only.
  virtual FuserStatus *makeGroup(const std::vector<int64_t> &members,
                                 std::unique_ptr<Group> &group) = 0;

  const int64_t rank, size;

private:
  std::map<std::vector<int64_t>, std::unique_ptr<Group>> groups;
};

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

unsigned elementBytes(FuserTransferType type);

/// "all_reduce <sum> of 4 f32", "send of 8 bf16 to rank 1".
std::string describe(const FuserTransfer &transfer);

/// Checks one rank's side: the numbers of elements, of ranks, the type, and
/// that what is written is not read. `rank` and `size` are the group's.
FuserStatus *checkTransfer(const FuserTransfer &transfer, int64_t rank,
                           int64_t size);

/// Whether parts are combined.
bool isReduction(const FuserTransfer &transfer);
/// Whether it is between two ranks, and not of all.
bool isMessage(const FuserTransfer &transfer);

/// A message to or from another rank, or to and from this one.
struct Message {
  bool isSend;
  int64_t peer;
  const void *src; // of a send
  void *dst;       // of a receive
  int64_t count;   // elements
};
/// A rank's side of a gather, scatter, all_to_all, send, recv or permute as
/// messages. What stays on this rank is a send and a receive of itself.
void appendMessages(const FuserTransfer &transfer, int64_t rank, int64_t size,
                    std::vector<Message> &messages);

//===----------------------------------------------------------------------===//
// Kinds of communicators
//===----------------------------------------------------------------------===//

/// Rank 0 of 1: what a context without another one has.
std::unique_ptr<Communicator> createSelfCommunicator();

/// By the caller's functions.
std::unique_ptr<Communicator>
createCallbackCommunicator(const FuserCommunicator &callbacks);

/// A rank of a communicator of NCCL's.
struct NcclRank {
  const void *id; ///< Of a new one.
  void *comm;     ///< The caller's, or null.
  int64_t rank, size;
  double timeoutSeconds;
};
FuserStatus *createNcclCommunicator(Device &device, const NcclRank &self,
                                    std::unique_ptr<Communicator> &result);

} // namespace fuser_rt

#endif // FUSER_RT_COMM_COMMUNICATOR_H
