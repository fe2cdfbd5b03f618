//===- Pipelines.cpp - The order of the passes ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/Pipelines.h"
#include "fuser/Conversion/CPUToLLVM.h"
#include "fuser/Conversion/FusionToHost.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "fuser/Conversion/HostToLLVM.h"
#include "fuser/Conversion/KernelMath.h"
#include "fuser/Conversion/KernelToNVPTX.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "fuser/Dialect/Host/Transforms/Passes.h"
#include "fuser/Pipelines/SegmentationPolicy.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace fuser;

void fuser::buildFusionPipeline(OpPassManager &pm,
                                const PipelineOptions &options) {
  // The program as it is written decides: what is simplified depends on where
  // it is cut.
  pm.addNestedPass<func::FuncOp>(fusion::createDecideExactnessPass());
  pm.addNestedPass<func::FuncOp>(fusion::createRemoveEmptyPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  OpPassManager &funcs = pm.nest<func::FuncOp>();
  funcs.addPass(fusion::createInferAllocationOrderPass());
  funcs.addPass(fusion::createForwardFactoriesPass());
  // What may be one kernel depends on the GPU.
  bool isGpu = options.target == "cuda" && !options.arch.empty();
  funcs.addPass(fusion::createSegmentPass(
      getSegmentationPolicy, isGpu ? options.arch : options.target));
}

void fuser::buildKernelPipeline(OpPassManager &pm,
                                const PipelineOptions &options) {
  FusionSchedulePassOptions schedule;
  schedule.target = options.target;
  if (!options.arch.empty())
    schedule.arch = options.arch;
  pm.addPass(createFusionSchedulePass(schedule));
  FusionToKernelPassOptions kernel;
  kernel.target = options.target;
  pm.addPass(createFusionToKernelPass(kernel));
}

void fuser::buildHostPipeline(OpPassManager &pm) {
  pm.addPass(createFusionToHostPass());
  pm.addNestedPass<func::FuncOp>(host::createHostDeallocatePass());
}

void fuser::buildKernelLoweringPipeline(OpPassManager &pm,
                                        const PipelineOptions &options) {
  if (options.target == "cuda") {
    OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
    kernels.addPass(createKernelExpandMathPass());
    kernels.addPass(createKernelToNVPTXPass());
    return;
  }
  CPUToLLVMPassOptions cpu;
  cpu.arch = options.arch;
  pm.addPass(createCPUToLLVMPass(cpu));
}

void fuser::buildHostLoweringPipeline(OpPassManager &pm) {
  buildHostToLLVMPipeline(pm);
}

void fuser::registerFuserPipelines() {
  PassPipelineRegistration<PipelineOptions>(
      "fuser-pipeline",
      "Lowers fusion programs to kernels and host programs in the LLVM dialect",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildFusionPipeline(pm, options);
        buildKernelPipeline(pm, options);
        buildHostPipeline(pm);
        buildKernelLoweringPipeline(pm, options);
        buildHostLoweringPipeline(pm);
      });
}
