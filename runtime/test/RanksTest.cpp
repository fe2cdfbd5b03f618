//===- RanksTest.cpp - Communications between threads ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Combine.h"
#include "Context.h"
#include "Elements.h"
#include "Status.h"
#include "TestUtil.h"

#include <numeric>
#include <thread>

using namespace fuser_rt;
using namespace fuser_rt::test;

namespace {
/// One rank, in a thread of its own.
struct Rank {
  FuserContext *context;
  int64_t rank, size;

  Communicator &communicator() const { return *context->communicator; }
  FuserStatus *post(Group &group, const std::vector<FuserTransfer> &transfers,
                    void *stream) const {
    for (const FuserTransfer &transfer : transfers)
      FUSER_RETURN_IF_ERROR(checkTransfer(transfer, group.rank, group.size));
    return communicator().post(group, transfers.data(), transfers.size(),
                               *context->device, stream);
  }
  /// All ranks, on the caller's stream.
  FuserStatus *post(const std::vector<FuserTransfer> &transfers) const {
    Group *group = nullptr;
    FUSER_RETURN_IF_ERROR(communicator().getGroup(nullptr, 0, &group));
    return post(*group, transfers, context->stream);
  }
};

class RanksTest : public ::testing::Test {
protected:
  /// Runs `body` on each of `size` ranks; all have joined when it starts.
  void onRanks(int32_t size, const std::function<void(Rank)> &body) {
    ASSERT_OK(fuser_ranks_create(size, timeout, &ranks));
    std::vector<FuserContext *> contexts(size_t(size), nullptr);
    for (int32_t i = 0; i < size; ++i) {
      ASSERT_OK(fuser_context_create_cpu(1, &contexts[size_t(i)]));
      ASSERT_OK(fuser_context_join(contexts[size_t(i)], ranks, i));
    }
    std::vector<std::thread> threads;
    for (int32_t i = 0; i < size; ++i)
      threads.emplace_back([&, i] {
        body({contexts[size_t(i)], i, size});
        fuser_context_destroy(contexts[size_t(i)]);
      });
    for (std::thread &thread : threads)
      thread.join();
    fuser_ranks_destroy(ranks);
  }

  double timeout = 60;
  FuserRanks *ranks = nullptr;
};
} // namespace

static FuserTransfer transfer(FuserTransferKind kind,
                              const std::vector<float> &src,
                              std::vector<float> &dst, int64_t peer = 0,
                              FuserReduction reduction = FUSER_SUM) {
  FuserTransfer result{};
  result.kind = kind;
  result.reduction = reduction;
  result.type = FUSER_TYPE_F32;
  result.src = src.data();
  result.dst = dst.data();
  result.src_count = int64_t(src.size());
  result.dst_count = int64_t(dst.size());
  result.peer = peer;
  return result;
}

