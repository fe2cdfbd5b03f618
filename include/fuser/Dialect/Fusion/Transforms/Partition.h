//===- Partition.h - From whole tensors to those of a rank -----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_TRANSFORMS_PARTITION_H
#define FUSER_DIALECT_FUSION_TRANSFORMS_PARTITION_H

#include "fuser/Analysis/ShardGroups.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fuser::fusion {

/// Axes of a grid, from the one whose parts are the largest on.
using Axes = llvm::SmallVector<int16_t, 2>;

/// For each dimension of a tensor, the axes along which ranks have equal parts
/// of it. Ranks that differ along other axes only have the same.
using Distribution = llvm::SmallVector<Axes>;

/// What has become of a function: how the tensors of its signature, as they
/// were, are distributed over a grid. Empty distributions are of scalars.
struct PartitionedFunction {
  GridShape grid;
  llvm::SmallVector<Distribution> arguments, results;
};

/// Whether `func` says how its tensors are distributed: it has an op
/// `shard.shard` or `shard.sharding`.
bool hasShardings(mlir::func::FuncOp func);

/// Makes of a function of whole tensors that of one rank: see the pass
/// fusion-partition. Errors are emitted, and leave the function as it was.
FailureOr<PartitionedFunction> partitionFunction(mlir::func::FuncOp func);

/// Makes of it a function of whole tensors for a single rank, by dropping what
/// it says of distributions.
void dropShardings(mlir::func::FuncOp func);

} // namespace fuser::fusion

#endif // FUSER_DIALECT_FUSION_TRANSFORMS_PARTITION_H
