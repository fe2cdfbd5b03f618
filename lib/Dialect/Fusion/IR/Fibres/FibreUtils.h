//===- FibreUtils.h - What ops that compute fibres share -------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_IR_FIBRES_FIBREUTILS_H
#define FUSER_LIB_DIALECT_FUSION_IR_FIBRES_FIBREUTILS_H

#include "../Elementwise/ElementFunctions.h"
#include "../OpSyntax.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fuser::fusion {

/// Whether `dim` is a dimension of the input, and the result is what is
/// inferred.
template <typename OpT>
LogicalResult verifyFibreType(OpT op, std::optional<int64_t> length,
                              Type element) {
  RankedTensorType input = op.getInput().getType();
  auto dim = static_cast<int64_t>(op.getDim());
  if (dim < 0 || dim >= input.getRank())
    return op.emitOpError()
           << "expected dim to be a dimension of " << input << ", got " << dim;
  Type expected = getFibreType(input, dim, length, element);
  if (expected != op.getType())
    return op.emitOpError()
           << "expected " << expected << " as the result, got " << op.getType();
  return success();
}

/// A loop over the positions from `begin` on, below `end`; `body` gives what is
/// carried on.
inline SmallVector<Value>
emitFor(EmitContext &ctx, Value begin, Value end, ValueRange init,
        function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  OpBuilder &b = ctx.builder;
  auto loop =
      scf::ForOp::create(b, ctx.loc, begin, end, emitIndex(ctx, 1), init);
  OpBuilder::InsertionGuard guard(b);
  // There is a terminator where nothing is carried.
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!init.empty())
    scf::YieldOp::create(b, ctx.loc, next);
  return loop.getResults();
}

/// `then` where `condition` holds.
inline void emitWhere(EmitContext &ctx, Value condition,
                      function_ref<void()> then) {
  auto branch = scf::IfOp::create(ctx.builder, ctx.loc, condition,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(ctx.builder);
  ctx.builder.setInsertionPointToStart(branch.thenBlock());
  then();
}

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_IR_FIBRES_FIBREUTILS_H
