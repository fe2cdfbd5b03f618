//===- NarrowMath.h - Functions of 16-bit floats ---------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_KERNELTOSIM_NARROWMATH_H
#define FUSER_LIB_CONVERSION_KERNELTOSIM_NARROWMATH_H

#include "fuser/Support/LLVM.h"

namespace fuser {

/// In `module`, each multiply-add of f16 or bf16 becomes arithmetic on f64 with
/// the same result, and each other function of bf16 that of f32, rounded: CPUs
/// have neither, and libdevice and GPUs compute the latter so.
void expandNarrowMath(Operation *module);

/// In `module`, each vector.reduction of bf16 becomes arithmetic on one lane
/// after the other: CPUs have no reductions of bf16.
void expandNarrowReductions(Operation *module);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_KERNELTOSIM_NARROWMATH_H
