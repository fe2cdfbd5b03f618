//===- DelaysTest.cpp - Streams that sleep before their work --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cpu/Delays.h"
#include "Context.h"
#include "TestUtil.h"

using namespace fuser_rt;
using namespace fuser_rt::test;

using Nanoseconds = std::chrono::nanoseconds;

static std::vector<int64_t> draw(uint64_t seed, uint64_t stream, int32_t most) {
  Delays delays(seed, stream, most);
  std::vector<int64_t> times;
  for (int i = 0; i < 1000; ++i)
    times.push_back(delays.next().count());
  return times;
}

TEST(Delays, AreOfTheSeedAndTheStream) {
  EXPECT_EQ(draw(1, 2, 100), draw(1, 2, 100));
  EXPECT_NE(draw(1, 2, 100), draw(2, 1, 100));
  EXPECT_NE(draw(1, 2, 100), draw(2, 2, 100));
  EXPECT_NE(draw(1, 2, 100), draw(1, 1, 100));
  EXPECT_NE(draw(0, 0, 100), draw(0, 1, 100));
}

TEST(Delays, AreBelowTheMost) {
  for (int32_t most : {1, 100, 1000000, INT32_MAX}) {
    int64_t limit = int64_t(most) * 1000, large = 0;
    for (int64_t time : draw(7, 3, most)) {
      ASSERT_GE(time, 0);
      ASSERT_LT(time, limit);
      large += time > limit / 2;
    }
    EXPECT_GT(large, 400) << most;
    EXPECT_LT(large, 600) << most;
  }
  EXPECT_EQ(Delays().next(), Nanoseconds(0));
}

namespace {
class DelaysTest : public RuntimeTest {
protected:
  /// Whether the program that copies x gives x.
  bool copies(bool waits) {
    HostTensor<int64_t> x({100}, ElementType::I64, 1);
    Status status = run({&x.tensor}, {intScalar(waits)});
    EXPECT_EQ(status.code(), FUSER_OK) << status.message();
    if (!outputs[0].tensor)
      return false;
    auto *y = static_cast<int64_t *>(outputs[0].tensor->dl_tensor.data);
    return std::equal(x.values.begin(), x.values.end(), y);
  }
};
} // namespace

TEST_F(DelaysTest, ResultsAreTheSameUnderEverySeed) {
  load(streamsProgram());
  constexpr int64_t streams = 5;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    ASSERT_OK(fuser_context_set_delays(context, seed, 1500));
    HostTensor<int64_t> x({100}, ElementType::I64);
    ASSERT_OK(run({&x.tensor}, {intScalar(streams), intScalar(0)}));
    auto *sum = static_cast<int64_t *>(outputs[0].tensor->dl_tensor.data);
    for (int64_t i = 0; i < 100; ++i)
      ASSERT_EQ(sum[i], streams * i + streams * (streams + 1) / 2)
          << i << " with seed " << seed;
  }
}

TEST_F(DelaysTest, AMissingWaitShows) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer sees what is missing, too";
#endif
  load(raceProgram());
  int found = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    ASSERT_OK(fuser_context_set_delays(context, seed, 3000));
    EXPECT_TRUE(copies(/*waits=*/true)) << seed;
    found += !copies(/*waits=*/false);
  }
  EXPECT_GT(found, 0);
  // Without delays nothing shows, unless the machine is that busy.
  ASSERT_OK(fuser_context_set_delays(context, 0, 0));
  bool isHidden = false;
  for (int i = 0; i < 10 && !isHidden; ++i)
    isHidden = copies(/*waits=*/false);
  EXPECT_TRUE(isHidden);
}

TEST_F(DelaysTest, TheCallersStream) {
  load(addProgram());
  ASSERT_OK(fuser_context_set_delays(context, 3, 20000));
  FloatTensor x({2, 3}, ElementType::F32), y({3}, ElementType::F32);
  auto start = std::chrono::steady_clock::now();
  ASSERT_OK(run({&x.tensor, &y.tensor}, {floatScalar(2)}));
  // Two launches, each behind its delay.
  Delays delays(3, 0, 20000);
  Nanoseconds least = delays.next() + delays.next();
  EXPECT_GE(std::chrono::steady_clock::now() - start, least);
  // The same seed starts the same times again.
  ASSERT_OK(fuser_context_set_delays(context, 3, 20000));
  start = std::chrono::steady_clock::now();
  ASSERT_OK(run({&x.tensor, &y.tensor}, {floatScalar(2)}));
  EXPECT_GE(std::chrono::steady_clock::now() - start, least);
}

TEST_F(DelaysTest, Refusals) {
  EXPECT_FAILS(fuser_context_set_delays(context, 0, -1), FUSER_INVALID_ARGUMENT,
               "expected delays of 0 or more microseconds, got -1");
}

TEST_F(DelaysTest, InAProcessThatIsForkedOff) {
  load(raceProgram());
  ASSERT_OK(fuser_context_set_delays(context, 5, 500));
  EXPECT_TRUE(copies(/*waits=*/true));
  EXPECT_TRUE(holdsInChild([&] { return copies(/*waits=*/true); }));
}
