//===- Target.cpp - What programs are compiled for -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace fuser;

const Target *fuser::findTarget(Targets targets, StringRef name) {
  const auto *it =
      llvm::find_if(targets, [&](const Target *t) { return t->name == name; });
  return it == targets.end() ? nullptr : *it;
}

const Target *fuser::findTarget(Targets targets, fuser_rt::Target device) {
  const auto *it = llvm::find_if(
      targets, [&](const Target *t) { return t->device == device; });
  return it == targets.end() ? nullptr : *it;
}

/// "a, b or c": what is said of each target, `last` before the last one.
static std::string
listTargets(Targets targets, StringRef last,
            llvm::function_ref<std::string(const Target &)> name) {
  std::string text;
  for (const Target *target : targets) {
    if (target != targets.front())
      text += target == targets.back() ? last : ", ";
    text += name(*target);
  }
  return text;
}

std::string fuser::getTargetNames(Targets targets) {
  return listTargets(targets, " or ",
                     [](const Target &target) { return target.name.str(); });
}

std::optional<ChosenTarget> fuser::findTargetSpec(Targets targets,
                                                  StringRef spec) {
  for (const Target *target : targets)
    if (auto processor =
            target->findProcessor(spec == target->name ? "" : spec))
      return ChosenTarget{target, std::move(*processor)};
  return std::nullopt;
}

std::string fuser::getTargetSpecs(Targets targets) {
  return listTargets(targets, ", or ", [](const Target &target) {
    return (target.name + " (" + target.getProcessorNames() + ")").str();
  });
}

static FailureOr<ChosenTarget> lookupSpec(Targets targets, StringRef spec,
                                          EmitError emitError) {
  if (auto chosen = findTargetSpec(targets, spec))
    return std::move(*chosen);
  return emitError() << "expected target " << getTargetSpecs(targets)
                     << ", got '" << spec << "'";
}

FailureOr<ChosenTarget> fuser::chooseTarget(func::FuncOp func, Targets targets,
                                            StringRef spec) {
  if (targets.empty())
    return func.emitError("expected a pass that was made with targets");
  auto recorded = func->getAttrOfType<StringAttr>(
      fusion::FusionDialect::getTargetAttrName());
  StringRef before = recorded ? recorded.getValue() : StringRef();
  StringRef usual = before.empty() ? StringRef(targets.front()->name) : before;
  FailureOr<ChosenTarget> chosen = lookupSpec(
      targets, spec.empty() ? usual : spec, [&] { return func.emitError(); });
  if (failed(chosen) || before.empty() || chosen->processor.name == before)
    return chosen;
  // Any processor of the target will do.
  if (spec == chosen->target->name)
    if (auto processor = chosen->target->findProcessor(before))
      return ChosenTarget{chosen->target, std::move(*processor)};
  return func.emitError() << "expected decisions for " << spec
                          << ", got some for " << before << " ("
                          << fusion::FusionDialect::getTargetAttrName()
                          << "): compile for that target, or from the program "
                             "without segments";
}

std::string fuser::getTargetSpec(const Target &target, StringRef arch) {
  return !arch.empty() && target.findProcessor(arch) ? arch.str()
                                                     : target.name.str();
}
