//===- CommandLine.h - What all tools do with their command lines ---------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A command line that a tool does not take is one line on standard error, with
// what was expected and what was got, and exit code 2. What goes wrong later is
// exit code 1. LLVM's own parser prints several lines, and exits with 1.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_COMMANDLINE_H
#define FUSER_LIB_TOOLS_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace fuser {

/// The exit code for a command line that is wrong.
constexpr int kUsageExitCode = 2;

/// An error that reportError tells from others by its code,
/// std::errc::invalid_argument. The message is one line.
llvm::Error usageError(const llvm::Twine &message);

/// What --version prints, in each tool.
void setVersionPrinter();

/// How many files a tool takes that are no option.
struct FileCount {
  size_t atLeast, atMost;
};

/// Sets the registered options from the command line. --help and --version
/// print, and exit with 0.
llvm::Error parseCommandLine(int argc, char **argv, llvm::StringRef overview,
                             FileCount files);

/// Prints `error`, if it is one, for `tool`; returns the exit code.
int reportError(llvm::StringRef tool, llvm::Error error);

} // namespace fuser

#endif // FUSER_LIB_TOOLS_COMMANDLINE_H
