//===- Reduce.cpp - Makes a failing program smaller -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace fuser;
using namespace mlir;

using IsWrong = llvm::function_ref<bool(ModuleOp)>;

/// The values of `type` that are there without `op`.
static SmallVector<Value> getReplacements(Operation *op, Type type) {
  SmallVector<Value> candidates(op->getOperands());
  llvm::append_range(candidates, op->getBlock()->getArguments());
  llvm::erase_if(candidates,
                 [&](Value value) { return value.getType() != type; });
  return candidates;
}

/// Makes the attempt of this number to do without `op`. False if there are not
/// so many.
static bool removeOp(Operation *op, unsigned attempt) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return false;
  if (op->use_empty()) {
    if (attempt != 0)
      return false;
    op->erase();
    return true;
  }
  if (op->getNumResults() != 1)
    return false;
  auto values = getReplacements(op, op->getResult(0).getType());
  if (attempt >= values.size())
    return false;
  op->replaceAllUsesWith(ValueRange{values[attempt]});
  op->erase();
  return true;
}

static SmallVector<Operation *> getOps(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (op != module)
      ops.push_back(op);
  });
  return ops;
}

/// Does without one op of `module`, of which `index` says the place; returns
/// whether that was possible.
static bool reduceAt(OwningOpRef<ModuleOp> &module, size_t index,
                     IsWrong isWrong) {
  for (unsigned attempt = 0;; ++attempt) {
    OwningOpRef<ModuleOp> smaller = module->clone();
    if (!removeOp(getOps(*smaller)[index], attempt))
      return false;
    if (failed(verify(*smaller)) || !isWrong(*smaller))
      continue;
    module = std::move(smaller);
    return true;
  }
}

Reduction fuser::reduceProgram(OwningOpRef<ModuleOp> &module, IsWrong isWrong) {
  // Attempts that are not valid programs are nobody's errors.
  ScopedDiagnosticHandler quiet(module->getContext(),
                                [](Diagnostic &) { return success(); });
  Reduction ops;
  ops.before = getOps(*module).size();
  bool changed = true;
  while (changed) {
    changed = false;
    // An op that goes may take others with it, in its regions.
    for (size_t index = getOps(*module).size(); index-- > 0;)
      if (index < getOps(*module).size())
        changed |= reduceAt(module, index, isWrong);
  }
  ops.after = getOps(*module).size();
  return ops;
}
