//===- KernelLowering.cpp - What lowerings of GPU kernels share -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandPatterns.h"
#include "MathPatterns.h"
#include "fuser/Conversion/Kernels/KernelStage.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Support/GpuTarget.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
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
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fuser {

bool isLowered(gpu::GPUModuleOp module) {
  return llvm::any_of(module.getOps<LLVM::LLVMFuncOp>(),
                      [](LLVM::LLVMFuncOp function) {
                        return function->hasAttr(host::kParamsAttrName);
                      });
}

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

LogicalResult lowerKernelFunctions(gpu::GPUModuleOp module) {
  LowerToLLVMOptions options(module->getContext());
  LLVMTypeConverter converter(module->getContext(), options);
  RewritePatternSet patterns(module->getContext());
  populateMathToNVPTXPatterns(converter, patterns);
  ConversionTarget target(*module->getContext());
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return !isFunction(op, converter); });
  ConversionConfig config;
  config.foldingMode = DialectConversionFoldingMode::Never;
  return applyPartialConversion(module, target, std::move(patterns), config);
}

/// gpu.subgroup_reduce becomes shuffles: of 32 bits, into which smaller
/// elements are packed, and of 64 where an element has so many.
static void populateSubgroupReducePatterns(RewritePatternSet &patterns) {
  constexpr unsigned kBits = 32;
  populateGpuBreakDownSubgroupReducePatterns(patterns, kBits,
                                             /*benefit=*/3);
  for (unsigned scale : {1, 2}) {
    PatternBenefit benefit = 3 - scale;
    populateGpuLowerSubgroupReduceToShufflePatterns(patterns, kWarpSize,
                                                    scale * kBits, benefit);
    populateGpuLowerClusteredSubgroupReduceToShufflePatterns(
        patterns, kWarpSize, scale * kBits, benefit);
  }
}

LogicalResult expandKernelOps(Operation *module) {
  RewritePatternSet patterns(module->getContext());
  populateGpuGlobalIdPatterns(patterns);
  populateGpuShufflePatterns(patterns);
  populateGpuSubgroupIdPatterns(patterns);
  populateElementPatterns(patterns);
  populateFloatToIntegerPatterns(patterns);
  populatePhiloxPatterns(patterns);
  populateSubgroupPatterns(patterns);
  populateSubgroupReducePatterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  memref::populateExpandOpsPatterns(patterns);
  memref::populateExpandStridedMetadataPatterns(patterns);
  populateVectorToSCFConversionPatterns(
      patterns, VectorTransferToSCFOptions().enableFullUnroll());
  vector::populateVectorBitCastLoweringPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorGatherLoweringPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  vector::populateVectorMaskMaterializationPatterns(
      patterns, /*force32BitVectorIndices=*/true);
  vector::populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorMultiReductionLoweringPatterns(
      patterns, vector::VectorMultiReductionLowering::InnerReduction);
  vector::populateVectorRankReducingFMAPattern(patterns);
  vector::populateVectorScanLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorTransferLoweringPatterns(patterns,
                                                 /*maxTransferRank=*/1);
  vector::populateVectorTransposeLoweringPatterns(
      patterns, vector::VectorTransposeLowering::EltWise);
  return applyPatternsGreedily(module, std::move(patterns));
}

LogicalResult lowerKernelControlFlow(Operation *module) {
  RewritePatternSet patterns(module->getContext());
  populateAffineToStdConversionPatterns(patterns);
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*module->getContext());
  target.addIllegalDialect<affine::AffineDialect, scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

void addKernelTypeConversions(LLVMTypeConverter &converter,
                              unsigned clusterSpace) {
  converter.addConversion([](kernel::MBarrierType type) -> Type {
    return IntegerType::get(type.getContext(), 8 * kernel::kMBarrierBytes);
  });
  converter.addTypeAttributeConversion(
      [clusterSpace](BaseMemRefType type, kernel::ClusterMemoryAttr) {
        return IntegerAttr::get(IntegerType::get(type.getContext(), 64),
                                clusterSpace);
      });
}

void populateKernelStageToLLVMPatterns(const LLVMTypeConverter &converter,
                                       RewritePatternSet &patterns) {
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateMathToNVPTXPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns,
                                         /*reassociateFPReductions=*/false,
                                         /*force32BitVectorIndices=*/true);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
}

LogicalResult removeKernelCasts(Operation *module) {
  SmallVector<UnrealizedConversionCastOp> casts;
  module->walk([&](UnrealizedConversionCastOp op) { casts.push_back(op); });
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

} // namespace fuser
