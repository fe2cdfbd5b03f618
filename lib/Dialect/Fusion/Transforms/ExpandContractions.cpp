//===- ExpandContractions.cpp - Matrix products as other ops --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product is a sum of products over a space that has all dimensions: batch,
// rows, columns, contracted. Both operands are expanded to it.
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "fuser/Support/ElementTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/Sequence.h"

namespace fuser::fusion {
#define GEN_PASS_DEF_EXPANDCONTRACTIONSPASS
#include "fuser/Dialect/Fusion/Transforms/Passes.h.inc"
} // namespace fuser::fusion

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

namespace {

/// The ops that stand for one contraction.
class Expander {
public:
  Expander(ContractionOpInterface op) : op(op), b(op), loc(op.getLoc()) {
    addSpace(DimRole::Batch, 0, 1);
    addSpace(DimRole::Row, 0, 2);
    addSpace(DimRole::Column, 1, 2);
    addSpace(DimRole::Contracted, 0, 1);
  }

  Value expand();

private:
  void addSpace(DimRole role, unsigned tensor, unsigned other);
  Value getSize(size_t dim);
  Value createCast(Value tensor, Type element);
  Value createPermute(Value tensor, ArrayRef<int64_t> order);
  Value createSlice(Value tensor, ArrayRef<size_t> dims,
                    ArrayRef<int64_t> shape);
  Value createOperand(unsigned number, DimRole own, DimRole other);

  /// A dimension of the space: a tensor that has it, and its size there.
  struct Dim {
    DimRole role;
    Value tensor;
    int64_t dim;
    int64_t size; ///< As far as a type knows it.
  };

  ContractionOpInterface op;
  OpBuilder b;
  Location loc;
  SmallVector<Dim> space;
};

} // namespace

void Expander::addSpace(DimRole role, unsigned tensor, unsigned other) {
  auto getSizeIn = [&](unsigned number, int64_t dim) {
    return cast<RankedTensorType>(op.getContractedTensor(number).getType())
        .getDimSize(dim);
  };
  for (auto [dim, otherDim] :
       llvm::zip_equal(op.getDims(tensor, role), op.getDims(other, role))) {
    int64_t size = getSizeIn(tensor, dim);
    if (ShapedType::isDynamic(size))
      size = getSizeIn(other, otherDim);
    space.push_back({role, op.getContractedTensor(tensor), dim, size});
  }
}

Value Expander::getSize(size_t dim) {
  return tensor::DimOp::create(b, loc, space[dim].tensor, space[dim].dim);
}

Value Expander::createCast(Value tensor, Type element) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getElementType() == element)
    return tensor;
  return CastOp::create(b, loc, type.clone(element), tensor);
}

Value Expander::createPermute(Value tensor, ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  auto shape = llvm::map_to_vector(
      order, [&](int64_t dim) { return type.getDimSize(dim); });
  return PermuteOp::create(b, loc, type.clone(shape), tensor,
                           b.getDenseI64ArrayAttr(order));
}

/// All of `tensor`, whose dimensions are `dims` of the space, with sizes that
/// its type shall know or not.
Value Expander::createSlice(Value tensor, ArrayRef<size_t> dims,
                            ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getShape() == shape)
    return tensor;
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::zip_equal(dims, shape))
    sizes.push_back(ShapedType::isDynamic(size)
                        ? OpFoldResult(getSize(dim))
                        : OpFoldResult(b.getIndexAttr(size)));
  SmallVector<OpFoldResult> zeros(shape.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(shape.size(), b.getIndexAttr(1));
  return SliceOp::create(b, loc, type.clone(shape), tensor, zeros, sizes, ones);
}

/// An operand that has its `own` dimensions besides those of both, in the
/// space.
Value Expander::createOperand(unsigned number, DimRole own, DimRole other) {
  Value tensor = op.getContractedTensor(number);
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (isIntegerElement(element))
    tensor = createCast(tensor, getElementTypeOrSelf(op->getResult(0)));
  else if (!element.isF64())
    tensor = createCast(tensor, b.getF32Type());
  SmallVector<int64_t> order;
  for (DimRole role : {DimRole::Batch, own, DimRole::Contracted})
    llvm::append_range(order, op.getDims(number, role));
  tensor = createPermute(tensor, order);
  SmallVector<size_t> dims;
  SmallVector<int64_t> known, full, added;
  SmallVector<Value> sizes;
  for (auto [i, dim] : llvm::enumerate(space)) {
    full.push_back(dim.size);
    if (dim.role == other) {
      added.push_back(i);
      if (ShapedType::isDynamic(dim.size))
        sizes.push_back(getSize(i));
      continue;
    }
    dims.push_back(i);
    known.push_back(dim.size);
  }
  tensor = createSlice(tensor, dims, known);
  if (added.empty())
    return tensor;
  tensor = BroadcastOp::create(b, loc, tensor, b.getDenseI64ArrayAttr(added));
  auto type = cast<RankedTensorType>(tensor.getType());
  return ExpandOp::create(b, loc, type.clone(full), tensor, sizes);
}

Value Expander::expand() {
  Value lhs = createOperand(0, DimRole::Row, DimRole::Column);
  Value rhs = createOperand(1, DimRole::Column, DimRole::Row);
  Value product = MulOp::create(b, loc, lhs, rhs);
  SmallVector<int64_t> reduced;
  SmallVector<size_t> kept;
  for (auto [i, dim] : llvm::enumerate(space)) {
    if (dim.role == DimRole::Contracted)
      reduced.push_back(i);
    else
      kept.push_back(i);
  }
  Value sum = ReduceOp::create(
      b, loc, ReduceKindAttr::get(b.getContext(), ReduceKind::Sum), product,
      b.getDenseI64ArrayAttr(reduced), /*keep=*/nullptr);
  // From the space's order to the result's.
  SmallVector<int64_t> positions(kept.size());
  int64_t next = 0;
  for (DimRole role : {DimRole::Batch, DimRole::Row, DimRole::Column})
    for (int64_t dim : op.getDims(2, role))
      positions[dim] = next++;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto ordered = llvm::map_to_vector(
      positions, [&](int64_t position) { return kept[position]; });
  sum = createPermute(sum, positions);
  return createCast(createSlice(sum, ordered, type.getShape()),
                    type.getElementType());
}

void fuser::fusion::expandContractions(Block &block) {
  for (auto op : llvm::to_vector(block.getOps<ContractionOpInterface>())) {
    op->getResult(0).replaceAllUsesWith(Expander(op).expand());
    op->erase();
  }
}

namespace {
struct ExpandContractionsPass
    : public fuser::fusion::impl::ExpandContractionsPassBase<
          ExpandContractionsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    getOperation().walk([](SegmentOp segment) {
      expandContractions(segment.getBody().front());
    });
    for (Block &block : getOperation().getBody())
      expandContractions(block);
  }
};
} // namespace
