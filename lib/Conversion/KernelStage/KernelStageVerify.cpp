//===- KernelStageVerify.cpp - What the kernel stage admits ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommonOps.h"
#include "fuser/Conversion/KernelSignature.h"
#include "fuser/Conversion/Kernels/KernelStage.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Support/GpuTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fuser {

#define GEN_PASS_DEF_KERNELSTAGEVERIFYPASS
#include "fuser/Conversion/Kernels/KernelStage.h.inc"

/// Whether ops of the dialect may stand in a kernel's body.
static bool isKernelStageDialect(Dialect *dialect) {
  return isa_and_nonnull<gpu::GPUDialect, kernel::KernelDialect,
                         scf::SCFDialect, vector::VectorDialect,
                         memref::MemRefDialect, arith::ArithDialect,
                         math::MathDialect, index::IndexDialect>(dialect);
}

/// Whether `op` runs on the host or changes which memory there is.
static bool isHostSideOp(Operation *op) {
  return isa<gpu::LaunchOp, gpu::LaunchFuncOp, gpu::AllocOp, gpu::DeallocOp,
             gpu::MemcpyOp, gpu::MemsetOp, gpu::WaitOp, gpu::HostRegisterOp,
             gpu::HostUnregisterOp, gpu::SetDefaultDeviceOp, memref::AllocOp,
             memref::DeallocOp, memref::ReallocOp, memref::GetGlobalOp>(op);
}

/// kernel_r8: `op` is not of kernel, and nothing but its ops knows what an
/// mbarrier holds.
static LogicalResult verifyNoMBarriers(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    auto memref = dyn_cast<BaseMemRefType>(type);
    if (memref && isa<kernel::MBarrierType>(memref.getElementType()))
      return op->emitOpError() << "expected no mbarriers, which only ops of "
                                  "kernel take, got "
                               << type;
  }
  return success();
}

/// Whether memref.alloca can have memory in `space`.
static bool isOfThread(Attribute space) {
  auto gpuSpace = dyn_cast_or_null<gpu::AddressSpaceAttr>(space);
  return !space ||
         (gpuSpace && gpuSpace.getValue() == gpu::AddressSpace::Private);
}

/// kernel_r7
static LogicalResult verifyMemory(Operation *op) {
  for (Type type : op->getResultTypes()) {
    auto memref = dyn_cast<BaseMemRefType>(type);
    if (!memref)
      continue;
    if (!memref.hasRank())
      return op->emitOpError() << "expected a ranked memref, got " << type;
    // The conversion of other spaces to LLVM crashes, and which memory a number
    // means is for a target to say.
    Attribute space = memref.getMemorySpace();
    if (space && !isa<gpu::AddressSpaceAttr, kernel::ClusterMemoryAttr>(space))
      return op->emitOpError()
             << "expected memory in a space of gpu or of kernel, got " << type;
    if (isa<memref::AllocaOp>(op) && !isOfThread(space))
      return op->emitOpError()
             << "expected memory of the thread, in the default or the private "
                "space, got "
             << type;
  }
  return success();
}

static LogicalResult verifyBodyOp(Operation *op) {
  // kernel_r2
  if (isa<ub::PoisonOp>(op))
    return success();
  if (!isKernelStageDialect(op->getDialect()))
    return op->emitOpError()
           << "expected an op of gpu, kernel, scf, vector, memref, arith, "
              "math or index in the kernel stage: kernels are written for "
              "every target, and lowered later";
  // kernel_r3
  if (isHostSideOp(op))
    return op->emitOpError() << "does not belong into a kernel: memory is "
                                "allocated and kernels are launched by the "
                                "host program";
  // kernel_r8
  if (!isa<kernel::KernelDialect>(op->getDialect()) &&
      failed(verifyNoMBarriers(op)))
    return failure();
  if (failed(verifyMemory(op)))
    return failure();
  // kernel_r9
  return verifyCommonOp(op);
}

/// More than any memory has: counts end there.
constexpr int64_t kTooManyBits = int64_t(1) << 48;

