//===- FusionToCPU.h - Kernels for CPUs ------------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_FUSIONTOCPU_H
#define FUSER_CONVERSION_FUSIONTOCPU_H

#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "mlir/IR/DialectRegistry.h"

namespace fuser {

/// Writes on `segment` the schedule `#fusion.cpu` that heuristics choose.
/// Reports where the segment does not fit its scheduler.
LogicalResult scheduleForCpu(fusion::SegmentOp segment,
                             const ShapeSymbols &symbols);

/// Attaches the emitter of CPU kernels to the schedule attribute `#fusion.cpu`.
void registerCpuKernelEmitters(DialectRegistry &registry);

} // namespace fuser

#endif // FUSER_CONVERSION_FUSIONTOCPU_H
