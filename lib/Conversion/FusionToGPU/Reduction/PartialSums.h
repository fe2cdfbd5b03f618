//===- PartialSums.h - What one kernel adds for another --------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thread blocks that share a reduction put what they have of it into
// workspaces, one for each accumulator, from which another kernel takes it. The
// workspaces are the last arguments of both kernels.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_PARTIALSUMS_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_PARTIALSUMS_H

#include "ReductionTree.h"
#include "fuser/Conversion/SegmentLowering.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fuser {

class PartialSums {
public:
  PartialSums() = default;
  /// Of these, one after the other.
  explicit PartialSums(ArrayRef<fusion::ReductionOpInterface> reductions);

  /// The accumulators of all reductions, as they are computed.
  ArrayRef<Type> getSlots() const { return slots; }
  /// The number of the first accumulator of a reduction.
  unsigned getFirstSlot(fusion::ReductionOpInterface op) const;

  /// Of the workspaces.
  SmallVector<Type> getMemRefTypes() const;
  /// With room for `size` of each accumulator, in the host function.
  SmallVector<Value> createWorkspaces(SegmentLowering &lowering,
                                      OpFoldResult size) const;

  /// Their accesses in a kernel that has them.
  SmallVector<TensorAccess> getAccesses(gpu::GPUFuncOp kernel) const;

  /// `width` of each accumulator of a workspace from `position` on, as a scalar
  /// or as a vector whose position is a multiple of its width. `accesses` are
  /// some of them, that begin with number `first`.
  Accumulators load(OpBuilder &b, Location loc, ArrayRef<TensorAccess> accesses,
                    Value position, int64_t width = 1,
                    unsigned first = 0) const;
  /// One for each accumulator.
  void store(OpBuilder &b, Location loc, ArrayRef<TensorAccess> accesses,
             ArrayRef<Value> values, Value position) const;

private:
  SmallVector<fusion::ReductionOpInterface> reductions;
  SmallVector<Type> slots;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_PARTIALSUMS_H
