//===- TensorLayout.cpp - How tensors of a function lie in memory ---------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/TensorLayout.h"
#include "fuser/Support/ElementTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/Sequence.h"

using namespace fuser;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

OpOperand *fuser::findReturn(Value tensor) {
  OpOperand *first = nullptr;
  for (OpOperand &use : tensor.getUses())
    if (isa<func::ReturnOp>(use.getOwner()) &&
        (!first || use.getOperandNumber() < first->getOperandNumber()))
      first = &use;
  return first;
}

Attribute fuser::getResultAttr(OpOperand *returned, StringRef name) {
  if (!returned)
    return nullptr;
  auto func = cast<func::FuncOp>(returned->getOwner()->getParentOp());
  return func.getResultAttr(returned->getOperandNumber(), name);
}

Value fuser::getReusedInput(OpResult result) {
  OpOperand *returned = findReturn(result);
  auto alias = dyn_cast_or_null<AliasAttr>(
      getResultAttr(returned, FusionDialect::getAliasAttrName()));
  if (!alias || alias.getKind() != AliasKind::Reuse)
    return nullptr;
  return cast<func::FuncOp>(returned->getOwner()->getParentOp())
      .getArgument(alias.getInput());
}

/// Row-major without an attribute.
static SmallVector<int64_t> getOrder(Attribute attr, Value tensor) {
  if (auto order = dyn_cast_or_null<DenseI64ArrayAttr>(attr))
    return llvm::to_vector(order.asArrayRef());
  return llvm::to_vector(llvm::seq<int64_t>(
      0, cast<RankedTensorType>(tensor.getType()).getRank()));
}

static TensorLayout getArgumentLayout(BlockArgument argument) {
  auto func = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!func)
    return {getOrder(nullptr, argument)};
  auto get = [&](StringRef name) {
    return func.getArgAttr(argument.getArgNumber(), name);
  };
  auto layout =
      dyn_cast_or_null<StringAttr>(get(FusionDialect::getLayoutAttrName()));
  if (Attribute order = get(FusionDialect::getClassStrideOrderAttrName()))
    return {getOrder(order, argument)};
  if (layout && layout.getValue() == "any")
    return {};
  return {getOrder(get(FusionDialect::getStrideOrderAttrName()), argument)};
}

TensorLayout fuser::getTensorLayout(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return getArgumentLayout(argument);
  auto result = cast<OpResult>(tensor);
  if (Value input = getReusedInput(result))
    return getTensorLayout(input);
  OpOperand *returned = findReturn(tensor);
  if (Attribute order =
          getResultAttr(returned, FusionDialect::getStrideOrderAttrName()))
    return {getOrder(order, tensor)};
  StringRef name = FusionDialect::getStrideOrderHintAttrName();
  Attribute hint;
  if (auto segment = dyn_cast<SegmentOp>(result.getOwner()))
    hint = segment.getResultHint(result.getResultNumber());
  else // What is returned has the function's hint, once it is in a segment.
    hint = returned ? getResultAttr(returned, name)
                    : result.getOwner()->getAttr(name);
  return {getOrder(hint, tensor), hint != nullptr};
}

//===----------------------------------------------------------------------===//
// Other shapes of memory
//===----------------------------------------------------------------------===//

bool fuser::isRowMajor(Value tensor) {
  TensorLayout layout = getTensorLayout(tensor);
  return layout.order && llvm::is_sorted(*layout.order);
}

/// The memory of the operand of `op`, which is returned, is new and no other
/// result.
static bool mayReturnMemory(ReshapeOp op) {
  if (isa<BlockArgument>(op.getInput()) || findReturn(op.getInput()) ||
      !op->hasOneUse())
    return false;
  auto alias = dyn_cast_or_null<AliasAttr>(getResultAttr(
      findReturn(op.getResult()), FusionDialect::getAliasAttrName()));
  if (alias && alias.getKind() != AliasKind::New)
    return false;
  return llvm::none_of(op.getInput().getUsers(), [&](Operation *user) {
    return user != op && isa<ReshapeOp>(user) && findReturn(user->getResult(0));
  });
}

bool fuser::mayShareMemory(ReshapeOp op) {
  if (Operation *source = op.getInput().getDefiningOp())
    if (!isa<TensorOpInterface>(source) || isBetweenSegments(source) ||
        isa<ReshapeOp>(source))
      return false;
  if (op->use_empty() || !isRowMajor(op.getInput()) ||
      !isRowMajor(op.getResult()))
    return false;
  if (findReturn(op.getResult()))
    return mayReturnMemory(op);
  return isa<BlockArgument>(op.getInput()) ||
         llvm::all_of(op->getUsers(), readsMemory);
}

