//===- SizeMaterializer.cpp - Sizes of tensors as values ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/ShapeSymbols.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

SizeMaterializer::SizeMaterializer(const ShapeSymbols &symbols)
    : SizeMaterializer(
          symbols,
          [](OpBuilder &b, BlockArgument arg, int64_t dim) -> Value {
            return tensor::DimOp::create(b, arg.getLoc(), arg, dim);
          },
          [](Value scalar) { return scalar; }) {}

Value SizeMaterializer::getScalar(OpBuilder &builder, Value inner) {
  Value source = symbols.getOuterScalar(inner);
  Operation *op = source.getDefiningOp();
  if (op && op->getParentOfType<SegmentOp>()) {
    // Scalars of a segment that are no operands are computed in it.
    if (auto dim = dyn_cast<tensor::DimOp>(op))
      if (std::optional<int64_t> index = dim.getConstantIndex())
        return getValue(builder, op->getLoc(), dim.getSource(), *index);
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, getScalar(builder, operand));
    Operation *clone = builder.clone(*op, mapping);
    return clone->getResult(cast<OpResult>(source).getResultNumber());
  }
  return scalar(source);
}

OpFoldResult SizeMaterializer::get(OpBuilder &builder, Location loc,
                                   const SizeSource &source) {
  switch (source.kind) {
  case SizeSource::Kind::Argument:
    return argument(builder, cast<BlockArgument>(source.value), source.dim);
  case SizeSource::Kind::Scalar:
    return getScalar(builder, source.value);
  case SizeSource::Kind::Computed:
    break;
  }
  auto op = source.value.getDefiningOp<TensorOpInterface>();
  if (!op)
    return tensor::DimOp::create(builder, loc, source.value, source.dim)
        .getResult();
  return withContext(builder, loc, [&](EmitContext &ctx) {
    return op.reifyDim(ctx, cast<OpResult>(source.value).getResultNumber(),
                       source.dim);
  });
}

OpFoldResult SizeMaterializer::make(OpBuilder &builder, Location loc,
                                    unsigned symbol) {
  SymbolicSize size = symbols.getRepresentative(symbol);
  if (size >= 0)
    return builder.getIndexAttr(size);
  auto it = made.find(-1 - size);
  if (it != made.end())
    return it->second;
  OpFoldResult value = get(builder, loc, symbols.getSources(-1 - size).front());
  made.try_emplace(-1 - size, value);
  return value;
}

OpFoldResult SizeMaterializer::get(OpBuilder &builder, Location loc,
                                   SymbolicSize size) {
  if (size >= 0)
    return builder.getIndexAttr(size);
  // What a size is computed from is made before it: a chain of computed sizes
  // may be as long as the program, too long for recursion.
  SmallVector<std::pair<unsigned, bool>> stack{{-1 - size, false}};
  llvm::SmallDenseSet<unsigned> seen;
  while (!stack.empty()) {
    auto [symbol, ready] = stack.pop_back_val();
    if (ready) {
      make(builder, loc, symbol);
    } else if (!made.contains(symbol) && seen.insert(symbol).second) {
      stack.push_back({symbol, true});
      for (unsigned dependency : symbols.getDependencies(symbol))
        stack.push_back({dependency, false});
    }
  }
  return make(builder, loc, -1 - size);
}

OpFoldResult SizeMaterializer::get(OpBuilder &builder, Location loc,
                                   Value tensor, int64_t dim) {
  return get(builder, loc, symbols.getSize(tensor, dim));
}

OpFoldResult SizeMaterializer::getOwn(OpBuilder &builder, Location loc,
                                      Value tensor, int64_t dim) {
  SymbolicSize size = symbols.getOwnSize(tensor, dim);
  if (size >= 0)
    return builder.getIndexAttr(size);
  unsigned symbol = -1 - size;
  auto it = madeOwn.find(symbol);
  if (it != madeOwn.end())
    return it->second;
  OpFoldResult value = symbols.isRepresentative(symbol)
                           ? get(builder, loc, size)
                           : get(builder, loc, symbols.getOwnSource(symbol));
  madeOwn.try_emplace(symbol, value);
  return value;
}

Value SizeMaterializer::getValue(OpBuilder &builder, Location loc, Value tensor,
                                 int64_t dim) {
  return getValueOrCreateConstantIndexOp(builder, loc,
                                         get(builder, loc, tensor, dim));
}
