//===- ShardGroups.cpp - The ranks of a grid's groups ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/ShardGroups.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fuser;
using shard::GridAxis;
using shard::GridOp;

/// Each rank's number is written into the program.
static constexpr int64_t kMaxRanks = 65536;

FailureOr<GridOp> fuser::findGrid(Operation *op, StringRef name) {
  auto grid = SymbolTable::lookupNearestSymbolFrom<GridOp>(
      op, StringAttr::get(op->getContext(), name));
  if (!grid)
    return op->emitOpError("expected a shard.grid named @") << name;
  if (ShapedType::isDynamicShape(grid.getShape()))
    return op->emitOpError("expected a grid of known sizes, got @") << name;
  int64_t ranks = 1;
  for (int64_t size : grid.getShape())
    if (size < 1 || llvm::MulOverflow(ranks, size, ranks) || ranks > kMaxRanks)
      return op->emitOpError("expected a grid of 1 to ")
             << kMaxRanks << " ranks, got @" << name << " of sizes ["
             << grid.getShape() << "]";
  return grid;
}

FailureOr<SmallVector<int64_t>>
fuser::getGridShape(Operation *op, StringRef name, ArrayRef<GridAxis> axes) {
  FailureOr<GridOp> grid = findGrid(op, name);
  if (failed(grid))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [number, axis] : llvm::enumerate(axes)) {
    if (axis < 0 || axis >= grid->getRank() ||
        llvm::is_contained(axes.take_front(number), axis))
      return op->emitOpError("expected axes of the grid @")
             << name << ", which has " << grid->getRank() << ", each once, got "
             << axis;
    shape.push_back(grid->getShape()[axis]);
  }
  return shape;
}

int64_t GridShape::count(ArrayRef<GridAxis> axes) const {
  int64_t ranks = 1;
  for (GridAxis axis : axes)
    ranks *= sizes[axis];
  return ranks;
}

int64_t GridShape::countRanks() const { return llvm::product_of(sizes); }

int64_t GridShape::getPart(int64_t rank, ArrayRef<GridAxis> axes) const {
  int64_t part = 0;
  for (GridAxis axis : axes) {
    int64_t stride = llvm::product_of(ArrayRef(sizes).drop_front(axis + 1));
    part = part * sizes[axis] + rank / stride % sizes[axis];
  }
  return part;
}

FailureOr<RankLists> fuser::getRankLists(Operation *op, StringRef name,
                                         ArrayRef<GridAxis> axes) {
  FailureOr<SmallVector<int64_t>> group = getGridShape(op, name, axes);
  if (failed(group))
    return failure();
  GridShape grid{llvm::to_vector(findGrid(op, name)->getShape())};
  SmallVector<GridAxis> others;
  for (GridAxis axis = 0; axis < static_cast<GridAxis>(grid.sizes.size());
       ++axis)
    if (!llvm::is_contained(axes, axis))
      others.push_back(axis);
  RankLists lists(grid.count(others),
                  SmallVector<int64_t>(llvm::product_of(*group)));
  for (int64_t rank = 0; rank < grid.countRanks(); ++rank)
    lists[grid.getPart(rank, others)][grid.getPart(rank, axes)] = rank;
  return lists;
}
