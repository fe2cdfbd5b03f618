//===- KernelToSim.h - GPU kernels for the simulator -----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_KERNELS_KERNELTOSIM_H
#define FUSER_CONVERSION_KERNELS_KERNELTOSIM_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace fuser {

#define GEN_PASS_DECL_KERNELTOSIMPASS
#include "fuser/Conversion/Kernels/KernelToSim.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuser/Conversion/Kernels/KernelToSim.h.inc"

} // namespace fuser

#endif // FUSER_CONVERSION_KERNELS_KERNELTOSIM_H
