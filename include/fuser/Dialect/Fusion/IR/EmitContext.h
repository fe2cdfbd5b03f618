//===- EmitContext.h - What an op sees while its elements are emitted -----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The family interfaces of the fusion dialect emit elements: IR that computes
// one element of a tensor (or a vector of neighbouring elements) at an index.
// What lies outside of the element, the sizes of tensors and the values of
// scalar operands, is reached through this context, because only the emitter
// knows where it is kept (a kernel parameter, a descriptor, a constant).
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_EMITCONTEXT_H
#define FUSER_DIALECT_FUSION_IR_EMITCONTEXT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fuser::fusion {

struct EmitContext {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  /// The size of dimension `dim` of `tensor`, as an `index` value or an
  /// attribute if it is static.
  llvm::function_ref<mlir::OpFoldResult(mlir::Value tensor, int64_t dim)> dim;
  /// The value, where the elements are emitted, of a scalar operand of an op.
  llvm::function_ref<mlir::Value(mlir::Value scalar)> scalar;
  /// The element of tensor operand `operand` of an index map, a selector, where
  /// mapIndex says it is; only while a source is mapped.
  llvm::function_ref<mlir::Value(unsigned operand)> selector = nullptr;
};

/// What an op sees of one fibre of its result (FibreOpInterface) while it emits
/// what computes it. Positions count along the fibres and are `index` values.
struct FibreContext {
  EmitContext &emit;
  /// The compute type of the result.
  mlir::Type type;
  /// How many elements the fibre of the result has.
  mlir::Value length;
  /// The same of tensor operand `operand`.
  llvm::function_ref<mlir::Value(unsigned operand)> operandLength;
  /// The element of tensor operand `operand` there, in its compute type.
  llvm::function_ref<mlir::Value(unsigned operand, mlir::Value position)> load;
  /// What was stored there, rounded to the element type of the result.
  llvm::function_ref<mlir::Value(mlir::Value position)> loadResult;
  /// Stores an element, a scalar of `type`.
  llvm::function_ref<void(mlir::Value position, mlir::Value element)> store;
};

/// Two sizes that are equal wherever a program has a meaning: of a dimension of
/// each of two tensor operands.
struct EqualDims {
  unsigned operand;
  int64_t dim;
  unsigned otherOperand;
  int64_t otherDim;
};

/// What ops know of sizes where nothing is emitted: what they are multiples of,
/// 1 if nothing is known.
struct SizeDivisors {
  llvm::function_ref<int64_t(mlir::Value tensor, int64_t dim)> dim;
  /// Of a scalar operand of an op.
  llvm::function_ref<int64_t(mlir::Value scalar)> scalar;
};

/// Where an element of an operand is found for an element of the result.
struct MappedIndex {
  /// One `index` value a dimension of the operand. Inside of it where `valid`.
  llvm::SmallVector<mlir::Value> index;
  /// An `i1` that is true where this operand provides the element; null:
  /// always.
  mlir::Value valid;
};

/// A coordinate in an operand as a linear function of those in the result:
/// `offset` plus the sum of `step` times coordinate `dim` of all terms. Numbers
/// are not negative.
struct StridedIndex {
  struct Term {
    int64_t dim;
    mlir::OpFoldResult step;
  };
  mlir::OpFoldResult offset;
  llvm::SmallVector<Term> terms;
};

} // namespace fuser::fusion

#endif // FUSER_DIALECT_FUSION_IR_EMITCONTEXT_H
