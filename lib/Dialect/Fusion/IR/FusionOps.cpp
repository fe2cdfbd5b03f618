//===- FusionOps.cpp - What all ops of the fusion dialect share -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompositeSyntax.h"
#include "Elementwise/ElementFunctions.h"
#include "fuser/Support/PowersOfTwo.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace fuser;
using namespace fuser::fusion;

/// More elements than fit into the memory that addresses reach, and few enough
/// to multiply by what a schedule or an element has.
static constexpr int64_t kMaxElements = int64_t(1) << 48;

// tensor_c1
bool fusion::fitsMemory(RankedTensorType type) {
  int64_t elements = 1;
  for (int64_t size : type.getShape()) {
    if (ShapedType::isDynamic(size) || size == 0)
      continue;
    // Bytecode has sizes below 0, too.
    if (size < 0 || size > kMaxElements / elements)
      return false;
    elements *= size;
  }
  return true;
}

Type fusion::getBoolTensorLike(Type type) {
  auto tensor = dyn_cast_or_null<RankedTensorType>(type);
  if (!tensor)
    return {};
  return tensor.clone(IntegerType::get(type.getContext(), 1));
}

Type fusion::getComplexTensorLike(Type type) {
  auto tensor = dyn_cast_or_null<RankedTensorType>(type);
  if (!tensor || !isa<FloatType>(tensor.getElementType()))
    return {};
  return tensor.clone(ComplexType::get(tensor.getElementType()));
}

Type fusion::getPartTensorLike(Type type) {
  auto tensor = dyn_cast_or_null<RankedTensorType>(type);
  if (!tensor || !isComplexElement(tensor.getElementType()))
    return {};
  return tensor.clone(getPartType(tensor.getElementType()));
}

SmallVector<OpOperand *> fusion::getTensorOperands(Operation *op) {
  SmallVector<OpOperand *> tensors;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      tensors.push_back(&operand);
  return tensors;
}

Value fusion::getOnlySource(Operation *op) {
  auto map = dyn_cast<IndexMapOpInterface>(op);
  SmallVector<OpOperand *> tensors = getTensorOperands(op);
  return map && tensors.size() == 1 && !map.hasFill() ? tensors.front()->get()
                                                      : Value();
}

bool fusion::hasApproximateForm(Operation *op) {
  if (!op->hasTrait<HasApproximateForm>() || op->getNumResults() != 1)
    return false;
  auto element =
      dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  return element && element.getWidth() <= 32;
}

Value fusion::stripBoundaries(Value value) {
  for (Operation *op = value.getDefiningOp(); op && isBetweenSegments(op);
       op = value.getDefiningOp())
    value = op->getOperand(0);
  return value;
}

bool fusion::readsMemory(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() || isBetweenSegments(op) ||
         isa<SegmentOp, ContractionOpInterface, CollectiveOpInterface,
             FibreOpInterface>(op);
}

LogicalResult fusion::verifySegmentBoundary(Operation *op) {
  if (op->getNumOperands() == 1 && op->getNumResults() == 1 &&
      op->getOperand(0).getType() == op->getResult(0).getType())
    return success();
  return op->emitOpError("expected a boundary between segments to have one "
                         "operand and one result, of the same type");
}

/// Adds `factor * expr` to `factors`, one for each dimension, and the constant
/// behind them; false if it is not linear.
static bool addLinear(AffineExpr expr, int64_t factor,
                      SmallVectorImpl<int64_t> &factors) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    factors.back() += factor * constant.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    factors[dim.getPosition()] += factor;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, factors) &&
           addLinear(binary.getRHS(), factor, factors);
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && constant &&
         addLinear(binary.getLHS(), factor * constant.getValue(), factors);
}

std::optional<SmallVector<StridedIndex>>
fusion::getStridedIndices(AffineMap map) {
  if (!map)
    return std::nullopt;
  Builder builder(map.getContext());
  SmallVector<StridedIndex> indices;
  for (AffineExpr expr : map.getResults()) {
    SmallVector<int64_t> factors(map.getNumDims() + 1, 0);
    if (!addLinear(expr, 1, factors) ||
        llvm::any_of(factors, [](int64_t factor) { return factor < 0; }))
      return std::nullopt;
    StridedIndex &index = indices.emplace_back();
    index.offset = builder.getIndexAttr(factors.pop_back_val());
    for (auto [dim, factor] : llvm::enumerate(factors))
      if (factor != 0)
        index.terms.push_back(
            {static_cast<int64_t>(dim), builder.getIndexAttr(factor)});
  }
  return indices;
}

OpFoldResult fusion::reifyDimOfOperand(EmitContext &ctx, Operation *op,
                                       int64_t dim) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.isDynamicDim(dim))
    return ctx.builder.getIndexAttr(type.getDimSize(dim));
  return ctx.dim(getTensorOperands(op).front()->get(), dim);
}

/// The size of an operand's dimension as a fact of its own, not reified
/// further.
static OpFoldResult getLocalDim(OpBuilder &builder, Location loc, Value tensor,
                                int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  return tensor::DimOp::create(builder, loc, tensor, dim).getResult();
}

