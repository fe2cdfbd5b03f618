//===- Calls.cpp - Functions that become part of those that call them -----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/Calls.h"
#include "mlir/Analysis/CallGraph.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/SCCIterator.h"

using namespace fuser;

/// Functions that call each other twice are 2^N ops soon.
static constexpr uint64_t kMostInlinedOps = 1 << 16;

static func::FuncOp getCallee(func::CallOp call,
                              SymbolTableCollection &symbols) {
  return symbols.lookupNearestSymbolFrom<func::FuncOp>(call,
                                                       call.getCalleeAttr());
}

//===----------------------------------------------------------------------===//
// How much there will be
//===----------------------------------------------------------------------===//

namespace {
/// How many ops functions have with what they call.
class InlinedSizes {
public:
  /// Counts `func`, whose callees are known unless they are it or call it.
  LogicalResult add(func::FuncOp func);

private:
  SymbolTableCollection symbols;
  llvm::DenseMap<Operation *, uint64_t> sizes;
};
} // namespace

LogicalResult InlinedSizes::add(func::FuncOp func) {
  uint64_t size = 0;
  WalkResult result = func.getBody().walk([&](Operation *op) {
    ++size;
    auto call = dyn_cast<func::CallOp>(op);
    func::FuncOp callee =
        call && !call.getNoInline() ? getCallee(call, symbols) : func::FuncOp();
    if (!callee || callee.getNoInline())
      return WalkResult::advance();
    // Neither is more than the limit, so that the sum is a number.
    size += sizes.lookup(callee);
    if (size <= kMostInlinedOps)
      return WalkResult::advance();
    call.emitOpError("expected at most ")
        << kMostInlinedOps << " ops in a function with what it calls, got "
        << size << " or more in '" << func.getSymName() << "' with '"
        << callee.getSymName() << "'";
    return WalkResult::interrupt();
  });
  sizes[func] = size;
  return failure(result.wasInterrupted());
}

/// Callees before callers.
static LogicalResult verifySizes(ModuleOp module) {
  const CallGraph graph(module);
  InlinedSizes sizes;
  for (auto group = llvm::scc_begin(&graph); !group.isAtEnd(); ++group)
    for (CallGraphNode *node : *group) {
      auto func = node->isExternal()
                      ? func::FuncOp()
                      : dyn_cast<func::FuncOp>(
                            node->getCallableRegion()->getParentOp());
      if (func && failed(sizes.add(func)))
        return failure();
    }
  return success();
}

LogicalResult fuser::inlineCalls(ModuleOp module) {
  WalkResult found =
      module.walk([](func::CallOp) { return WalkResult::interrupt(); });
  if (!found.wasInterrupted())
    return success();
  if (failed(verifySizes(module)))
    return failure();
  PassManager pm(module.getContext());
  // Nothing is simplified: the program decides as it is written.
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addPass(createSymbolDCEPass());
  return pm.run(module);
}

//===----------------------------------------------------------------------===//
// What is left
//===----------------------------------------------------------------------===//

/// Whether `func` is among what it calls, and what that calls.
static bool callsItself(func::FuncOp func, SymbolTableCollection &symbols) {
  llvm::SetVector<Operation *> reached;
  reached.insert(func);
  bool isReached = false;
  for (size_t i = 0; i < reached.size() && !isReached; ++i)
    reached[i]->walk([&](func::CallOp call) {
      func::FuncOp callee = getCallee(call, symbols);
      isReached |= callee == func;
      if (callee)
        reached.insert(callee);
    });
  return isReached;
}

LogicalResult fuser::verifyCalls(func::FuncOp entry) {
  SymbolTableCollection symbols;
  WalkResult result = entry.walk([&](func::CallOp call) {
    func::FuncOp callee = getCallee(call, symbols);
    bool isDeclared = callee && callee.isExternal();
    if (!isDeclared && !(callee && callsItself(callee, symbols)))
      return WalkResult::advance();
    call.emitOpError("expected a function that becomes part of the program, "
                     "got '")
        << callee.getSymName() << "', which "
        << (isDeclared ? "has no body" : "calls itself");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
