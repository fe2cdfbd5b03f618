//===- SegmentKernel.cpp - A segment inside of its kernel -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/SegmentKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace fuser;
using fusion::ReductionOpInterface;

//===----------------------------------------------------------------------===//
// TensorAccess
//===----------------------------------------------------------------------===//

/// What one instruction loads or stores at most.
static constexpr int64_t kMaxAccessBytes = 16;

static int64_t getBytes(MemRefType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

TensorAccess::TensorAccess(Value memref, Type elementType, int64_t rowAlignment)
    : memref(memref), elementType(elementType), alignment(rowAlignment) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  contiguous = !strides.empty() && strides.back() == 1;
}

int64_t TensorAccess::getPieceWidth(int64_t width) const {
  if (!contiguous)
    return 1;
  int64_t bytes = getBytes(cast<MemRefType>(memref.getType()));
  int64_t aligned = std::gcd(alignment, width * bytes);
  return std::max<int64_t>(
      1, std::min({aligned, kMaxAccessBytes, width * bytes}) / bytes);
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
                             ValueRange arguments, const ShapeSymbols *symbols)
    : builder(builder), segment(segment),
      sizes(builder, segment, builder.getInsertionBlock(), arguments),
      elements(
          builder, Precision::Native,
          [this](Value t, int64_t d) { return sizes.getDim(t, d); },
          [this](Value v) { return sizes.getScalar(v); }) {
  unsigned numInputs = segment.getInputs().size();
  for (auto [i, argument] :
       llvm::enumerate(getKernelArguments(segment, symbols))) {
    TensorAccess access;
    if (auto tensor = dyn_cast<RankedTensorType>(argument.value.getType()))
      access = TensorAccess(arguments[i], tensor.getElementType(),
                            argument.rowAlignment);
    (i < numInputs ? operands : results).push_back(access);
    if (i >= numInputs)
      continue;
    isWritten.push_back(!argument.noAlias);
    if (access.getMemRef())
      bindOperand(i);
  }
}

/// What `access` loads where `condition` holds; else 0.
static Value emitLoadWhere(OpBuilder &b, Location loc, Value condition,
                           const TensorAccess &access, ValueRange index,
                           int64_t width) {
  auto branch = scf::IfOp::create(
      b, loc, condition,
      [&](OpBuilder &b, Location loc) {
        scf::YieldOp::create(b, loc, access.load(b, loc, index, width));
      },
      [&](OpBuilder &b, Location loc) {
        Type type =
            cast<MemRefType>(access.getMemRef().getType()).getElementType();
        if (width != 1)
          type = VectorType::get({width}, type);
        Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
        scf::YieldOp::create(b, loc, zero);
      });
  return branch.getResult(0);
}

Value SegmentKernel::loadOperand(Location loc, unsigned i, ValueRange index,
                                 int64_t width) {
  if (readCondition && isWritten[i])
    return emitLoadWhere(builder, loc, readCondition, operands[i], index,
                         width);
  return operands[i].load(builder, loc, index, width);
}

void SegmentKernel::bindOperand(unsigned i) {
  elements.bind(
      segment.getBody().getArgument(i),
      [this, i](OpBuilder &b, Location loc, ValueRange index, int64_t width) {
        return emitToCompute(b, loc, loadOperand(loc, i, index, width),
                             operands[i].getElementType(), Precision::Native);
      });
}

Value fuser::flattenMemRef(OpBuilder &b, Location loc, Value memref,
                           OpFoldResult size) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t known =
      isa<Attribute>(size) ? *getConstantIntValue(size) : ShapedType::kDynamic;
  auto flat = MemRefType::get({known}, type.getElementType());
  return memref::ReinterpretCastOp::create(
      b, loc, flat, memref, OpFoldResult(b.getIndexAttr(0)),
      ArrayRef<OpFoldResult>(size), ArrayRef<OpFoldResult>(b.getIndexAttr(1)));
}

void SegmentKernel::flattenTensors(Location loc, OpFoldResult numElements) {
  unsigned numInputs = segment.getInputs().size();
  for (auto [i, argument] : llvm::enumerate(getKernelArguments(segment))) {
    bool isInput = i < numInputs;
    TensorAccess &access = isInput ? operands[i] : results[i - numInputs];
    if (!access.getMemRef())
      continue;
    Value flat = flattenMemRef(builder, loc, access.getMemRef(), numElements);
    access = TensorAccess(flat, access.getElementType(), argument.alignment);
  }
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

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

SmallVector<Type> fuser::getAccumulatorTypes(ReductionOpInterface op) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  return op.getAccumulatorTypes(getComputeType(element, Precision::Native));
}

SmallVector<Value> SegmentKernel::emitNeutral(ReductionOpInterface op) {
  return withContext(segment.getLoc(), [&](fusion::EmitContext &ctx) {
    return op.emitNeutral(ctx, getAccumulatorTypes(op));
  });
}

SmallVector<Value> SegmentKernel::emitPrepare(ReductionOpInterface op,
                                              Value element) {
  return withContext(segment.getLoc(), [&](fusion::EmitContext &ctx) {
    return op.emitPrepare(ctx, element, getAccumulatorTypes(op));
  });
}

SmallVector<Value> SegmentKernel::emitCombine(ReductionOpInterface op,
                                              ValueRange first,
                                              ValueRange second) {
  return withContext(segment.getLoc(), [&](fusion::EmitContext &ctx) {
    return op.emitCombine(ctx, first, second);
  });
}
