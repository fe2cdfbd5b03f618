//===- Transfers.cpp - What ranks do together -----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Communicator.h"
#include "Status.h"

#include <cinttypes>

using namespace fuser_rt;

unsigned fuser_rt::elementBytes(FuserTransferType type) {
  switch (type) {
  case FUSER_TYPE_I8:
  case FUSER_TYPE_U8:
  case FUSER_TYPE_F8E4M3FN:
  case FUSER_TYPE_F8E5M2:
    return 1;
  case FUSER_TYPE_F16:
  case FUSER_TYPE_BF16:
  case FUSER_TYPE_BITS16:
    return 2;
  case FUSER_TYPE_I32:
  case FUSER_TYPE_U32:
  case FUSER_TYPE_F32:
    return 4;
  case FUSER_TYPE_I64:
  case FUSER_TYPE_U64:
  case FUSER_TYPE_F64:
    return 8;
  }
  return 0;
}

bool fuser_rt::isReduction(const FuserTransfer &transfer) {
  return transfer.kind == FUSER_ALL_REDUCE ||
         transfer.kind == FUSER_REDUCE_SCATTER || transfer.kind == FUSER_REDUCE;
}

bool fuser_rt::isMessage(const FuserTransfer &transfer) {
  return transfer.kind == FUSER_SEND || transfer.kind == FUSER_RECV ||
         transfer.kind == FUSER_PERMUTE;
}

static bool hasPeer(int32_t kind) {
  return kind == FUSER_BROADCAST || kind == FUSER_REDUCE ||
         kind == FUSER_GATHER || kind == FUSER_SCATTER || kind == FUSER_SEND ||
         kind == FUSER_RECV;
}

static const char *const kindNames[] = {
    "all_gather", "all_reduce", "reduce_scatter", "broadcast",
    "reduce",     "gather",     "scatter",        "all_to_all",
    "send",       "recv",       "permute"};
static const char *const reductionNames[] = {"sum", "prod", "min", "max",
                                             "avg"};
static const char *const typeNames[] = {
    "i8",  "ui8", "i32",  "ui32",     "i64",    "ui64",           "f16",
    "f32", "f64", "bf16", "f8E4M3FN", "f8E5M2", "16-bit elements"};

std::string fuser_rt::describe(const FuserTransfer &transfer) {
  std::string text = kindNames[transfer.kind];
  if (isReduction(transfer))
    text += format(" <%s>", reductionNames[transfer.reduction]);
  int64_t count =
      transfer.kind == FUSER_RECV ? transfer.dst_count : transfer.src_count;
  // What the ranks without the root's buffer give is a part.
  if (transfer.kind == FUSER_SCATTER)
    count = transfer.dst_count;
  text += format(" of %" PRId64 " %s", count, typeNames[transfer.type]);
  if (hasPeer(transfer.kind))
    text += format(" %s rank %" PRId64,
                   transfer.kind == FUSER_SEND   ? "to"
                   : transfer.kind == FUSER_RECV ? "from"
                                                 : "with root",
                   transfer.peer);
  return text;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The numbers of elements that one rank's buffers must have; -1 for a buffer
/// that it does not use. A part's size is what the other buffer says.
static FuserStatus *checkCounts(const FuserTransfer &transfer, int64_t rank,
                                int64_t size) {
  bool isRoot = rank == transfer.peer;
  int64_t src = transfer.src_count, dst = transfer.dst_count;
  auto expect = [&](int64_t large, int64_t small, const char *largeName,
                    const char *smallName) -> FuserStatus * {
    int64_t expected;
    if (!__builtin_mul_overflow(small, size, &expected) && large == expected)
      return nullptr;
    return makeError(FUSER_INVALID_ARGUMENT,
                     "%s: expected the %s to have %" PRId64
                     " times the elements of the %s, one part for each rank, "
                     "got %" PRId64 " and %" PRId64,
                     describe(transfer).c_str(), largeName, size, smallName,
                     large, small);
  };
  switch (transfer.kind) {
  case FUSER_ALL_GATHER:
    return expect(dst, src, "result", "source");
  case FUSER_REDUCE_SCATTER:
    return expect(src, dst, "source", "result");
  case FUSER_GATHER:
    return isRoot ? expect(dst, src, "result", "source") : nullptr;
  case FUSER_SCATTER:
    return isRoot ? expect(src, dst, "source", "result") : nullptr;
  case FUSER_ALL_TO_ALL:
    if (src % size != 0)
      return makeError(FUSER_INVALID_ARGUMENT,
                       "%s: expected a number of elements that %" PRId64
                       " ranks can share, got %" PRId64,
                       describe(transfer).c_str(), size, src);
    break;
  case FUSER_SEND:
  case FUSER_RECV:
    return nullptr;
  }
  if (src != dst)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "%s: expected the result to have as many elements as the "
                     "source, got %" PRId64 " and %" PRId64,
                     describe(transfer).c_str(), dst, src);
  return nullptr;
}

static FuserStatus *checkPeers(const FuserTransfer &transfer, int64_t size) {
  auto isRank = [&](int64_t rank) { return rank >= 0 && rank < size; };
  if (hasPeer(transfer.kind) && !isRank(transfer.peer))
    return makeError(FUSER_INVALID_ARGUMENT,
                     "%s: expected a rank of 0 to %" PRId64
                     ", the ranks of the group, got %" PRId64,
                     describe(transfer).c_str(), size - 1, transfer.peer);
  for (int32_t i = 0; transfer.kind == FUSER_PERMUTE && i < transfer.num_pairs;
       ++i)
    for (int64_t rank : {transfer.pairs[2 * i], transfer.pairs[2 * i + 1]})
      if (!isRank(rank))
        return makeError(FUSER_INVALID_ARGUMENT,
                         "%s: expected ranks of 0 to %" PRId64
                         ", the ranks of the group, got %" PRId64,
                         describe(transfer).c_str(), size - 1, rank);
  return nullptr;
}

