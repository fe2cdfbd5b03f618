//===- Calls.cpp - Functions that become part of those that call them -----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/Calls.h"
#include "mlir/Analysis/CallGraph.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"
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

//===----------------------------------------------------------------------===//
// Callees in place of calls
//===----------------------------------------------------------------------===//

namespace {
/// Functions become part of what calls them from callers to callees, so that
/// each op is made once: in the other order the last function of a chain is
/// moved, and gets another location, as often as there are functions.
class Calls : public InlinerInterface {
public:
  explicit Calls(ModuleOp module);

  /// Leaves no call in `func` but of functions that stay, which it returns.
  SmallVector<func::FuncOp> inlineInto(func::FuncOp func);

private:
  void processInlinedBlocks(
      llvm::iterator_range<Region::iterator> inlinedBlocks) override;
  LogicalResult inlineCallee(func::CallOp call, func::FuncOp callee);

  SymbolTableCollection symbols;
  /// Functions that call themselves, by others too.
  llvm::DenseSet<Operation *> recursive;
  SmallVector<func::CallOp> left;
};
} // namespace

Calls::Calls(ModuleOp module) : InlinerInterface(module.getContext()) {
  const CallGraph graph(module);
  for (auto group = llvm::scc_begin(&graph); !group.isAtEnd(); ++group)
    for (CallGraphNode *node : *group)
      if (!node->isExternal() && group.hasCycle())
        recursive.insert(node->getCallableRegion()->getParentOp());
}

void Calls::processInlinedBlocks(
    llvm::iterator_range<Region::iterator> inlinedBlocks) {
  for (Block &block : inlinedBlocks)
    block.walk([&](func::CallOp call) { left.push_back(call); });
}

LogicalResult Calls::inlineCallee(func::CallOp call, func::FuncOp callee) {
  InlinerConfig config;
  if (!callee || callee.isExternal() || recursive.contains(callee) ||
      failed(inlineCall(*this, config.getCloneCallback(), call, callee,
                        &callee.getBody())))
    return failure();
  call.erase();
  return success();
}

SmallVector<func::FuncOp> Calls::inlineInto(func::FuncOp func) {
  SmallVector<func::FuncOp> others;
  func.walk([&](func::CallOp call) { left.push_back(call); });
  while (!left.empty()) {
    func::CallOp call = left.pop_back_val();
    func::FuncOp callee = getCallee(call, symbols);
    if (failed(inlineCallee(call, callee)) && callee)
      others.push_back(callee);
  }
  return others;
}

LogicalResult fuser::inlineCalls(ModuleOp module) {
  WalkResult found =
      module.walk([](func::CallOp) { return WalkResult::interrupt(); });
  if (!found.wasInterrupted())
    return success();
  if (failed(verifySizes(module)))
    return failure();
  Calls calls(module);
  llvm::SetVector<func::FuncOp> kept;
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isPrivate())
      kept.insert(func);
  for (size_t i = 0; i < kept.size(); ++i)
    for (func::FuncOp other : calls.inlineInto(kept[i]))
      kept.insert(other);
  PassManager pm(module.getContext());
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
