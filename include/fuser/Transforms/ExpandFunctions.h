//===- ExpandFunctions.h - Functions of f32 as arithmetic ------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TRANSFORMS_EXPANDFUNCTIONS_H
#define FUSER_TRANSFORMS_EXPANDFUNCTIONS_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace fuser {

class FloatBuilder;

/// e^r of f32, for |r| <= ln(2) / 2: the polynomial of both exponentials, those
/// of GPUs and of CPUs, which with what is around it are off by 0.85 units in
/// the last place at most.
Value expandExpOfRemainder(FloatBuilder &f, Value r);

/// True if `op`, of math or arith, is one of these functions of f32: exp2,
/// expm1, log2, log10, log1p, sin, cos, tan, asin, acos, atan, atan2, sinh,
/// cosh, asinh, acosh, atanh, erf, erfc, powf, remf. Or if it is a logarithm of
/// f64 that may be approximated (`afn`), as it is rounded to f32 in the end.
bool hasExpansion(Operation *op);

/// How lanes of a vector are computed where each takes many f64: a GPU has few
/// registers for those of all lanes, and other lanes of its own.
enum class Lanes { Together, OneByOne };

/// The function that `op` is, of `operands`, scalars or vectors, as arithmetic
/// that every target rounds alike: the result has the same bits everywhere. It
/// is within 0.6 units in the last place; erf and log1p within 0.95, sin, cos
/// and expm1 within 1.5.
Value expandFunction(OpBuilder &builder, Operation *op, ValueRange operands,
                     Lanes lanes = Lanes::Together);

/// Calls the library for expm1 and log1p under `root`, of which LLVM's lowering
/// makes e^x - 1 and ln(1 + x), which have no digits near 0.
LogicalResult callExactFunctions(Operation *root);

} // namespace fuser

#endif // FUSER_TRANSFORMS_EXPANDFUNCTIONS_H
