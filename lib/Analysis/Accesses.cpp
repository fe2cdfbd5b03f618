//===- Accesses.cpp - Which elements an element is made of ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/Accesses.h"
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
