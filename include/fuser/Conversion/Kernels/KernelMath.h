//===- KernelMath.h - The arithmetic of kernels ----------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_KERNELS_KERNELMATH_H
#define FUSER_CONVERSION_KERNELS_KERNELMATH_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace fuser {

#define GEN_PASS_DECL_KERNELEXPANDMATHPASS
#define GEN_PASS_DECL_KERNELFLOATSTORINGPASS
#include "fuser/Conversion/Kernels/KernelMath.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuser/Conversion/Kernels/KernelMath.h.inc"

} // namespace fuser

#endif // FUSER_CONVERSION_KERNELS_KERNELMATH_H