/// Element i of what a rank gives.
static float given(int64_t rank, int64_t i) {
  return float(rank * 1000 + i % 997);
}
static std::vector<float> gives(int64_t rank, int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(given(rank, i));
  return values;
}
static std::vector<float> concatenated(int64_t size, int64_t count) {
  std::vector<float> values;
  for (int64_t rank = 0; rank < size; ++rank) {
    std::vector<float> part = gives(rank, count);
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}
static std::vector<float> summed(int64_t size, int64_t first, int64_t count) {
  std::vector<float> values(size_t(count), 0);
  for (int64_t rank = 0; rank < size; ++rank)
    for (int64_t i = 0; i < count; ++i)
      values[size_t(i)] += given(rank, first + i);
  return values;
}

/// Parts of this many elements.
static constexpr int64_t counts[] = {0, 1, 3, 1000};

TEST_F(RanksTest, OfAll) {
  for (int32_t size : {1, 2, 3, 8})
    for (int64_t count : counts)
      onRanks(size, [&](Rank self) {
        std::vector<float> one = gives(self.rank, count), whole(count * size),
                           all = gives(self.rank, count * size), part(count);
        EXPECT_OK(self.post({transfer(FUSER_ALL_GATHER, one, whole)}));
        EXPECT_EQ(whole, concatenated(size, count));
        EXPECT_OK(self.post({transfer(FUSER_ALL_REDUCE, all, whole)}));
        EXPECT_EQ(whole, summed(size, 0, count * size));
        EXPECT_OK(self.post({transfer(FUSER_REDUCE_SCATTER, all, part)}));
        EXPECT_EQ(part, summed(size, self.rank * count, count));
        EXPECT_OK(self.post({transfer(FUSER_ALL_TO_ALL, all, whole)}));
        for (int64_t i = 0; i < count * size; ++i)
          ASSERT_EQ(whole[size_t(i)],
                    given(i / count, self.rank * count + i % count));
      });
}

TEST_F(RanksTest, WithARoot) {
  for (int32_t size : {1, 2, 5})
    for (int64_t count : counts)
      onRanks(size, [&](Rank self) {
        for (int64_t root = 0; root < size; ++root) {
          bool isRoot = root == self.rank;
          std::vector<float> one = gives(self.rank, count), part(count, -1),
                             all = gives(self.rank, count * size),
                             whole(count * size, -1);
          EXPECT_OK(self.post({transfer(FUSER_BROADCAST, one, part, root)}));
          EXPECT_EQ(part, gives(root, count));
          EXPECT_OK(self.post({transfer(FUSER_GATHER, one, whole, root)}));
          EXPECT_EQ(whole, isRoot ? concatenated(size, count)
                                  : std::vector<float>(count * size, -1));
          EXPECT_OK(self.post({transfer(FUSER_SCATTER, all, part, root)}));
          for (int64_t i = 0; i < count; ++i)
            ASSERT_EQ(part[size_t(i)], given(root, self.rank * count + i));
          std::fill(whole.begin(), whole.end(), -1);
          EXPECT_OK(self.post({transfer(FUSER_REDUCE, all, whole, root)}));
          EXPECT_EQ(whole, isRoot ? summed(size, 0, count * size)
                                  : std::vector<float>(count * size, -1));
        }
      });
}

TEST_F(RanksTest, InPlace) {
  onRanks(4, [&](Rank self) {
    constexpr int64_t count = 501;
    std::vector<float> all = gives(self.rank, 4 * count);
    FuserTransfer reduce = transfer(FUSER_ALL_REDUCE, all, all);
    EXPECT_OK(self.post({reduce}));
    EXPECT_EQ(all, summed(4, 0, 4 * count));
    std::vector<float> whole(4 * count), mine = gives(self.rank, count);
    std::copy(mine.begin(), mine.end(), whole.begin() + self.rank * count);
    FuserTransfer gather = transfer(FUSER_ALL_GATHER, mine, whole);
    gather.src = whole.data() + self.rank * count;
    EXPECT_OK(self.post({gather}));
    EXPECT_EQ(whole, concatenated(4, count));
    all = gives(self.rank, 4 * count);
    FuserTransfer scatter = transfer(FUSER_REDUCE_SCATTER, all, mine);
    scatter.dst = all.data() + self.rank * count;
    EXPECT_OK(self.post({scatter}));
    EXPECT_EQ(std::vector<float>(all.begin() + self.rank * count,
                                 all.begin() + (self.rank + 1) * count),
              summed(4, self.rank * count, count));
  });
}

TEST_F(RanksTest, Messages) {
  onRanks(3, [&](Rank self) {
    std::vector<float> src = gives(self.rank, 77), dst(77), own(77);
    int64_t next = (self.rank + 1) % 3, last = (self.rank + 2) % 3;
    // A ring, and one to itself, at the same time.
    EXPECT_OK(self.post({transfer(FUSER_SEND, src, dst, next),
                         transfer(FUSER_RECV, src, dst, last),
                         transfer(FUSER_SEND, src, own, self.rank),
                         transfer(FUSER_RECV, src, own, self.rank)}));
    EXPECT_EQ(dst, gives(last, 77));
    EXPECT_EQ(own, src);
    // One after the other, in the order in which they are asked for.
    for (int i = 0; i < 20; ++i) {
      float number = float(i);
      std::vector<float> one = {number}, got = {-1};
      if (self.rank == 0)
        EXPECT_OK(self.post({transfer(FUSER_SEND, one, got, 2)}));
      if (self.rank == 2)
        EXPECT_OK(self.post({transfer(FUSER_RECV, one, got, 0)}));
      EXPECT_EQ(got[0], self.rank == 2 ? number : -1);
    }
    std::vector<int64_t> pairs = {0, 1, 1, 2};
    FuserTransfer permute = transfer(FUSER_PERMUTE, src, dst);
    permute.pairs = pairs.data();
    permute.num_pairs = 2;
    std::fill(dst.begin(), dst.end(), -1);
    EXPECT_OK(self.post({permute}));
    EXPECT_EQ(dst, self.rank == 0 ? std::vector<float>(77, -1)
                                  : gives(self.rank - 1, 77));
  });
}

TEST_F(RanksTest, Groups) {
  onRanks(5, [&](Rank self) {
    // Ranks of a group are numbered as the list has them.
    std::vector<int64_t> lists = {3, 4, 0, 2, 1, 1};
    Group *group = nullptr;
    ASSERT_OK(self.communicator().getGroup(lists.data(), 6, &group));
    int64_t ranks[] = {1, 0, 2, -1, 0}, sizes[] = {3, 1, 3, 0, 3};
    EXPECT_EQ(group->rank, ranks[self.rank]);
    EXPECT_EQ(group->size, sizes[self.rank]);
    if (group->size == 0)
      return;
    std::vector<float> one = {float(self.rank)}, whole(size_t(group->size));
    EXPECT_OK(self.post(*group, {transfer(FUSER_ALL_GATHER, one, whole)},
                        self.context->stream));
    EXPECT_EQ(whole, group->size == 3 ? std::vector<float>({4, 0, 2})
                                      : std::vector<float>({1}));
    Group *again = nullptr;
    EXPECT_OK(self.communicator().getGroup(lists.data(), 6, &again));
    EXPECT_EQ(again, group);
  });
}

TEST_F(RanksTest, GroupsThatAreNone) {
  onRanks(2, [&](Rank self) {
    Group *group = nullptr;
    std::vector<int64_t> outside = {2, 0, 2}, twice = {1, 0, 2, 1, 0};
    EXPECT_FAILS(self.communicator().getGroup(outside.data(), 3, &group),
                 FUSER_INVALID_ARGUMENT,
                 "ranks from 0 to 1, which are all that there are, got rank 2");
    EXPECT_FAILS(self.communicator().getGroup(twice.data(), 5, &group),
                 FUSER_INVALID_ARGUMENT,
                 "a rank in one group only, got rank 0 twice");
  });
}

// Streams that run in different orders on the ranks: transfers meet by the
// order in which they are asked for.
TEST_F(RanksTest, Streams) {
  onRanks(4, [&](Rank self) {
    constexpr int streams = 5, rounds = 40;
    Group *group = nullptr;
    ASSERT_OK(self.communicator().getGroup(nullptr, 0, &group));
    std::vector<std::vector<float>> src, dst(rounds, std::vector<float>(4));
    for (int i = 0; i < rounds; ++i)
      src.push_back({float(100 * i + self.rank)});
    for (int i = 0; i < rounds; ++i) {
      void *stream = nullptr;
      ASSERT_OK(self.context->device->workerStream(1 + i % streams, &stream));
      ASSERT_OK(self.context->device->submit(
          [delay = (i * 7 + self.rank * 13) % 5]() -> FuserStatus * {
            std::this_thread::sleep_for(std::chrono::microseconds(100 * delay));
            return nullptr;
          },
          stream));
      EXPECT_OK(self.post(
          *group, {transfer(FUSER_ALL_GATHER, src[size_t(i)], dst[size_t(i)])},
          stream));
    }
    EXPECT_OK(self.context->device->joinWorkers(self.context->stream));
    for (int i = 0; i < rounds; ++i)
      for (int rank = 0; rank < 4; ++rank)
        EXPECT_EQ(dst[size_t(i)][size_t(rank)], float(100 * i + rank));
  });
}

//===----------------------------------------------------------------------===//
// What goes wrong
//===----------------------------------------------------------------------===//

TEST_F(RanksTest, Disagreement) {
  onRanks(3, [&](Rank self) {
    std::vector<float> src(size_t(self.rank == 1 ? 5 : 4)), dst(src.size());
    Status status(self.post({transfer(FUSER_ALL_REDUCE, src, dst)}));
    EXPECT_EQ(status.code(), FUSER_COMMUNICATION_ERROR);
    EXPECT_NE(status.message().find("all_reduce <sum> of 5 f32 on rank 1"),
              std::string::npos)
        << status.message();
    // And so from now on.
    EXPECT_EQ(Status(self.post({transfer(FUSER_ALL_REDUCE, src, dst)})).code(),
              FUSER_COMMUNICATION_ERROR);
  });
}

TEST_F(RanksTest, MessagesOfOtherSizes) {
  onRanks(2, [&](Rank self) {
    std::vector<float> src(4), dst(5);
    FuserTransfer mine = self.rank ? transfer(FUSER_RECV, src, dst, 0)
                                   : transfer(FUSER_SEND, src, dst, 1);
    Status status(self.post({mine}));
    if (self.rank == 1) {
      EXPECT_EQ(status.code(), FUSER_COMMUNICATION_ERROR);
      EXPECT_NE(status.message().find("got 4 elements of 4 bytes for 5 of 4"),
                std::string::npos)
          << status.message();
    }
  });
}

TEST_F(RanksTest, Timeout) {
  timeout = 0.2;
  onRanks(3, [&](Rank self) {
    if (self.rank == 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(800));
      return;
    }
    std::vector<float> src(4), dst(4);
    EXPECT_FAILS(self.post({transfer(FUSER_ALL_REDUCE, src, dst)}),
                 FUSER_COMMUNICATION_ERROR,
                 "all_reduce <sum> of 4 f32: expected all ranks within 0.2 "
                 "seconds, but rank 2 has not come");
  });
}

