//===- ElementTypes.cpp - Types of elements in memory and in registers ----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/ElementEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fuser;

Type fuser::getWideType(Type element, int64_t width) {
  return width == 1 ? element : Type(VectorType::get({width}, element));
}

static Type getTypeLike(Type like, Type element) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(vector.clone(element)) : element;
}

Value fuser::emitToCompute(OpBuilder &b, Location loc, Value stored,
                           Type elementType) {
  if (elementType.isInteger(1)) {
    Value zero =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(stored.getType()));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, stored,
                                 zero);
  }
  Type compute = getComputeType(elementType);
  if (compute == getElementTypeOrSelf(stored))
    return stored;
  stored =
      emitBitcast(b, loc, getTypeLike(stored.getType(), elementType), stored);
  return arith::ExtFOp::create(b, loc, getTypeLike(stored.getType(), compute),
                               stored);
}

Value fuser::emitToStorage(OpBuilder &b, Location loc, Value computed,
                           Type elementType) {
  Type storage = getTypeLike(computed.getType(), getStorageType(elementType));
  if (elementType.isInteger(1))
    return arith::ExtUIOp::create(b, loc, storage, computed);
  if (storage == computed.getType())
    return computed;
  Type element = getTypeLike(computed.getType(), elementType);
  Value narrow = arith::TruncFOp::create(b, loc, element, computed);
  return emitBitcast(b, loc, storage, narrow);
}

Value fuser::emitConcat(OpBuilder &b, Location loc, ArrayRef<Value> pieces) {
  if (pieces.size() == 1)
    return pieces.front();
  if (!isa<VectorType>(pieces.front().getType()))
    return vector::FromElementsOp::create(
        b, loc,
        VectorType::get({int64_t(pieces.size())}, pieces.front().getType()),
        pieces);
  SmallVector<Value> vectors(pieces);
  while (vectors.size() > 1) {
    int64_t width =
        cast<VectorType>(vectors.front().getType()).getNumElements();
    auto lanes = llvm::to_vector(llvm::seq<int64_t>(0, 2 * width));
    SmallVector<Value> joined;
    for (size_t i = 0; i + 1 < vectors.size(); i += 2)
      joined.push_back(
          vector::ShuffleOp::create(b, loc, vectors[i], vectors[i + 1], lanes));
    vectors = std::move(joined);
  }
  return vectors.front();
}

Value fuser::emitPiece(OpBuilder &b, Location loc, Value vector, int64_t offset,
                       int64_t width) {
  if (!isa<VectorType>(vector.getType()) || getWidth(vector) == width)
    return vector;
  if (width == 1)
    return vector::ExtractOp::create(b, loc, vector, offset);
  auto lanes = llvm::to_vector(llvm::seq<int64_t>(offset, offset + width));
  return vector::ShuffleOp::create(b, loc, vector, vector, lanes);
}

Value fuser::emitRepeated(OpBuilder &b, Location loc, Value scalar,
                          int64_t width) {
  if (width == 1)
    return scalar;
  return vector::BroadcastOp::create(
      b, loc, VectorType::get({width}, scalar.getType()), scalar);
}

int64_t fuser::getWidth(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  return type ? type.getNumElements() : 1;
}

Value fuser::emitBitcast(OpBuilder &b, Location loc, Type type, Value value) {
  return value.getType() == type
             ? value
             : arith::BitcastOp::create(b, loc, type, value);
}
