//===- FusionToCPU.h - Kernels for CPUs ------------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_FUSIONTOCPU_H
#define FUSER_CONVERSION_FUSIONTOCPU_H

#include "mlir/IR/DialectRegistry.h"

namespace fuser {

/// Attaches the emitter of CPU kernels to the schedule attribute `#fusion.cpu`.
void registerCpuKernelEmitters(mlir::DialectRegistry &registry);

} // namespace fuser

#endif // FUSER_CONVERSION_FUSIONTOCPU_H
