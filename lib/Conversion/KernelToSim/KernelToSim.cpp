//===- KernelToSim.cpp - GPU kernels for the simulator --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/Kernels/KernelToSim.h"
#include "NarrowMath.h"
#include "SimThread.h"
#include "fuser/Conversion/CPUToLLVM.h"
#include "fuser/Conversion/KernelSignature.h"
#include "fuser/Conversion/Kernels/KernelStage.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Target/CPU/CpuTarget.h"
#include "fuser_rt/sim_abi.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstddef>
#include <map>

namespace fuser {

#define GEN_PASS_DEF_KERNELTOSIMPASS
#include "fuser/Conversion/Kernels/KernelToSim.h.inc"

/// All memory is the host's.
static void useHostMemory(LLVMTypeConverter &converter) {
  populateGpuMemorySpaceAttributeConversions(
      converter, [](gpu::AddressSpace) { return 0; });
  addKernelTypeConversions(converter, /*clusterSpace=*/0);
}

//===----------------------------------------------------------------------===//
// Before the lowering
//===----------------------------------------------------------------------===//

/// The arguments of `entry` from `first` on are workgroup attributions: they
/// become parts of the block's shared memory. Returns its size.
static int64_t placeSharedMemory(Block &entry, unsigned first, Value thread,
                                 SimThread &emitter) {
  OpBuilder b = OpBuilder::atBlockBegin(&entry);
  Location loc = thread.getLoc();
  LLVMTypeConverter converter(b.getContext());
  useHostMemory(converter);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value shared;
  int64_t offset = 0, number = 0;
  for (BlockArgument buffer : entry.getArguments().drop_front(first)) {
    auto type = cast<MemRefType>(buffer.getType());
    auto bytes = static_cast<uint64_t>(getBufferBytes(type));
    bool hasMBarriers = isa<kernel::MBarrierType>(type.getElementType());
    emitter.addBuffer(
        {nameBuffer("workgroup buffer " + std::to_string(number++), type, bytes,
                    buffer.getLoc()),
         static_cast<uint64_t>(offset), bytes,
         hasMBarriers ? bytes / type.getNumElements() : 0});
    if (!shared)
      shared = emitter.loadFromBlock(b, loc, thread, pointer,
                                     offsetof(FuserSimBlock, shared));
    Value address = LLVM::GEPOp::create(
        b, loc, pointer, b.getI8Type(), shared,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
    address.getDefiningOp()->setAttr(kBufferBytesAttrName,
                                     b.getI64IntegerAttr(bytes));
    Value memref =
        MemRefDescriptor::fromStaticShape(b, loc, converter, type, address);
    buffer.replaceAllUsesWith(
        UnrealizedConversionCastOp::create(b, loc, type, memref).getResult(0));
    offset += getSharedBytes(type);
  }
  entry.eraseArguments(first, entry.getNumArguments() - first);
  return offset;
}

/// Makes a function of `kernel`, with the thread as its last argument.
static FailureOr<func::FuncOp> createFunction(gpu::GPUFuncOp kernel,
                                              SimThread &emitter) {
  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  SmallVector<Type> types(kernel.getArgumentTypes());
  unsigned numArguments = types.size();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  types.push_back(pointer);
  auto function = func::FuncOp::create(b, loc, kernel.getName(),
                                       b.getFunctionType(types, {}));
  for (unsigned i = 0; i != numArguments; ++i)
    if (auto attrs = function_interface_impl::getArgAttrDict(kernel, i))
      function.setArgAttrs(i, attrs);
  function.getBody().takeBody(kernel.getBody());
  kernel.erase();
  Block &entry = function.getBody().front();
  Value thread = entry.insertArgument(numArguments, pointer, loc);
  int64_t sharedBytes =
      placeSharedMemory(entry, numArguments + 1, thread, emitter);
  function->setAttr(host::kScratchBytesAttrName,
                    b.getI64IntegerAttr(sharedBytes));
  SmallVector<gpu::ReturnOp> ends(function.getBody().getOps<gpu::ReturnOp>());
  for (gpu::ReturnOp end : ends) {
    OpBuilder atEnd(end);
    func::ReturnOp::create(atEnd, end.getLoc());
    end.erase();
  }
  return function;
}

//===----------------------------------------------------------------------===//
// After the lowering
//===----------------------------------------------------------------------===//

/// The parameters of `kernel` come in an array, behind the thread.
static void rewriteSignature(LLVM::LLVMFuncOp kernel) {
  Location loc = kernel.getLoc();
  MLIRContext *context = kernel.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Block &entry = kernel.getBody().front();
  unsigned numOld = entry.getNumArguments();
  Value thread = entry.addArgument(pointer, loc);
  Value params = entry.addArgument(pointer, loc);
  OpBuilder b = OpBuilder::atBlockBegin(&entry);
  SmallVector<Value> values =
      loadKernelParams(b, loc, kernel.getArgumentTypes().drop_back(), params);
  values.push_back(thread);
  for (auto [argument, value] :
       llvm::zip_equal(entry.getArguments().take_front(numOld), values))
    argument.replaceAllUsesWith(value);
  entry.eraseArguments(0, numOld);
  // Nothing is known of the pointers, nor of addresses: what the kernel relies
  // on is not relied on where it is looked for faults.
  kernel.removeArgAttrsAttr();
  kernel.walk([](Operation *op) {
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      load.setAlignment(1);
    else if (auto store = dyn_cast<LLVM::StoreOp>(op))
      store.setAlignment(1);
    else if (auto load = dyn_cast<LLVM::MaskedLoadOp>(op))
      load.setAlignment(1);
    else if (auto store = dyn_cast<LLVM::MaskedStoreOp>(op))
      store.setAlignment(1);
  });
  kernel.setFunctionType(LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(context), {pointer, pointer}));
}

static Value createInteger(OpBuilder &b, Location loc, Type type,
                           int64_t value) {
  auto vector = dyn_cast<VectorType>(type);
  Attribute attr = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (vector)
    attr = DenseElementsAttr::get(vector, attr);
  return LLVM::ConstantOp::create(b, loc, type, cast<TypedAttr>(attr));
}

/// x / 0 is all ones, and x % 0 is x, as of 32 bits on an H100 (of 64 bits it
/// depends on x there); the least number divided by -1 is itself.
template <typename OpTy, bool isSigned, bool isQuotient>
static void defineDivision(OpTy op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type type = op.getType();
  Value divisor = op.getRhs(), one = createInteger(b, loc, type, 1);
  auto isEqual = [&](int64_t value) -> Value {
    return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, divisor,
                                createInteger(b, loc, type, value));
  };
  Value isZero = isEqual(0), special = isZero;
  Value minusOne = isSigned ? isEqual(-1) : Value();
  if (isSigned)
    special = LLVM::OrOp::create(b, loc, isZero, minusOne);
  op.getRhsMutable().assign(
      LLVM::SelectOp::create(b, loc, special, one, divisor));
  b.setInsertionPointAfter(op);
  auto uses =
      llvm::map_to_vector(op->getUses(), [](OpOperand &use) { return &use; });
  Value result = op.getResult(), zero = createInteger(b, loc, type, 0);
  Value atZero = isQuotient ? createInteger(b, loc, type, -1) : op.getLhs();
  if (isSigned) {
    Value negated =
        isQuotient ? LLVM::SubOp::create(b, loc, zero, op.getLhs()) : zero;
    result = LLVM::SelectOp::create(b, loc, minusOne, negated, result);
  }
  result = LLVM::SelectOp::create(b, loc, isZero, atZero, result);
  for (OpOperand *use : uses)
    use->set(result);
}

