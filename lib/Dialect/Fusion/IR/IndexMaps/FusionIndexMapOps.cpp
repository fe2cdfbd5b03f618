//===- FusionIndexMapOps.cpp - Broadcast, expand, permute, slice, cat -----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexMapUtils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace fuser;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// BroadcastOp
//===----------------------------------------------------------------------===//

/// broadcast_c1, and the type of broadcast_c2.
FailureOr<RankedTensorType> fusion::getBroadcastType(RankedTensorType input,
                                                     ArrayRef<int64_t> dims,
                                                     EmitError emitError) {
  int64_t rank = input.getRank() + dims.size();
  auto emitDimsError = [&]() { return emitError() << "dims: "; };
  if (failed(verifyAscendingDims(dims, rank, emitDimsError)))
    return failure();
  SmallVector<int64_t> shape(input.getShape());
  for (int64_t dim : dims)
    shape.insert(shape.begin() + dim, 1);
  return RankedTensorType::get(shape, input.getElementType());
}

LogicalResult BroadcastOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  if (!input)
    return failure();
  auto infer = [&](EmitError emitError) {
    return getBroadcastType(input, adaptor.getDims(), emitError);
  };
  return inferType<BroadcastOp>(context, location, infer, types);
}

LogicalResult BroadcastOp::verify() {
  return verifyType(*this, [&](EmitError emitError) {
    return getBroadcastType(getInput().getType(), getDims(), emitError);
  });
}

/// The dimension of the operand that `dim` of the result is, if it is not new.
static std::optional<int64_t> getBroadcastSource(BroadcastOp op, int64_t dim) {
  int64_t source = dim;
  for (int64_t inserted : op.getDims()) {
    if (inserted == dim)
      return std::nullopt;
    source -= inserted < dim;
  }
  return source;
}

OpFoldResult BroadcastOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  return ctx.dim(getInput(), *getBroadcastSource(*this, dim));
}

MappedIndex BroadcastOp::mapIndex(EmitContext &, unsigned,
                                  ValueRange resultIndex) {
  MappedIndex mapped;
  for (auto [dim, index] : llvm::enumerate(resultIndex))
    if (getBroadcastSource(*this, dim))
      mapped.index.push_back(index);
  return mapped;
}

AffineMap BroadcastOp::getAffineIndexMap(unsigned) {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < getType().getRank(); ++dim)
    if (getBroadcastSource(*this, dim))
      exprs.push_back(getAffineDimExpr(dim, getContext()));
  return AffineMap::get(getType().getRank(), 0, exprs, getContext());
}

std::optional<SmallVector<StridedIndex>>
BroadcastOp::getStridedMap(EmitContext &, unsigned operand) {
  return getStridedIndices(getAffineIndexMap(operand));
}

int64_t BroadcastOp::getContiguousWidth(int64_t width, const SizeDivisors &) {
  return getPowerOfTwo(width);
}

bool BroadcastOp::isUniformInLastDim(unsigned) {
  return !getDims().empty() && getDims().back() == getType().getRank() - 1;
}

bool BroadcastOp::appendDim(int64_t) { return true; }

//===----------------------------------------------------------------------===//
// ExpandOp
//===----------------------------------------------------------------------===//

/// True if the operand has the static size 1 there and the result may have
/// another.
static bool isExpanded(ExpandOp op, int64_t dim) {
  return op.getInput().getType().getDimSize(dim) == 1 &&
         op.getType().getDimSize(dim) != 1;
}

