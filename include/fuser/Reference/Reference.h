//===- Reference.h - What a program means, computed op by op -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference evaluates a function of fusion ops op by op, each in a loop
// nest of its own over buffers of its own, serially, with all floats in f64. It
// shares nothing with segmentation, schedules or the element emitter; of an op
// it uses only what its family interface says.
//
// Rounding. Each op of the dialect rounds to its result's element type. The
// reference rounds results of f16 and bf16 after every op, once, from f64;
// these are the roundings that one sees. Results of f32 are not rounded but by
// a cast from f64: an f32 result of the reference is what f32 arithmetic
// without any error of its own would give.
//
// In the ring (Arithmetic::Ring) nothing is promoted: each op computes in the
// types that kernels compute in, f32 for f16 and bf16, and its result is
// narrowed to its element type at once.
//
// Scalars (sizes, the value of a full) are computed in their own types, as the
// program says.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_REFERENCE_REFERENCE_H
#define FUSER_REFERENCE_REFERENCE_H

#include "fuser/Support/Arithmetic.h"
#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <vector>

namespace fuser {

/// An argument: a tensor in host memory, or a scalar (no sizes, no strides).
struct ReferenceInput {
  /// The element type of the tensor, or the type of the scalar.
  Type elementType;
  SmallVector<int64_t> sizes;
  SmallVector<int64_t> strides; ///< In elements.
  /// Element 0. i1 and f4E2M1FN are stored in a byte, index in 64 bits, all
  /// else as itself.
  const void *data = nullptr;
};

/// A result in row-major order. A scalar has no sizes. Of complex numbers there
/// are their parts, two an element.
struct ReferenceOutput {
  Type elementType;
  SmallVector<int64_t> sizes;
  ArrayRef<double> floats; ///< The elements, if they are floats.
  /// The elements, if not; in the ring the bits of floats, as signed integers.
  std::vector<int64_t> integers;
  /// How far a kernel may be from each element; empty: not at all.
  ArrayRef<double> bounds;
  std::shared_ptr<void> memory, boundsMemory; ///< Of `floats` and `bounds`.
};

/// Evaluates `function` (fusion ops on tensors, with or without segments).
/// Inputs that do not fit the function's type, ops that are none of the
/// dialect's families, and sizes that disagree are errors at the function or at
/// the op. With `withBounds` it computes bounds of the errors of kernels beside
/// the values (docs/rationale/check-tolerance.md); in the ring there are none.
FailureOr<SmallVector<ReferenceOutput>>
runReference(func::FuncOp function, ArrayRef<ReferenceInput> inputs,
             bool withBounds = false,
             Arithmetic arithmetic = Arithmetic::Floats);

/// Rewrites a function on tensors into a function on buffers, in place: the
/// body of the pass fusion-to-reference. `locations` takes where each check of
/// sizes belongs: number n of the returned status is entry n - 1; -n says of
/// the same that a result has a negative size, or too many elements. With
/// `hasBounds` the function returns, after its results, a buffer of bounds for
/// each result that has one, and `hasBounds` says which do. For the ring
/// buffers have the tensors' element types, and floats are yet to be replaced;
/// the function's module is to have `fusion.ring`.
LogicalResult lowerToReference(func::FuncOp function,
                               SmallVectorImpl<Location> &locations,
                               SmallVectorImpl<bool> *hasBounds = nullptr,
                               Arithmetic arithmetic = Arithmetic::Floats);

} // namespace fuser

#endif // FUSER_REFERENCE_REFERENCE_H