TEST_F(RanksTest, SendsThatWaitForEachOther) {
  timeout = 0.2;
  onRanks(2, [&](Rank self) {
    std::vector<float> src(4), dst(4);
    EXPECT_EQ(Status(self.post({transfer(FUSER_SEND, src, dst, 1 - self.rank)}))
                  .code(),
              FUSER_COMMUNICATION_ERROR);
  });
}

TEST_F(RanksTest, ARankThatLeaves) {
  onRanks(3, [&](Rank self) {
    if (self.rank == 1)
      return;
    std::vector<float> src(4), dst(4);
    EXPECT_FAILS(self.post({transfer(FUSER_ALL_REDUCE, src, dst)}),
                 FUSER_COMMUNICATION_ERROR, "rank 1 has left");
  });
}

TEST_F(RanksTest, ARankThatFails) {
  onRanks(3, [&](Rank self) {
    if (self.rank == 1)
      return self.communicator().abort("it found no memory");
    std::vector<float> src(4), dst(4);
    EXPECT_FAILS(self.post({transfer(FUSER_ALL_REDUCE, src, dst)}),
                 FUSER_COMMUNICATION_ERROR,
                 "rank 1 has failed: it found no memory");
  });
}

/// Runs a program without the inputs that it wants: it fails before its code
/// runs.
static void failToRun(FuserContext *context, bool communicates) {
  Program value = addProgram();
  value.communicates = communicates;
  std::string bytes = serialize(value);
  FuserProgram *program = nullptr;
  ASSERT_OK(fuser_program_load(context, bytes.data(), bytes.size(), &program));
  EXPECT_FAILS(fuser_program_run(program, nullptr, 0, nullptr, 0, nullptr, 0),
               FUSER_INVALID_ARGUMENT, "expected 2 input tensors");
  fuser_program_destroy(program);
}

