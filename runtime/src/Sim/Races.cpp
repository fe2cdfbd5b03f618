//===- Races.cpp - Accesses without an order ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim/Races.h"

#include <map>

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

//===----------------------------------------------------------------------===//
// What was to order accesses
//===----------------------------------------------------------------------===//

std::string fuser_rt::describeSite(const FuserSimSite &site) {
  return std::string(site.op) + " (" + site.location + ")";
}

namespace {
/// From the narrowest to the widest.
enum class Scope { Block, Cluster, Device };
} // namespace

static Scope getScope(uint32_t kind) {
  return kind & FUSER_SIM_OF_BLOCK     ? Scope::Block
         : kind & FUSER_SIM_OF_CLUSTER ? Scope::Cluster
                                       : Scope::Device;
}

/// The narrowest scope that has both in it.
static Scope getScope(const SimPlace &a, const SimPlace &b) {
  return a.block == b.block       ? Scope::Block
         : a.cluster == b.cluster ? Scope::Cluster
                                  : Scope::Device;
}

static std::string stringify(Scope scope) {
  const char *names[] = {"block", "cluster", "device"};
  return names[static_cast<int>(scope)];
}

static std::string stringifyOrder(uint32_t kind) {
  bool acquires = kind & FUSER_SIM_ACQUIRE;
  if (kind & FUSER_SIM_RELEASE)
    return acquires ? "acq_rel" : "release";
  return acquires ? "acquire" : "relaxed";
}

namespace {
/// One side of what does not order: what it lacks.
struct WeakSide {
  const FuserSimSite *site;
  uint32_t kind;
  uint32_t needed; ///< FUSER_SIM_RELEASE | FUSER_SIM_ACQUIRE
  Scope scope;     ///< That is needed.

  bool lacksOrder() const { return needed & ~kind; }
  bool lacksScope() const { return getScope(kind) < scope; }
  bool isWeak() const { return lacksOrder() || lacksScope(); }
  std::string describe() const {
    std::string text = describeSite(*site) + " has ";
    if (lacksOrder())
      text += "order " + stringifyOrder(kind) + ", where " +
              stringifyOrder(needed | (kind & kOrders)) + " is needed";
    if (lacksOrder() && lacksScope())
      text += ", and ";
    if (lacksScope())
      text += "scope " + stringify(getScope(kind)) + ", where " +
              stringify(scope) + " is needed";
    return text;
  }

private:
  static constexpr uint32_t kOrders = FUSER_SIM_ACQUIRE | FUSER_SIM_RELEASE;
};
} // namespace

static std::string describeSides(WeakSide first, const WeakSide &second) {
  if (first.site == second.site) {
    first.needed |= second.needed;
    return first.isWeak() ? first.describe() : "";
  }
  std::string text = first.isWeak() ? first.describe() : "";
  std::string other = second.isWeak() ? second.describe() : "";
  if (other.empty() || other == text)
    return text;
  return text.empty() ? other : text + "; " + other;
}

std::string fuser_rt::describeWeak(const SimRecord &a, const SimRecord &b) {
  const FuserSimAccess &first = *b.access, &second = *a.access;
  if (!(first.kind & second.kind & FUSER_SIM_ATOMIC) || a.offset != b.offset ||
      first.lane_bytes != second.lane_bytes)
    return "";
  Scope scope = getScope(a.place, b.place);
  return describeSides({&first.site, first.kind, 0, scope},
                       {&second.site, second.kind, 0, scope});
}

/// So many are kept.
static constexpr size_t kMaxSyncs = 4096;

void SimSyncs::add(SimPlace place, SimClock &clock, const SimSync &sync) {
  if (entries.size() == kMaxSyncs)
    entries.pop_front();
  entries.push_back({place, clock, sync});
  ++clock.own;
}

/// A first one behind `before`, and one of the same address that comes after it
/// and before `event`, would order them if they were strong enough.
std::string SimSyncs::explain(const SimEvent &event,
                              const SimRecord &before) const {
  std::map<const char *, const Entry *> firsts;
  for (const Entry &entry : entries) {
    auto it = firsts.find(entry.sync.address);
    if (it != firsts.end() &&
        event.clock.isBefore(entry.place, entry.clock.own, event.thread)) {
      const Entry &first = *it->second;
      Scope scope = getScope(first.place, entry.place);
      std::string text = describeSides(
          {first.sync.site, first.sync.kind, FUSER_SIM_RELEASE, scope},
          {entry.sync.site, entry.sync.kind, FUSER_SIM_ACQUIRE, scope});
      if (!text.empty())
        return "between them, " + text;
    }
    if (entry.clock.isBefore(before.place, before.clock, entry.place))
      firsts.emplace(entry.sync.address, &entry);
  }
  return "";
}
