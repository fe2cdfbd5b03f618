//===- Device.h - What the runtime asks of a device -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_DEVICE_H
#define FUSER_RT_DEVICE_H

#include "ForkGuard.h"
#include "Status.h"
#include "fuser_rt/Program.h"
#include "fuser_rt/fuser_rt.h"
#include "fuser_rt/host_abi.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace fuser_rt {

/// The host's clock, which never goes back, in nanoseconds.
inline int64_t steadyNanoseconds() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

/// The kernels of one variant, loaded on a device; launched by their index.
class KernelSet {
public:
  virtual ~KernelSet() = default;
};

/// What a kernel takes of a GPU's multiprocessor in a launch.
struct KernelResources {
  int32_t registers = 0;   ///< Of a thread.
  int32_t sharedBytes = 0; ///< Of a block.
  int32_t localBytes = 0;  ///< Of a thread: what is spilled, and its stack.
  /// The threads that fit on a multiprocessor, of those that it can have.
  int32_t occupancyPercent = 0;
};

/// A device with its memory, streams and kernels. Streams are opaque: a
/// CUstream, or one of the CPU device's own objects. A call asks whether the
/// device is usable first (`checkUsable`); between `enter` and `leave` it may
/// use the device; `release` may come from any thread.
class Device {
public:
  virtual ~Device() = default;

  const DLDevice &dlDevice() const { return device; }
  /// Of the programs that run here.
  virtual Target target() const = 0;
  const std::string &arch() const { return archName; }
  const std::string &name() const { return deviceName; }

  /// Null, or why the device cannot be used in this process, which was forked
  /// off.
  FuserStatus *checkUsable() {
    return __builtin_expect(forks.isCurrent(), 1) ? nullptr : afterFork();
  }

  /// Makes the device current on this thread. What it returns goes to `leave`.
  virtual void *enter() { return nullptr; }
  virtual void leave(void * /*entered*/) {}

  /// True if tensors on `other` can be used as if they were on this device.
  virtual bool reaches(const DLDevice &other) const = 0;
  /// True if the code of a variant of this target runs here; else `why` says
  /// why not.
  virtual bool canRun(const Variant &variant, std::string &why) const = 0;

  // Memory. Stream-ordered on `stream`, aligned to 256 bytes. `bytes` is not 0.
  virtual FuserStatus *allocate(size_t bytes, void *stream, void **data) = 0;
  virtual void release(void *data, void *stream) = 0;
  /// Called before memory used on `stream` goes back to the caller's allocator.
  virtual void beforeForeignRelease(void * /*stream*/) {}
  virtual size_t freeBytes() const = 0;
  virtual FuserStatus *copy(void *dst, const void *src, size_t bytes,
                            void *stream) = 0;
  virtual FuserStatus *zero(void *data, size_t bytes, void *stream) = 0;
  /// Between host and device in either direction; complete on return.
  virtual FuserStatus *copyAndWait(void *dst, const void *src, size_t bytes,
                                   void *stream) = 0;

  // Streams.
  virtual void *ownStream() = 0;
  /// Whether `stream` can be made the current stream.
  virtual FuserStatus *checkStream(void *stream) = 0;
  /// The worker for stream `index` of a program, from 1 on: those of the pool
  /// take turns, so that a program that takes a stream for each step of a loop
  /// makes no more than the pool has.
  FuserStatus *workerStream(int64_t index, void **stream) {
    if (__builtin_expect(index < 1, 0))
      return noSuchStream(index);
    return worker(size_t(index - 1) % maxWorkers(), stream);
  }
  /// `stream` waits for what `other` has been given so far.
  virtual FuserStatus *wait(void *stream, void *other) = 0;
  virtual FuserStatus *synchronize(void *stream) = 0;
  /// `stream` waits for all worker streams.
  virtual FuserStatus *joinWorkers(void *stream) = 0;
  /// Host work in the order of `stream`: on a CPU it runs when the stream gets
  /// there, and what fails on a worker stream is reported by `synchronize`; on
  /// a GPU it runs at once, and enqueues.
  virtual FuserStatus *submit(std::function<FuserStatus *()> work,
                              void *stream) = 0;
  /// True if a run is complete when it returns, so that workers are always
  /// joined.
  virtual bool isSynchronous() const = 0;

  // A test of the order between streams: they sleep before pieces of their
  // work.
  virtual FuserStatus *setDelays(uint64_t seed, int32_t mostMicroseconds) {
    (void)seed;
    (void)mostMicroseconds;
    return makeError(FUSER_UNIMPLEMENTED,
                     "expected a context of the CPU, whose streams can be "
                     "delayed, got one of '%s'",
                     deviceName.c_str());
  }
  virtual void delay(void * /*stream*/) {}