TEST_F(RanksTest, AProgramThatFails) {
  onRanks(3, [&](Rank self) {
    std::vector<float> src(4), dst(4);
    if (self.rank != 1) {
      EXPECT_FAILS(self.post({transfer(FUSER_ALL_REDUCE, src, dst)}),
                   FUSER_COMMUNICATION_ERROR,
                   "rank 1 has failed: program 'add': expected 2 input");
      return;
    }
    failToRun(self.context, /*communicates=*/true);
    EXPECT_EQ(Status(self.post({transfer(FUSER_ALL_REDUCE, src, dst)})).code(),
              FUSER_COMMUNICATION_ERROR);
  });
}

// A program that is no other rank's business.
TEST_F(RanksTest, AProgramThatFailsAlone) {
  onRanks(3, [&](Rank self) {
    if (self.rank == 1)
      failToRun(self.context, /*communicates=*/false);
    std::vector<float> src(4), dst(4);
    EXPECT_OK(self.post({transfer(FUSER_ALL_REDUCE, src, dst)}));
  });
}

TEST_F(RanksTest, ACallerThatFails) {
  onRanks(2, [&](Rank self) {
    if (self.rank == 1)
      return fuser_context_abort(self.context, "it has no input");
    std::vector<float> src(4), dst(4);
    EXPECT_FAILS(self.post({transfer(FUSER_ALL_REDUCE, src, dst)}),
                 FUSER_COMMUNICATION_ERROR,
                 "rank 1 has failed: it has no input");
  });
}

