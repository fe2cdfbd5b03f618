//===- KernelToNVPTX.cpp - Kernels for NVIDIA GPUs ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/Kernels/KernelToNVPTX.h"
#include "fuser/Conversion/KernelSignature.h"
#include "fuser/Conversion/Kernels/KernelStage.h"
#include "fuser/Support/GpuTarget.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace fuser {

#define GEN_PASS_DEF_KERNELTONVPTXPASS
#include "fuser/Conversion/Kernels/KernelToNVPTX.h.inc"

/// The LLVM address space of what kernels are given pointers to.
constexpr unsigned kGlobalSpace =
    static_cast<unsigned>(NVVM::NVVMMemorySpace::Global);
constexpr unsigned kSharedSpace =
    static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
constexpr unsigned kClusterSpace =
    static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster);

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

static LogicalResult convertToLLVM(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  LLVMTypeConverter converter(context, options);
  configureGpuToNVVMTypeConverter(converter);
  addKernelTypeConversions(converter, kClusterSpace);
  RewritePatternSet patterns(context);
  populateKernelStageToLLVMPatterns(converter, patterns);
  populateGpuToNVVMConversionPatterns(converter, patterns);

  LLVMConversionTarget target(*context);
  target.addLegalDialect<NVVM::NVVMDialect>();
  target.addLegalOp<gpu::GPUModuleOp>();
  // What the signature lowering has put between pointers and memrefs.
  target.addLegalOp<UnrealizedConversionCastOp>();
  target.addIllegalDialect<gpu::GPUDialect>();
  target.addLegalOp<gpu::GPUModuleOp>();
  return applyFullConversion(module, target, std::move(patterns));
}

/// What the lowering of gpu.func leaves to us.
static void setKernelAttributes(LLVM::LLVMFuncOp kernel) {
  Builder builder(kernel.getContext());
  if (auto blocks = kernel->getAttrOfType<IntegerAttr>(kMinBlocksAttrName)) {
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(blocks.getInt()));
    kernel->removeAttr(kMinBlocksAttrName);
  }
}

static LogicalResult finishKernels(gpu::GPUModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      continue;
    if (failed(pruneKernelParams(function)))
      return failure();
    setKernelAttributes(function);
  }
  for (auto global : module.getOps<LLVM::GlobalOp>())
    if (global.getAddrSpace() == kSharedSpace)
      global.setAlignment(std::max<uint64_t>(
          kSharedAlignment, global.getAlignment().value_or(1)));
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static LogicalResult lowerKernels(gpu::GPUModuleOp module) {
  KernelSignatureOptions options;
  options.addressSpace = kGlobalSpace;
  for (auto kernel : module.getOps<gpu::GPUFuncOp>())
    if (failed(lowerKernelSignature(
            cast<FunctionOpInterface>(kernel.getOperation()), options)))
      return failure();
  if (failed(expandKernelOps(module)) ||
      failed(lowerKernelControlFlow(module)) || failed(convertToLLVM(module)) ||
      failed(removeKernelCasts(module)))
    return failure();
  return finishKernels(module);
}

namespace {
struct KernelToNVPTXPass : impl::KernelToNVPTXPassBase<KernelToNVPTXPass> {
  using Base::Base;
  void runOnOperation() override {
    if (isLowered(getOperation()))
      return;
    OpPassManager simplify(gpu::GPUModuleOp::getOperationName());
    simplify.addPass(createCanonicalizerPass());
    simplify.addPass(createCSEPass());
    if (failed(verifyKernelStage(getOperation())) ||
        failed(lowerKernelFunctions(getOperation())) ||
        failed(runPipeline(simplify, getOperation())) ||
        failed(lowerKernels(getOperation())))
      signalPassFailure();
  }
};
} // namespace

} // namespace fuser
