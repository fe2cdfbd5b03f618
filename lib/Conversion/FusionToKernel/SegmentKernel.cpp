//===- SegmentKernel.cpp - A segment inside of its kernel -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/SegmentKernel.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Support/FoldIndex.h"
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
/// What kernel.load_neighbours and kernel.store_neighbours take.
static constexpr int64_t kMaxNeighbourBytes = 64;

static int64_t getBytes(MemRefType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

TensorAccess::TensorAccess(Value memref, Type elementType, int64_t rowAlignment)
    : memref(memref), elementType(elementType), alignment(rowAlignment),
      neighbours(getNeighbourDim(cast<MemRefType>(memref.getType()))) {}

bool TensorAccess::isContiguous(int64_t dim) const {
  int64_t last = cast<MemRefType>(memref.getType()).getRank() - 1;
  return neighbours >= 0 && neighbours == (dim == kLastDim ? last : dim);
}

int64_t TensorAccess::getPieceWidth(int64_t width, int64_t dim) const {
  if (!isContiguous(dim))
    return 1;
  int64_t bytes = getBytes(cast<MemRefType>(memref.getType()));
  int64_t aligned = std::gcd(alignment, width * bytes);
  return std::max<int64_t>(
      1, std::min({aligned, kMaxAccessBytes, width * bytes}) / bytes);
}

bool TensorAccess::isSplit(int64_t width, int64_t dim, int64_t times) const {
  auto type = cast<MemRefType>(memref.getType());
  int64_t most = std::min(kMaxAccessBytes / getBytes(type), width);
  return isContiguous(dim) && isContiguous() && kernel::isGlobal(type) &&
         getPieceWidth(width, dim) * times <= most;
}

/// How neighbours are accessed.
struct TensorAccess::Pieces {
  Value memref;
  int64_t width;
  int64_t dim;   ///< Of `memref`, unless there is but one piece.
  bool isTurned; ///< Dimension `dim` is the last one of `memref`.
  llvm::MaybeAlign alignment;

  SmallVector<Value> getIndex(OpBuilder &b, Location loc, ValueRange index,
                              int64_t offset) const {
    auto shifted = llvm::to_vector(index);
    if (offset != 0)
      shifted[dim] = b.createOrFold<arith::AddIOp>(
          loc, shifted[dim], arith::ConstantIndexOp::create(b, loc, offset));
    if (isTurned)
      std::rotate(shifted.begin() + dim, shifted.begin() + dim + 1,
                  shifted.end());
    return shifted;
  }
};

/// Accesses to vectors are along the last dimension of a memref.
TensorAccess::Pieces TensorAccess::getPieces(OpBuilder &b, Location loc,
                                             int64_t width, int64_t dim) const {
  auto type = cast<MemRefType>(memref.getType());
  int64_t rank = type.getRank();
  dim = dim == kLastDim ? rank - 1 : dim;
  int64_t piece = getPieceWidth(width, dim);
  llvm::MaybeAlign alignment(piece * getBytes(type));
  if (piece == 1 || dim == rank - 1)
    return {memref, piece, dim, /*isTurned=*/false, alignment};
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  std::rotate(order.begin() + dim, order.begin() + dim + 1, order.end());
  Value turned = memref::TransposeOp::create(
      b, loc, memref,
      AffineMapAttr::get(AffineMap::getPermutationMap(order, b.getContext())));
  return {turned, piece, dim, /*isTurned=*/true, alignment};
}

/// `index`, or that of the last of `count` elements from `first` on.
static Value emitAtMost(OpBuilder &b, Location loc, Value index, Value first,
                        Value count) {
  Value end = arith::AddIOp::create(b, loc, first, count);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  return arith::MinSIOp::create(b, loc, index,
                                arith::SubIOp::create(b, loc, end, one));
}

bool TensorAccess::isTooWide(int64_t width) const {
  return width * getBytes(cast<MemRefType>(memref.getType())) >
         kMaxNeighbourBytes;
}

/// `index`, so many elements later.
static SmallVector<Value> emitLater(OpBuilder &b, Location loc,
                                    ValueRange index, int64_t dim,
                                    int64_t offset) {
  auto later = llvm::to_vector(index);
  Value &place = dim == kLastDim ? later.back() : later[dim];
  place = b.createOrFold<arith::AddIOp>(
      loc, place, arith::ConstantIndexOp::create(b, loc, offset));
  return later;
}

Value TensorAccess::loadHalves(OpBuilder &b, Location loc, ValueRange index,
                               int64_t width, int64_t dim) const {
  int64_t half = width / 2;
  SmallVector<Value> later = emitLater(b, loc, index, dim, half);
  Value first = load(b, loc, index, half, dim);
  return emitConcat(b, loc, {first, load(b, loc, later, half, dim)});
}

Value TensorAccess::load(OpBuilder &b, Location loc, ValueRange index,
                         int64_t width, int64_t dim, Value count) const {
  Pieces pieces = getPieces(b, loc, width, dim);
  Type type = cast<MemRefType>(memref.getType()).getElementType();
  // Two pieces are as good as two aligned words that hold them.
  if ((count && isContiguous(dim)) || isSplit(width, dim, /*times=*/4)) {
    if (isTooWide(width))
      return loadHalves(b, loc, index, width, dim);
    return kernel::LoadNeighboursOp::create(
        b, loc, VectorType::get({width}, type), memref, index, count,
        pieces.alignment->value());
  }
  SmallVector<Value> parts;
  for (int64_t offset = 0; offset < width; offset += pieces.width) {
    SmallVector<Value> at = pieces.getIndex(b, loc, index, offset);
    if (count && offset != 0) // The last one stands for what is not there.
      at.back() = emitAtMost(b, loc, at.back(), index.back(), count);
    if (pieces.width == 1)
      parts.push_back(memref::LoadOp::create(b, loc, pieces.memref, at));
    else
      parts.push_back(vector::LoadOp::create(
          b, loc, VectorType::get({pieces.width}, type), pieces.memref, at,
          /*nontemporal=*/false, pieces.alignment));
  }
  return emitConcat(b, loc, parts);
}

void TensorAccess::store(OpBuilder &b, Location loc, Value stored,
                         ValueRange index, int64_t dim, VectorEnd end) const {
  int64_t width = getWidth(stored);
  Pieces pieces = getPieces(b, loc, width, dim);
  if (isContiguous(dim) &&
      (end.count || (end.lanes > 1 && isSplit(width, dim)))) {
    kernel::StoreNeighboursOp::create(b, loc, stored, memref, index, end.count,
                                      pieces.alignment->value(), end.lanes);
    return;
  }
  for (int64_t offset = 0; offset < width; offset += pieces.width) {
    SmallVector<Value> at = pieces.getIndex(b, loc, index, offset);
    Value part = emitPiece(b, loc, stored, offset, pieces.width);
    OpBuilder::InsertionGuard guard(b);
    if (end.count) {
      Value isThere =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, end.count,
                                arith::ConstantIndexOp::create(b, loc, offset));
      auto branch =
          scf::IfOp::create(b, loc, isThere, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    if (pieces.width == 1)
      memref::StoreOp::create(b, loc, part, pieces.memref, at);
    else
      vector::StoreOp::create(b, loc, part, pieces.memref, at,
                              /*nontemporal=*/false, pieces.alignment);
  }
}

//===----------------------------------------------------------------------===//
// SegmentKernel
//===----------------------------------------------------------------------===//

SegmentKernel::SegmentKernel(OpBuilder &builder, fusion::SegmentOp segment,
                             ValueRange arguments, const ShapeSymbols *symbols)
    : builder(builder), segment(segment), symbols(symbols),
      sizes(builder, segment, builder.getInsertionBlock(), arguments),
      elements(
          builder, [this](Value t, int64_t d) { return sizes.getDim(t, d); },
          [this](Value v) { return sizes.getScalar(v); }) {
  if (symbols)
    elements.setContiguousWidth(
        [symbols](fusion::IndexMapOpInterface map, int64_t width) {
          return symbols->withDivisors([&](const auto &divisors) {
            return map.getContiguousWidth(width, divisors);
          });
        });
  unsigned numInputs = segment.getInputs().size();
  SmallVector<KernelArgument> described = getKernelArguments(segment, symbols);
  for (auto [i, argument] : llvm::enumerate(described)) {
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
  bindViews(described, symbols);
}

int64_t SegmentKernel::getDivisor(Value tensor, int64_t dim) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  return symbols ? symbols->getFacts(tensor, dim).divisor : 1;
}

/// What `load` gives where `condition` holds; else 0.
static Value emitWhere(OpBuilder &b, Location loc, Value condition, Type type,
                       function_ref<Value()> load) {
  auto branch = scf::IfOp::create(
      b, loc, condition,
      [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, load()); },
      [&](OpBuilder &b, Location loc) {
        Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
        scf::YieldOp::create(b, loc, zero);
      });
  return branch.getResult(0);
}

Value SegmentKernel::load(Location loc, unsigned operand,
                          const TensorAccess &access, ValueRange index,
                          int64_t width, int64_t dim) {
  Value count = width > 1 ? readCount : Value();
  auto load = [&] {
    return access.load(builder, loc, index, width, dim, count);
  };
  if (!readCondition || !isWritten[operand])
    return load();
  Type type = cast<MemRefType>(access.getMemRef().getType()).getElementType();
  return emitWhere(builder, loc, readCondition, getWideType(type, width), load);
}

Value SegmentKernel::loadOperand(Location loc, unsigned i, ValueRange index,
                                 int64_t width, int64_t dim) {
  return load(loc, i, operands[i], index, width, dim);
}

void SegmentKernel::bind(
    Value tensor, unsigned operand,
    const std::function<const TensorAccess &()> &getAccess) {
  auto read = [this, operand, getAccess](OpBuilder &b, Location loc,
                                         ValueRange index, int64_t width,
                                         int64_t dim) {
    const TensorAccess &access = getAccess();
    return emitToCompute(b, loc, load(loc, operand, access, index, width, dim),
                         access.getElementType());
  };
  elements.bind(
      tensor,
      [read](OpBuilder &b, Location loc, ValueRange index, int64_t width) {
        return read(b, loc, index, width, kLastDim);
      },
      [getAccess, read](OpBuilder &b, Location loc, ValueRange index,
                        int64_t width, int64_t dim) {
        return getAccess().isContiguous(dim) ? read(b, loc, index, width, dim)
                                             : Value();
      });
}

/// flattenTensors() gives operands another access.
void SegmentKernel::bindOperand(unsigned i) {
  bind(segment.getBody().getArgument(i), i,
       [this, i]() -> const TensorAccess & { return operands[i]; });
}

void SegmentKernel::bindViews(ArrayRef<KernelArgument> arguments,
                              const ShapeSymbols *symbols) {
  for (auto reshape : segment.getBody().getOps<fusion::ReshapeOp>()) {
    if (!isViewOfOperand(reshape))
      continue;
    Value tensor = reshape.getResult();
    unsigned operand = cast<BlockArgument>(reshape.getInput()).getArgNumber();
    TensorBuffer buffer =
        getDenseBuffer(tensor, arguments[operand].alignment, symbols);
    Value memref = createDenseView(
        builder, segment.getLoc(), buffer.type, operands[operand].getMemRef(),
        [&](int64_t dim) { return getDim(tensor, dim); });
    views.push_back({tensor, operand,
                     TensorAccess(memref, operands[operand].getElementType(),
                                  buffer.rowAlignment)});
  }
  for (const View &view : views)
    bind(view.tensor, view.operand,
         [&view]() -> const TensorAccess & { return view.access; });
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
  isFlat = true;
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
                                int64_t width, int64_t dim) {
  return elements.emit(loc, segment.getYielded(result), index, width, dim);
}

void SegmentKernel::storeResult(Location loc, unsigned result, Value computed,
                                ValueRange index, int64_t dim, VectorEnd end) {
  const TensorAccess &access = results[result];
  Value stored = emitToStorage(builder, loc, computed, access.getElementType());
  access.store(builder, loc, stored, index, dim, end);
}

void SegmentKernel::emitAndStore(
    Location loc, ArrayRef<unsigned> results, int64_t width,
    function_ref<SmallVector<Value>(unsigned result)> getIndex) {
  auto indices = llvm::map_to_vector(results, getIndex);
  SmallVector<Value> values;
  for (auto [result, index] : llvm::zip(results, indices))
    values.push_back(emitResult(loc, result, index, width));
  for (auto [result, value, index] : llvm::zip(results, values, indices))
    storeResult(loc, result, value, index);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

SmallVector<Type> fuser::getAccumulatorTypes(ReductionOpInterface op) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  return op.getAccumulatorTypes(getComputeType(element));
}

SmallVector<Value> SegmentKernel::emitNeutral(ReductionOpInterface op) {
  return withContext(segment.getLoc(), [&](fusion::EmitContext &ctx) {
    return op.emitNeutral(ctx, getAccumulatorTypes(op));
  });
}

/// The position of the element at `index` among those that are reduced with it.
/// For a vector `element`, a vector of the positions of its lanes.
Value SegmentKernel::emitPosition(ReductionOpInterface op, Value element,
                                  ValueRange index) {
  Location loc = segment.getLoc();
  Value operand = op->getOperand(0);
  SmallVector<int64_t> dims = op.getReductionDims();
  Value position;
  if (isFlat) {
    position = index.front();
  } else {
    auto coordinates =
        llvm::map_to_vector(dims, [&](int64_t dim) { return index[dim]; });
    position =
        emitLinear(builder, loc, coordinates, sizes.getDims(operand, dims),
                   elements.getIndex(loc, 0));
  }
  position =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), position);
  auto vector = dyn_cast<VectorType>(element.getType());
  if (!vector)
    return position;
  auto type = vector.clone(builder.getI64Type());
  position = vector::BroadcastOp::create(builder, loc, type, position);
  int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
  if (!llvm::is_contained(dims, rank - 1))
    return position;
  auto lanes = llvm::to_vector(llvm::seq<int64_t>(0, type.getNumElements()));
  return arith::AddIOp::create(
      builder, loc, position,
      arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(type, ArrayRef<int64_t>(lanes))));
}

SmallVector<Value> SegmentKernel::emitPrepare(ReductionOpInterface op,
                                              Value element, ValueRange index) {
  Value position =
      op.needsPosition() ? emitPosition(op, element, index) : Value();
  return withContext(segment.getLoc(), [&](fusion::EmitContext &ctx) {
    return op.emitPrepare(ctx, element, position, getAccumulatorTypes(op));
  });
}

SmallVector<Value> SegmentKernel::emitCombine(ReductionOpInterface op,
                                              ValueRange first,
                                              ValueRange second) {
  return withContext(segment.getLoc(), [&](fusion::EmitContext &ctx) {
    return op.emitCombine(ctx, first, second);
  });
}

SmallVector<Value> SegmentKernel::emitStart(ReductionOpInterface op) {
  return withContext(segment.getLoc(), [&](fusion::EmitContext &ctx) {
    return op.emitStart(ctx, getAccumulatorTypes(op));
  });
}

SmallVector<Value> SegmentKernel::emitCombineInOrder(ReductionOpInterface op,
                                                     ValueRange first,
                                                     ValueRange second) {
  return withContext(segment.getLoc(), [&](fusion::EmitContext &ctx) {
    return op.emitCombineInOrder(ctx, first, second);
  });
}
