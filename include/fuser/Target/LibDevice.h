//===- LibDevice.h - NVIDIA's math library as bitcode ----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TARGET_LIBDEVICE_H
#define FUSER_TARGET_LIBDEVICE_H

#include "llvm/ADT/StringRef.h"

namespace fuser {

/// The bytes of libdevice.10.bc, which are part of this library.
llvm::StringRef getLibDeviceBitcode();

} // namespace fuser

#endif // FUSER_TARGET_LIBDEVICE_H
