//===- TensorLayout.h - How tensors of a function lie in memory -*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requirements (`fusion.stride_order`, reuse of an input) come before hints,
// hints before the row-major order.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_ANALYSIS_TENSORLAYOUT_H
#define FUSER_ANALYSIS_TENSORLAYOUT_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Support/Decision.h"

namespace fuser {

/// The first use of `tensor` as a result of its function; null if it is not
/// returned.
OpOperand *findReturn(Value tensor);

/// What the function's signature says of the result `returned`; null if it is
/// null or there is nothing.
Attribute getResultAttr(OpOperand *returned, StringRef name);

/// The argument of the function whose buffer `result` is written into
/// (`fusion.alias` reuse); null if it gets a buffer of its own.
Value getReusedInput(OpResult result);

/// The result of the function that is `tensor`, or another shape of it
/// (findReturnedShape), in its memory; null if there is none.
OpOperand *findReturnOfMemory(Value tensor);

/// The memory of a tensor.
struct TensorLayout {
  /// Dimensions from the slowest to the fastest, dense; none: any strides.
  std::optional<SmallVector<int64_t>> order;
  /// Nothing but a hint made it so.
  bool isHint = false;
};

/// How `tensor` lies, an argument of a function, a result of a segment, or one
/// of an op that will be in a segment.
TensorLayout getTensorLayout(Value tensor);

/// Whether `tensor` lies dense and in the order of its dimensions.
bool isRowMajor(Value tensor);

/// Whether all that reads `op`, or returns it, may have its operand's memory in
/// another shape, which costs no kernel: both are row-major, the operand is an
/// argument or nothing but what takes tensors as they lie reads the result, and
/// what is returned has memory of its own.
bool mayShareMemory(fusion::ReshapeOp op);

/// The reshape that gives the memory of `tensor`, a segment's result, in
/// another shape as a result of the function; null if there is none.
fusion::ReshapeOp findReturnedShape(Value tensor);

/// Whether a library computes `op`, and takes tensors only as they lie: a
/// communication, or a contraction whose factors are no integers.
bool isComputedByLibrary(mlir::Operation *op);

/// Whether a library takes a tensor with this layout as operand `number` of
/// `op` (2: as the result): as a matrix, or as matrices of a batch at equal
/// distances. Dimensions of one role have to be one in memory, and rows or
/// columns contiguous.
Decision liesAsMatrix(fusion::ContractionOpInterface op, unsigned number,
                      const TensorLayout &layout);

/// The same for any op that takes tensors as they lie, a contraction or a
/// communication, which takes them row-major.
Decision liesAsTaken(mlir::Operation *op, unsigned number,
                     const TensorLayout &layout);

/// The tensor operand `number` of such an op or, for 2, its result.
mlir::Value getTakenTensor(mlir::Operation *op, unsigned number);

/// Whether all tensors of the segment lie as its one op takes them.
Decision liesAsTaken(fusion::SegmentOp segment);

} // namespace fuser

#endif // FUSER_ANALYSIS_TENSORLAYOUT_H
