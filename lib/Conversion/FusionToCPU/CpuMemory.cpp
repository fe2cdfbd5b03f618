//===- CpuMemory.cpp - Vectors in memory ----------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuMemory.h"
#include "fuser/Conversion/CPUToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace fuser;

/// The kernel that the builder stands in begins here.
static Block *getEntry(OpBuilder &b) {
  Operation *around = b.getInsertionBlock()->getParentOp();
  auto kernel = dyn_cast<func::FuncOp>(around);
  if (!kernel)
    kernel = around->getParentOfType<func::FuncOp>();
  return &kernel.getBody().front();
}

Value CpuScratch::allocate(OpBuilder &b, Location loc, Type element,
                           int64_t elements) {
  constexpr int64_t alignment = 64;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(memory.getParentBlock());
  Value offset = arith::ConstantIndexOp::create(b, loc, used);
  // A buffer of no elements is one all the same, so that the memory stays.
  int64_t bytes = std::max<int64_t>(elements, 1) *
                  llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  used += llvm::alignTo(bytes, alignment);
  most = std::max(most, used);
  return memref::ViewOp::create(b, loc, MemRefType::get({elements}, element),
                                memory, offset, ValueRange());
}

CpuMemory::CpuMemory(OpBuilder &builder, Location loc)
    : b(builder), loc(loc), entry(getEntry(builder)) {}

Value CpuMemory::getIndex(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value CpuMemory::getMask(Value count, int64_t width) {
  return vector::CreateMaskOp::create(
      b, loc, VectorType::get({width}, b.getI1Type()), count);
}

/// Zero at the start of the kernel: lanes that nothing was written to are read.
Value CpuMemory::getBuffer(Type element, int64_t width, unsigned slot) {
  Value &buffer = buffers[{element, width, slot}];
  if (buffer)
    return buffer;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(entry);
  buffer = memref::AllocaOp::create(b, loc, MemRefType::get({width}, element),
                                    b.getI64IntegerAttr(64));
  auto type = VectorType::get({width}, element);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  vector::StoreOp::create(b, loc, zero, buffer, ValueRange{getIndex(0)});
  return buffer;
}

bool CpuMemory::mayBeOutside(const TensorAccess &tensor, ValueRange index,
                             int64_t dim) {
  if (positions.contains(index[dim]))
    return false;
  auto type = cast<MemRefType>(tensor.getMemRef().getType());
  std::optional<int64_t> known = getConstantIntValue(index[dim]);
  return !known || *known < 0 || type.isDynamicDim(dim) ||
         *known >= type.getDimSize(dim);
}

Value CpuMemory::getAvailable(const TensorAccess &tensor, ValueRange index,
                              int64_t width) {
  int64_t last = index.size() - 1;
  auto getSize = [&](int64_t dim) {
    return getIndex(memref::getMixedSize(b, loc, tensor.getMemRef(), dim));
  };
  Value count = b.createOrFold<arith::SubIOp>(loc, getSize(last), index.back());
  count = b.createOrFold<arith::MinSIOp>(loc, count, getIndex(width));
  count = b.createOrFold<arith::MaxSIOp>(loc, count, getIndex(0));
  for (int64_t dim = 0; dim < last; ++dim) {
    if (!mayBeOutside(tensor, index, dim))
      continue;
    Value inside = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                                 index[dim], getSize(dim));
    count = b.createOrFold<arith::SelectOp>(loc, inside, count, getIndex(0));
  }
  return count;
}

void CpuMemory::emitCopies(Value count,
                           llvm::function_ref<void(Value k)> copy) {
  auto loop = scf::ForOp::create(b, loc, getIndex(0), count, getIndex(1));
  if (keepsRolled)
    loop->setDiscardableAttr(kRolledAttrName, b.getUnitAttr());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  copy(loop.getInductionVar());
}

static SmallVector<Value> addToLast(OpBuilder &b, Location loc,
                                    ValueRange index, Value offset) {
  auto moved = llvm::to_vector(index);
  moved.back() = arith::AddIOp::create(b, loc, moved.back(), offset);
  return moved;
}

