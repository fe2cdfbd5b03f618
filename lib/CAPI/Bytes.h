//===- Bytes.h - What calls in C give to their callers ----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CAPI_BYTES_H
#define FUSER_LIB_CAPI_BYTES_H

#include "fuser-c/Compile.h"
#include <string>

struct FuserBytes {
  std::string data;
};

namespace fuser {

/// What is wrong with an argument.
inline FuserStatus *invalid(const std::string &message) {
  return fuser_status_create(FUSER_INVALID_ARGUMENT, message.c_str());
}

} // namespace fuser

#endif // FUSER_LIB_CAPI_BYTES_H
