//===- NcclBench.cpp - What communications cost over NCCL's own calls -----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fuser_nccl_bench [--json FILE] [--max-bytes N]: on all GPUs there are, for
// each collective and size, `post` beside the bare calls of the library on the
// same communicator, in turns. "host": the time of a call, the median of many.
// "device": the time of a call on the device, the median of many rows of calls
// that are all there before the first one begins. Bytes are those of the larger
// side of a rank.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Cuda/Nccl.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace fuser_rt;
using Clock = std::chrono::steady_clock;

static void require(FuserStatus *status) {
  if (!status)
    return;
  fprintf(stderr, "fuser_nccl_bench: %s\n", fuser_status_message(status));
  exit(1);
}

static double microseconds(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

static double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

static constexpr const char *kKindNames[] = {
    "all_gather", "all_reduce", "reduce_scatter", "broadcast",
    "reduce",     "gather",     "scatter",        "all_to_all",
    "send",       "recv",       "permute"};
static constexpr int32_t kKinds[] = {
    FUSER_ALL_GATHER, FUSER_ALL_REDUCE, FUSER_REDUCE_SCATTER,
    FUSER_BROADCAST,  FUSER_REDUCE,     FUSER_GATHER,
    FUSER_SCATTER,    FUSER_ALL_TO_ALL, FUSER_PERMUTE};
static constexpr int64_t kSizes[] = {int64_t(4) << 10,   int64_t(64) << 10,
                                     int64_t(1) << 20,   int64_t(16) << 20,
                                     int64_t(256) << 20, int64_t(1) << 30};
static constexpr int64_t kMaxHostBytes = int64_t(1) << 20;
static constexpr int kFloat = FUSER_TYPE_F32;

namespace {
/// Lets threads go on together.
class Barrier {
public:
  explicit Barrier(int64_t size) : size(size) {}
  void wait() {
    int64_t turn = turns.load();
    if (arrived.fetch_add(1) + 1 == size) {
      arrived = 0;
      turns = turn + 1;
    }
    while (turns.load() == turn)
      std::this_thread::yield();
  }

private:
  const int64_t size;
  std::atomic<int64_t> arrived{0}, turns{0};
};

/// Times what is enqueued on a stream, by events around it.
class DeviceTimer {
public:
  void open() {
    require(driver.open());
    for (cu::Event *event : {&first, &last})
      require(driver.check(driver.eventCreate(event, 0), "making an event"));
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    launchHostFunction = reinterpret_cast<LaunchHostFunction>(
        dlsym(library, "cuLaunchHostFunc"));
  }
  /// What is enqueued from now on waits until `mayGo`.
  void hold(void *stream, std::atomic<bool> &mayGo) {
    auto wait = [](void *flag) {
      while (!*static_cast<std::atomic<bool> *>(flag))
        std::this_thread::yield();
    };
    require(driver.check(launchHostFunction(stream, wait, &mayGo),
                         "holding a stream"));
  }
  void start(void *stream) { record(first, stream); }
  void stop(void *stream) { record(last, stream); }
  /// When the stream has got there.
  double microseconds() {
    float milliseconds = 0;
    require(driver.check(driver.eventElapsedTime(&milliseconds, first, last),
                         "reading a time"));
    return milliseconds * 1e3;
  }

private:
  using LaunchHostFunction = cu::Result (*)(void *, void (*)(void *), void *);
  void record(cu::Event event, void *stream) {
    require(
        driver.check(driver.eventRecord(event, static_cast<cu::Stream>(stream)),
                     "recording an event"));
  }

  cu::Driver driver;
  cu::Event first = nullptr, last = nullptr;
  LaunchHostFunction launchHostFunction = nullptr;
};

struct Options {
  int64_t size = 0, maxBytes = kSizes[std::size(kSizes) - 1];
  FILE *json = nullptr;
};

class Rank {
public:
  Rank(int64_t rank, const Options &options, Barrier &barrier)
      : rank(rank), size(options.size), options(options), barrier(barrier) {}
  ~Rank() {
    communicator.reset();
    if (context)
      fuser_context_destroy(context);
  }
  void run(const nccl::UniqueId &id);

private:
  FuserTransfer makeTransfer(int32_t kind, int64_t bytes) const;
  void postOurs(const FuserTransfer &transfer) {
    require(communicator->post(*group, &transfer, 1, *context->device, stream));
  }
  void postBare(const FuserTransfer &transfer);
  void postBareMessages(const FuserTransfer &transfer);
  void synchronize() {
    bool done = false;
    require(communicator->synchronize(stream, done));
  }
  std::array<double, 2> hostTimes(const FuserTransfer &transfer);
  std::array<double, 2> deviceTimes(const FuserTransfer &transfer,
                                    int64_t bytes);
  void measure(int32_t kind, int64_t bytes);

  const int64_t rank, size;
  const Options &options;
  Barrier &barrier;
  FuserContext *context = nullptr;
  std::unique_ptr<Communicator> communicator;
  Group *group = nullptr;
  void *stream = nullptr, *src = nullptr, *dst = nullptr;
  std::vector<int64_t> ring;
  DeviceTimer timer;
};
} // namespace

FuserTransfer Rank::makeTransfer(int32_t kind, int64_t bytes) const {
  FuserTransfer transfer{};
  transfer.kind = kind;
  transfer.type = kFloat;
  transfer.src = src;
  transfer.dst = dst;
  int64_t whole = bytes / 4, part = whole / size;
  bool hasPartSrc = kind == FUSER_ALL_GATHER || kind == FUSER_GATHER;
  bool hasPartDst = kind == FUSER_REDUCE_SCATTER || kind == FUSER_SCATTER;
  bool isWhole = !hasPartSrc && !hasPartDst && kind != FUSER_ALL_TO_ALL;
  transfer.src_count = hasPartSrc ? part : isWhole ? whole : part * size;
  transfer.dst_count = hasPartDst ? part : isWhole ? whole : part * size;
  if (kind == FUSER_PERMUTE) {
    transfer.num_pairs = int32_t(size);
    transfer.pairs = ring.data();
  }
  return transfer;
}

void Rank::postBareMessages(const FuserTransfer &transfer) {
  auto &nccl = static_cast<NcclCommunicator &>(*communicator).getLibrary();
  nccl::Comm comm = static_cast<NcclGroup &>(*group).comm;
  auto send = [&](int64_t peer, int64_t index, int64_t count) {
    nccl.send(static_cast<const char *>(src) + index * count * 4, size_t(count),
              kFloat, int(peer), comm, stream);
  };
  auto recv = [&](int64_t peer, int64_t index, int64_t count) {
    nccl.recv(static_cast<char *>(dst) + index * count * 4, size_t(count),
              kFloat, int(peer), comm, stream);
  };
  int64_t part = std::min(transfer.src_count, transfer.dst_count);
  nccl.groupStart();
  if (transfer.kind == FUSER_PERMUTE) {
    send((rank + 1) % size, 0, part);
    recv((rank + size - 1) % size, 0, part);
  }
  if (transfer.kind == FUSER_ALL_TO_ALL)
    for (int64_t i = 0; i < size; ++i) {
      send(i, i, part / size);
      recv(i, i, part / size);
    }
  if (transfer.kind == FUSER_GATHER) {
    send(0, 0, part);
    for (int64_t i = 0; rank == 0 && i < size; ++i)
      recv(i, i, part);
  }
  if (transfer.kind == FUSER_SCATTER) {
    for (int64_t i = 0; rank == 0 && i < size; ++i)
      send(i, i, part);
    recv(0, 0, part);
  }
  nccl.groupEnd();
}

void Rank::postBare(const FuserTransfer &transfer) {
  auto &nccl = static_cast<NcclCommunicator &>(*communicator).getLibrary();
  nccl::Comm comm = static_cast<NcclGroup &>(*group).comm;
  auto sent = size_t(transfer.src_count), received = size_t(transfer.dst_count);
  constexpr int sum = 0, root = 0;
  switch (transfer.kind) {
  case FUSER_ALL_GATHER:
    nccl.allGather(src, dst, sent, kFloat, comm, stream);
    return;
  case FUSER_ALL_REDUCE:
    nccl.allReduce(src, dst, sent, kFloat, sum, comm, stream);
    return;
  case FUSER_REDUCE_SCATTER:
    nccl.reduceScatter(src, dst, received, kFloat, sum, comm, stream);
    return;
  case FUSER_BROADCAST:
    nccl.broadcast(src, dst, received, kFloat, root, comm, stream);
    return;
  case FUSER_REDUCE:
    nccl.reduce(src, dst, sent, kFloat, sum, root, comm, stream);
    return;
  default:
    postBareMessages(transfer);
  }
}

/// Of ours and of the bare calls, in turns: the one that comes first changes,
/// and the stream is never so full that a call waits for it.
std::array<double, 2> Rank::hostTimes(const FuserTransfer &transfer) {
  std::vector<double> times[2];
  barrier.wait();
  for (int i = 0; i < 1000; ++i) {
    for (int turn = 0; turn < 2; ++turn) {
      int which = (i + turn) % 2;
      auto start = Clock::now();
      if (which == 0)
        postOurs(transfer);
      else
        postBare(transfer);
      times[which].push_back(microseconds(Clock::now() - start));
    }
    if (i % 8 == 7)
      synchronize();
  }
  return {median(times[0]), median(times[1])};
}

/// Of ours and of the bare calls, in turns, with a stream that is held until
/// all calls are there: what a call takes on the device, whatever the host
/// takes for it. The ranks' streams go on together.
std::array<double, 2> Rank::deviceTimes(const FuserTransfer &transfer,
                                        int64_t bytes) {
  std::vector<double> times[2];
  int count = bytes <= kMaxHostBytes ? 20 : bytes < kSizes[4] ? 8 : 4;
  int turns = bytes <= kMaxHostBytes ? 202 : bytes < kSizes[4] ? 42 : 10;
  for (int i = 0; i < turns; ++i) {
    int which = i % 2;
    std::atomic<bool> mayGo{false};
    timer.hold(stream, mayGo);
    timer.start(stream);
    for (int call = 0; call < count; ++call)
      if (which == 0)
        postOurs(transfer);
      else
        postBare(transfer);
    timer.stop(stream);
    barrier.wait();
    mayGo = true;
    synchronize();
    times[which].push_back(timer.microseconds() / count);
  }
  return {median(times[0]), median(times[1])};
}

void Rank::measure(int32_t kind, int64_t bytes) {
  FuserTransfer transfer = makeTransfer(kind, bytes);
  for (int i = 0; i < 3; ++i) { // Connects the ranks.
    postOurs(transfer);
    postBare(transfer);
  }
  synchronize();
  std::array<double, 2> host{}, device = deviceTimes(transfer, bytes);
  bool hasHost = bytes <= kMaxHostBytes;
  if (hasHost)
    host = hostTimes(transfer);
  if (rank != 0)
    return;
  const char *name = kKindNames[kind];
  printf("%-14s %11lld", name, static_cast<long long>(bytes));
  if (hasHost)
    printf(" %9.2f %9.2f %+8.3f", host[0], host[1], host[0] - host[1]);
  else
    printf(" %9s %9s %8s", "-", "-", "-");
  printf(" %11.2f %11.2f %7.3f %8.1f\n", device[0], device[1],
         device[0] / device[1], double(bytes) / device[0] * 1e-3);
  fflush(stdout);
  if (!options.json)
    return;
  fprintf(options.json,
          "{\"collective\": \"%s\", \"bytes\": %lld, \"ranks\": %lld, ", name,
          static_cast<long long>(bytes), static_cast<long long>(size));
  if (hasHost)
    fprintf(options.json, "\"host_us\": %.4f, \"host_bare_us\": %.4f, ",
            host[0], host[1]);
  fprintf(options.json, "\"device_us\": %.4f, \"device_bare_us\": %.4f}\n",
          device[0], device[1]);
}

void Rank::run(const nccl::UniqueId &id) {
  require(fuser_context_create_cuda(int32_t(rank), &context));
  Device &device = *context->device;
  require(createNcclCommunicator(device, {&id, nullptr, rank, size, 60},
                                 communicator));
  require(communicator->getGroup(nullptr, 0, &group));
  Entered entered(device);
  timer.open();
  stream = device.ownStream();
  for (void **data : {&src, &dst}) {
    require(device.allocate(size_t(options.maxBytes), stream, data));
    require(device.zero(*data, size_t(options.maxBytes), stream));
  }
  for (int64_t i = 0; i < size; ++i)
    ring.insert(ring.end(), {i, (i + 1) % size});
  auto &nccl = static_cast<NcclCommunicator &>(*communicator).getLibrary();
  if (rank == 0)
    printf("NCCL %s, %lld x %s; times in microseconds of rank 0\n"
           "%-14s %11s %9s %9s %8s %11s %11s %7s %8s\n",
           nccl.versionText().c_str(), static_cast<long long>(size),
           device.name().c_str(), "collective", "bytes", "host", "bare", "more",
           "device", "bare", "ratio", "GB/s");
  for (int32_t kind : kKinds)
    for (int64_t bytes : kSizes)
      if (bytes <= options.maxBytes)
        measure(kind, bytes);
  barrier.wait();
  device.release(src, stream);
  device.release(dst, stream);
}

static int64_t countGpus() {
  int64_t count = 0;
  for (;; ++count) {
    FuserContext *context = nullptr;
    FuserStatus *status = fuser_context_create_cuda(int32_t(count), &context);
    fuser_status_destroy(status);
    if (!context)
      return count;
    fuser_context_destroy(context);
  }
}

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 < argc && strcmp(argv[i], "--json") == 0)
      options.json = fopen(argv[i + 1], "w");
    else if (i + 1 < argc && strcmp(argv[i], "--max-bytes") == 0)
      options.maxBytes = atoll(argv[i + 1]);
    else
      i = argc;
    if (i >= argc || options.maxBytes < kSizes[0] ||
        (strcmp(argv[i], "--json") == 0 && !options.json)) {
      fprintf(stderr, "usage: fuser_nccl_bench [--json FILE] [--max-bytes N], "
                      "with a file that can be written and N >= 4096\n");
      return 2;
    }
  }
  options.size = countGpus();
  if (options.size < 2) {
    fprintf(stderr, "fuser_nccl_bench: expected two GPUs or more, got %lld\n",
            static_cast<long long>(options.size));
    return 1;
  }
  nccl::UniqueId id;
  require(makeNcclId(&id));
  Barrier barrier(options.size);
  std::vector<std::unique_ptr<Rank>> ranks;
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < options.size; ++i)
    ranks.push_back(std::make_unique<Rank>(i, options, barrier));
  for (auto &rank : ranks)
    threads.emplace_back([&rank, &id] {
      rank->run(id);
      rank.reset();
    });
  for (std::thread &thread : threads)
    thread.join();
  if (options.json)
    fclose(options.json);
  return 0;
}
