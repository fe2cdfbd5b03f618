//===- CudaKernels.h - Kernels on a GPU -----------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The images of a variant (PTX or cubins) stay, as part of the loaded program.
// The driver loads them for the device at hand when the variant is loaded. When
// a launch asks for more than the kernel can do as it is, the kernel behind the
// index is replaced:
//
// - The block has more threads than the registers of a thread allow: the PTX is
//   compiled again with the JIT's register limit set to what the device has for
//   so many threads. The same when the driver answers that a launch is out of
//   resources (once). More threads than the PTX says (`.maxntid`, `.reqntid`),
//   or a cubin allows, are an error.
// - More than 48 KiB of dynamic shared memory, or a cluster of more than 8
//   blocks: the attribute of the function is set; nothing is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_CUDA_CUDAKERNELS_H
#define FUSER_RT_CUDA_CUDAKERNELS_H

#include "Cuda/CudaDriver.h"
#include "Cuda/TensorMaps.h"
#include "Device.h"

#include <vector>

namespace fuser_rt {

struct CudaKernel {
  cu::Function function = nullptr;
  /// The largest block that it can be launched with as it is.
  int maxThreads = 0;
  /// What it was set up for: how much it may have without, beside what it names
  /// itself, the driver does not say.
  int dynamicSharedBytes = 0;
  bool largeClusters = false;
};

class CudaKernelSet : public KernelSet {
public:
  CudaKernelSet(const cu::Driver &driver, const Variant &variant,
                int registersPerBlock, bool hasProgrammatic)
      : driver(driver), variant(variant), registersPerBlock(registersPerBlock),
        hasProgrammatic(hasProgrammatic) {}
  ~CudaKernelSet() override;

  /// Compiles the variant's images and finds its kernels.
  FuserStatus *load();
  FuserStatus *launch(int32_t index, const FuserLaunchDims &dims,
                      void *const *params, cu::Stream stream);
  /// What such a launch takes of a multiprocessor that can have `maxThreads`;
  /// false if the driver does not know.
  bool describe(int32_t index, const FuserLaunchDims &dims, int maxThreads,
                KernelResources &resources) const;

private:
  FuserStatus *compile(const std::string &image, int maxRegisters,
                       cu::Module &module);
  FuserStatus *find(cu::Module module, const KernelSpec &spec,
                    CudaKernel &kernel);
  FuserStatus *relimit(int32_t index, const FuserLaunchDims &dims);
  FuserStatus *prepare(int32_t index, const FuserLaunchDims &dims);
  void addAttributes(const FuserLaunchDims &dims,
                     cu::LaunchConfig &config) const;
  FuserStatus *launchFailed(cu::Result result, int32_t index,
                            const FuserLaunchDims &dims);

  const cu::Driver &driver;
  const Variant &variant;
  int registersPerBlock;
  bool hasProgrammatic; ///< Programmatic launches.
  std::vector<cu::Module> modules;
  std::vector<CudaKernel> kernels;
  std::vector<TensorMaps> tensorMaps; ///< Of each kernel.
};

} // namespace fuser_rt

#endif // FUSER_RT_CUDA_CUDAKERNELS_H
