//===- CpuTarget.cpp - The target for CPUs -------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Target/CPU/CpuTarget.h"
#include "fuser/Conversion/CPUToLLVM.h"
#include "fuser/Conversion/KernelEmitters.h"
#include "fuser/Pipelines/Targets.h"
#include "mlir/Pass/PassManager.h"

using namespace fuser;

/// What LLVM does with the loops and the addresses of many tensors takes a time
/// quadratic in their number.
static constexpr int64_t kMaxParams = 256;
/// Each reduction may wait for the one before: then it is one more loop, which
/// computes again what it needs of the others, so that the code, and LLVM's
/// work on it, grow with the square of their number.
static constexpr int64_t kMaxReductions = 16;

/// Decisions are the same for all CPUs. Speeds are those of one core.
static std::optional<schedule::Processor> findProcessor(StringRef arch) {
  if (!arch.empty() && arch != "cpu")
    return std::nullopt;
  schedule::Processor processor;
  processor.name = "cpu";
  processor.bytesPerSecond = 1.5e10;
  processor.operationsPerSecond = 1.0e11;
  processor.launchSeconds = 5.0e-6;
  processor.maxParams = kMaxParams;
  processor.maxReductions = kMaxReductions;
  return processor;
}

static std::string getProcessorNames() { return "cpu"; }

static FailureOr<Architecture> resolveArch(StringRef arch,
                                           EmitError emitError) {
  FailureOr<CpuInfo> cpu = resolveCpu(arch, emitError);
  if (failed(cpu))
    return failure();
  return Architecture{cpu->name, cpu->features};
}

/// The device is this machine.
static std::string getDeviceArch(StringRef) { return ""; }

static void buildKernelLowering(OpPassManager &passes,
                                const KernelLoweringOptions &options) {
  passes.addPass(createCPUToLLVMPass({options.arch.str()}));
}

static std::string getHostArch(StringRef arch) { return arch.str(); }

const Target &fuser::getCpuTarget() {
  static constexpr Target kTarget{"cpu",
                                  "cpu",
                                  fuser_rt::Target::Cpu,
                                  getCpuSchedulers,
                                  findProcessor,
                                  getProcessorNames,
                                  resolveArch,
                                  getDeviceArch,
                                  buildKernelLowering,
                                  /*emitImages=*/nullptr,
                                  getHostArch,
                                  /*linkLibrary=*/nullptr};
  return kTarget;
}