LogicalResult ExpandOp::verify() {
  RankedTensorType input = getInput().getType(), result = getType();
  // expand_c1
  if (input.getRank() != result.getRank() ||
      input.getElementType() != result.getElementType())
    return emitOpError() << "expected the input's rank and element type in the "
                            "result, got "
                         << input << " and " << result;
  int64_t dynamic = 0;
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    int64_t from = input.getDimSize(dim), to = result.getDimSize(dim);
    // expand_c2
    if (from != 1 && from != to)
      return emitOpError() << "expected size 1 or the result's size in "
                              "dimension "
                           << dim << " of the input, got " << input << " and "
                           << result;
    dynamic += isExpanded(*this, dim) && result.isDynamicDim(dim);
  }
  // expand_c3
  if (static_cast<int64_t>(getSizes().size()) != dynamic)
    return emitOpError() << "expected " << dynamic
                         << " sizes, one for each dimension that is 1 in the "
                            "input and dynamic in the result, got "
                         << getSizes().size();
  return success();
}

OpFoldResult ExpandOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  if (!isExpanded(*this, dim))
    return ctx.dim(getInput(), dim);
  unsigned number = 0;
  for (int64_t before = 0; before < dim; ++before)
    number += isExpanded(*this, before) && getType().isDynamicDim(before);
  return ctx.scalar(getSizes()[number]);
}

MappedIndex ExpandOp::mapIndex(EmitContext &ctx, unsigned,
                               ValueRange resultIndex) {
  MappedIndex mapped;
  for (auto [dim, index] : llvm::enumerate(resultIndex))
    mapped.index.push_back(isExpanded(*this, dim) ? emitIndex(ctx, int64_t(0))
                                                  : index);
  return mapped;
}

AffineMap ExpandOp::getAffineIndexMap(unsigned) {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < getType().getRank(); ++dim)
    exprs.push_back(isExpanded(*this, dim)
                        ? getAffineConstantExpr(0, getContext())
                        : getAffineDimExpr(dim, getContext()));
  return AffineMap::get(getType().getRank(), 0, exprs, getContext());
}

std::optional<SmallVector<StridedIndex>>
ExpandOp::getStridedMap(EmitContext &, unsigned operand) {
  return getStridedIndices(getAffineIndexMap(operand));
}

int64_t ExpandOp::getContiguousWidth(int64_t width, const SizeDivisors &) {
  return getPowerOfTwo(width);
}

bool ExpandOp::isUniformInLastDim(unsigned) {
  int64_t rank = getType().getRank();
  return rank > 0 && isExpanded(*this, rank - 1);
}

bool ExpandOp::appendDim(int64_t) { return true; }

//===----------------------------------------------------------------------===//
// BroadcastInDimOp
//===----------------------------------------------------------------------===//

/// The dimension of the input that is dimension `dim` of the result, if there
/// is one.
static std::optional<int64_t> getSourceDim(BroadcastInDimOp op, int64_t dim) {
  const auto *found = llvm::find(op.getDims(), dim);
  if (found == op.getDims().end())
    return std::nullopt;
  return found - op.getDims().begin();
}

/// True if the input has as many elements along dimension `dim` of the result.
static bool isKept(BroadcastInDimOp op, int64_t dim) {
  std::optional<int64_t> source = getSourceDim(op, dim);
  return source && op.getInput().getType().getDimSize(*source) ==
                       op.getType().getDimSize(dim);
}

LogicalResult BroadcastInDimOp::verify() {
  RankedTensorType input = getInput().getType(), result = getType();
  auto emitDimsError = [&]() { return emitOpError("dims: "); };
  // broadcast_in_dim_c1
  if (failed(verifyAscendingDims(getDims(), result.getRank(), emitDimsError)))
    return failure();
  if (static_cast<int64_t>(getDims().size()) != input.getRank())
    return emitOpError() << "expected a dimension of the result for each of "
                         << input << ", got [" << getDims() << "]";
  // broadcast_in_dim_c2
  if (input.getElementType() != result.getElementType())
    return emitOpError() << "expected the input's element type in the result, "
                            "got "
                         << input << " and " << result;
  int64_t given = 0;
  for (int64_t dim = 0; dim < result.getRank(); ++dim) {
    std::optional<int64_t> source = getSourceDim(*this, dim);
    // broadcast_in_dim_c3
    if (source && !isKept(*this, dim) && input.getDimSize(*source) != 1)
      return emitOpError() << "expected size 1 or the result's size in "
                              "dimension "
                           << *source << " of the input, got " << input
                           << " and " << result;
    given += result.isDynamicDim(dim) && !isKept(*this, dim);
  }
  // broadcast_in_dim_c4
  if (static_cast<int64_t>(getSizes().size()) != given)
    return emitOpError() << "expected " << given
                         << " sizes, one for each dynamic dimension of the "
                            "result that the input does not give, got "
                         << getSizes().size();
  return success();
}

