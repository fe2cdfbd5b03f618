//===- LibDevice.cpp - NVIDIA's math library as bitcode -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Target/LibDevice.h"

// The build gives FUSER_LIBDEVICE_FILE. The assembler takes the file as it is:
// as an array in C++ its half megabyte takes seconds to compile.
__asm__(".section .rodata.fuser_libdevice,\"a\",@progbits\n"
        ".balign 16\n"
        ".hidden fuser_libdevice_begin\n"
        ".hidden fuser_libdevice_end\n"
        ".globl fuser_libdevice_begin\n"
        ".globl fuser_libdevice_end\n"
        "fuser_libdevice_begin:\n"
        ".incbin \"" FUSER_LIBDEVICE_FILE "\"\n"
        "fuser_libdevice_end:\n"
        ".byte 0\n"
        ".previous\n");

extern "C" {
extern const char fuser_libdevice_begin[];
extern const char fuser_libdevice_end[];
}

llvm::StringRef fuser::getLibDeviceBitcode() {
  return llvm::StringRef(fuser_libdevice_begin,
                         fuser_libdevice_end - fuser_libdevice_begin);
}
