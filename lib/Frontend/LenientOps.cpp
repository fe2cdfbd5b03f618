//===- LenientOps.cpp - Ops by name, with broadcasting and promotion ------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "fuser/Support/Spelling.h"
#include "mlir/IR/Diagnostics.h"

using namespace fuser;
using namespace fuser::frontend;

static const HandlerMap &getHandlers() {
  static const HandlerMap map = [] {
    HandlerMap handlers;
    addElementwiseOps(handlers);
    addCompositeOps(handlers);
    addReshapeOps(handlers);
    addShapeOps(handlers);
    addArrangementOps(handlers);
    addFactoryOps(handlers);
    addGatherOps(handlers);
    addFibreOps(handlers);
    addScatterOps(handlers);
    addReductionOps(handlers);
    addContractionOps(handlers);
    addNormOps(handlers);
    addNumpyOps(handlers);
    addLossOps(handlers);
    addActivationOps(handlers);
    addDistanceOps(handlers);
    addAttentionOps(handlers);
    addProductOps(handlers);
    addEinsumOps(handlers);
    addVectorProductOps(handlers);
    addQuantileOps(handlers);
    addScaleLayoutOps(handlers);
    addQuantizationOps(handlers);
    return handlers;
  }();
  return map;
}

SmallVector<StringRef> frontend::getOpNames() {
  auto names = llvm::to_vector(getHandlers().keys());
  llvm::sort(names);
  return names;
}

bool frontend::isOpName(StringRef name) { return getHandlers().contains(name); }

/// What the op calls an attribute that Python's interface, or a user's
/// misspelling, has another name for; empty if it has none that is near.
static StringRef findAttribute(StringRef other, ArrayRef<StringRef> names) {
  static constexpr std::pair<StringRef, StringRef> kOfPython[] = {
      {"axis", "dim"},        {"axis", "dims"},         {"axes", "dims"},
      {"ddof", "correction"}, {"dtype", "type"},        {"keepdim", "keep"},
      {"keepdims", "keep"},   {"num_groups", "groups"}, {"reduce", "combine"}};
  for (auto [name, own] : kOfPython)
    if (name == other && llvm::is_contained(names, own))
      return own;
  return findNearName(other, names);
}

/// Checks that the op takes each attribute.
static LogicalResult checkAttributes(Emitter &e, StringRef known) {
  SmallVector<StringRef> names;
  known.split(names, ' ', -1, /*KeepEmpty=*/false);
  for (NamedAttribute attribute : e.request.attributes) {
    if (llvm::is_contained(names, attribute.getName().getValue()))
      continue;
    InFlightDiagnostic diag = e.error();
    if (names.empty())
      diag << "no attributes";
    else
      diag << "attributes '" << llvm::join(names, "', '") << "'";
    StringRef other = attribute.getName().getValue();
    diag << ", got '" << other << "'";
    if (StringRef own = findAttribute(other, names); !own.empty())
      diag << ": write '" << own << "'";
    return diag;
  }
  return success();
}

Results Emitter::apply(StringRef name, ArrayRef<Value> operands,
                       ArrayRef<NamedAttribute> attributes) {
  auto found = getHandlers().find(name);
  assert(found != getHandlers().end() && "of an op that there is");
  OpRequest part{name, operands, builder.getDictionaryAttr(attributes)};
  Emitter emitter(builder, loc, part, sizes);
  emitter.asked = asked;
  Results results = found->second.emit(emitter);
  if (emitter.demand)
    demand = emitter.demand;
  return results;
}

/// What an op of the dialect expects, without its name. What is said of its
/// operands and results by their numbers keeps it: they are not the user's.
static StringRef dropName(StringRef text) {
  StringRef rest = text;
  if (!rest.consume_front("'fusion."))
    return text;
  rest = rest.split("' op ").second;
  return rest.starts_with("expected ") ? rest : text;
}

/// Errors of what an op is made of as errors of the op: its name is what a user
/// has written.
static LogicalResult nameError(Diagnostic &diag, StringRef name) {
  std::string text = diag.str();
  StringRef own = text;
  own.consume_front("'");
  own.consume_front("fusion.");
  bool isNamed = own.consume_front(name) && own.starts_with("'");
  if (isNamed || diag.getSeverity() != DiagnosticSeverity::Error)
    return failure();
  Diagnostic named(diag.getLocation(), DiagnosticSeverity::Error);
  named << "'" << name << "': " << dropName(text);
  for (Diagnostic &note : diag.getNotes())
    named.attachNote(note.getLocation()) << note.str();
  diag.getLocation().getContext()->getDiagEngine().emit(std::move(named));
  return success();
}

FailureOr<SmallVector<Value>>
frontend::emitOp(OpBuilder &builder, Location loc, const OpRequest &request,
                 std::optional<SizeDemand> &demand, KnownSizes *sizes) {
  auto found = getHandlers().find(request.name);
  if (found == getHandlers().end()) {
    InFlightDiagnostic diag = emitError(loc);
    diag << "expected the name of an op, got '" << request.name << "'";
    SmallVector<StringRef> names = getOpNames();
    if (StringRef near = findNearName(request.name, names); !near.empty())
      return diag << "; did you mean '" << near << "'?";
    return diag << ": the names are " << llvm::join(names, ", ");
  }
  ScopedDiagnosticHandler handler(builder.getContext(), [&](Diagnostic &diag) {
    return nameError(diag, request.name);
  });
  Emitter emitter(builder, loc, request, sizes);
  emitter.operandNames = found->second.operands;
  if (failed(checkAttributes(emitter, found->second.attributes)))
    return failure();
  Results results = found->second.emit(emitter);
  demand = emitter.demand;
  return results;
}
