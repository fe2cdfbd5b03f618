//===- FibreOps.cpp - Scans, sorts and scatters
//-------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpFamilies.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include <cmath>

using namespace fuser;
using namespace fuser::fuzz;
using namespace fuser::fusion;

/// The last dimension, most often.
static int64_t pickFibreDim(GrowingProgram &program, const Tensor &tensor) {
  Random &random = program.random;
  return random.chance(60)
             ? tensor.getRank() - 1
             : static_cast<int64_t>(random.below(tensor.getRank()));
}

void fuzz::addScan(GrowingProgram &program, const Tensor &tensor) {
  if (tensor.dims.empty() || tensor.isBool())
    return;
  int64_t dim = pickFibreDim(program, tensor);
  ReduceKind kind =
      program.random.pick({ReduceKind::Sum, ReduceKind::Sum, ReduceKind::Prod,
                           ReduceKind::Max, ReduceKind::Min});
  Magnitude range = tensor.range;
  auto count = static_cast<double>(tensor.dims[dim].size);
  if (kind == ReduceKind::Sum)
    range.limit *= std::max(count, 1.0);
  if (kind == ReduceKind::Prod)
    range.limit = std::pow(std::max(range.limit, 1.0), count);
  if (kind == ReduceKind::Sum || kind == ReduceKind::Prod)
    range.isExact &= !tensor.isFloat();
  if (!fits(tensor.element, range))
    return;
  Value value = ScanOp::create(program.builder, kind, tensor.value, dim);
  program.add(value, tensor.dims, range);
}

/// The order of all elements of fibres, or of the first few; and, sometimes,
/// the elements in that order.
void fuzz::addOrder(GrowingProgram &program, const Tensor &tensor) {
  if (tensor.dims.empty())
    return;
  Random &random = program.random;
  int64_t dim = pickFibreDim(program, tensor);
  int64_t size = tensor.dims[dim].size;
  bool descending = random.chance(50);
  Dims dims = tensor.dims;
  Value order;
  if (random.chance(50)) {
    order = ArgSortOp::create(program.builder, tensor.value, dim, descending);
  } else {
    int64_t k = random.between(0, std::min<int64_t>(size, 9));
    dims[dim] = program.makeDim(k, /*isOpen=*/false);
    order =
        ArgTopKOp::create(program.builder, k, tensor.value, dim, descending);
  }
  Magnitude places{static_cast<double>(std::max<int64_t>(size, 1)),
                   tensor.range.isExact};
  program.add(order, dims, places);
  // Of other places than these the result may be anything.
  if (!tensor.range.isExact || random.chance(40))
    return;
  Value sorted =
      TakeAlongAxisOp::create(program.builder, tensor.value, order, dim);
  program.add(sorted, dims, tensor.range);
}

/// The kind, or none, of which `range` is what results then are.
static std::optional<ReduceKind> pickCombine(GrowingProgram &program,
                                             const Tensor &tensor,
                                             Magnitude &range, double count) {
  Random &random = program.random;
  if (tensor.isBool() || random.chance(40))
    return std::nullopt;
  bool isNarrow =
      tensor.isFloat() && tensor.element.getIntOrFloatBitWidth() < 32;
  if (isNarrow || random.chance(40))
    return random.pick({ReduceKind::Max, ReduceKind::Min});
  ReduceKind kind =
      random.pick({ReduceKind::Sum, ReduceKind::Sum, ReduceKind::Prod});
  if (kind == ReduceKind::Sum)
    range.limit *= 1 + count;
  else
    range.limit = std::pow(std::max(range.limit, 1.0), 1 + count);
  range.isExact &= !tensor.isFloat();
  return kind;
}

void fuzz::addScatter(GrowingProgram &program, const Tensor &tensor) {
  if (tensor.dims.empty())
    return;
  Random &random = program.random;
  int64_t dim = pickFibreDim(program, tensor);
  Dims dims = tensor.dims;
  dims[dim] = random.chance(30) ? program.makeDim(1, false) : program.pickDim();
  if (!isSmall(dims))
    return;
  bool isOfSlices = random.chance(50);
  Tensor updates = program.pickLike(dims, tensor.element);
  Indices indices = makeIndices(program, isOfSlices ? Dims{dims[dim]} : dims,
                                tensor.dims[dim].size);
  Magnitude range = tensor.range;
  range.limit = std::max(range.limit, updates.range.limit);
  range.isExact &= updates.range.isExact;
  std::optional<ReduceKind> kind =
      pickCombine(program, tensor, range, static_cast<double>(dims[dim].size));
  if (!fits(tensor.element, range))
    return;
  auto combine = kind ? ReduceKindAttr::get(program.builder.getContext(), *kind)
                      : ReduceKindAttr();
  Value value;
  if (isOfSlices)
    value = ScatterOp::create(program.builder, tensor.value, indices.value,
                              updates.value, dim, combine);
  else
    value =
        ScatterAlongAxisOp::create(program.builder, tensor.value, indices.value,
                                   updates.value, dim, combine);
  program.add(value, tensor.dims, range);
}
