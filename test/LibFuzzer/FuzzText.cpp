//===- FuzzText.cpp - Text with our dialects, read and verified -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What reads as a module is printed, and read again.
//
//===----------------------------------------------------------------------===//

#include "Modules.h"

#include <cstdint>

using namespace fuser::fuzzers;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  // Bytecode is FuzzBytecode.cpp's.
  if (llvm::StringRef(text).starts_with("ML\xefR"))
    return -1;
  if (auto module = readModule(text, getContext()))
    checkText(*module);
  return 0;
}