OpFoldResult BroadcastInDimOp::reifyDim(EmitContext &ctx, unsigned,
                                        int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  if (isKept(*this, dim))
    return ctx.dim(getInput(), *getSourceDim(*this, dim));
  unsigned number = 0;
  for (int64_t before = 0; before < dim; ++before)
    number += getType().isDynamicDim(before) && !isKept(*this, before);
  return ctx.scalar(getSizes()[number]);
}

MappedIndex BroadcastInDimOp::mapIndex(EmitContext &ctx, unsigned,
                                       ValueRange resultIndex) {
  MappedIndex mapped;
  for (int64_t dim : getDims())
    mapped.index.push_back(isKept(*this, dim) ? resultIndex[dim]
                                              : emitIndex(ctx, 0));
  return mapped;
}

AffineMap BroadcastInDimOp::getAffineIndexMap(unsigned) {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : getDims())
    exprs.push_back(isKept(*this, dim)
                        ? getAffineDimExpr(dim, getContext())
                        : getAffineConstantExpr(0, getContext()));
  return AffineMap::get(getType().getRank(), 0, exprs, getContext());
}

std::optional<SmallVector<StridedIndex>>
BroadcastInDimOp::getStridedMap(EmitContext &, unsigned operand) {
  return getStridedIndices(getAffineIndexMap(operand));
}

int64_t BroadcastInDimOp::getContiguousWidth(int64_t width,
                                             const SizeDivisors &) {
  return getPowerOfTwo(width);
}

bool BroadcastInDimOp::isUniformInLastDim(unsigned) {
  int64_t last = getType().getRank() - 1;
  return last >= 0 && !isKept(*this, last);
}

bool BroadcastInDimOp::appendDim(int64_t) {
  setDims(append(getDims(), getType().getRank() - 1));
  return true;
}

//===----------------------------------------------------------------------===//
// PermuteOp
//===----------------------------------------------------------------------===//

/// permute_c1, and the type of permute_c2.
FailureOr<RankedTensorType>
fusion::getPermutedType(RankedTensorType input, ArrayRef<int64_t> permutation,
                        EmitError emitError) {
  if (static_cast<int64_t>(permutation.size()) != input.getRank() ||
      !isPermutationVector(permutation))
    return emitError() << "expected each of the " << input.getRank()
                       << " dimensions of " << input
                       << " once in the permutation, got [" << permutation
                       << "]";
  return RankedTensorType::get(applyPermutation(input.getShape(), permutation),
                               input.getElementType());
}

LogicalResult PermuteOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  if (!input)
    return failure();
  auto infer = [&](EmitError emitError) {
    return getPermutedType(input, adaptor.getPermutation(), emitError);
  };
  return inferType<PermuteOp>(context, location, infer, types);
}

LogicalResult PermuteOp::verify() {
  return verifyType(*this, [&](EmitError emitError) {
    return getPermutedType(getInput().getType(), getPermutation(), emitError);
  });
}

OpFoldResult PermuteOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  return ctx.dim(getInput(), getPermutation()[dim]);
}

MappedIndex PermuteOp::mapIndex(EmitContext &, unsigned,
                                ValueRange resultIndex) {
  MappedIndex mapped;
  mapped.index.resize(resultIndex.size());
  for (auto [dim, source] : llvm::enumerate(getPermutation()))
    mapped.index[source] = resultIndex[dim];
  return mapped;
}

