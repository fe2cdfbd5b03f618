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

static constexpr OtherName kOtherNames[] = {
    {"array_api", 1, "negative", "neg"},
    {"array_api", 1, "bitwise_invert", "not"},
    {"array_api", 1, "copy", "set"},
    {"array_api", 1, "sign", "signum"},
    {"array_api", 2, "subtract", "sub"},
    {"array_api", 2, "multiply", "mul"},
    {"array_api", 2, "divide", "true_divide"},
    {"array_api", 2, "floor_divide", "floor_div"},
    {"array_api", 2, "maximum", "max"},
    {"array_api", 2, "minimum", "min"},
    {"array_api", 2, "equal", "eq"},
    {"array_api", 2, "not_equal", "ne"},
    {"array_api", 2, "less", "lt"},
    {"array_api", 2, "less_equal", "le"},
    {"array_api", 2, "greater", "gt"},
    {"array_api", 2, "greater_equal", "ge"},
    {"array_api", 2, "bitwise_and", "and"},
    {"array_api", 2, "bitwise_or", "or"},
    {"array_api", 2, "bitwise_xor", "xor"},
    {"array_api", 2, "bitwise_left_shift", "shl"},
    {"array_api", 2, "bitwise_right_shift", "shr"},
    {"array_api", 0, "broadcast_to", "expand"},
    {"array_api", 0, "clip", "clamp"},
    {"array_api", 0, "cumulative_prod", "cumprod"},
    {"array_api", 0, "cumulative_sum", "cumsum"},
    {"numpy", 1, "absolute", "abs"},
    {"numpy", 1, "arccos", "acos"},
    {"numpy", 1, "arccosh", "acosh"},
    {"numpy", 1, "arcsin", "asin"},
    {"numpy", 1, "arcsinh", "asinh"},
    {"numpy", 1, "arctan", "atan"},
    {"numpy", 1, "arctanh", "atanh"},
    {"numpy", 1, "bitwise_not", "not"},
    {"numpy", 1, "conjugate", "conj"},
    {"numpy", 1, "invert", "not"},
    {"numpy", 1, "rint", "round"},
    {"numpy", 2, "arctan2", "atan2"},
    {"numpy", 2, "left_shift", "shl"},
    {"numpy", 2, "mod", "remainder"},
    {"numpy", 2, "power", "pow"},
    {"numpy", 2, "right_shift", "shr"},
    {"torch", 0, "bmm", "matmul"},
    {"torch", 0, "logsigmoid", "log_sigmoid"},
    {"torch", 0, "masked_fill", "where"},
    {"torch", 0, "mm", "matmul"},
    {"torch", 0, "movedim", "moveaxis"},
    {"torch", 0, "norm", "vector_norm"},
    {"torch", 0, "rand", "uniform"},
    {"torch", 0, "randn", "normal"},
    {"torch", 0, "scaled_dot_product_attention", "sdpa"},
    {"torch", 0, "swapdims", "swapaxes"},
    {"torch", 0, "swish", "silu"},
    {"torch", 0, "unbind", "unstack"},
    {"torch", 0, "view", "reshape"},
    {"nvfuser", 1, "bitwise_not", "not"},
    {"nvfuser", 2, "truediv", "true_divide"},
    {"nvfuser", 2, "maximum", "max"},
    {"nvfuser", 2, "minimum", "min"},
    {"nvfuser", 2, "bitwise_and", "and"},
    {"nvfuser", 2, "bitwise_or", "or"},
    {"nvfuser", 2, "bitwise_xor", "xor"},
    {"nvfuser", 2, "bitwise_left_shift", "shl"},
    {"nvfuser", 2, "bitwise_right_shift", "shr"},
    {"nvfuser", 2, "logical_right_shift", "shru"},
};

ArrayRef<OtherName> frontend::getOtherNames() { return kOtherNames; }

StringRef frontend::findOwnName(StringRef other) {
  const auto *found = llvm::find_if(
      kOtherNames, [&](const OtherName &name) { return name.other == other; });
  return found == std::end(kOtherNames) ? StringRef() : StringRef(found->own);
}

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
    StringRef near = findOwnName(request.name);
    if (near.empty())
      near = findNearName(request.name, names);
    if (!near.empty())
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
