//===- CpuOrder.h - Fibres in order on a CPU -------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOCPU_CPUORDER_H
#define FUSER_LIB_CONVERSION_FUSIONTOCPU_CPUORDER_H

#include "CpuKernelEmitter.h"
#include "fuser/Conversion/SegmentLowering.h"

namespace fuser {

/// The workspaces of a sort by digits, which `items` work items share.
SmallVector<Value> createOrderWorkspaces(SegmentLowering &lowering,
                                         const CpuOrderPlan &order,
                                         Value items);

/// Puts a fibre in order, by the way that the plan says: what `item` has of
/// the workspaces is free to use.
void emitFibreInOrder(SegmentKernel &kernel, const CpuPlan &plan,
                      const CpuKernelArguments &arguments, Value item,
                      fusion::FibreContext &ctx);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOCPU_CPUORDER_H