AffineMap PermuteOp::getAffineIndexMap(unsigned) {
  SmallVector<unsigned> permutation(getPermutation().begin(),
                                    getPermutation().end());
  if (permutation.empty())
    return AffineMap::get(0, 0, {}, getContext());
  return inversePermutation(
      AffineMap::getPermutationMap(permutation, getContext()));
}

std::optional<SmallVector<StridedIndex>>
PermuteOp::getStridedMap(EmitContext &, unsigned operand) {
  return getStridedIndices(getAffineIndexMap(operand));
}

int64_t PermuteOp::getContiguousWidth(int64_t width, const SizeDivisors &) {
  ArrayRef<int64_t> permutation = getPermutation();
  int64_t last = static_cast<int64_t>(permutation.size()) - 1;
  return last >= 0 && permutation.back() == last ? getPowerOfTwo(width) : 1;
}

bool PermuteOp::appendDim(int64_t) {
  setPermutation(append(getPermutation(), getPermutation().size()));
  return true;
}

//===----------------------------------------------------------------------===//
// SliceOp
//===----------------------------------------------------------------------===//

void SliceOp::build(OpBuilder &builder, OperationState &state, Type result,
                    Value input, ArrayRef<OpFoldResult> offsets,
                    ArrayRef<OpFoldResult> sizes,
                    ArrayRef<OpFoldResult> steps) {
  SmallVector<Value> dynOffsets, dynSizes, dynSteps;
  SmallVector<int64_t> staticOffsets, staticSizes, staticSteps;
  dispatchIndexOpFoldResults(offsets, dynOffsets, staticOffsets);
  dispatchIndexOpFoldResults(sizes, dynSizes, staticSizes);
  dispatchIndexOpFoldResults(steps, dynSteps, staticSteps);
  build(builder, state, result, input, dynOffsets, dynSizes, dynSteps,
        staticOffsets, staticSizes, staticSteps);
}

SmallVector<OpFoldResult> SliceOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}
SmallVector<OpFoldResult> SliceOp::getMixedSizes() {
  return getMixedValues(getStaticSizes(), getSizes(), getContext());
}
SmallVector<OpFoldResult> SliceOp::getMixedSteps() {
  return getMixedValues(getStaticSteps(), getSteps(), getContext());
}

/// The lists of `numbers` and what they are called.
static std::array<std::pair<StringRef, ArrayRef<int64_t>>, 3>
getLists(const SliceNumbers &numbers) {
  return {{{"offsets", numbers.offsets},
           {"sizes", numbers.sizes},
           {"steps", numbers.steps}}};
}

/// slice_c2 and slice_c4 in one dimension.
static LogicalResult verifySliceDim(RankedTensorType input,
                                    const SliceNumbers &numbers, int64_t dim,
                                    EmitError emitError) {
  int64_t offset = numbers.offsets[dim];
  int64_t size = numbers.sizes[dim];
  int64_t step = numbers.steps[dim];
  bool dynOffset = ShapedType::isDynamic(offset);
  bool dynSize = ShapedType::isDynamic(size);
  bool dynStep = ShapedType::isDynamic(step);
  // slice_c2
  if ((!dynOffset && offset < 0) || (!dynSize && size < 0) ||
      (!dynStep && step < 1))
    return emitError() << "expected an offset and a size of at least 0 and a "
                          "step of at least 1 in dimension "
                       << dim << ", got offset " << offset << ", size " << size
                       << ", step " << step;
  // slice_c4
  int64_t limit = input.getDimSize(dim);
  if (ShapedType::isDynamic(limit) || dynSize || size == 0)
    return success();
  int64_t first = dynOffset ? 0 : offset;
  int64_t stride = dynStep ? 1 : step;
  int64_t last = 0;
  if (llvm::MulOverflow(size - 1, stride, last) ||
      llvm::AddOverflow(last, first, last) || last >= limit)
    return emitError() << "expected the last element of dimension " << dim
                       << " below the input's size " << limit << ", got offset "
                       << first << " + (size " << size << " - 1) * step "
                       << stride;
  return success();
}

