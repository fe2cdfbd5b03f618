//===- CarryOut.cpp - One rank's share of a transfer through memory -------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Combine.h"
#include "Comm/Ranks.h"

#include <cstring>

using namespace fuser_rt;

namespace {
/// A transfer of which all sides are in reach.
class Share {
public:
  Share(const FuserTransfer *const *sides, int64_t numSides, int64_t rank)
      : sides(sides), size(numSides), rank(rank), mine(*sides[rank]),
        bytes(elementBytes(FuserTransferType(mine.type))) {}

  void carryOut();

private:
  static const char *at(const void *base, int64_t offset) {
    return static_cast<const char *>(base) + offset;
  }
  static char *at(void *base, int64_t offset) {
    return static_cast<char *>(base) + offset;
  }
  static void copy(void *dst, const void *src, int64_t bytes) {
    if (bytes && dst != src)
      memcpy(dst, src, size_t(bytes));
  }
  /// All sides' sources, from an element on.
  std::vector<const void *> sources(int64_t first) const {
    std::vector<const void *> parts;
    for (int64_t i = 0; i < size; ++i)
      parts.push_back(at(sides[i]->src, first * bytes));
    return parts;
  }
  /// Combines this rank's range of the elements into the results of `to`: a
  /// rank reads and writes that range only, so results may be sources.
  void combineRange(const std::vector<const FuserTransfer *> &to) const;

  const FuserTransfer *const *sides;
  int64_t size, rank;
  const FuserTransfer &mine;
  int64_t bytes;
};
} // namespace

void Share::combineRange(const std::vector<const FuserTransfer *> &to) const {
  int64_t count = mine.src_count;
  // Not by products: they can be larger than 2^63.
  int64_t each = count / size, rest = count % size;
  int64_t begin = each * rank + std::min(rank, rest);
  int64_t end = begin + each + (rank < rest);
  if (begin == end)
    return;
  combine(mine, sources(0).data(), size, begin, end, to.front()->dst);
  for (const FuserTransfer *other : to)
    copy(at(other->dst, begin * bytes), at(to.front()->dst, begin * bytes),
         (end - begin) * bytes);
}

void Share::carryOut() {
  int64_t src = mine.src_count * bytes, dst = mine.dst_count * bytes;
  const FuserTransfer &root = *sides[mine.peer < size ? mine.peer : 0];
  switch (mine.kind) {
  case FUSER_ALL_GATHER:
    for (int64_t i = 0; i < size; ++i)
      copy(at(mine.dst, i * src), sides[i]->src, src);
    return;
  case FUSER_ALL_REDUCE:
    return combineRange({sides, sides + size});
  case FUSER_REDUCE:
    return combineRange({&root});
  case FUSER_REDUCE_SCATTER:
    return combine(mine, sources(rank * mine.dst_count).data(), size, 0,
                   mine.dst_count, mine.dst);
  case FUSER_BROADCAST:
    return copy(mine.dst, root.src, src);
  case FUSER_GATHER:
    return copy(at(root.dst, rank * src), mine.src, src);
  case FUSER_SCATTER:
    return copy(mine.dst, at(root.src, rank * dst), dst);
  case FUSER_ALL_TO_ALL:
    for (int64_t i = 0; i < size; ++i)
      copy(at(mine.dst, i * (src / size)),
           at(sides[i]->src, rank * (src / size)), src / size);
    return;
  }
}

void fuser_rt::carryOut(const FuserTransfer *const *sides, int64_t numSides,
                        int64_t rank) {
  Share(sides, numSides, rank).carryOut();
}
