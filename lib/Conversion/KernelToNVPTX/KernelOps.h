//===- KernelOps.h - Ops of the kernel dialect for NVIDIA GPUs --*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_KERNELTONVPTX_KERNELOPS_H
#define FUSER_LIB_CONVERSION_KERNELTONVPTX_KERNELOPS_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;
} // namespace mlir

namespace fuser {

inline Value createI32(OpBuilder &b, Location loc, int64_t value) {
  return mlir::LLVM::ConstantOp::create(b, loc, b.getI32Type(), value);
}

/// `pointer` as one to `space`.
Value castPointer(OpBuilder &b, Location loc, Value pointer,
                  mlir::NVVM::NVVMMemorySpace space);

/// An asynchronous copy of 4, 8 or 16 bytes to shared memory: of the first
/// `bytesRead` (null: of all), behind which come zeros.
void createCopyAsync(OpBuilder &b, Location loc, Value target, Value source,
                     int64_t bytes, Value bytesRead);

/// An error at the first op of the kernel dialect in `module` that `arch` has
/// no instruction for. With an empty `arch` there is none: the check of what
/// was lowered comes when PTX is written.
LogicalResult verifyKernelOps(gpu::GPUModuleOp module, StringRef arch);

/// Takes `fuser.noalias` from the buffers of `kernel` of which LLVM must not
/// have it: their contents change without LLVM seeing who changes them, or
/// their reads are ordered.
void dropNoAlias(gpu::GPUFuncOp kernel);

/// Conversions of 8-bit floats become instructions of `arch`, or arithmetic.
LogicalResult expandFloat8Conversions(gpu::GPUModuleOp module, StringRef arch);

/// Conversions of vectors of bf16 to f32 become arithmetic on words.
void expandBFloat16Extensions(gpu::GPUModuleOp module);

/// In kernels in the LLVM dialect: adds to an address first what is the same in
/// each step of the loop around it.
void splitLoopAddresses(mlir::gpu::GPUModuleOp module);

/// From kernel to the LLVM and NVVM dialects: threads that meet, and mbarriers.
void populateKernelSyncPatterns(const mlir::LLVMTypeConverter &converter,
                                mlir::RewritePatternSet &patterns);

/// The same for accesses to memory.
void populateKernelMemoryPatterns(const mlir::LLVMTypeConverter &converter,
                                  mlir::RewritePatternSet &patterns);

/// And for vectors of neighbours at any address.
void populateKernelNeighbourPatterns(const mlir::LLVMTypeConverter &converter,
                                     mlir::RewritePatternSet &patterns);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_KERNELTONVPTX_KERNELOPS_H
