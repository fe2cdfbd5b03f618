//===- KernelOps.td - All ops of the kernel dialect ---------*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_KERNEL_IR_KERNELOPS_TD
#define FUSER_DIALECT_KERNEL_IR_KERNELOPS_TD

include "fuser/Dialect/Kernel/IR/KernelAsyncOps.td"
include "fuser/Dialect/Kernel/IR/KernelMemoryOps.td"
include "fuser/Dialect/Kernel/IR/KernelSyncOps.td"

#endif // FUSER_DIALECT_KERNEL_IR_KERNELOPS_TD
