//===- ReductionOps.cpp - Reductions --------------------------------------===//
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

/// What is reduced, and how.
namespace {
struct Plan {
  ReduceKind kind;
  SmallVector<int64_t> dims;
  bool keep;
};
} // namespace

static double countReduced(const Tensor &tensor, ArrayRef<int64_t> dims) {
  double count = 1;
  for (int64_t dim : dims)
    count *= static_cast<double>(tensor.dims[dim].size);
  return count;
}

static Magnitude getRange(const Tensor &tensor, const Plan &plan) {
  Magnitude range = tensor.range;
  double count = countReduced(tensor, plan.dims);
  if (plan.kind == ReduceKind::Prod)
    range = {std::pow(std::max(range.limit, 1.0), count),
             range.isExact && !tensor.isFloat()};
  if (plan.kind == ReduceKind::Sum)
    range.limit *= count;
  if (plan.kind == ReduceKind::Sum || plan.kind == ReduceKind::Mean)
    range.isExact &= !tensor.isFloat();
  return range;
}

static Dims getReducedDims(GrowingProgram &program, const Tensor &tensor,
                           ArrayRef<int64_t> reduced, bool keep) {
  Dims dims;
  for (auto [index, dim] : llvm::enumerate(tensor.dims)) {
    if (!llvm::is_contained(reduced, static_cast<int64_t>(index)))
      dims.push_back(dim);
    else if (keep)
      dims.push_back(program.makeDim(1, false));
  }
  return dims;
}

static Tensor reduce(GrowingProgram &program, const Tensor &tensor,
                     const Plan &plan) {
  Dims dims = getReducedDims(program, tensor, plan.dims, plan.keep);
  Value value =
      ReduceOp::create(program.builder, program.getType(dims, tensor.element),
                       plan.kind, tensor.value, plan.dims, plan.keep);
  return program.add(value, dims, getRange(tensor, plan));
}

Tensor fuzz::expandTo(GrowingProgram &program, const Tensor &tensor,
                      ArrayRef<Dim> dims) {
  SmallVector<Value> sizes;
  for (auto [from, to] : llvm::zip(tensor.dims, dims))
    if (!from.isOpen && from.size == 1 && to.isOpen)
      sizes.push_back(program.getSize(to));
  Value value =
      ExpandOp::create(program.builder, program.getType(dims, tensor.element),
                       tensor.value, sizes);
  return program.add(value, dims, tensor.range);
}

/// The dimensions of what is reduced: the last, some, or all.
static SmallVector<int64_t> chooseDims(GrowingProgram &program, int64_t rank) {
  if (program.random.chance(50))
    return {rank - 1};
  return program.random.choose(rank, program.random.between(1, rank));
}

static ReduceKind chooseKind(GrowingProgram &program, const Tensor &tensor,
                             ArrayRef<int64_t> dims) {
  if (tensor.isBool())
    return program.random.pick({ReduceKind::Any, ReduceKind::All});
  bool isEmpty = countReduced(tensor, dims) == 0;
  // Others are infinite, or NaN, and so is nearly all that is made of them.
  if (isEmpty && !program.random.chance(10))
    return ReduceKind::Sum;
  if (tensor.isFloat() && program.random.chance(25))
    return ReduceKind::Mean;
  return program.random.pick({ReduceKind::Sum, ReduceKind::Sum, ReduceKind::Max,
                              ReduceKind::Min, ReduceKind::Prod});
}

/// The sizes of `tensor` again: as it is kept, or by a broadcast.
static Tensor restore(GrowingProgram &program, Tensor reduced,
                      const Tensor &tensor, const Plan &plan) {
  if (!plan.keep) {
    Dims dims = tensor.dims;
    for (int64_t dim : plan.dims)
      dims[dim] = program.makeDim(1, false);
    Value value = BroadcastOp::create(program.builder,
                                      program.getType(dims, reduced.element),
                                      reduced.value, plan.dims);
    reduced = program.add(value, dims, reduced.range);
  }
  return expandTo(program, reduced, tensor.dims);
}

/// Where the greatest or the least element is. Of no elements, which types may
/// not say, that is -1.
static void addPosition(GrowingProgram &program, const Tensor &tensor,
                        ArrayRef<int64_t> reduced) {
  if (llvm::any_of(reduced, [&](int64_t dim) {
        return tensor.dims[dim].size == 0 && !tensor.dims[dim].isOpen;
      }))
    return;
  bool keep = program.random.chance(50);
  Dims dims = getReducedDims(program, tensor, reduced, keep);
  Type type = program.getType(dims, program.builder.getI64Type());
  Value value;
  if (program.random.chance(50))
    value =
        ArgMaxOp::create(program.builder, type, tensor.value, reduced, keep);
  else
    value =
        ArgMinOp::create(program.builder, type, tensor.value, reduced, keep);
  double limit = std::max(countReduced(tensor, reduced), 1.0);
  Tensor position = program.add(value, dims, {limit, tensor.range.isExact});
  if (keep && program.random.chance(30))
    expandTo(program, position, tensor.dims);
}

