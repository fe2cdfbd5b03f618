//===- CpuTest.cpp - The thread pool, memory and streams of a CPU -------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Cpu/CpuStream.h"
#include "Cpu/MemoryPool.h"
#include "Cpu/ThreadPool.h"
#include "Run/StreamClocks.h"
#include "TestUtil.h"

#include <cstring>
#include <set>

using namespace fuser_rt;
using namespace fuser_rt::test;

namespace {
/// Counts how often each item is worked on.
struct Counts {
  std::vector<std::atomic<int>> counts;
  std::atomic<bool> badScratch{false};
  size_t scratchBytes;

  Counts(size_t items, size_t scratchBytes)
      : counts(items), scratchBytes(scratchBytes) {}

  static void run(void *user, int64_t begin, int64_t end, void *scratch) {
    auto *self = static_cast<Counts *>(user);
    if (self->scratchBytes) {
      // Private: what this thread writes, it reads.
      if (reinterpret_cast<uintptr_t>(scratch) % 64 != 0)
        self->badScratch = true;
      memset(scratch, int(begin & 0xff), self->scratchBytes);
      auto *bytes = static_cast<volatile unsigned char *>(scratch);
      if (bytes[self->scratchBytes - 1] != (begin & 0xff))
        self->badScratch = true;
    }
    for (int64_t i = begin; i < end; ++i)
      self->counts[size_t(i)].fetch_add(1);
  }
};
} // namespace

static void expectEachOnce(ThreadPool &pool, int64_t items, size_t scratchBytes,
                           Scratch &scratch) {
  Counts counts(size_t(items), scratchBytes);
  ASSERT_TRUE(pool.run({Counts::run, &counts, scratchBytes}, items, scratch));
  for (int64_t i = 0; i < items; ++i)
    ASSERT_EQ(counts.counts[size_t(i)].load(), 1)
        << "item " << i << " of " << items;
  EXPECT_FALSE(counts.badScratch);
}

TEST(ThreadPool, EachItemOnce) {
  for (unsigned threads : {1u, 2u, 3u, 8u}) {
    ThreadPool pool(threads);
    Scratch scratch;
    for (int64_t items : {0, 1, 2, 7, 8, 1000, 4099})
      for (size_t bytes : {0, 1, 100, 5000})
        expectEachOnce(pool, items, bytes, scratch);
  }
}

TEST(ThreadPool, MoreItemsThanAnIntHolds) {
  ThreadPool pool(3);
  Scratch scratch;
  std::atomic<int64_t> seen{0};
  auto count = [](void *user, int64_t begin, int64_t end, void *) {
    static_cast<std::atomic<int64_t> *>(user)->fetch_add(end - begin);
  };
  for (int64_t items : {(int64_t(1) << 31) + 5, (int64_t(1) << 62) - 1}) {
    seen = 0;
    ASSERT_TRUE(pool.run({count, &seen, 0}, items, scratch));
    EXPECT_EQ(seen.load(), items);
  }
}

TEST(ThreadPool, ManyShortJobs) {
  ThreadPool pool(4);
  Scratch scratch;
  for (int i = 0; i < 20000; ++i)
    expectEachOnce(pool, i % 13, 0, scratch);
}

TEST(ThreadPool, WakesUpAfterAPause) {
  ThreadPool pool(4);
  Scratch scratch;
  for (int i = 0; i < 20; ++i) {
    expectEachOnce(pool, 100, 8, scratch);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST(ThreadPool, SeveralCallers) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&pool] {
      Scratch scratch;
      for (int i = 0; i < 500; ++i)
        expectEachOnce(pool, 50, 64, scratch);
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(ThreadPool, NoMemoryForScratch) {
  ThreadPool pool(2);
  Scratch scratch;
  Counts counts(10, 0);
  EXPECT_FALSE(pool.run({Counts::run, &counts, SIZE_MAX}, 10, scratch));
  EXPECT_EQ(counts.counts[0].load(), 0);
}

TEST(MemoryPool, KeepsWhatWasInUse) {
  MemoryPool pool;
  std::vector<void *> blocks;
  for (size_t bytes : {1, 255, 256, 257, 5000, 70000, 3 << 20, 9 << 20}) {
    void *data = pool.allocate(bytes);
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 256, 0u);
    memset(data, 1, bytes);
    blocks.push_back(data);
  }
  size_t peak = pool.liveBytes();
  for (void *block : blocks)
    pool.release(block);
  EXPECT_EQ(pool.liveBytes(), 0u);
  EXPECT_EQ(pool.keptBytes(), peak);
  // The same again comes from what was kept.
  void *again = pool.allocate(9 << 20);
  EXPECT_EQ(again, blocks.back());
  EXPECT_EQ(pool.liveBytes() + pool.keptBytes(), peak);
  // Another size: what is kept makes room.
  void *other = pool.allocate(5 << 20);
  ASSERT_NE(other, nullptr);
  EXPECT_LE(pool.keptBytes() + pool.liveBytes(),
            std::max(peak, pool.liveBytes()));
  pool.release(again);
  pool.release(other);
}

TEST(MemoryPool, NoMemory) {
  MemoryPool pool;
  EXPECT_EQ(pool.allocate(SIZE_MAX / 2), nullptr);
  EXPECT_EQ(pool.allocate(size_t(1) << 60), nullptr);
  EXPECT_EQ(pool.liveBytes(), 0u);
}

TEST(CpuStream, TasksInOrderAndTickets) {
  CpuStream stream;
  stream.start();
  std::vector<int> seen;
  for (int i = 0; i < 100; ++i)
    stream.push([&seen, i] { seen.push_back(i); });
  uint64_t half = stream.record();
  stream.push([&seen] { seen.push_back(100); });
  stream.waitFor(half);
  stream.synchronize();
  ASSERT_EQ(seen.size(), 101u);
  for (int i = 0; i <= 100; ++i)
    EXPECT_EQ(seen[size_t(i)], i);
}

namespace {
class StreamsTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    load(streamsProgram());
  }
};
} // namespace

