//===- ExpandPatterns.h - Ops of kernels made of simpler ones ---*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_KERNELSTAGE_EXPANDPATTERNS_H
#define FUSER_LIB_CONVERSION_KERNELSTAGE_EXPANDPATTERNS_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/PatternMatch.h"

namespace fuser {

/// memref.copy, vector.gather and vector.scatter become loads and stores of
/// elements.
void populateElementPatterns(mlir::RewritePatternSet &patterns);

/// Conversions of floats to integers of fewer bits than GPUs convert to become
/// such to more bits, and truncations.
void populateFloatToIntegerPatterns(mlir::RewritePatternSet &patterns);

/// kernel.philox becomes integer arithmetic.
void populatePhiloxPatterns(mlir::RewritePatternSet &patterns);

/// gpu.num_subgroups becomes arithmetic on the block's size.
void populateSubgroupPatterns(mlir::RewritePatternSet &patterns);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_KERNELSTAGE_EXPANDPATTERNS_H