static void addReductionOf(GrowingProgram &program, const Tensor &tensor,
                           ArrayRef<int64_t> dims) {
  if (!tensor.isBool() && program.random.chance(15))
    return addPosition(program, tensor, dims);
  Plan plan{chooseKind(program, tensor, dims), llvm::to_vector(dims),
            program.random.chance(60)};
  Tensor source = tensor;
  if (!fits(tensor.element, getRange(source, plan)))
    source = program.tame(tensor);
  if (!fits(tensor.element, getRange(source, plan)))
    return;
  Tensor reduced = reduce(program, source, plan);
  if (program.random.chance(40))
    return;
  if (program.random.chance(50))
    addSimpleUnary(program, reduced);
  restore(program, reduced, tensor, plan);
  if (program.random.chance(80))
    addBinary(program, tensor);
}

void fuzz::addReduction(GrowingProgram &program, const Tensor &tensor) {
  if (!tensor.dims.empty())
    addReductionOf(program, tensor, chooseDims(program, tensor.getRank()));
}

void fuzz::addReductionAround(GrowingProgram &program, const Tensor &tensor) {
  int64_t rank = tensor.getRank();
  if (rank < 2)
    return;
  int64_t kept = program.random.between(1, std::min<int64_t>(rank - 1, 2));
  auto dims = program.random.choose(rank, rank - kept);
  bool isRepeated = program.random.chance(50);
  addReductionOf(program, isRepeated ? expandSome(program, tensor) : tensor,
                 dims);
}

/// `lhs` and `rhs` in an op of one instruction.
template <typename OpT>
static Tensor combine(GrowingProgram &program, const Tensor &lhs,
                      const Tensor &rhs, double limit) {
  Value value = OpT::create(program.builder, lhs.value, rhs.value);
  return program.add(value, lhs.dims, {limit, false});
}

static void addSoftmax(GrowingProgram &program, const Tensor &tensor,
                       ArrayRef<int64_t> dims) {
  Plan most{ReduceKind::Max, llvm::to_vector(dims), true};
  Tensor greatest =
      restore(program, reduce(program, tensor, most), tensor, most);
  Tensor less =
      combine<SubOp>(program, tensor, greatest, 2 * tensor.range.limit);
  Tensor exp = program.add(ExpOp::create(program.builder, less.value),
                           less.dims, {1, false});
  Plan sum{ReduceKind::Sum, llvm::to_vector(dims), program.random.chance(70)};
  Tensor total = restore(program, reduce(program, exp, sum), exp, sum);
  combine<DivOp>(program, exp, total, 1);
}

static void addNorm(GrowingProgram &program, Tensor tensor,
                    ArrayRef<int64_t> dims) {
  Plan plan{ReduceKind::Mean, llvm::to_vector(dims), true};
  double limit = tensor.range.limit;
  if (program.random.chance(60)) {
    Tensor mean = restore(program, reduce(program, tensor, plan), tensor, plan);
    tensor = combine<SubOp>(program, tensor, mean, limit *= 2);
  }
  Tensor square = combine<MulOp>(program, tensor, tensor, limit * limit);
  Tensor variance = reduce(program, square, plan);
  Tensor epsilon = program.addFull(variance.dims, variance.element, 0.125);
  Tensor sum = combine<AddOp>(program, variance, epsilon, limit * limit + 1);
  Tensor root = program.add(RsqrtOp::create(program.builder, sum.value),
                            sum.dims, {3, false});
  combine<MulOp>(program, tensor, restore(program, root, tensor, plan),
                 3 * limit);
}

void fuzz::addNormalisation(GrowingProgram &program, const Tensor &tensor) {
  if (tensor.dims.empty() || !tensor.isFloat() ||
      countElements(tensor.dims) == 0)
    return;
  SmallVector<int64_t> dims = chooseDims(program, tensor.getRank());
  Tensor source = program.tame(tensor, 10);
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= tensor.dims[dim].size;
  if (program.random.chance(50))
    return addNorm(program, source, dims);
  // The sum of a long row would leave f16's range.
  if (fits(tensor.element, {static_cast<double>(count), false}))
    addSoftmax(program, source, dims);
}
