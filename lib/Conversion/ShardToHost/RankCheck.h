//===- RankCheck.h - As many ranks as the grid has -------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_SHARDTOHOST_RANKCHECK_H
#define FUSER_LIB_CONVERSION_SHARDTOHOST_RANKCHECK_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"

namespace fuser {

/// The group of all ranks, of which there have to be as many as `grid` has:
/// others would do nothing, or something else, and leave their results as they
/// are.
Value createCheckedGroup(OpBuilder &builder, Location loc,
                         mlir::shard::GridOp grid);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_SHARDTOHOST_RANKCHECK_H
