//===- Sizes.cpp - Sizes of tensors, and what programs ask of them --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "fuser/Support/CheckOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace fuser;
using namespace fuser::frontend;

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

FailureOr<int64_t> Emitter::normalizeDim(int64_t dim, int64_t rank) {
  if (dim >= -rank && dim < rank)
    return dim < 0 ? dim + rank : dim;
  if (rank == 0)
    return error() << "no dimension of a tensor that has none, got " << dim;
  return error() << "a dimension of -" << rank << " to " << rank - 1
                 << ", of a tensor of " << rank << " dimensions, got " << dim;
}

FailureOr<SmallVector<int64_t>> Emitter::normalizeOrder(ArrayRef<int64_t> dims,
                                                        int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t dim : dims) {
    FailureOr<int64_t> normal = normalizeDim(dim, rank);
    if (failed(normal))
      return failure();
    if (llvm::is_contained(result, *normal))
      return error() << "each dimension once, got dimension " << *normal
                     << " twice";
    result.push_back(*normal);
  }
  return result;
}

FailureOr<SmallVector<int64_t>> Emitter::normalizeDims(ArrayRef<int64_t> dims,
                                                       int64_t rank) {
  FailureOr<SmallVector<int64_t>> result = normalizeOrder(dims, rank);
  if (succeeded(result))
    llvm::sort(*result);
  return result;
}

FailureOr<SmallVector<int64_t>> Emitter::getDims(int64_t rank) {
  if (!has("dims"))
    return llvm::to_vector(llvm::seq<int64_t>(0, rank));
  FailureOr<ArrayRef<int64_t>> dims = getInts("dims");
  if (failed(dims))
    return failure();
  // Without dimensions there is one element along one, as in PyTorch.
  auto isOfOne = [](int64_t dim) { return dim == 0 || dim == -1; };
  if (rank != 0 || !llvm::all_of(*dims, isOfOne))
    return normalizeDims(*dims, rank);
  if (failed(normalizeDims(*dims, 1)))
    return failure();
  return SmallVector<int64_t>();
}

FailureOr<int64_t> Emitter::getDimAttr(StringRef name, int64_t rank,
                                       std::optional<int64_t> fallback) {
  FailureOr<int64_t> dim = getInt(name, fallback);
  if (failed(dim))
    return failure();
  return normalizeDim(*dim, rank);
}

SmallVector<OpFoldResult> Emitter::getShape(Value tensor) {
  SmallVector<OpFoldResult> shape;
  int64_t rank = cast_or_null<RankedTensorType>(tensor.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    shape.push_back(getDim(tensor, dim));
  return shape;
}

FailureOr<OpFoldResult> Emitter::toIndex(Value scalar) {
  if (scalar.getType().isIndex())
    return OpFoldResult(scalar);
  if (isTensor(scalar) || !isa<IntegerType>(scalar.getType()) ||
      scalar.getType().isInteger(1))
    return error() << "an integer scalar as a size or bound, got a value of "
                   << scalar.getType();
  if (auto number = dyn_cast_or_null<IntegerAttr>(getNumber(scalar)))
    return OpFoldResult(builder.getIndexAttr(number.getInt()));
  // What was an index before needs no way back.
  if (auto before = scalar.getDefiningOp<arith::IndexCastOp>())
    return OpFoldResult(before.getIn());
  return OpFoldResult(
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), scalar)
          .getResult());
}

FailureOr<TypedValue<RankedTensorType>>
Emitter::toIndices(TypedValue<RankedTensorType> tensor) {
  Type element = tensor.getType().getElementType();
  if (!isIntegerElement(element))
    return error() << "integers as indices, got " << tensor.getType();
  if (element.isSignlessInteger(32) || element.isSignlessInteger(64))
    return tensor;
  FailureOr<Value> wide = cast(tensor, builder.getI64Type());
  if (failed(wide))
    return failure();
  return llvm::cast<TypedValue<RankedTensorType>>(*wide);
}

Value Emitter::toValue(OpFoldResult index) {
  return getValueOrCreateConstantIndexOp(builder, loc, index);
}

Value Emitter::toInteger(OpFoldResult index) {
  if (std::optional<int64_t> number = getConstantIntValue(index))
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(*number));
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                    toValue(index));
}

OpFoldResult Emitter::add(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> a = getConstantIntValue(lhs),
                         b = getConstantIntValue(rhs);
  if (a && b)
    return builder.getIndexAttr(*a + *b);
  if (a == 0 || b == 0)
    return a == 0 ? rhs : lhs;
  return builder.createOrFold<arith::AddIOp>(loc, toValue(lhs), toValue(rhs));
}

