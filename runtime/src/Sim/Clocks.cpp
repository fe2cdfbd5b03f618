//===- Clocks.cpp - What has happened before what -------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim/Clocks.h"

#include <iterator>

using namespace fuser_rt;

template <typename Map, typename Key>
static bool reaches(const Map &map, const Key &key, uint32_t clock) {
  auto it = map.find(key);
  return it != map.end() && clock <= it->second;
}

bool SimKnowledge::has(SimPlace place, uint32_t clock) const {
  return reaches(blocks, place.block, clock) ||
         reaches(threads, Key(place.block, place.thread), clock);
}

template <typename Map>
static void mergeInto(Map &map, const Map &other) {
  for (const auto &[key, clock] : other) {
    uint32_t &known = map[key];
    known = std::max(known, clock);
  }
}

void SimKnowledge::merge(const SimKnowledge &other) {
  mergeInto(blocks, other.blocks);
  mergeInto(threads, other.threads);
}

void SimKnowledge::compact(uint32_t block, uint32_t count) {
  auto begin = threads.lower_bound({block, 0}),
       end = threads.lower_bound({block, count});
  if (std::distance(begin, end) != count || count == 0)
    return;
  uint32_t least = begin->second;
  for (auto it = begin; it != end; ++it)
    least = std::min(least, it->second);
  uint32_t &all = blocks[block];
  all = std::max(all, least);
  while (begin != end)
    begin = begin->second <= all ? threads.erase(begin) : std::next(begin);
}

void SimView::compact(uint32_t block, uint32_t count) {
  seen.compact(block, count);
  for (SimKnowledge &knowledge : fenced)
    knowledge.compact(block, count);
}

void SimView::merge(const SimView &other) {
  seen.merge(other.seen);
  for (unsigned space = 0; space < kSimSpaces; ++space)
    fenced[space].merge(other.fenced[space]);
}

/// What both know.
static std::shared_ptr<const SimView>
join(const std::shared_ptr<const SimView> &known, const SimView &other) {
  auto result =
      known ? std::make_shared<SimView>(*known) : std::make_shared<SimView>();
  result->merge(other);
  return result;
}

void SimClock::addOwn(SimPlace self, SimKnowledge &knowledge) const {
  auto raise = [](uint32_t &known, uint32_t clock) {
    known = std::max(known, clock);
  };
  if (block)
    raise(knowledge.blocks[self.block], block);
  raise(knowledge.threads[{self.block, self.thread}], own);
}

void SimClock::release(SimPlace self, SimView &view) {
  if (others)
    view.merge(*others);
  addOwn(self, view.seen);
  ++own;
}

void SimClock::release(SimPlace self, SimReleases &releases) {
  if (others && others != releases.last) {
    releases.view.merge(*others);
    releases.last = others;
  }
  addOwn(self, releases.view.seen);
  ++own;
}

void SimClock::acquire(const SimView &view) { others = join(others, view); }

void SimClock::fence(SimPlace self, unsigned space) {
  auto view =
      others ? std::make_shared<SimView>(*others) : std::make_shared<SimView>();
  view->fenced[space].merge(view->seen);
  addOwn(self, view->fenced[space]);
  others = std::move(view);
  ++own;
}

void SimMeeting::add(const SimClock &clock) {
  last = std::max(last, clock.own);
  if (!clock.others || clock.others == others)
    return;
  if (!others) {
    others = clock.others;
    return;
  }
  if (!merged) {
    merged = std::make_shared<SimView>(*others);
    others = merged;
  }
  merged->merge(*clock.others);
}

void SimMeeting::leave(SimClock &clock) const {
  clock.own = last + 1;
  clock.block = last;
  clock.others = others;
}
