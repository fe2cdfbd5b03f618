//===- SimTarget.cpp - The target for simulated GPUs ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of the target cuda, as they are before they become PTX, compiled
// for this machine.
//
//===----------------------------------------------------------------------===//

#include "GpuProcessor.h"
#include "fuser/Conversion/KernelEmitters.h"
#include "fuser/Conversion/Kernels/KernelMath.h"
#include "fuser/Conversion/Kernels/KernelToSim.h"
#include "fuser/Pipelines/Targets.h"
#include "fuser/Support/GpuTarget.h"
#include "fuser/Target/CPU/CpuTarget.h"
#include "fuser/Target/Sim/SimLibrary.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"

using namespace fuser;

/// Decisions are those for the GPU; the code is for this machine.
static FailureOr<Architecture> resolveArch(StringRef arch,
                                           EmitError emitError) {
  if (!arch.empty() && failed(lookupGpuTarget(arch, emitError)))
    return failure();
  FailureOr<CpuInfo> cpu = resolveCpu("", emitError);
  if (failed(cpu))
    return failure();
  return Architecture{cpu->name, cpu->features};
}

/// Decisions are those for the usual GPU.
static std::string getDeviceArch(StringRef) { return ""; }

static void buildKernelLowering(OpPassManager &passes,
                                const KernelLoweringOptions &options) {
  passes.addNestedPass<gpu::GPUModuleOp>(createKernelExpandMathPass());
  passes.addPass(createKernelToSimPass({options.check}));
}

static std::string getHostArch(StringRef) { return ""; }

const Target &fuser::getSimTarget() {
  static constexpr Target kTarget{"sim",
                                  "gpu",
                                  fuser_rt::Target::Sim,
                                  getGpuSchedulers,
                                  findGpuProcessor,
                                  getGpuTargetNames,
                                  resolveArch,
                                  getDeviceArch,
                                  buildKernelLowering,
                                  /*emitImages=*/nullptr,
                                  getHostArch,
                                  linkSimLibrary};
  return kTarget;
}
