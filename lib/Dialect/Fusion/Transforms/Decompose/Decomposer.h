//===- Decomposer.h - Complex tensors as real ones --------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_TRANSFORMS_DECOMPOSE_DECOMPOSER_H
#define FUSER_LIB_DIALECT_FUSION_TRANSFORMS_DECOMPOSE_DECOMPOSER_H

#include "Boundary.h"
#include "ComplexNumbers.h"
#include "llvm/ADT/DenseMap.h"

namespace fuser::fusion {

/// With a last dimension of the two parts.
mlir::RankedTensorType getPairsType(mlir::Type complexTensor);

/// The complex tensors of a function as real ones: their parts, or pairs of
/// them, whichever were asked for.
class Decomposer {
public:
  explicit Decomposer(mlir::func::FuncOp function)
      : function(function), builder(function.getContext()),
        place{builder, function.getLoc()} {}

  mlir::LogicalResult run();

private:
  /// What is there of a tensor.
  struct Tensors {
    mlir::Value pairs, re, im;
  };

  mlir::LogicalResult decomposeSignature();
  mlir::LogicalResult decomposeReturn(mlir::Operation *op);
  mlir::LogicalResult decompose(mlir::Operation *op);
  mlir::LogicalResult decomposeOfParts(mlir::Operation *op);
  bool decomposeContraction(mlir::Operation *op);
  bool decomposeProduct(mlir::Operation *op);
  bool decomposeConstant(mlir::Operation *op);
  bool decomposeCast(mlir::Operation *op);
  /// One op that moves pairs, if all its complex operands are there as such.
  bool movePairs(mlir::Operation *op);
  /// The op on each part, if its result is complex.
  bool applyToParts(mlir::Operation *op);

  bool havePairs(mlir::Operation *op) const;
  mlir::Value getPairs(mlir::Value tensor);
  Complex getParts(mlir::Value tensor);
  /// What complex tensors a tensor of pairs is made of.
  mlir::Value joinParts(Complex parts);
  mlir::Value createPairs(mlir::Operation *op);
  /// Two matrices as blocks under each other, each row of which is one of the
  /// first and one of the second.
  mlir::Value interleaveRows(Complex first, Complex second);
  void setParts(mlir::Value tensor, Complex parts) {
    tensors[tensor] = {mlir::Value(), parts.re.value, parts.im.value};
  }
  Real real(mlir::Value value) { return {&place, value}; }

  mlir::func::FuncOp function;
  mlir::OpBuilder builder;
  Place place;
  llvm::DenseMap<mlir::Value, Tensors> tensors;
};

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_TRANSFORMS_DECOMPOSE_DECOMPOSER_H
