//===- CpuDevice.cpp - The CPU as a device --------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cpu/CpuDevice.h"
#include "Cpu/CpuMatmul.h"
#include "Status.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <unistd.h>

using namespace fuser_rt;

namespace {
struct CpuKernel {
  FuserCpuKernel function;
  size_t scratchBytes;
  uint32_t numParams;
};

struct CpuKernelSet : KernelSet {
  std::vector<CpuKernel> kernels;
};

/// A launch: what ThreadPool calls back with.
struct Launch {
  FuserCpuKernel function;
  void *const *params;

  static void run(void *user, int64_t begin, int64_t end, void *scratch) {
    auto *launch = static_cast<Launch *>(user);
    launch->function(launch->params, begin, end, scratch);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// What the CPU has
//===----------------------------------------------------------------------===//

static unsigned availableThreads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // Fails on machines with more processors than the set holds.
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1l, sysconf(_SC_NPROCESSORS_ONLN));
}

/// A feature's name as /proc/cpuinfo has it, without punctuation; from there or
/// from LLVM.
static std::string canonicalFeature(std::string name) {
  static constexpr const char *aliases[][2] = {
      {"lzcnt", "abm"},    {"sse3", "pni"},    {"pclmul", "pclmulqdq"},
      {"rdrnd", "rdrand"}, {"sahf", "lahflm"}, {"prfchw", "3dnowprefetch"},
      {"sha", "shani"},    {"bmi", "bmi1"},
  };
  name.erase(
      std::remove_if(name.begin(), name.end(),
                     [](char c) { return c == '_' || c == '.' || c == '-'; }),
      name.end());
  for (auto &alias : aliases)
    if (name == alias[0])
      return alias[1];
  return name;
}

/// The features of the first processor.
static std::vector<std::string> readFeatures() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, word;
  std::vector<std::string> result;
  while (std::getline(file, line))
    if (line.rfind("flags", 0) == 0 || line.rfind("Features", 0) == 0) {
      std::istringstream words(line.substr(line.find(':') + 1));
      while (words >> word)
        result.push_back(canonicalFeature(word));
      break;
    }
  return result;
}

