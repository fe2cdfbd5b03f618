//===- MpiTest.cpp - Tests of communications by MPI -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that MPI's launcher starts as 1, 2 or 4 ranks. Each says what it
// found wrong, and exits with 1 then.
//   (no argument)  all tests
//   large          more than 2^31 elements: 2 ranks, 5 GB each
//   cost           microseconds of small transfers, GB/s of large ones
//
//===----------------------------------------------------------------------===//

#include "fuser_rt/mpi.h"

#include "Values.h"

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <unistd.h>

static int myRank = 0, numRanks = 1, numFaults = 0;

static void expect(bool condition, const char *text, ...)
    __attribute__((format(printf, 2, 3)));
static void expect(bool condition, const char *text, ...) {
  if (condition)
    return;
  if (++numFaults > 20)
    return;
  va_list arguments;
  va_start(arguments, text);
  char line[2000];
  vsnprintf(line, sizeof(line), text, arguments);
  va_end(arguments);
  fprintf(stderr, "FAILED on rank %d of %d: %s\n", myRank, numRanks, line);
}

/// The message of a status, which is destroyed; empty: success.
static std::string take(FuserStatus *status) {
  std::string message = status ? fuser_status_message(status) : "";
  fuser_status_destroy(status);
  return message;
}

static bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

namespace {

/// A communicator and its group of all ranks.
class Ranks {
public:
  explicit Ranks(double timeout) {
    std::string message = take(fuser_mpi_communicator(timeout, &callbacks));
    if (!message.empty()) {
      fprintf(stderr, "FAILED: no communicator: %s\n", message.c_str());
      exit(1);
    }
    myRank = callbacks.rank;
    numRanks = callbacks.size;
    std::vector<int64_t> all(static_cast<size_t>(numRanks));
    std::iota(all.begin(), all.end(), 0);
    world = makeGroup(all);
  }
  Ranks(const Ranks &) = delete;
  ~Ranks() {
    if (callbacks.destroy)
      callbacks.destroy(callbacks.user, nullptr);
  }

  void destroy(const char *message) {
    callbacks.destroy(callbacks.user, message);
    callbacks.destroy = nullptr;
  }

  void *makeGroup(const std::vector<int64_t> &members) {
    void *group = nullptr;
    std::string message = take(
        callbacks.make_group(callbacks.user, members.data(),
                             static_cast<int64_t>(members.size()), &group));
    expect(message.empty() && group, "make_group: %s", message.c_str());
    return group;
  }

  std::string run(const std::vector<FuserTransfer> &transfers,
                  void *group = nullptr) {
    FuserStatus *status =
        callbacks.communicate(callbacks.user, group ? group : world,
                              transfers.data(), transfers.size(), nullptr);
    code = fuser_status_code(status);
    return take(status);
  }

  FuserCommunicator callbacks{};
  FuserStatusCode code = FUSER_OK; ///< Of the last run.
  void *world = nullptr;
};

/// Which ranks, as one of them sees it.
struct Members {
  void *group;
  int64_t rank, size;
};

} // namespace

static FuserTransfer make(int kind, int type, Buffer *src, Buffer *dst,
                          int64_t peer = 0) {
  FuserTransfer transfer{};
  transfer.kind = kind;
  transfer.type = type;
  transfer.src = src ? src->bytes.data() : nullptr;
  transfer.dst = dst ? dst->bytes.data() : nullptr;
  transfer.src_count = src ? src->count() : 0;
  transfer.dst_count = dst ? dst->count() : 0;
  transfer.peer = peer;
  return transfer;
}

