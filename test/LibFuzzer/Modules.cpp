//===- Modules.cpp - Modules of MLIR that fuzzers read --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modules.h"

#include "fuser/InitAllDialects.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <memory>

using namespace mlir;

/// After so many modules the context is made anew.
static constexpr unsigned kModulesOfContext = 2000;

static std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  fuser::registerAllDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << diagnostic.getLocation() << diagnostic;
    for (Diagnostic &note : diagnostic.getNotes())
      os << note.getLocation() << note;
  });
  return context;
}

MLIRContext &fuser::fuzzers::getContext() {
  static std::unique_ptr<MLIRContext> context;
  static unsigned modules = 0;
  if (modules++ % kModulesOfContext == 0)
    context = makeContext();
  return *context;
}

OwningOpRef<ModuleOp> fuser::fuzzers::readModule(const std::string &source,
                                                 MLIRContext &context) {
  return parseSourceString<ModuleOp>(source, &context, "input.mlir");
}

void fuser::fuzzers::fail(llvm::StringRef what, ModuleOp module) {
  llvm::errs() << what << ":\n" << module << "\n";
  abort();
}

/// In the form that has nothing of an op's own syntax.
static std::string printGeneric(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().printGenericOpForm());
  return text;
}

void fuser::fuzzers::checkText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  OwningOpRef<ModuleOp> again = readModule(text, *module.getContext());
  if (!again)
    fail("expected the text of a module to be one again", module);
  if (printGeneric(module) != printGeneric(*again))
    fail("expected the text of a module to be the same one again", module);
}
