//===- CudaDriver.h - The CUDA driver, opened at run time -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The few types and entry points of libcuda that the runtime uses, declared
// here so that nothing of CUDA is needed to build. A test compares them with
// cuda.h where there is one. Names are the driver's without their prefix; a
// suffix (_v2) in the list below is the version of the symbol that is opened.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_CUDA_CUDADRIVER_H
#define FUSER_RT_CUDA_CUDADRIVER_H

#include "Status.h"

#include <cstddef>
#include <cstdint>

namespace fuser_rt::cu {

using Result = int;
using Device = int;
using DevicePtr = unsigned long long;
using Context = struct ContextHandle *;
using Module = struct ModuleHandle *;
using Function = struct FunctionHandle *;
using Stream = struct StreamHandle *;
using Event = struct EventHandle *;
using MemoryPool = struct MemoryPoolHandle *;

enum : Result {
  success = 0,
  errorOutOfMemory = 2,
  errorNotReady = 600,
  errorLaunchOutOfResources = 701,
  errorCooperativeLaunchTooLarge = 720,
};

enum : int { // device attributes
  maxRegistersPerBlock = 12,
  maxThreadsPerMultiprocessor = 39,
  computeCapabilityMajor = 75,
  computeCapabilityMinor = 76,
  memoryPoolsSupported = 115,
};

enum : int { // function attributes
  functionMaxThreads = 0,
  functionSharedBytes = 1,
  functionLocalBytes = 3,
  functionRegisters = 4,
  functionMaxDynamicShared = 8,
  functionNonPortableCluster = 14,
};

enum : int { // options of the JIT
  jitMaxRegisters = 0,
  jitErrorLog = 5,
  jitErrorLogBytes = 6,
};

enum : unsigned {
  streamDefault = 0,
  streamNonBlocking = 1,
  eventDefault = 0,
  eventDisableTiming = 2
};
enum : int {
  poolReleaseThreshold = 4,
  poolReservedCurrent = 5,
  poolUsedCurrent = 7
};
enum : int { allocationPinned = 1, locationDevice = 1 };
enum : unsigned { // launch attributes
  launchCooperative = 2,
  launchClusterDimension = 4,
  launchProgrammatic = 6
};

struct Location {
  int type;
  int id;
};

struct MemoryPoolProps {
  int allocationType;
  int handleTypes;
  Location location;
  void *win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};

struct LaunchAttribute {
  unsigned id;
  char pad[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
    int flag;
  } value;
};

struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

/// CUtensorMap: what the GPU reads, encoded by the driver.
struct alignas(128) TensorMap {
  uint64_t words[16];
};

// name here, symbol, parameters
#define FUSER_CUDA_ENTRY_POINTS(X)                                             \
  X(init, cuInit, (unsigned))                                                  \
  X(getErrorName, cuGetErrorName, (Result, const char **))                     \
  X(getErrorString, cuGetErrorString, (Result, const char **))                 \
  X(deviceGetCount, cuDeviceGetCount, (int *))                                 \
  X(deviceGet, cuDeviceGet, (Device *, int))                                   \
  X(deviceGetName, cuDeviceGetName, (char *, int, Device))                     \
  X(deviceGetAttribute, cuDeviceGetAttribute, (int *, int, Device))            \
  X(primaryCtxRetain, cuDevicePrimaryCtxRetain, (Context *, Device))           \
  X(primaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (Device))                 \
  X(ctxGetCurrent, cuCtxGetCurrent, (Context *))                               \
  X(ctxSetCurrent, cuCtxSetCurrent, (Context))                                 \
  X(ctxSynchronize, cuCtxSynchronize, ())                                      \
  X(memGetInfo, cuMemGetInfo_v2, (size_t *, size_t *))                         \
  X(memPoolCreate, cuMemPoolCreate, (MemoryPool *, const MemoryPoolProps *))   \
  X(memPoolDestroy, cuMemPoolDestroy, (MemoryPool))                            \
  X(memPoolSetAttribute, cuMemPoolSetAttribute, (MemoryPool, int, void *))     \
  X(memPoolGetAttribute, cuMemPoolGetAttribute, (MemoryPool, int, void *))     \
  X(memPoolTrimTo, cuMemPoolTrimTo, (MemoryPool, size_t))                      \
  X(memAllocFromPoolAsync, cuMemAllocFromPoolAsync,                            \
    (DevicePtr *, size_t, MemoryPool, Stream))                                 \
  X(memFreeAsync, cuMemFreeAsync, (DevicePtr, Stream))                         \
  X(memsetD8Async, cuMemsetD8Async,                                            \
    (DevicePtr, unsigned char, size_t, Stream))                                \
  X(memcpyAsync, cuMemcpyAsync, (DevicePtr, DevicePtr, size_t, Stream))        \
  X(streamCreate, cuStreamCreate, (Stream *, unsigned))                        \
  X(streamDestroy, cuStreamDestroy_v2, (Stream))                               \
  X(streamSynchronize, cuStreamSynchronize, (Stream))                          \
  X(streamQuery, cuStreamQuery, (Stream))                                      \
  X(streamWaitEvent, cuStreamWaitEvent, (Stream, Event, unsigned))             \
  X(eventCreate, cuEventCreate, (Event *, unsigned))                           \
  X(eventDestroy, cuEventDestroy_v2, (Event))                                  \
  X(eventRecord, cuEventRecord, (Event, Stream))                               \
  X(eventElapsedTime, cuEventElapsedTime, (float *, Event, Event))             \
  X(moduleLoadDataEx, cuModuleLoadDataEx,                                      \
    (Module *, const void *, unsigned, int *, void **))                        \
  X(moduleUnload, cuModuleUnload, (Module))                                    \
  X(moduleGetFunction, cuModuleGetFunction,                                    \
    (Function *, Module, const char *))                                        \
  X(funcGetAttribute, cuFuncGetAttribute, (int *, int, Function))              \
  X(funcSetAttribute, cuFuncSetAttribute, (Function, int, int))                \
  X(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor,                    \
    (int *, Function, int blockThreads, size_t dynamicSharedBytes))            \
  X(launchKernelEx, cuLaunchKernelEx,                                          \
    (const LaunchConfig *, Function, void **, void **))

// Those that only some programs need: null where the driver has none.
#define FUSER_CUDA_OPTIONAL_ENTRY_POINTS(X)                                    \
  X(tensorMapEncodeTiled, cuTensorMapEncodeTiled,                              \
    (TensorMap *, int type, unsigned rank, void *address,                      \
     const uint64_t *sizes, const uint64_t *strides, const unsigned *box,      \
     const unsigned *steps, int interleave, int swizzle, int l2Promotion,      \
     int fill))

/// The entry points. Opening it twice is cheap: the system keeps one libcuda.
struct Driver {
#define FUSER_CUDA_DECLARE(name, symbol, parameters)                           \
  Result(*name) parameters = nullptr;
  FUSER_CUDA_ENTRY_POINTS(FUSER_CUDA_DECLARE)
  FUSER_CUDA_OPTIONAL_ENTRY_POINTS(FUSER_CUDA_DECLARE)
#undef FUSER_CUDA_DECLARE

  /// Opens libcuda and initialises it. FUSER_NO_DEVICE where that cannot be.
  FuserStatus *open();

  /// The status of a call: null for success. `what` says what was tried, as in
  /// "launching f_0".
  FuserStatus *check(Result result, const std::string &what) const {
    return __builtin_expect(result == success, 1) ? nullptr
                                                  : error(result, what);
  }
  FuserStatus *check(Result result, const char *what) const {
    return __builtin_expect(result == success, 1) ? nullptr
                                                  : error(result, what);
  }
  FuserStatus *error(Result result, const std::string &what) const;
  /// "CUDA_ERROR_X (what it means)".
  std::string describe(Result result) const;
};

} // namespace fuser_rt::cu

#endif // FUSER_RT_CUDA_CUDADRIVER_H