TEST_F(RanksTest, CallbacksThatAbort) {
  std::string told;
  FuserCommunicator callbacks{};
  callbacks.user = &told;
  callbacks.size = 2;
  callbacks.make_group = [](void *, const int64_t *, int64_t,
                            void **) -> FuserStatus * { return nullptr; };
  callbacks.communicate = [](void *, void *, const FuserTransfer *, size_t,
                             void *) -> FuserStatus * { return nullptr; };
  callbacks.abort = [](void *user, const char *message) {
    *static_cast<std::string *>(user) = message;
  };
  FuserContext *context = nullptr;
  ASSERT_OK(fuser_context_create_cpu(1, &context));
  ASSERT_OK(fuser_context_set_communicator(context, &callbacks));
  failToRun(context, /*communicates=*/true);
  EXPECT_EQ(told.find("program 'add': expected 2 input tensors"), 0u) << told;
  fuser_context_destroy(context);
}

TEST_F(RanksTest, OnAWorkerStream) {
  timeout = 0.2;
  onRanks(2, [&](Rank self) {
    if (self.rank == 1)
      return;
    std::vector<float> src(4), dst(4);
    Group *group = nullptr;
    void *stream = nullptr;
    ASSERT_OK(self.communicator().getGroup(nullptr, 0, &group));
    ASSERT_OK(self.context->device->workerStream(1, &stream));
    EXPECT_OK(
        self.post(*group, {transfer(FUSER_ALL_REDUCE, src, dst)}, stream));
    EXPECT_FAILS(self.context->device->joinWorkers(self.context->stream),
                 FUSER_COMMUNICATION_ERROR, "rank 1");
  });
}

TEST_F(RanksTest, Counts) {
  onRanks(2, [&](Rank self) {
    std::vector<float> four(4), nine(9), other(9);
    EXPECT_FAILS(self.post({transfer(FUSER_ALL_GATHER, four, nine)}),
                 FUSER_INVALID_ARGUMENT,
                 "the result to have 2 times the elements of the source, one "
                 "part for each rank, got 9 and 4");
    EXPECT_FAILS(self.post({transfer(FUSER_ALL_REDUCE, four, nine)}),
                 FUSER_INVALID_ARGUMENT, "got 9 and 4");
    EXPECT_FAILS(self.post({transfer(FUSER_ALL_TO_ALL, nine, other)}),
                 FUSER_INVALID_ARGUMENT,
                 "elements that 2 ranks can share, got 9");
    EXPECT_FAILS(self.post({transfer(FUSER_BROADCAST, four, four, 2)}),
                 FUSER_INVALID_ARGUMENT, "a rank of 0 to 1");
    FuserTransfer shifted = transfer(FUSER_ALL_REDUCE, nine, nine);
    shifted.src_count = shifted.dst_count = 8;
    shifted.dst = nine.data() + 1;
    EXPECT_FAILS(self.post({shifted}), FUSER_INVALID_ARGUMENT,
                 "got them overlapping otherwise");
  });
}

