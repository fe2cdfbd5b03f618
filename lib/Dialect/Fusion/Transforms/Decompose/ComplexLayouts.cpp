//===- ComplexLayouts.cpp - Ops that are the same of both parts -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What moves elements moves pairs of parts as well, and what adds them adds
// each part by itself. Matrix products are those of real matrices of twice the
// size.
//
//===----------------------------------------------------------------------===//

#include "Decomposer.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace fuser;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Moved elements
//===----------------------------------------------------------------------===//

/// Whether `op` gives its operand as it is.
static bool isCopy(Operation *op) {
  return op->hasTrait<RequestedCopy>() || op->hasTrait<SegmentBoundary>();
}

bool Decomposer::movePairs(Operation *op) {
  bool havePairs = llvm::all_of(op->getOperands(), [&](Value operand) {
    auto found = tensors.find(operand);
    return found == tensors.end() || found->second.pairs;
  });
  if (!havePairs || !(isCopy(op) || isa<IndexMapOpInterface>(op)))
    return false;
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (tensors.contains(operand))
      mapping.map(operand, tensors[operand].pairs);
  Value result = op->getResult(0);
  Operation *moved = builder.clone(*op, mapping);
  moved->getResult(0).setType(getPairsType(result.getType()));
  if (auto map = dyn_cast<IndexMapOpInterface>(moved);
      map && !map.appendDim(/*size=*/2)) {
    moved->erase();
    return false;
  }
  moved->removeDiscardableAttr(FusionDialect::getStrideOrderHintAttrName());
  moved->removeDiscardableAttr(FusionDialect::getEqualDimsAttrName());
  tensors[result] = {moved->getResult(0), Value(), Value()};
  return true;
}

/// Whether each part of the result is what the op makes of these parts.
static bool actsOnParts(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind() == ReduceKind::Sum ||
           reduce.getKind() == ReduceKind::Mean;
  if (auto scan = dyn_cast<ScanOp>(op))
    return scan.getKind() == ReduceKind::Sum;
  return isCopy(op) ||
         isa<IndexMapOpInterface, ScatterOpInterface, WhereOp>(op);
}

bool Decomposer::applyToParts(Operation *op) {
  if (!actsOnParts(op))
    return false;
  IRMapping re, im;
  for (Value operand : op->getOperands()) {
    if (!tensors.contains(operand))
      continue;
    Complex parts = getParts(operand);
    re.map(operand, parts.re.value);
    im.map(operand, parts.im.value);
  }
  Value result = op->getResult(0);
  auto apply = [&](IRMapping &mapping) -> Real {
    Value part = builder.clone(*op, mapping)->getResult(0);
    part.setType(cast<RankedTensorType>(getPartTensorLike(result.getType())));
    return real(part);
  };
  Real first = apply(re);
  setParts(result, {first, apply(im)});
  return true;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

bool Decomposer::decomposeProduct(Operation *op) {
  auto scan = dyn_cast<ScanOp>(op);
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!(scan && scan.getKind() == ReduceKind::Prod) &&
      !(reduce && reduce.getKind() == ReduceKind::Prod))
    return false;
  auto apply = [&](ReduceKind kind, Value value) -> Value {
    if (scan)
      return ScanOp::create(builder, place.loc, kind, value, scan.getDim());
    return ReduceOp::create(builder, place.loc, kind, value, reduce.getDims(),
                            reduce.getKeep());
  };
  setParts(op->getResult(0), emitProduct(getParts(op->getOperand(0)), apply));
  return true;
}

/// Pairs in the last dimension side by side in the one before.
static Value flattenPairs(Place &place, Value pairs) {
  SmallVector<Size> sizes = getSizes(place, pairs);
  sizes.pop_back();
  sizes.back() = getTwice(place, sizes.back());
  return reshapeTo(place, pairs, sizes);
}

Value Decomposer::interleaveRows(Complex first, Complex second) {
  int64_t rank = cast<RankedTensorType>(first.re.value.getType()).getRank();
  SmallVector<Value> rows;
  SmallVector<Size> sizes = getSizes(place, first.re.value);
  for (Complex row : {first, second})
    rows.push_back(BroadcastOp::create(builder, place.loc, joinParts(row),
                                       ArrayRef<int64_t>(rank - 1)));
  Value all = CatOp::create(builder, place.loc, rows, rank - 1);
  sizes[rank - 2] = getTwice(place, sizes[rank - 2]);
  sizes[rank - 1] = getTwice(place, sizes[rank - 1]);
  return reshapeTo(place, all, sizes);
}

// A row of pairs times a matrix in which (re, im) stands above (-im, re) for
// each element is a row of pairs. The weight of a linear is the transpose.
bool Decomposer::decomposeContraction(Operation *op) {
  if (!isa<MatmulOp, LinearOp>(op))
    return false;
  bool isLinear = isa<LinearOp>(op);
  Value lhs = flattenPairs(place, getPairs(op->getOperand(0)));
  Complex w = getParts(op->getOperand(1));
  Complex first = w, second{-w.im, w.re};
  if (isLinear) {
    first = {w.re, -w.im};
    second = {w.im, w.re};
  }
  Value rhs = interleaveRows(first, second);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<Size> sizes;
  int64_t last = type.getRank() - 1;
  for (int64_t dim = 0; dim <= last; ++dim) {
    sizes.push_back({type.getDimSize(dim), Value()});
    if (type.isDynamicDim(dim))
      sizes.back().open = tensor::DimOp::create(
          builder, place.loc, dim == last ? w.re.value : lhs,
          dim == last && isLinear ? 0 : dim);
  }
  SmallVector<int64_t> shape(type.getShape());
  if (!type.isDynamicDim(last))
    shape[last] *= 2;
  auto product =
      RankedTensorType::get(shape, getPartType(type.getElementType()));
  Value result =
      isLinear
          ? LinearOp::create(builder, place.loc, product, lhs, rhs).getResult()
          : MatmulOp::create(builder, place.loc, product, lhs, rhs).getResult();
  sizes.push_back({2, Value()});
  result = reshapeTo(place, result, sizes);
  tensors[op->getResult(0)] = {result, Value(), Value()};
  return true;
}
