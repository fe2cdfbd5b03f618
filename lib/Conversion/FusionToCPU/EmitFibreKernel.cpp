//===- EmitFibreKernel.cpp - Scans, sorts and scatters on a CPU -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuOrder.h"
#include "fuser/Conversion/SegmentFibres.h"

using namespace fuser;

LogicalResult fuser::emitFibreKernel(OpBuilder &builder,
                                     fusion::SegmentOp segment,
                                     const CpuPlan &plan,
                                     const CpuKernelArguments &arguments) {
  SegmentKernel kernel(builder, segment, arguments.tensorsAndScalars);
  Location loc = segment.getLoc();
  auto forEach = [&](Value begin, Value end, int64_t step,
                     function_ref<void(Value)> body) {
    kernel.getElements().emitLoop(
        loc, begin, end, arith::ConstantIndexOp::create(builder, loc, step), {},
        [&](Value number, ValueRange) {
          body(number);
          return SmallVector<Value>();
        });
  };
  auto emitInOrder = [&](Value item, Value fibre) {
    emitFibre(kernel, plan.fibres, fibre, /*narrow=*/false,
              [&](fusion::FibreContext &ctx) {
                emitFibreInOrder(kernel, plan, arguments, item, ctx);
              });
  };
  Value fibres;
  if (plan.hasOrderWorkspaces())
    fibres = plan.groups[0].items.emitPoints(builder, loc, [&](int64_t dim) {
      return kernel.getDim(plan.fibres->getResult(0), dim);
    });
  forEach(arguments.begin, arguments.end, 1, [&](Value item) {
    if (fibres)
      forEach(item, fibres, plan.order->items,
              [&](Value fibre) { emitInOrder(item, fibre); });
    else if (plan.order)
      emitInOrder(item, item);
    else
      emitFibre(kernel, plan.fibres, item, /*narrow=*/false);
  });
  return kernel.getStatus();
}
