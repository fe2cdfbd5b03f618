//===- TakenLayouts.cpp - Tensors of ops that take them as they lie -------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentPreparation.h"
#include "fuser/Analysis/TensorLayout.h"

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

/// The tensor is row-major from now on, but for what requires otherwise.
static void dropHint(Value tensor) {
  StringRef name = FusionDialect::getStrideOrderHintAttrName();
  tensor.getDefiningOp()->removeAttr(name);
  if (OpOperand *returned = findReturn(tensor))
    cast<func::FuncOp>(returned->getOwner()->getParentOp())
        .removeResultAttr(returned->getOperandNumber(),
                          StringAttr::get(tensor.getContext(), name));
}

/// Whether `tensor` has to be copied for operand `number` of `op`, or, for 2,
/// from its result: a hint that is in the way goes first.
static bool needsCopy(Operation *op, unsigned number, Value tensor) {
  TensorLayout layout = getTensorLayout(tensor);
  if (liesAsTaken(op, number, layout))
    return false;
  // A segment that is there already was made for its hints.
  if (!layout.isHint || tensor.getDefiningOp<SegmentOp>())
    return true;
  dropHint(tensor);
  return !liesAsTaken(op, number, getTensorLayout(tensor));
}

void fuser::fusion::layOutTakenTensors(func::FuncOp func) {
  Block &body = func.getBody().front();
  // Of each tensor one, for all that read it.
  DenseMap<Value, Value> copies;
  auto copy = [&](Operation *op, unsigned number) {
    Value tensor = stripBoundaries(getTakenTensor(op, number));
    if (!needsCopy(op, number, tensor))
      return;
    Value &copied = copies[tensor];
    if (!copied) {
      OpBuilder builder(op);
      builder.setInsertionPointAfterValue(tensor);
      copied = SetOp::create(builder, op->getLoc(), tensor.getType(), tensor);
    }
    op->setOperand(number, copied);
  };
  SmallVector<Operation *> ops;
  for (Operation &op : body)
    if (isComputedByLibrary(&op))
      ops.push_back(&op);
  for (Operation *op : ops) {
    for (unsigned number = 0, e = getTensorOperands(op).size(); number < e;
         ++number)
      copy(op, number);
    Value result = op->getResult(0);
    if (!needsCopy(op, 2, result))
      continue;
    // Required of what the function returns.
    OpBuilder builder(body.getTerminator());
    if (OpOperand *returned = findReturn(result))
      returned->set(
          SetOp::create(builder, op->getLoc(), result.getType(), result));
  }
}
