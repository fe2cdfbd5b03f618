//===- Jumps.h - Where ops jump ---------------------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_REFERENCE_JUMPS_H
#define FUSER_REFERENCE_JUMPS_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace fuser {

/// One element of an op, where the reference computes it.
struct JumpContext {
  OpBuilder &builder;
  Location loc;
  /// Of each tensor operand the element, floats in f64, and how far a kernel's
  /// may be from it, an f64: 0 if not at all, infinite for anything.
  ValueRange elements;
  ArrayRef<Value> bounds;
  /// The element of the result, before it is rounded.
  Value result;
  /// Of the last operand.
  Type type;

  Value emitConstant(double value) const;
  /// The element of an operand that has the last one's type as an f64.
  Value emitNumber(unsigned operand) const;
  /// True where the element of an operand may be anything.
  Value emitIsAnything(unsigned operand) const;
  /// True where `distance`, not negative, is no more than `bound`, which is not
  /// 0.
  Value emitIsWithin(Value distance, Value bound) const;
};

/// Where `condition`, an i1, is true, a kernel's result may be as far from the
/// reference's as `bound`, an f64, says. Without a condition nowhere.
struct Jump {
  Value condition, bound;
};

/// Implements JumpOpInterface for the ops of the fusion dialect.
void registerJumps(DialectRegistry &registry);

} // namespace fuser

#include "fuser/Reference/Jumps.h.inc"

#endif // FUSER_REFERENCE_JUMPS_H