TEST_F(StreamsTest, WorkersAndEvents) {
  // The last have more streams than there are workers.
  for (int64_t streams : {1, 2, 5, 8, 9, 20}) {
    HostTensor<int64_t> x({100}, ElementType::I64);
    ASSERT_OK(run({&x.tensor}, {intScalar(streams), intScalar(0)}));
    auto *sum = static_cast<int64_t *>(outputs[0].tensor->dl_tensor.data);
    for (int64_t i = 0; i < 100; ++i)
      ASSERT_EQ(sum[i], streams * i + streams * (streams + 1) / 2)
          << i << " of " << streams;
  }
}

TEST_F(StreamsTest, AreOfAPool) {
  Device &device = *context->device;
  std::set<void *> workers;
  std::vector<void *> first;
  for (int64_t index = 1; index <= 1000; ++index) {
    void *stream = nullptr;
    ASSERT_OK(device.workerStream(index, &stream));
    workers.insert(stream);
    if (index <= 8)
      first.push_back(stream);
    EXPECT_EQ(stream, first[size_t(index - 1) % 8]) << index;
  }
  EXPECT_EQ(workers.size(), 8u);
  EXPECT_EQ(workers.count(device.ownStream()), 0u);
  void *stream = nullptr;
  EXPECT_OK(device.workerStream(INT64_MAX, &stream));
  EXPECT_EQ(stream, first[size_t(INT64_MAX - 1) % 8]);
  // A stream is in order with itself: a wait that was queued would be for what
  // is behind it.
  ASSERT_OK(device.workerStream(9, &stream));
  EXPECT_OK(device.wait(stream, first[0]));
  EXPECT_OK(device.joinWorkers(device.ownStream()));
  for (int64_t index : {int64_t(-1), INT64_MIN})
    EXPECT_FAILS(device.workerStream(index, &stream), FUSER_INVALID_ARGUMENT,
                 "expected a stream of 0 or more, as streams are numbered from "
                 "the caller's on, got " +
                     std::to_string(index));
}

TEST_F(StreamsTest, FailureWithFullQueues) {
  HostTensor<int64_t> x({100}, ElementType::I64);
  CountingAllocator counting;
  FuserAllocator table = counting.table();
  fuser_context_set_allocator(context, &table);
  EXPECT_FAILS(run({&x.tensor}, {intScalar(8), intScalar(1)}), FUSER_INTERNAL,
               "told to fail");
  EXPECT_EQ(outputs[0].tensor, nullptr);
  EXPECT_GT(counting.calls, 8);
  EXPECT_EQ(counting.live, 0);
  // The context goes on working.
  ASSERT_OK(run({&x.tensor}, {intScalar(2), intScalar(0)}));
  freeOutputs();
  EXPECT_EQ(counting.live, 0);
  fuser_context_set_allocator(context, nullptr);
}

TEST_F(StreamsTest, TheContextsStream) {
  void *own = fuser_context_stream(context);
  EXPECT_NE(own, nullptr);
  EXPECT_OK(fuser_context_set_stream(context, own));
  EXPECT_OK(fuser_context_set_stream(context, nullptr));
  EXPECT_EQ(fuser_context_stream(context), own);
  int other;
  EXPECT_FAILS(fuser_context_set_stream(context, &other),
               FUSER_INVALID_ARGUMENT,
               "expected a stream of this CPU context, got another pointer");
  EXPECT_OK(fuser_context_synchronize(context));
}

//===----------------------------------------------------------------------===//
// What streams know of each other
//===----------------------------------------------------------------------===//

TEST(StreamClocks, WaitsOnlyForWhatIsNew) {
  StreamClocks clocks;
  int a, b, c;
  EXPECT_FALSE(clocks.wait(&a, &a));
  // All have work from before.
  EXPECT_TRUE(clocks.wait(&a, &b));
  EXPECT_FALSE(clocks.wait(&a, &b));
  clocks.enqueue(&b);
  EXPECT_TRUE(clocks.wait(&a, &b));
  // Through another stream.
  clocks.enqueue(&b);
  EXPECT_TRUE(clocks.wait(&c, &b));
  EXPECT_TRUE(clocks.wait(&a, &c));
  EXPECT_FALSE(clocks.wait(&a, &b));
  // Not of what came after.
  clocks.enqueue(&b);
  EXPECT_FALSE(clocks.wait(&a, &c));
  EXPECT_TRUE(clocks.wait(&a, &b));
}

TEST(StreamClocks, AWaitIsNewsForOthers) {
  StreamClocks clocks;
  int a, b, c;
  EXPECT_TRUE(clocks.wait(&a, &b));
  EXPECT_TRUE(clocks.wait(&b, &c));
  EXPECT_TRUE(clocks.wait(&a, &b));
  EXPECT_FALSE(clocks.wait(&a, &c));
}
