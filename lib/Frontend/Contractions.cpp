//===- Contractions.cpp - Matrix products, by name ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "fuser/Dialect/Fusion/ContractionShapes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace fuser;
using namespace fuser::frontend;

using TensorValue = TypedValue<RankedTensorType>;

static int64_t getRank(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

namespace {
/// Factors of one type, and what becomes of their products.
struct Factors {
  Value lhs, rhs;
  Type sum;    ///< The type in which products are added up.
  Type result; ///< The one that sums are cast to.
};
} // namespace

/// The element type of the product of operands of type `own`: the same, unless
/// `type` says otherwise.
static FailureOr<Type> getResultType(Emitter &e, Type own) {
  if (!e.has("type"))
    return own;
  FailureOr<Type> type = e.getType("type");
  bool isWide =
      succeeded(type) && ((isNarrowFloat(own) && type->isF32()) ||
                          (own.isInteger(1) && (type->isSignlessInteger(32) ||
                                                type->isSignlessInteger(64))));
  if (failed(type) || *type == own || isWide || fusion::isWideSum(own, *type))
    return type;
  return e.error() << "the operands' element type as 'type', or f32 of "
                      "narrower floats, or i32 or i64 of narrower integers and "
                      "flags, got "
                   << *type << " of " << own;
}

/// The types in which factors of `own` are multiplied and added up: wider ones
/// where the dialect has no such products. A sum of flags counts those that are
/// true, in 64 bits, so that it is 0 of none alone.
static std::pair<Type, Type> getWideTypes(Emitter &e, Type own) {
  OpBuilder &b = e.builder;
  if (own.isInteger(1))
    return {b.getI32Type(), b.getI64Type()};
  if (isa<Float8E4M3FNType, Float8E5M2Type>(own))
    return {b.getF16Type(), b.getF32Type()};
  return {own, own};
}

/// Both operands in the type that they have in common, or in a wider one.
static FailureOr<Factors> takeFactors(Emitter &e) {
  FailureOr<TensorValue> lhs = e.takeTensor();
  if (failed(lhs))
    return failure();
  FailureOr<TensorValue> rhs = e.takeTensor();
  if (failed(rhs) || failed(e.checkPromotion({*lhs, *rhs})))
    return failure();
  Type own = promoteOperands({*lhs, *rhs});
  auto [element, sum] = getWideTypes(e, own);
  bool isWide =
      isa<FloatType>(element) && element.getIntOrFloatBitWidth() >= 16;
  if (!isWide && !isIntegerElement(element) && !isComplexElement(element))
    return e.error() << "floats, integers, flags or complex numbers as "
                        "factors, and of floats of 8 bits f8E4M3FN or f8E5M2, "
                        "got "
                     << lhs->getType() << " and " << rhs->getType()
                     << ": cast them";
  FailureOr<Value> left = e.cast(*lhs, element), right = e.cast(*rhs, element);
  FailureOr<Type> result = getResultType(e, own);
  if (failed(left) || failed(right) || failed(result))
    return failure();
  if (getRank(*left) < 1 || getRank(*right) < 1)
    return e.error() << "tensors of at least one dimension, got "
                     << left->getType() << " and " << right->getType();
  return Factors{*left, *right, element == own ? *result : sum, *result};
}

/// A dimension of size 1 more, at `dim`.
static FailureOr<Value> addDim(Emitter &e, Value tensor, int64_t dim) {
  return e.create(
      "broadcast", tensor,
      e.builder.getNamedAttr("dims", e.builder.getDenseI64ArrayAttr(dim)));
}

/// `x` by the transpose of `weight`, a matrix.
static FailureOr<Value> linear(Emitter &e, Value x, Value weight,
                               Type element) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(x.getType()).getShape());
  shape.back() = cast<RankedTensorType>(weight.getType()).getDimSize(0);
  auto type = RankedTensorType::get(shape, element);
  return e.verify(fusion::LinearOp::create(e.builder, e.loc, type, x, weight));
}

/// Sizes of batches are the same, as far as they are known, or one is 1.
static LogicalResult checkBatch(Emitter &e, Value lhs, int64_t left, Value rhs,
                                int64_t right) {
  auto lhsType = cast<RankedTensorType>(lhs.getType()),
       rhsType = cast<RankedTensorType>(rhs.getType());
  if (lhsType.getDimSize(left) == 1 || rhsType.getDimSize(right) == 1)
    return success();
  return fusion::verifyShared(
      {lhsType, left, "left operand"}, {rhsType, right, "right operand"},
      [&] { return e.error(); }, ": size 1 would broadcast");
}

/// Both with the same dimensions before the last two, broadcast.
static LogicalResult broadcastBatch(Emitter &e, Value &lhs, Value &rhs) {
  int64_t rank = std::max(getRank(lhs), getRank(rhs));
  SmallVector<OpFoldResult> left = e.getShape(lhs), right = e.getShape(rhs);
  SmallVector<OpFoldResult> batch;
  for (int64_t dim = 0; dim < rank - 2; ++dim) {
    int64_t l = dim - (rank - getRank(lhs)), r = dim - (rank - getRank(rhs));
    if (l >= 0 && r >= 0 && failed(checkBatch(e, lhs, l, rhs, r)))
      return failure();
    bool isLeft = l >= 0 && getConstantIntValue(left[l]) != 1;
    bool isKnown = r >= 0 && getConstantIntValue(right[r]).value_or(1) != 1;
    if (l >= 0 && (isLeft || r < 0) &&
        !(isKnown && !getConstantIntValue(left[l])))
      batch.push_back(left[l]);
    else
      batch.push_back(right[r]);
  }
  auto extend = [&](Value &tensor, ArrayRef<OpFoldResult> own) {
    SmallVector<OpFoldResult> sizes(batch);
    llvm::append_range(sizes, own.take_back(2));
    auto places =
        llvm::to_vector(llvm::seq<int64_t>(rank - getRank(tensor), rank));
    FailureOr<Value> extended = e.broadcastTo(tensor, places, sizes);
    if (succeeded(extended))
      tensor = *extended;
    return success(succeeded(extended));
  };
  return success(succeeded(extend(lhs, left)) && succeeded(extend(rhs, right)));
}

