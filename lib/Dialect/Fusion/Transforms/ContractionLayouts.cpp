//===- ContractionLayouts.cpp - How matrix products' tensors lie ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentPreparation.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

namespace {

/// The memory of a tensor.
struct Layout {
  /// Dense, with the dimensions from the slowest to the fastest; none: any
  /// strides.
  std::optional<SmallVector<int64_t>> order;
  /// Where a hint is written that made it so; empty: the program requires it.
  std::function<void()> dropHint;
};

} // namespace

/// May: the dimensions of each role are one dimension in memory, and it is no
/// batch whose elements are neighbours.
static bool isTakenByLibrary(ArrayRef<DimRole> roles, ArrayRef<int64_t> shape,
                             ArrayRef<int64_t> order) {
  auto dims = llvm::to_vector(llvm::make_filter_range(
      order, [&](int64_t dim) { return shape[dim] != 1; }));
  if (dims.empty())
    return true;
  if (roles[dims.back()] == DimRole::Batch)
    return false;
  llvm::SmallDenseSet<DimRole> seen{roles[dims.front()]};
  for (auto [dim, next] : llvm::zip(dims, llvm::drop_begin(dims))) {
    bool isSame = roles[dim] == roles[next];
    if (isSame ? next < dim : !seen.insert(roles[next]).second)
      return false;
  }
  return true;
}

static std::optional<SmallVector<int64_t>> getOrder(Attribute attr,
                                                    Value tensor) {
  if (auto order = dyn_cast_or_null<DenseI64ArrayAttr>(attr))
    return llvm::to_vector(order.asArrayRef());
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

static Layout getInputLayout(func::FuncOp func, BlockArgument input) {
  unsigned number = input.getArgNumber();
  if (func.getArgAttr(number, FusionDialect::getLayoutAttrName()))
    return {};
  return {
      getOrder(func.getArgAttr(number, FusionDialect::getStrideOrderAttrName()),
               input),
      nullptr};
}

/// Of what is returned the function's word counts.
static Layout getReturnedLayout(func::FuncOp func, OpOperand &returned) {
  unsigned number = returned.getOperandNumber();
  auto alias = func.getResultAttrOfType<AliasAttr>(
      number, FusionDialect::getAliasAttrName());
  if (alias && alias.getKind() == AliasKind::Reuse)
    return getInputLayout(func, func.getArgument(alias.getInput()));
  if (Attribute order =
          func.getResultAttr(number, FusionDialect::getStrideOrderAttrName()))
    return {getOrder(order, returned.get()), nullptr};
  StringRef hint = FusionDialect::getStrideOrderHintAttrName();
  return {getOrder(func.getResultAttr(number, hint), returned.get()),
          [func, number, hint]() mutable {
            func.removeResultAttr(number,
                                  StringAttr::get(func.getContext(), hint));
          }};
}

static OpOperand *findReturn(Value tensor) {
  for (OpOperand &use : tensor.getUses())
    if (isa<func::ReturnOp>(use.getOwner()))
      return &use;
  return nullptr;
}

static Layout getLayout(func::FuncOp func, Value tensor) {
  if (auto input = dyn_cast<BlockArgument>(tensor))
    return getInputLayout(func, input);
  if (OpOperand *returned = findReturn(tensor))
    return getReturnedLayout(func, *returned);
  auto result = cast<OpResult>(tensor);
  if (auto segment = dyn_cast<SegmentOp>(result.getOwner()))
    return {getOrder(segment.getResultHint(result.getResultNumber()), tensor),
            nullptr};
  StringRef hint = FusionDialect::getStrideOrderHintAttrName();
  Operation *op = result.getOwner();
  return {getOrder(op->getAttr(hint), tensor),
          [op, hint] { op->removeAttr(hint); }};
}

/// Do: `copy` is called if the tensor has to be copied.
static void layOut(func::FuncOp func, ContractionOpInterface op,
                   unsigned number, function_ref<void(Value)> copy) {
  Value tensor = stripBoundaries(op.getContractedTensor(number));
  Layout layout = getLayout(func, tensor);
  if (layout.order &&
      isTakenByLibrary(op.getDimRoles(number),
                       cast<RankedTensorType>(tensor.getType()).getShape(),
                       *layout.order))
    return;
  if (layout.dropHint)
    return layout.dropHint();
  copy(tensor);
}

void fuser::fusion::layOutContractions(func::FuncOp func) {
  for (auto op : llvm::to_vector(
           func.getBody().front().getOps<ContractionOpInterface>())) {
    for (unsigned operand : {0, 1})
      layOut(func, op, operand, [&](Value tensor) {
        OpBuilder builder(op);
        Value copied =
            SetOp::create(builder, op.getLoc(), tensor.getType(), tensor);
        op->setOperand(operand, copied);
      });
    layOut(func, op, 2, [&](Value tensor) {
      OpBuilder builder(func.getBody().front().getTerminator());
      Value copied =
          SetOp::create(builder, op.getLoc(), tensor.getType(), tensor);
      findReturn(tensor)->set(copied);
    });
  }
}
