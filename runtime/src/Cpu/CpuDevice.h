//===- CpuDevice.h - The CPU as a device -----------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work on the caller's stream is run at once by the caller and the thread pool.
// Worker streams are queues with a thread each; their launches use the pool
// when it is free and their own thread when not.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_CPU_CPUDEVICE_H
#define FUSER_RT_CPU_CPUDEVICE_H

#include "Cpu/CpuStream.h"
#include "Cpu/MemoryPool.h"
#include "Device.h"

#include <cstring>

namespace fuser_rt {

class CpuDevice : public Device {
public:
  /// `threads` counts the caller's.
  explicit CpuDevice(unsigned threads);
  ~CpuDevice() override { fuser_status_destroy(CpuDevice::afterFork()); }

  Target target() const override { return Target::Cpu; }
  bool reaches(const DLDevice &other) const override {
    // Pinned and managed memory of a GPU is host memory too.
    return other.device_type == kDLCPU || other.device_type == kDLCUDAHost ||
           other.device_type == kDLCUDAManaged;
  }
  /// Whether this processor has what the variant's code needs.
  bool canRun(const Variant &variant, std::string &why) const override;

  FuserStatus *allocate(size_t bytes, void *stream, void **data) override;
  void release(void *data, void *stream) override;
  void beforeForeignRelease(void *stream) override { of(stream).synchronize(); }
  size_t freeBytes() const override;
  FuserStatus *copy(void *dst, const void *src, size_t bytes,
                    void *stream) override;
  FuserStatus *zero(void *data, size_t bytes, void *stream) override;
  FuserStatus *copyAndWait(void *dst, const void *src, size_t bytes,
                           void *stream) override;

  void *ownStream() override { return &callers; }
  FuserStatus *checkStream(void *stream) override;
  FuserStatus *wait(void *stream, void *other) override;
  FuserStatus *synchronize(void *stream) override;
  FuserStatus *joinWorkers(void *stream) override;
  FuserStatus *submit(std::function<FuserStatus *()> work,
                      void *stream) override;
  bool isSynchronous() const override { return true; }
  FuserStatus *setDelays(uint64_t seed, int32_t mostMicroseconds) override;
  void delay(void *stream) override;
  size_t numberOf(void *stream) const override;
  FuserStatus *startClock() override { return nullptr; }
  void stamp(void *stream, int64_t *nanoseconds) override;
  FuserStatus *settleStamps() override;

  FuserStatus *loadKernels(const Variant &variant, void *object,
                           std::unique_ptr<KernelSet> &kernels) override;
  FuserStatus *launch(KernelSet &kernels, int32_t kernel,
                      const FuserLaunchDims &dims, void *const *params,
                      void *stream) override;
  FuserStatus *matmul(const FuserMatmul &op, void *workspace,
                      void *stream) override;

protected:
  /// The one that launches share, made by the first.
  ThreadPool &getPool() {
    if (!pool)
      pool = std::make_unique<ThreadPool>(threads);
    return *pool;
  }
  /// The code of a kernel that is part of the variant's shared object.
  static FuserStatus *findKernel(void *object, const KernelSpec &spec,
                                 void *&symbol);

private:
  size_t maxWorkers() const override;
  FuserStatus *worker(size_t number, void **stream) override;
  FuserStatus *afterFork() override;
  static CpuStream &of(void *stream) {
    return *static_cast<CpuStream *>(stream);
  }
  /// Of the caller's stream, 0, or of a worker, from 1 on.
  Delays getDelays(size_t stream) const {
    return Delays(delaySeed, stream, mostDelay);
  }

  MemoryPool memory;
  unsigned threads;
  std::unique_ptr<ThreadPool> pool;
  std::vector<std::string> features;
  uint64_t delaySeed = 0;
  int32_t mostDelay = 0; ///< In microseconds.
  CpuStream callers;
  // After the pool and the memory, which their last tasks use.
  std::vector<std::unique_ptr<CpuStream>> workers;
};

/// The parameters of a launch that is in a queue, eight bytes each.
struct QueuedParams {
  std::vector<uint64_t> values;

  QueuedParams(void *const *params, uint32_t count) : values(count) {
    for (uint32_t i = 0; i < count; ++i)
      memcpy(&values[i], params[i], sizeof(uint64_t));
  }

  std::vector<void *> pointers() {
    std::vector<void *> result;
    for (uint64_t &value : values)
      result.push_back(&value);
    return result;
  }
};

/// As many as asked for, or for 0 as the process may run on.
FuserStatus *checkThreads(int32_t asked, unsigned &threads);

} // namespace fuser_rt

#endif // FUSER_RT_CPU_CPUDEVICE_H
