//===- ReductionFunctions.h - What several reductions share ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the records of reductions (FusionReductionOps.td) call.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_IR_REDUCTIONFUNCTIONS_H
#define FUSER_LIB_DIALECT_FUSION_IR_REDUCTIONFUNCTIONS_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"

namespace fuser::fusion {

/// The size of a dimension of the result, of those of the operand.
OpFoldResult reifyReducedDim(EmitContext &ctx, ReductionOpInterface op,
                             int64_t dim);

/// Of an op that gives the position of an element.
LogicalResult verifyPositionOp(ReductionOpInterface op);

/// Accumulators of such an op are an element and its position: those of
/// nothing, and the better of two, the one before the other if they are equal.
/// NaN is better than all numbers.
SmallVector<Value> emitNoExtreme(EmitContext &ctx,
                                 ArrayRef<Type> accumulatorTypes,
                                 bool isGreatest);
SmallVector<Value> emitExtreme(EmitContext &ctx, ValueRange lhs, ValueRange rhs,
                               bool isGreatest);

/// `none` if `count` is 0.
Value emitPositionOr(EmitContext &ctx, Value position, Value count,
                     int64_t none);

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_IR_REDUCTIONFUNCTIONS_H
