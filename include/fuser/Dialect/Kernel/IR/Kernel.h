//===- Kernel.h - The kernel dialect ----------------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_KERNEL_IR_KERNEL_H
#define FUSER_DIALECT_KERNEL_IR_KERNEL_H

#include "fuser/Support/LLVM.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fuser::kernel {

/// An mbarrier takes so many bytes of shared memory, and is aligned to them.
constexpr int64_t kMBarrierBytes = 8;

/// The last of the barriers of a block that kernel.barrier counts from 1.
constexpr int64_t kMaxBarrierNumber = 15;

/// Which memory a memref of the kernel stage is in: the block's shared memory,
/// that of a block of the cluster, or global memory.
bool isShared(mlir::MemRefType type);
bool isCluster(mlir::MemRefType type);
bool isGlobal(mlir::MemRefType type);

/// Whether its elements are mbarriers, in shared memory of either kind.
bool isMBarriers(mlir::MemRefType type);

/// The bytes of an integer, a float or a vector of them; 0 if the elements have
/// no whole number of bytes.
int64_t countBytes(mlir::Type value);

} // namespace fuser::kernel

#include "fuser/Dialect/Kernel/IR/KernelDialect.h.inc"
#include "fuser/Dialect/Kernel/IR/KernelEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "fuser/Dialect/Kernel/IR/KernelTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fuser/Dialect/Kernel/IR/KernelAttrs.h.inc"

#define GET_OP_CLASSES
#include "fuser/Dialect/Kernel/IR/KernelOps.h.inc"

#endif // FUSER_DIALECT_KERNEL_IR_KERNEL_H
