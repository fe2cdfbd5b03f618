//===- KernelStage.h - GPU kernels before they are lowered -----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the kernel stage is, and the steps that all of its lowerings share: to
// PTX, and to the simulator. Where threads are, and how they meet, is what the
// lowerings differ in.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_KERNELS_KERNELSTAGE_H
#define FUSER_CONVERSION_KERNELS_KERNELSTAGE_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;
} // namespace mlir

namespace fuser {

/// On a kernel of the kernel stage, an IntegerAttr: so many blocks should fit
/// on one multiprocessor at a time, which bounds the registers of a thread.
/// Without it ptxas chooses, and spills rather than let fewer blocks run side
/// by side than it likes.
constexpr llvm::StringLiteral kMinBlocksAttrName = "fuser.min_blocks";

/// Whether `module` holds kernels of the kernel stage and nothing else; a
/// diagnostic at the first op that does not belong there.
LogicalResult verifyKernelStage(mlir::gpu::GPUModuleOp module);

/// The bytes of the elements of a workgroup attribution of `type`.
int64_t getBufferBytes(mlir::MemRefType type);
/// The same as a multiple of what each is aligned to.
int64_t getSharedBytes(mlir::MemRefType type);
/// Loads and stores of shared memory are at most so wide, in bytes.
constexpr int64_t kSharedAlignment = 16;

/// True if the kernels of `module` are in the LLVM dialect already.
bool isLowered(mlir::gpu::GPUModuleOp module);

// The steps, in their order. `module` is in the kernel stage before the first.

/// Functions become calls of libdevice, instructions and intrinsics of NVVM
/// before anything is folded. A fold computes the function of a constant
/// otherwise than the kernel does, and what is constant depends on where the
/// program was cut.
LogicalResult lowerKernelFunctions(mlir::gpu::GPUModuleOp module);

/// Ops that have no lowering of their own become simpler ones of the same
/// dialects.
LogicalResult expandKernelOps(Operation *module);

/// Loops and conditions become branches, and affine.apply, which views have
/// become, arithmetic.
LogicalResult lowerKernelControlFlow(Operation *module);

/// What types of the kernel dialect become, where the cluster's memory has the
/// number `clusterSpace`.
void addKernelTypeConversions(mlir::LLVMTypeConverter &converter,
                              unsigned clusterSpace);

/// All but the ops of gpu and kernel.
void populateKernelStageToLLVMPatterns(const mlir::LLVMTypeConverter &converter,
                                       mlir::RewritePatternSet &patterns);

/// Removes the casts that the steps have left, which all cancel out.
LogicalResult removeKernelCasts(Operation *module);

#define GEN_PASS_DECL_KERNELSTAGEVERIFYPASS
#include "fuser/Conversion/Kernels/KernelStage.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuser/Conversion/Kernels/KernelStage.h.inc"

} // namespace fuser

#endif // FUSER_CONVERSION_KERNELS_KERNELSTAGE_H
