//===- SegmentKernel.cpp - A segment inside of its kernel -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/SegmentKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace fuser;
using fusion::ElementwiseOpInterface;
using fusion::EmitContext;
using fusion::TensorOpInterface;

//===----------------------------------------------------------------------===//
// TensorAccess
//===----------------------------------------------------------------------===//

static int64_t getBytes(MemRefType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

TensorAccess::TensorAccess(Value memref, Type elementType, int64_t rowAlignment,
                           int64_t maxBytes)
    : memref(memref), elementType(elementType), maxBytes(maxBytes),
      alignment(rowAlignment) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.empty())
    return;
  contiguous = strides.back() == 1;
}

int64_t TensorAccess::getPieceWidth(int64_t width) const {
  if (!contiguous)
    return 1;
  int64_t bytes = getBytes(cast<MemRefType>(memref.getType()));
  int64_t aligned = std::gcd(alignment, width * bytes);
  return std::max<int64_t>(1, std::min({aligned, maxBytes, width * bytes}) /
                                  bytes);
}

static SmallVector<Value> shiftIndex(OpBuilder &b, Location loc,
                                     ValueRange index, int64_t offset) {
  auto shifted = llvm::to_vector(index);
  if (offset != 0)
    shifted.back() = b.createOrFold<arith::AddIOp>(
        loc, shifted.back(), arith::ConstantIndexOp::create(b, loc, offset));
  return shifted;
}

Value TensorAccess::load(OpBuilder &b, Location loc, ValueRange index,
                         int64_t width) const {
  auto type = cast<MemRefType>(memref.getType());
  int64_t piece = getPieceWidth(width);
  SmallVector<Value> pieces;
  for (int64_t offset = 0; offset < width; offset += piece) {
    SmallVector<Value> at = shiftIndex(b, loc, index, offset);
    if (piece == 1)
      pieces.push_back(memref::LoadOp::create(b, loc, memref, at));
    else
      pieces.push_back(vector::LoadOp::create(
          b, loc, VectorType::get({piece}, type.getElementType()), memref, at,
          /*nontemporal=*/false, llvm::MaybeAlign(piece * getBytes(type))));
  }
  return emitConcat(b, loc, pieces);
}

void TensorAccess::store(OpBuilder &b, Location loc, Value stored,
                         ValueRange index) const {
  auto type = cast<MemRefType>(memref.getType());
  auto vectorType = dyn_cast<VectorType>(stored.getType());
  int64_t width = vectorType ? vectorType.getNumElements() : 1;
  int64_t piece = getPieceWidth(width);
  for (int64_t offset = 0; offset < width; offset += piece) {
    SmallVector<Value> at = shiftIndex(b, loc, index, offset);
    Value part = emitPiece(b, loc, stored, offset, piece);
    if (piece == 1)
      memref::StoreOp::create(b, loc, part, memref, at);
    else
      vector::StoreOp::create(b, loc, part, memref, at, /*nontemporal=*/false,
                              llvm::MaybeAlign(piece * getBytes(type)));
  }
}

//===----------------------------------------------------------------------===//
// SegmentKernel
//===----------------------------------------------------------------------===//

SegmentKernel::SegmentKernel(OpBuilder &builder, fusion::SegmentOp segment,
                             ValueRange arguments, int64_t maxAccessBytes)
    : builder(builder), segment(segment), entry(builder.getInsertionBlock()),
      elements(
          builder, Precision::Native,
          [this](Value t, int64_t d) { return getDim(t, d); },
          [this](Value v) { return getScalar(v); }) {
  unsigned numInputs = segment.getInputs().size();
  for (auto [i, argument] : llvm::enumerate(getKernelArguments(segment))) {
    TensorAccess access;
    if (auto tensor = dyn_cast<RankedTensorType>(argument.value.getType()))
      access = TensorAccess(arguments[i], tensor.getElementType(),
                            argument.rowAlignment, maxAccessBytes);
    (i < numInputs ? operands : results).push_back(access);
    if (i >= numInputs)
      continue;
    Value inner = segment.getBody().getArgument(i);
    if (access.getMemRef())
      bindOperand(i, access);
    else
      scalars[inner] = arguments[i];
  }
}

void SegmentKernel::bindOperand(unsigned i, TensorAccess access) {
  elements.bind(
      segment.getBody().getArgument(i),
      [access](OpBuilder &b, Location loc, ValueRange index, int64_t width) {
        Value stored = access.load(b, loc, index, width);
        return emitToCompute(b, loc, stored, access.getElementType(),
                             Precision::Native);
      });
}

static TensorAccess flatten(OpBuilder &b, Location loc,
                            const TensorAccess &access, OpFoldResult size,
                            int64_t alignment, int64_t maxBytes) {
  auto type = cast<MemRefType>(access.getMemRef().getType());
  std::optional<int64_t> known = getConstantIntValue(size);
  auto flat = MemRefType::get({known.value_or(ShapedType::kDynamic)},
                              type.getElementType());
  Value view = memref::ReinterpretCastOp::create(
      b, loc, flat, access.getMemRef(), OpFoldResult(b.getIndexAttr(0)),
      ArrayRef<OpFoldResult>(size), ArrayRef<OpFoldResult>(b.getIndexAttr(1)));
  return TensorAccess(view, access.getElementType(), alignment, maxBytes);
}

void SegmentKernel::flattenTensors(Location loc, OpFoldResult numElements,
                                   int64_t maxAccessBytes) {
  unsigned numInputs = segment.getInputs().size();
  for (auto [i, argument] : llvm::enumerate(getKernelArguments(segment))) {
    bool isInput = i < numInputs;
    TensorAccess &access = isInput ? operands[i] : results[i - numInputs];
    if (!access.getMemRef())
      continue;
    access = flatten(builder, loc, access, numElements, argument.alignment,
                     maxAccessBytes);
    if (isInput)
      bindOperand(i, access);
  }
}

/// Emits where sizes and scalars are kept: at the start of the kernel, in the
/// order in which they are asked for.
template <typename Fn>
auto SegmentKernel::atEntry(Fn fn) {
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

OpFoldResult SegmentKernel::getDim(Value tensor, int64_t dim) {
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
          segment.getLoc(), operands[argument.getArgNumber()].getMemRef(), dim);
    auto result = cast<OpResult>(tensor);
    auto op = cast<TensorOpInterface>(result.getOwner());
    return withContext(segment.getLoc(), [&](EmitContext &ctx) {
      return op.reifyDim(ctx, result.getResultNumber(), dim);
    });
  });
  return dims[{tensor, dim}] = size;
}

Value SegmentKernel::getDimValue(Value tensor, int64_t dim) {
  OpFoldResult size = getDim(tensor, dim);
  if (auto value = dyn_cast<Value>(size))
    return value;
  return arith::ConstantIndexOp::create(builder, segment.getLoc(),
                                        *getConstantIntValue(size));
}

Value SegmentKernel::getScalar(Value scalar) {
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

Value SegmentKernel::emitDimOp(tensor::DimOp op) {
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

Value SegmentKernel::emitResult(Location loc, unsigned result, ValueRange index,
                                int64_t width) {
  return elements.emit(loc, segment.getYielded(result), index, width);
}

void SegmentKernel::storeResult(Location loc, unsigned result, Value computed,
                                ValueRange index) {
  const TensorAccess &access = results[result];
  Value stored = emitToStorage(builder, loc, computed, access.getElementType());
  access.store(builder, loc, stored, index);
}
