//===- CPUToLLVM.cpp - CPU kernels to the LLVM dialect --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/CPUToLLVM.h"
#include "CpuArithmetic.h"
#include "fuser/Conversion/HostToLLVM.h"
#include "fuser/Conversion/KernelSignature.h"
#include "fuser/Support/StructuredControlFlow.h"
#include "fuser/Transforms/ExpandFunctions.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"

namespace fuser {
#define GEN_PASS_DEF_CPUTOLLVMPASS
#include "fuser/Conversion/CPUToLLVM.h.inc"
} // namespace fuser

using namespace fuser;

namespace {
struct CPUToLLVMPass : public fuser::impl::CPUToLLVMPassBase<CPUToLLVMPass> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

static bool takesScratch(func::FuncOp kernel) {
  unsigned count = kernel.getNumArguments();
  return count != 0 && kernel.getArgAttr(count - 1, kScratchAttrName);
}

/// The scratch memref becomes a bare pointer; without one, a pointer that
/// nothing uses is added, so that all kernels end alike.
static LogicalResult lowerScratch(func::FuncOp kernel) {
  Location loc = kernel.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(kernel.getContext());
  unsigned last = kernel.getNumArguments();
  // It is the calling thread's own.
  NamedAttribute noAlias(LLVM::LLVMDialect::getNoAliasAttrName(),
                         UnitAttr::get(kernel.getContext()));
  if (failed(kernel.insertArgument(
          last, pointer, DictionaryAttr::get(kernel.getContext(), noAlias),
          loc)))
    return failure();
  if (last == 0 || !kernel.getArgAttr(last - 1, kScratchAttrName))
    return success();
  auto type = dyn_cast<MemRefType>(kernel.getArgument(last - 1).getType());
  if (!type || type.getRank() != 1 || !type.isDynamicDim(0) ||
      !type.getElementType().isInteger(8))
    return kernel.emitError("expected scratch memory of type memref<?xi8>, "
                            "got ")
           << kernel.getArgument(last - 1).getType();
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  LLVMTypeConverter converter(kernel.getContext());
  auto descriptor =
      MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, kernel.getArgument(last));
  descriptor.setAlignedPtr(builder, loc, kernel.getArgument(last));
  descriptor.setConstantOffset(builder, loc, 0);
  descriptor.setConstantStride(builder, loc, 0, 1);
  Value whole = descriptor;
  auto cast = UnrealizedConversionCastOp::create(builder, loc, type, whole);
  kernel.getArgument(last - 1).replaceAllUsesWith(cast.getResult(0));
  return kernel.eraseArgument(last - 1);
}

static LogicalResult lowerSignature(func::FuncOp kernel) {
  if (kernel.isExternal())
    return kernel.emitError("expected a kernel with a body");
  unsigned hidden = takesScratch(kernel) ? 3 : 2;
  ArrayRef<Type> types = kernel.getArgumentTypes();
  if (types.size() < hidden || !types[types.size() - hidden].isIndex() ||
      !types[types.size() - hidden + 1].isIndex())
    return kernel.emitError("expected a kernel whose last arguments are the "
                            "range of its work items, of type index, got ")
           << kernel.getFunctionType();
  if (failed(lowerScratch(kernel)))
    return failure();
  KernelSignatureOptions options;
  options.numHidden = 3;
  return lowerKernelSignature(kernel, options);
}

/// Loops that are marked stay as they are: neither unrolled nor vectorised.
static void keepRolled(ModuleOp module) {
  MLIRContext *context = module.getContext();
  BoolAttr disable = BoolAttr::get(context, true);
  auto unroll =
      LLVM::LoopUnrollAttr::get(context, disable, {}, {}, {}, {}, {}, {});
  auto vectorize =
      LLVM::LoopVectorizeAttr::get(context, disable, {}, {}, {}, {}, {}, {});
  auto annotation =
      LLVM::LoopAnnotationAttr::get(context, {}, vectorize, {}, unroll, {}, {},
                                    {}, {}, {}, {}, {}, {}, {}, {}, {});
  module.walk([&](scf::ForOp loop) {
    // The lowering of loops hands it on, and LLVM's branch has it by that name.
    if (loop->removeDiscardableAttr(kRolledAttrName))
      loop->setAttr("loop_annotation", annotation);
  });
}

