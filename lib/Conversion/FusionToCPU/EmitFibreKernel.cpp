//===- EmitFibreKernel.cpp - Scans, sorts and scatters on a CPU -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuOrder.h"
#include "fuser/Conversion/SegmentFibres.h"

using namespace fuser;

/// `op`, if it is a scan that adds or multiplies in f64, one element after the
/// other: in f32 a sum of many would lose most of its digits. A ring loses
/// none. Null for any other.
static fusion::ScanOpInterface getWideScan(fusion::FibreOpInterface op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (op.isExactFibre() || fusion::isInRing(op) ||
      !getComputeType(element).isF32())
    return {};
  return dyn_cast<fusion::ScanOpInterface>(op.getOperation());
}

static void emitWideScan(SegmentKernel &kernel, fusion::ScanOpInterface op,
                         fusion::FibreContext &ctx) {
  OpBuilder &b = kernel.builder;
  Location loc = op->getLoc();
  Type wide = b.getF64Type();
  kernel.getElements().emitLoop(
      loc, arith::ConstantIndexOp::create(b, loc, 0), ctx.length,
      arith::ConstantIndexOp::create(b, loc, 1), op.emitNeutral(ctx.emit, wide),
      [&](Value position, ValueRange carried) -> SmallVector<Value> {
        Value element =
            arith::ExtFOp::create(b, loc, wide, ctx.load(0, position));
        Value next = op.emitCombined(ctx.emit, carried.front(), element);
        ctx.store(position, arith::TruncFOp::create(b, loc, ctx.type, next));
        return {next};
      });
}

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
  fusion::ScanOpInterface wide = getWideScan(plan.fibres);
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
    else if (wide)
      emitFibre(
          kernel, plan.fibres, item, /*narrow=*/false,
          [&](fusion::FibreContext &ctx) { emitWideScan(kernel, wide, ctx); });
    else
      emitFibre(kernel, plan.fibres, item, /*narrow=*/false);
  });
  return kernel.getStatus();
}
