//===- CompilerUse.h - Compiling in processes that fork --------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM, MLIR and lld have state that all compilations of a process share, with
// locks. A process that is forked off while another thread compiles gets it
// half changed and locked for good: there, nothing is compiled any more.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PIPELINES_COMPILERUSE_H
#define FUSER_PIPELINES_COMPILERUSE_H

#include "fuser_rt/fuser_rt.h"

namespace fuser {

/// Held while the compiler is used, from parsing on.
class CompilerUse {
public:
  CompilerUse();
  ~CompilerUse();
  CompilerUse(const CompilerUse &) = delete;
  CompilerUse &operator=(const CompilerUse &) = delete;

  /// Whether the compiler works in this process. What it made is not taken
  /// apart where it does not.
  bool isPossible() const { return possible; }
  /// Null, or why not.
  FuserStatus *check() const;

private:
  bool possible;
};

} // namespace fuser

#endif // FUSER_PIPELINES_COMPILERUSE_H
