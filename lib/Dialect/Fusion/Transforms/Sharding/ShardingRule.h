//===- ShardingRule.h - How ops may be computed in parts -------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dimensions of an op's tensors that go along with each other are one
// *factor*. Ranks along an axis of a grid may each compute a part of a factor.
// May: getShardingRule. Should: chooseFactorAxes. It is done in Partition.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_TRANSFORMS_SHARDING_SHARDINGRULE_H
#define FUSER_LIB_DIALECT_FUSION_TRANSFORMS_SHARDING_SHARDINGRULE_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Dialect/Fusion/Transforms/Partition.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"

namespace fuser::fusion {

using mlir::shard::GridAxis;

/// Dimensions that go along with each other.
struct ShardingFactor {
  /// Each rank needs all of it.
  bool isReplicated = false;
  /// It is reduced: parts give partial results, which are combined so.
  std::optional<mlir::shard::ReductionKind> reduction;
};

struct ShardingRule {
  llvm::SmallVector<ShardingFactor> factors;
  /// The factor of each dimension: of tensor operands, and of the result.
  llvm::SmallVector<llvm::SmallVector<unsigned>> operands;
  llvm::SmallVector<unsigned> result;

  unsigned addFactor(ShardingFactor factor = {}) {
    factors.push_back(factor);
    return factors.size() - 1;
  }
};

/// How `op`, of any family but communications, may be computed in parts.
ShardingRule getShardingRule(TensorOpInterface op);

/// The axes along which each factor is computed in parts, by how the tensor
/// operands of the op are distributed: the largest operand first, each keeps
/// the axes that no other factor has. A factor that cannot be cut into equal
/// parts has none.
llvm::SmallVector<Axes> chooseFactorAxes(TensorOpInterface op,
                                         const ShardingRule &rule,
                                         llvm::ArrayRef<Distribution> operands,
                                         const GridShape &grid);

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_TRANSFORMS_SHARDING_SHARDINGRULE_H
