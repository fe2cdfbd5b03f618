//===- SegmentSizes.h - Sizes and scalars inside of a segment --*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_SEGMENTSIZES_H
#define FUSER_CONVERSION_SEGMENTSIZES_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fuser {

/// The sizes of the tensors inside of a segment, and its scalars, in a function
/// that has the segment's operands as arguments (memrefs for tensors): a
/// kernel, or the host function. Each is emitted once, at the function's start.
class SegmentSizes {
public:
  /// `arguments` are those for the segment's operands, and perhaps more behind
  /// them. `entry` is the function's block.
  SegmentSizes(OpBuilder &builder, fusion::SegmentOp segment, Block *entry,
               ValueRange arguments);

  /// Static, or a value of the entry block.
  OpFoldResult getDim(Value tensor, int64_t dim);
  Value getDimValue(Value tensor, int64_t dim);
  SmallVector<OpFoldResult> getDims(Value tensor, ArrayRef<int64_t> dims);
  SmallVector<OpFoldResult> getDims(Value tensor);
  Value getScalar(Value scalar);

  /// Calls `fn` with what ops of the segment ask when they emit.
  template <typename Fn>
  auto withContext(Location loc, Fn fn) {
    auto dim = [&](Value tensor, int64_t d) { return getDim(tensor, d); };
    auto scalar = [&](Value value) { return getScalar(value); };
    fusion::EmitContext ctx{builder, loc, dim, scalar};
    return fn(ctx);
  }

private:
  template <typename Fn>
  auto atEntry(Fn fn);
  Value emitDimOp(tensor::DimOp op);

  OpBuilder &builder;
  fusion::SegmentOp segment;
  Block *entry;
  Operation *lastAtEntry = nullptr;
  SmallVector<Value> arguments;
  DenseMap<Value, Value> scalars;
  DenseMap<std::pair<Value, int64_t>, OpFoldResult> dims;
};

/// A size as a value; constants come where they are used.
Value emitIndex(OpBuilder &b, Location loc, OpFoldResult size);

/// The coordinates of position `linear` in a box of `sizes`, the last running
/// fastest. With `narrow`, positions are known to fit into 31 bits.
SmallVector<Value> emitCoordinates(OpBuilder &b, Location loc, Value linear,
                                   ArrayRef<OpFoldResult> sizes, bool narrow);
/// The position of coordinates, behind `first` boxes of `sizes`.
Value emitLinear(OpBuilder &b, Location loc, ArrayRef<Value> coordinates,
                 ArrayRef<OpFoldResult> sizes, Value first);

} // namespace fuser

#endif // FUSER_CONVERSION_SEGMENTSIZES_H
