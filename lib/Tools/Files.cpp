//===- Files.cpp - The files of a tool ------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "fuser/Frontend/SourceText.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace fuser;
using llvm::StringRef;

/// `file` without a mark of UTF-8; null, with an error, if the parser cannot
/// read it.
static std::unique_ptr<llvm::MemoryBuffer>
checkInput(std::unique_ptr<llvm::MemoryBuffer> file) {
  StringRef text = dropByteOrderMark(file->getBuffer());
  if (text.size() != file->getBufferSize())
    file =
        llvm::MemoryBuffer::getMemBufferCopy(text, file->getBufferIdentifier());
  auto error = checkSourceText(file->getBuffer(), kMostNesting);
  if (!error)
    return file;
  auto place =
      llvm::SMLoc::getFromPointer(file->getBufferStart() + error->offset);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  sources.PrintMessage(place, llvm::SourceMgr::DK_Error, error->message);
  return nullptr;
}

bool ToolFiles::open(StringRef inputName, StringRef outputName) {
  std::string error;
  input = mlir::openInputFile(inputName, &error);
  if (input && !(input = checkInput(std::move(input))))
    return false;
  output = input ? mlir::openOutputFile(outputName, &error) : nullptr;
  if (!output)
    llvm::errs() << error << "\n";
  return output != nullptr;
}
