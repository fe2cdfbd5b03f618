//===- JitProgram.h - A host program from text to a function pointer ------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TEST_UNIT_HOSTTOLLVM_JITPROGRAM_H
#define FUSER_TEST_UNIT_HOSTTOLLVM_JITPROGRAM_H

#include "fuser_rt/host_abi.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <memory>

/// A host program that was lowered and compiled for this machine.
class JitProgram {
public:
  /// Null on failure, after diagnostics on stderr.
  static std::unique_ptr<JitProgram> create(llvm::StringRef source);

  FuserHostEntry getEntry();
  FuserCpuKernel getKernel(llvm::StringRef name);

private:
  void *lookup(llvm::StringRef name);
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

#endif // FUSER_TEST_UNIT_HOSTTOLLVM_JITPROGRAM_H
