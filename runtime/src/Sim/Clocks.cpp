//===- Clocks.cpp - What has happened before what -------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim/Clocks.h"

using namespace fuser_rt;

template <typename Map, typename Key>
static bool reaches(const Map &map, const Key &key, uint32_t clock) {
  auto it = map.find(key);
  return it != map.end() && clock <= it->second;
}

bool SimKnowledge::has(SimPlace place, uint32_t clock) const {
  return reaches(blocks, place.block, clock) ||
         reaches(warps, Key(place.block, place.warp()), clock) ||
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
  mergeInto(warps, other.warps);
  mergeInto(threads, other.threads);
}

void SimClock::release(SimPlace self, SimKnowledge &knowledge) {
  if (others)
    knowledge.merge(*others);
  uint32_t &ofBlock = knowledge.blocks[self.block];
  ofBlock = std::max(ofBlock, block);
  uint32_t &ofWarp = knowledge.warps[{self.block, self.warp()}];
  ofWarp = std::max(ofWarp, warp);
  knowledge.threads[{self.block, self.thread}] = own++;
}

/// What both know.
static std::shared_ptr<const SimKnowledge>
join(const std::shared_ptr<const SimKnowledge> &known,
     const SimKnowledge &other) {
  auto result = known ? std::make_shared<SimKnowledge>(*known)
                      : std::make_shared<SimKnowledge>();
  result->merge(other);
  return result;
}

void SimClock::acquire(const SimKnowledge &knowledge) {
  others = join(others, knowledge);
}

void SimMeeting::add(const SimClock &clock) {
  last = std::max(last, clock.own);
  block = std::max(block, clock.block);
  if (!clock.others || clock.others == others)
    return;
  others = others ? join(others, *clock.others) : clock.others;
}

void SimMeeting::leave(SimClock &clock, bool isWholeBlock) const {
  clock.own = last + 1;
  clock.warp = last;
  clock.block = isWholeBlock ? last : block;
  clock.others = others;
}
