//===- CpuAcross.cpp - Reductions of tensors that lie across --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neighbours in memory may be those of another dimension than the last: of a
// transposed matrix. Vectors of the last dimension then read an element of each
// of many rows of memory. A kernel of reductions reads vectors along the other
// dimension instead,
//
//   where the last dimension is reduced: along the last one that is kept, so
//   that a lane is a result,
//   where it is not: along the last one that is reduced, so that a vector is a
//   step of one result.
//
// Strides are known from types, or only at a launch: then the kernel has code
// for both. No bit depends on it (SumOrder.h).
//
//===----------------------------------------------------------------------===//

#include "CpuKernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/Sequence.h"

using namespace fuser;
using fusion::ElementwiseOpInterface;
using fusion::FactoryOpInterface;

//===----------------------------------------------------------------------===//
// What is reduced
//===----------------------------------------------------------------------===//

/// Nothing if `value` is no operand, also not a permuted one.
static std::optional<CpuAcross::Tensor> getTensor(Value value) {
  Value operand = value;
  SmallVector<int64_t> dims;
  if (auto map = value.getDefiningOp<fusion::IndexMapOpInterface>())
    dims = getPermutation(map);
  if (!dims.empty())
    operand = fusion::getOnlySource(value.getDefiningOp());
  auto argument = dyn_cast<BlockArgument>(operand);
  if (!argument)
    return std::nullopt;
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  if (dims.empty())
    dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  return CpuAcross::Tensor{value, argument.getArgNumber(), dims, Value()};
}

/// Collects what the operands of the reductions are made of, element by
/// element. False if they are made of something else, or something else is made
/// of it: that would find other elements there.
static bool collectTensors(const CpuReductionPlan &rows,
                           SmallVectorImpl<CpuAcross::Tensor> &tensors) {
  SetVector<Value> values;
  for (fusion::ReductionOpInterface op : rows.reductions)
    values.insert(op->getOperand(0));
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::optional<CpuAcross::Tensor> tensor = getTensor(values[i])) {
      tensors.push_back(*tensor);
      continue;
    }
    Operation *op = values[i].getDefiningOp();
    if (auto factory = dyn_cast<FactoryOpInterface>(op);
        factory && factory.isUniform())
      continue;
    if (!isa<ElementwiseOpInterface>(op))
      return false;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        values.insert(operand);
  }
  auto isInside = [&](Operation *user) {
    return isa<fusion::ReductionOpInterface>(user) ||
           (user->getNumResults() == 1 && values.contains(user->getResult(0)));
  };
  return llvm::all_of(values, [&](Value value) {
    return llvm::all_of(value.getUsers(), isInside);
  });
}

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

static int64_t getStride(const CpuAcross::Tensor &tensor, int64_t dim,
                         ValueRange arguments) {
  auto type = cast<MemRefType>(arguments[tensor.operand].getType());
  return type.getStridesAndOffset().first[tensor.dims[dim]];
}

std::optional<CpuAcross> fuser::findAcross(const CpuReductionPlan &rows,
                                           ValueRange arguments) {
  CpuAcross across;
  bool needsPosition =
      llvm::any_of(rows.reductions, [](fusion::ReductionOpInterface op) {
        return op.needsPosition();
      });
  if (needsPosition || rows.stages.size() != 1 || !rows.fullResults.empty() ||
      rows.keptDims.empty() || rows.reducedDims.empty() ||
      countScattered(arguments) > kMaxUnrolledTensors ||
      !collectTensors(rows, across.tensors))
    return std::nullopt;
  int64_t last = rows.getRank() - 1;
  across.laneDim =
      rows.hasColumns() ? rows.reducedDims.back() : rows.keptDims.back();
  auto mayHaveStrideOne = [&](const CpuAcross::Tensor &tensor) {
    int64_t stride = getStride(tensor, across.laneDim, arguments);
    return stride == 1 || ShapedType::isDynamic(stride);
  };
  auto liesAlong = [&](const CpuAcross::Tensor &tensor) {
    return getStride(tensor, last, arguments) == 1;
  };
  if (!llvm::all_of(across.tensors, mayHaveStrideOne) ||
      llvm::all_of(across.tensors, liesAlong))
    return std::nullopt;
  for (int64_t dim = 0; dim <= last; ++dim)
    if (dim != across.laneDim)
      across.order.push_back(dim);
  across.order.push_back(across.laneDim);
  return across;
}

/// The condition that neighbours of one of `tensors` in the last dimension,
/// `last`, are none in memory; null if that is known.
static Value lieAcross(OpBuilder &b, Location loc,
                       ArrayRef<CpuAcross::Tensor> tensors, int64_t last,
                       ValueRange arguments) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value condition;
  for (const CpuAcross::Tensor &tensor : tensors) {
    int64_t known = getStride(tensor, last, arguments);
    if (known == 1)
      continue;
    if (!ShapedType::isDynamic(known))
      return Value();
    auto metadata = memref::ExtractStridedMetadataOp::create(
        b, loc, arguments[tensor.operand]);
    Value stride = metadata.getStrides()[tensor.dims[last]];
    Value isOther =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, stride, one);
    condition =
        condition ? arith::OrIOp::create(b, loc, condition, isOther).getResult()
                  : isOther;
  }
  return condition;
}

Value CpuAcross::assume(OpBuilder &b, Location loc, ValueRange arguments) {
  Value condition =
      lieAcross(b, loc, tensors, int64_t(order.size()) - 1, arguments);
  for (Tensor &tensor : tensors) {
    auto places = llvm::map_to_vector(
        order, [&](int64_t dim) { return unsigned(tensor.dims[dim]); });
    AffineMap map = AffineMap::getPermutationMap(places, b.getContext());
    tensor.memref = memref::TransposeOp::create(
        b, loc, arguments[tensor.operand], AffineMapAttr::get(map));
    if (hasUnknownNeighbours(tensor.memref))
      tensor.memref = assumeNeighbours(b, loc, tensor.memref, condition);
  }
  return condition;
}
