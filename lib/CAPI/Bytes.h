//===- Bytes.h - Bytes that belong to a caller in C -------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CAPI_BYTES_H
#define FUSER_LIB_CAPI_BYTES_H

#include <string>

struct FuserBytes {
  std::string data;
};

#endif // FUSER_LIB_CAPI_BYTES_H
