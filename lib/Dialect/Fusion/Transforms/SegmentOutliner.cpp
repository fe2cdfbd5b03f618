//===- SegmentOutliner.cpp - Moving groups of ops into segments -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentOutliner.h"
#include "fuser/Analysis/OpSummary.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

namespace {

/// Makes one segment.
class Outliner {
public:
  Outliner(ArrayRef<Operation *> ops)
      : ops(ops), inside(ops.begin(), ops.end()) {
    for (Operation *op : ops)
      collect(op);
  }

  ArrayRef<Value> getInputs() const { return inputs.getArrayRef(); }
  void fill(Block *body);

private:
  bool isInside(Value value) const {
    return value.getDefiningOp() && inside.contains(value.getDefiningOp());
  }
  static bool isCopied(Value value) {
    Operation *op = value.getDefiningOp();
    return op && (isForwarded(op) || op->hasTrait<OpTrait::ConstantLike>());
  }

  void collect(Operation *op);
  Value getInner(OpBuilder &builder, Value value);

  ArrayRef<Operation *> ops;
  llvm::SmallDenseSet<Operation *> inside;
  llvm::SetVector<Value> inputs;
  IRMapping mapping;
};

} // namespace

/// The operands that enter the segment, through what is copied.
void Outliner::collect(Operation *op) {
  SmallVector<Operation *> work{op};
  while (!work.empty()) {
    for (Value value : work.pop_back_val()->getOperands()) {
      if (isInside(value))
        continue;
      if (isCopied(value))
        work.push_back(value.getDefiningOp());
      else
        inputs.insert(value);
    }
  }
}

Value Outliner::getInner(OpBuilder &builder, Value value) {
  if (isInside(value) || !isCopied(value))
    return mapping.lookupOrDefault(value);
  if (Value copied = mapping.lookupOrNull(value))
    return copied;
  // Copies may depend on copies. Operands first, without recursion.
  SmallVector<Operation *> chain{value.getDefiningOp()};
  for (size_t i = 0; i < chain.size(); ++i)
    for (Value operand : chain[i]->getOperands())
      if (!isInside(operand) && isCopied(operand) && !mapping.contains(operand))
        chain.push_back(operand.getDefiningOp());
  for (Operation *op : llvm::reverse(chain))
    if (!mapping.contains(op->getResult(0))) {
      Operation *clone = builder.clone(*op, mapping);
      clone->removeAttr(FusionDialect::getForwardAttrName());
    }
  return mapping.lookup(value);
}

void Outliner::fill(Block *body) {
  for (auto [input, arg] : llvm::zip_equal(inputs, body->getArguments()))
    mapping.map(input, arg);
  OpBuilder builder(body->getParentOp()->getContext());
  for (Operation *op : ops) {
    builder.setInsertionPointToEnd(body);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(getInner(builder, operand));
    op->moveBefore(body, body->end());
    op->setOperands(operands);
  }
}

/// The stride order hinted for `result`: of what is returned, the function's
/// word counts; null for none.
static Attribute getHint(Value result) {
  StringRef name = FusionDialect::getStrideOrderHintAttrName();
  for (OpOperand &use : result.getUses())
    if (isa<func::ReturnOp>(use.getOwner()))
      return cast<func::FuncOp>(use.getOwner()->getParentOp())
          .getResultAttr(use.getOperandNumber(), name);
  return result.getDefiningOp()->getAttr(name);
}

/// An array, or null without any hint.
static ArrayAttr getResultHints(OpBuilder &builder, ArrayRef<Value> results) {
  bool hasHint = false;
  SmallVector<Attribute> hints;
  for (Value result : results) {
    Attribute hint = getHint(result);
    hasHint |= hint != nullptr;
    hints.push_back(hint ? hint : builder.getUnitAttr());
  }
  return hasHint ? builder.getArrayAttr(hints) : nullptr;
}

SegmentOp fuser::fusion::outlineSegment(OpBuilder &builder,
                                        ArrayRef<Operation *> ops,
                                        ArrayRef<Value> results,
                                        StringRef scheduler) {
  Outliner outliner(ops);
  SmallVector<Type> types;
  for (Value result : results)
    types.push_back(result.getType());
  Location loc = ops.back()->getLoc();
  auto segment =
      SegmentOp::create(builder, loc, types, outliner.getInputs(), scheduler);
  Block *body = &segment.getBody().front();
  outliner.fill(body);
  if (ArrayAttr hints = getResultHints(builder, results))
    segment.setResultHintsAttr(hints);

  // Everything outside sees the segment's results from now on.
  for (auto [value, outer] : llvm::zip_equal(results, segment.getResults())) {
    Value inner = value;
    inner.replaceUsesWithIf(outer, [&](OpOperand &use) {
      return use.getOwner()->getBlock() != body;
    });
  }
  OpBuilder end = OpBuilder::atBlockEnd(body);
  YieldOp::create(end, loc, results);
  return segment;
}
