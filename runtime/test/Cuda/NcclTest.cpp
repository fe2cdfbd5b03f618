//===- NcclTest.cpp - GPUs that communicate -------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks are threads, each with a GPU. What they get is compared bit by bit: all
// values and results can be represented in their types.
//
//===----------------------------------------------------------------------===//

#include "Cuda/Nccl.h"
#include "Context.h"
#include "TestUtil.h"

#include <cmath>
#include <cstring>

using namespace fuser_rt;
using namespace fuser_rt::test;

TEST(Nccl, WithoutTheLibrary) {
  nccl::Library library;
  EXPECT_FAILS(library.open("libnccl_that_is_not_there.so"),
               FUSER_UNIMPLEMENTED,
               "expected to open libnccl_that_is_not_there.so");
  // One that is there, and not NCCL.
  EXPECT_FAILS(library.open("libm.so.6"), FUSER_UNIMPLEMENTED,
               "got one without ncclGetVersion");
}

TEST(Nccl, WhatItAnswers) {
  nccl::Library library;
  library.getErrorString = [](nccl::Result) { return "remote error"; };
  library.getLastError = [](nccl::Comm) { return "a peer has gone"; };
  EXPECT_FAILS(library.makeStatus(6, nullptr, "rank 1 of 2, all_reduce"),
               FUSER_COMMUNICATION_ERROR,
               "rank 1 of 2, all_reduce: NCCL answered remote error (a peer "
               "has gone)");
}

// What ends the communications needs no GPU.
TEST(Nccl, AfterAFailure) {
  FuserContext *context = nullptr;
  ASSERT_OK(fuser_context_create_cpu(1, &context));
  {
    NcclCommunicator communicator(*context->device, 0, 2, 1);
    communicator.abort("a test ends it");
    NcclGroup group(0, 2, nullptr);
    FuserTransfer transfer{};
    transfer.kind = FUSER_ALL_REDUCE;
    transfer.type = FUSER_TYPE_F32;
    EXPECT_FAILS(communicator.post(group, &transfer, 1, *context->device,
                                   context->stream),
                 FUSER_COMMUNICATION_ERROR,
                 "the communications have ended: a test ends it");
    Group *made = nullptr;
    EXPECT_FAILS(communicator.getGroup(nullptr, 0, &made),
                 FUSER_COMMUNICATION_ERROR,
                 "the communications have ended: a test ends it");
  }
  fuser_context_destroy(context);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {
using Values = std::vector<double>;
using Bytes = std::vector<unsigned char>;
} // namespace

/// A normal number that the type can represent.
static uint64_t encodeFloat(double value, int exponentBits, int mantissaBits) {
  if (value == 0)
    return 0;
  int exponent = 0;
  double mantissa = 2 * std::frexp(value, &exponent) - 1;
  auto biased = uint64_t(exponent - 1 + (1 << (exponentBits - 1)) - 1);
  return biased << mantissaBits | uint64_t(std::ldexp(mantissa, mantissaBits));
}

static uint64_t encode(double value, int32_t type) {
  switch (type) {
  case FUSER_TYPE_F16:
    return encodeFloat(value, 5, 10);
  case FUSER_TYPE_F32:
    return encodeFloat(value, 8, 23);
  case FUSER_TYPE_F64:
    return encodeFloat(value, 11, 52);
  case FUSER_TYPE_BF16:
    return encodeFloat(value, 8, 7);
  case FUSER_TYPE_F8E4M3FN:
    return encodeFloat(value, 4, 3);
  case FUSER_TYPE_F8E5M2:
    return encodeFloat(value, 5, 2);
  default:
    return uint64_t(value);
  }
}

static Bytes encode(const Values &values, int32_t type) {
  size_t size = elementBytes(static_cast<FuserTransferType>(type));
  Bytes bytes(values.size() * size);
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits = encode(values[i], type);
    memcpy(&bytes[i * size], &bits, size);
  }
  return bytes;
}

