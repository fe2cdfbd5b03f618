//===- CudaTarget.cpp - The target for NVIDIA GPUs -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuProcessor.h"
#include "fuser/Conversion/KernelEmitters.h"
#include "fuser/Conversion/Kernels/KernelMath.h"
#include "fuser/Conversion/Kernels/KernelToNVPTX.h"
#include "fuser/Pipelines/Targets.h"
#include "fuser/Target/PTX/TranslateToPTX.h"
#include "mlir/Pass/PassManager.h"

using namespace fuser;

/// A parameter of a kernel takes so many bytes at most.
static constexpr int64_t kParamBytes = 8;
/// Simple instructions of a multiprocessor.
static constexpr double kOperationsPerSecond = 128 * 1.5e9;
/// What a launch takes on an H100.
static constexpr double kLaunchSeconds = 2.6e-6;

std::optional<schedule::Processor> fuser::findGpuProcessor(StringRef arch) {
  const GpuTarget *gpu =
      findGpuTarget(arch.empty() ? StringRef(kDefaultGpuArch) : arch);
  if (!gpu)
    return std::nullopt;
  schedule::Processor processor;
  processor.name = gpu->arch.str();
  processor.multiprocessors = gpu->multiprocessors;
  processor.registersPerMultiprocessor = gpu->registersPerMultiprocessor;
  processor.sharedBytesPerBlock = gpu->sharedBytesPerBlock;
  processor.maxClusterBlocks = gpu->hasClusters() ? kMaxClusterBlocks : 1;
  processor.hasProgrammaticLaunch = gpu->computeCapability >= 90;
  processor.bytesPerSecond = gpu->bytesPerSecond;
  processor.operationsPerSecond = gpu->multiprocessors * kOperationsPerSecond;
  processor.launchSeconds = kLaunchSeconds;
  processor.maxParams = gpu->getMaxParamBytes() / kParamBytes;
  return processor;
}

static FailureOr<Architecture> resolveArch(StringRef arch,
                                           EmitError emitError) {
  if (arch.empty())
    return emitError() << "expected an architecture for the target cuda (such "
                          "as sm_90), got none";
  if (failed(lookupGpuTarget(arch, emitError)))
    return failure();
  return Architecture{arch.str(), {}};
}

/// A GPU that is too old keeps its name, for the error.
static std::string getDeviceArch(StringRef device) {
  const GpuTarget *gpu = findGpuTargetForDevice(device);
  return gpu ? gpu->arch.str() : device.str();
}

static void buildKernelLowering(OpPassManager &passes,
                                const KernelLoweringOptions &options) {
  OpPassManager &kernels = passes.nest<gpu::GPUModuleOp>();
  kernels.addPass(createKernelExpandMathPass());
  kernels.addPass(createKernelToNVPTXPass({options.arch.str()}));
}

static FailureOr<std::vector<std::string>>
emitImages(ArrayRef<Operation *> modules, StringRef arch, StepTimer timer) {
  PTXTimings timings;
  PTXOptions options;
  options.arch = arch;
  options.timings = &timings;
  SmallVector<gpu::GPUModuleOp> kernels;
  for (Operation *module : modules) {
    if (!isa<gpu::GPUModuleOp>(module))
      return emitError(module->getLoc(), "expected kernels of a GPU in a "
                                         "gpu.module, got a ")
             << module->getName();
    kernels.push_back(cast<gpu::GPUModuleOp>(module));
  }
  FailureOr<SmallVector<std::string>> texts = translateToPTX(kernels, options);
  if (failed(texts))
    return failure();
  timer("PTX: translate", timings.translate);
  timer("PTX: link", timings.link);
  timer("PTX: optimize", timings.optimize);
  timer("PTX: code generation", timings.codegen);
  return std::vector<std::string>(std::make_move_iterator(texts->begin()),
                                  std::make_move_iterator(texts->end()));
}

/// Programs may be compiled on another machine than they run on.
static std::string getHostArch(StringRef) { return "x86-64"; }

const Target &fuser::getCudaTarget() {
  static constexpr Target kTarget{"cuda",
                                  "gpu",
                                  fuser_rt::Target::Cuda,
                                  getGpuSchedulers,
                                  findGpuProcessor,
                                  getGpuTargetNames,
                                  resolveArch,
                                  getDeviceArch,
                                  buildKernelLowering,
                                  emitImages,
                                  getHostArch,
                                  /*linkLibrary=*/nullptr};
  return kTarget;
}
