//===- KernelToNVPTX.h - Kernels for NVIDIA GPUs ---------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_KERNELS_KERNELTONVPTX_H
#define FUSER_CONVERSION_KERNELS_KERNELTONVPTX_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace fuser {

#define GEN_PASS_DECL_KERNELTONVPTXPASS
#include "fuser/Conversion/Kernels/KernelToNVPTX.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuser/Conversion/Kernels/KernelToNVPTX.h.inc"

} // namespace fuser

#endif // FUSER_CONVERSION_KERNELS_KERNELTONVPTX_H