static bool isF8(int32_t type) {
  return type == FUSER_TYPE_F8E4M3FN || type == FUSER_TYPE_F8E5M2;
}
static bool isFloat(int32_t type) {
  return (type >= FUSER_TYPE_F16 && type <= FUSER_TYPE_BF16) || isF8(type);
}

/// What is moved: element i of a rank.
static Values moved(int64_t rank, int64_t count, int32_t type) {
  Values values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    values[i] = double((rank * 31 + i * 3) % (isF8(type) ? 8 : 113));
  return values;
}

/// What is combined: one rank has 2 for each element, the others 1.
static Values combined(int64_t rank, int64_t size, int64_t count) {
  Values values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    values[i] = (rank + i) % size == 0 ? 2 : 1;
  return values;
}
static double reduce(int32_t reduction, int64_t size) {
  const double results[] = {double(size + 1), 2, size > 1 ? 1. : 2., 2,
                            double(size + 1) / double(size)};
  return results[reduction];
}

static Values part(const Values &values, int64_t index, int64_t count) {
  auto begin = values.begin() + index * count;
  return Values(begin, begin + count);
}
static void append(Values &values, const Values &more) {
  values.insert(values.end(), more.begin(), more.end());
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

namespace {
enum class Place { Apart, SrcInDst, DstInSrc };

/// A rank's side of a transfer: what it has, and what it is to get.
struct Side {
  FuserTransfer transfer{};
  Values src, expected;
  Place place = Place::Apart;
  int64_t offset = 0; ///< Of the part in the other, in elements.
};

class Rank {
public:
  Rank(int64_t rank, int64_t size) : rank(rank), size(size) {}
  ~Rank() {
    communicator.reset();
    if (context)
      fuser_context_destroy(context);
  }

  FuserStatus *open(const nccl::UniqueId &id, double timeout) {
    FUSER_RETURN_IF_ERROR(fuser_context_create_cuda(int32_t(rank), &context));
    return createNcclCommunicator(
        *context->device, {&id, nullptr, rank, size, timeout}, communicator);
  }

  Device &device() { return *context->device; }
  void *stream() { return context->stream; }
  Group &group(const std::vector<int64_t> &lists = {}) {
    Group *group = nullptr;
    EXPECT_OK(
        communicator->getGroup(lists.data(), int64_t(lists.size()), &group));
    return *group;
  }

  FuserStatus *post(Group &group, const std::vector<FuserTransfer> &transfers,
                    void *on) {
    Entered entered(device());
    return communicator->post(group, transfers.data(), transfers.size(),
                              device(), on);
  }
  FuserStatus *synchronize(void *on) {
    Entered entered(device());
    bool done = false;
    FuserStatus *status = communicator->synchronize(on, done);
    EXPECT_TRUE(done);
    return status;
  }

  /// Memory of at least a byte that holds these.
  void *upload(const Bytes &bytes) {
    Entered entered(device());
    void *data = nullptr;
    EXPECT_OK(device().allocate(bytes.size() + 1, stream(), &data));
    EXPECT_OK(device().copyAndWait(data, bytes.data(), bytes.size(), stream()));
    return data;
  }
  void release(void *data) {
    Entered entered(device());
    device().release(data, stream());
  }

  /// Makes the transfers at the same time and checks what they give.
  void expect(Group &group, std::vector<Side> sides, void *on);
  void expect(Group &group, const Side &side) {
    expect(group, std::vector<Side>{side}, stream());
  }

  const int64_t rank, size;
  FuserContext *context = nullptr;
  std::unique_ptr<Communicator> communicator;
};
} // namespace

void Rank::expect(Group &group, std::vector<Side> sides, void *on) {
  std::vector<FuserTransfer> transfers;
  std::vector<void *> allocated;
  for (Side &side : sides) {
    FuserTransfer &transfer = side.transfer;
    auto type = static_cast<FuserTransferType>(transfer.type);
    int64_t offset = side.offset * elementBytes(type);
    Bytes src = encode(side.src, type), dst = encode(side.expected, type);
    std::fill(dst.begin(), dst.end(), 0xee);
    if (side.place == Place::SrcInDst)
      memcpy(dst.data() + offset, src.data(), src.size());
    auto *srcData = static_cast<char *>(upload(src));
    auto *dstData = static_cast<char *>(upload(dst));
    allocated.push_back(srcData);
    allocated.push_back(dstData);
    transfer.src = side.place == Place::SrcInDst ? dstData + offset : srcData;
    transfer.dst = side.place == Place::DstInSrc ? srcData + offset : dstData;
    transfer.src_count = int64_t(side.src.size());
    transfer.dst_count = int64_t(side.expected.size());
    transfers.push_back(transfer);
  }
  EXPECT_OK(post(group, transfers, on));
  EXPECT_OK(synchronize(on));
  for (size_t i = 0; i < sides.size(); ++i) {
    Bytes expected = encode(sides[i].expected, transfers[i].type);
    Bytes got(expected.size());
    Entered entered(device());
    EXPECT_OK(device().copyAndWait(got.data(), transfers[i].dst, got.size(),
                                   stream()));
    EXPECT_EQ(got, expected)
        << "rank " << rank << ": " << describe(transfers[i]);
  }
  for (void *data : allocated)
    release(data);
}

namespace {
class NcclTest : public ::testing::Test {
protected:
  void SetUp() override {
    for (int64_t next = 0; next < 8; ++next) {
      FuserContext *context = nullptr;
      Status status = fuser_context_create_cuda(int32_t(next), &context);
      if (status.code() != FUSER_OK)
        break;
      fuser_context_destroy(context);
      size = next + 1;
    }
    if (size < 2)
      GTEST_SKIP() << "expected two GPUs or more, got " << size;
    nccl::Library library;
    Status status = library.open();
    if (status.code() != FUSER_OK)
      GTEST_SKIP() << status.message();
    version = library.version;
  }

  /// Runs `body` as every rank. Ranks close when all have come to the end.
  template <typename Body>
  void run(Body &&body, double timeout = 60) {
    nccl::UniqueId id;
    ASSERT_OK(makeNcclId(&id));
    std::vector<std::unique_ptr<Rank>> ranks;
    std::vector<std::thread> threads;
    for (int64_t i = 0; i < size; ++i)
      ranks.push_back(std::make_unique<Rank>(i, size));
    for (auto &rank : ranks)
      threads.emplace_back([&, &rank = *rank] {
        Status status = rank.open(id, timeout);
        EXPECT_EQ(status.code(), FUSER_OK) << status.message();
        if (status.code() == FUSER_OK)
          body(rank);
      });
    for (std::thread &thread : threads)
      thread.join();
    threads.clear();
    for (auto &rank : ranks)
      threads.emplace_back([&rank] { rank.reset(); });
    for (std::thread &thread : threads)
      thread.join();
  }

  int64_t size = 0;
  int version = 0;
};
} // namespace

static const int64_t counts[] = {1, 5, 1025, 70001, 0};

static Side makeSide(int32_t kind, int32_t type, int64_t peer = 0) {
  Side side;
  side.transfer.kind = kind;
  side.transfer.type = type;
  side.transfer.peer = peer;
  return side;
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

static void expectReductions(Rank &rank, int32_t type, int32_t reduction,
                             int64_t count) {
  Group &group = rank.group();
  int64_t size = rank.size, last = size - 1;
  double result = reduce(reduction, size);
  for (Place place : {Place::Apart, Place::SrcInDst}) {
    Side side = makeSide(FUSER_ALL_REDUCE, type);
    side.transfer.reduction = reduction;
    side.place = place;
    side.src = combined(rank.rank, size, count);
    side.expected.assign(size_t(count), result);
    rank.expect(group, side);

    side.transfer.kind = FUSER_REDUCE;
    side.transfer.peer = last;
    if (rank.rank != last) {
      side.expected.clear();
      side.place = Place::Apart;
    }
    rank.expect(group, side);

    side.transfer.kind = FUSER_REDUCE_SCATTER;
    side.src = combined(rank.rank, size, count * size);
    side.expected.assign(size_t(count), result);
    side.place = place == Place::Apart ? place : Place::DstInSrc;
    side.offset = rank.rank * count;
    rank.expect(group, side);
  }
}

TEST_F(NcclTest, Reductions) {
  run([&](Rank &rank) {
    for (int32_t type = 0; type < FUSER_TYPE_BITS16; ++type)
      for (int32_t reduction = FUSER_SUM; reduction <= FUSER_AVG; ++reduction) {
        // What is not exact, or not in every library and on every GPU.
        bool isPower = (size & (size - 1)) == 0;
        if (reduction == FUSER_AVG && (!isFloat(type) || !isPower))
          continue;
        if (isF8(type) &&
            (version < 22400 || size > 2 ||
             fuser_context_arch(rank.context) < std::string("sm_90")))
          continue;
        for (int64_t count : counts)
          expectReductions(rank, type, reduction, count);
      }
  });
}

static void expectRooted(Rank &rank, int32_t type, int64_t count) {
  Group &group = rank.group();
  int64_t size = rank.size, last = size - 1;
  bool isRoot = rank.rank == last;
  for (bool isInPlace : {false, true}) {
    Side side = makeSide(FUSER_BROADCAST, type, last);
    side.src = moved(rank.rank, count, type);
    side.expected = moved(last, count, type);
    side.place = isInPlace ? Place::SrcInDst : Place::Apart;
    rank.expect(group, side);

    side = makeSide(FUSER_GATHER, type, last);
    side.src = moved(rank.rank, count, type);
    for (int64_t i = 0; isRoot && i < size; ++i)
      append(side.expected, moved(i, count, type));
    side.place = isRoot && isInPlace ? Place::SrcInDst : Place::Apart;
    side.offset = rank.rank * count;
    rank.expect(group, side);

    side = makeSide(FUSER_SCATTER, type, last);
    if (isRoot)
      side.src = moved(last, count * size, type);
    side.expected = part(moved(last, count * size, type), rank.rank, count);
    side.place = isRoot && isInPlace ? Place::DstInSrc : Place::Apart;
    side.offset = rank.rank * count;
    rank.expect(group, side);
  }
}

static void expectUnrooted(Rank &rank, int32_t type, int64_t count) {
  Group &group = rank.group();
  int64_t size = rank.size;
  for (Place place : {Place::Apart, Place::SrcInDst}) {
    Side side = makeSide(FUSER_ALL_GATHER, type);
    side.src = moved(rank.rank, count, type);
    for (int64_t i = 0; i < size; ++i)
      append(side.expected, moved(i, count, type));
    side.place = place;
    side.offset = rank.rank * count;
    rank.expect(group, side);
  }
  Side side = makeSide(FUSER_ALL_TO_ALL, type);
  side.src = moved(rank.rank, count * size, type);
  for (int64_t i = 0; i < size; ++i)
    append(side.expected, part(moved(i, count * size, type), rank.rank, count));
  rank.expect(group, side);
}

static void expectMessages(Rank &rank, int32_t type, int64_t count) {
  Group &group = rank.group();
  // The last to the first.
  int64_t last = rank.size - 1;
  if (rank.rank == last) {
    Side side = makeSide(FUSER_SEND, type, 0);
    side.src = moved(last, count, type);
    rank.expect(group, side);
  } else if (rank.rank == 0) {
    Side side = makeSide(FUSER_RECV, type, last);
    side.expected = moved(last, count, type);
    rank.expect(group, side);
  }
  // A ring, and each rank to itself.
  std::vector<int64_t> ring, self;
  for (int64_t i = 0; i < rank.size; ++i) {
    ring.insert(ring.end(), {i, (i + 1) % rank.size});
    self.insert(self.end(), {i, i});
  }
  for (const auto *pairs : {&ring, &self}) {
    int64_t from = pairs == &self ? rank.rank : (rank.rank + last) % rank.size;
    Side side = makeSide(FUSER_PERMUTE, type);
    side.transfer.num_pairs = int32_t(rank.size);
    side.transfer.pairs = pairs->data();
    side.src = moved(rank.rank, count, type);
    side.expected = moved(from, count, type);
    rank.expect(group, side);
  }
}

TEST_F(NcclTest, Moves) {
  run([&](Rank &rank) {
    for (int32_t type = 0; type <= FUSER_TYPE_BITS16; ++type)
      for (int64_t count : counts) {
        expectRooted(rank, type, count);
        expectUnrooted(rank, type, count);
        expectMessages(rank, type, count);
      }
  });
}

TEST_F(NcclTest, SeveralAtOnceAndOnStreams) {
  run([&](Rank &rank) {
    Group &group = rank.group();
    Side sum = makeSide(FUSER_ALL_REDUCE, FUSER_TYPE_F32);
    sum.src = combined(rank.rank, size, 1000);
    sum.expected.assign(1000, double(size + 1));
    Side gather = makeSide(FUSER_ALL_GATHER, FUSER_TYPE_I8);
    gather.src = moved(rank.rank, 77, FUSER_TYPE_I8);
    for (int64_t i = 0; i < size; ++i)
      append(gather.expected, moved(i, 77, FUSER_TYPE_I8));
    Side next = makeSide(FUSER_SEND, FUSER_TYPE_BF16, (rank.rank + 1) % size);
    next.src = moved(rank.rank, 33, FUSER_TYPE_BF16);
    int64_t before = (rank.rank + size - 1) % size;
    Side from = makeSide(FUSER_RECV, FUSER_TYPE_BF16, before);
    from.expected = moved(before, 33, FUSER_TYPE_BF16);
    for (int64_t i = 0; i < 20; ++i) {
      void *stream = rank.stream();
      if (i % 3 != 0) {
        Entered entered(rank.device());
        EXPECT_OK(rank.device().workerStream(i % 3, &stream));
      }
      rank.expect(group, {sum, gather, next, from}, stream);
    }
  });
}

TEST_F(NcclTest, Groups) {
  run([&](Rank &rank) {
    // The last and the first, in this order; the others are in no group.
    int64_t last = size - 1;
    Group &ends = rank.group({2, last, 0});
    EXPECT_EQ(ends.size, rank.rank == 0 || rank.rank == last ? 2 : 0);
    EXPECT_EQ(ends.rank, rank.rank == last ? 0 : rank.rank == 0 ? 1 : -1);
    if (ends.size) {
      Side side = makeSide(FUSER_ALL_GATHER, FUSER_TYPE_I32);
      side.src = moved(rank.rank, 9, FUSER_TYPE_I32);
      side.expected = moved(last, 9, FUSER_TYPE_I32);
      append(side.expected, moved(0, 9, FUSER_TYPE_I32));
      rank.expect(ends, side);
    }
    // Each alone, in lists of one.
    std::vector<int64_t> lists;
    for (int64_t i = 0; i < size; ++i)
      lists.insert(lists.end(), {1, i});
    Group &alone = rank.group(lists);
    EXPECT_EQ(alone.size, 1);
    Side side = makeSide(FUSER_ALL_REDUCE, FUSER_TYPE_F64);
    side.src = side.expected = moved(rank.rank, 9, FUSER_TYPE_F64);
    rank.expect(alone, side);
    expectReductions(rank, FUSER_TYPE_F32, FUSER_SUM, 5);
  });
}

TEST_F(NcclTest, ACommunicatorOfTheCaller) {
  nccl::Library library;
  nccl::UniqueId id;
  ASSERT_OK(library.open());
  ASSERT_OK(makeNcclId(&id));
  run([&](Rank &rank) {
    nccl::Config config;
    nccl::Comm comm = nullptr;
    {
      Entered entered(rank.device());
      nccl::Result result = library.commInitRankConfig(&comm, int(size), id,
                                                       int(rank.rank), &config);
      while (result == nccl::inProgress)
        library.commGetAsyncError(comm, &result);
      ASSERT_EQ(result, nccl::success);
    }
    int64_t theRank = -1, theSize = -1;
    EXPECT_OK(askNcclComm(comm, theRank, theSize));
    EXPECT_EQ(theRank, rank.rank);
    EXPECT_EQ(theSize, size);
    ASSERT_OK(createNcclCommunicator(rank.device(),
                                     {nullptr, comm, theRank, theSize, 60},
                                     rank.communicator));
    expectReductions(rank, FUSER_TYPE_F32, FUSER_SUM, 1025);
    rank.communicator.reset();
    Entered entered(rank.device());
    EXPECT_EQ(library.commDestroy(comm), nccl::success);
  });
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

/// Rank 0 makes an all_reduce that the others do not, which ends as `message`
/// says; later ones say the same. `isConnected`: after one that all make.
static void expectLonely(Rank &rank, bool isConnected, const char *message) {
  Group &group = rank.group();
  Side side = makeSide(FUSER_ALL_REDUCE, FUSER_TYPE_F32);
  side.src = combined(rank.rank, rank.size, 100);
  side.expected.assign(100, double(rank.size + 1));
  if (isConnected)
    rank.expect(group, side);
  if (rank.rank != 0)
    return;
  void *data = rank.upload(encode(side.src, FUSER_TYPE_F32));
  side.transfer.src = side.transfer.dst = data;
  side.transfer.src_count = side.transfer.dst_count = 100;
  // Where the ranks have not connected, it waits when it is posted.
  Status status = rank.post(group, {side.transfer}, rank.stream());
  if (status.code() == FUSER_OK)
    status = Status(rank.synchronize(rank.stream()));
  EXPECT_EQ(status.code(), FUSER_COMMUNICATION_ERROR);
  EXPECT_NE(status.message().find(message), std::string::npos)
      << status.message();
  EXPECT_FAILS(rank.post(group, {side.transfer}, rank.stream()),
               FUSER_COMMUNICATION_ERROR, "the communications have ended: ");
  rank.release(data);
}

TEST_F(NcclTest, TimeoutOnTheGpu) {
  run([](Rank &rank) { expectLonely(rank, true, "the last transfer was"); }, 5);
}

TEST_F(NcclTest, TimeoutInACall) {
  run([](Rank &rank) { expectLonely(rank, false, "rank 0 of "); }, 5);
}

TEST_F(NcclTest, TimeoutOfARankThatDoesNotCome) {
  nccl::UniqueId id;
  ASSERT_OK(makeNcclId(&id));
  Rank rank(0, 2);
  EXPECT_FAILS(rank.open(id, 3), FUSER_COMMUNICATION_ERROR,
               "rank 0 of 2, meeting the other ranks: expected all ranks to "
               "take part, got no answer for 3 s");
}

TEST_F(NcclTest, Abort) {
  for (bool isConnected : {true, false})
    run([&](Rank &rank) {
      std::thread other;
      if (rank.rank == 0)
        other = std::thread([&rank] {
          std::this_thread::sleep_for(std::chrono::seconds(5));
          rank.communicator->abort("a test ends it");
        });
      expectLonely(rank, isConnected, "a test ends it");
      if (other.joinable())
        other.join();
    });
}