LogicalResult fusion::reifyShapes(TensorOpInterface op, OpBuilder &builder,
                                  ReifiedRankedShapedTypeDims &dims) {
  Location loc = op.getLoc();
  auto dimOf = [&](Value tensor, int64_t dim) {
    return getLocalDim(builder, loc, tensor, dim);
  };
  auto scalarOf = [](Value scalar) { return scalar; };
  EmitContext ctx{builder, loc, dimOf, scalarOf};
  for (OpResult result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      return failure();
    SmallVector<OpFoldResult> &sizes = dims.emplace_back();
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim)) {
        sizes.push_back(builder.getIndexAttr(type.getDimSize(dim)));
        continue;
      }
      OpFoldResult size = op.reifyDim(ctx, result.getResultNumber(), dim);
      // Upstream expects a value for every dimension that the type leaves open.
      sizes.push_back(emitIndex(ctx, size));
    }
  }
  return success();
}

OpFoldResult
fusion::getTensorDim(OpBuilder &builder, Location loc, Value tensor,
                     int64_t dim,
                     llvm::function_ref<OpFoldResult(Value, int64_t)> dimOf) {
  auto op = tensor.getDefiningOp<TensorOpInterface>();
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!op || !type.isDynamicDim(dim))
    return getLocalDim(builder, loc, tensor, dim);
  auto scalarOf = [](Value scalar) { return scalar; };
  EmitContext ctx{builder, loc, dimOf, scalarOf};
  return op.reifyDim(ctx, cast<OpResult>(tensor).getResultNumber(), dim);
}

OpFoldResult fusion::getTensorDim(OpBuilder &builder, Location loc,
                                  Value tensor, int64_t dim) {
  return getTensorDim(builder, loc, tensor, dim,
                      [&](Value operand, int64_t operandDim) {
                        return getTensorDim(builder, loc, operand, operandDim);
                      });
}

static bool isIntegerResult(Operation *op) {
  return isa<IntegerType>(getElementTypeOrSelf(op->getResult(0)));
}

/// True if every value of the input's type is one of the result's.
static bool isExactCast(CastOp op) {
  return isExactConversion(op.getInput().getType().getElementType(),
                           op.getType().getElementType()) ||
         isIntegerResult(op);
}

bool fusion::isExactConversion(Type from, Type to) {
  if (from == to)
    return true;
  if (isComplexElement(from) || isComplexElement(to))
    return isExactConversion(getPartType(from), getPartType(to)) &&
           !isComplexElement(from);
  // They have no zero for false.
  if (from.isInteger(1))
    return !isPowersOfTwo(to);
  // Bits beside the sign.
  auto countBits = [](Type type) {
    return type.getIntOrFloatBitWidth() - (isSignedElement(type) ? 1 : 0);
  };
  if (isa<IntegerType>(from)) {
    if (auto real = dyn_cast<FloatType>(to))
      return countBits(from) <= real.getFPMantissaWidth();
    return countBits(from) <= countBits(to) &&
           (isSignedElement(to) || !isSignedElement(from));
  }
  if (!isa<FloatType>(to))
    return false;
  return llvm::APFloat::isRepresentableBy(
      cast<FloatType>(from).getFloatSemantics(),
      cast<FloatType>(to).getFloatSemantics());
}

bool fusion::isInRing(Operation *op) {
  for (; op; op = op->getParentOp())
    if (isa<ModuleOp>(op) && op->hasAttr(FusionDialect::getRingAttrName()))
      return true;
  return false;
}

#include "fuser/Dialect/Fusion/IR/FusionAttrInterfaces.cpp.inc"
#include "fuser/Dialect/Fusion/IR/FusionOpInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "fuser/Dialect/Fusion/IR/FusionOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> CompositeOp::getMixedOperands() {
  SmallVector<OpFoldResult> mixed(getOperands());
  for (auto [position, number] : llvm::zip(getPositions(), getNumbers()))
    mixed.insert(mixed.begin() + position, number);
  return mixed;
}

LogicalResult CompositeOp::verify() {
  size_t count = getNumbers().size();
  // composite_c1
  if (getPositions().size() != count)
    return emitOpError("expected a position of each number, got ")
           << getPositions().size() << " of " << count << " numbers";
  auto all = static_cast<int64_t>(getOperands().size() + count);
  int64_t least = 0;
  for (int64_t position : getPositions()) {
    if (position < least || position >= all)
      return emitOpError("expected positions of numbers that ascend below ")
             << all << ", got " << getPositionsAttr();
    least = position + 1;
  }
  // composite_c2
  for (Attribute number : getNumbers()) {
    auto typed = dyn_cast<TypedAttr>(number);
    Type type = typed ? typed.getType() : Type();
    if (!isa<FloatAttr, IntegerAttr>(number) ||
        !(type.isF64() || type.isInteger(1) || type.isSignlessInteger(64)))
      return emitOpError("expected numbers of f64, i64 or i1, got ") << number;
  }
  return success();
}
