//===- Passes.h - Passes on fusion programs --------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_TRANSFORMS_PASSES_H
#define FUSER_DIALECT_FUSION_TRANSFORMS_PASSES_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Dialect/Fusion/Transforms/Segmentation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace fuser::fusion {

/// Replaces the contractions of `block`: see the pass
/// fusion-expand-contractions.
void expandContractions(mlir::Block &block);

/// Makes real tensors of the complex ones of `function`: see the pass
/// fusion-decompose-complex.
mlir::LogicalResult decomposeComplex(mlir::func::FuncOp function);
/// Makes tensors of bytes of the packed ones of `function`: see the pass
/// fusion-decompose-packed.
mlir::LogicalResult decomposePacked(mlir::func::FuncOp function);
/// Fails with a diagnostic if `function` has complex or packed tensors yet.
mlir::LogicalResult verifyDecomposed(mlir::func::FuncOp function);

#define GEN_PASS_DECL
#include "fuser/Dialect/Fusion/Transforms/Passes.h.inc"

} // namespace fuser::fusion

#endif // FUSER_DIALECT_FUSION_TRANSFORMS_PASSES_H
