//===- Transfers.cpp - The kinds of transfers as messages -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI knows neither small floats nor the order of a sum, so all parts are moved
// as bytes and combined here, by the function that ranks of one process use.
//
//===----------------------------------------------------------------------===//

#include "Comm/Combine.h"
#include "Rank.h"

#include <algorithm>
#include <cstring>

using namespace fuser_rt;
using namespace fuser_rt::mpi;

/// Of each rank's slice of a reduction; so much is held for every rank.
static constexpr int64_t sliceBytes = 256 << 10;
/// Up to here each rank combines everything: one step instead of two.
static constexpr int64_t directBytes = 8 << 10;
/// From here on the root sends a slice to each, and they send these on.
static constexpr int64_t slicedBroadcastBytes = 128 << 10;

static int64_t bytesOf(const FuserTransfer &transfer) {
  return elementBytes(static_cast<FuserTransferType>(transfer.type));
}

static const char *at(const void *data, int64_t offset) {
  return static_cast<const char *>(data) + offset;
}
static char *at(void *data, int64_t offset) {
  return static_cast<char *>(data) + offset;
}

/// What stays on this rank. Of empty tensors the memory may be null.
static void copy(void *dst, const void *src, int64_t size) {
  if (size > 0 && dst != src)
    memmove(dst, src, static_cast<size_t>(size));
}

/// A transfer's messages, with counts of bytes.
static void appendBytes(const FuserTransfer &transfer, int64_t rank,
                        int64_t size, std::vector<Message> &messages) {
  size_t first = messages.size();
  appendMessages(transfer, rank, size, messages);
  for (size_t i = first; i < messages.size(); ++i)
    messages[i].count *= bytesOf(transfer);
}

static std::string describeCall(const MpiGroup &group,
                                const FuserTransfer *transfers, size_t count) {
  std::string text = describe(transfers[0]);
  if (count > 1)
    text += format(" and %zu other transfers", count - 1);
  return text + format(" in group %lld of %zu ranks",
                       static_cast<long long>(group.serial),
                       group.members.size());
}

FuserStatus *Rank::communicate(const MpiGroup &group,
                               const FuserTransfer *transfers, size_t count) {
  FUSER_RETURN_IF_ERROR(process.check());
  FUSER_RETURN_IF_ERROR(checkUsable());
  if (group.rank < 0)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "expected a member of the group, got rank %d, which is "
                     "not one",
                     process.rank);
  if (count == 0)
    return nullptr;
  const std::string what = describeCall(group, transfers, count);
  FUSER_RETURN_IF_ERROR(agree(group, transfers, count, what));
  return move(group, transfers, count, what);
}

FuserStatus *Rank::agree(const MpiGroup &group, const FuserTransfer *transfers,
                         size_t count, const std::string &what) {
  Pending pending;
  if (FuserStatus *status = makePackets(group, transfers, count, outgoing))
    return fail(status, pending, /*tellOthers=*/true);
  incoming.resize(outgoing.size());
  for (size_t i = 0; i < outgoing.size(); ++i)
    if (isConcerned(outgoing[i]))
      receive(pending, group.members[i], &incoming[i], sizeof(Packet),
              tag(HeaderTag));
  for (size_t i = 0; i < outgoing.size(); ++i)
    if (isConcerned(outgoing[i]))
      send(pending, group.members[i], &outgoing[i],
           static_cast<int64_t>(outgoing[i].size()), tag(HeaderTag));
  FUSER_RETURN_IF_ERROR(wait(pending, what, /*isData=*/false));
  const std::string me = format("rank %d", process.rank);
  for (size_t i = 0; i < outgoing.size(); ++i)
    if (isConcerned(outgoing[i]))
      if (FuserStatus *status =
              checkAgreement(outgoing[i], incoming[i], me,
                             format("rank %d", group.members[i])))
        return fail(status, pending, /*tellOthers=*/true);
  return nullptr;
}

