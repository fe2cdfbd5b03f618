//===- SimTest.cpp - What the simulator knows of order --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim/Races.h"
#include "fuser_rt/fuser_rt.h"

#include <gtest/gtest.h>

using namespace fuser_rt;

namespace {
constexpr FuserSimSite site = {"kernel", "op", ""};
constexpr FuserSimAccess load = {
    {"kernel", "load", ""}, FUSER_SIM_READ, 1, 4, 4, 0, nullptr};
constexpr FuserSimAccess store = {
    {"kernel", "store", ""}, FUSER_SIM_WRITE, 1, 4, 4, 0, nullptr};
constexpr FuserSimAccess update = {{"kernel", "update", ""},
                                   FUSER_SIM_READ | FUSER_SIM_WRITE |
                                       FUSER_SIM_ATOMIC,
                                   1,
                                   4,
                                   4,
                                   0,
                                   nullptr};

/// A thread that makes accesses.
struct Thread {
  SimPlace place;
  SimClock clock;

  /// Whether it races with one before.
  bool touches(RaceShadow &shadow, const FuserSimAccess &access,
               uint64_t offset, uint64_t bytes = 4) {
    uint64_t byte = 0;
    return shadow
        .note({{&access, place, clock.own}, clock, place}, offset, bytes, &byte)
        .access;
  }
};
} // namespace

static void meet(std::initializer_list<Thread *> threads) {
  SimMeeting meeting;
  for (Thread *thread : threads)
    meeting.add(thread->clock);
  for (Thread *thread : threads)
    meeting.leave(thread->clock);
}

TEST(SimRaces, ABarrierOrdersItsBlock) {
  Thread a{{0, 0}, {}}, b{{0, 77}, {}}, other{{1, 0}, {}};
  RaceShadow shadow;
  EXPECT_FALSE(a.touches(shadow, store, 0));
  EXPECT_TRUE(b.touches(shadow, load, 0));
  shadow.clear();
  EXPECT_FALSE(a.touches(shadow, store, 0));
  meet({&a, &b});
  EXPECT_FALSE(b.touches(shadow, load, 0));
  EXPECT_TRUE(other.touches(shadow, load, 0));
}

TEST(SimRaces, AReleaseOrdersWhoAcquires) {
  Thread a{{0, 0}, {}}, b{{5, 9}, {}}, c{{6, 0}, {}};
  RaceShadow shadow;
  SimView flag;
  EXPECT_FALSE(a.touches(shadow, store, 0));
  a.clock.release(a.place, flag);
  EXPECT_FALSE(a.touches(shadow, store, 4)); // Behind the release.
  b.clock.acquire(flag);
  EXPECT_FALSE(b.touches(shadow, load, 0));
  EXPECT_TRUE(b.touches(shadow, load, 4));
  EXPECT_TRUE(c.touches(shadow, load, 0));
}

TEST(SimRaces, WhatIsReleasedIsHandedOn) {
  Thread a{{0, 0}, {}}, b{{1, 0}, {}}, c{{2, 0}, {}};
  RaceShadow shadow;
  SimView first, second;
  EXPECT_FALSE(a.touches(shadow, store, 0));
  a.clock.release(a.place, first);
  b.clock.acquire(first);
  b.clock.release(b.place, second);
  c.clock.acquire(second);
  EXPECT_FALSE(c.touches(shadow, store, 0));
}

TEST(SimRaces, TheAsynchronousProxySeesWritesBehindAFence) {
  constexpr FuserSimAccess copy{
      site, FUSER_SIM_READ | FUSER_SIM_PROXY, 1, 4, 4, 0, nullptr};
  Thread a{{0, 0}, {}}, b{{0, 1}, {}};
  RaceShadow shadow;
  EXPECT_FALSE(a.touches(shadow, store, 0));
  EXPECT_FALSE(a.touches(shadow, store, 4));
  EXPECT_TRUE(a.touches(shadow, copy, 4)); // Also one's own.
  a.clock.fence(a.place, FUSER_SIM_FENCE_SHARED);
  EXPECT_FALSE(a.touches(shadow, store, 8));
  meet({&a, &b});
  EXPECT_FALSE(b.touches(shadow, copy, 0));
  EXPECT_TRUE(b.touches(shadow, copy, 8)); // Behind the fence.
  EXPECT_FALSE(b.touches(shadow, load, 8));
}

TEST(SimRaces, WhatDoesNotOrderIsNamed) {
  constexpr FuserSimSite add{"kernel", "add", "here"};
  constexpr char counter = 0;
  auto explain = [&](uint32_t kind, SimPlace last) {
    Thread a{{0, 0, 0}, {}}, b{last, {}};
    SimSyncs syncs;
    SimRecord write{&store, a.place, a.clock.own};
    syncs.add(a.place, a.clock, {&counter, kind, &add});
    syncs.add(b.place, b.clock, {&counter, kind, &add});
    return syncs.explain({{&load, b.place, b.clock.own}, b.clock, b.place},
                         write);
  };
  constexpr uint32_t kBoth = FUSER_SIM_ACQUIRE | FUSER_SIM_RELEASE;
  EXPECT_EQ(explain(0, {1, 0, 1}),
            "between them, add (here) has order relaxed, where acq_rel is "
            "needed");
  EXPECT_EQ(explain(kBoth | FUSER_SIM_OF_BLOCK, {1, 0, 0}),
            "between them, add (here) has scope block, where cluster is "
            "needed");
  EXPECT_EQ(explain(FUSER_SIM_ACQUIRE | FUSER_SIM_OF_CLUSTER, {1, 0, 1}),
            "between them, add (here) has order acquire, where acq_rel is "
            "needed, and scope cluster, where device is needed");
  EXPECT_EQ(explain(kBoth, {1, 0, 1}), "");
  EXPECT_EQ(explain(kBoth | FUSER_SIM_OF_BLOCK, {0, 1, 0}), "");
}