CpuMemory::Readable CpuMemory::getReadable(Value memory) {
  auto [it, isNew] = readables.try_emplace(memory);
  if (!isNew)
    return it->second;
  auto type = cast<MemRefType>(memory.getType());
  Value zero = getBuffer(type.getElementType(), 1, kReadInVain);
  OpBuilder::InsertionGuard guard(b);
  // Behind both: buffers are made where the kernel begins.
  Operation *made = memory.getDefiningOp(), *buffer = zero.getDefiningOp();
  bool isLater = made && (made->getBlock() != buffer->getBlock() ||
                          buffer->isBeforeInBlock(made));
  b.setInsertionPointAfter(isLater ? made : buffer);
  Value hasElements;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) > 0)
      continue;
    Value size = getIndex(memref::getMixedSize(b, loc, memory, dim));
    Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                          size, getIndex(0));
    hasElements = hasElements
                      ? b.createOrFold<arith::AndIOp>(loc, hasElements, isThere)
                      : isThere;
  }
  if (!hasElements)
    return readables[memory] = {memory, Value()};
  auto [strides, offset] = type.getStridesAndOffset();
  auto strided =
      MemRefType::get(type.getShape(), type.getElementType(),
                      StridedLayoutAttr::get(b.getContext(), offset, strides));
  auto getMixed = [&](ArrayRef<int64_t> numbers, int64_t open) {
    return llvm::map_to_vector(numbers, [&](int64_t number) {
      return ShapedType::isDynamic(number)
                 ? OpFoldResult(getIndex(open))
                 : OpFoldResult(b.getIndexAttr(number));
    });
  };
  zero = memref::ReinterpretCastOp::create(
      b, loc, strided, zero, getMixed(offset, 0)[0],
      getMixed(type.getShape(), 1), getMixed(strides, 1));
  if (strided != type)
    zero = memref::CastOp::create(b, loc, type, zero);
  Value either = arith::SelectOp::create(b, loc, hasElements, memory, zero);
  return readables[memory] = {either, hasElements};
}

/// Lanes beyond the end of the results read some element of `tensor`: zero if
/// it has none. Not by a branch: LLVM takes a time that is quadratic in the
/// number of those.
Value CpuMemory::loadInside(const TensorAccess &tensor, ValueRange index) {
  Value memory = tensor.getMemRef(), hasElements;
  auto type = cast<MemRefType>(memory.getType());
  auto mayHaveNone = [&](int64_t dim) {
    return mayBeOutside(tensor, index, dim) &&
           (type.isDynamicDim(dim) || type.getDimSize(dim) == 0);
  };
  if (llvm::any_of(llvm::seq<int64_t>(0, type.getRank()), mayHaveNone))
    std::tie(memory, hasElements) = getReadable(memory);
  auto inside = llvm::to_vector(index);
  for (auto [dim, coordinate] : llvm::enumerate(inside)) {
    bool isClamped = mayBeOutside(tensor, index, dim);
    if (isClamped) {
      Value size = getIndex(memref::getMixedSize(b, loc, memory, dim));
      Value last = b.createOrFold<arith::SubIOp>(loc, size, getIndex(1));
      coordinate = b.createOrFold<arith::MinSIOp>(loc, coordinate, last);
      coordinate = b.createOrFold<arith::MaxSIOp>(loc, coordinate, getIndex(0));
    }
    // Where it has no elements the size is 1, unless the type says another one.
    if (hasElements && !(isClamped && type.isDynamicDim(dim)))
      coordinate = b.createOrFold<arith::SelectOp>(loc, hasElements, coordinate,
                                                   getIndex(0));
  }
  return memref::LoadOp::create(b, loc, memory, inside);
}

Value CpuMemory::loadScalar(const TensorAccess &tensor, ValueRange index) {
  if (isTail)
    return loadInside(tensor, index);
  return memref::LoadOp::create(b, loc, tensor.getMemRef(), index);
}

Value CpuMemory::gather(const TensorAccess &tensor, ValueRange index,
                        int64_t width, Value count) {
  Type storage = getStorageType(tensor.getElementType());
  Value buffer = getBuffer(storage, width);
  emitCopies(count, [&](Value k) {
    SmallVector<Value> from = addToLast(b, loc, index, k);
    Value element = memref::LoadOp::create(b, loc, tensor.getMemRef(), from);
    memref::StoreOp::create(b, loc, element, buffer, k);
  });
  return vector::LoadOp::create(b, loc, VectorType::get({width}, storage),
                                buffer, ValueRange{getIndex(0)});
}

