//===- Agreement.cpp - What two ranks expect of each other ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Agreement.h"

#include "Status.h"

#include <algorithm>
#include <cstddef>
#include <utility>

using namespace fuser_rt;
using namespace fuser_rt::mpi;

/// Libraries of two versions in one job are to find that out.
static constexpr uint64_t packetVersion = 0x66757365722d0001;

uint64_t mpi::hashBytes(const void *data, size_t size, uint64_t seed) {
  // FNV-1a: both sides compute it of the same bytes, nobody attacks it.
  const auto *bytes = static_cast<const unsigned char *>(data);
  uint64_t hash = seed ^ 0xcbf29ce484222325;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ bytes[i]) * 0x100000001b3;
  return hash;
}

int64_t mpi::partCount(const FuserTransfer &transfer, int64_t size) {
  switch (transfer.kind) {
  case FUSER_REDUCE_SCATTER:
  case FUSER_BROADCAST:
  case FUSER_SCATTER:
  case FUSER_RECV:
    return transfer.dst_count;
  case FUSER_ALL_TO_ALL:
    return transfer.src_count / size;
  default:
    return transfer.src_count;
  }
}

size_t Packet::size() const {
  return offsetof(Packet, items) + numSent * sizeof(Item);
}

bool mpi::isConcerned(const Packet &packet) {
  for (int64_t number : packet.numItems)
    if (number > 0)
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

/// What must be the same on both sides. Who sends is in the stream.
static void makeKey(const Packet::Item &item, int64_t (&key)[6]) {
  bool isMessage = item.stream != Collective;
  bool hasRoot = item.kind == FUSER_BROADCAST || item.kind == FUSER_REDUCE ||
                 item.kind == FUSER_GATHER || item.kind == FUSER_SCATTER;
  bool combines = item.kind == FUSER_ALL_REDUCE ||
                  item.kind == FUSER_REDUCE_SCATTER ||
                  item.kind == FUSER_REDUCE;
  key[0] = isMessage && item.kind == FUSER_RECV ? FUSER_SEND : item.kind;
  key[1] = combines ? item.reduction : 0;
  key[2] = item.type;
  key[3] = item.count;
  key[4] = hasRoot ? item.peer : 0;
  key[5] = static_cast<int64_t>(item.pairsHash);
}

static bool agree(const Packet::Item &first, const Packet::Item &second) {
  int64_t firstKey[6], secondKey[6];
  makeKey(first, firstKey);
  makeKey(second, secondKey);
  return std::equal(firstKey, firstKey + 6, secondKey);
}

static Packet::Item makeItem(const FuserTransfer &transfer) {
  Packet::Item item{};
  item.kind = transfer.kind;
  item.reduction = transfer.reduction;
  item.type = transfer.type;
  item.srcCount = transfer.src_count;
  item.dstCount = transfer.dst_count;
  item.peer = transfer.peer;
  if (transfer.kind == FUSER_PERMUTE)
    item.pairsHash = hashBytes(transfer.pairs,
                               16 * static_cast<size_t>(transfer.num_pairs), 0);
  return item;
}

static void append(Packet &packet, const Packet::Item &item) {
  int64_t key[6];
  makeKey(item, key);
  packet.hash[item.stream] =
      hashBytes(key, sizeof(key), packet.hash[item.stream]);
  ++packet.numItems[item.stream];
  if (packet.numSent < Packet::maxItems)
    packet.items[packet.numSent++] = item;
}

bool mpi::isOfPairs(const FuserTransfer &transfer) {
  return transfer.kind == FUSER_SEND || transfer.kind == FUSER_RECV ||
         transfer.kind == FUSER_PERMUTE;
}

FuserStatus *mpi::makePackets(const MpiGroup &group,
                              const FuserTransfer *transfers, size_t count,
                              std::vector<Packet> &packets) {
  auto size = static_cast<int64_t>(group.members.size());
  Packet empty{};
  empty.version = packetVersion;
  empty.serial = group.serial;
  empty.groupHash = group.hash;
  packets.assign(group.members.size(), empty);
  std::vector<Message> messages;
  for (size_t i = 0; i < count; ++i) {
    Packet::Item item = makeItem(transfers[i]);
    if (!isOfPairs(transfers[i])) {
      item.stream = Collective;
      item.count = partCount(transfers[i], size);
      for (Packet &packet : packets)
        append(packet, item);
      continue;
    }
    messages.clear();
    appendMessages(transfers[i], group.rank, size, messages);
    for (const Message &message : messages) {
      bool isLower = group.rank < message.peer;
      item.stream = isLower == message.isSend ? FromLower : FromHigher;
      item.count = message.count;
      append(packets[message.peer], item);
    }
  }
  const Packet own = std::exchange(packets[group.rank], empty);
  if (own.numItems[FromLower] == own.numItems[FromHigher] &&
      own.hash[FromLower] == own.hash[FromHigher])
    return nullptr;
  return makeError(FUSER_INVALID_ARGUMENT,
                   "rank %lld of the group sends %lld messages to itself and "
                   "receives %lld: expected what fits together in one call, in "
                   "the same order",
                   static_cast<long long>(group.rank),
                   static_cast<long long>(own.numItems[FromHigher]),
                   static_cast<long long>(own.numItems[FromLower]));
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static std::string describeItem(const Packet::Item &item) {
  FuserTransfer transfer{};
  transfer.kind = item.kind;
  transfer.reduction = item.reduction;
  transfer.type = item.type;
  transfer.src_count = item.srcCount;
  transfer.dst_count = item.dstCount;
  transfer.peer = item.peer;
  return describe(transfer);
}

/// The `index`th item of a stream; null if there is none, or it was not sent.
static const Packet::Item *findItem(const Packet &packet, int stream,
                                    int64_t index) {
  for (size_t i = 0; i < packet.numSent; ++i)
    if (packet.items[i].stream == stream && index-- == 0)
      return &packet.items[i];
  return nullptr;
}

static std::string describeSide(const Packet &packet,
                                const Packet::Item *item) {
  if (item)
    return describeItem(*item);
  // The stream ends there, but perhaps it does something of another stream.
  for (size_t i = 0; i < packet.numSent; ++i)
    return "no such thing, but " + describeItem(packet.items[i]);
  return "nothing";
}

static FuserStatus *makeDisagreement(const Packet &mine, const Packet &theirs,
                                     const std::string &me,
                                     const std::string &other) {
  for (int stream = 0; stream < NumStreams; ++stream) {
    int64_t length = std::max(mine.numItems[stream], theirs.numItems[stream]);
    length = std::min<int64_t>(length, Packet::maxItems);
    for (int64_t i = 0; i < length; ++i) {
      const Packet::Item *first = findItem(mine, stream, i);
      const Packet::Item *second = findItem(theirs, stream, i);
      if (first && second && agree(*first, *second))
        continue;
      if (!first && !second)
        break;
      return makeError(FUSER_COMMUNICATION_ERROR,
                       "%s does %s, and %s does %s: expected what fits "
                       "together, in the same order",
                       me.c_str(), describeSide(mine, first).c_str(),
                       other.c_str(), describeSide(theirs, second).c_str());
    }
  }
  return makeError(FUSER_COMMUNICATION_ERROR,
                   "%s and %s disagree about the transfers of one call after "
                   "the first %zu: expected what fits together, in the same "
                   "order",
                   me.c_str(), other.c_str(), Packet::maxItems);
}

FuserStatus *mpi::checkAgreement(const Packet &mine, const Packet &theirs,
                                 const std::string &me,
                                 const std::string &other) {
  if (theirs.version != packetVersion || theirs.numSent > Packet::maxItems)
    return makeError(FUSER_COMMUNICATION_ERROR,
                     "%s and %s have different versions of fuser_rt_mpi: "
                     "expected the same on all ranks",
                     me.c_str(), other.c_str());
  if (mine.serial != theirs.serial || mine.groupHash != theirs.groupHash)
    return makeError(
        FUSER_COMMUNICATION_ERROR,
        "%s does %s in its group number %lld, and %s does %s in its group "
        "number %lld%s: expected the same group",
        me.c_str(), describeSide(mine, mine.items).c_str(),
        static_cast<long long>(mine.serial), other.c_str(),
        describeSide(theirs, theirs.items).c_str(),
        static_cast<long long>(theirs.serial),
        mine.serial == theirs.serial ? ", which has other members" : "");
  for (int stream = 0; stream < NumStreams; ++stream)
    if (mine.numItems[stream] != theirs.numItems[stream] ||
        mine.hash[stream] != theirs.hash[stream])
      return makeDisagreement(mine, theirs, me, other);
  return nullptr;
}