TEST(SimRaces, AnAtomicAccessIsOneWithinItsScope) {
  constexpr uint32_t kUpdate =
      FUSER_SIM_READ | FUSER_SIM_WRITE | FUSER_SIM_ATOMIC;
  constexpr FuserSimAccess ofDevice{site, kUpdate, 1, 4, 4, 0, nullptr};
  constexpr FuserSimAccess ofBlock{
      site, kUpdate | FUSER_SIM_OF_BLOCK, 1, 4, 4, 0, nullptr};
  Thread a{{0, 0}, {}}, b{{0, 1}, {}}, other{{1, 0}, {}};
  RaceShadow shadow;
  EXPECT_FALSE(a.touches(shadow, ofBlock, 0));
  EXPECT_FALSE(b.touches(shadow, ofDevice, 0));
  EXPECT_FALSE(a.touches(shadow, ofBlock, 4));
  EXPECT_TRUE(other.touches(shadow, ofDevice, 4));
}

TEST(SimRaces, BytesOfAWordAreApart) {
  Thread a{{0, 0}, {}}, b{{0, 1}, {}}, c{{0, 2}, {}};
  RaceShadow shadow;
  EXPECT_FALSE(a.touches(shadow, store, 0, 1));
  EXPECT_FALSE(b.touches(shadow, store, 1, 1));
  EXPECT_FALSE(c.touches(shadow, load, 2, 2));
  EXPECT_TRUE(c.touches(shadow, load, 0, 4));
}

TEST(SimRaces, AWordThatIsSplitKeepsWhatIsKnown) {
  Thread a{{0, 0}, {}}, b{{0, 1}, {}};
  RaceShadow shadow;
  EXPECT_FALSE(a.touches(shadow, store, 0, 4));
  EXPECT_TRUE(b.touches(shadow, store, 3, 1));
}

TEST(SimRaces, AnyReaderRacesWithAWriter) {
  RaceShadow shadow;
  std::vector<Thread> readers;
  for (uint32_t i = 0; i < 100; ++i)
    readers.push_back({{0, i}, {}});
  for (Thread &reader : readers)
    EXPECT_FALSE(reader.touches(shadow, load, 0));
  EXPECT_TRUE(readers.back().touches(shadow, store, 0));
}

TEST(SimRaces, AReaderAloneMayWrite) {
  Thread a{{0, 0}, {}};
  RaceShadow shadow;
  EXPECT_FALSE(a.touches(shadow, load, 0));
  EXPECT_FALSE(a.touches(shadow, store, 0));
}

TEST(SimRaces, AtomicAccessesDoNotRace) {
  Thread a{{0, 0}, {}}, b{{1, 0}, {}};
  RaceShadow shadow;
  EXPECT_FALSE(a.touches(shadow, update, 0));
  EXPECT_FALSE(b.touches(shadow, update, 0));
  EXPECT_TRUE(a.touches(shadow, load, 0));
}

static FuserStatusCode setSimulation(FuserContext *context, uint32_t checks) {
  FuserStatus *status = fuser_context_set_simulation(context, checks, 0);
  FuserStatusCode code = fuser_status_code(status);
  fuser_status_destroy(status);
  return code;
}

TEST(SimContext, ChecksHaveNames) {
  uint32_t checks = 0;
  ASSERT_EQ(fuser_find_checks("races,barriers", &checks), nullptr);
  EXPECT_EQ(checks, uint32_t(FUSER_CHECK_RACES | FUSER_CHECK_BARRIERS));
  ASSERT_EQ(fuser_find_checks("all", &checks), nullptr);
  EXPECT_EQ(checks, uint32_t(FUSER_CHECK_ALL));
  for (const char *names : {"bounds,rases", "bounds,", "", "all "}) {
    FuserStatus *status = fuser_find_checks(names, &checks);
    EXPECT_EQ(fuser_status_code(status), FUSER_INVALID_ARGUMENT) << names;
    fuser_status_destroy(status);
  }
  EXPECT_EQ(checks, uint32_t(FUSER_CHECK_ALL));
}

TEST(SimContext, OnlyASimulatedGpuIsChecked) {
  FuserContext *cpu = nullptr, *sim = nullptr;
  ASSERT_EQ(fuser_context_create_cpu(1, &cpu), nullptr);
  ASSERT_EQ(fuser_context_create_sim(1, &sim), nullptr);
  EXPECT_EQ(fuser_context_target(cpu), 0u);
  EXPECT_EQ(fuser_context_target(sim), 2u);
  EXPECT_EQ(setSimulation(cpu, FUSER_CHECK_ALL), FUSER_UNIMPLEMENTED);
  EXPECT_EQ(setSimulation(sim, FUSER_CHECK_ALL), FUSER_OK);
  EXPECT_EQ(setSimulation(sim, 64), FUSER_INVALID_ARGUMENT);
  fuser_context_destroy(cpu);
  fuser_context_destroy(sim);
}