Value CpuMemory::load(const TensorAccess &tensor, ValueRange index,
                      int64_t width) {
  Value stored;
  Type storage = getStorageType(tensor.getElementType());
  auto type = VectorType::get({width}, storage);
  if (width == 1) {
    stored = loadScalar(tensor, index);
  } else if (!tensor.isContiguous()) {
    Value count = isTail ? getAvailable(tensor, index, width) : getIndex(width);
    stored = gather(tensor, index, width, count);
  } else if (isTail) {
    Value mask = getMask(getAvailable(tensor, index, width), width);
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    stored = vector::MaskedLoadOp::create(b, loc, type, tensor.getMemRef(),
                                          index, mask, zero);
  } else {
    stored = vector::LoadOp::create(b, loc, type, tensor.getMemRef(), index);
  }
  return emitToCompute(b, loc, stored, tensor.getElementType());
}

SmallVector<Value> CpuMemory::moveLast(ValueRange index, int64_t dim) {
  auto moved = llvm::to_vector(index);
  std::rotate(moved.begin() + dim, moved.begin() + dim + 1, moved.end());
  return moved;
}

TensorAccess CpuMemory::moveLast(const TensorAccess &tensor, int64_t dim) {
  Value memory = tensor.getMemRef();
  int64_t rank = cast<MemRefType>(memory.getType()).getRank();
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  std::rotate(order.begin() + dim, order.begin() + dim + 1, order.end());
  AffineMap map = AffineMap::getPermutationMap(order, b.getContext());
  return TensorAccess(
      memref::TransposeOp::create(b, loc, memory, AffineMapAttr::get(map)),
      tensor.getElementType());
}

Value CpuMemory::loadAlong(const TensorAccess &tensor, ValueRange index,
                           int64_t width, int64_t dim) {
  TensorAccess moved = moveLast(tensor, dim);
  if (!moved.isContiguous()) {
    moved.getMemRef().getDefiningOp()->erase();
    return nullptr;
  }
  return load(moved, moveLast(index, dim), width);
}

void CpuMemory::scatter(const TensorAccess &tensor, Value stored,
                        ValueRange index, Value count) {
  auto type = cast<VectorType>(stored.getType());
  Value buffer = getBuffer(type.getElementType(), type.getNumElements());
  vector::StoreOp::create(b, loc, stored, buffer, ValueRange{getIndex(0)});
  emitCopies(count, [&](Value k) {
    SmallVector<Value> to = addToLast(b, loc, index, k);
    Value element = memref::LoadOp::create(b, loc, buffer, k);
    memref::StoreOp::create(b, loc, element, tensor.getMemRef(), to);
  });
}

void CpuMemory::store(const TensorAccess &tensor, Value computed,
                      ValueRange index, Value count) {
  Value stored = emitToStorage(b, loc, computed, tensor.getElementType());
  auto type = dyn_cast<VectorType>(stored.getType());
  if (!type) {
    memref::StoreOp::create(b, loc, stored, tensor.getMemRef(), index);
  } else if (!tensor.isContiguous()) {
    scatter(tensor, stored, index,
            count ? count : getIndex(type.getNumElements()));
  } else if (count) {
    Value mask = getMask(count, type.getNumElements());
    vector::MaskedStoreOp::create(b, loc, tensor.getMemRef(), index, mask,
                                  stored);
  } else {
    vector::StoreOp::create(b, loc, stored, tensor.getMemRef(), index);
  }
}

void CpuMemory::storeAlong(const TensorAccess &tensor, Value computed,
                           ValueRange index, int64_t dim) {
  TensorAccess moved = moveLast(tensor, dim);
  SmallVector<Value> at = moveLast(index, dim);
  if (moved.isContiguous())
    return store(moved, computed, at, Value());
  Value stored = emitToStorage(b, loc, computed, tensor.getElementType());
  for (int64_t lane = 0, lanes = getWidth(stored); lane < lanes; ++lane)
    memref::StoreOp::create(b, loc, emitPiece(b, loc, stored, lane, 1),
                            moved.getMemRef(),
                            addToLast(b, loc, at, getIndex(lane)));
}
