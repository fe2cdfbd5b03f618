//===- EmitFibreKernel.cpp - Scans, sorts and scatters on a CPU -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuKernelEmitter.h"
#include "fuser/Conversion/SegmentFibres.h"

using namespace fuser;

LogicalResult fuser::emitFibreKernel(OpBuilder &builder,
                                     fusion::SegmentOp segment,
                                     const CpuPlan &plan,
                                     const CpuKernelArguments &arguments) {
  SegmentKernel kernel(builder, segment, arguments.tensorsAndScalars);
  Location loc = segment.getLoc();
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto body = [&](Value item, ValueRange) {
    emitFibre(kernel, plan.fibres, item, /*narrow=*/false);
    return SmallVector<Value>();
  };
  kernel.getElements().emitLoop(loc, arguments.begin, arguments.end, one, {},
                                body);
  return kernel.getStatus();
}
