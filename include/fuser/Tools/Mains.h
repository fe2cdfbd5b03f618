//===- Mains.h - The tools as functions -----------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every tool is a main of one line over one of these, so that the tools of a
// bundle can share one copy of the compiler. They return the exit code of the
// process.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TOOLS_MAINS_H
#define FUSER_TOOLS_MAINS_H

#define FUSER_TOOL_EXPORT __attribute__((visibility("default")))

namespace llvm {
template <typename T>
class ArrayRef;
} // namespace llvm

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace fuser {

struct Target;

FUSER_TOOL_EXPORT int optMain(int argc, char **argv);
FUSER_TOOL_EXPORT int translateMain(int argc, char **argv);
/// With `dialects` besides this project's, whose ops bring what the fusion
/// dialect's interfaces ask.
FUSER_TOOL_EXPORT int runMain(int argc, char **argv);
/// With more dialects than the project's own, and other targets.
int runMain(int argc, char **argv, const mlir::DialectRegistry &dialects,
            llvm::ArrayRef<const Target *> targets);
FUSER_TOOL_EXPORT int fuzzMain(int argc, char **argv);
/// With other targets, and other passes that decide what kernels may
/// approximate.
int fuzzMain(int argc, char **argv, llvm::ArrayRef<const Target *> targets,
             void (*buildDecisions)(mlir::OpPassManager &functions));
FUSER_TOOL_EXPORT int lspServerMain(int argc, char **argv);
FUSER_TOOL_EXPORT int reduceMain(int argc, char **argv);

} // namespace fuser

#endif // FUSER_TOOLS_MAINS_H
