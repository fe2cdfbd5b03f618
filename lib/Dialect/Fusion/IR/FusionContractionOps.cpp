//===- FusionContractionOps.cpp - Matrix products -------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Fusion/ContractionShapes.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"

using namespace fuser;
using namespace fuser::fusion;

using Role = DimRole;

//===----------------------------------------------------------------------===//
// What contractions share
//===----------------------------------------------------------------------===//

/// `count` times `role`, and then `last`.
static SmallVector<Role> repeat(Role role, int64_t count,
                                ArrayRef<Role> last = {}) {
  SmallVector<Role> roles(std::max<int64_t>(count, 0), role);
  llvm::append_range(roles, last);
  return roles;
}

static RankedTensorType getTensorType(ContractionOpInterface op,
                                      unsigned number) {
  return cast<RankedTensorType>(op.getContractedTensor(number).getType());
}

void fusion::forEachSharedDim(
    ContractionOpInterface op,
    function_ref<void(unsigned, int64_t, unsigned, int64_t)> visit) {
  auto visitRole = [&](Role role, unsigned a, unsigned b) {
    for (auto [dimA, dimB] :
         llvm::zip_equal(op.getDims(a, role), op.getDims(b, role)))
      visit(a, dimA, b, dimB);
  };
  visitRole(Role::Batch, 0, 1);
  visitRole(Role::Contracted, 0, 1);
  visitRole(Role::Batch, 0, 2);
  visitRole(Role::Batch, 1, 2);
  visitRole(Role::Row, 0, 2);
  visitRole(Role::Column, 1, 2);
}

OpFoldResult fusion::reifyContractionDim(EmitContext &ctx,
                                         ContractionOpInterface op,
                                         int64_t dim) {
  RankedTensorType type = getTensorType(op, 2);
  if (!type.isDynamicDim(dim))
    return ctx.builder.getIndexAttr(type.getDimSize(dim));
  Role role = op.getDimRoles(2)[dim];
  unsigned operand = role == Role::Column ? 1 : 0;
  SmallVector<int64_t> dims = op.getDims(2, role);
  int64_t number = llvm::find(dims, dim) - dims.begin();
  return ctx.dim(op.getContractedTensor(operand),
                 op.getDims(operand, role)[number]);
}

LogicalResult fusion::verifyShared(const ProductDim &expected,
                                   const ProductDim &got,
                                   function_ref<InFlightDiagnostic()> emitError,
                                   StringRef advice) {
  int64_t size = expected.type.getDimSize(expected.dim),
          other = got.type.getDimSize(got.dim);
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(other) ||
      size == other)
    return success();
  return emitError() << "dimension " << got.dim << " of the " << got.name
                     << " to be " << size << ", as dimension " << expected.dim
                     << " of the " << expected.name << " is, got " << other
                     << ", of " << expected.type << " and " << got.type
                     << advice;
}

LogicalResult
fusion::verifySummed(const ProductOperands &operands,
                     function_ref<InFlightDiagnostic()> emitError) {
  auto [lhs, rhs, isLinear, isPart] = operands;
  int64_t last = lhs.getRank() - 1, rank = rhs.getRank();
  int64_t dim = rank - (isLinear || rank == 1 ? 1 : 2);
  StringRef advice;
  if (!isPart && rank == 2 && rhs.getDimSize(1 - dim) == lhs.getDimSize(last))
    advice = isLinear
                 ? ": a weight is [out, in]; 'matmul' takes it as [in, out]"
                 : ": a matrix on the right is [in, out]; 'linear' takes it as "
                   "[out, in]";
  return verifyShared({lhs, last, "left operand"}, {rhs, dim, "right operand"},
                      emitError, advice);
}

/// The sizes of dimensions of one role agree, as far as they are known.
static LogicalResult verifySizes(ContractionOpInterface op) {
  static constexpr StringLiteral kNames[] = {"left operand", "right operand",
                                             "result"};
  LogicalResult result = success();
  auto getDim = [&](unsigned tensor, int64_t dim) {
    return ProductDim{getTensorType(op, tensor), dim, kNames[tensor]};
  };
  forEachSharedDim(op, [&](unsigned a, int64_t dimA, unsigned b, int64_t dimB) {
    if (succeeded(result))
      result = verifyShared(getDim(a, dimA), getDim(b, dimB),
                            [&] { return op->emitOpError("expected "); });
  });
  return result;
}

bool fusion::isWideSum(Type factor, Type sum) {
  if (isNarrowFloat(factor))
    return sum.isF32();
  return isIntegerElement(factor) && sum.isSignlessInteger() &&
         sum.getIntOrFloatBitWidth() >
             std::max(16u, factor.getIntOrFloatBitWidth());
}

/// The element types of factors and of their sum.
static LogicalResult verifyElements(ContractionOpInterface op) {
  Type lhs = getTensorType(op, 0).getElementType();
  Type rhs = getTensorType(op, 1).getElementType();
  Type result = getTensorType(op, 2).getElementType();
  if (lhs == rhs && (result == lhs || isWideSum(lhs, result)))
    return success();
  return op->emitOpError("expected operands of one element type and a result "
                         "of that type, or of f32 if it is f16 or bf16, or of "
                         "i32 or i64 if it is a narrower integer, got ")
         << lhs << " and " << rhs << " to " << result;
}

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

SmallVector<Role> MatmulOp::getDimRoles(unsigned tensor) {
  static constexpr Role kLast[][2] = {{Role::Row, Role::Contracted},
                                      {Role::Contracted, Role::Column},
                                      {Role::Row, Role::Column}};
  return repeat(Role::Batch, getType().getRank() - 2, kLast[tensor]);
}

LogicalResult MatmulOp::verify() {
  int64_t lhs = getLhs().getType().getRank(),
          rhs = getRhs().getType().getRank(), result = getType().getRank();
  // matmul_c1
  if (result < 2 || lhs != result || rhs != result)
    return emitOpError("expected operands and result of the same rank, at "
                       "least 2, got ")
           << lhs << ", " << rhs << " and " << result;
  // matmul_c2
  if (failed(verifySummed(
          {getLhs().getType(), getRhs().getType(), /*isLinear=*/false},
          [&] { return emitOpError("expected "); })) ||
      failed(verifySizes(*this)))
    return failure();
  // matmul_c3
  return verifyElements(*this);
}

//===----------------------------------------------------------------------===//
// LinearOp
//===----------------------------------------------------------------------===//

SmallVector<Role> LinearOp::getDimRoles(unsigned tensor) {
  if (tensor == 1)
    return {Role::Column, Role::Contracted};
  return repeat(Role::Row, getType().getRank() - 1,
                tensor == 0 ? Role::Contracted : Role::Column);
}

LogicalResult LinearOp::verify() {
  int64_t input = getInput().getType().getRank(),
          weight = getWeight().getType().getRank(),
          result = getType().getRank();
  // linear_c1
  if (input < 1 || weight != 2 || result != input)
    return emitOpError("expected an input and a result of the same rank, at "
                       "least 1, and a weight of rank 2, got ")
           << input << ", " << result << " and " << weight;
  // linear_c2
  if (failed(verifySummed(
          {getInput().getType(), getWeight().getType(), /*isLinear=*/true},
          [&] { return emitOpError("expected "); })) ||
      failed(verifySizes(*this)))
    return failure();
  // linear_c3
  return verifyElements(*this);
}
