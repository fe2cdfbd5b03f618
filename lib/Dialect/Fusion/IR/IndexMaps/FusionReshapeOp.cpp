//===- FusionReshapeOp.cpp - Another shape for the same elements ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A reshape is first cut into groups: runs of dimensions of the operand and of
// the result that hold the same number of elements, so that each group is a
// reshape of its own. A group with one dimension on each side passes its index
// on; only what is left is linearised and divided up again. Dimensions of size
// 1 take no part.
//
//===----------------------------------------------------------------------===//

#include "../EmitUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace fuser;
using namespace fuser::fusion;

namespace {
/// Dimensions of the operand and of the result with the same elements in the
/// same order.
struct ReshapeGroup {
  SmallVector<int64_t> operand;
  SmallVector<int64_t> result;

  bool isIdentity() const { return operand.size() == 1 && result.size() == 1; }
};

/// Moves groups with equal products of sizes, which are static or said to be
/// equal (fusion.equal_dims), from both ends of two lists of dimensions.
class ReshapeGrouping {
public:
  explicit ReshapeGrouping(ReshapeOp op)
      : operandType(op.getInput().getType()), resultType(op.getType()) {
    for (int64_t dim = 0; dim < operandType.getRank(); ++dim)
      if (operandType.getDimSize(dim) != 1)
        operandDims.push_back(dim);
    for (int64_t dim = 0; dim < resultType.getRank(); ++dim)
      if (resultType.getDimSize(dim) != 1)
        resultDims.push_back(dim);
    if (auto equal = op->getAttrOfType<DenseI64ArrayAttr>(
            FusionDialect::getEqualDimsAttrName()))
      equalDims = equal;
  }

  SmallVector<ReshapeGroup> run() {
    SmallVector<ReshapeGroup> front, back;
    while (std::optional<ReshapeGroup> group = take(/*fromBack=*/false))
      front.push_back(std::move(*group));
    while (std::optional<ReshapeGroup> group = take(/*fromBack=*/true))
      back.push_back(std::move(*group));
    if (!operandDims.empty() || !resultDims.empty())
      front.push_back({operandDims, resultDims});
    llvm::append_range(front, llvm::reverse(back));
    return front;
  }

private:
  /// A pointer to the next dimension to take from `dims` of which `taken` are
  /// taken, or null if there is none of static size.
  static const int64_t *getNext(ArrayRef<int64_t> dims, RankedTensorType type,
                                size_t taken, bool fromBack) {
    if (taken == dims.size())
      return nullptr;
    const int64_t *dim =
        fromBack ? &dims[dims.size() - 1 - taken] : &dims[taken];
    return type.isDynamicDim(*dim) ? nullptr : dim;
  }

  static SmallVector<int64_t> cut(SmallVector<int64_t> &dims, size_t count,
                                  bool fromBack) {
    SmallVector<int64_t> part;
    if (fromBack) {
      part.assign(dims.end() - count, dims.end());
      dims.truncate(dims.size() - count);
      return part;
    }
    part.assign(dims.begin(), dims.begin() + count);
    dims.erase(dims.begin(), dims.begin() + count);
    return part;
  }

  /// An open dimension that both have.
  std::optional<ReshapeGroup> takeEqual(bool fromBack) {
    if (equalDims.empty() || operandDims.empty() || resultDims.empty())
      return std::nullopt;
    int64_t from = fromBack ? operandDims.back() : operandDims.front();
    int64_t to = fromBack ? resultDims.back() : resultDims.front();
    if (equalDims[to] != from)
      return std::nullopt;
    return ReshapeGroup{cut(operandDims, 1, fromBack),
                        cut(resultDims, 1, fromBack)};
  }

  std::optional<ReshapeGroup> take(bool fromBack) {
    if (std::optional<ReshapeGroup> equal = takeEqual(fromBack))
      return equal;
    uint64_t operandCount = 1, resultCount = 1;
    size_t operandTaken = 0, resultTaken = 0;
    do {
      bool growOperand = operandCount <= resultCount;
      RankedTensorType type = growOperand ? operandType : resultType;
      size_t &taken = growOperand ? operandTaken : resultTaken;
      uint64_t &count = growOperand ? operandCount : resultCount;
      const int64_t *dim = getNext(growOperand ? operandDims : resultDims, type,
                                   taken, fromBack);
      if (!dim)
        return std::nullopt;
      count = llvm::SaturatingMultiply<uint64_t>(count, type.getDimSize(*dim));
      ++taken;
    } while (operandCount != resultCount || !resultTaken);
    return ReshapeGroup{cut(operandDims, operandTaken, fromBack),
                        cut(resultDims, resultTaken, fromBack)};
  }

