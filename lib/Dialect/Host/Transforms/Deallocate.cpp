//===- Deallocate.cpp - Frees buffers after their last use ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace fuser::host {
#define GEN_PASS_DEF_HOSTDEALLOCATEPASS
#include "fuser/Dialect/Host/Transforms/Passes.h.inc"
} // namespace fuser::host

using namespace fuser;
using namespace fuser::host;

/// The ops beside `alloc` in which its buffer is used, views of it and all;
/// none if it is not to be freed here.
static SmallVector<Operation *> findUses(AllocOp alloc) {
  SmallVector<Operation *> uses{alloc};
  llvm::SmallSetVector<Value, 4> views;
  views.insert(alloc.getBuffer());
  for (size_t i = 0; i < views.size(); ++i)
    for (Operation *user : views[i].getUsers()) {
      auto output = dyn_cast<OutputViewOp>(user);
      bool isReturned = user->hasTrait<OpTrait::IsTerminator>();
      if (isa<DeallocOp>(user) || (output && !output.getInput()) || isReturned)
        return {};
      uses.push_back(alloc->getBlock()->findAncestorOpInBlock(*user));
      for (Value result : user->getResults())
        if (isa<MemRefType>(result.getType()))
          views.insert(result);
    }
  return uses;
}

/// Whether another stream becomes current between the allocation and the end of
/// an op behind it: then work on several streams may use the buffer, and where
/// they meet is not known here.
static bool changesStream(Operation *alloc, Operation *last) {
  for (Operation *op = alloc->getNextNode();; op = op->getNextNode()) {
    WalkResult result =
        op->walk([](SetStreamOp) { return WalkResult::interrupt(); });
    if (result.wasInterrupted())
      return true;
    if (op == last)
      return false;
  }
}

namespace {
struct Deallocate
    : public fuser::host::impl::HostDeallocatePassBase<Deallocate> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    WalkResult result = func.walk([](DeclareOp op) {
      op.emitOpError("expected names of buffers to be resolved, got '")
          << op.getName() << "': run host-resolve-aliases first";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    SmallVector<std::pair<AllocOp, Operation *>> freed;
    func.walk([&](AllocOp alloc) {
      SmallVector<Operation *> uses = findUses(alloc);
      if (uses.empty())
        return;
      Operation *last =
          *llvm::max_element(uses, [](Operation *a, Operation *b) {
            return a->isBeforeInBlock(b);
          });
      // What is not freed here is freed when the program ends.
      if (last == alloc || !changesStream(alloc, last))
        freed.emplace_back(alloc, last);
    });
    // From the last to the first, so that those after one use come in the
    // order of their buffers.
    for (auto [alloc, last] : llvm::reverse(freed)) {
      OpBuilder builder(alloc.getContext());
      builder.setInsertionPointAfter(last);
      DeallocOp::create(builder, last->getLoc(), alloc.getBuffer());
      ++numFreed;
    }
  }
};
} // namespace
