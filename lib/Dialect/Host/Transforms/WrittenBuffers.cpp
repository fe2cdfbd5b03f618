//===- WrittenBuffers.cpp - What a host program writes into ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/Transforms/ProgramRules.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace fuser;

/// The values that are, or may be, what `use` hands to its op: views, results
/// of branches, what loops carry.
static SmallVector<Value> findViews(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    auto argument = branch.getSuccessorBlockArgument(use.getOperandNumber());
    return argument ? SmallVector<Value>{*argument} : SmallVector<Value>();
  }
  auto regions = dyn_cast<RegionBranchOpInterface>(op);
  if (isa<RegionBranchTerminatorOpInterface>(op))
    regions = dyn_cast<RegionBranchOpInterface>(op->getParentOp());
  if (!regions)
    return SmallVector<Value>(op->getResults());
  mlir::RegionBranchSuccessorMapping mapping;
  regions.getSuccessorOperandInputMapping(mapping);
  return mapping.lookup(&use);
}

bool host::mayBeWritten(Value buffer) {
  llvm::SmallSetVector<Value, 4> views;
  views.insert(buffer);
  for (size_t i = 0; i < views.size(); ++i) {
    Value view = views[i];
    for (OpOperand &use : view.getUses()) {
      if (mlir::hasEffect<MemoryEffects::Write>(use.getOwner(), view))
        return true;
      for (Value next : findViews(use))
        if (isa<MemRefType>(next.getType()))
          views.insert(next);
    }
  }
  return false;
}