  RankedTensorType operandType, resultType;
  SmallVector<int64_t> operandDims, resultDims;
  ArrayRef<int64_t> equalDims;
};
} // namespace

static SmallVector<ReshapeGroup> getGroups(ReshapeOp op) {
  return ReshapeGrouping(op).run();
}

/// The product of the static sizes; 0 if one is 0.
static uint64_t getStaticCount(RankedTensorType type) {
  uint64_t count = 1;
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      count = llvm::SaturatingMultiply<uint64_t>(count, size);
  return count;
}

/// True if a tensor with `open` dynamic dimensions and `count` elements in each
/// can have `total` elements.
static bool canHold(bool open, uint64_t count, uint64_t total) {
  if (!open)
    return count == total;
  return count == 0 ? total == 0 : total % count == 0;
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType input = getInput().getType(), result = getType();
  // reshape_c1
  if (input.getElementType() != result.getElementType())
    return emitOpError() << "expected the input's element type in the result, "
                            "got "
                         << input << " and " << result;
  // reshape_c2
  uint64_t from = getStaticCount(input), to = getStaticCount(result);
  if ((input.hasStaticShape() &&
       !canHold(!result.hasStaticShape(), to, from)) ||
      (result.hasStaticShape() && !canHold(!input.hasStaticShape(), from, to)))
    return emitOpError() << "expected as many elements in the result as in the "
                            "input, got "
                         << input << " and " << result;
  // reshape_c3
  int64_t sizes = getSizes().size(), dynamic = result.getNumDynamicDims();
  if (sizes != dynamic && !(sizes == 0 && dynamic == 1))
    return emitOpError() << "expected a size for each of the " << dynamic
                         << " dynamic dimensions of " << result
                         << (dynamic == 1 ? ", or none" : "") << ", got "
                         << sizes;
  return success();
}

/// The size of the only dynamic dimension, from the number of elements of its
/// group.
static OpFoldResult emitInferredSize(ReshapeOp op, EmitContext &ctx,
                                     int64_t dim) {
  RankedTensorType result = op.getType();
  for (const ReshapeGroup &group : getGroups(op)) {
    if (!llvm::is_contained(group.result, dim))
      continue;
    int64_t known = 1;
    for (int64_t other : group.result)
      if (other != dim)
        known *= result.getDimSize(other);
    if (known == 0)
      return ctx.builder.getIndexAttr(0);
    OpFoldResult count = ctx.builder.getIndexAttr(1);
    for (int64_t operandDim : group.operand)
      count = emitProduct(ctx, count, ctx.dim(op.getInput(), operandDim));
    if (std::optional<int64_t> total = getConstantIntValue(count))
      return ctx.builder.getIndexAttr(*total / known);
    if (known == 1)
      return count;
    return emitFolded<arith::DivUIOp>(ctx, emitIndex(ctx, count),
                                      emitIndex(ctx, known));
  }
  llvm_unreachable("a dynamic dimension is in some group");
}

OpFoldResult ReshapeOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  if (getSizes().empty())
    return emitInferredSize(*this, ctx, dim);
  return ctx.scalar(getSizes()[getType().getDynamicDimIndex(dim)]);
}

/// The position of the element among those of the group.
static Value emitLinearIndex(ReshapeOp op, EmitContext &ctx,
                             ArrayRef<int64_t> dims, ValueRange index) {
  Value linear;
  for (int64_t dim : dims) {
    if (!linear) {
      linear = index[dim];
      continue;
    }
    Value size = emitIndex(ctx, op.reifyDim(ctx, 0, dim));
    Value scaled = emitFolded<arith::MulIOp>(ctx, linear, size);
    linear = emitFolded<arith::AddIOp>(ctx, scaled, index[dim]);
  }
  return linear ? linear : emitIndex(ctx, int64_t(0));
}

