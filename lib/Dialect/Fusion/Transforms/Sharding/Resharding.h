//===- Resharding.h - From one distribution to another ---------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_TRANSFORMS_SHARDING_RESHARDING_H
#define FUSER_LIB_DIALECT_FUSION_TRANSFORMS_SHARDING_RESHARDING_H

#include "ShardingRule.h"

namespace fuser::fusion {

/// What a rank has of a tensor.
struct LocalTensor {
  mlir::Value value;
  Distribution axes;
  /// Ranks along these axes have partial results, which `reduction` combines.
  /// They may be of a wider element type than the tensor.
  Axes partial;
  mlir::Type element;
  mlir::shard::ReductionKind reduction = mlir::shard::ReductionKind::Sum;
};

/// Inserts what it takes to distribute tensors otherwise: communications of the
/// shard dialect.
class Resharder {
public:
  Resharder(mlir::OpBuilder &builder, llvm::StringRef grid,
            const GridShape &shape)
      : builder(builder), grid(grid), shape(shape) {}

  /// Combines partial results, and rounds them once: each rank has all of them
  /// then.
  void complete(LocalTensor &tensor, mlir::Location loc);

  /// Distributes `tensor` as `axes` say; partial results are combined, and
  /// where the ranks that have them get different parts, each gets only its
  /// own.
  void reshard(LocalTensor &tensor, const Distribution &axes,
               mlir::Location loc);

private:
  void allReduce(LocalTensor &tensor, const Axes &axes, mlir::Location loc);
  void reduceScatter(LocalTensor &tensor, const Distribution &target,
                     mlir::Location loc);
  bool slice(LocalTensor &tensor, const Distribution &target,
             mlir::Location loc);
  bool move(LocalTensor &tensor, const Distribution &target,
            mlir::Location loc);
  bool gather(LocalTensor &tensor, const Distribution &target,
              mlir::Location loc);
  /// The type of `tensor` with dimension `dim` times `factor`, by `divisor`.
  mlir::RankedTensorType scale(const LocalTensor &tensor, int64_t dim,
                               int64_t factor, int64_t divisor) const;
  mlir::RankedTensorType scale(mlir::RankedTensorType type, int64_t dim,
                               int64_t factor, int64_t divisor) const;

  mlir::OpBuilder &builder;
  llvm::StringRef grid;
  const GridShape &shape;
};

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_TRANSFORMS_SHARDING_RESHARDING_H
