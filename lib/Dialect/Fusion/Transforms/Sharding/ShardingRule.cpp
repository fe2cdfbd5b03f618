//===- ShardingRule.cpp - How ops may be computed in parts ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardingRule.h"

using namespace mlir;
using namespace fuser::fusion;
using shard::ReductionKind;

/// An unknown size is taken for this, where tensors are compared.
static constexpr double kAssumedSize = 4096;

static ArrayRef<int64_t> getShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

static SmallVector<unsigned> addFactors(ShardingRule &rule, size_t count) {
  SmallVector<unsigned> dims;
  for (size_t dim = 0; dim < count; ++dim)
    dims.push_back(rule.addFactor());
  return dims;
}

//===----------------------------------------------------------------------===//
// May: one function a family
//===----------------------------------------------------------------------===//

static ReductionKind getKind(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return ReductionKind::Sum;
  case ReduceKind::Max:
    return ReductionKind::Max;
  case ReduceKind::Min:
    return ReductionKind::Min;
  case ReduceKind::Mean:
    return ReductionKind::Average;
  case ReduceKind::Prod:
    return ReductionKind::Product;
  case ReduceKind::Any:
    return ReductionKind::BitwiseOr;
  case ReduceKind::All:
    return ReductionKind::BitwiseAnd;
  }
  llvm_unreachable("all kinds are above");
}

static void addReduction(ReductionOpInterface op, ShardingRule &rule) {
  Value input = getTensorOperands(op)[0]->get();
  SmallVector<int64_t> reduced = op.getReductionDims();
  std::optional<ReduceKind> kind = op.getPartialKind();
  SmallVector<unsigned> &dims = rule.operands.emplace_back();
  for (int64_t dim = 0, rank = getShape(input).size(); dim < rank; ++dim) {
    if (!llvm::is_contained(reduced, dim)) {
      dims.push_back(rule.addFactor());
      rule.result.push_back(dims.back());
      continue;
    }
    ShardingFactor factor;
    factor.isReplicated = !kind;
    if (kind)
      factor.reduction = getKind(*kind);
    dims.push_back(rule.addFactor(factor));
    if (op.getKeepsDims())
      rule.result.push_back(rule.addFactor({true, std::nullopt}));
  }
}

static void addIndexMap(IndexMapOpInterface op, ShardingRule &rule) {
  rule.result = addFactors(rule, getShape(op->getResult(0)).size());
  // A dimension of the result goes along with one of each operand, or none.
  SmallVector<unsigned> uses(rule.result.size(), 0);
  unsigned numOperands = getTensorOperands(op).size();
  for (unsigned operand = 0; operand < numOperands; ++operand) {
    SmallVector<unsigned> &dims = rule.operands.emplace_back();
    Value input = getTensorOperands(op)[operand]->get();
    for (int64_t dim = 0, rank = getShape(input).size(); dim < rank; ++dim) {
      int64_t along = op.getResultDim(operand, dim);
      if (along >= 0)
        ++uses[along];
      dims.push_back(along >= 0 ? rule.result[along]
                                : rule.addFactor({true, std::nullopt}));
    }
  }
  for (auto [factor, count] : llvm::zip_equal(rule.result, uses))
    rule.factors[factor].isReplicated = count != 0 && count < numOperands;
}

static void addContraction(ContractionOpInterface op, ShardingRule &rule) {
  constexpr DimRole kRoles[] = {DimRole::Batch, DimRole::Row, DimRole::Column,
                                DimRole::Contracted};
  std::array<SmallVector<unsigned>, 4> factors;
  auto getFactors = [&](unsigned tensor) {
    SmallVector<DimRole> roles = op.getDimRoles(tensor);
    std::array<unsigned, 4> taken = {};
    SmallVector<unsigned> dims;
    for (DimRole role : roles) {
      auto at = static_cast<size_t>(llvm::find(kRoles, role) - kRoles);
      if (taken[at] == factors[at].size()) {
        ShardingFactor factor;
        if (role == DimRole::Contracted)
          factor.reduction = ReductionKind::Sum;
        factors[at].push_back(rule.addFactor(factor));
      }
      dims.push_back(factors[at][taken[at]++]);
    }
    return dims;
  };
  rule.operands = {getFactors(0), getFactors(1)};
  rule.result = getFactors(2);
}

ShardingRule fuser::fusion::getShardingRule(TensorOpInterface op) {
  ShardingRule rule;
  if (auto reduction = dyn_cast<ReductionOpInterface>(*op)) {
    addReduction(reduction, rule);
  } else if (auto map = dyn_cast<IndexMapOpInterface>(*op)) {
    addIndexMap(map, rule);
  } else if (auto contraction = dyn_cast<ContractionOpInterface>(*op)) {
    addContraction(contraction, rule);
  } else if (isa<ElementwiseOpInterface>(*op)) {
    rule.result = addFactors(rule, getShape(op->getResult(0)).size());
    rule.operands.assign(getTensorOperands(op).size(), rule.result);
  } else {
    // Nothing goes along: every rank computes all of it.
    for (OpOperand *operand : getTensorOperands(op))
      rule.operands.push_back(
          addFactors(rule, getShape(operand->get()).size()));
    rule.result = addFactors(rule, getShape(op->getResult(0)).size());
    for (ShardingFactor &factor : rule.factors)
      factor.isReplicated = true;
  }
  return rule;
}

//===----------------------------------------------------------------------===//
// Should
//===----------------------------------------------------------------------===//

/// Whether all sizes that a factor has, as far as they are known, are multiples
/// of `parts`.
static bool isDivisible(TensorOpInterface op, const ShardingRule &rule,
                        unsigned factor, int64_t parts) {
  auto fits = [&](Value tensor, ArrayRef<unsigned> dims) {
    for (auto [size, of] : llvm::zip_equal(getShape(tensor), dims))
      if (of == factor && !ShapedType::isDynamic(size) && size % parts != 0)
        return false;
    return true;
  };
  for (auto [operand, dims] :
       llvm::zip_equal(getTensorOperands(op), rule.operands))
    if (!fits(operand->get(), dims))
      return false;
  return fits(op->getResult(0), rule.result);
}

static double estimateElements(Value tensor) {
  double count = 1;
  for (int64_t size : getShape(tensor))
    count *=
        ShapedType::isDynamic(size) ? kAssumedSize : static_cast<double>(size);
  return count;
}

SmallVector<Axes>
fuser::fusion::chooseFactorAxes(TensorOpInterface op, const ShardingRule &rule,
                                ArrayRef<Distribution> operands,
                                const GridShape &grid) {
  SmallVector<OpOperand *> tensors = getTensorOperands(op);
  // Of tensors of one size, the first one comes first.
  SmallVector<std::pair<double, unsigned>> order;
  for (auto [number, tensor] : llvm::enumerate(tensors))
    order.push_back({-estimateElements(tensor->get()), number});
  llvm::sort(order);
  SmallVector<Axes> chosen(rule.factors.size());
  llvm::SmallDenseSet<GridAxis> taken;
  for (auto [elements, number] : order)
    for (auto [factor, axes] :
         llvm::zip_equal(rule.operands[number], operands[number])) {
      if (!chosen[factor].empty() || rule.factors[factor].isReplicated ||
          llvm::any_of(axes,
                       [&](GridAxis axis) { return taken.contains(axis); }) ||
          !isDivisible(op, rule, factor, grid.count(axes)))
        continue;
      chosen[factor] = axes;
      taken.insert(axes.begin(), axes.end());
    }
  return chosen;
}
