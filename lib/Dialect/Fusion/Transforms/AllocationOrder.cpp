//===- AllocationOrder.cpp - Hints for the memory order of tensors --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "mlir/IR/AffineExpr.h"
#include <numeric>

namespace fuser::fusion {
#define GEN_PASS_DEF_DROPHINTSPASS
#define GEN_PASS_DEF_INFERALLOCATIONORDERPASS
#include "fuser/Dialect/Fusion/Transforms/Passes.h.inc"
} // namespace fuser::fusion

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

/// Dimensions from the slowest to the fastest. None: no opinion.
using Order = std::optional<SmallVector<int64_t>>;

static ArrayRef<int64_t> getShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

static SmallVector<int64_t> getRowMajor(int64_t rank) {
  SmallVector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

//===----------------------------------------------------------------------===//
// The order of one tensor
//===----------------------------------------------------------------------===//

/// The order without dimensions of size 1, which may stand anywhere.
static SmallVector<int64_t> getEssence(ArrayRef<int64_t> order,
                                       ArrayRef<int64_t> shape) {
  SmallVector<int64_t> essence;
  llvm::copy_if(order, std::back_inserter(essence),
                [&](int64_t dim) { return shape[dim] != 1; });
  return essence;
}

/// The order of a function's argument: none if its strides are arbitrary.
static Order getArgumentOrder(func::FuncOp func, BlockArgument arg) {
  unsigned index = arg.getArgNumber();
  if (func.getArgAttr(index, FusionDialect::getLayoutAttrName()))
    return std::nullopt;
  if (auto order = func.getArgAttrOfType<DenseI64ArrayAttr>(
          index, FusionDialect::getStrideOrderAttrName()))
    return llvm::to_vector(order.asArrayRef());
  return getRowMajor(getShape(arg).size());
}

/// What operand `index` of an index map proposes: the dimensions that the
/// result has of it in its order, behind those that are new.
static Order getMappedOrder(AffineMap map, ArrayRef<int64_t> operandOrder,
                            ArrayRef<int64_t> operandShape, int64_t rank) {
  if (!map)
    return std::nullopt;
  SmallVector<int64_t> mapped;
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t operandDim : operandOrder) {
    AffineExpr expr = map.getResult(operandDim);
    int64_t found = -1;
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (!expr.isFunctionOfDim(dim))
        continue;
      if (found >= 0)
        return std::nullopt; // Dimensions that a reshape mixes.
      found = dim;
    }
    if (found < 0)
      continue;
    if (!seen.insert(found).second)
      return std::nullopt;
    mapped.push_back(found);
  }
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!seen.contains(dim))
      order.push_back(dim);
  llvm::append_range(order, mapped);
  return order;
}

static Order getReducedOrder(ReductionOpInterface op, const Order &operand) {
  if (!operand || op.getKeepsDims())
    return operand;
  SmallVector<int64_t> reduced = op.getReductionDims();
  SmallVector<int64_t> order;
  for (int64_t dim : *operand)
    if (!llvm::is_contained(reduced, dim))
      order.push_back(
          dim - llvm::count_if(reduced, [&](int64_t r) { return r < dim; }));
  return order;
}

namespace {

struct InferAllocationOrderPass
    : public fuser::fusion::impl::InferAllocationOrderPassBase<
          InferAllocationOrderPass> {
  using Base::Base;

  void runOnOperation() override;
  Order getProposal(Operation *op, unsigned operand);
  Order inferOrder(Operation *op);
  bool isHint(const Order &order, Value tensor);

  DenseMap<Value, Order> orders;
};

struct DropHintsPass
    : public fuser::fusion::impl::DropHintsPassBase<DropHintsPass> {
  using Base::Base;

  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

/// The order that tensor operand number `operand` proposes for the result.
Order InferAllocationOrderPass::getProposal(Operation *op, unsigned operand) {
  Value input = getTensorOperands(op)[operand]->get();
  Order order = orders.lookup(input);
  if (!order || isa<ElementwiseOpInterface>(op))
    return order;
  if (auto reduction = dyn_cast<ReductionOpInterface>(op))
    return getReducedOrder(reduction, order);
  if (auto map = dyn_cast<IndexMapOpInterface>(op))
    return getMappedOrder(map.getAffineIndexMap(operand), *order,
                          getShape(input), getShape(op->getResult(0)).size());
  return std::nullopt;
}

/// The proposal of the operand with the most dimensions, if those agree.
Order InferAllocationOrderPass::inferOrder(Operation *op) {
  ArrayRef<int64_t> shape = getShape(op->getResult(0));
  Order best;
  int64_t most = -1;
  bool conflict = false;
  for (auto [index, operand] : llvm::enumerate(getTensorOperands(op))) {
    Order proposal = getProposal(op, index);
    if (!proposal)
      continue;
    int64_t count = llvm::count_if(getShape(operand->get()),
                                   [](int64_t size) { return size != 1; });
    if (count > most) {
      best = proposal;
      most = count;
      conflict = false;
    } else if (count == most) {
      conflict |= getEssence(*best, shape) != getEssence(*proposal, shape);
    }
  }
  return conflict ? std::nullopt : best;
}

/// True if `order` says more than that the tensor is row-major.
bool InferAllocationOrderPass::isHint(const Order &order, Value tensor) {
  return order && !llvm::is_sorted(getEssence(*order, getShape(tensor)));
}

void InferAllocationOrderPass::runOnOperation() {
  func::FuncOp func = getOperation();
  if (func.isExternal())
    return;
  StringRef hintName = FusionDialect::getStrideOrderHintAttrName();
  Builder builder(&getContext());
  for (BlockArgument arg : func.getArguments())
    if (isa<RankedTensorType>(arg.getType()))
      orders[arg] = getArgumentOrder(func, arg);

  Block &body = func.getBody().front();
  for (Operation &op : body) {
    if (!isa<TensorOpInterface>(op) || op.getNumResults() != 1)
      continue;
    Order order = inferOrder(&op);
    orders[op.getResult(0)] = order;
    op.removeAttr(hintName);
    if (!isHint(order, op.getResult(0)))
      continue;
    op.setAttr(hintName, builder.getDenseI64ArrayAttr(*order));
    ++numHints;
  }

  for (OpOperand &operand : body.getTerminator()->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    Order order = orders.lookup(operand.get());
    auto alias = func.getResultAttrOfType<AliasAttr>(
        index, FusionDialect::getAliasAttrName());
    func.removeResultAttr(index, builder.getStringAttr(hintName));
    if (func.getResultAttr(index, FusionDialect::getStrideOrderAttrName()) ||
        (alias && alias.getKind() != AliasKind::New) ||
        !isa<RankedTensorType>(operand.get().getType()) ||
        !isHint(order, operand.get()))
      continue;
    func.setResultAttr(index, hintName, builder.getDenseI64ArrayAttr(*order));
    ++numHints;
  }
}

//===----------------------------------------------------------------------===//
// Dropping hints
//===----------------------------------------------------------------------===//

void DropHintsPass::runOnOperation() {
  func::FuncOp func = getOperation();
  auto hintName = StringAttr::get(&getContext(),
                                  FusionDialect::getStrideOrderHintAttrName());
  for (unsigned index = 0; index < func.getNumResults(); ++index)
    if (func.removeResultAttr(index, hintName))
      ++numDropped;
  func.walk([&](Operation *op) {
    if (op != func && op->removeAttr(hintName))
      ++numDropped;
    if (auto segment = dyn_cast<SegmentOp>(op))
      if (segment.removeResultHintsAttr())
        ++numDropped;
  });
}