  // A simulated GPU, whose kernels are checked.
  virtual FuserStatus *setSimulation(uint32_t checks, uint64_t seed) {
    (void)checks;
    (void)seed;
    return makeError(FUSER_UNIMPLEMENTED,
                     "expected a context of a simulated GPU, got one of '%s'",
                     deviceName.c_str());
  }
  virtual bool isChecked() const { return false; }
  /// A run begins that is given this tensor, whose elements it is to write if
  /// `isOutput`.
  virtual void noteTensor(const DLTensor & /*tensor*/, bool /*isOutput*/) {}
  /// It has ended.
  virtual void forgetTensor(const DLTensor & /*tensor*/) {}
  /// A run has ended with this output: an error if it was not written whole.
  virtual FuserStatus *checkWritten(const DLTensor & /*tensor*/,
                                    const std::string & /*name*/) {
    return nullptr;
  }
  /// Something else than a kernel has written.
  virtual void noteWritten(const void * /*data*/, size_t /*bytes*/) {}

  // Traces.
  /// A worker's number, from 1 on; 0 for another stream.
  virtual size_t numberOf(void *stream) const = 0;
  /// Before the first stamp. Waits for the device.
  virtual FuserStatus *startClock() = 0;
  /// `*nanoseconds` gets the time of the host's steady clock at which `stream`
  /// gets here, at the latest in `settleStamps`.
  virtual void stamp(void *stream, int64_t *nanoseconds) = 0;
  /// Waits for the device.
  virtual FuserStatus *settleStamps() = 0;

  // Kernels.
  /// `object` is the variant's shared object, as opened by dlopen; it outlives
  /// the kernels.
  virtual FuserStatus *loadKernels(const Variant &variant, void *object,
                                   std::unique_ptr<KernelSet> &kernels) = 0;
  /// `kernel` is in range; the grid may be empty.
  virtual FuserStatus *launch(KernelSet &kernels, int32_t kernel,
                              const FuserLaunchDims &dims, void *const *params,
                              void *stream) = 0;

  /// What the same launch takes; false where nothing is known of that.
  virtual bool describeLaunch(const KernelSet & /*kernels*/, int32_t /*kernel*/,
                              const FuserLaunchDims & /*dims*/,
                              KernelResources & /*resources*/) const {
    return false;
  }

  /// Memory that matmul takes.
  virtual size_t matmulWorkspaceBytes() const { return 0; }
  /// A matrix product. The result has elements; sums may have no terms.
  virtual FuserStatus *matmul(const FuserMatmul &op, void *workspace,
                              void *stream) = 0;

protected:
  /// The size of the pool of worker streams.
  virtual size_t maxWorkers() const = 0;
  /// Worker `number` of the pool, made when first asked for.
  virtual FuserStatus *worker(size_t number, void **stream) = 0;

  /// Called in a process that was forked off until `forks` says that the device
  /// is this process's.
  virtual FuserStatus *afterFork() = 0;

  ForkGuard forks;
  DLDevice device{kDLCPU, 0};
  std::string archName, deviceName;

private:
  static FuserStatus *noSuchStream(int64_t index) {
    return makeError(FUSER_INVALID_ARGUMENT,
                     "expected a stream of 0 or more, as streams are numbered "
                     "from the caller's on, got %lld",
                     static_cast<long long>(index));
  }
};

/// The number of work items or blocks of a grid; -1 if it is negative or beyond
/// 2^62.
inline int64_t gridItems(const FuserLaunchDims &dims) {
  constexpr int64_t most = int64_t(1) << 62;
  int64_t items = 1;
  for (int64_t size : dims.grid)
    if (size < 0 || __builtin_mul_overflow(items, size, &items) || items > most)
      return -1;
  return items;
}

FuserStatus *createCpuDevice(int32_t numThreads,
                             std::unique_ptr<Device> &device);
FuserStatus *createCudaDevice(int32_t ordinal, std::unique_ptr<Device> &device);
FuserStatus *createSimDevice(int32_t numThreads,
                             std::unique_ptr<Device> &device);

/// Makes the device current as long as it lives.
class Entered {
public:
  explicit Entered(Device &device) : device(device), token(device.enter()) {}
  ~Entered() { device.leave(token); }
  Entered(const Entered &) = delete;
  Entered &operator=(const Entered &) = delete;

private:
  Device &device;
  void *token;
};

} // namespace fuser_rt

#endif // FUSER_RT_DEVICE_H
