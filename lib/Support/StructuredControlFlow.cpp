//===- StructuredControlFlow.cpp - Loops and branches as blocks -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Support/StructuredControlFlow.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Rewrite/PatternApplicator.h"

using namespace fuser;

/// From the last to the first: what is behind one moves to a block of its own,
/// and is no longer behind those before it. A conversion, which goes the other
/// way, takes quadratic time.
LogicalResult fuser::lowerStructuredControlFlow(ModuleOp module) {
  RewritePatternSet set(module.getContext());
  populateSCFToControlFlowConversionPatterns(set);
  FrozenRewritePatternSet patterns(std::move(set));
  PatternApplicator applicator(patterns);
  applicator.applyDefaultCostModel();
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder, ReverseIterator>([&](Operation *op) {
    if (isa<scf::SCFDialect>(op->getDialect()) &&
        !op->hasTrait<OpTrait::IsTerminator>())
      ops.push_back(op);
  });
  PatternRewriter rewriter(module.getContext());
  for (Operation *op : ops) {
    rewriter.setInsertionPoint(op);
    if (failed(applicator.matchAndRewrite(op, rewriter)))
      return op->emitOpError("expected a sequential loop or a branch");
  }
  return success();
}
