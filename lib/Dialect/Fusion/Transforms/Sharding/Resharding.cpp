//===- Resharding.cpp - From one distribution to another ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What moves the fewest bytes comes first: slices, which move none, then
// all-to-all, which keeps the size of what a rank has, then all-gather.
//
//===----------------------------------------------------------------------===//

#include "Resharding.h"

using namespace mlir;
using namespace fuser::fusion;

static bool startsWith(ArrayRef<GridAxis> axes, ArrayRef<GridAxis> prefix) {
  return axes.size() >= prefix.size() &&
         axes.take_front(prefix.size()) == prefix;
}

static bool isUsed(const Distribution &axes, GridAxis axis) {
  return llvm::any_of(
      axes, [&](const Axes &dim) { return llvm::is_contained(dim, axis); });
}

RankedTensorType Resharder::scale(RankedTensorType type, int64_t dim,
                                  int64_t factor, int64_t divisor) const {
  auto sizes = llvm::to_vector(type.getShape());
  if (!ShapedType::isDynamic(sizes[dim]))
    sizes[dim] = sizes[dim] * factor / divisor;
  return type.clone(sizes);
}

RankedTensorType Resharder::scale(const LocalTensor &tensor, int64_t dim,
                                  int64_t factor, int64_t divisor) const {
  return scale(cast<RankedTensorType>(tensor.value.getType()), dim, factor,
               divisor);
}

//===----------------------------------------------------------------------===//
// Partial results
//===----------------------------------------------------------------------===//

void Resharder::allReduce(LocalTensor &tensor, const Axes &axes, Location loc) {
  if (axes.empty())
    return;
  tensor.value =
      shard::AllReduceOp::create(builder, loc, tensor.value.getType(), grid,
                                 axes, tensor.value, tensor.reduction);
}

void Resharder::complete(LocalTensor &tensor, Location loc) {
  allReduce(tensor, tensor.partial, loc);
  tensor.partial.clear();
  auto type = cast<RankedTensorType>(tensor.value.getType());
  if (type.getElementType() != tensor.element)
    tensor.value =
        CastOp::create(builder, loc, type.clone(tensor.element), tensor.value);
}

/// Of the partial results that a dimension of `target` is cut by, behind what
/// it is cut by already, each rank gets its part.
void Resharder::reduceScatter(LocalTensor &tensor, const Distribution &target,
                              Location loc) {
  for (auto [dim, axes] : llvm::enumerate(target)) {
    if (!startsWith(axes, tensor.axes[dim]))
      continue;
    Axes scattered;
    for (GridAxis axis : ArrayRef(axes).drop_front(tensor.axes[dim].size())) {
      if (!llvm::is_contained(tensor.partial, axis))
        break;
      scattered.push_back(axis);
    }
    if (scattered.empty())
      continue;
    tensor.value = shard::ReduceScatterOp::create(
        builder, loc, scale(tensor, dim, 1, shape.count(scattered)), grid,
        scattered, tensor.value, tensor.reduction, APInt(64, dim));
    llvm::append_range(tensor.axes[dim], scattered);
    llvm::erase_if(tensor.partial, [&](GridAxis axis) {
      return llvm::is_contained(scattered, axis);
    });
  }
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Cuts a dimension along axes that nothing is cut by yet.
bool Resharder::slice(LocalTensor &tensor, const Distribution &target,
                      Location loc) {
  for (auto [dim, axes] : llvm::enumerate(target)) {
    if (!startsWith(axes, tensor.axes[dim]))
      continue;
    Axes cut;
    for (GridAxis axis : ArrayRef(axes).drop_front(tensor.axes[dim].size())) {
      if (isUsed(tensor.axes, axis))
        break;
      cut.push_back(axis);
    }
    if (cut.empty())
      continue;
    tensor.value = shard::AllSliceOp::create(
        builder, loc, scale(tensor, dim, 1, shape.count(cut)), tensor.value,
        grid, cut, dim);
    llvm::append_range(tensor.axes[dim], cut);
    return true;
  }
  return false;
}

/// Moves the last axis of a dimension to another one that wants it next.
bool Resharder::move(LocalTensor &tensor, const Distribution &target,
                     Location loc) {
  for (auto [from, axes] : llvm::enumerate(tensor.axes)) {
    if (axes.empty() || startsWith(target[from], axes))
      continue;
    GridAxis axis = axes.back();
    for (auto [to, wanted] : llvm::enumerate(target)) {
      const Axes &had = tensor.axes[to];
      if (to == from || !startsWith(wanted, had) ||
          wanted.size() == had.size() || wanted[had.size()] != axis)
        continue;
      int64_t ranks = shape.count(axis);
      RankedTensorType type =
          scale(scale(tensor, from, ranks, 1), to, 1, ranks);
      tensor.value = shard::AllToAllOp::create(builder, loc, type, grid,
                                               ArrayRef(axis), tensor.value,
                                               APInt(64, to), APInt(64, from));
      tensor.axes[from].pop_back();
      tensor.axes[to].push_back(axis);
      return true;
    }
  }
  return false;
}

/// Gathers the last axes of a dimension that has them in excess: as many as no
/// other dimension wants, which could have been moved there next.
bool Resharder::gather(LocalTensor &tensor, const Distribution &target,
                       Location loc) {
  for (auto [dim, axes] : llvm::enumerate(tensor.axes)) {
    size_t kept = axes.size();
    while (kept != 0 &&
           !startsWith(target[dim], ArrayRef(axes).take_front(kept)) &&
           (kept == axes.size() || !isUsed(target, axes[kept - 1])))
      --kept;
    if (kept == axes.size())
      continue;
    Axes gathered(ArrayRef(axes).drop_front(kept));
    tensor.value = shard::AllGatherOp::create(
        builder, loc, scale(tensor, dim, shape.count(gathered), 1), grid,
        gathered, tensor.value, APInt(64, dim));
    tensor.axes[dim].truncate(kept);
    return true;
  }
  return false;
}

void Resharder::reshard(LocalTensor &tensor, const Distribution &target,
                        Location loc) {
  reduceScatter(tensor, target, loc);
  complete(tensor, loc);
  while (tensor.axes != target)
    if (!slice(tensor, target, loc) && !move(tensor, target, loc) &&
        !gather(tensor, target, loc))
      llvm_unreachable("one of the dimensions has axes in excess");
}
