//===- CPUToLLVM.h - CPU kernels to the LLVM dialect ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_CPUTOLLVM_H
#define FUSER_CONVERSION_CPUTOLLVM_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace fuser {

/// On the last argument of a kernel: it is not an argument of a launch but the
/// calling thread's scratch memory. A unit attribute.
constexpr llvm::StringLiteral kScratchAttrName = "fuser.scratch";
/// On a loop of a kernel that LLVM neither unrolls nor vectorises. A unit
/// attribute.
constexpr llvm::StringLiteral kRolledAttrName = "fuser.rolled";

struct CpuInfo;

/// Replaces arithmetic on bf16 under `root`, and conversions from and to bf16
/// and f16 for which `cpu` has no instruction, by arithmetic. What is left of
/// conversions, LLVM makes without bf16.
LogicalResult expandFloatConversions(Operation *root, const CpuInfo &cpu);

/// Values of bf16 in `function`, which computes with none of them, as integers.
void moveBF16AsIntegers(LLVM::LLVMFuncOp function);

#define GEN_PASS_DECL_CPUTOLLVMPASS
#include "fuser/Conversion/CPUToLLVM.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuser/Conversion/CPUToLLVM.h.inc"

} // namespace fuser

#endif // FUSER_CONVERSION_CPUTOLLVM_H