int64_t getBufferBytes(MemRefType type) {
  bool isBarrier = isa<kernel::MBarrierType>(type.getElementType());
  int64_t bits =
      isBarrier ? 8 * kernel::kMBarrierBytes : type.getElementTypeBitWidth();
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(bits, size, bits) || bits > kTooManyBits)
      bits = kTooManyBits;
  return llvm::divideCeil(bits, 8);
}

int64_t getSharedBytes(MemRefType type) {
  return llvm::alignTo(getBufferBytes(type), kSharedAlignment);
}

/// kernel_r5
static LogicalResult verifyBlockSize(gpu::GPUFuncOp kernel) {
  std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
  if (!block)
    return success();
  int64_t threads = 1;
  // A size that is too large by itself is one in the product, too: nothing
  // overflows.
  for (int32_t size : *block)
    threads *= std::clamp<int64_t>(size, 0, kMaxThreadsPerBlock + 1);
  if (threads >= 1 && threads <= kMaxThreadsPerBlock)
    return success();
  InFlightDiagnostic error = kernel.emitOpError()
                             << "expected 1 to " << kMaxThreadsPerBlock
                             << " threads in a block (known_block_size), got ";
  llvm::interleave(*block, error, " x ");
  return error;
}

/// Threads in a block and shared memory, as far as the kernel says.
static LogicalResult verifyLimits(gpu::GPUFuncOp kernel) {
  if (failed(verifyBlockSize(kernel)))
    return failure();
  // kernel_r6
  if (unsigned number = kernel.getNumPrivateAttributions())
    return kernel.emitOpError()
           << "expected no private attributions, but memref.alloca, got "
           << number;
  int64_t sharedBytes = 0;
  for (BlockArgument buffer : kernel.getWorkgroupAttributions()) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
      return kernel.emitOpError()
             << "expected workgroup attributions of static "
                "shape and row-major layout, got "
             << buffer.getType();
    if (!type.getElementType().isIntOrFloat() &&
        !isa<kernel::MBarrierType>(type.getElementType()))
      return kernel.emitOpError()
             << "expected workgroup attributions of integers, floats or "
                "mbarriers, got "
             << type;
    if (!kernel::isShared(type))
      return kernel.emitOpError()
             << "expected workgroup attributions in the space workgroup, got "
             << type;
    sharedBytes += getSharedBytes(type);
  }
  if (sharedBytes > kMaxStaticSharedBytes)
    return kernel.emitOpError()
           << "expected at most " << kMaxStaticSharedBytes
           << " bytes of workgroup attributions, got "
           << (sharedBytes < kTooManyBits / 8 ? "" : "at least ")
           << sharedBytes;
  return success();
}

static LogicalResult verifyKernel(gpu::GPUFuncOp kernel) {
  // kernel_r1; that a kernel has no results is checked by its op.
  if (!kernel.isKernel())
    return kernel.emitOpError() << "expected a kernel, got a device function";
  // kernel_r4 is checked where parameters are made of arguments.
  auto function = cast<FunctionOpInterface>(kernel.getOperation());
  if (failed(getAllKernelParams(function)) || failed(verifyLimits(kernel)))
    return failure();
  WalkResult result =
      kernel.getBody().walk<WalkOrder::PreOrder>([](Operation *op) {
        return failed(verifyBodyOp(op)) ? WalkResult::interrupt()
                                        : WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

LogicalResult verifyKernelStage(gpu::GPUModuleOp module) {
  for (Operation &op : *module.getBody()) {
    // kernel_r1
    auto kernel = dyn_cast<gpu::GPUFuncOp>(op);
    if (!kernel)
      return op.emitOpError()
             << "expected only gpu.func in a gpu.module of the kernel stage";
    if (failed(verifyKernel(kernel)))
      return failure();
  }
  return success();
}

namespace {
struct KernelStageVerifyPass
    : impl::KernelStageVerifyPassBase<KernelStageVerifyPass> {
  using Base::Base;
  void runOnOperation() override {
    if (failed(verifyKernelStage(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace fuser
