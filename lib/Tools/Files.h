//===- Files.h - The files of a tool --------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_FILES_H
#define FUSER_LIB_TOOLS_FILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include <memory>

namespace fuser {

/// What a tool reads and where it writes, which goes away unless it is kept.
struct ToolFiles {
  std::unique_ptr<llvm::MemoryBuffer> input;
  std::unique_ptr<llvm::ToolOutputFile> output;

  /// False, with an error on standard error, if one does not open, or the
  /// input is neither bytecode nor a text that can be parsed.
  bool open(llvm::StringRef inputName, llvm::StringRef outputName);
};

} // namespace fuser

#endif // FUSER_LIB_TOOLS_FILES_H
