//===- BoundArithmetic.h - What bounds are made of ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds are f64: how far an element of a kernel may be from the reference's.
// An infinite one says that the element may be anything.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_REFERENCE_BOUNDARITHMETIC_H
#define FUSER_LIB_REFERENCE_BOUNDARITHMETIC_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/Builders.h"

namespace fuser::reference {

Value emitConstant(OpBuilder &b, Location loc, double value);
/// A value of element type `element` as an f64.
Value emitNumber(OpBuilder &b, Location loc, Type element, Value value);
Value emitInfinity(OpBuilder &b, Location loc);
/// True where what has this bound may be anything.
Value emitIsAnything(OpBuilder &b, Location loc, Value bound);
Value emitIsFinite(OpBuilder &b, Location loc, Value number);
/// |lhs - rhs| of elements of type `element`: 0 if neither is finite and both
/// are alike, infinite if they are not.
Value emitDistance(OpBuilder &b, Location loc, Type element, Value lhs,
                   Value rhs);
/// The greater of two f64 that are not NaN.
Value emitMax(OpBuilder &b, Location loc, Value lhs, Value rhs);
/// The end of the range of `value`, of element type `element`: `value` plus or
/// minus `bound`; an infinity where that is beyond f32; true or false for an i1
/// that is undecided; NaN and 0 for what may be anything.
Value emitMoved(OpBuilder &b, Location loc, Type element, Value value,
                Value bound, bool upwards);
/// True where `distance` is no more than `bound`, and not both are 0. What the
/// bound leaves out, terms of second order, is less than the slack.
Value emitIsWithin(OpBuilder &b, Location loc, Value distance, Value bound);

} // namespace fuser::reference

#endif // FUSER_LIB_REFERENCE_BOUNDARITHMETIC_H
