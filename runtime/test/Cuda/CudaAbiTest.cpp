//===- CudaAbiTest.cpp - Our declarations against cuda.h ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Built where cuda.h is. Everything here is checked when it is compiled.
//
//===----------------------------------------------------------------------===//

#include "Cuda/CudaDriver.h"
#include "fuser_rt/Program.h"

#include <cuda.h>
#include <gtest/gtest.h>
#include <type_traits>

using namespace fuser_rt;

#define SAME_OFFSET(ours, our, theirs, their)                                  \
  static_assert(offsetof(cu::ours, our) == offsetof(theirs, their), #our)
#define SAME_VALUE(our, their)                                                 \
  static_assert(int64_t(cu::our) == int64_t(their), #our)

static_assert(sizeof(cu::LaunchConfig) == sizeof(CUlaunchConfig),
              "LaunchConfig");
SAME_OFFSET(LaunchConfig, gridX, CUlaunchConfig, gridDimX);
SAME_OFFSET(LaunchConfig, blockX, CUlaunchConfig, blockDimX);
SAME_OFFSET(LaunchConfig, sharedBytes, CUlaunchConfig, sharedMemBytes);
SAME_OFFSET(LaunchConfig, stream, CUlaunchConfig, hStream);
SAME_OFFSET(LaunchConfig, attributes, CUlaunchConfig, attrs);
SAME_OFFSET(LaunchConfig, numAttributes, CUlaunchConfig, numAttrs);
static_assert(sizeof(cu::LaunchAttribute) == sizeof(CUlaunchAttribute),
              "LaunchAttribute");
SAME_OFFSET(LaunchAttribute, value, CUlaunchAttribute, value);
SAME_OFFSET(LaunchAttribute, value.cluster.z, CUlaunchAttribute,
            value.clusterDim.z);
static_assert(sizeof(cu::MemoryPoolProps) == sizeof(CUmemPoolProps),
              "MemoryPoolProps");
SAME_OFFSET(MemoryPoolProps, location, CUmemPoolProps, location);
SAME_OFFSET(MemoryPoolProps, maxSize, CUmemPoolProps, maxSize);
SAME_OFFSET(MemoryPoolProps, reserved, CUmemPoolProps, reserved);
static_assert(sizeof(cu::DevicePtr) == sizeof(CUdeviceptr), "DevicePtr");

SAME_VALUE(success, CUDA_SUCCESS);
SAME_VALUE(errorOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
SAME_VALUE(errorNotReady, CUDA_ERROR_NOT_READY);
SAME_VALUE(errorLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SAME_VALUE(maxRegistersPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
SAME_VALUE(maxThreadsPerMultiprocessor,
           CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
SAME_VALUE(computeCapabilityMajor,
           CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_VALUE(computeCapabilityMinor,
           CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_VALUE(memoryPoolsSupported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
SAME_VALUE(functionMaxThreads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(functionSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME_VALUE(functionLocalBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME_VALUE(functionRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME_VALUE(functionMaxDynamicShared,
           CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME_VALUE(functionNonPortableCluster,
           CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
SAME_VALUE(jitMaxRegisters, CU_JIT_MAX_REGISTERS);
SAME_VALUE(jitErrorLog, CU_JIT_ERROR_LOG_BUFFER);
SAME_VALUE(jitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME_VALUE(streamDefault, CU_STREAM_DEFAULT);
SAME_VALUE(streamNonBlocking, CU_STREAM_NON_BLOCKING);
SAME_VALUE(eventDefault, CU_EVENT_DEFAULT);
SAME_VALUE(eventDisableTiming, CU_EVENT_DISABLE_TIMING);
SAME_VALUE(poolReleaseThreshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
SAME_VALUE(poolReservedCurrent, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
SAME_VALUE(poolUsedCurrent, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
SAME_VALUE(allocationPinned, CU_MEM_ALLOCATION_TYPE_PINNED);
SAME_VALUE(locationDevice, CU_MEM_LOCATION_TYPE_DEVICE);
SAME_VALUE(errorCooperativeLaunchTooLarge,
           CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
SAME_OFFSET(LaunchAttribute, value.flag, CUlaunchAttribute, value.cooperative);
SAME_OFFSET(LaunchAttribute, value.flag, CUlaunchAttribute,
            value.programmaticStreamSerializationAllowed);
SAME_VALUE(launchCooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
SAME_VALUE(launchClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME_VALUE(launchProgrammatic,
           CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);

static_assert(sizeof(cu::TensorMap) == sizeof(CUtensorMap), "TensorMap");
static_assert(alignof(cu::TensorMap) >= alignof(CUtensorMap), "TensorMap");
static_assert(std::is_same_v<cuuint64_t, uint64_t> &&
                  std::is_same_v<cuuint32_t, unsigned>,
              "numbers of tensorMapEncodeTiled");

// What a program file says of a tensor map goes to the driver as it is.
#define SAME_ELEMENT(our, their)                                               \
  static_assert(int(TensorMapElement::our) == CU_TENSOR_MAP_DATA_TYPE_##their, \
                #our)
SAME_ELEMENT(U8, UINT8);
SAME_ELEMENT(U16, UINT16);
SAME_ELEMENT(U32, UINT32);
SAME_ELEMENT(I32, INT32);
SAME_ELEMENT(U64, UINT64);
SAME_ELEMENT(I64, INT64);
SAME_ELEMENT(F16, FLOAT16);
SAME_ELEMENT(F32, FLOAT32);
SAME_ELEMENT(F64, FLOAT64);
SAME_ELEMENT(BF16, BFLOAT16);
static_assert(CU_TENSOR_MAP_INTERLEAVE_NONE == 0 &&
              CU_TENSOR_MAP_INTERLEAVE_16B == 1 &&
              CU_TENSOR_MAP_INTERLEAVE_32B == 2);
static_assert(CU_TENSOR_MAP_SWIZZLE_NONE == 0 &&
              CU_TENSOR_MAP_SWIZZLE_32B == 1 &&
              CU_TENSOR_MAP_SWIZZLE_64B == 2 &&
              CU_TENSOR_MAP_SWIZZLE_128B == 3);
static_assert(CU_TENSOR_MAP_L2_PROMOTION_NONE == 0 &&
              CU_TENSOR_MAP_L2_PROMOTION_L2_64B == 1 &&
              CU_TENSOR_MAP_L2_PROMOTION_L2_128B == 2 &&
              CU_TENSOR_MAP_L2_PROMOTION_L2_256B == 3);
static_assert(CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE == 0 &&
              CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA == 1);

TEST(CudaAbi, IsThatOfTheHeader) { SUCCEED() << "checked when compiled"; }
