//===- ShardToHost.cpp - Indices of ranks in a grid -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankCheck.h"
#include "fuser/Analysis/ShardGroups.h"
#include "fuser/Conversion/FusionToHost.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Support/CheckOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fuser {
#define GEN_PASS_DEF_SHARDTOHOSTPASS
#include "fuser/Conversion/FusionToHost.h.inc"
} // namespace fuser

using namespace mlir;
using namespace fuser;

namespace {
struct ShardToHostPass
    : public fuser::impl::ShardToHostPassBase<ShardToHostPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  LogicalResult replace(shard::ProcessMultiIndexOp op);
  LogicalResult replace(shard::ProcessLinearIndexOp op);
  LogicalResult replace(shard::GridShapeOp op);
  LogicalResult replaceAll(func::FuncOp func);
};
} // namespace

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value fuser::createCheckedGroup(OpBuilder &builder, Location loc,
                                shard::GridOp grid) {
  Value all = host::GroupOp::create(builder, loc, ArrayAttr());
  Value size = host::SizeOp::create(builder, loc, all);
  Value expected = constant(builder, loc, llvm::product_of(grid.getShape()));
  Value condition = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, size, expected);
  host::CheckOp::create(builder, loc, condition,
                        "expected {0} ranks, as the grid @" +
                            quoteForCheck(grid.getSymName()) + " has, got {1}",
                        ValueRange{expected, size});
  return all;
}

/// This rank among all.
static Value getRank(OpBuilder &builder, Location loc, shard::GridOp grid) {
  return host::RankOp::create(builder, loc,
                              createCheckedGroup(builder, loc, grid));
}

/// The axes that an op asks for: all if it lists none.
static SmallVector<shard::GridAxis>
getAskedAxes(shard::GridOp grid, ArrayRef<shard::GridAxis> axes) {
  if (!axes.empty())
    return llvm::to_vector(axes);
  return llvm::to_vector(llvm::seq<shard::GridAxis>(0, grid.getRank()));
}

LogicalResult ShardToHostPass::replace(shard::ProcessMultiIndexOp op) {
  FailureOr<shard::GridOp> grid = findGrid(op, op.getGrid());
  if (failed(grid))
    return failure();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value rank = getRank(builder, loc, *grid);
  ArrayRef<int64_t> shape = grid->getShape();
  for (auto [axis, result] :
       llvm::zip_equal(getAskedAxes(*grid, op.getAxes()), op.getResults())) {
    Value stride =
        constant(builder, loc, llvm::product_of(shape.drop_front(axis + 1)));
    Value index = builder.createOrFold<arith::DivUIOp>(loc, rank, stride);
    index = builder.createOrFold<arith::RemUIOp>(
        loc, index, constant(builder, loc, shape[axis]));
    result.replaceAllUsesWith(index);
  }
  op.erase();
  return success();
}

LogicalResult ShardToHostPass::replace(shard::ProcessLinearIndexOp op) {
  FailureOr<shard::GridOp> grid = findGrid(op, op.getGrid());
  if (failed(grid))
    return failure();
  OpBuilder builder(op);
  op.replaceAllUsesWith(getRank(builder, op.getLoc(), *grid));
  op.erase();
  return success();
}

LogicalResult ShardToHostPass::replace(shard::GridShapeOp op) {
  FailureOr<shard::GridOp> grid = findGrid(op, op.getGrid());
  if (failed(grid))
    return failure();
  OpBuilder builder(op);
  for (auto [axis, result] :
       llvm::zip_equal(getAskedAxes(*grid, op.getAxes()), op.getResults()))
    result.replaceAllUsesWith(
        constant(builder, op.getLoc(), grid->getShape()[axis]));
  op.erase();
  return success();
}

/// Removes groups, checks and their operands that are equal to earlier ones.
static void mergeEqualOps(Block &block) {
  using Hash = OperationEquivalence;
  DenseMap<size_t, SmallVector<Operation *, 1>> kept;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isa<host::GroupOp, host::SizeOp, host::RankOp, host::CheckOp,
             arith::ConstantOp, arith::CmpIOp>(op))
      continue;
    SmallVector<Operation *, 1> &alike =
        kept[Hash::computeHash(&op, Hash::directHashValue,
                               Hash::ignoreHashValue, Hash::IgnoreLocations)];
    auto *equal = llvm::find_if(alike, [&](Operation *other) {
      return Hash::isEquivalentTo(other, &op, Hash::IgnoreLocations);
    });
    if (equal == alike.end()) {
      alike.push_back(&op);
      continue;
    }
    op.replaceAllUsesWith(*equal);
    op.erase();
  }
}

LogicalResult ShardToHostPass::replaceAll(func::FuncOp func) {
  bool usesGroups = false;
  WalkResult walked = func.walk([&](Operation *op) {
    usesGroups |= isa<host::GroupOp>(op);
    LogicalResult result = success();
    if (auto index = dyn_cast<shard::ProcessMultiIndexOp>(op)) {
      result = replace(index);
    } else if (auto shape = dyn_cast<shard::GridShapeOp>(op)) {
      result = replace(shape);
    } else if (auto linear = dyn_cast<shard::ProcessLinearIndexOp>(op)) {
      result = replace(linear);
    } else {
      return WalkResult::advance();
    }
    usesGroups = true;
    return failed(result) ? WalkResult::interrupt() : WalkResult::skip();
  });
  if (walked.wasInterrupted())
    return failure();
  if (usesGroups)
    mergeEqualOps(func.getBody().front());
  return success();
}

void ShardToHostPass::runOnOperation() {
  for (auto func : getOperation().getOps<func::FuncOp>())
    if (func->hasAttr(host::kProgramAttrName) && !func.isExternal() &&
        failed(replaceAll(func)))
      return signalPassFailure();
  for (auto grid :
       llvm::make_early_inc_range(getOperation().getOps<shard::GridOp>()))
    if (SymbolTable::symbolKnownUseEmpty(grid.getOperation(), getOperation()))
      grid.erase();
}
