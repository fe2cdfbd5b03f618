//===- CudaClockTest.cpp - Times of events, with a driver of the test -----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda/CudaClock.h"
#include "Device.h"
#include "TestUtil.h"

#include <map>

using namespace fuser_rt;
using namespace fuser_rt::test;

/// A GPU on which each record takes a millisecond, and the first `numDone` are
/// done. Functions of the driver have no user data.
static struct {
  std::map<cu::Event, int> records; ///< Of each event, its last.
  int numRecords, numDone, numEvents;
  cu::Event lost; ///< Whose time the driver does not know.
} gpu;

static cu::Driver makeDriver() {
  gpu = {};
  cu::Driver driver;
  driver.ctxSynchronize = [] {
    gpu.numDone = gpu.numRecords;
    return cu::Result(cu::success);
  };
  driver.streamSynchronize = [](cu::Stream) { return cu::Result(cu::success); };
  driver.eventCreate = [](cu::Event *event, unsigned flags) {
    EXPECT_EQ(flags, cu::eventDefault);
    *event = reinterpret_cast<cu::Event>(intptr_t(++gpu.numEvents));
    return cu::Result(cu::success);
  };
  driver.eventDestroy = [](cu::Event) {
    --gpu.numEvents;
    return cu::Result(cu::success);
  };
  driver.eventRecord = [](cu::Event event, cu::Stream) {
    gpu.records[event] = ++gpu.numRecords;
    return cu::Result(cu::success);
  };
  driver.eventElapsedTime = [](float *milliseconds, cu::Event from,
                               cu::Event to) {
    constexpr cu::Result invalidHandle = 400;
    if (to == gpu.lost)
      return invalidHandle;
    if (gpu.records[to] > gpu.numDone)
      return cu::Result(cu::errorNotReady);
    *milliseconds = float(gpu.records[to] - gpu.records[from]);
    return cu::Result(cu::success);
  };
  return driver;
}

TEST(CudaClock, TimesAreOfTheHostsClock) {
  cu::Driver driver = makeDriver();
  CudaClock clock(driver);
  int64_t before = steadyNanoseconds();
  ASSERT_OK(clock.start(nullptr));
  int64_t after = steadyNanoseconds();
  std::vector<int64_t> times(10, -1);
  for (int64_t &time : times)
    clock.stamp(nullptr, &time);
  EXPECT_EQ(times[0], -1);
  ASSERT_OK(clock.settle());
  EXPECT_GE(times[0], before + 1000000);
  EXPECT_LE(times[0], after + 1000000);
  for (size_t i = 1; i < times.size(); ++i)
    EXPECT_EQ(times[i], times[i - 1] + 1000000);
  clock.close();
  EXPECT_EQ(gpu.numEvents, 0);
}

TEST(CudaClock, EventsAreUsedAgain) {
  cu::Driver driver = makeDriver();
  CudaClock clock(driver);
  ASSERT_OK(clock.start(nullptr));
  std::vector<int64_t> times(20000, -1);
  for (int64_t &time : times) {
    clock.stamp(nullptr, &time);
    // The GPU is 100 records behind.
    gpu.numDone = gpu.numRecords - 100;
  }
  EXPECT_LE(gpu.numEvents, 1025);
  ASSERT_OK(clock.settle());
  for (size_t i = 1; i < times.size(); ++i)
    ASSERT_EQ(times[i], times[i - 1] + 1000000) << i;
  clock.close();
}

TEST(CudaClock, ATimeThatTheDriverDoesNotKnow) {
  cu::Driver driver = makeDriver();
  CudaClock clock(driver);
  ASSERT_OK(clock.start(nullptr));
  int64_t times[] = {-1, -1, -1};
  gpu.lost = reinterpret_cast<cu::Event>(intptr_t(3));
  for (int64_t &time : times)
    clock.stamp(nullptr, &time);
  ASSERT_OK(clock.settle());
  EXPECT_NE(times[0], -1);
  EXPECT_EQ(times[1], -1);
  EXPECT_NE(times[2], -1);
  clock.close();
}
