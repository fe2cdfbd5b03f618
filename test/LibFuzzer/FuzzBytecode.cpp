//===- FuzzBytecode.cpp - Bytecode with our dialects ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What reads as a module is printed, and written again. A mutation keeps the
// four bytes that bytecode begins with.
//
//===----------------------------------------------------------------------===//

#include "Modules.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <cstring>

using namespace fuser::fuzzers;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static constexpr llvm::StringLiteral kMagic("ML\xefR");

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  if (!llvm::StringRef(bytes).starts_with(kMagic))
    return -1;
  mlir::MLIRContext &context = getContext();
  mlir::OwningOpRef<mlir::ModuleOp> module = readModule(bytes, context);
  if (!module)
    return 0;
  checkText(*module);
  std::string written;
  llvm::raw_string_ostream os(written);
  if (failed(mlir::writeBytecodeToFile(*module, os)) ||
      !readModule(written, context))
    fail("expected bytecode of a module to be one again", *module);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned) {
  size_t kept = kMagic.size();
  if (maxSize <= kept)
    return size;
  memcpy(data, kMagic.data(), kept);
  return kept + LLVMFuzzerMutate(data + kept, std::max(size, kept) - kept,
                                 maxSize - kept);
}
