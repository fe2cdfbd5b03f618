//===- Reduce.cpp - Makes a failing program smaller -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace fuser;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Results and arguments
//===----------------------------------------------------------------------===//

/// The function that runs: the only one that no other op names.
static func::FuncOp findFunction(ModuleOp module) {
  func::FuncOp found;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!SymbolTable::symbolKnownUseEmpty(func, module))
      continue;
    if (found || !func.getBody().hasOneBlock())
      return nullptr;
    found = func;
  }
  return found;
}

static bool removeResult(func::FuncOp func, unsigned number) {
  auto terminator =
      dyn_cast<func::ReturnOp>(func.getBody().front().getTerminator());
  if (!terminator || failed(func.eraseResult(number)))
    return false;
  terminator->eraseOperand(number);
  return true;
}

/// False if something needs it. Results that lie in the memory of later
/// arguments follow them.
static bool removeArgument(func::FuncOp func, unsigned number) {
  if (!func.getArgument(number).use_empty())
    return false;
  StringRef name = fusion::FusionDialect::getAliasAttrName();
  for (unsigned result = 0; result < func.getNumResults(); ++result) {
    auto alias = func.getResultAttrOfType<fusion::AliasAttr>(result, name);
    if (!alias || alias.getKind() == fusion::AliasKind::New ||
        alias.getInput() < number)
      continue;
    if (alias.getInput() == number)
      return false;
    func.setResultAttr(result, name,
                       fusion::AliasAttr::get(func.getContext(),
                                              alias.getKind(),
                                              alias.getInput() - 1));
  }
  return succeeded(func.eraseArgument(number));
}

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

namespace {
/// A program that gets smaller as long as it is wrong.
class Reducer {
public:
  Reducer(OwningOpRef<ModuleOp> &module, IsWrong isWrong)
      : module(module), isWrong(isWrong) {
    if (func::FuncOp func = findFunction(*module))
      llvm::append_range(arguments, llvm::seq(func.getNumArguments()));
  }
  /// Tries all that can go; returns whether something went.
  bool run();

private:
  /// Goes on with `smaller` if it is wrong.
  bool tryProgram(OwningOpRef<ModuleOp> smaller, ArrayRef<unsigned> left);
  bool reduceResults();
  bool reduceOps();
  bool reduceOp(size_t index);
  bool reduceArguments();

  OwningOpRef<ModuleOp> &module;
  IsWrong isWrong;
  /// Those that are left, by their numbers in the whole program.
  SmallVector<unsigned> arguments;
};
} // namespace

bool Reducer::tryProgram(OwningOpRef<ModuleOp> smaller,
                         ArrayRef<unsigned> left) {
  if (failed(verify(*smaller)) || !isWrong(*smaller, left))
    return false;
  module = std::move(smaller);
  return true;
}

bool Reducer::reduceResults() {
  func::FuncOp func = findFunction(*module);
  bool changed = false;
  for (unsigned number = func ? func.getNumResults() : 0; number-- > 0;) {
    OwningOpRef<ModuleOp> smaller = module->clone();
    if (removeResult(findFunction(*smaller), number))
      changed |= tryProgram(std::move(smaller), arguments);
  }
  return changed;
}

bool Reducer::reduceArguments() {
  // It may be among the ops that went.
  if (!findFunction(*module))
    return false;
  bool changed = false;
  for (unsigned number = arguments.size(); number-- > 0;) {
    OwningOpRef<ModuleOp> smaller = module->clone();
    if (!removeArgument(findFunction(*smaller), number))
      continue;
    SmallVector<unsigned> left = arguments;
    left.erase(left.begin() + number);
    if (!tryProgram(std::move(smaller), left))
      continue;
    arguments = std::move(left);
    changed = true;
  }
  return changed;
}

/// Does without one op, of which `index` says the place; returns whether that
/// was possible.
bool Reducer::reduceOp(size_t index) {
  for (unsigned attempt = 0;; ++attempt) {
    OwningOpRef<ModuleOp> smaller = module->clone();
    if (!removeOp(getOps(*smaller)[index], attempt))
      return false;
    if (tryProgram(std::move(smaller), arguments))
      return true;
  }
}

bool Reducer::reduceOps() {
  bool changed = false;
  // An op that goes may take others with it, in its regions.
  for (size_t index = getOps(*module).size(); index-- > 0;)
    if (index < getOps(*module).size())
      changed |= reduceOp(index);
  return changed;
}

bool Reducer::run() {
  bool changed = reduceResults();
  changed |= reduceOps();
  changed |= reduceArguments();
  return changed;
}

Reduction fuser::reduceProgram(OwningOpRef<ModuleOp> &module, IsWrong isWrong) {
  // Attempts that are not valid programs are nobody's errors.
  ScopedDiagnosticHandler quiet(module->getContext(),
                                [](Diagnostic &) { return success(); });
  Reduction ops;
  ops.before = getOps(*module).size();
  Reducer reducer(module, isWrong);
  while (reducer.run()) {
  }
  ops.after = getOps(*module).size();
  return ops;
}
