//===- CudaDevice.cpp - A GPU as a device ---------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda/CudaClock.h"
#include "Cuda/CudaKernels.h"
#include "Cuda/CudaMatmul.h"

#include <cstdlib>

using namespace fuser_rt;

/// A GPU feeds its streams through hardware queues, at most 32, and 8 unless
/// CUDA_DEVICE_MAX_CONNECTIONS says more. Streams beyond those share a queue,
/// in which work of one waits for work of another that it does not depend on:
/// more streams cost memory and bring nothing.
static constexpr size_t kMaxWorkers = 32;

namespace {
class CudaDevice : public Device {
public:
  ~CudaDevice() override;
  FuserStatus *open(int32_t ordinal);

  void *enter() override;
  void leave(void *entered) override;

  Target target() const override { return Target::Cuda; }
  bool reaches(const DLDevice &other) const override {
    return (other.device_type == kDLCUDA &&
            other.device_id == device.device_id) ||
           other.device_type == kDLCUDAManaged;
  }
  bool canRun(const Variant &variant, std::string &why) const override;

  FuserStatus *allocate(size_t bytes, void *stream, void **data) override;
  void release(void *data, void *stream) override;
  size_t freeBytes() const override;
  FuserStatus *copy(void *dst, const void *src, size_t bytes,
                    void *stream) override;
  FuserStatus *zero(void *data, size_t bytes, void *stream) override;
  FuserStatus *copyAndWait(void *dst, const void *src, size_t bytes,
                           void *stream) override;

  void *ownStream() override { return own; }
  FuserStatus *checkStream(void *) override { return nullptr; }
  FuserStatus *wait(void *stream, void *other) override;
  FuserStatus *synchronize(void *stream) override;
  FuserStatus *submit(std::function<FuserStatus *()> work, void *) override {
    return work();
  }
  FuserStatus *joinWorkers(void *stream) override;
  bool isSynchronous() const override { return false; }
  size_t numberOf(void *stream) const override;
  FuserStatus *startClock() override { return clock.start(own); }
  void stamp(void *stream, int64_t *nanoseconds) override {
    clock.stamp(of(stream), nanoseconds);
  }
  FuserStatus *settleStamps() override { return clock.settle(); }

  FuserStatus *loadKernels(const Variant &variant, void *object,
                           std::unique_ptr<KernelSet> &kernels) override;
  FuserStatus *launch(KernelSet &kernels, int32_t kernel,
                      const FuserLaunchDims &dims, void *const *params,
                      void *stream) override {
    return static_cast<CudaKernelSet &>(kernels).launch(kernel, dims, params,
                                                        of(stream));
  }
  bool describeLaunch(const KernelSet &kernels, int32_t kernel,
                      const FuserLaunchDims &dims,
                      KernelResources &resources) const override {
    return static_cast<const CudaKernelSet &>(kernels).describe(
        kernel, dims, maxThreads, resources);
  }
  size_t matmulWorkspaceBytes() const override {
    return CudaMatmul::workspaceBytes;
  }
  FuserStatus *matmul(const FuserMatmul &op, void *workspace,
                      void *stream) override {
    return products.run(*this, op, workspace, stream);
  }

private:
  size_t maxWorkers() const override { return kMaxWorkers; }
  FuserStatus *worker(size_t number, void **stream) override;
  FuserStatus *afterFork() override;
  static cu::Stream of(void *stream) { return static_cast<cu::Stream>(stream); }
  static cu::DevicePtr address(const void *data) {
    return reinterpret_cast<cu::DevicePtr>(data);
  }
  FuserStatus *describeDevice();
  FuserStatus *createPool();

  cu::Driver driver;
  cu::Device handle = 0;
  cu::Context context = nullptr;
  cu::MemoryPool pool = nullptr;
  cu::Stream own = nullptr;
  std::vector<cu::Stream> workers;
  // One is enough for all waits: cuStreamWaitEvent waits for what the event has
  // last recorded when it is called, and a later record changes nothing about
  // that. Record and wait are one step, since calls on a context are not
  // concurrent, so no other record comes between them, and an event that the
  // caller could hold on to does not exist.
  cu::Event event = nullptr;
  CudaClock clock{driver};
  CudaMatmul products;
  int major = 0, minor = 0, registersPerBlock = 0;
  int maxThreads = 0; ///< Of a multiprocessor.
};
} // namespace

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

