//===- Modules.h - Modules of MLIR that fuzzers read ------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TEST_LIBFUZZER_MODULES_H
#define FUSER_TEST_LIBFUZZER_MODULES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"

namespace fuser::fuzzers {

/// A context with the dialects of our tools, which words its diagnostics and
/// drops them. Made anew now and then, since what it has uniqued stays.
mlir::MLIRContext &getContext();

/// Reads and verifies text or bytecode; null if that is an error. MLIR's lexer
/// needs the null byte behind a string.
mlir::OwningOpRef<mlir::ModuleOp> readModule(const std::string &source,
                                             mlir::MLIRContext &context);

/// Ends the process with `what`, and the text of the module.
[[noreturn]] void fail(llvm::StringRef what, mlir::ModuleOp module);

/// Prints the module; its text is to be a module again.
void checkText(mlir::ModuleOp module);

} // namespace fuser::fuzzers

#endif // FUSER_TEST_LIBFUZZER_MODULES_H