OpFoldResult Emitter::subtract(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> a = getConstantIntValue(lhs),
                         b = getConstantIntValue(rhs);
  if (a && b)
    return builder.getIndexAttr(*a - *b);
  if (b == 0)
    return lhs;
  return builder.createOrFold<arith::SubIOp>(loc, toValue(lhs), toValue(rhs));
}

OpFoldResult Emitter::divide(OpFoldResult size, int64_t divisor) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return builder.getIndexAttr(*known / divisor);
  return builder.createOrFold<arith::DivUIOp>(
      loc, toValue(size), toValue(builder.getIndexAttr(divisor)));
}

OpFoldResult Emitter::divide(OpFoldResult size, OpFoldResult divisor) {
  if (std::optional<int64_t> known = getConstantIntValue(divisor))
    return *known == 1 || *known == 0 ? size : divide(size, *known);
  return builder.createOrFold<arith::DivUIOp>(loc, toValue(size),
                                              toValue(divisor));
}

OpFoldResult Emitter::min(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> a = getConstantIntValue(lhs),
                         b = getConstantIntValue(rhs);
  if (a && b)
    return builder.getIndexAttr(std::min(*a, *b));
  return builder.createOrFold<arith::MinUIOp>(loc, toValue(lhs), toValue(rhs));
}

FailureOr<OpFoldResult> Emitter::divideExactly(OpFoldResult size,
                                               int64_t divisor,
                                               const Twine &message) {
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known && *known % divisor != 0)
    return error() << fillCheckMessage(message.str(), {*known, divisor});
  if (known)
    return OpFoldResult(builder.getIndexAttr(*known / divisor));
  Value whole = toValue(size), by = toValue(builder.getIndexAttr(divisor));
  Value rest = builder.createOrFold<arith::RemUIOp>(loc, whole, by);
  Value isWhole = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::eq, rest, toValue(builder.getIndexAttr(0)));
  checkWhenRun(isWhole, "'" + asked + "': expected " + message, {whole, by});
  return divide(size, divisor);
}

OpFoldResult Emitter::multiply(ArrayRef<OpFoldResult> sizes) {
  OpFoldResult product = builder.getIndexAttr(1);
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> a = getConstantIntValue(product),
                           b = getConstantIntValue(size);
    if (a && b)
      product = builder.getIndexAttr(*a * *b);
    else if (a == 1)
      product = size;
    else
      product = builder.createOrFold<arith::MulIOp>(loc, toValue(product),
                                                    toValue(size));
  }
  return product;
}

OpFoldResult Emitter::getDim(Value tensor, int64_t dim) {
  if (!sizes)
    return fusion::getTensorDim(builder, loc, tensor, dim);
  if (auto found = sizes->find({tensor, dim}); found != sizes->end())
    return found->second;
  OpFoldResult size = fusion::getTensorDim(
      builder, loc, tensor, dim, [&](Value operand, int64_t operandDim) {
        return getDim(operand, operandDim);
      });
  sizes->try_emplace({tensor, dim}, size);
  return size;
}

LogicalResult Emitter::demandSize(Value tensor, int64_t dim, int64_t size) {
  OpFoldResult source = getDim(tensor, dim);
  std::optional<int64_t> known = getConstantIntValue(source);
  if (known == size)
    return success();
  auto value = dyn_cast<Value>(source);
  auto dimOp = value ? value.getDefiningOp<tensor::DimOp>() : nullptr;
  auto argument =
      dimOp ? dyn_cast<BlockArgument>(dimOp.getSource()) : BlockArgument();
  std::optional<int64_t> argumentDim =
      dimOp ? dimOp.getConstantIndex() : std::nullopt;
  if (argument && argumentDim) {
    demand = SizeDemand{argument, *argumentDim, size};
    return failure();
  }
  if (known)
    return error() << "size " << size << " in dimension " << dim << " of "
                   << tensor.getType() << ", got " << *known;
  checkEqual(builder.getIndexAttr(size), source,
             "'" + asked + "': expected size {0} in dimension " + Twine(dim) +
                 " of an operand, got {1}");
  return success();
}

FailureOr<Value> Emitter::closeDim(Value tensor, int64_t dim, int64_t size) {
  if (failed(demandSize(tensor, dim, size)))
    return failure();
  auto type = llvm::cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return reshapeTo(tensor, type.clone(shape));
}