FuserStatus *CudaDevice::describeDevice() {
  char text[256] = "GPU";
  driver.deviceGetName(text, sizeof(text) - 1, handle);
  deviceName = text;
  int pools = 0;
  auto ask = [&](int &value, int attribute) {
    return driver.check(driver.deviceGetAttribute(&value, attribute, handle),
                        "asking for what the GPU can do");
  };
  FUSER_RETURN_IF_ERROR(ask(major, cu::computeCapabilityMajor));
  FUSER_RETURN_IF_ERROR(ask(minor, cu::computeCapabilityMinor));
  FUSER_RETURN_IF_ERROR(ask(registersPerBlock, cu::maxRegistersPerBlock));
  FUSER_RETURN_IF_ERROR(ask(maxThreads, cu::maxThreadsPerMultiprocessor));
  FUSER_RETURN_IF_ERROR(ask(pools, cu::memoryPoolsSupported));
  archName = format("sm_%d%d", major, minor);
  if (!pools)
    return makeError(
        FUSER_NO_DEVICE,
        "expected a GPU with stream-ordered memory, got '%s' (%s) without it",
        deviceName.c_str(), archName.c_str());
  return nullptr;
}

/// A pool of our own, so that how it keeps memory is no one else's business.
FuserStatus *CudaDevice::createPool() {
  cu::MemoryPoolProps props{};
  props.allocationType = cu::allocationPinned;
  props.location = {cu::locationDevice, handle};
  FUSER_RETURN_IF_ERROR(driver.check(driver.memPoolCreate(&pool, &props),
                                     "making a memory pool"));
  uint64_t keepAll = UINT64_MAX;
  return driver.check(
      driver.memPoolSetAttribute(pool, cu::poolReleaseThreshold, &keepAll),
      "setting up the memory pool");
}

FuserStatus *CudaDevice::open(int32_t ordinal) {
  FUSER_RETURN_IF_ERROR(driver.open());
  int count = 0;
  FUSER_RETURN_IF_ERROR(
      driver.check(driver.deviceGetCount(&count), "counting the GPUs"));
  if (ordinal < 0 || ordinal >= count)
    return makeError(FUSER_NO_DEVICE,
                     "no such GPU: expected an ordinal of 0 to %d, got %d%s",
                     count - 1, ordinal,
                     count ? ""
                           : ": there is no GPU; the targets cpu and sim need "
                             "none");
  FUSER_RETURN_IF_ERROR(
      driver.check(driver.deviceGet(&handle, ordinal), "opening the GPU"));
  device = {kDLCUDA, ordinal};
  FUSER_RETURN_IF_ERROR(describeDevice());
  FUSER_RETURN_IF_ERROR(driver.check(driver.primaryCtxRetain(&context, handle),
                                     "retaining the primary context"));
  Entered entered(*this);
  // A stream that waits for the legacy default stream, and it for this one:
  // frameworks work there unless told otherwise, and pass null for it.
  FUSER_RETURN_IF_ERROR(driver.check(
      driver.streamCreate(&own, cu::streamDefault), "making a stream"));
  FUSER_RETURN_IF_ERROR(driver.check(
      driver.eventCreate(&event, cu::eventDisableTiming), "making an event"));
  return createPool();
}

/// The driver's state in the parent is nothing that a child can use.
FuserStatus *CudaDevice::afterFork() {
  return makeError(FUSER_DEVICE_ERROR,
                   "'%s': expected the process that opened the GPU, got one "
                   "that was forked off from it, where CUDA does not work: "
                   "open the GPU after the fork, and not before it",
                   deviceName.c_str());
}

CudaDevice::~CudaDevice() {
  if (!context || !forks.isCurrent())
    return;
  {
    Entered entered(*this);
    products.close();
    clock.close();
    for (cu::Stream worker : workers)
      if (worker)
        driver.streamDestroy(worker);
    if (own)
      driver.streamDestroy(own);
    if (event)
      driver.eventDestroy(event);
    if (pool)
      driver.memPoolDestroy(pool);
  }
  driver.primaryCtxRelease(handle);
}

void *CudaDevice::enter() {
  cu::Context current = nullptr;
  driver.ctxGetCurrent(&current);
  if (__builtin_expect(current != context, 0))
    driver.ctxSetCurrent(context);
  return current;
}

void CudaDevice::leave(void *entered) {
  if (__builtin_expect(entered != context, 0))
    driver.ctxSetCurrent(static_cast<cu::Context>(entered));
}

