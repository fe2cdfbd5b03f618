//===- FusionScatterOps.cpp - Scatter, scatter along an axis --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FibreUtils.h"
#include "fuser/Support/PowersOfTwo.h"

using namespace fuser;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

static bool isSumOrProduct(std::optional<ReduceKind> kind) {
  return kind == ReduceKind::Sum || kind == ReduceKind::Prod;
}

/// scatter_c4, scatter_along_axis_c4
static LogicalResult verifyCombine(Operation *op, ReduceKind kind,
                                   Type element) {
  if (!isSumOrProduct(kind) && kind != ReduceKind::Max &&
      kind != ReduceKind::Min)
    return op->emitOpError()
           << "expected combine to be sum, prod, max or min, got "
           << stringifyReduceKind(kind);
  if (isComplexElement(element) && kind != ReduceKind::Sum)
    return op->emitOpError() << "expected combine to be sum for complex "
                                "numbers, got "
                             << stringifyReduceKind(kind);
  if (element.isInteger(1) || isPowersOfTwo(element))
    return op->emitOpError() << "expected numbers to combine, got " << element;
  if (isSumOrProduct(kind) && isa<FloatType>(element) &&
      element.getIntOrFloatBitWidth() < 32)
    return op->emitOpError()
           << "expected f64, f32 or integers to add or multiply, got "
           << element << ": cast to f32 and back";
  return success();
}

/// Whether sizes that are known are equal, and there are as many.
static bool mayBeEqual(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  return lhs.size() == rhs.size() &&
         llvm::all_of(llvm::zip(lhs, rhs), [](auto both) {
           auto [l, r] = both;
           return l == r || ShapedType::isDynamic(l) ||
                  ShapedType::isDynamic(r);
         });
}

template <typename OpT>
static LogicalResult verifyScatter(OpT op) {
  Type element = op.getInput().getType().getElementType();
  if (failed(verifyFibreType(op, std::nullopt, element)))
    return failure();
  std::optional<ReduceKind> kind = op.getCombine();
  return kind ? verifyCombine(op, *kind, element) : success();
}

LogicalResult ScatterOp::verify() {
  if (failed(verifyScatter(*this))) // scatter_c1, scatter_c3
    return failure();
  // scatter_c2
  RankedTensorType indices = getIndices().getType();
  if (indices.getRank() != 1)
    return emitOpError() << "expected indices of one dimension, got "
                         << indices;
  RankedTensorType expected =
      getFibreType(getInput().getType(), getDim(), indices.getDimSize(0),
                   getInput().getType().getElementType());
  RankedTensorType updates = getUpdates().getType();
  if (updates.getElementType() == expected.getElementType() &&
      mayBeEqual(updates.getShape(), expected.getShape()))
    return success();
  return emitOpError() << "expected updates like " << expected << ", got "
                       << updates;
}

LogicalResult ScatterAlongAxisOp::verify() {
  // scatter_along_axis_c1, scatter_along_axis_c3
  if (failed(verifyScatter(*this)))
    return failure();
  // scatter_along_axis_c2
  RankedTensorType input = getInput().getType(),
                   indices = getIndices().getType(),
                   updates = getUpdates().getType();
  SmallVector<int64_t> shape(input.getShape());
  shape[getDim()] = ShapedType::kDynamic;
  if (!mayBeEqual(indices.getShape(), shape))
    return emitOpError() << "expected indices with the rank of " << input
                         << " and its sizes but for dimension " << getDim()
                         << ", got " << indices;
  if (updates.getElementType() == input.getElementType() &&
      mayBeEqual(updates.getShape(), indices.getShape()) &&
      mayBeEqual(updates.getShape(), shape))
    return success();
  return emitOpError() << "expected updates of " << input.getElementType()
                       << " with the shape of " << indices << ", got "
                       << updates;
}

SmallVector<EqualDims> ScatterOp::getEqualDims() {
  SmallVector<EqualDims> equal;
  for (int64_t dim = 0; dim < getType().getRank(); ++dim)
    if (dim == getFibreDim())
      equal.push_back({1, 0, 2, dim});
    else
      equal.push_back({0, dim, 2, dim});
  return equal;
}

SmallVector<EqualDims> ScatterAlongAxisOp::getEqualDims() {
  SmallVector<EqualDims> equal;
  for (int64_t dim = 0; dim < getType().getRank(); ++dim) {
    if (dim != getFibreDim())
      equal.push_back({0, dim, 1, dim});
    equal.push_back({1, dim, 2, dim});
  }
  return equal;
}

//===----------------------------------------------------------------------===//
// Fibres
//===----------------------------------------------------------------------===//

/// Of integers nothing is rounded, and no other element comes of the others.
bool fusion::isExactScatter(Operation *op, std::optional<ReduceKind> combine) {
  return !isSumOrProduct(combine) ||
         !isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
}

/// All fibres have the same indices.
int64_t ScatterOp::getOperandFibreDim(unsigned operand) {
  return operand == 1 ? 0 : getFibreDim();
}

SmallVector<Value> ScatterOp::getFibreIndex(unsigned operand,
                                            ArrayRef<Value> resultIndex,
                                            Value position) {
  if (operand == 1)
    return {position};
  SmallVector<Value> index(resultIndex);
  index[getFibreDim()] = position;
  return index;
}

void fusion::emitScatter(FibreContext &ctx, ScatterOpInterface op) {
  EmitContext &emit = ctx.emit;
  Value zero = emitIndex(emit, int64_t(0));
  emitFor(emit, zero, ctx.length, {}, [&](Value position, ValueRange) {
    ctx.store(position, ctx.load(0, position));
    return SmallVector<Value>();
  });
  emitFor(emit, zero, ctx.operandLength(1), {}, [&](Value number, ValueRange) {
    Value position = arith::IndexCastOp::create(emit.builder, emit.loc,
                                                emit.builder.getIndexType(),
                                                ctx.load(1, number));
    // Less than 0 is more than any size, unsigned.
    Value isInside =
        emitCompare(emit, arith::CmpIPredicate::ult, position, ctx.length);
    emitWhere(emit, isInside, [&] {
      Value update = ctx.load(2, number);
      if (!op.isReplacing())
        update = op.emitUpdated(emit, ctx.loadResult(position), update);
      ctx.store(position, update);
    });
    return SmallVector<Value>();
  });
}
