//===- ResolveAliases.cpp - Buffers in place of names ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"

namespace fuser::host {
#define GEN_PASS_DEF_HOSTRESOLVEALIASESPASS
#include "fuser/Dialect/Host/Transforms/Passes.h.inc"
} // namespace fuser::host

using namespace fuser;
using namespace fuser::host;

/// Names, in the order of their declaration, and their aliases.
using AliasMap = llvm::MapVector<Value, AliasOp>;

namespace {
struct ResolveAliases
    : public fuser::host::impl::HostResolveAliasesPassBase<ResolveAliases> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// The alias of every declared name, or failure after a diagnostic.
static FailureOr<AliasMap> collectAliases(func::FuncOp func) {
  AliasMap aliases;
  func.walk([&](DeclareOp op) { aliases[op.getBuffer()] = nullptr; });
  func.walk([&](AliasOp op) { aliases[op.getName()] = op; });
  for (auto [name, alias] : aliases)
    if (!alias)
      return name.getDefiningOp<DeclareOp>().emitOpError(
                 "expected an alias for the name '")
             << name.getDefiningOp<DeclareOp>().getName()
             << "', got none: no host.alias says which buffer it is";
  return aliases;
}

/// The buffer at the end of the chain that starts at `alias`, or null after a
/// diagnostic.
static Value followChain(AliasOp alias, const AliasMap &aliases) {
  llvm::SmallSetVector<Operation *, 4> chain;
  for (AliasOp next = alias; chain.insert(next);) {
    const auto *it = aliases.find(next.getBuffer());
    if (it == aliases.end())
      return next.getBuffer();
    next = it->second;
  }
  InFlightDiagnostic diag = alias.emitOpError(
      "expected a chain of names that ends at a buffer, got a cycle");
  for (Operation *op : chain)
    if (op != alias)
      diag.attachNote(op->getLoc()) << "this alias is in the cycle";
  return nullptr;
}

/// Checks that `buffer` exists at every use of `name`.
static LogicalResult checkUses(AliasOp alias, Value buffer,
                               const DominanceInfo &dominance) {
  for (OpOperand &use : alias.getName().getUses()) {
    Operation *user = use.getOwner();
    if (isa<AliasOp>(user) || dominance.properlyDominates(buffer, user))
      continue;
    InFlightDiagnostic diag =
        user->emitOpError("expected to use the name '")
        << alias.getName().getDefiningOp<DeclareOp>().getName()
        << "' after its buffer exists, got a use before";
    diag.attachNote(buffer.getLoc()) << "the buffer comes to be here";
    diag.attachNote(alias.getLoc()) << "the name is aliased here";
    return diag;
  }
  return success();
}

/// Puts `buffer` in place of `name`, through a cast where the types differ.
static void replaceName(Value name, Value buffer) {
  if (name.getType() == buffer.getType())
    return name.replaceAllUsesWith(buffer);
  OpBuilder builder(name.getContext());
  builder.setInsertionPointAfterValue(buffer);
  Value cast =
      memref::CastOp::create(builder, name.getLoc(), name.getType(), buffer);
  name.replaceAllUsesWith(cast);
}

void ResolveAliases::runOnOperation() {
  FailureOr<AliasMap> aliases = collectAliases(getOperation());
  if (failed(aliases))
    return signalPassFailure();

  auto &dominance = getAnalysis<DominanceInfo>();
  SmallVector<Value> buffers;
  for (auto [name, alias] : *aliases) {
    Value buffer = followChain(alias, *aliases);
    if (!buffer || failed(checkUses(alias, buffer, dominance)))
      return signalPassFailure();
    buffers.push_back(buffer);
  }

  for (auto &entry : *aliases)
    entry.second.erase();
  for (auto [entry, buffer] : llvm::zip_equal(*aliases, buffers)) {
    replaceName(entry.first, buffer);
    entry.first.getDefiningOp()->erase();
    ++numResolved;
  }
}
