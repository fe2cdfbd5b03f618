//===- ReferenceContraction.cpp - Matrix products in f64 ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A serial sum of products for each element of the result, of integers in its
// type. The bound of floats, with u
// the unit roundoff of what kernels compute in and n products: whatever the
// order of the sum, n u (sum of magnitudes), and what the bounds of the
// operands make of each product. For f64 twice that, because the reference's
// own arithmetic is no better.
//
//===----------------------------------------------------------------------===//

#include "BoundArithmetic.h"
#include "ReferenceLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace fuser;
using namespace fuser::reference;
using fusion::DimRole;

/// Whether there is nothing to compute: dimensions of one role differ, which is
/// recorded, or the result has no elements.
Value ReferenceLowering::emitIsNothing(ContractionOpInterface op) {
  Value differs = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  forEachSharedDim(op, [&](unsigned x, int64_t dimX, unsigned y, int64_t dimY) {
    Value ne = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ne,
        emitIndex(getDim(op.getContractedTensor(x), dimX)),
        emitIndex(getDim(op.getContractedTensor(y), dimY)));
    differs = arith::OrIOp::create(b, loc, differs, ne);
  });
  emitCheck(differs);
  Value isEmpty = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        emitIndex(emitCount(op->getResult(0))),
                                        emitIndex(b.getIndexAttr(0)));
  return arith::OrIOp::create(b, loc, differs, isEmpty);
}

/// `magnitude` times `bound`, which is nothing if the bound is 0, whatever the
/// magnitude.
static Value emitScaled(OpBuilder &b, Location loc, Value magnitude,
                        Value bound) {
  Value zero = reference::emitConstant(b, loc, 0);
  Value isExact =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, bound, zero);
  Value product = arith::MulFOp::create(b, loc, magnitude, bound);
  return arith::SelectOp::create(b, loc, isExact, zero, product);
}

static Value emitInteger(OpBuilder &b, Location loc, Value x, Type type,
                         bool isSigned) {
  if (x.getType() == type)
    return x;
  return isSigned ? arith::ExtSIOp::create(b, loc, type, x).getResult()
                  : arith::ExtUIOp::create(b, loc, type, x).getResult();
}

/// Of an integer, for its magnitude.
static Value emitFloat(OpBuilder &b, Location loc, Value x, bool isSigned) {
  Type f64 = b.getF64Type();
  return isSigned ? arith::SIToFPOp::create(b, loc, f64, x).getResult()
                  : arith::UIToFPOp::create(b, loc, f64, x).getResult();
}

/// What is added to the sum of products, to the bound that follows from the
/// operands', and to the sum of magnitudes.
SmallVector<Value> ReferenceLowering::emitProduct(ContractionOpInterface op,
                                                  ValueRange lhs,
                                                  ValueRange rhs) {
  Value x = load(op.getContractedTensor(0), lhs);
  Value y = load(op.getContractedTensor(1), rhs);
  Type factor = getElementTypeOrSelf(op.getContractedTensor(0));
  SmallVector<Value> added;
  if (isIntegerElement(factor)) {
    bool isSigned = isSignedElement(factor);
    Type sum = getComputeTypeOf(op->getResult(0));
    added.push_back(
        arith::MulIOp::create(b, loc, emitInteger(b, loc, x, sum, isSigned),
                              emitInteger(b, loc, y, sum, isSigned)));
    x = emitFloat(b, loc, x, isSigned);
    y = emitFloat(b, loc, y, isSigned);
  } else {
    added.push_back(arith::MulFOp::create(b, loc, x, y));
  }
  if (!hasBound(op->getResult(0)))
    return added;
  Value ofX = loadBound(op.getContractedTensor(0), lhs);
  Value ofY = loadBound(op.getContractedTensor(1), rhs);
  x = math::AbsFOp::create(b, loc, x);
  y = math::AbsFOp::create(b, loc, y);
  Value moved = arith::AddFOp::create(b, loc, emitScaled(b, loc, x, ofY),
                                      emitScaled(b, loc, y, ofX));
  added.push_back(
      arith::AddFOp::create(b, loc, moved, emitScaled(b, loc, ofX, ofY)));
  added.push_back(arith::MulFOp::create(b, loc, x, y));
  return added;
}

/// `bound` of a sum of integers of these magnitudes: a sum that may wrap may be
/// anything, unless it is exact.
static Value emitWrappedBound(OpBuilder &b, Location loc, Type type,
                              Value bound, Value magnitude) {
  int bits = static_cast<int>(type.getIntOrFloatBitWidth());
  Value most =
      reference::emitConstant(b, loc, std::ldexp(1.0, std::max(bits - 1, 0)));
  Value zero = reference::emitConstant(b, loc, 0);
  Value mayWrap = arith::AndIOp::create(
      b, loc,
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, bound, zero),
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGE,
                            arith::AddFOp::create(b, loc, magnitude, bound),
                            most));
  return arith::SelectOp::create(b, loc, mayWrap, emitInfinity(b, loc), bound);
}