/// slice_c1 but for the values, slice_c2 and slice_c4, and the type of
/// slice_c3.
FailureOr<RankedTensorType> fusion::getSlicedType(RankedTensorType input,
                                                  const SliceNumbers &numbers,
                                                  EmitError emitError) {
  size_t rank = input.getRank();
  for (auto [name, list] : getLists(numbers))
    if (list.size() != rank)
      return emitError() << "expected " << rank << " " << name
                         << ", one a dimension of the input, got "
                         << list.size();
  for (size_t dim = 0; dim < rank; ++dim)
    if (failed(verifySliceDim(input, numbers, dim, emitError)))
      return failure();
  return RankedTensorType::get(numbers.sizes, input.getElementType());
}

LogicalResult SliceOp::verify() {
  SliceNumbers numbers{getStaticOffsets(), getStaticSizes(), getStaticSteps()};
  // slice_c1
  size_t values[] = {getOffsets().size(), getSizes().size(), getSteps().size()};
  for (auto [list, given] : llvm::zip_equal(getLists(numbers), values)) {
    size_t open = llvm::count(list.second, ShapedType::kDynamic);
    if (open != given)
      return emitOpError() << "expected " << open << " values for the "
                           << list.first << " that are no integers, got "
                           << given;
  }
  return verifyType(*this, [&](EmitError emitError) {
    return getSlicedType(getInput().getType(), numbers, emitError);
  });
}

OpFoldResult SliceOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  OpFoldResult size = getMixedSizes()[dim];
  if (auto value = dyn_cast<Value>(size))
    return ctx.scalar(value);
  return size;
}

MappedIndex SliceOp::mapIndex(EmitContext &ctx, unsigned,
                              ValueRange resultIndex) {
  MappedIndex mapped;
  for (auto [index, offset, step] :
       llvm::zip_equal(resultIndex, getMixedOffsets(), getMixedSteps())) {
    Value source = index;
    if (!isOneInteger(step))
      source = emitFolded<arith::MulIOp>(ctx, source, emitMixed(ctx, step));
    if (!isZeroInteger(offset))
      source = emitFolded<arith::AddIOp>(ctx, source, emitMixed(ctx, offset));
    mapped.index.push_back(source);
  }
  return mapped;
}

AffineMap SliceOp::getAffineIndexMap(unsigned) {
  if (!getOffsets().empty() || !getSteps().empty())
    return {};
  SmallVector<AffineExpr> exprs;
  for (auto [dim, offset, step] :
       llvm::enumerate(getStaticOffsets(), getStaticSteps()))
    exprs.push_back(getAffineDimExpr(dim, getContext()) * step + offset);
  return AffineMap::get(getType().getRank(), 0, exprs, getContext());
}

std::optional<SmallVector<StridedIndex>>
SliceOp::getStridedMap(EmitContext &ctx, unsigned) {
  auto get = [&](OpFoldResult scalar) -> OpFoldResult {
    if (auto value = dyn_cast<Value>(scalar))
      return ctx.scalar(value);
    return scalar;
  };
  SmallVector<StridedIndex> map;
  for (auto [dim, offset, step] :
       llvm::enumerate(getMixedOffsets(), getMixedSteps()))
    map.push_back({get(offset), {{static_cast<int64_t>(dim), get(step)}}});
  return map;
}

/// Where it takes all of a dimension.
int64_t SliceOp::getResultDim(unsigned, int64_t dim) {
  bool isWhole = getStaticOffsets()[dim] == 0 && getStaticSteps()[dim] == 1;
  OpFoldResult size = getMixedSizes()[dim];
  auto input = dyn_cast<Value>(size);
  if (!input)
    return isWhole &&
                   getInput().getType().getDimSize(dim) == getStaticSizes()[dim]
               ? dim
               : -1;
  auto source = input.getDefiningOp<tensor::DimOp>();
  return isWhole && source && source.getSource() == getInput() &&
                 source.getConstantIndex() == dim
             ? dim
             : -1;
}