/// sm_90 code runs on sm_90 and later; sm_90a on sm_90 alone; sm_100f on sm_100
/// and later of its major version.
bool CudaDevice::canRun(const Variant &variant, std::string &why) const {
  int here = major * 10 + minor;
  char *suffix = nullptr;
  long arch = 0;
  if (variant.arch.rfind("sm_", 0) == 0)
    arch = strtol(variant.arch.c_str() + 3, &suffix, 10);
  bool fits = arch > 0 && arch <= here;
  if (fits && *suffix == 'a')
    fits = arch == here;
  if (fits && *suffix == 'f')
    fits = arch / 10 == here / 10;
  if (!fits)
    why = format("it is for %s, and the GPU is %s", variant.arch.c_str(),
                 archName.c_str());
  return fits;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

FuserStatus *CudaDevice::allocate(size_t bytes, void *stream, void **data) {
  cu::DevicePtr memory = 0;
  cu::Result result =
      driver.memAllocFromPoolAsync(&memory, bytes, pool, of(stream));
  if (result == cu::errorOutOfMemory) {
    // What was freed on other streams, and what the pool keeps in pieces that
    // do not fit.
    driver.ctxSynchronize();
    driver.memPoolTrimTo(pool, 0);
    result = driver.memAllocFromPoolAsync(&memory, bytes, pool, of(stream));
  }
  if (result == cu::errorOutOfMemory)
    return makeError(
        FUSER_OUT_OF_MEMORY,
        "out of memory on '%s': asked for %zu bytes, %zu bytes are free",
        deviceName.c_str(), bytes, freeBytes());
  FUSER_RETURN_IF_ERROR(driver.check(result, "allocating memory"));
  *data = reinterpret_cast<void *>(memory);
  return nullptr;
}

void CudaDevice::release(void *data, void *stream) {
  driver.memFreeAsync(address(data), of(stream));
}

size_t CudaDevice::freeBytes() const {
  size_t free = 0, total = 0;
  driver.memGetInfo(&free, &total);
  return free;
}

FuserStatus *CudaDevice::copy(void *dst, const void *src, size_t bytes,
                              void *stream) {
  if (bytes == 0)
    return nullptr;
  cu::Result result =
      driver.memcpyAsync(address(dst), address(src), bytes, of(stream));
  return result == cu::success
             ? nullptr
             : driver.error(result, format("copying %zu bytes", bytes));
}

FuserStatus *CudaDevice::zero(void *data, size_t bytes, void *stream) {
  return driver.check(driver.memsetD8Async(address(data), 0, bytes, of(stream)),
                      "filling memory with zeros");
}

FuserStatus *CudaDevice::copyAndWait(void *dst, const void *src, size_t bytes,
                                     void *stream) {
  FUSER_RETURN_IF_ERROR(copy(dst, src, bytes, stream));
  return synchronize(stream);
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

FuserStatus *CudaDevice::worker(size_t number, void **stream) {
  if (workers.size() <= number)
    workers.resize(number + 1);
  cu::Stream &worker = workers[number];
  if (!worker)
    FUSER_RETURN_IF_ERROR(
        driver.check(driver.streamCreate(&worker, cu::streamNonBlocking),
                     "making a stream"));
  *stream = worker;
  return nullptr;
}

size_t CudaDevice::numberOf(void *stream) const {
  for (size_t i = 0; i < workers.size(); ++i)
    if (stream && workers[i] == stream)
      return i + 1;
  return 0;
}

FuserStatus *CudaDevice::wait(void *stream, void *other) {
  // A stream is in order with itself; numbers beyond the pool share streams.
  if (stream == other)
    return nullptr;
  FUSER_RETURN_IF_ERROR(
      driver.check(driver.eventRecord(event, of(other)), "recording an event"));
  return driver.check(driver.streamWaitEvent(of(stream), event, 0),
                      "waiting for an event");
}

FuserStatus *CudaDevice::synchronize(void *stream) {
  return driver.check(driver.streamSynchronize(of(stream)),
                      "waiting for the GPU");
}

FuserStatus *CudaDevice::joinWorkers(void *stream) {
  FuserStatus *first = nullptr;
  for (cu::Stream worker : workers) {
    FuserStatus *status = worker ? wait(stream, worker) : nullptr;
    if (first)
      fuser_status_destroy(status);
    else
      first = status;
  }
  return first;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

FuserStatus *CudaDevice::loadKernels(const Variant &variant, void *,
                                     std::unique_ptr<KernelSet> &kernels) {
  auto result =
      std::make_unique<CudaKernelSet>(driver, variant, registersPerBlock,
                                      /*hasProgrammatic=*/major >= 9);
  FUSER_RETURN_IF_ERROR(result->load());
  kernels = std::move(result);
  return nullptr;
}

FuserStatus *fuser_rt::createCudaDevice(int32_t ordinal,
                                        std::unique_ptr<Device> &device) {
  auto result = std::make_unique<CudaDevice>();
  FUSER_RETURN_IF_ERROR(result->open(ordinal));
  device = std::move(result);
  return nullptr;
}