/// The matrix that `matrix` is the transpose of, or none.
static Value getTransposed(Value matrix) {
  auto permute = matrix.getDefiningOp<fusion::PermuteOp>();
  bool isTranspose =
      permute && permute.getPermutation() == ArrayRef<int64_t>({1, 0});
  return isTranspose ? permute->getOperand(0) : Value();
}

/// What is summed over has one size, by the dimensions that the operands have
/// before vectors become matrices.
static LogicalResult checkSummed(Emitter &e, Value lhs, Value rhs,
                                 bool isLinear) {
  return fusion::verifySummed({cast<RankedTensorType>(lhs.getType()),
                               cast<RankedTensorType>(rhs.getType()), isLinear,
                               /*isPart=*/e.asked != e.request.name},
                              [&] { return e.error(); });
}

/// Matrices, batches of them, and vectors, as PyTorch has it: a vector on the
/// left is a row, on the right a column.
static FailureOr<Value> multiply(Emitter &e, Value lhs, Value rhs,
                                 Type element) {
  if (failed(checkSummed(e, lhs, rhs, /*isLinear=*/false)))
    return failure();
  // What lies transposed is not moved.
  if (Value weight = getTransposed(rhs))
    return linear(e, lhs, weight, element);
  bool isVector = getRank(rhs) == 1;
  if (isVector || (getRank(rhs) == 2 && getRank(lhs) > 2)) {
    // One matrix for all rows on the left: nothing is broadcast.
    FailureOr<Value> weight = rhs;
    if (isVector)
      weight = addDim(e, rhs, 0);
    else
      weight =
          e.create("permute", rhs,
                   e.builder.getNamedAttr(
                       "permutation", e.builder.getDenseI64ArrayAttr({1, 0})));
    if (failed(weight))
      return failure();
    FailureOr<Value> result = linear(e, lhs, *weight, element);
    if (failed(result) || !isVector)
      return result;
    return e.squeeze(*result, getRank(*result) - 1);
  }
  bool isRow = getRank(lhs) == 1;
  if (isRow) {
    FailureOr<Value> row = addDim(e, lhs, 0);
    if (failed(row))
      return failure();
    lhs = *row;
  }
  if (failed(broadcastBatch(e, lhs, rhs)))
    return failure();
  SmallVector<int64_t> shape(cast<RankedTensorType>(lhs.getType()).getShape());
  shape.back() = cast<RankedTensorType>(rhs.getType()).getShape().back();
  auto type = RankedTensorType::get(shape, element);
  FailureOr<Value> result =
      e.verify(fusion::MatmulOp::create(e.builder, e.loc, type, lhs, rhs));
  if (failed(result) || !isRow)
    return result;
  return e.squeeze(*result, getRank(*result) - 2);
}

static Results emitMatmul(Emitter &e) {
  FailureOr<Factors> factors = takeFactors(e);
  if (failed(factors) || failed(e.checkNoneLeft()))
    return failure();
  FailureOr<Value> sums = multiply(e, factors->lhs, factors->rhs, factors->sum);
  if (failed(sums))
    return failure();
  return single(e.cast(*sums, factors->result));
}

static FailureOr<Value> addBias(Emitter &e, Value sums, Value bias) {
  if (failed(e.checkPromotion(e.request.operands)))
    return failure();
  FailureOr<Value> summand = bias;
  if (isNarrowFloat(getElement(bias)))
    summand = e.cast(bias, getElement(sums));
  if (failed(summand))
    return failure();
  return e.elementwise("add", {sums, *summand});
}

/// A third operand is the bias. Of f16 and bf16 the sum is rounded, as in
/// PyTorch, and not the product too.
static Results emitLinear(Emitter &e) {
  FailureOr<Factors> factors = takeFactors(e);
  if (failed(factors))
    return failure();
  Value x = factors->lhs, weight = factors->rhs;
  Value bias = e.takeOperand();
  if (failed(e.checkNoneLeft()))
    return failure();
  if (getRank(weight) > 2)
    return e.error() << "a weight of one or two dimensions, got "
                     << weight.getType();
  if (failed(checkSummed(e, x, weight, /*isLinear=*/true)))
    return failure();
  bool isVector = getRank(weight) == 1;
  if (isVector) {
    FailureOr<Value> matrix = addDim(e, weight, 0);
    if (failed(matrix))
      return failure();
    weight = *matrix;
  }
  Type sum = factors->sum, type = factors->result;
  if (bias && !e.has("type"))
    type = promoteOperands(e.request.operands);
  FailureOr<Value> sums =
      linear(e, x, weight, bias ? getComputeType(sum) : sum);
  if (succeeded(sums) && isVector)
    sums = e.squeeze(*sums, getRank(*sums) - 1);
  if (succeeded(sums) && bias)
    sums = addBias(e, *sums, bias);
  if (failed(sums))
    return failure();
  return single(e.cast(*sums, type));
}

void frontend::addContractionOps(HandlerMap &map) {
  map["matmul"] = {emitMatmul, "type", "lhs rhs"};
  map["linear"] = {emitLinear, "type", "x weight bias..."};
}