MappedIndex ReshapeOp::mapIndex(EmitContext &ctx, unsigned,
                                ValueRange resultIndex) {
  MappedIndex mapped;
  mapped.index.resize(getInput().getType().getRank());
  for (const ReshapeGroup &group : getGroups(*this)) {
    if (group.operand.empty())
      continue;
    Value linear = emitLinearIndex(*this, ctx, group.result, resultIndex);
    for (int64_t dim : llvm::reverse(group.operand)) {
      if (dim == group.operand.front()) {
        mapped.index[dim] = linear;
        break;
      }
      Value size = emitIndex(ctx, ctx.dim(getInput(), dim));
      mapped.index[dim] = emitFolded<arith::RemUIOp>(ctx, linear, size);
      linear = emitFolded<arith::DivUIOp>(ctx, linear, size);
    }
  }
  for (Value &index : mapped.index)
    if (!index)
      index = emitIndex(ctx, int64_t(0));
  return mapped;
}

AffineMap ReshapeOp::getAffineIndexMap(unsigned) {
  RankedTensorType input = getInput().getType(), result = getType();
  SmallVector<AffineExpr> exprs(input.getRank(),
                                getAffineConstantExpr(0, getContext()));
  for (const ReshapeGroup &group : getGroups(*this)) {
    AffineExpr linear = getAffineConstantExpr(0, getContext());
    for (auto [number, dim] : llvm::enumerate(group.result)) {
      if (number > 0 && result.isDynamicDim(dim))
        return {};
      linear = number > 0 ? linear * result.getDimSize(dim) : linear;
      linear = linear + getAffineDimExpr(dim, getContext());
    }
    for (int64_t dim : llvm::reverse(group.operand)) {
      if (dim == group.operand.front()) {
        exprs[dim] = linear;
        break;
      }
      // A quotient by a size that is open or 0 is not affine.
      int64_t size = input.getDimSize(dim);
      if (ShapedType::isDynamic(size) || size == 0)
        return {};
      exprs[dim] = linear % size;
      linear = linear.floorDiv(size);
    }
  }
  return AffineMap::get(result.getRank(), 0, exprs, getContext());
}

bool ReshapeOp::keepsLinearOrder() { return true; }

bool ReshapeOp::appendDim(int64_t) { return true; }

/// The outermost dimensions of a group go along, where each can be cut if the
/// other can. That an open size which is split up can be cut as often as the
/// first of its parts is not known.
int64_t ReshapeOp::getResultDim(unsigned, int64_t dim) {
  for (const ReshapeGroup &group : getGroups(*this)) {
    if (group.operand.empty() || group.operand.front() != dim ||
        group.result.empty())
      continue;
    int64_t along = group.result.front();
    bool isSplit = group.result.size() > 1 && getType().isDynamicDim(along);
    return isSplit ? -1 : along;
  }
  return -1;
}

void ReshapeOp::divideResultSize(OpBuilder &builder, int64_t dim,
                                 int64_t parts) {
  if (getSizes().empty() || !getType().isDynamicDim(dim))
    return;
  OpOperand &operand = getSizesMutable()[getType().getDynamicDimIndex(dim)];
  operand.set(divideSize(builder, getLoc(), operand.get(), parts));
}

std::optional<SmallVector<StridedIndex>>
ReshapeOp::getStridedMap(EmitContext &, unsigned operand) {
  return getStridedIndices(getAffineIndexMap(operand));
}

int64_t ReshapeOp::getContiguousWidth(int64_t width,
                                      const SizeDivisors &divisors) {
  RankedTensorType input = getInput().getType(), result = getType();
  if (input.getRank() == 0 || result.getRank() == 0 || width < 2)
    return 1;
  SmallVector<ReshapeGroup> groups = getGroups(*this);
  if (groups.empty())
    return 1;
  const ReshapeGroup &last = groups.back();
  // Neighbours must be neighbours in the last dimension of both.
  if (last.operand.empty() || last.result.empty() ||
      last.operand.back() != input.getRank() - 1 ||
      last.result.back() != result.getRank() - 1)
    return 1;
  // A vector must not run over the end of a row of either, nor begin off the
  // grid in the second row.
  width = llvm::bit_floor(static_cast<uint64_t>(width));
  auto limit = [&](ArrayRef<int64_t> dims, Value tensor) {
    if (dims.size() == 1)
      return;
    int64_t divisor = divisors.dim(tensor, dims.back());
    while (width > 1 && divisor % width != 0)
      width /= 2;
  };
  limit(last.operand, getInput());
  limit(last.result, getResult());
  return width;
}
