//===- SimLibrary.h - What simulated kernels call ---------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TARGET_SIM_SIMLIBRARY_H
#define FUSER_TARGET_SIM_SIMLIBRARY_H

#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace fuser {

/// Defines the functions of libdevice and the instructions of NVIDIA GPUs that
/// `module`, which becomes native code, calls. An error names those that the
/// simulator does not know.
llvm::Error linkSimLibrary(llvm::Module &module);

} // namespace fuser

#endif // FUSER_TARGET_SIM_SIMLIBRARY_H
