//===- OutputFile.cpp - Files and streams that fuser-run writes -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputFile.h"
#include "llvm/Support/FileSystem.h"
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

llvm::Error run::checkWritable(llvm::StringRef flag, llvm::StringRef path) {
  if (path == "-")
    return llvm::Error::success();
  namespace fs = llvm::sys::fs;
  std::error_code code;
  if (fs::is_directory(path)) {
    code = std::make_error_code(std::errc::is_a_directory);
  } else if (fs::exists(path)) {
    // Not opened: who reads a pipe would see its end.
    code = fs::access(path, fs::AccessMode::Write);
    // Another rank, which looks at the same name, has removed it again.
    if (code == std::errc::no_such_file_or_directory)
      code = {};
  } else {
    // Made and removed: root may write into folders that take no files.
    int file = 0;
    code = fs::openFileForWrite(path, file, fs::CD_CreateNew);
    if (!code) {
      fs::file_t handle = fs::convertFDToNativeFile(file);
      fs::closeFile(handle);
      fs::remove(path);
    } else if (code == std::errc::file_exists) {
      code = {}; // Another rank has made it meanwhile.
    }
  }
  if (!code)
    return llvm::Error::success();
  return llvm::createStringError(
      flag + ": expected a file that can be written, got '" + path +
      "': " + code.message());
}

llvm::Error
run::writeFile(llvm::StringRef path,
               llvm::function_ref<void(llvm::raw_ostream &)> write) {
  if (path == "-") {
    write(llvm::outs());
    return flushOutput();
  }
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
