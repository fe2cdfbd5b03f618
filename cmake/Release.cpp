//===- Release.cpp - The one source of the library that ships -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shared library of cmake/Release.cmake is made of archives. This file
// keeps out of it what lld, which makes shared objects of our code, names and
// never needs for that.
//
//===----------------------------------------------------------------------===//

#include "llvm/Plugins/PassPlugin.h"

// lld can optimise LLVM bitcode, and then registers Polly, whose archive is not
// packaged.
llvm::PassPluginLibraryInfo getPollyPluginInfo();
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", "", [](llvm::PassBuilder &) {}};
}

// lld initialises every code generator. All but X86 and NVPTX are replaced by
// nothing, which halves the library.
// clang-format off
#define FUSER_NO_TARGET(Name)                                                  \
  extern "C" void LLVMInitialize##Name##TargetInfo() {}                        \
  extern "C" void LLVMInitialize##Name##Target() {}                            \
  extern "C" void LLVMInitialize##Name##TargetMC() {}                          \
  extern "C" void LLVMInitialize##Name##AsmPrinter() {}                        \
  extern "C" void LLVMInitialize##Name##AsmParser() {}

FUSER_NO_TARGET(AArch64) FUSER_NO_TARGET(AMDGPU) FUSER_NO_TARGET(ARM)
FUSER_NO_TARGET(AVR) FUSER_NO_TARGET(BPF) FUSER_NO_TARGET(Hexagon)
FUSER_NO_TARGET(Lanai) FUSER_NO_TARGET(LoongArch) FUSER_NO_TARGET(M68k)
FUSER_NO_TARGET(MSP430) FUSER_NO_TARGET(Mips) FUSER_NO_TARGET(PowerPC)
FUSER_NO_TARGET(RISCV) FUSER_NO_TARGET(SPIRV) FUSER_NO_TARGET(Sparc)
FUSER_NO_TARGET(SystemZ) FUSER_NO_TARGET(VE) FUSER_NO_TARGET(WebAssembly)
FUSER_NO_TARGET(XCore) FUSER_NO_TARGET(Xtensa)