TEST_F(RanksTest, Joining) {
  FuserContext *context = nullptr;
  ASSERT_OK(fuser_context_create_cpu(1, &context));
  EXPECT_EQ(fuser_context_rank(context), 0);
  EXPECT_EQ(fuser_context_num_ranks(context), 1);
  EXPECT_FAILS(fuser_ranks_create(0, 0, &ranks), FUSER_INVALID_ARGUMENT,
               "1 to 4096 ranks, got 0");
  EXPECT_FAILS(fuser_ranks_create(1, -1, &ranks), FUSER_INVALID_ARGUMENT,
               "got -1");
  ASSERT_OK(fuser_ranks_create(2, 0, &ranks));
  EXPECT_FAILS(fuser_context_join(context, ranks, 2), FUSER_INVALID_ARGUMENT,
               "a rank of 0 to 1, got 2");
  ASSERT_OK(fuser_context_join(context, ranks, 1));
  EXPECT_EQ(fuser_context_rank(context), 1);
  EXPECT_EQ(fuser_context_num_ranks(context), 2);
  EXPECT_FAILS(fuser_context_join(context, ranks, 1), FUSER_INVALID_ARGUMENT,
               "got rank 1 a second time");
  fuser_ranks_destroy(ranks);
  fuser_context_destroy(context);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The combination of three elements that are stored as `bits`.
template <typename Stored>
static Stored combined(FuserTransferType type, FuserReduction reduction,
                       Stored a, Stored b, Stored c) {
  FuserTransfer transfer{};
  transfer.type = type;
  transfer.reduction = reduction;
  const void *parts[] = {&a, &b, &c};
  combine(transfer, parts, 3, 0, 1, &a);
  return a;
}

TEST(Combine, Integers) {
  EXPECT_EQ(combined<int8_t>(FUSER_TYPE_I8, FUSER_SUM, 100, 27, 1), -128);
  EXPECT_EQ(combined<int8_t>(FUSER_TYPE_I8, FUSER_MIN, 100, -27, 1), -27);
  EXPECT_EQ(combined<uint8_t>(FUSER_TYPE_U8, FUSER_MAX, 100, 227, 1), 227);
  EXPECT_EQ(combined<int32_t>(FUSER_TYPE_I32, FUSER_AVG, -5, -5, 0), -3);
  EXPECT_EQ(combined<uint32_t>(FUSER_TYPE_U32, FUSER_PROD, 1u << 31, 2, 3), 0u);
  EXPECT_EQ(combined<int64_t>(FUSER_TYPE_I64, FUSER_SUM, INT64_MAX, 1, 0),
            INT64_MIN);
  EXPECT_EQ(combined<uint64_t>(FUSER_TYPE_U64, FUSER_MAX, UINT64_MAX, 1, 0),
            UINT64_MAX);
}

static uint16_t toBits(ElementType type, double value) {
  return static_cast<uint16_t>(encodeFloat(type, value));
}

TEST(Combine, Floats) {
  EXPECT_EQ(combined<double>(FUSER_TYPE_F64, FUSER_AVG, 1, 2, 6), 3);
  EXPECT_TRUE(
      std::isnan(combined<float>(FUSER_TYPE_F32, FUSER_MIN, 1, NAN, 2)));
  EXPECT_TRUE(
      std::isnan(combined<float>(FUSER_TYPE_F32, FUSER_MAX, NAN, 1, 2)));
  // Rounded once: 1 + 2^-9 + 2^-9 in bf16 is 1 + 2^-8 rounded to even, not 1.
  uint16_t one = toBits(ElementType::BF16, 1),
           tiny = toBits(ElementType::BF16, std::ldexp(3, -9));
  EXPECT_EQ(combined<uint16_t>(FUSER_TYPE_BF16, FUSER_SUM, one, tiny, tiny),
            toBits(ElementType::BF16, 1 + std::ldexp(3, -8)));
  EXPECT_EQ(combined<uint16_t>(
                FUSER_TYPE_F16, FUSER_PROD, toBits(ElementType::F16, 3),
                toBits(ElementType::F16, 0.5), toBits(ElementType::F16, 2)),
            toBits(ElementType::F16, 3));
}

/// Each 8-bit float is itself again, and between two neighbours to nearest
/// even.
template <typename F8>
static void expectRoundTrips(uint8_t largest) {
  for (int bits = 0; bits <= largest; ++bits) {
    float value = F8::load(uint8_t(bits));
    EXPECT_EQ(F8::store(value), bits);
    EXPECT_EQ(F8::store(-value), bits | 0x80);
    if (bits == largest)
      break;
    float middle = (value + F8::load(uint8_t(bits + 1))) / 2;
    EXPECT_EQ(F8::store(middle), bits + (bits & 1));
    EXPECT_EQ(F8::store(std::nextafter(middle, INFINITY)), bits + 1);
    EXPECT_EQ(F8::store(std::nextafter(middle, 0.0f)), bits);
  }
  EXPECT_EQ(F8::store(1e30f), largest);
  EXPECT_EQ(F8::store(INFINITY), largest);
  EXPECT_EQ(F8::store(1e-30f), 0);
  EXPECT_TRUE(std::isnan(F8::load(F8::store(NAN))));
}

TEST(Combine, EightBitFloats) {
  expectRoundTrips<elements::F8E4M3FN>(0x7e);
  expectRoundTrips<elements::F8E5M2>(0x7b);
  EXPECT_EQ(elements::F8E4M3FN::load(0x7e), 448);
  EXPECT_EQ(elements::F8E5M2::load(0x7b), 57344);
  EXPECT_TRUE(std::isinf(elements::F8E5M2::load(0x7c)));
  using elements::F8E4M3FN;
  EXPECT_EQ(F8E4M3FN::load(combined<uint8_t>(
                FUSER_TYPE_F8E4M3FN, FUSER_SUM, F8E4M3FN::store(1.5f),
                F8E4M3FN::store(2), F8E4M3FN::store(0.5f))),
            4);
}
