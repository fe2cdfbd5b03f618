//===- SegmentOutliner.h - Moving groups of ops into segments --*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_TRANSFORMS_SEGMENTOUTLINER_H
#define FUSER_LIB_DIALECT_FUSION_TRANSFORMS_SEGMENTOUTLINER_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"

namespace fuser::fusion {

/// Moves `ops`, in program order, into a new segment at the builder. `results`
/// are the values of them that are used elsewhere. Scalar constants and
/// forwarded producers are copied into the segment.
SegmentOp outlineSegment(mlir::OpBuilder &builder,
                         llvm::ArrayRef<mlir::Operation *> ops,
                         llvm::ArrayRef<mlir::Value> results,
                         llvm::StringRef scheduler);

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_TRANSFORMS_SEGMENTOUTLINER_H