void SliceOp::divideResultSize(OpBuilder &builder, int64_t dim, int64_t parts) {
  int64_t size = getStaticSizes()[dim];
  if (!ShapedType::isDynamic(size)) {
    auto sizes = llvm::to_vector(getStaticSizes());
    sizes[dim] /= parts;
    setStaticSizes(sizes);
    return;
  }
  auto before = getStaticSizes().take_front(dim);
  OpOperand &operand =
      getSizesMutable()[llvm::count(before, ShapedType::kDynamic)];
  operand.set(divideSize(builder, getLoc(), operand.get(), parts));
}

int64_t SliceOp::getContiguousWidth(int64_t width,
                                    const SizeDivisors &divisors) {
  if (getType().getRank() == 0 || getStaticSteps().back() != 1)
    return 1;
  int64_t offset = getStaticOffsets().back();
  if (ShapedType::isDynamic(offset))
    offset = divisors.scalar(getOffsets().back());
  return getCommonWidth(getPowerOfTwo(width), offset);
}

bool SliceOp::appendDim(int64_t size) {
  setStaticOffsets(append(getStaticOffsets(), 0));
  setStaticSizes(append(getStaticSizes(), size));
  setStaticSteps(append(getStaticSteps(), 1));
  return true;
}

//===----------------------------------------------------------------------===//
// CatOp
//===----------------------------------------------------------------------===//

/// Says which dimension it is that has another size.
static void explainSize(InFlightDiagnostic &diag, ArrayRef<int64_t> expected,
                        ArrayRef<int64_t> got) {
  if (expected.size() != got.size())
    return;
  for (auto [dim, size, other] : llvm::enumerate(expected, got))
    if (size != other && !ShapedType::isDynamicShape({size, other})) {
      diag << ": size " << other << " in dimension " << dim << ", expected "
           << size;
      return;
    }
}

/// cat_c1 and cat_c2, and the type of cat_c3.
FailureOr<RankedTensorType> fusion::getCatType(TypeRange inputs, int64_t dim,
                                               EmitError emitError) {
  if (inputs.empty())
    return emitError() << "expected at least one input";
  auto first = dyn_cast<RankedTensorType>(inputs.front());
  if (!first || dim < 0 || dim >= first.getRank())
    return emitError() << "expected dim to be a dimension of " << inputs.front()
                       << ", got " << dim;
  SmallVector<int64_t> shape(first.getShape());
  for (auto [number, input] : llvm::enumerate(inputs.drop_front())) {
    auto type = dyn_cast<RankedTensorType>(input);
    SmallVector<int64_t> other(type ? type.getShape() : ArrayRef<int64_t>());
    if (type && type.getRank() == first.getRank())
      other[dim] = first.getDimSize(dim);
    if (!type || type.getElementType() != first.getElementType() ||
        ArrayRef<int64_t>(other) != first.getShape()) {
      InFlightDiagnostic diag = emitError();
      diag << "expected the type " << first << " but for dimension " << dim
           << " of input " << number + 1 << ", got " << input;
      explainSize(diag, first.getShape(), other);
      return diag;
    }
    bool isOpen = ShapedType::isDynamic(shape[dim]) || type.isDynamicDim(dim);
    shape[dim] =
        isOpen ? ShapedType::kDynamic : shape[dim] + type.getDimSize(dim);
  }
  return RankedTensorType::get(shape, first.getElementType());
}

LogicalResult
CatOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                        ValueRange operands, DictionaryAttr attributes,
                        OpaqueProperties properties, RegionRange regions,
                        SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto infer = [&](EmitError emitError) {
    return getCatType(operands.getTypes(), adaptor.getDim(), emitError);
  };
  return inferType<CatOp>(context, location, infer, types);
}

LogicalResult CatOp::verify() {
  return verifyType(*this, [&](EmitError emitError) {
    return getCatType(getInputs().getTypes(), getDim(), emitError);
  });
}