/// What is written must not be read by another rank at the same time. Where one
/// buffer is a part of the other it may be that rank's own part.
static FuserStatus *checkOverlap(const FuserTransfer &transfer, int64_t rank) {
  bool isRoot = rank == transfer.peer;
  bool usesOne =
      !isRoot &&
      (transfer.kind == FUSER_GATHER || transfer.kind == FUSER_REDUCE ||
       transfer.kind == FUSER_SCATTER || transfer.kind == FUSER_BROADCAST);
  if (!transfer.src_count || !transfer.dst_count || usesOne ||
      transfer.kind == FUSER_SEND || transfer.kind == FUSER_RECV)
    return nullptr;
  int64_t bytes = elementBytes(FuserTransferType(transfer.type));
  auto src = reinterpret_cast<uintptr_t>(transfer.src),
       dst = reinterpret_cast<uintptr_t>(transfer.dst);
  auto srcBytes = uintptr_t(transfer.src_count * bytes),
       dstBytes = uintptr_t(transfer.dst_count * bytes);
  bool overlaps = src < dst + dstBytes && dst < src + srcBytes;
  if (!overlaps)
    return nullptr;
  bool isInPlace = false;
  switch (transfer.kind) {
  case FUSER_ALL_TO_ALL:
  case FUSER_PERMUTE:
    break;
  case FUSER_ALL_GATHER:
  case FUSER_GATHER:
    isInPlace = src == dst + srcBytes * uintptr_t(rank);
    break;
  case FUSER_REDUCE_SCATTER:
  case FUSER_SCATTER:
    isInPlace = dst == src + dstBytes * uintptr_t(rank);
    break;
  default:
    isInPlace = src == dst;
  }
  if (isInPlace)
    return nullptr;
  return makeError(FUSER_INVALID_ARGUMENT,
                   "%s: expected the result apart from the source, or in the "
                   "source's own place, got them overlapping otherwise",
                   describe(transfer).c_str());
}

FuserStatus *fuser_rt::checkTransfer(const FuserTransfer &transfer,
                                     int64_t rank, int64_t size) {
  if (transfer.kind < FUSER_ALL_GATHER || transfer.kind > FUSER_PERMUTE ||
      transfer.type < FUSER_TYPE_I8 || transfer.type > FUSER_TYPE_BITS16 ||
      transfer.reduction < FUSER_SUM || transfer.reduction > FUSER_AVG ||
      transfer.src_count < 0 || transfer.dst_count < 0)
    return makeError(FUSER_INTERNAL,
                     "expected a transfer of a known kind, reduction and type, "
                     "got %d, %d and %d",
                     transfer.kind, transfer.reduction, transfer.type);
  if (isReduction(transfer) && transfer.type == FUSER_TYPE_BITS16)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "%s: expected elements that can be combined",
                     describe(transfer).c_str());
  FUSER_RETURN_IF_ERROR(checkPeers(transfer, size));
  FUSER_RETURN_IF_ERROR(checkCounts(transfer, rank, size));
  return checkOverlap(transfer, rank);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

namespace {
/// Appends the messages of one transfer.
class Messages {
public:
  Messages(const FuserTransfer &transfer, std::vector<Message> &messages)
      : transfer(transfer), messages(messages),
        bytes(elementBytes(FuserTransferType(transfer.type))) {}

  void send(int64_t peer, int64_t part, int64_t count) {
    auto *src = static_cast<const char *>(transfer.src) + part * count * bytes;
    messages.push_back({true, peer, src, nullptr, count});
  }
  void receive(int64_t peer, int64_t part, int64_t count) {
    auto *dst = static_cast<char *>(transfer.dst) + part * count * bytes;
    messages.push_back({false, peer, nullptr, dst, count});
  }

private:
  const FuserTransfer &transfer;
  std::vector<Message> &messages;
  int64_t bytes;
};
} // namespace

void fuser_rt::appendMessages(const FuserTransfer &transfer, int64_t rank,
                              int64_t size, std::vector<Message> &messages) {
  Messages append(transfer, messages);
  bool isRoot = rank == transfer.peer;
  int64_t src = transfer.src_count, dst = transfer.dst_count;
  switch (transfer.kind) {
  case FUSER_GATHER:
    append.send(transfer.peer, 0, src);
    for (int64_t i = 0; i < size && isRoot; ++i)
      append.receive(i, i, src);
    break;
  case FUSER_SCATTER:
    for (int64_t i = 0; i < size && isRoot; ++i)
      append.send(i, i, dst);
    append.receive(transfer.peer, 0, dst);
    break;
  case FUSER_ALL_TO_ALL:
    for (int64_t i = 0; i < size; ++i) {
      append.send(i, i, src / size);
      append.receive(i, i, src / size);
    }
    break;
  case FUSER_SEND:
    append.send(transfer.peer, 0, src);
    break;
  case FUSER_RECV:
    append.receive(transfer.peer, 0, dst);
    break;
  case FUSER_PERMUTE:
    for (int32_t i = 0; i < transfer.num_pairs; ++i) {
      if (transfer.pairs[2 * i] == rank)
        append.send(transfer.pairs[2 * i + 1], 0, src);
      if (transfer.pairs[2 * i + 1] == rank)
        append.receive(transfer.pairs[2 * i], 0, dst);
    }
    break;
  default:
    break;
  }
}
