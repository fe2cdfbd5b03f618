//===- KernelToNVPTX.h - Kernels for NVIDIA GPUs ---------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_KERNELTONVPTX_H
#define FUSER_CONVERSION_KERNELTONVPTX_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace fuser {

/// On a kernel of the kernel stage, an IntegerAttr: so many blocks should fit
/// on one multiprocessor at a time, which bounds the registers of a thread.
/// Without it ptxas chooses, and spills rather than let fewer blocks run side
/// by side than it likes.
constexpr llvm::StringLiteral kMinBlocksAttrName = "fuser.min_blocks";

/// Whether `module` holds kernels of the kernel stage and nothing else; a
/// diagnostic at the first op that does not belong there.
LogicalResult verifyKernelStage(mlir::gpu::GPUModuleOp module);

#define GEN_PASS_DECL_KERNELSTAGEVERIFYPASS
#define GEN_PASS_DECL_KERNELTONVPTXPASS
#include "fuser/Conversion/KernelToNVPTX.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuser/Conversion/KernelToNVPTX.h.inc"

} // namespace fuser

#endif // FUSER_CONVERSION_KERNELTONVPTX_H
