//===- FusionScanOp.cpp - What is reduced of the elements up to each ------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FibreUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace fuser;
using namespace fuser::fusion;

RankedTensorType fusion::getFibreType(RankedTensorType input, int64_t dim,
                                      std::optional<int64_t> length,
                                      Type element) {
  SmallVector<int64_t> shape(input.getShape());
  // Where `dim` is none the verifier says so.
  if (length && dim >= 0 && dim < input.getRank())
    shape[dim] = std::max<int64_t>(*length, 0);
  return RankedTensorType::get(shape, element);
}

LogicalResult ScanOp::verify() {
  // scan_c1, scan_c3
  if (failed(verifyFibreType(*this, std::nullopt,
                             getInput().getType().getElementType())))
    return failure();
  // scan_c2
  bool isOrder = getKind() == ReduceKind::Max || getKind() == ReduceKind::Min;
  if (isOrder && isComplexElement(getType().getElementType()))
    return emitOpError() << "expected sum or prod of complex numbers, which "
                            "have no order, got "
                         << stringifyReduceKind(getKind());
  switch (getKind()) {
  case ReduceKind::Sum:
  case ReduceKind::Prod:
  case ReduceKind::Max:
  case ReduceKind::Min:
    return success();
  default:
    return emitOpError() << "expected sum, prod, max or min as the kind, got "
                         << stringifyReduceKind(getKind());
  }
}

static Value reshape(PatternRewriter &b, Location loc, Value tensor,
                     RankedTensorType type) {
  SmallVector<Value> open;
  for (int64_t dim : llvm::seq(type.getRank()))
    if (type.isDynamicDim(dim))
      open.push_back(tensor::DimOp::create(b, loc, tensor, dim));
  return ReshapeOp::create(b, loc, type, tensor, open);
}

/// Dimensions of size 1 behind the one that is scanned go: its elements are
/// neighbours in memory, and not a column, of which a thread block has several.
LogicalResult ScanOp::canonicalize(ScanOp op, PatternRewriter &b) {
  RankedTensorType type = op.getType();
  auto rank = int64_t(op.getDim()) + 1;
  if (rank == type.getRank() ||
      llvm::any_of(type.getShape().drop_front(rank),
                   [](int64_t size) { return size != 1; }))
    return failure();
  Location loc = op.getLoc();
  Operation *scan = b.clone(*op);
  RankedTensorType narrow = type.clone(type.getShape().take_front(rank));
  b.setInsertionPoint(scan);
  scan->setOperand(0, reshape(b, loc, op.getInput(), narrow));
  scan->getResult(0).setType(narrow);
  // An order of strides is one of the result's dimensions.
  Attribute order =
      scan->removeDiscardableAttr(FusionDialect::getStrideOrderHintAttrName());
  b.setInsertionPointAfter(scan);
  Value result = reshape(b, loc, scan->getResult(0), type);
  if (order)
    result.getDefiningOp()->setDiscardableAttr(
        FusionDialect::getStrideOrderHintAttrName(), order);
  b.replaceOp(op, result);
  return success();
}

/// Integers wrap: nothing is rounded.
bool ScanOp::isExactFibre() {
  return !isa<FloatType>(getType().getElementType()) ||
         getKind() == ReduceKind::Max || getKind() == ReduceKind::Min;
}

bool ScanOp::isProduct() { return getKind() == ReduceKind::Prod; }

Value ScanOp::emitNeutral(EmitContext &ctx, Type type) {
  return emitNeutralOf(ctx, getKind(), getType().getElementType(), type);
}

bool ScanOp::isCommutative() { return true; }

Value ScanOp::emitCombined(EmitContext &ctx, Value before, Value after) {
  return fusion::emitCombined(ctx, getKind(), getType().getElementType(),
                              before, after);
}

void ScanOp::emitFibre(FibreContext &ctx) {
  Value zero = emitIndex(ctx.emit, int64_t(0));
  Value neutral = emitNeutral(ctx.emit, ctx.type);
  emitFor(ctx.emit, zero, ctx.length, neutral,
          [&](Value position, ValueRange carried) -> SmallVector<Value> {
            Value next =
                emitCombined(ctx.emit, carried.front(), ctx.load(0, position));
            ctx.store(position, next);
            return {next};
          });
}
