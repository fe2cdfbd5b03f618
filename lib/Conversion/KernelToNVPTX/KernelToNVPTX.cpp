//===- KernelToNVPTX.cpp - Kernels for NVIDIA GPUs ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/KernelToNVPTX.h"
#include "MathPatterns.h"
#include "fuser/Conversion/KernelSignature.h"
#include "fuser/Support/GpuTarget.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace fuser {

#define GEN_PASS_DEF_KERNELTONVPTXPASS
#include "fuser/Conversion/KernelToNVPTX.h.inc"

/// Loads and stores of shared memory are at most so wide, in bytes.
constexpr uint64_t kSharedAlignment = 16;

/// The LLVM address space of what kernels are given pointers to.
constexpr unsigned kGlobalSpace =
    static_cast<unsigned>(NVVM::NVVMMemorySpace::Global);
constexpr unsigned kSharedSpace =
    static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

/// True if `op` is a function, or an approximate quotient, of types that LLVM
/// has too: then its lowering needs nothing but itself.
static bool isFunction(Operation *op, const LLVMTypeConverter &converter) {
  auto quotient = dyn_cast<arith::DivFOp>(op);
  bool isApproximateQuotient =
      quotient &&
      bitEnumContainsAll(quotient.getFastmath(), arith::FastMathFlags::afn);
  return (isApproximateQuotient || isa<math::MathDialect>(op->getDialect())) &&
         converter.isLegal(op);
}

/// Functions become calls and intrinsics before anything is folded. A fold
/// computes the function of a constant otherwise than the kernel does, and what
/// is constant depends on where the program was cut.
static LogicalResult lowerFunctions(gpu::GPUModuleOp module) {
  LowerToLLVMOptions options(module.getContext());
  LLVMTypeConverter converter(module.getContext(), options);
  RewritePatternSet patterns(module.getContext());
  populateMathToNVPTXPatterns(converter, patterns);
  ConversionTarget target(*module.getContext());
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return !isFunction(op, converter); });
  ConversionConfig config;
  config.foldingMode = DialectConversionFoldingMode::Never;
  return applyPartialConversion(module, target, std::move(patterns), config);
}

/// Ops that have no lowering of their own become simpler ones of the same
/// dialects.
static LogicalResult expandOps(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateGpuRewritePatterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  memref::populateExpandOpsPatterns(patterns);
  memref::populateExpandStridedMetadataPatterns(patterns);
  populateVectorToSCFConversionPatterns(
      patterns, VectorTransferToSCFOptions().enableFullUnroll());
  vector::populateVectorBitCastLoweringPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorMaskMaterializationPatterns(
      patterns, /*force32BitVectorIndices=*/true);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorMultiReductionLoweringPatterns(
      patterns, vector::VectorMultiReductionLowering::InnerReduction);
  vector::populateVectorRankReducingFMAPattern(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorTransferLoweringPatterns(patterns,
                                                 /*maxTransferRank=*/1);
  return applyPatternsGreedily(module, std::move(patterns));
}

/// Loops and conditions become branches, and affine.apply, which views have
/// become, arithmetic.
static LogicalResult lowerStructuredControlFlow(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateAffineToStdConversionPatterns(patterns);
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*module.getContext());
  target.addIllegalDialect<affine::AffineDialect, scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

static LogicalResult convertToLLVM(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  LLVMTypeConverter converter(context, options);
  configureGpuToNVVMTypeConverter(converter);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateGpuToNVVMConversionPatterns(converter, patterns);
  populateMathToNVPTXPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns,
                                         /*reassociateFPReductions=*/false,
                                         /*force32BitVectorIndices=*/true);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);

  LLVMConversionTarget target(*context);
  target.addLegalDialect<NVVM::NVVMDialect>();
  target.addLegalOp<gpu::GPUModuleOp>();
  // What the signature lowering has put between pointers and memrefs.
  target.addLegalOp<UnrealizedConversionCastOp>();
  target.addIllegalDialect<gpu::GPUDialect>();
  target.addLegalOp<gpu::GPUModuleOp>();
  return applyFullConversion(module, target, std::move(patterns));
}

/// Removes the casts that the steps have left, which all cancel out.
static LogicalResult removeCasts(gpu::GPUModuleOp module) {
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp op) { casts.push_back(op); });
  SmallVector<UnrealizedConversionCastOp> remaining;
  reconcileUnrealizedCasts(casts, &remaining);
  for (UnrealizedConversionCastOp op : remaining) {
    if (!op->use_empty())
      return op.emitError() << "no lowering from " << op.getOperandTypes()
                            << " to " << op.getResultTypes();
    op.erase();
  }
  return success();
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
      global.setAlignment(
          std::max(kSharedAlignment, global.getAlignment().value_or(1)));
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
  if (failed(expandOps(module)) || failed(lowerStructuredControlFlow(module)) ||
      failed(convertToLLVM(module)) || failed(removeCasts(module)))
    return failure();
  return finishKernels(module);
}

/// It has been through this pass.
static bool isLowered(gpu::GPUModuleOp module) {
  return llvm::any_of(module.getOps<LLVM::LLVMFuncOp>(),
                      [](LLVM::LLVMFuncOp function) {
                        return function->hasAttr(host::kParamsAttrName);
                      });
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
        failed(lowerFunctions(getOperation())) ||
        failed(runPipeline(simplify, getOperation())) ||
        failed(lowerKernels(getOperation())))
      signalPassFailure();
  }
};
} // namespace

} // namespace fuser
