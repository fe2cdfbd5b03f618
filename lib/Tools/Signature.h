//===- Signature.h - What a program takes, and how to run it --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_SIGNATURE_H
#define FUSER_LIB_TOOLS_SIGNATURE_H

#include "Run/RunOptions.h"
#include "Run/Session.h"
#include "llvm/Support/raw_ostream.h"

namespace fuser::run {

/// "expected 2 input tensors ('%x', '%y'), got 1", as the runtime says it.
std::string describeCount(llvm::StringRef what,
                          llvm::ArrayRef<std::string> names, size_t got);

/// An error unless the command line has as many inputs and scalars as the
/// program `name` takes.
llvm::Error checkCounts(const RunOptions &options, llvm::StringRef name,
                        llvm::ArrayRef<fuser_rt::TensorSpec> inputs,
                        llvm::ArrayRef<fuser_rt::ScalarSpec> scalars);

/// A loaded program and what its first variant says of its arguments.
struct Signature {
  FuserContext *context;
  FuserProgram *program;
  std::vector<fuser_rt::TensorSpec> inputs, outputs;
  std::vector<fuser_rt::ScalarSpec> scalars;

  llvm::Error checkCounts(const RunOptions &options) const {
    return run::checkCounts(options, fuser_program_name(program), inputs,
                            scalars);
  }
  /// Arguments and results by name and type, and a command that runs the
  /// program: sizes that types leave open are tried out until some fit.
  void print(llvm::raw_ostream &os, const RunOptions &options) const;
};

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_SIGNATURE_H
