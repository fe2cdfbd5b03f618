//===- KernelToNVPTX.cpp - Kernels for NVIDIA GPUs ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/Kernels/KernelToNVPTX.h"
#include "KernelOps.h"
#include "fuser/Conversion/KernelSignature.h"
#include "fuser/Conversion/Kernels/KernelStage.h"
#include "fuser/Support/GpuTarget.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
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
  populateKernelSyncPatterns(converter, patterns);
  populateKernelMemoryPatterns(converter, patterns);
  populateKernelNeighbourPatterns(converter, patterns);

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

/// Wide enough for what is copied there without threads.
constexpr uint64_t kDynamicSharedAlignment = 128;

/// What the lowerings of attributions and of gpu.dynamic_shared_memory leave to
/// us.
static void setSharedAttributes(LLVM::GlobalOp global) {
  uint64_t alignment = kSharedAlignment;
  auto array = dyn_cast<LLVM::LLVMArrayType>(global.getType());
  if (array && array.getNumElements() == 0) {
    // Of the size that the launch gives. As a global of the module's own it
    // would become one of a byte.
    global.setLinkage(LLVM::Linkage::External);
    alignment = kDynamicSharedAlignment;
  }
  global.setAlignment(std::max(alignment, global.getAlignment().value_or(1)));
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
      setSharedAttributes(global);
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static LogicalResult lowerKernels(gpu::GPUModuleOp module, StringRef arch) {
  KernelSignatureOptions options;
  options.addressSpace = kGlobalSpace;
  for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
    dropNoAlias(kernel);
    if (failed(lowerKernelSignature(
            cast<FunctionOpInterface>(kernel.getOperation()), options)))
      return failure();
  }
  if (failed(expandFloat8Conversions(module, arch)))
    return failure();
  expandBFloat16Extensions(module);
  if (failed(expandKernelOps(module)) ||
      failed(lowerKernelControlFlow(module)) || failed(convertToLLVM(module)) ||
      failed(removeKernelCasts(module)))
    return failure();
  if (failed(finishKernels(module)))
    return failure();
  splitLoopAddresses(module);
  return success();
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
        failed(verifyKernelOps(getOperation(), arch)) ||
        failed(lowerKernelFunctions(getOperation())) ||
        failed(runPipeline(simplify, getOperation())) ||
        failed(lowerKernels(getOperation(), arch)))
      signalPassFailure();
  }
};
} // namespace

} // namespace fuser
