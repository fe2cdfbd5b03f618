//===- Accesses.cpp - Which elements an element is made of ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/Accesses.h"
#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "llvm/ADT/DenseSet.h"

using namespace fuser;

AffineMap fuser::getIdentityMap(Value tensor) {
  return AffineMap::getMultiDimIdentityMap(
      cast<RankedTensorType>(tensor.getType()).getRank(), tensor.getContext());
}

/// The index in operand `number` of `op`, for the index `map` in its result.
static AffineMap mapToOperand(Operation *op, unsigned number, AffineMap map) {
  auto indexMap = dyn_cast<fusion::IndexMapOpInterface>(op);
  if (!indexMap)
    return map;
  AffineMap step = map ? indexMap.getAffineIndexMap(number) : AffineMap();
  return step ? simplifyAffineMap(step.compose(map)) : AffineMap();
}

void fuser::walkAccesses(llvm::ArrayRef<Access> starts,
                         llvm::function_ref<bool(Value, AffineMap)> visit) {
  DenseSet<Access> seen;
  SmallVector<Access> stack;
  auto push = [&](Value value, AffineMap at) {
    if (seen.insert({value, at}).second)
      stack.emplace_back(value, at);
  };
  for (auto [value, at] : starts)
    push(value, at);
  while (!stack.empty()) {
    auto [value, at] = stack.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!visit(value, at) || !isa_and_nonnull<fusion::ElementwiseOpInterface,
                                              fusion::IndexMapOpInterface>(op))
      continue;
    for (auto [number, operand] :
         llvm::enumerate(fusion::getTensorOperands(op)))
      push(operand->get(), mapToOperand(op, number, at));
  }
}

AffineMap fuser::dropUnitDims(AffineMap map, llvm::ArrayRef<int64_t> shape) {
  SmallVector<AffineExpr> dims;
  for (auto [dim, size] : llvm::enumerate(shape))
    dims.push_back(size == 1 ? getAffineConstantExpr(0, map.getContext())
                             : getAffineDimExpr(dim, map.getContext()));
  return simplifyAffineMap(map.replaceDimsAndSymbols(dims, {}, dims.size(), 0));
}

bool fuser::isBroadcast(AffineMap map, llvm::ArrayRef<int64_t> from,
                        llvm::ArrayRef<int64_t> to) {
  if (!map || !map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return false;
  int64_t last = -1;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), from)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim && size == 1)
      continue;
    if (!dim || static_cast<int64_t>(dim.getPosition()) <= last ||
        to[dim.getPosition()] != size)
      return false;
    last = dim.getPosition();
  }
  return true;
}

bool fuser::readsSameElement(Operation *op, unsigned operand,
                             const ShapeSymbols &symbols) {
  if (isa<fusion::ElementwiseOpInterface>(op))
    return true;
  auto map = dyn_cast<fusion::IndexMapOpInterface>(op);
  AffineMap affine = map ? map.getAffineIndexMap(operand) : AffineMap();
  // A part of a cat, and what a pad begins with, are at the same coordinates.
  return affine && affine.isIdentity() &&
         symbols.getShape(fusion::getTensorOperands(op)[operand]->get()) ==
             symbols.getShape(op->getResult(0));
}

Operation *fuser::findReaderElsewhere(
    llvm::ArrayRef<Value> tensors,
    llvm::function_ref<bool(Value, Operation *)> isOther) {
  SmallVector<Value> work(tensors);
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    Value tensor = work.pop_back_val();
    for (Operation *reader : tensor.getUsers()) {
      // What returns it, or asks for its size, reads no element.
      if (reader->hasTrait<OpTrait::IsTerminator>() ||
          !reader->getNumResults() ||
          !isa<RankedTensorType>(reader->getResult(0).getType()))
        continue;
      if (!isa<fusion::ElementwiseOpInterface>(reader) ||
          (isOther && isOther(tensor, reader)))
        return reader;
      if (seen.insert(reader).second)
        work.push_back(reader->getResult(0));
    }
  }
  return nullptr;
}

Operation *fuser::findReaderElsewhere(fusion::SegmentOp segment, Value input) {
  SmallVector<Value> inner;
  for (auto [operand, arg] :
       llvm::zip_equal(segment.getInputs(), segment.getBody().getArguments()))
    if (operand == input)
      inner.push_back(arg);
  return findReaderElsewhere(inner);
}