/// Where operand `number` begins in the result.
static OpFoldResult emitCatOffset(CatOp op, EmitContext &ctx, unsigned number) {
  OpFoldResult offset = ctx.builder.getIndexAttr(0);
  for (Value input : op.getInputs().take_front(number))
    offset = emitSum(ctx, offset, ctx.dim(input, op.getDim()));
  return offset;
}

OpFoldResult CatOp::reifyDim(EmitContext &ctx, unsigned, int64_t dim) {
  if (!getType().isDynamicDim(dim))
    return ctx.builder.getIndexAttr(getType().getDimSize(dim));
  if (dim != static_cast<int64_t>(getDim()))
    return ctx.dim(getInputs().front(), dim);
  return emitCatOffset(*this, ctx, getInputs().size());
}

MappedIndex CatOp::mapIndex(EmitContext &ctx, unsigned operand,
                            ValueRange resultIndex) {
  MappedIndex mapped;
  mapped.index.assign(resultIndex.begin(), resultIndex.end());
  Value index = resultIndex[getDim()];
  OpFoldResult begin = emitCatOffset(*this, ctx, operand);
  bool isFirst = operand == 0, isLast = operand + 1 == getInputs().size();
  if (!isLast) {
    OpFoldResult size = ctx.dim(getInputs()[operand], getDim());
    OpFoldResult end = emitSum(ctx, begin, size);
    mapped.valid =
        arith::CmpIOp::create(ctx.builder, ctx.loc, arith::CmpIPredicate::slt,
                              index, emitIndex(ctx, end));
  }
  if (isFirst)
    return mapped;
  Value beginValue = emitIndex(ctx, begin);
  Value after = arith::CmpIOp::create(
      ctx.builder, ctx.loc, arith::CmpIPredicate::sge, index, beginValue);
  mapped.valid = mapped.valid ? arith::AndIOp::create(ctx.builder, ctx.loc,
                                                      after, mapped.valid)
                                    .getResult()
                              : after;
  mapped.index[getDim()] = emitFolded<arith::SubIOp>(ctx, index, beginValue);
  return mapped;
}

/// Where operand `number` begins in the result, if that is static.
static std::optional<int64_t> getStaticCatOffset(CatOp op, unsigned number) {
  // Analyses ask for each operand, of which there may be thousands.
  int64_t dim = op.getDim(), offset = 0;
  for (Value input : op.getInputs().take_front(number)) {
    int64_t size = cast<RankedTensorType>(input.getType()).getShape()[dim];
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    offset += size;
  }
  return offset;
}

AffineMap CatOp::getAffineIndexMap(unsigned operand) {
  std::optional<int64_t> offset = getStaticCatOffset(*this, operand);
  if (!offset)
    return {};
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < getType().getRank(); ++dim)
    exprs.push_back(getAffineDimExpr(dim, getContext()));
  exprs[getDim()] = exprs[getDim()] - *offset;
  return AffineMap::get(getType().getRank(), 0, exprs, getContext());
}

int64_t CatOp::getResultDim(unsigned, int64_t dim) {
  return dim == static_cast<int64_t>(getDim()) ? -1 : dim;
}

bool CatOp::appendDim(int64_t) { return true; }

std::optional<int64_t> CatOp::getJoinedDim() { return getDim(); }

std::optional<SmallVector<StridedIndex>>
CatOp::getStridedMap(EmitContext &, unsigned operand) {
  if (getInputs().size() != 1)
    return std::nullopt;
  return getStridedIndices(getAffineIndexMap(operand));
}

int64_t CatOp::getContiguousWidth(int64_t width, const SizeDivisors &divisors) {
  width = getPowerOfTwo(width);
  if (static_cast<int64_t>(getDim()) != getType().getRank() - 1)
    return width;
  // Every boundary between operands must lie on the grid of vectors.
  for (Value input : getInputs().drop_back())
    width = getCommonWidth(width, divisors.dim(input, getDim()));
  return width;
}