static std::string readName() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line))
    if (line.rfind("model name", 0) == 0 &&
        line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "CPU";
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

CpuDevice::CpuDevice(unsigned threads)
    : threads(threads), features(readFeatures()) {
  device = {kDLCPU, 0};
  archName = "cpu";
  deviceName = readName();
}

/// The other threads are gone, and what they were changing is half changed: it
/// is left alone, and memory from there is freed here. The objects stay where
/// they are, since tensors know their stream.
FuserStatus *CpuDevice::afterFork() {
  forks.ensure([this] {
    new (&memory) MemoryPool(memory.liveBytes());
    new (&callers) CpuStream;
    callers.delays = getDelays(0);
    new (&workers) decltype(workers);
    static_cast<void>(pool.release());
  });
  return nullptr;
}

bool CpuDevice::canRun(const Variant &variant, std::string &why) const {
  for (const std::string &feature : variant.features)
    if (std::find(features.begin(), features.end(),
                  canonicalFeature(feature)) == features.end()) {
      why =
          format("it needs the CPU feature '%s', which this CPU does not have",
                 feature.c_str());
      return false;
    }
  return true;
}

FuserStatus *CpuDevice::allocate(size_t bytes, void *, void **data) {
  *data = memory.allocate(bytes);
  if (*data)
    return nullptr;
  return makeError(
      FUSER_OUT_OF_MEMORY,
      "out of memory on the CPU: asked for %zu bytes, %zu bytes are free",
      bytes, freeBytes());
}

void CpuDevice::release(void *data, void *stream) {
  if (of(stream).isWorker())
    of(stream).push([this, data] { memory.release(data); });
  else
    memory.release(data);
}

size_t CpuDevice::freeBytes() const {
  std::ifstream file("/proc/meminfo");
  std::string key;
  size_t kibibytes;
  std::string unit;
  while (file >> key >> kibibytes) {
    if (key == "MemAvailable:")
      return kibibytes * 1024;
    std::getline(file, unit);
  }
  return size_t(sysconf(_SC_AVPHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
}

FuserStatus *CpuDevice::copy(void *dst, const void *src, size_t bytes,
                             void *stream) {
  if (bytes == 0)
    return nullptr;
  if (of(stream).isWorker())
    of(stream).push([=] { memmove(dst, src, bytes); });
  else
    memmove(dst, src, bytes);
  return nullptr;
}

FuserStatus *CpuDevice::zero(void *data, size_t bytes, void *stream) {
  if (of(stream).isWorker())
    of(stream).push([=] { memset(data, 0, bytes); });
  else
    memset(data, 0, bytes);
  return nullptr;
}

FuserStatus *CpuDevice::copyAndWait(void *dst, const void *src, size_t bytes,
                                    void *stream) {
  FUSER_RETURN_IF_ERROR(synchronize(stream));
  if (bytes)
    memmove(dst, src, bytes);
  return nullptr;
}

FuserStatus *CpuDevice::checkStream(void *stream) {
  if (stream == &callers)
    return nullptr;
  for (const std::unique_ptr<CpuStream> &worker : workers)
    if (worker.get() == stream)
      return nullptr;
  return makeError(
      FUSER_INVALID_ARGUMENT,
      "expected a stream of this CPU context, got another pointer (%p)",
      stream);
}

/// Each worker is a thread, besides those of the pool that launches share: more
/// of them than programs have independent work for would only take turns.
static constexpr size_t kMaxWorkers = 8;

size_t CpuDevice::maxWorkers() const { return kMaxWorkers; }

FuserStatus *CpuDevice::worker(size_t number, void **stream) {
  if (workers.size() <= number)
    workers.resize(number + 1);
  std::unique_ptr<CpuStream> &worker = workers[number];
  if (!worker) {
    auto fresh = std::make_unique<CpuStream>();
    fresh->delays = getDelays(number + 1);
    fresh->start();
    worker = std::move(fresh);
  }
  *stream = worker.get();
  return nullptr;
}

FuserStatus *CpuDevice::wait(void *stream, void *other) {
  FUSER_RETURN_IF_ERROR(checkStream(other));
  // What the caller's stream was given is done already, and a stream is in
  // order with itself.
  if (stream == other || !of(other).isWorker())
    return nullptr;
  CpuStream *awaited = &of(other);
  uint64_t ticket = awaited->record();
  if (of(stream).isWorker())
    of(stream).push([awaited, ticket] { awaited->waitFor(ticket); });
  else
    awaited->waitFor(ticket);
  return nullptr;
}

FuserStatus *CpuDevice::synchronize(void *stream) {
  if (!of(stream).isWorker())
    return nullptr;
  of(stream).synchronize();
  return of(stream).takeError();
}

FuserStatus *CpuDevice::submit(std::function<FuserStatus *()> work,
                               void *stream) {
  CpuStream *worker = &of(stream);
  if (!worker->isWorker())
    return work();
  worker->push([worker, work = std::move(work)] {
    if (FuserStatus *error = guarded(work))
      worker->fail(error);
  });
  return nullptr;
}

FuserStatus *CpuDevice::joinWorkers(void *) {
  FuserStatus *first = nullptr;
  for (std::unique_ptr<CpuStream> &worker : workers) {
    if (!worker)
      continue;
    FuserStatus *status = synchronize(worker.get());
    if (first)
      fuser_status_destroy(status);
    else
      first = status;
  }
  return first;
}

//===----------------------------------------------------------------------===//
// Delays
//===----------------------------------------------------------------------===//

FuserStatus *CpuDevice::setDelays(uint64_t seed, int32_t mostMicroseconds) {
  if (mostMicroseconds < 0)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "expected delays of 0 or more microseconds, got %" PRId32,
                     mostMicroseconds);
  delaySeed = seed;
  mostDelay = mostMicroseconds;
  callers.delays = getDelays(0);
  for (size_t i = 0; i < workers.size(); ++i)
    if (workers[i])
      workers[i]->delays = getDelays(i + 1);
  return nullptr;
}

void CpuDevice::delay(void *stream) {
  // Drawn here and not in the task: by one thread, in the program's order.
  auto time = of(stream).delays.next();
  if (of(stream).isWorker())
    of(stream).push([time] { std::this_thread::sleep_for(time); });
  else
    std::this_thread::sleep_for(time);
}

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

size_t CpuDevice::numberOf(void *stream) const {
  for (size_t i = 0; i < workers.size(); ++i)
    if (workers[i].get() == stream)
      return i + 1;
  return 0;
}

void CpuDevice::stamp(void *stream, int64_t *nanoseconds) {
  if (of(stream).isWorker())
    of(stream).push([nanoseconds] { *nanoseconds = steadyNanoseconds(); });
  else
    *nanoseconds = steadyNanoseconds();
}

FuserStatus *CpuDevice::settleStamps() {
  // Not `synchronize`, which takes the errors of the streams.
  for (std::unique_ptr<CpuStream> &worker : workers)
    if (worker)
      worker->synchronize();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

FuserStatus *CpuDevice::findKernel(void *object, const KernelSpec &spec,
                                   void *&symbol) {
  symbol = dlsym(object, spec.name.c_str());
  if (symbol)
    return nullptr;
  return makeError(FUSER_BAD_PROGRAM,
                   "expected the program's object to define the kernel "
                   "'%s', got no such symbol",
                   spec.name.c_str());
}

FuserStatus *CpuDevice::loadKernels(const Variant &variant, void *object,
                                    std::unique_ptr<KernelSet> &kernels) {
  auto result = std::make_unique<CpuKernelSet>();
  for (const KernelSpec &spec : variant.kernels) {
    void *symbol = nullptr;
    FUSER_RETURN_IF_ERROR(findKernel(object, spec, symbol));
    result->kernels.push_back({reinterpret_cast<FuserCpuKernel>(symbol),
                               size_t(spec.scratchBytes), spec.numParams});
  }
  kernels = std::move(result);
  return nullptr;
}

static FuserStatus *noScratch(const CpuDevice &device, size_t bytes,
                              const ThreadPool &pool) {
  return makeError(FUSER_OUT_OF_MEMORY,
                   "out of memory on the CPU: a kernel asks for %zu bytes of "
                   "scratch for each of "
                   "%u threads, %zu bytes are free",
                   bytes, pool.size(), device.freeBytes());
}

FuserStatus *CpuDevice::launch(KernelSet &kernels, int32_t index,
                               const FuserLaunchDims &dims, void *const *params,
                               void *stream) {
  const CpuKernel &kernel = static_cast<CpuKernelSet &>(kernels).kernels[index];
  if (dims.flags & FUSER_LAUNCH_COOPERATIVE)
    return makeError(
        FUSER_BAD_PROGRAM,
        "expected no cooperative launch on a CPU, whose work items "
        "run one after the other, got one of kernel %" PRId32,
        index);
  int64_t items = gridItems(dims);
  if (items < 0)
    return makeError(FUSER_INTERNAL,
                     "expected a grid of 0 to 2^62 work items, got %" PRId64
                     " x %" PRId64 " x %" PRId64,
                     dims.grid[0], dims.grid[1], dims.grid[2]);
  if (items == 0)
    return nullptr;
  ThreadPool &pool = getPool();
  if (!of(stream).isWorker()) {
    Launch launch{kernel.function, params};
    return pool.run({Launch::run, &launch, kernel.scratchBytes}, items,
                    callers.scratch)
               ? nullptr
               : noScratch(*this, kernel.scratchBytes, pool);
  }
  CpuStream *worker = &of(stream);
  worker->push([this, &pool, kernel, items, worker,
                queued = QueuedParams(params, kernel.numParams)]() mutable {
    std::vector<void *> pointers = queued.pointers();
    Launch launch{kernel.function, pointers.data()};
    if (!pool.run({Launch::run, &launch, kernel.scratchBytes}, items,
                  worker->scratch))
      worker->fail(noScratch(*this, kernel.scratchBytes, pool));
  });
  return nullptr;
}

FuserStatus *CpuDevice::matmul(const FuserMatmul &op, void *, void *stream) {
  auto run = [this, &pool = getPool()](const FuserMatmul &op,
                                       Scratch &scratch) -> FuserStatus * {
    auto blocks = [](void *user, int64_t begin, int64_t end, void *scratch) {
      matmulBlocks(*static_cast<const FuserMatmul *>(user), begin, end,
                   scratch);
    };
    auto *user = const_cast<FuserMatmul *>(&op);
    size_t bytes = getMatmulScratch(op);
    return pool.run({blocks, user, bytes}, countMatmulBlocks(op), scratch)
               ? nullptr
               : noScratch(*this, bytes, pool);
  };
  if (CpuStream *worker = &of(stream); worker->isWorker())
    worker->push([=] {
      if (FuserStatus *status = run(op, worker->scratch))
        worker->fail(status);
    });
  else
    return run(op, callers.scratch);
  return nullptr;
}

FuserStatus *fuser_rt::checkThreads(int32_t asked, unsigned &threads) {
  constexpr int32_t most = 4096;
  if (asked < 0 || asked > most)
    return makeError(FUSER_INVALID_ARGUMENT, "expected 0 to %d threads, got %d",
                     most, asked);
  threads = asked ? unsigned(asked) : availableThreads();
  return nullptr;
}

FuserStatus *fuser_rt::createCpuDevice(int32_t numThreads,
                                       std::unique_ptr<Device> &device) {
  unsigned threads = 0;
  FUSER_RETURN_IF_ERROR(checkThreads(numThreads, threads));
  device = std::make_unique<CpuDevice>(threads);
  return nullptr;
}