FuserStatus *Rank::move(const MpiGroup &group, const FuserTransfer *transfers,
                        size_t count, const std::string &what) {
  const auto size = static_cast<int64_t>(group.members.size());
  Pending pending;
  size_t numCollectives = 0;
  std::vector<std::pair<const FuserTransfer *, int>> later; // with their tags
  // Messages are matched in order across the transfers of a call.
  std::vector<Message> pairs, parts;
  for (const FuserTransfer *transfer = transfers; transfer != transfers + count;
       ++transfer) {
    if (isOfPairs(*transfer)) {
      appendBytes(*transfer, group.rank, size, pairs);
      continue;
    }
    const int tag = this->tag(CollectiveTag, numCollectives++);
    if (transfer->kind == FUSER_ALL_GATHER) {
      postAllGather(group, *transfer, tag, pending);
    } else if (transfer->kind == FUSER_BROADCAST || isReduction(*transfer)) {
      later.emplace_back(transfer, tag);
    } else {
      parts.clear();
      appendBytes(*transfer, group.rank, size, parts);
      postMessages(group, parts, tag, pending);
    }
  }
  postMessages(group, pairs, tag(MessageTag), pending);
  FUSER_RETURN_IF_ERROR(wait(pending, what, /*isData=*/true));
  // All ranks do those that take steps in the same order.
  for (auto [transfer, tag] : later)
    FUSER_RETURN_IF_ERROR(transfer->kind == FUSER_BROADCAST
                              ? broadcast(group, *transfer, tag, what)
                              : reduce(group, *transfer, tag, what));
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

void Rank::postMessages(const MpiGroup &group,
                        const std::vector<Message> &messages, int tag,
                        Pending &pending) {
  std::vector<const void *> toSelf;
  // Receives first: what finds its receive there is not buffered.
  for (const Message &message : messages)
    if (!message.isSend && message.peer != group.rank)
      receive(pending, group.members[message.peer], message.dst, message.count,
              tag);
  for (const Message &message : messages) {
    if (!message.isSend)
      continue;
    if (message.peer == group.rank)
      toSelf.push_back(message.src);
    else
      send(pending, group.members[message.peer], message.src, message.count,
           tag);
  }
  size_t next = 0;
  for (const Message &message : messages)
    if (!message.isSend && message.peer == group.rank && next < toSelf.size())
      copy(message.dst, toSelf[next++], message.count);
}

void Rank::postAllGather(const MpiGroup &group, const FuserTransfer &transfer,
                         int tag, Pending &pending) {
  const auto size = static_cast<int64_t>(group.members.size());
  const int64_t part = partCount(transfer, size) * bytesOf(transfer);
  for (int64_t i = 0; i < size; ++i)
    if (i != group.rank)
      receive(pending, group.members[i], at(transfer.dst, i * part), part, tag);
  // Each begins with the rank after it, so that not all send to one first.
  for (int64_t step = 1; step < size; ++step)
    send(pending, group.members[(group.rank + step) % size], transfer.src, part,
         tag);
  copy(at(transfer.dst, group.rank * part), transfer.src, part);
}

FuserStatus *Rank::broadcast(const MpiGroup &group,
                             const FuserTransfer &transfer, int tag,
                             const std::string &what) {
  const auto size = static_cast<int64_t>(group.members.size());
  const int64_t total = transfer.dst_count * bytesOf(transfer);
  const int64_t root = transfer.peer, me = group.rank;
  const bool isSliced = size > 2 && total >= slicedBroadcastBytes;
  const int64_t slice = isSliced ? (total + size - 1) / size : total;
  auto begin = [&](int64_t i) {
    return isSliced ? std::min(total, i * slice) : 0;
  };
  auto length = [&](int64_t i) {
    return isSliced ? begin(i + 1) - begin(i) : total;
  };
  Pending pending;
  if (me == root) {
    copy(transfer.dst, transfer.src, total);
    for (int64_t i = 0; i < size; ++i)
      if (i != root)
        send(pending, group.members[i], at(transfer.src, begin(i)), length(i),
             tag);
  } else {
    receive(pending, group.members[root], at(transfer.dst, begin(me)),
            length(me), tag);
  }
  FUSER_RETURN_IF_ERROR(wait(pending, what, /*isData=*/true));
  if (!isSliced)
    return nullptr;
  for (int64_t i = 0; i < size; ++i)
    if (i != me && me != root)
      receive(pending, group.members[i], at(transfer.dst, begin(i)), length(i),
              tag);
  for (int64_t step = 1; step < size; ++step)
    if (int64_t to = (me + step) % size; to != root)
      send(pending, group.members[to], at(transfer.dst, begin(me)), length(me),
           tag);
  return wait(pending, what, /*isData=*/true);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// A step of a reduction: rank i of the group combines `length[i]` elements
/// from `begin[i]` on of what all ranks have in `src`.
struct Rank::Slices {
  std::vector<int64_t> begin, length;
  int64_t bytes;  ///< Of an element.
  void *result;   ///< Where this rank's slice goes.
  bool isPartial; ///< Others want the slices, too.
};

/// The slices that begin with element `done` of a part. `next`: where the next
/// ones begin.
static int64_t sliceAll(const FuserTransfer &transfer, int64_t size,
                        int64_t done, std::vector<int64_t> &begin,
                        std::vector<int64_t> &length) {
  const int64_t count = partCount(transfer, size);
  const int64_t bytes = bytesOf(transfer);
  int64_t slice = sliceBytes / bytes;
  begin.resize(static_cast<size_t>(size));
  length.resize(static_cast<size_t>(size));
  if (transfer.kind == FUSER_REDUCE_SCATTER) {
    slice = std::min(slice, count - done);
    for (int64_t i = 0; i < size; ++i) {
      begin[i] = i * count + done;
      length[i] = slice;
    }
    return done + slice;
  }
  slice = std::min(slice, (count - done + size - 1) / size);
  for (int64_t i = 0; i < size; ++i) {
    begin[i] = std::min(count, done + i * slice);
    length[i] = std::min(slice, count - begin[i]);
  }
  return std::min(count, done + size * slice);
}

FuserStatus *Rank::reduce(const MpiGroup &group, const FuserTransfer &transfer,
                          int tag, const std::string &what) {
  const auto size = static_cast<int64_t>(group.members.size());
  const int64_t count = partCount(transfer, size), bytes = bytesOf(transfer);
  Slices slices;
  slices.bytes = bytes;
  const bool isScatter = transfer.kind == FUSER_REDUCE_SCATTER;
  const bool isToRoot = transfer.kind == FUSER_REDUCE;
  const bool isDirect = !isScatter && count * bytes <= directBytes;
  slices.isPartial = !isScatter && !isDirect;
  for (int64_t done = 0; done < count;) {
    const int64_t from = done;
    done = sliceAll(transfer, size, from, slices.begin, slices.length);
    if (isDirect) {
      done = count;
      for (int64_t i = 0; i < size; ++i) {
        slices.begin[i] = 0;
        slices.length[i] = isToRoot && i != transfer.peer ? 0 : count;
      }
    }
    const int64_t mine = slices.length[group.rank] * bytes;
    parts.resize(
        std::max(parts.size(), static_cast<size_t>((size + 1) * mine)));
    // Only the root's dst is there to be written.
    if (isToRoot && group.rank != transfer.peer)
      slices.result = parts.data() + size * mine;
    else
      slices.result = at(transfer.dst,
                         (isScatter ? from : slices.begin[group.rank]) * bytes);
    FUSER_RETURN_IF_ERROR(reduceSlices(group, transfer, slices, tag, what));
    if (slices.isPartial)
      FUSER_RETURN_IF_ERROR(returnSlices(group, transfer, slices, tag, what));
  }
  return nullptr;
}

FuserStatus *Rank::reduceSlices(const MpiGroup &group,
                                const FuserTransfer &transfer,
                                const Slices &slices, int tag,
                                const std::string &what) {
  const auto size = static_cast<int64_t>(group.members.size());
  const int64_t me = group.rank, bytes = slices.bytes;
  const int64_t count = slices.length[me];
  Pending pending;
  std::vector<const void *> sources(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i) {
    void *part = parts.data() + i * count * bytes;
    sources[i] = i == me ? at(transfer.src, slices.begin[me] * bytes) : part;
    if (i != me)
      receive(pending, group.members[i], part, count * bytes, tag);
  }
  for (int64_t step = 1; step < size; ++step) {
    const int64_t to = (me + step) % size;
    send(pending, group.members[to], at(transfer.src, slices.begin[to] * bytes),
         slices.length[to] * bytes, tag);
  }
  FUSER_RETURN_IF_ERROR(wait(pending, what, /*isData=*/true));
  if (count > 0)
    combine(transfer, sources.data(), size, 0, count, slices.result);
  return nullptr;
}

FuserStatus *Rank::returnSlices(const MpiGroup &group,
                                const FuserTransfer &transfer,
                                const Slices &slices, int tag,
                                const std::string &what) {
  const auto size = static_cast<int64_t>(group.members.size());
  const int64_t me = group.rank, bytes = slices.bytes;
  auto wants = [&](int64_t i) {
    return transfer.kind != FUSER_REDUCE || i == transfer.peer;
  };
  Pending pending;
  for (int64_t i = 0; i < size; ++i)
    if (i != me && wants(me))
      receive(pending, group.members[i],
              at(transfer.dst, slices.begin[i] * bytes),
              slices.length[i] * bytes, tag);
  for (int64_t step = 1; step < size; ++step)
    if (int64_t to = (me + step) % size; wants(to))
      send(pending, group.members[to], slices.result, slices.length[me] * bytes,
           tag);
  return wait(pending, what, /*isData=*/true);
}
