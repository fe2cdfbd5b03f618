//===- RingArithmetic.h - Floats as integers of a ring ---------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A float of w bits becomes an integer modulo 2^w. Addition, subtraction and
// multiplication are those of the integers: they associate and distribute, so
// that what is equal on paper is equal in every bit. A conversion to more bits
// extends the sign and one to fewer cuts off: computed in a wider type and
// narrowed then, sums and products are the same. Quotients and transcendental
// functions are hashes of their operands. The rules, one by one, and what they
// cannot show: docs/rationale/exact-arithmetic.md.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TRANSFORMS_RINGARITHMETIC_H
#define FUSER_TRANSFORMS_RINGARITHMETIC_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fuser {

/// What stands for `value` in `width` bits. An integer of -2^15 to 2^15 - 1 is
/// itself; other numbers are 15-bit hashes with a sign, so that a constant is
/// the same after a conversion; infinities are the ends of the range.
llvm::APInt getRingConstant(const llvm::APFloat &value, unsigned width);

/// Whether an op beyond those of upstream's dialects only moves floats.
/// Reports why not.
using CheckMoved = llvm::function_ref<LogicalResult(Operation *op)>;

/// Replaces all floats in `root`, functions on buffers and scalars, by integers
/// of their widths. What moves elements (loops, accesses, vectors, shuffles)
/// stays, with other types. An op that has no meaning in the ring is an error,
/// and nothing has changed then. Of dialects that are not known here `check`
/// decides; without it they are errors.
LogicalResult replaceFloatsByRing(Operation *root, CheckMoved check = {});

} // namespace fuser

#endif // FUSER_TRANSFORMS_RINGARITHMETIC_H