/// A float beyond the integers becomes the nearest of them. A NaN becomes the
/// least signed number if either side has 64 bits, else 0, as PTX's cvt has it.
template <typename OpTy>
static void saturate(OpTy op, StringRef intrinsic) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type type = op.getType();
  Value x = op.getOperand();
  Value result =
      LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(intrinsic), x)
          .getResult(0);
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (width == 64 || getElementTypeOrSelf(x.getType()).isF64()) {
    Value isNaN = LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::uno, x, x);
    int64_t least = APInt::getSignedMinValue(width).getSExtValue();
    result = LLVM::SelectOp::create(b, loc, isNaN,
                                    createInteger(b, loc, type, least), result);
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

/// Whether the memory at `address` is not `old` any more.
static Value emitChanged(OpBuilder &b, Location loc, Value address, Value old) {
  Type type = old.getType();
  Type integer = b.getIntegerType(type.getIntOrFloatBitWidth());
  auto bits = [&](Value value) -> Value {
    return type == integer ? value
                           : LLVM::BitcastOp::create(b, loc, integer, value);
  };
  Value now = LLVM::LoadOp::create(b, loc, type, address, /*alignment=*/0,
                                   /*isVolatile=*/true);
  Value changed = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne,
                                       bits(now), bits(old));
  return LLVM::ZExtOp::create(b, loc, b.getI32Type(), changed);
}

/// Threads that wait by atomic accesses, in a loop, let others go on.
static void pauseAtAtomics(LLVM::LLVMFuncOp kernel, SimThread &emitter) {
  SmallVector<Operation *> atomics;
  kernel.walk([&](Operation *op) {
    if (isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(op))
      atomics.push_back(op);
  });
  Value thread = kernel.getArgument(kernel.getNumArguments() - 1);
  for (Operation *op : atomics) {
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    Location loc = op->getLoc();
    Value old = op->getResult(0);
    if (isa<LLVM::AtomicCmpXchgOp>(op))
      old = LLVM::ExtractValueOp::create(b, loc, old, 0);
    emitter.call(b, op, thread, offsetof(FuserSimApi, pause), nullptr,
                 {emitChanged(b, loc, op->getOperand(0), old)});
  }
}