static LogicalResult lowerToLLVM(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateMathToLibmConversionPatterns(patterns, /*benefit=*/0);
  populateVectorToLLVMConversionPatterns(converter, patterns,
                                         /*reassociateFPReductions=*/false,
                                         /*force32BitVectorIndices=*/true);
  vector::populateVectorMaskMaterializationPatterns(
      patterns, /*force32BitVectorIndices=*/true);
  populateNarrowMaskedAccessPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
  return applyFullConversion(module, target, std::move(patterns));
}

/// Adds the function that the runtime calls in front of `body`, and takes over
/// its name.
static void addEntry(LLVM::LLVMFuncOp body) {
  OpBuilder b(body);
  Location loc = body.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()),
      {pointer, b.getI64Type(), b.getI64Type(), pointer});
  std::string name = body.getName().str();
  body.setName(name + ".body");
  body.setLinkage(LLVM::Linkage::Internal);
  body.setNoInline(true);
  auto entry = LLVM::LLVMFuncOp::create(b, loc, name, type);
  for (NamedAttribute attr :
       llvm::make_early_inc_range(body->getDiscardableAttrs()))
    if (attr.getName().strref().starts_with("fuser.")) {
      entry->setDiscardableAttr(attr.getName(), attr.getValue());
      body->removeDiscardableAttr(attr.getName());
    }
  Block *block = entry.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  SmallVector<Value> values = loadKernelParams(
      b, loc, body.getArgumentTypes().drop_back(3), block->getArgument(0));
  llvm::append_range(values, block->getArguments().drop_front());
  LLVM::CallOp::create(b, loc, body, values);
  LLVM::ReturnOp::create(b, loc, ValueRange());
}

static LogicalResult lowerKernels(ModuleOp kernels, const CpuInfo &cpu) {
  if (kernels.getOps<func::FuncOp>().empty())
    return success(); // They came lowered.
  for (auto kernel : kernels.getOps<func::FuncOp>())
    if (failed(lowerSignature(kernel)))
      return failure();
  expandMaskedAccesses(kernels, cpu);
  expandMath(kernels, cpu);
  callVectorLibrary(kernels, cpu);
  if (failed(callExactFunctions(kernels)) ||
      failed(expandFloatConversions(kernels, cpu)))
    return failure();
  keepRolled(kernels);
  if (failed(lowerStructuredControlFlow(kernels)) ||
      failed(lowerToLLVM(kernels)))
    return failure();
  SmallVector<LLVM::LLVMFuncOp> bodies(kernels.getOps<LLVM::LLVMFuncOp>());
  for (LLVM::LLVMFuncOp body : bodies) {
    if (body.isExternal())
      continue; // A function of the mathematics library.
    if (failed(pruneKernelParams(body)))
      return failure();
    moveBF16AsIntegers(body);
    addEntry(body);
  }
  kernels->setAttr(kCpuAttrName,
                   StringAttr::get(kernels.getContext(), cpu.name));
  return success();
}

/// Casts that cancel out.
static void reconcileCasts(ModuleOp module) {
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp op) { casts.push_back(op); });
  mlir::reconcileUnrealizedCasts(casts);
}

void CPUToLLVMPass::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<CpuInfo> cpu = resolveCpu(arch, [&] { return module.emitError(); });
  if (failed(cpu))
    return signalPassFailure();
  for (ModuleOp kernels : module.getOps<ModuleOp>())
    if (failed(lowerKernels(kernels, *cpu)))
      return signalPassFailure();
  reconcileCasts(module);
}
