//===- ScalarDivision.cpp - Scalar ops that stop on some values -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/ScalarDivision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace fuser;

static unsigned getWidth(Type type) {
  return type.isIndex() ? IndexType::kInternalStorageBitWidth
                        : type.getIntOrFloatBitWidth();
}

Value ScalarDivision::emitIsUndefined(OpBuilder &builder, Location loc,
                                      Value dividend, Value divisor) const {
  using Predicate = arith::CmpIPredicate;
  Type type = divisor.getType();
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(builder, loc, type,
                                     builder.getIntegerAttr(type, value));
  };
  auto compare = [&](Predicate predicate, Value value, const APInt &other) {
    return arith::CmpIOp::create(builder, loc, predicate, value,
                                 constant(other));
  };
  unsigned width = getWidth(type);
  Value isZero = compare(Predicate::eq, divisor, APInt::getZero(width));
  if (!isSigned)
    return isZero;
  Value isMinusOne = compare(Predicate::eq, divisor, APInt::getAllOnes(width));
  Value distance =
      arith::SubIOp::create(builder, loc, dividend, constant(firstEdge));
  Value isEdge = compare(Predicate::ult, distance, APInt(width, numEdges));
  Value doesNotFit = arith::AndIOp::create(builder, loc, isMinusOne, isEdge);
  return arith::OrIOp::create(builder, loc, isZero, doesNotFit);
}

namespace {
enum class DivisionKind { Unsigned, Signed, SignedRounded };
} // namespace

// Not all of them say of themselves that they may not be speculated.
static std::optional<DivisionKind> getDivisionKind(Operation *op) {
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, index::DivUOp,
          index::RemUOp, index::CeilDivUOp>(op))
    return DivisionKind::Unsigned;
  if (isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
          arith::FloorDivSIOp, index::DivSOp, index::RemSOp>(op))
    return DivisionKind::Signed;
  if (isa<index::CeilDivSOp, index::FloorDivSOp>(op))
    return DivisionKind::SignedRounded;
  return std::nullopt;
}

static bool isChecked(Type type) {
  return type.isIntOrIndex() && getWidth(type) <= 64;
}

/// max(x, 1), and the like.
static bool isAtLeastOne(Value value) {
  auto max = value.getDefiningOp<arith::MaxSIOp>();
  APInt least;
  return max && matchPattern(max.getRhs(), m_ConstantInt(&least)) &&
         least.isStrictlyPositive();
}

std::optional<ScalarDivision> fuser::getScalarDivision(Operation *op) {
  std::optional<DivisionKind> kind = getDivisionKind(op);
  if (!kind || !isChecked(op->getResult(0).getType()) ||
      isAtLeastOne(op->getOperand(1)))
    return std::nullopt;
  bool isSigned = *kind != DivisionKind::Unsigned;
  APInt divisor;
  if (matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
      !divisor.isZero() && !(isSigned && divisor.isAllOnes()))
    return std::nullopt;
  unsigned width = getWidth(op->getResult(0).getType());
  if (*kind != DivisionKind::SignedRounded)
    return ScalarDivision{isSigned, APInt::getSignedMinValue(width), 1};
  // Their lowering divides a neighbour of the dividend too: from the largest
  // number to the least but one.
  return ScalarDivision{isSigned, APInt::getSignedMaxValue(width), 3};
}

LogicalResult fuser::verifySizeArithmetic(Operation *op) {
  bool isDefined = getDivisionKind(op) ? isChecked(op->getResult(0).getType())
                                       : isSpeculatable(op);
  if (isDefined)
    return success();
  return op->emitOpError(
      "expected size arithmetic that is defined for all values, or a division "
      "or remainder of integers of at most 64 bits, got an op that may stop "
      "the program");
}