ReshapeOp fuser::findReturnedShape(Value tensor) {
  if (!tensor.getDefiningOp<SegmentOp>())
    return {};
  for (Operation *user : tensor.getUsers())
    if (auto reshape = dyn_cast<ReshapeOp>(user);
        reshape && findReturn(reshape.getResult()) && mayShareMemory(reshape))
      return reshape;
  return {};
}

OpOperand *fuser::findReturnOfMemory(Value tensor) {
  if (OpOperand *returned = findReturn(tensor))
    return returned;
  ReshapeOp shape = findReturnedShape(tensor);
  return shape ? findReturn(shape.getResult()) : nullptr;
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

Decision fuser::liesAsMatrix(ContractionOpInterface op, unsigned number,
                             const TensorLayout &layout) {
  auto refuse = [&](const char *why) {
    const char *names[] = {"the left operand", "the right operand",
                           "the result"};
    return Decision::no(std::string(names[number]) + " of the matrix product " +
                        why);
  };
  if (!layout.order)
    return refuse("has any strides");
  auto shape = cast<RankedTensorType>(op.getContractedTensor(number).getType())
                   .getShape();
  // Dimensions of size 1 lie anywhere.
  auto dims = llvm::to_vector(llvm::make_filter_range(
      *layout.order, [&](int64_t dim) { return shape[dim] != 1; }));
  if (dims.empty())
    return Decision::yes();
  SmallVector<DimRole> roles = op.getDimRoles(number);
  if (roles[dims.back()] == DimRole::Batch)
    return refuse("has neither contiguous rows nor contiguous columns");
  llvm::SmallDenseSet<DimRole> seen{roles[dims.front()]};
  for (auto [dim, next] : llvm::zip(dims, llvm::drop_begin(dims))) {
    bool isSame = roles[dim] == roles[next];
    if (isSame ? next < dim : !seen.insert(roles[next]).second)
      return refuse("has rows, columns or matrices that are not at equal "
                    "distances");
  }
  return Decision::yes();
}

//===----------------------------------------------------------------------===//
// Ops that take tensors as they lie
//===----------------------------------------------------------------------===//

static Decision liesRowMajor(const TensorLayout &layout,
                             ArrayRef<int64_t> shape) {
  if (!layout.order)
    return Decision::no("a tensor that ranks exchange has any strides");
  // Dimensions of size 1 lie anywhere.
  auto dims = llvm::to_vector(llvm::make_filter_range(
      *layout.order, [&](int64_t dim) { return shape[dim] != 1; }));
  if (llvm::is_sorted(dims))
    return Decision::yes();
  return Decision::no("a tensor that ranks exchange is not row-major");
}

bool fuser::isComputedByLibrary(Operation *op) {
  if (auto contraction = dyn_cast_or_null<ContractionOpInterface>(op))
    return !isIntegerElement(
        getElementTypeOrSelf(contraction.getContractedTensor(0)));
  return isa_and_nonnull<CollectiveOpInterface>(op);
}

Value fuser::getTakenTensor(Operation *op, unsigned number) {
  return number == 2 ? op->getResult(0) : op->getOperand(number);
}

Decision fuser::liesAsTaken(Operation *op, unsigned number,
                            const TensorLayout &layout) {
  if (auto contraction = dyn_cast<ContractionOpInterface>(op))
    return liesAsMatrix(contraction, number, layout);
  auto type = dyn_cast<RankedTensorType>(getTakenTensor(op, number).getType());
  return liesRowMajor(layout, type.getShape());
}

Decision fuser::liesAsTaken(SegmentOp segment) {
  Operation *op = getOnlyOp(segment);
  if (!isa_and_nonnull<ContractionOpInterface, CollectiveOpInterface>(op))
    return Decision::no(
        "the segment is not one matrix product or communication");
  if (!isComputedByLibrary(op))
    return Decision::no("no library multiplies integers");
  for (auto [number, operand] : llvm::enumerate(getTensorOperands(op))) {
    auto inner = cast<BlockArgument>(operand->get());
    Value outer = segment.getInputs()[inner.getArgNumber()];
    if (Decision decision = liesAsTaken(op, number, getTensorLayout(outer));
        !decision)
      return decision;
  }
  return liesAsTaken(op, 2, getTensorLayout(segment.getResult(0)));
}
