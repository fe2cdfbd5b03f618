//===- ShardGroups.h - The ranks of a grid's groups ------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Grids of upstream's shard dialect. Ranks are numbered in row-major order of
// their indices in the grid. Some axes of a grid divide its ranks into groups:
// those whose indices differ along these axes only, numbered in row-major order
// of the axes as they are listed.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_ANALYSIS_SHARDGROUPS_H
#define FUSER_ANALYSIS_SHARDGROUPS_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"

namespace fuser {

/// The sizes of a grid of ranks, which are numbered in row-major order.
struct GridShape {
  SmallVector<int64_t> sizes;

  /// The number of ranks, or of parts, along `axes`.
  int64_t count(ArrayRef<mlir::shard::GridAxis> axes) const;
  int64_t countRanks() const;
  /// The number of the part along `axes` that `rank` has.
  int64_t getPart(int64_t rank, ArrayRef<mlir::shard::GridAxis> axes) const;
};

/// The grid that `op` names; an error at `op` if there is none, or one whose
/// sizes are not all known, has no ranks or too many.
FailureOr<mlir::shard::GridOp> findGrid(Operation *op, StringRef name);

/// The sizes of the grid along `axes`. Errors as findGrid, and axes that the
/// grid has not, or that stand twice.
FailureOr<SmallVector<int64_t>>
getGridShape(Operation *op, StringRef name,
             ArrayRef<mlir::shard::GridAxis> axes);

using RankLists = SmallVector<SmallVector<int64_t>>;

/// The ranks of each group along `axes`. Errors as getGridShape.
FailureOr<RankLists> getRankLists(Operation *op, StringRef name,
                                  ArrayRef<mlir::shard::GridAxis> axes);

} // namespace fuser

#endif // FUSER_ANALYSIS_SHARDGROUPS_H
