//===- OutputFile.cpp - Files and streams that fuser-run writes -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace fuser;

/// A stream that is destroyed with an error on it ends the process: takes it.
static llvm::Error takeError(llvm::StringRef what,
                             llvm::raw_fd_ostream &stream) {
  if (!stream.has_error())
    return llvm::Error::success();
  std::string why = stream.error().message();
  stream.clear_error();
  return llvm::createStringError("'" + what + "': " + why);
}

llvm::Error
run::writeFile(llvm::StringRef path,
               llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (code)
    return llvm::createStringError("'" + path + "': " + code.message());
  write(stream);
  stream.close();
  return takeError(path, stream);
}

llvm::Error run::flushOutput() {
  llvm::outs().flush();
  return takeError("standard output", llvm::outs());
}
