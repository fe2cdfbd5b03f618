//===- Communicator.cpp - The ranks that a context is one of --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Communicator.h"

#include "Device.h"
#include "Status.h"

#include <cinttypes>
#include <condition_variable>
#include <mutex>
#include <numeric>

using namespace fuser_rt;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The list that holds `rank`; empty if none does.
static FuserStatus *findList(const int64_t *lists, int64_t count, int64_t rank,
                             int64_t size, std::vector<int64_t> &found) {
  std::vector<char> seen(static_cast<size_t>(size));
  for (int64_t at = 0; at < count;) {
    const int64_t *list = lists + at + 1, *end = list + lists[at];
    for (const int64_t *member = list; member != end; ++member) {
      if (*member < 0 || *member >= size)
        return makeError(FUSER_INVALID_ARGUMENT,
                         "expected a group of ranks from 0 to %" PRId64
                         ", which are all that there are, got rank %" PRId64,
                         size - 1, *member);
      if (seen[size_t(*member)]++)
        return makeError(FUSER_INVALID_ARGUMENT,
                         "expected a rank in one group only, got rank %" PRId64
                         " twice",
                         *member);
      if (*member == rank)
        found.assign(list, end);
    }
    at += lists[at] + 1;
  }
  return nullptr;
}

FuserStatus *Communicator::getGroup(const int64_t *lists, int64_t count,
                                    Group **group) {
  std::vector<int64_t> key(lists, lists + count);
  std::unique_ptr<Group> &made = groups[key];
  if (!made) {
    std::vector<int64_t> members;
    if (count == 0) {
      members.resize(static_cast<size_t>(size));
      std::iota(members.begin(), members.end(), 0);
    } else {
      FUSER_RETURN_IF_ERROR(findList(lists, count, rank, size, members));
    }
    FUSER_RETURN_IF_ERROR(makeGroup(members, made));
  }
  *group = made.get();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// A rank on its own
//===----------------------------------------------------------------------===//

namespace {
/// All transfers are copies, or nothing.
class SelfCommunicator : public Communicator {
public:
  SelfCommunicator() : Communicator(0, 1) {}

  FuserStatus *post(Group &group, const FuserTransfer *transfers, size_t count,
                    Device &device, void *stream) override;
  void abort(const std::string &) override {}

protected:
  FuserStatus *makeGroup(const std::vector<int64_t> &members,
                         std::unique_ptr<Group> &group) override {
    group = members.empty() ? std::make_unique<Group>(-1, 0)
                            : std::make_unique<Group>(0, 1);
    return nullptr;
  }
};
} // namespace

FuserStatus *SelfCommunicator::post(Group &, const FuserTransfer *transfers,
                                    size_t count, Device &device,
                                    void *stream) {
  std::vector<Message> sends, receives, messages;
  for (size_t i = 0; i < count; ++i) {
    const FuserTransfer &transfer = transfers[i];
    auto bytes = size_t(elementBytes(FuserTransferType(transfer.type)));
    if (!isMessage(transfer)) {
      if (transfer.src != transfer.dst)
        FUSER_RETURN_IF_ERROR(device.copy(transfer.dst, transfer.src,
                                          size_t(transfer.src_count) * bytes,
                                          stream));
      continue;
    }
    messages.clear();
    appendMessages(transfer, 0, 1, messages);
    for (Message &message : messages) {
      message.count *= int64_t(bytes);
      (message.isSend ? sends : receives).push_back(message);
    }
  }
  for (size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
    if (i >= sends.size() || i >= receives.size() ||
        sends[i].count != receives[i].count)
      return makeError(FUSER_COMMUNICATION_ERROR,
                       "expected a send to this rank itself to go with a recv "
                       "of the same size in one host.coalesce, got %zu sends "
                       "and %zu recvs",
                       sends.size(), receives.size());
    FUSER_RETURN_IF_ERROR(device.copy(receives[i].dst, sends[i].src,
                                      size_t(sends[i].count), stream));
  }
  return nullptr;
}

std::unique_ptr<Communicator> fuser_rt::createSelfCommunicator() {
  return std::make_unique<SelfCommunicator>();
}

//===----------------------------------------------------------------------===//
// The caller's functions
//===----------------------------------------------------------------------===//

namespace {
class CallbackGroup : public Group {
public:
  CallbackGroup(int64_t rank, int64_t size, void *handle)
      : Group(rank, size), handle(handle) {}
  void *const handle;
};

/// Calls come in the order in which they were posted, whatever stream they are
/// on: a library that several threads call must not see them in another order
/// than the other ranks.
class Turns {
public:
  uint64_t take() { return next++; }
  template <typename Body>
  FuserStatus *run(uint64_t turn, Body body) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return turn == current; });
    FuserStatus *status = guarded(body);
    ++current;
    changed.notify_all();
    return status;
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t next = 0, current = 0;
};

class CallbackCommunicator : public Communicator {
public:
  explicit CallbackCommunicator(const FuserCommunicator &callbacks)
      : Communicator(callbacks.rank, callbacks.size), callbacks(callbacks) {}
  ~CallbackCommunicator() override {
    if (callbacks.destroy)
      callbacks.destroy(callbacks.user,
                        failure.empty() ? nullptr : failure.c_str());
  }

  FuserStatus *post(Group &group, const FuserTransfer *transfers, size_t count,
                    Device &device, void *stream) override {
    return device.submit(
        [this, handle = static_cast<CallbackGroup &>(group).handle,
         turn = turns.take(), stream,
         copies = std::vector<FuserTransfer>(transfers, transfers + count)] {
          return turns.run(turn, [&] {
            return callbacks.communicate(callbacks.user, handle, copies.data(),
                                         copies.size(), stream);
          });
        },
        stream);
  }
  void abort(const std::string &message) override {
    if (failure.empty())
      failure = message;
    if (callbacks.abort)
      callbacks.abort(callbacks.user, message.c_str());
  }

protected:
  FuserStatus *makeGroup(const std::vector<int64_t> &members,
                         std::unique_ptr<Group> &group) override;

private:
  const FuserCommunicator callbacks;
  Turns turns;
  std::string failure;
};
} // namespace

FuserStatus *
CallbackCommunicator::makeGroup(const std::vector<int64_t> &members,
                                std::unique_ptr<Group> &group) {
  void *handle = nullptr;
  // In turn with the transfers of other groups.
  FUSER_RETURN_IF_ERROR(turns.run(turns.take(), [&] {
    return callbacks.make_group(callbacks.user, members.data(),
                                int64_t(members.size()), &handle);
  }));
  int64_t place = -1;
  for (size_t i = 0; i < members.size(); ++i)
    if (members[i] == rank)
      place = int64_t(i);
  group =
      std::make_unique<CallbackGroup>(place, int64_t(members.size()), handle);
  return nullptr;
}

std::unique_ptr<Communicator>
fuser_rt::createCallbackCommunicator(const FuserCommunicator &callbacks) {
  return std::make_unique<CallbackCommunicator>(callbacks);
}