/// What LLVM and CPUs leave undefined is what GPUs do.
static void defineArithmetic(LLVM::LLVMFuncOp kernel) {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    llvm::TypeSwitch<Operation *>(op)
        .Case([](LLVM::FPToSIOp op) { saturate(op, "llvm.fptosi.sat"); })
        .Case([](LLVM::FPToUIOp op) { saturate(op, "llvm.fptoui.sat"); })
        .Case([](LLVM::UDivOp op) {
          defineDivision<LLVM::UDivOp, false, true>(op);
        })
        .Case([](LLVM::SDivOp op) {
          defineDivision<LLVM::SDivOp, true, true>(op);
        })
        .Case([](LLVM::URemOp op) {
          defineDivision<LLVM::URemOp, false, false>(op);
        })
        .Case([](LLVM::SRemOp op) {
          defineDivision<LLVM::SRemOp, true, false>(op);
        });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static LogicalResult convertToLLVM(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  LLVMTypeConverter converter(context);
  useHostMemory(converter);
  RewritePatternSet patterns(context);
  populateKernelStageToLLVMPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<gpu::GPUModuleOp, UnrealizedConversionCastOp>();
  return applyFullConversion(module, target, std::move(patterns));
}

/// By the names of the kernels of a module.
using Emitters = std::map<std::string, SimThread>;

static LogicalResult createFunctions(gpu::GPUModuleOp module,
                                     Emitters &emitters) {
  SmallVector<gpu::GPUFuncOp> kernels(module.getOps<gpu::GPUFuncOp>());
  for (gpu::GPUFuncOp kernel : kernels) {
    std::string name = kernel.getName().str();
    SimThread &emitter = emitters.try_emplace(name, module, name).first->second;
    FailureOr<func::FuncOp> function = createFunction(kernel, emitter);
    if (failed(function) || failed(lowerGpuOps(*function, emitter)))
      return failure();
    LLVMTypeConverter converter(module.getContext());
    useHostMemory(converter);
    if (failed(lowerKernelOps(*function, emitter, converter)))
      return failure();
    KernelSignatureOptions options;
    options.numHidden = 1;
    if (failed(lowerKernelSignature(*function, options)))
      return failure();
  }
  return success();
}

/// What messages call `op`, or the memory that it makes.
static std::string getName(Operation *op) {
  StringRef name = op->getName().getStringRef();
  auto buffer = dyn_cast<memref::AllocaOp>(op);
  if (!buffer)
    return name.str();
  MemRefType type = buffer.getType();
  std::optional<uint64_t> bytes;
  if (type.hasStaticShape())
    bytes = getBufferBytes(type);
  return nameBuffer(name, type, bytes, op->getLoc());
}

/// Names the locations of ops by what they are, for messages about what they
/// become.
static void nameLocations(gpu::GPUModuleOp module) {
  module.walk([](Operation *op) {
    if (isa<gpu::GPUDialect, kernel::KernelDialect, memref::MemRefDialect,
            vector::VectorDialect>(op->getDialect()) &&
        !isa<gpu::GPUModuleOp>(op))
      op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), getName(op)),
                              op->getLoc()));
  });
}

/// Native kernels lie in a module.
static void replaceModule(gpu::GPUModuleOp module) {
  OpBuilder b(module);
  auto native = ModuleOp::create(b, module.getLoc(), module.getName());
  native.getBody()->getOperations().splice(native.getBody()->end(),
                                           module.getBody()->getOperations());
  module.erase();
}

namespace {
struct KernelToSimPass : impl::KernelToSimPassBase<KernelToSimPass> {
  using Base::Base;
  void runOnOperation() override;

private:
  LogicalResult lower(gpu::GPUModuleOp module, const CpuInfo &cpu);
};
} // namespace

LogicalResult KernelToSimPass::lower(gpu::GPUModuleOp module,
                                     const CpuInfo &cpu) {
  OpPassManager simplify(gpu::GPUModuleOp::getOperationName());
  simplify.addPass(createCanonicalizerPass());
  simplify.addPass(createCSEPass());
  if (failed(verifyKernelStage(module)))
    return failure();
  nameLocations(module);
  expandNarrowMath(module);
  Emitters emitters;
  if (failed(lowerKernelFunctions(module)) ||
      failed(runPipeline(simplify, module)) || failed(expandKernelOps(module)))
    return failure();
  expandNarrowReductions(module);
  if (failed(expandFloatConversions(module, cpu)) ||
      failed(createFunctions(module, emitters)) ||
      failed(lowerKernelControlFlow(module)) || failed(convertToLLVM(module)) ||
      failed(removeKernelCasts(module)))
    return failure();
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr(host::kParamsAttrName))
      continue; // A function of libdevice.
    if (failed(pruneKernelParams(function)))
      return failure();
    SimThread &emitter = emitters.at(function.getName().str());
    if (!check)
      announceBuffers(function, emitter);
    else if (failed(instrumentAccesses(function, emitter)))
      return failure();
    pauseAtAtomics(function, emitter);
    rewriteSignature(function);
    defineArithmetic(function);
    moveBF16AsIntegers(function);
  }
  return success();
}

void KernelToSimPass::runOnOperation() {
  FailureOr<CpuInfo> cpu =
      resolveCpu("", [&] { return getOperation().emitError(); });
  if (failed(cpu))
    return signalPassFailure();
  for (auto module :
       llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>())) {
    if (!isLowered(module) && failed(lower(module, *cpu)))
      return signalPassFailure();
    replaceModule(module);
  }
}

} // namespace fuser
