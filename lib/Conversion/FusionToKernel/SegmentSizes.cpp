//===- SegmentSizes.cpp - Sizes and scalars inside of a segment -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/SegmentSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;
using fusion::ElementwiseOpInterface;
using fusion::EmitContext;
using fusion::TensorOpInterface;

SegmentSizes::SegmentSizes(OpBuilder &builder, fusion::SegmentOp segment,
                           Block *entry, ValueRange arguments)
    : builder(builder), segment(segment), entry(entry),
      arguments(arguments.take_front(segment.getInputs().size())) {}

/// Emits where sizes and scalars are kept: at the start of the kernel, in the
/// order in which they are asked for.
template <typename Fn>
auto SegmentSizes::atEntry(Fn fn) {
  OpBuilder::InsertionGuard guard(builder);
  if (lastAtEntry)
    builder.setInsertionPointAfter(lastAtEntry);
  else
    builder.setInsertionPointToStart(entry);
  auto value = fn();
  Block::iterator next = builder.getInsertionPoint();
  if (next != entry->begin())
    lastAtEntry = &*std::prev(next);
  return value;
}

OpFoldResult SegmentSizes::getDim(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  // Elementwise chains may be long: their sizes are those of their operands.
  while (type.isDynamicDim(dim) &&
         isa_and_nonnull<ElementwiseOpInterface>(tensor.getDefiningOp())) {
    tensor = fusion::getTensorOperands(tensor.getDefiningOp()).front()->get();
    type = cast<RankedTensorType>(tensor.getType());
  }
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  auto it = dims.find({tensor, dim});
  if (it != dims.end())
    return it->second;
  OpFoldResult size = atEntry([&]() -> OpFoldResult {
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      return builder.createOrFold<memref::DimOp>(
          segment.getLoc(), arguments[argument.getArgNumber()], dim);
    auto result = cast<OpResult>(tensor);
    auto op = cast<TensorOpInterface>(result.getOwner());
    return withContext(segment.getLoc(), [&](EmitContext &ctx) {
      return op.reifyDim(ctx, result.getResultNumber(), dim);
    });
  });
  return dims[{tensor, dim}] = size;
}

Value SegmentSizes::getDimValue(Value tensor, int64_t dim) {
  return emitIndex(builder, segment.getLoc(), getDim(tensor, dim));
}

SmallVector<OpFoldResult> SegmentSizes::getDims(Value tensor,
                                                ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims,
                             [&](int64_t dim) { return getDim(tensor, dim); });
}

SmallVector<OpFoldResult> SegmentSizes::getDims(Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return getDims(tensor, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
}

Value SegmentSizes::getScalar(Value scalar) {
  if (auto argument = dyn_cast<BlockArgument>(scalar))
    return arguments[argument.getArgNumber()];
  if (Value known = scalars.lookup(scalar))
    return known;
  Operation *op = scalar.getDefiningOp();
  Value value = atEntry([&]() -> Value {
    if (auto dim = dyn_cast<tensor::DimOp>(op))
      return emitDimOp(dim);
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, getScalar(operand));
    unsigned number = cast<OpResult>(scalar).getResultNumber();
    return builder.clone(*op, mapping)->getResult(number);
  });
  return scalars[scalar] = value;
}

Value SegmentSizes::emitDimOp(tensor::DimOp op) {
  if (std::optional<int64_t> constant = op.getConstantIndex())
    return getDimValue(op.getSource(), *constant);
  Value number = getScalar(op.getIndex());
  Value size = arith::ConstantIndexOp::create(builder, op.getLoc(), 0);
  int64_t rank = cast<RankedTensorType>(op.getSource().getType()).getRank();
  for (int64_t d = 0; d < rank; ++d) {
    Value isDim = arith::CmpIOp::create(
        builder, op.getLoc(), arith::CmpIPredicate::eq, number,
        arith::ConstantIndexOp::create(builder, op.getLoc(), d));
    size = arith::SelectOp::create(builder, op.getLoc(), isDim,
                                   getDimValue(op.getSource(), d), size);
  }
  return size;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

Value fuser::emitIndex(OpBuilder &b, Location loc, OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(b, loc, size);
}

SmallVector<Value> fuser::emitCoordinates(OpBuilder &b, Location loc,
                                          Value linear,
                                          ArrayRef<OpFoldResult> sizes,
                                          bool narrow) {
  if (sizes.size() < 2)
    return SmallVector<Value>(sizes.size(), linear);
  auto convert = [&](Value value, Type type) {
    return narrow ? b.createOrFold<arith::IndexCastUIOp>(loc, type, value)
                  : value;
  };
  SmallVector<Value> coordinates(sizes.size());
  Value rest = convert(linear, b.getI32Type());
  for (size_t i = sizes.size() - 1; i > 0; --i) {
    Value size = convert(emitIndex(b, loc, sizes[i]), b.getI32Type());
    coordinates[i] = convert(b.createOrFold<arith::RemUIOp>(loc, rest, size),
                             b.getIndexType());
    rest = b.createOrFold<arith::DivUIOp>(loc, rest, size);
  }
  coordinates[0] = convert(rest, b.getIndexType());
  return coordinates;
}

Value fuser::emitLinear(OpBuilder &b, Location loc, ArrayRef<Value> coordinates,
                        ArrayRef<OpFoldResult> sizes, Value first) {
  Value position = first;
  for (auto [coordinate, size] : llvm::zip(coordinates, sizes)) {
    position =
        b.createOrFold<arith::MulIOp>(loc, position, emitIndex(b, loc, size));
    position = b.createOrFold<arith::AddIOp>(loc, position, coordinate);
  }
  return position;
}
