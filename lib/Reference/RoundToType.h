//===- RoundToType.h - Rounding of f64 to narrower floats -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_REFERENCE_ROUNDTOTYPE_H
#define FUSER_LIB_REFERENCE_ROUNDTOTYPE_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/Builders.h"

namespace fuser::reference {

/// The f64 `value` rounded once, to nearest, ties to even, to `type` (f16,
/// bf16, f32), as an f64.
Value emitRoundToType(OpBuilder &builder, Location loc, Value value,
                      FloatType type);

} // namespace fuser::reference

#endif // FUSER_LIB_REFERENCE_ROUNDTOTYPE_H