/// A sum of one element: all ranks are there afterwards.
static std::string meet(Ranks &ranks, int count = 1) {
  Buffer buffer = makeValues(FUSER_TYPE_I32, 0, count);
  return ranks.run({make(FUSER_ALL_REDUCE, FUSER_TYPE_I32, &buffer, &buffer)});
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static int64_t srcCount(int kind, int64_t part, int64_t size) {
  bool isAll = kind == FUSER_REDUCE_SCATTER || kind == FUSER_SCATTER ||
               kind == FUSER_ALL_TO_ALL;
  return isAll ? part * size : part;
}

static int64_t dstCount(int kind, int64_t part, int64_t size) {
  bool isAll = kind == FUSER_ALL_GATHER || kind == FUSER_GATHER ||
               kind == FUSER_ALL_TO_ALL;
  return isAll ? part * size : part;
}

/// What `dst` is afterwards.
static double expected(const FuserTransfer &transfer, int64_t part,
                       const Members &members, int64_t i) {
  int64_t rank = members.rank, size = members.size;
  switch (transfer.kind) {
  case FUSER_ALL_GATHER:
  case FUSER_GATHER:
    return valueOf(i / part, i % part);
  case FUSER_ALL_REDUCE:
  case FUSER_REDUCE:
    return combined(transfer.type, transfer.reduction, size, i);
  case FUSER_REDUCE_SCATTER:
    return combined(transfer.type, transfer.reduction, size, rank * part + i);
  case FUSER_BROADCAST:
    return valueOf(transfer.peer, i);
  case FUSER_SCATTER:
    return valueOf(transfer.peer, rank * part + i);
  default: // all_to_all
    return valueOf(i / part, rank * part + i % part);
  }
}

static void testCollective(Ranks &ranks, const Members &members,
                           FuserTransfer transfer, int64_t part) {
  int kind = transfer.kind, type = transfer.type;
  Buffer src =
      makeValues(type, members.rank, srcCount(kind, part, members.size));
  Buffer dst(type, dstCount(kind, part, members.size));
  transfer.src = src.bytes.data();
  transfer.dst = dst.bytes.data();
  transfer.src_count = src.count();
  transfer.dst_count = dst.count();
  const Buffer before = src;
  std::string message = ranks.run({transfer}, members.group);
  expect(message.empty(), "kind %d type %d part %lld: %s", kind, type,
         static_cast<long long>(part), message.c_str());
  expect(src.bytes == before.bytes, "kind %d wrote its source", kind);
  bool isWritten = (kind != FUSER_REDUCE && kind != FUSER_GATHER) ||
                   members.rank == transfer.peer;
  Buffer wanted(type, dst.count());
  for (int64_t i = 0; i < dst.count() && isWritten; ++i)
    wanted.set(i, expected(transfer, part, members, i));
  expect(
      dst.bytes == wanted.bytes,
      "kind %d reduction %d type %d part %lld root %lld of %lld ranks: wrong "
      "elements",
      kind, transfer.reduction, type, static_cast<long long>(part),
      static_cast<long long>(transfer.peer),
      static_cast<long long>(members.size));
}

static bool isReduction(int kind) {
  return kind == FUSER_ALL_REDUCE || kind == FUSER_REDUCE_SCATTER ||
         kind == FUSER_REDUCE;
}

/// All kinds, types, reductions, small sizes.
static void testCollectives(Ranks &ranks, const Members &members) {
  for (int kind = FUSER_ALL_GATHER; kind <= FUSER_ALL_TO_ALL; ++kind)
    for (int type = 0; type < numTypes; ++type)
      for (int reduction = FUSER_SUM; reduction <= FUSER_AVG; ++reduction) {
        if (isReduction(kind) ? type == FUSER_TYPE_BITS16 : reduction > 0)
          continue;
        FuserTransfer transfer = make(kind, type, nullptr, nullptr);
        transfer.reduction = reduction;
        for (int64_t part : {0, 1, 7, 333}) {
          transfer.peer = part % members.size;
          testCollective(ranks, members, transfer, part);
        }
      }
}

/// Sizes that are moved in slices.
static void testLong(Ranks &ranks, const Members &members) {
  for (int kind = FUSER_ALL_GATHER; kind <= FUSER_ALL_TO_ALL; ++kind)
    for (int type : {FUSER_TYPE_U8, FUSER_TYPE_F32, FUSER_TYPE_BF16})
      for (int64_t part : {5003, 131072, 1200007})
        testCollective(ranks, members,
                       make(kind, type, nullptr, nullptr, members.size - 1),
                       part);
}

static void testInPlace(Ranks &ranks) {
  for (int64_t part : {5, 300001}) {
    Members all{ranks.world, myRank, numRanks};
    Buffer data = makeValues(FUSER_TYPE_F32, myRank, part);
    FuserTransfer transfer =
        make(FUSER_ALL_REDUCE, FUSER_TYPE_F32, &data, &data);
    Buffer wanted(FUSER_TYPE_F32, part);
    for (int64_t i = 0; i < part; ++i)
      wanted.set(i, expected(transfer, part, all, i));
    expect(ranks.run({transfer}).empty() && data.bytes == wanted.bytes,
           "all_reduce in place");

    Buffer gathered(FUSER_TYPE_F32, part * numRanks);
    Buffer own = makeValues(FUSER_TYPE_F32, myRank, part);
    memcpy(gathered.at(myRank * part), own.bytes.data(), own.bytes.size());
    transfer = make(FUSER_ALL_GATHER, FUSER_TYPE_F32, &own, &gathered);
    transfer.src = gathered.at(myRank * part);
    wanted = gathered;
    for (int64_t i = 0; i < gathered.count(); ++i)
      wanted.set(i, expected(transfer, part, all, i));
    expect(ranks.run({transfer}).empty() && gathered.bytes == wanted.bytes,
           "all_gather in place");

    data = makeValues(FUSER_TYPE_F32, myRank, part * numRanks);
    transfer = make(FUSER_REDUCE_SCATTER, FUSER_TYPE_F32, &data, &own);
    transfer.dst = data.at(myRank * part);
    wanted = data;
    for (int64_t i = 0; i < part; ++i)
      wanted.set(myRank * part + i, expected(transfer, part, all, i));
    expect(ranks.run({transfer}).empty() && data.bytes == wanted.bytes,
           "reduce_scatter in place");
  }
}

/// A ring by send and recv, by permute, with collectives between, at once.
static void testTogether(Ranks &ranks, int64_t count) {
  int64_t next = (myRank + 1) % numRanks;
  int64_t last = (myRank + numRanks - 1) % numRanks;
  Buffer src = makeValues(FUSER_TYPE_BITS16, myRank, count);
  Buffer wanted = makeValues(FUSER_TYPE_BITS16, last, count);
  Buffer received(FUSER_TYPE_BITS16, count), permuted(FUSER_TYPE_BITS16, count);
  Buffer sum = makeValues(FUSER_TYPE_F32, myRank, count), total = sum;
  Buffer gathered(FUSER_TYPE_BITS16, count * numRanks);
  std::vector<int64_t> pairs;
  for (int64_t rank = 0; rank < numRanks; ++rank) {
    pairs.push_back(rank);
    pairs.push_back((rank + 1) % numRanks);
  }
  FuserTransfer permute =
      make(FUSER_PERMUTE, FUSER_TYPE_BITS16, &src, &permuted);
  permute.pairs = pairs.data();
  permute.num_pairs = numRanks;
  std::vector<FuserTransfer> transfers = {
      make(FUSER_ALL_REDUCE, FUSER_TYPE_F32, &sum, &total),
      make(FUSER_SEND, FUSER_TYPE_BITS16, &src, nullptr, next),
      make(FUSER_ALL_GATHER, FUSER_TYPE_BITS16, &src, &gathered),
      make(FUSER_RECV, FUSER_TYPE_BITS16, nullptr, &received, last), permute};
  // Sends and receives need not be listed in the same order on all ranks.
  if (myRank % 2)
    std::swap(transfers[1], transfers[3]);
  std::string message = ranks.run(transfers);
  expect(message.empty(), "together: %s", message.c_str());
  expect(received.bytes == wanted.bytes, "together: recv");
  expect(permuted.bytes == wanted.bytes, "together: permute");
  for (int64_t i = 0; i < count; ++i)
    sum.set(i, combined(FUSER_TYPE_F32, FUSER_SUM, numRanks, i));
  expect(total.bytes == sum.bytes, "together: all_reduce");
  for (int64_t rank = 0; rank < numRanks; ++rank)
    expect(memcmp(gathered.at(rank * count),
                  makeValues(FUSER_TYPE_BITS16, rank, count).bytes.data(),
                  src.bytes.size()) == 0,
           "together: all_gather");
}

/// Messages between two of all ranks; the others do nothing.
static void testPairs(Ranks &ranks) {
  if (numRanks < 2 || (myRank != 0 && myRank != numRanks - 1))
    return;
  Buffer src = makeValues(FUSER_TYPE_F64, myRank, 31), dst(FUSER_TYPE_F64, 31);
  int64_t peer = numRanks - 1 - myRank;
  std::string message =
      myRank == 0
          ? ranks.run({make(FUSER_SEND, FUSER_TYPE_F64, &src, nullptr, peer)})
          : ranks.run({make(FUSER_RECV, FUSER_TYPE_F64, nullptr, &dst, peer)});
  expect(message.empty(), "pair: %s", message.c_str());
  if (myRank != 0)
    expect(dst.bytes == makeValues(FUSER_TYPE_F64, 0, 31).bytes, "pair: recv");
}

static void testGroups(Ranks &ranks) {
  // Two halves, the second in descending order.
  int half = numRanks / 2;
  std::vector<int64_t> members;
  if (myRank < half)
    for (int i = 0; i < half; ++i)
      members.push_back(i);
  else
    for (int i = numRanks - 1; i >= half; --i)
      members.push_back(i);
  auto size = static_cast<int64_t>(members.size());
  int64_t rank = myRank < half ? myRank : numRanks - 1 - myRank;
  void *halves = ranks.makeGroup(members);
  testCollectives(ranks, {halves, rank, size});

  // Rank 0 alone, the others in none.
  void *alone = ranks.makeGroup(myRank == 0 ? std::vector<int64_t>{0}
                                            : std::vector<int64_t>{});
  if (myRank == 0) {
    testCollectives(ranks, {alone, 0, 1});
  } else {
    Buffer data(FUSER_TYPE_I32, 1);
    std::string message = ranks.run(
        {make(FUSER_ALL_REDUCE, FUSER_TYPE_I32, &data, &data)}, alone);
    expect(contains(message, "expected a member of the group"), "not one: %s",
           message.c_str());
  }
  // The group of all goes on.
  expect(meet(ranks).empty(), "after groups");
}

/// A message to itself that is not received.
static void testSelf(Ranks &base) {
  meet(base);
  Ranks ranks(20);
  Buffer four(FUSER_TYPE_F32, 4);
  std::string message =
      ranks.run({make(FUSER_SEND, FUSER_TYPE_F32, &four, nullptr, myRank)});
  expect(contains(message, "to itself"), "self: %s", message.c_str());
  meet(base);
}

static void testThreads(Ranks &ranks) {
  for (int i = 0; i < 3; ++i)
    std::thread([&] { expect(meet(ranks).empty(), "thread"); }).join();
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

static double seconds() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

/// Runs what each rank is to run; all get a status with `part`, soon, and again
/// from the next call.
static void expectFailure(Ranks &base, const std::vector<FuserTransfer> &mine,
                          const char *part) {
  meet(base);
  Ranks ranks(20);
  double start = seconds();
  std::string message = ranks.run(mine);
  expect(contains(message, part) && ranks.code == FUSER_COMMUNICATION_ERROR,
         "expected \"%s\", got \"%s\" (%d)", part, message.c_str(), ranks.code);
  expect(seconds() - start < 10, "%s: after %g s", part, seconds() - start);
  expect(contains(meet(ranks), "is to be replaced"), "%s: goes on", part);
}

static void testDisagreements(Ranks &base) {
  bool isLast = myRank == numRanks - 1;
  Buffer four(FUSER_TYPE_F32, 4), eight(FUSER_TYPE_F32, 8);
  Buffer many(FUSER_TYPE_F32, 4 * numRanks);
  Buffer &other = isLast ? eight : four;
  auto reduceF32 = [&](Buffer &buffer) {
    return make(FUSER_ALL_REDUCE, FUSER_TYPE_F32, &buffer, &buffer);
  };
  const char *words = "fits together";
  expectFailure(base, {reduceF32(other)}, words);
  FuserTransfer transfer = reduceF32(four);
  transfer.type = isLast ? FUSER_TYPE_I32 : FUSER_TYPE_F32;
  expectFailure(base, {transfer}, words);
  transfer.type = FUSER_TYPE_F32;
  transfer.reduction = isLast ? FUSER_MAX : FUSER_SUM;
  expectFailure(base, {transfer}, words);
  expectFailure(
      base,
      {make(FUSER_BROADCAST, FUSER_TYPE_F32, &four, &four, isLast ? 0 : 1)},
      words);
  expectFailure(base,
                {isLast ? make(FUSER_ALL_GATHER, FUSER_TYPE_F32, &four, &many)
                        : reduceF32(four)},
                words);
  // One of many, behind those that are sent in full.
  std::vector<FuserTransfer> transfers(20, reduceF32(four));
  transfers[17] = reduceF32(other);
  expectFailure(base, transfers, "after the first");
  // More of them on one rank.
  transfers.assign(isLast ? 3 : 2, reduceF32(four));
  expectFailure(base, transfers, words);
  // A message and a collective.
  if (numRanks == 2) {
    expectFailure(base,
                  {isLast ? make(FUSER_SEND, FUSER_TYPE_F32, &four, nullptr, 0)
                          : reduceF32(four)},
                  words);
    expectFailure(base,
                  {isLast
                       ? make(FUSER_SEND, FUSER_TYPE_F32, &eight, nullptr, 0)
                       : make(FUSER_RECV, FUSER_TYPE_F32, nullptr, &four, 1)},
                  words);
    expectFailure(
        base, {make(FUSER_SEND, FUSER_TYPE_F32, &four, nullptr, 1 - myRank)},
        words);
  }
}

static void testOtherGroup(Ranks &base) {
  meet(base);
  Ranks ranks(20);
  std::vector<int64_t> up(static_cast<size_t>(numRanks));
  std::iota(up.begin(), up.end(), 0);
  std::vector<int64_t> down(up.rbegin(), up.rend());
  void *group = ranks.makeGroup(myRank == 0 ? down : up);
  Buffer four(FUSER_TYPE_F32, 4);
  std::string message =
      ranks.run({make(FUSER_ALL_REDUCE, FUSER_TYPE_F32, &four, &four)}, group);
  expect(contains(message, "has other members"), "other group: %s",
         message.c_str());
}

/// One rank fails elsewhere, or leaves, while the others wait for it.
static void testEnds(Ranks &base) {
  bool isLast = myRank == numRanks - 1;
  for (const char *reason : {"it broke", static_cast<const char *>(nullptr)}) {
    meet(base);
    Ranks ranks(30);
    expect(meet(ranks).empty(), "before the end");
    meet(base); // All are done with that.
    if (isLast) {
      ranks.destroy(reason);
      continue;
    }
    double start = seconds();
    std::string message = meet(ranks);
    expect((contains(message, reason ? reason : "has left") ||
            contains(message, "has left")) &&
               ranks.code == FUSER_COMMUNICATION_ERROR,
           "end: %s (%d)", message.c_str(), ranks.code);
    expect(seconds() - start < 10, "end: after %g s", seconds() - start);
  }
}

/// One rank fails elsewhere while it waits for the others, which come later.
static void testAbort(Ranks &base) {
  bool isLast = myRank == numRanks - 1;
  meet(base);
  Ranks ranks(30);
  double start = seconds();
  std::thread breaks;
  if (isLast)
    breaks = std::thread([&] {
      usleep(200000);
      ranks.callbacks.abort(ranks.callbacks.user, "it broke");
    });
  else
    usleep(1000000);
  std::string message = meet(ranks);
  expect(contains(message,
                  isLast ? "has failed elsewhere" : "has failed: it broke") &&
             ranks.code == FUSER_COMMUNICATION_ERROR,
         "abort: %s (%d)", message.c_str(), ranks.code);
  expect(seconds() - start < 10, "abort: after %g s", seconds() - start);
  if (!isLast)
    return;
  breaks.join();
  message = meet(ranks);
  expect(contains(message, "is to be replaced, since it has failed: it broke"),
         "abort: goes on: %s", message.c_str());
}

static void testTimeout(Ranks &base) {
  meet(base);
  Ranks ranks(1);
  if (myRank == numRanks - 1)
    usleep(3000000);
  double start = seconds();
  std::string message = meet(ranks);
  double waited = seconds() - start;
  if (myRank == numRanks - 1) {
    // It finds the others' messages, or that they have given up, but comes to
    // no sum: they are not there to give it.
    expect(contains(message, "rank") && waited < 3, "late: %s, %g s",
           message.c_str(), waited);
    return;
  }
  expect((contains(message, "waited") || contains(message, "has failed")) &&
             ranks.code == FUSER_COMMUNICATION_ERROR,
         "timeout: %s (%d)", message.c_str(), ranks.code);
  expect(waited > 0.5 && waited < 5, "timeout: after %g s", waited);
}

/// The process of the last rank ends, and the others wait for it.
static void testExit(Ranks &base) {
  meet(base);
  if (myRank == numRanks - 1)
    return;
  double start = seconds();
  std::string message = meet(base);
  expect(contains(message, "its process ends") ||
             contains(message, "has failed"),
         "exit: %s", message.c_str());
  expect(seconds() - start < 10, "exit: after %g s", seconds() - start);
}

static void testArguments() {
  FuserCommunicator result;
  std::string message = take(fuser_mpi_communicator(-1, &result));
  expect(contains(message, "expected a timeout"), "-1: %s", message.c_str());
  message = take(fuser_mpi_communicator(1, nullptr));
  expect(contains(message, "and null"), "null: %s", message.c_str());
}

//===----------------------------------------------------------------------===//
// By hand
//===----------------------------------------------------------------------===//

static void testLarge(Ranks &ranks) {
  int64_t count = (int64_t(1) << 31) + 12345;
  std::vector<unsigned char> src(static_cast<size_t>(count)), dst;
  for (int64_t i = 0; i < count; ++i)
    src[i] = static_cast<unsigned char>(i * 7 + i / 1000003 + myRank);
  dst.resize(src.size());
  FuserTransfer transfer{};
  transfer.type = FUSER_TYPE_U8;
  transfer.src = src.data();
  transfer.dst = dst.data();
  transfer.src_count = transfer.dst_count = count;
  int64_t pairs[] = {0, 1, 1, 0};
  transfer.kind = FUSER_PERMUTE;
  transfer.pairs = pairs;
  transfer.num_pairs = 2;
  std::string message = ranks.run({transfer});
  expect(message.empty(), "large: %s", message.c_str());
  for (int64_t i = 0; i < count; ++i)
    if (dst[i] != static_cast<unsigned char>(src[i] - myRank + 1 - myRank))
      return expect(false, "large: element %lld", static_cast<long long>(i));
  transfer.kind = FUSER_ALL_REDUCE;
  message = ranks.run({transfer});
  expect(message.empty(), "large sum: %s", message.c_str());
  for (int64_t i = 0; i < count; ++i)
    if (dst[i] != static_cast<unsigned char>(2 * src[i] + 1 - 2 * myRank))
      return expect(false, "large sum: %lld", static_cast<long long>(i));
}

static void measure(Ranks &ranks, const char *name, FuserTransfer transfer,
                    int64_t bytes) {
  int repeats = bytes > 1 << 20 ? 20 : 2000;
  for (int i = 0; i < repeats / 10; ++i)
    ranks.run({transfer});
  double start = seconds();
  for (int i = 0; i < repeats; ++i)
    if (std::string message = ranks.run({transfer}); !message.empty())
      return expect(false, "%s: %s", name, message.c_str());
  double time = (seconds() - start) / repeats;
  if (myRank == 0)
    printf("%-12s %10lld bytes %2d ranks %10.2f us %8.2f GB/s\n", name,
           static_cast<long long>(bytes), numRanks, time * 1e6,
           static_cast<double>(bytes) / time * 1e-9);
}

static void testCost(Ranks &ranks) {
  for (int64_t count : {0, 1, 1024, 65536, 16 << 20}) {
    Buffer src = makeValues(FUSER_TYPE_F32, myRank, count), dst = src;
    Buffer all(FUSER_TYPE_F32, count * numRanks);
    measure(ranks, "all_reduce",
            make(FUSER_ALL_REDUCE, FUSER_TYPE_F32, &src, &dst), count * 4);
    measure(ranks, "all_gather",
            make(FUSER_ALL_GATHER, FUSER_TYPE_F32, &src, &all), count * 4);
    measure(ranks, "broadcast",
            make(FUSER_BROADCAST, FUSER_TYPE_F32, &src, &dst), count * 4);
    if (myRank < 2 && numRanks > 1)
      measure(ranks, "send",
              myRank ? make(FUSER_RECV, FUSER_TYPE_F32, nullptr, &dst, 0)
                     : make(FUSER_SEND, FUSER_TYPE_F32, &src, nullptr, 1),
              count * 4);
  }
}

int main(int argc, char **argv) {
  std::string what = argc > 1 ? argv[1] : "";
  // Not destroyed: the end of the process is tested.
  Ranks &base = *new Ranks(60);
  if (what == "large") {
    testLarge(base);
  } else if (what == "cost") {
    testCost(base);
  } else {
    Members all{base.world, myRank, numRanks};
    testArguments();
    testCollectives(base, all);
    testLong(base, all);
    testInPlace(base);
    for (int64_t count : {1, 1000, 200000})
      testTogether(base, count);
    testPairs(base);
    testGroups(base);
    testThreads(base);
    testSelf(base);
    if (numRanks > 1) {
      testDisagreements(base);
      testOtherGroup(base);
      testEnds(base);
      testAbort(base);
      testTimeout(base);
      testExit(base);
    }
  }
  if (numFaults == 0 && myRank == 0)
    printf("passed with %d ranks\n", numRanks);
  return numFaults != 0;
}
