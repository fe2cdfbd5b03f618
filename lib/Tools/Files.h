//===- Files.h - The files of a tool --------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_FILES_H
#define FUSER_LIB_TOOLS_FILES_H

#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

namespace fuser {

/// What a tool reads and where it writes, which goes away unless it is kept.
struct ToolFiles {
  std::unique_ptr<llvm::MemoryBuffer> input;
  std::unique_ptr<llvm::ToolOutputFile> output;

  /// False, with an error on standard error, if one does not open.
  bool open(llvm::StringRef inputName, llvm::StringRef outputName) {
    std::string error;
    input = mlir::openInputFile(inputName, &error);
    output = input ? mlir::openOutputFile(outputName, &error) : nullptr;
    if (!output)
      llvm::errs() << error << "\n";
    return output != nullptr;
  }
};

} // namespace fuser

#endif // FUSER_LIB_TOOLS_FILES_H
