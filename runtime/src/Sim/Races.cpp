//===- Races.cpp - Accesses without an order ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim/Races.h"

using namespace fuser_rt;

static bool writes(const SimRecord &record) {
  return record.access->kind & FUSER_SIM_WRITE;
}

/// Whether a thread at `other` sees that the access is atomic.
static bool isAtomicFor(const SimRecord &record, const SimPlace &other) {
  uint32_t kind = record.access->kind;
  if (kind & FUSER_SIM_OF_BLOCK && record.place.block != other.block)
    return false;
  if (kind & FUSER_SIM_OF_CLUSTER && record.place.cluster != other.cluster)
    return false;
  return kind & FUSER_SIM_ATOMIC;
}

/// Atomic accesses of the same bytes do not race with each other.
static bool canRace(const SimRecord &a, const SimRecord &b) {
  return a.offset != b.offset || a.access->lane_bytes != b.access->lane_bytes ||
         !isAtomicFor(a, b.place) || !isAtomicFor(b, a.place);
}

/// Whether `a` may race with less than `b` does: what comes behind both has to
/// be compared with `b`, too.
static bool isWider(const SimRecord &a, const SimRecord &b) {
  auto rank = [](const SimRecord &record) {
    uint32_t kind = record.access->kind;
    if (!(kind & FUSER_SIM_ATOMIC))
      return 0;
    return kind & FUSER_SIM_OF_BLOCK ? 1 : kind & FUSER_SIM_OF_CLUSTER ? 2 : 3;
  };
  return rank(a) > rank(b) ||
         (rank(a) && (a.offset != b.offset ||
                      a.access->lane_bytes != b.access->lane_bytes));
}

namespace {
/// The last two of a warp: of different threads, or what the other is wider
/// than.
struct WarpAccesses {
  SimRecord last[2];

  void add(const SimRecord &record) {
    bool replaces = last[0].access && last[0].place == record.place &&
                    !isWider(record, last[0]);
    if (!replaces && !(last[1].access && isWider(last[0], last[1])))
      last[1] = last[0];
    last[0] = record;
  }
};

struct WarpHash {
  size_t operator()(const std::pair<uint32_t, uint32_t> &warp) const {
    return std::hash<uint64_t>()(uint64_t(warp.first) << 32 | warp.second);
  }
};

using ManyAccesses =
    std::unordered_map<std::pair<uint32_t, uint32_t>, WarpAccesses, WarpHash>;

/// Accesses of several threads that do not race with each other.
class Accesses {
public:
  void add(const SimEvent &event);
  void clear() {
    only = {};
    many.reset();
  }
  /// The first that `races` holds for, or none.
  template <typename Fn>
  SimRecord find(Fn races) const {
    if (races(only))
      return only;
    if (many)
      for (const auto &[warp, reads] : *many)
        for (const SimRecord &other : reads.last)
          if (races(other))
            return other;
    return {};
  }

private:
  SimRecord only;
  /// If there are more than one.
  std::shared_ptr<ManyAccesses> many;
};
} // namespace

void Accesses::add(const SimEvent &event) {
  if (!many) {
    if (!only.access || (event.isAfter(only) && !isWider(event.record, only))) {
      only = event.record;
      return;
    }
    many = std::make_shared<ManyAccesses>();
    (*many)[{only.place.block, only.place.warp()}].add(only);
    only = {};
  } else if (many.use_count() > 1) {
    many = std::make_shared<ManyAccesses>(*many); // That of a page's split.
  }
  const SimPlace &place = event.record.place;
  (*many)[{place.block, place.warp()}].add(event.record);
}

/// What is known of bytes that were always accessed together.
struct RaceShadow::Cell {
  SimRecord write;
  Accesses reads, atomics;

  SimRecord findRace(const SimEvent &event) const;
  void note(const SimEvent &event);
};

SimRecord RaceShadow::Cell::findRace(const SimEvent &event) const {
  auto races = [&](const SimRecord &other) {
    return other.access && (writes(event.record) || writes(other)) &&
           !event.isAfter(other) && canRace(event.record, other);
  };
  if (races(write))
    return write;
  if (SimRecord other = atomics.find(races); other.access)
    return other;
  return writes(event.record) ? reads.find(races) : SimRecord();
}

void RaceShadow::Cell::note(const SimEvent &event) {
  if (event.record.access->kind & FUSER_SIM_ATOMIC)
    return atomics.add(event);
  if (!writes(event.record))
    return reads.add(event);
  write = event.record;
  reads.clear();
  atomics.clear();
}

static constexpr uint64_t kPageBytes = 256;
static constexpr uint64_t kWordBytes = 4;

/// Cells of words, until a part of one is accessed.
struct RaceShadow::Page {
  std::vector<Cell> cells{kPageBytes / kWordBytes};
  uint64_t cellBytes = kWordBytes;

  void split() {
    std::vector<Cell> bytes(kPageBytes);
    for (uint64_t i = 0; i < kPageBytes; ++i)
      bytes[i] = cells[i / kWordBytes];
    cells = std::move(bytes);
    cellBytes = 1;
  }
};

RaceShadow::RaceShadow() = default;
RaceShadow::~RaceShadow() = default;
RaceShadow::RaceShadow(RaceShadow &&) noexcept = default;
RaceShadow &RaceShadow::operator=(RaceShadow &&) noexcept = default;

RaceShadow::Page &RaceShadow::getPage(uint64_t number) {
  std::unique_ptr<Page> &page = pages[number];
  if (!page)
    page = std::make_unique<Page>();
  return *page;
}

SimRecord RaceShadow::note(const SimEvent &event, uint64_t offset,
                           uint64_t bytes, uint64_t *byte) {
  SimRecord race;
  for (uint64_t at = offset, end = offset + bytes; at < end;) {
    Page &page = getPage(at / kPageBytes);
    uint64_t stop = std::min(end, (at / kPageBytes + 1) * kPageBytes);
    if (page.cellBytes != 1 && (at % kWordBytes || stop % kWordBytes))
      page.split();
    for (; at < stop; at += page.cellBytes) {
      Cell &cell = page.cells[at % kPageBytes / page.cellBytes];
      if (!race.access) {
        race = cell.findRace(event);
        *byte = at;
      }
      cell.note(event);
    }
  }
  return race;
}

void RaceShadow::clear() { pages.clear(); }