LogicalResult Emitter::demandSame(Value &tensor, int64_t dim, Value &other,
                                  int64_t otherDim) {
  auto getSize = [](Value tensor, int64_t dim) {
    return llvm::cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  };
  auto close = [&](Value &open, int64_t dim, int64_t size) {
    FailureOr<Value> closed = closeDim(open, dim, size);
    if (succeeded(closed))
      open = *closed;
    return LogicalResult(closed);
  };
  int64_t size = getSize(tensor, dim), wanted = getSize(other, otherDim);
  if (size == wanted) {
    if (ShapedType::isDynamic(size))
      checkEqual(getDim(other, otherDim), getDim(tensor, dim),
                 "expected size {0} in dimension " + Twine(dim) +
                     " of an operand, as dimension " + Twine(otherDim) +
                     " of another has, got {1}");
    return success();
  }
  if (ShapedType::isDynamic(size))
    return close(tensor, dim, wanted);
  if (ShapedType::isDynamic(wanted))
    return close(other, otherDim, size);
  return error() << "size " << wanted << " in dimension " << dim << " of "
                 << tensor.getType() << ", as dimension " << otherDim << " of "
                 << other.getType() << " has, got " << size;
}

Value frontend::createReshape(OpBuilder &builder, Location loc, Value tensor,
                              RankedTensorType type, SmallVector<Value> open) {
  // One size follows from the number of elements, unless there are none.
  if (open.size() == 1 && !llvm::is_contained(type.getShape(), 0))
    open.clear();
  return fusion::ReshapeOp::create(builder, loc, type, tensor, open);
}

Value Emitter::reshapeTo(Value tensor, RankedTensorType type) {
  SmallVector<Value> open;
  for (int64_t dim : llvm::seq(type.getRank()))
    if (type.isDynamicDim(dim))
      open.push_back(toValue(getDim(tensor, dim)));
  return createReshape(builder, loc, tensor, type, std::move(open));
}

FailureOr<Value> Emitter::broadcastTo(Value tensor, ArrayRef<int64_t> dims,
                                      ArrayRef<OpFoldResult> sizes) {
  auto input = llvm::cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape;
  SmallVector<Value> open;
  for (auto [place, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> known = getConstantIntValue(size);
    const auto *source = llvm::find(dims, static_cast<int64_t>(place));
    int64_t dim = source - dims.begin();
    if (source == dims.end() || input.getDimSize(dim) == 1) {
      shape.push_back(known ? *known : ShapedType::kDynamic);
      if (!known)
        open.push_back(llvm::cast<Value>(size));
      continue;
    }
    shape.push_back(input.getDimSize(dim));
    if (!known || *known == shape.back())
      continue;
    if (!input.isDynamicDim(dim))
      return error() << "size 1 or " << *known << " in dimension " << dim
                     << ", got " << input;
    FailureOr<Value> closed = closeDim(tensor, dim, *known);
    if (failed(closed))
      return failure();
    shape.back() = *known;
    tensor = *closed;
    input = llvm::cast<RankedTensorType>(tensor.getType());
  }
  auto type = RankedTensorType::get(shape, input.getElementType());
  if (type == input)
    return tensor;
  if (type.getRank() == input.getRank())
    return verify(fusion::ExpandOp::create(builder, loc, type, tensor, open));
  return verify(
      fusion::BroadcastInDimOp::create(builder, loc, type, tensor, dims, open));
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void Emitter::checkWhenRun(Value condition, const Twine &message,
                           ValueRange values) {
  fusion::CheckOp::create(builder, loc, condition, message.str(), values);
}

bool frontend::areEqual(OpFoldResult lhs, OpFoldResult rhs) {
  if (isEqualConstantIntOrValue(lhs, rhs))
    return true;
  auto get = [](OpFoldResult size) {
    auto value = dyn_cast<Value>(size);
    return value ? value.getDefiningOp<tensor::DimOp>() : nullptr;
  };
  tensor::DimOp left = get(lhs), right = get(rhs);
  return left && right && left.getSource() == right.getSource() &&
         left.getConstantIndex() &&
         left.getConstantIndex() == right.getConstantIndex();
}

void Emitter::checkEqual(OpFoldResult expected, OpFoldResult got,
                         const Twine &message) {
  if (areEqual(expected, got))
    return;
  Value left = toValue(expected), right = toValue(got);
  Value same = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::eq, left, right);
  checkWhenRun(same, message, {left, right});
}

LogicalResult Emitter::expectEqual(OpFoldResult expected, OpFoldResult got,
                                   const Twine &message) {
  std::optional<int64_t> wanted = getConstantIntValue(expected),
                         size = getConstantIntValue(got);
  if (wanted && size && *wanted != *size)
    return error() << fillCheckMessage(message.str(), {*wanted, *size});
  checkEqual(expected, got, "'" + asked + "': expected " + message);
  return success();
}
