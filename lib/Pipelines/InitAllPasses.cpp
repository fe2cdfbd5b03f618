//===- InitAllPasses.cpp - Registration of all passes ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/InitAllPasses.h"
#include "fuser/Conversion/CPUToLLVM.h"
#include "fuser/Conversion/FusionToHost.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "fuser/Conversion/HostToLLVM.h"
#include "fuser/Conversion/Kernels/KernelMath.h"
#include "fuser/Conversion/Kernels/KernelStage.h"
#include "fuser/Conversion/Kernels/KernelToNVPTX.h"
#include "fuser/Conversion/Kernels/KernelToSim.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "fuser/Dialect/Fusion/Transforms/Segmentation.h"
#include "fuser/Dialect/Host/Transforms/Passes.h"
#include "fuser/Frontend/Passes.h"
#include "fuser/Pipelines/Pipelines.h"
#include "fuser/Pipelines/SegmentationPolicy.h"
#include "fuser/Reference/Passes.h"
#include "fuser/Target/EmitKernels.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

void fuser::registerAllPasses(Targets targets) {
  mlir::registerTransformsPasses();
  mlir::memref::registerResolveRankedShapeTypeResultDimsPass();
  fusion::registerFusionPasses(getSegmentationPolicy(targets));
  frontend::registerFuserFrontendPasses();
  host::registerHostPasses();
  registerCPUToLLVMPasses();
  registerEmitKernelsPass(targets);
  registerFusionToHostPasses();
  registerFusionToKernelPasses(targets);
  registerHostToLLVMPasses();
  registerKernelMathPasses();
  registerKernelStagePasses();
  registerKernelToNVPTXPasses();
  registerKernelToSimPasses();
  registerFuserReferencePasses();
  registerFuserPipelines(targets);
}