/// The bound of `sums` before it is rounded: the sum, the operands' bound, and
/// the sum of magnitudes.
Value ReferenceLowering::emitContractionBound(ContractionOpInterface op,
                                              ValueRange sums, Value count) {
  Type type = getElementTypeOrSelf(op->getOperand(0));
  if (isIntegerElement(type))
    return emitWrappedBound(b, loc, getElementTypeOrSelf(op->getResult(0)),
                            sums[1], sums[2]);
  Value units = arith::UIToFPOp::create(
      b, loc, b.getF64Type(),
      arith::IndexCastUIOp::create(b, loc, b.getI64Type(), count));
  if (type.isF64())
    units = arith::AddFOp::create(b, loc, units, units);
  Value bound =
      arith::AddFOp::create(b, loc, sums[1], emitUnits(type, units, sums[2]));
  // An infinity less another one; and a part of the sum may be infinite.
  Value isNaN =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, bound, bound);
  Value isAnything =
      arith::OrIOp::create(b, loc, isNaN, emitOverflows(sums[2], type.isF64()));
  return arith::SelectOp::create(b, loc, isAnything, emitInfinity(b, loc),
                                 bound);
}

namespace {
/// The indices into the operands and the result of a contraction.
struct ContractedIndices {
  explicit ContractedIndices(ContractionOpInterface op) : op(op) {
    for (unsigned tensor : {0, 1, 2})
      of[tensor].resize(op.getDimRoles(tensor).size());
  }

  /// Of the dimension that is number `position` of its role.
  void set(DimRole role, size_t position, Value index) {
    for (unsigned tensor : {0, 1, 2}) {
      SmallVector<int64_t> dims = op.getDims(tensor, role);
      if (position < dims.size())
        of[tensor][dims[position]] = index;
    }
  }

  ContractionOpInterface op;
  SmallVector<Value> of[3];
};
} // namespace

/// The loops over the contracted dimensions, serial, in order.
SmallVector<Value> ReferenceLowering::emitProductLoops(
    ContractionOpInterface op, ArrayRef<OpFoldResult> sizes,
    function_ref<SmallVector<Value>(ValueRange)> emitAdded) {
  bool isInteger = isIntegerElement(getElementTypeOrSelf(op->getResult(0)));
  // Of narrow floats wider than the result, which is rounded once.
  SmallVector<Value> sums = {emitZero(getComputeTypeOf(
      isInteger ? op->getResult(0) : op.getContractedTensor(0)))};
  if (hasBound(op->getResult(0)))
    sums.append(2, emitConstant(b, loc, 0));
  OpBuilder::InsertionGuard guard(b);
  SmallVector<scf::ForOp> loops;
  SmallVector<Value> index;
  for (OpFoldResult size : sizes) {
    loops.push_back(createLoop(size, sums));
    sums.assign(loops.back().getRegionIterArgs().begin(),
                loops.back().getRegionIterArgs().end());
    index.push_back(loops.back().getInductionVar());
  }
  for (auto [sum, added] : llvm::zip_equal(sums, emitAdded(index)))
    sum = isa<FloatType>(sum.getType())
              ? arith::AddFOp::create(b, loc, sum, added).getResult()
              : arith::AddIOp::create(b, loc, sum, added).getResult();
  for (scf::ForOp loop : llvm::reverse(loops)) {
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, sums);
    sums.assign(loop.getResults().begin(), loop.getResults().end());
  }
  return sums;
}

void ReferenceLowering::lowerContraction(ContractionOpInterface op) {
  allocate(cast<TensorOpInterface>(op.getOperation()));
  OpBuilder::InsertionGuard guard(b);
  Value isNothing = emitIsNothing(op), zero = emitIndex(b.getIndexAttr(0));
  Value count = emitIndex(b.getIndexAttr(1));
  SmallVector<OpFoldResult> contracted;
  for (int64_t dim : op.getDims(0, DimRole::Contracted)) {
    contracted.push_back(getDim(op.getContractedTensor(0), dim));
    count = arith::MulIOp::create(b, loc, count, emitIndex(contracted.back()));
  }
  ContractedIndices indices(op);
  SmallVector<DimRole> roles = op.getDimRoles(2);
  for (auto [dim, size] : llvm::enumerate(getSizes(op->getResult(0)))) {
    Value end =
        arith::SelectOp::create(b, loc, isNothing, zero, emitIndex(size));
    SmallVector<int64_t> dims = op.getDims(2, roles[dim]);
    indices.set(roles[dim],
                llvm::find(dims, static_cast<int64_t>(dim)) - dims.begin(),
                createLoop(end).getInductionVar());
  }
  SmallVector<Value> sums =
      emitProductLoops(op, contracted, [&](ValueRange index) {
        for (auto [position, value] : llvm::enumerate(index))
          indices.set(DimRole::Contracted, position, value);
        return emitProduct(op, indices.of[0], indices.of[1]);
      });
  store(sums.front(), op, indices.of[2]);
  if (!hasBound(op->getResult(0)))
    return;
  Value bound = emitContractionBound(op, sums, count);
  storeBound(emitRoundedBound(op, sums.front(), bound), op, indices.of[2]);
}
