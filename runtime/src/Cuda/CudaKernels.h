//===- CudaKernels.h - Kernels on a GPU -----------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PTX of a variant stays, as part of the loaded program. It is compiled by
// the driver for the device at hand when the variant is loaded. When a launch
// asks for more than the compiled kernel can do, the kernel behind the index is
// replaced:
//
// - The block has more threads than the kernel was compiled for (its
//   `.maxntid` or `.reqntid`, or too many registers a thread): the module is
//   compiled again with that directive of this kernel rewritten to the new
//   block, and with the JIT's register limit set to what the device has for so
//   many threads. The same when the driver answers that a launch is out of
//   resources (once).
// - More than 48 KiB of dynamic shared memory, or a cluster of more than 8
//   blocks: the attribute of the function is set; nothing is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_CUDA_CUDAKERNELS_H
#define FUSER_RT_CUDA_CUDAKERNELS_H

#include "Cuda/CudaDriver.h"
#include "Device.h"

#include <vector>

namespace fuser_rt {

struct CudaKernel {
  cu::Function function = nullptr;
  /// The largest block that it can be launched with as it is.
  int maxThreads = 0;
  int dynamicSharedBytes = 48 << 10;
  bool largeClusters = false;
};

class CudaKernelSet : public KernelSet {
public:
  CudaKernelSet(const cu::Driver &driver, const Variant &variant,
                int registersPerBlock)
      : driver(driver), variant(variant), registersPerBlock(registersPerBlock) {
  }
  ~CudaKernelSet() override;

  /// Compiles the variant's images and finds its kernels.
  FuserStatus *load();
  FuserStatus *launch(int32_t index, const FuserLaunchDims &dims,
                      void *const *params, cu::Stream stream);

private:
  FuserStatus *compile(const std::string &ptx, int maxRegisters,
                       cu::Module &module);
  FuserStatus *find(cu::Module module, const KernelSpec &spec,
                    CudaKernel &kernel);
  FuserStatus *relimit(int32_t index, const FuserLaunchDims &dims);
  FuserStatus *prepare(int32_t index, const FuserLaunchDims &dims);
  FuserStatus *launchFailed(cu::Result result, int32_t index,
                            const FuserLaunchDims &dims);

  const cu::Driver &driver;
  const Variant &variant;
  int registersPerBlock;
  std::vector<cu::Module> modules;
  std::vector<CudaKernel> kernels;
};

/// The PTX with the `.maxntid` or `.reqntid` of kernel `name` set to blocks of
/// `x` x `y` x `z` threads. Unchanged where the kernel has none.
std::string rewriteLaunchBounds(const std::string &ptx, const std::string &name,
                                int x, int y, int z);

} // namespace fuser_rt

#endif // FUSER_RT_CUDA_CUDAKERNELS_H
