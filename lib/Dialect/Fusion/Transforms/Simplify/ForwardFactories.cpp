//===- ForwardFactories.cpp - Marking what is cheap to compute again ------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "mlir/IR/AffineExpr.h"

namespace fuser::fusion {
#define GEN_PASS_DEF_FORWARDFACTORIESPASS
#include "fuser/Dialect/Fusion/Transforms/Passes.h.inc"
} // namespace fuser::fusion

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

/// An op costs next to nothing up to this many arithmetic instructions an
/// element.
static constexpr unsigned kCheapElementCost = 2;
/// Chains of forwarded ops end here, so that what a segment computes again
/// stays small.
static constexpr unsigned kMaxChain = 8;

static unsigned getElementBits(Value tensor) {
  return getElementTypeOrSelf(tensor.getType()).getIntOrFloatBitWidth();
}

/// True if elements of the operand appear in the result more than once: some
/// dimension of the result is no dimension of the operand.
static bool repeatsElements(IndexMapOpInterface op) {
  AffineMap map = op.getAffineIndexMap(0);
  if (!map)
    return false;
  llvm::SmallDenseSet<unsigned> used;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      used.insert(dim.getPosition());
    else if (!isa<AffineConstantExpr>(expr))
      return false;
  }
  return used.size() < map.getNumDims();
}

/// True if it is better to compute `op` again than to read its result.
/// `isFree`: its operand is in memory anyway, or is computed again too.
static bool isCheap(Operation *op, bool isFree) {
  Value input = getTensorOperands(op)[0]->get();
  unsigned from = getElementBits(input);
  unsigned to = getElementBits(op->getResult(0));
  if (auto elementwise = dyn_cast<ElementwiseOpInterface>(op))
    return elementwise.getElementCost() <= kCheapElementCost &&
           (isFree ? to >= from : to > from);
  if (auto map = dyn_cast<IndexMapOpInterface>(op))
    return isFree || repeatsElements(map);
  return false;
}

namespace {

struct ForwardFactoriesPass
    : public fuser::fusion::impl::ForwardFactoriesPassBase<
          ForwardFactoriesPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(verifyDecomposed(getOperation())))
      return signalPassFailure();
    DenseMap<Operation *, unsigned> chains;
    getOperation().walk([&](Operation *op) {
      if (op->getParentOp() == getOperation())
        visit(op, chains);
    });
  }

  /// `chains` has the marked ops, and how many marked ops lead to each.
  void visit(Operation *op, DenseMap<Operation *, unsigned> &chains) {
    if (!isa<TensorOpInterface>(op) || op->getNumResults() != 1 ||
        op->use_empty() || llvm::any_of(op->getUsers(), readsMemory))
      return;
    unsigned chain = 1;
    if (auto factory = dyn_cast<FactoryOpInterface>(op)) {
      if (!factory.isForwardable())
        return;
    } else {
      SmallVector<OpOperand *> inputs = getTensorOperands(op);
      if (inputs.size() != 1)
        return;
      Operation *producer = inputs[0]->get().getDefiningOp();
      auto marked = chains.find(producer);
      bool isFree = !producer || marked != chains.end();
      if (!isCheap(op, isFree))
        return;
      if (marked != chains.end())
        chain += marked->second;
    }
    if (chain > kMaxChain)
      return;
    chains[op] = chain;
    op->setAttr(FusionDialect::getForwardAttrName(),
                UnitAttr::get(op->getContext()));
    ++numMarked;
  }
};

} // namespace
