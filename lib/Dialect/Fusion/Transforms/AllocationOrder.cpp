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
#define GEN_PASS_DEF_INFERALLOCATIONORDERPASS
#include "fuser/Dialect/Fusion/Transforms/Passes.h.inc"
} // namespace fuser::fusion

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

namespace {

/// What a tensor has to say on the order of those made of it.
struct Proposal {
  /// Dimensions from the slowest to the fastest.
  SmallVector<int64_t> order;
  /// How many dimensions stem from a tensor in memory: neither of size 1 nor
  /// repetitions. The one with the most of them is asked first.
  int64_t weight = 0;
  /// An input that is required to have another order than row-major is behind
  /// it.
  bool isRequired = false;
};

} // namespace

/// None: no opinion.
using Order = std::optional<Proposal>;

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
  ArrayRef<int64_t> shape = getShape(arg);
  int64_t weight =
      llvm::count_if(shape, [](int64_t size) { return size != 1; });
  if (auto order = func.getArgAttrOfType<DenseI64ArrayAttr>(
          index, FusionDialect::getStrideOrderAttrName()))
    return Proposal{llvm::to_vector(order.asArrayRef()), weight,
                    !llvm::is_sorted(order.asArrayRef())};
  return Proposal{getRowMajor(shape.size()), weight, false};
}

/// The dimension of the result that operand coordinate `expr` follows; -1:
/// none; failure: several, as where a reshape mixes them.
static FailureOr<int64_t> getFollowedDim(AffineExpr expr, int64_t rank) {
  int64_t found = -1;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (!expr.isFunctionOfDim(dim))
      continue;
    if (found >= 0)
      return failure();
    found = dim;
  }
  return found;
}

/// What an operand of an index map proposes: the dimensions that the result has
/// of it in its order, behind those that are new.
static Order getMappedOrder(AffineMap map, const Proposal &operand,
                            int64_t rank) {
  if (!map)
    return std::nullopt;
  SmallVector<int64_t> mapped;
  for (int64_t operandDim : operand.order) {
    FailureOr<int64_t> dim = getFollowedDim(map.getResult(operandDim), rank);
    if (failed(dim) || llvm::is_contained(mapped, *dim))
      return std::nullopt;
    if (*dim >= 0)
      mapped.push_back(*dim);
  }
  Proposal result{{}, operand.weight, operand.isRequired};
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(mapped, dim))
      result.order.push_back(dim);
  llvm::append_range(result.order, mapped);
  // A program that permutes a row-major input has not asked for a permuted
  // result.
  if (!result.isRequired && !llvm::is_sorted(result.order))
    return std::nullopt;
  return result;
}

static Order getReducedOrder(ReductionOpInterface op, const Proposal &operand) {
  SmallVector<int64_t> reduced = op.getReductionDims();
  Proposal result{{}, operand.weight, operand.isRequired};
  result.weight -= std::min<int64_t>(result.weight, reduced.size());
  for (int64_t dim : operand.order) {
    if (op.getKeepsDims())
      result.order.push_back(dim);
    else if (!llvm::is_contained(reduced, dim))
      result.order.push_back(
          dim - llvm::count_if(reduced,
                               [dim](int64_t other) { return other < dim; }));
  }
  return result;
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
  void keepResultHints(SegmentOp segment);

  DenseMap<Value, Order> orders;
};

} // namespace

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

/// The order that tensor operand number `operand` proposes for the result.
Order InferAllocationOrderPass::getProposal(Operation *op, unsigned operand) {
  Order order = orders.lookup(getTensorOperands(op)[operand]->get());
  if (!order || isa<ElementwiseOpInterface>(op))
    return order;
  if (auto reduction = dyn_cast<ReductionOpInterface>(op))
    return getReducedOrder(reduction, *order);
  if (auto map = dyn_cast<IndexMapOpInterface>(op))
    return getMappedOrder(map.getAffineIndexMap(operand), *order,
                          getShape(op->getResult(0)).size());
  return std::nullopt;
}

/// The proposal with the greatest weight, if all that have it agree.
Order InferAllocationOrderPass::inferOrder(Operation *op) {
  ArrayRef<int64_t> shape = getShape(op->getResult(0));
  Order best;
  bool conflict = false;
  for (unsigned index = 0, e = getTensorOperands(op).size(); index < e;
       ++index) {
    Order proposal = getProposal(op, index);
    if (!proposal || (best && proposal->weight < best->weight))
      continue;
    if (!best || proposal->weight > best->weight) {
      best = proposal;
      conflict = false;
      continue;
    }
    conflict |=
        getEssence(best->order, shape) != getEssence(proposal->order, shape);
    best->isRequired |= proposal->isRequired;
  }
  return conflict ? std::nullopt : best;
}

/// True if `order` says more than that the tensor is row-major.
bool InferAllocationOrderPass::isHint(const Order &order, Value tensor) {
  return order && !llvm::is_sorted(getEssence(order->order, getShape(tensor)));
}

/// What is segmented already keeps the hints that it has.
void InferAllocationOrderPass::keepResultHints(SegmentOp segment) {
  for (OpResult result : segment->getResults())
    if (DenseI64ArrayAttr hint =
            segment.getResultHint(result.getResultNumber()))
      orders[result] =
          Proposal{llvm::to_vector(hint.asArrayRef()), hint.size(), true};
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
    if (auto segment = dyn_cast<SegmentOp>(op)) {
      keepResultHints(segment);
      continue;
    }
    if (!isa<TensorOpInterface>(op) || op.getNumResults() != 1)
      continue;
    Order order = inferOrder(&op);
    orders[op.getResult(0)] = order;
    op.removeAttr(hintName);
    if (!isHint(order, op.getResult(0)))
      continue;
    op.setAttr(hintName, builder.getDenseI64ArrayAttr(order->order));
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
    func.setResultAttr(index, hintName,
                       builder.getDenseI64ArrayAttr(order->order));
    ++numHints;
  }
}
