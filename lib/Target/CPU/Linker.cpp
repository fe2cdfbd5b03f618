//===- Linker.cpp - lld in process ----------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Linker.h"
#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <link.h>
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace fuser;

/// What code generation may call. The C library is in every process; the
/// mathematics library is named in the object where it is needed.
static const llvm::StringSet<> &cLibrary() {
  static const llvm::StringSet<> names = {"memcpy", "memmove", "memset",
                                          "memcmp", "bcmp"};
  return names;
}

static const llvm::StringSet<> &mathLibrary() {
  static const llvm::StringSet<> names = [] {
    llvm::StringSet<> result;
    for (llvm::StringRef name :
         {"acos",      "acosh", "asin",      "asinh", "atan",  "atan2",
          "atanh",     "cbrt",  "ceil",      "cos",   "cosh",  "erf",
          "erfc",      "exp",   "exp2",      "expm1", "floor", "fma",
          "fmax",      "fmin",  "fmod",      "ldexp", "log",   "log10",
          "log1p",     "log2",  "nearbyint", "pow",   "rint",  "round",
          "roundeven", "sin",   "sincos",    "sinh",  "sqrt",  "tan",
          "tanh",      "trunc"}) {
      result.insert(name);
      result.insert((name + "f").str());
    }
    return result;
  }();
  return names;
}

namespace {
struct Externals {
  bool needsMath = false;
  llvm::SmallVector<std::string> unknown;
};
} // namespace

static llvm::Expected<Externals> findExternals(llvm::StringRef object) {
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> file =
      llvm::object::ObjectFile::createELFObjectFile(
          llvm::MemoryBufferRef(object, "program"));
  if (!file)
    return file.takeError();
  Externals externals;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined) || name->empty() ||
        *name == "_GLOBAL_OFFSET_TABLE_" || cLibrary().contains(*name))
      continue;
    if (mathLibrary().contains(*name))
      externals.needsMath = true;
    else
      externals.unknown.push_back(name->str());
  }
  return externals;
}

/// The mathematics library that this process runs with, or nothing.
static std::string findMathLibrary() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *result) {
        llvm::StringRef name(info->dlpi_name);
        if (llvm::sys::path::filename(name) != "libm.so.6")
          return 0;
        *static_cast<std::string *>(result) = name.str();
        return 1;
      },
      &path);
  return path;
}

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (code)
    return makeError("cannot write '" + path + "': " + code.message());
  stream << bytes;
  stream.close();
  if (stream.has_error()) {
    std::string why = stream.error().message();
    stream.clear_error();
    return makeError("cannot write '" + path + "': " + why);
  }
  return llvm::Error::success();
}

static llvm::Error runLinker(llvm::ArrayRef<const char *> arguments) {
  // lld keeps its state in globals.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  bool ok = lld::elf::link(arguments, stream, stream, /*exitEarly=*/false,
                           /*disableOutput=*/false);
  lld::CommonLinkerContext::destroy();
  if (ok)
    return llvm::Error::success();
  return makeError("linking failed: " + llvm::StringRef(messages).trim());
}

llvm::Expected<std::string> fuser::linkSharedObject(llvm::StringRef object) {
  llvm::Expected<Externals> externals = findExternals(object);
  if (!externals)
    return externals.takeError();
  if (!externals->unknown.empty())
    return makeError("code calls '" + externals->unknown.front() +
                     "', which neither it nor the C and mathematics "
                     "libraries define");

  llvm::SmallString<128> folder;
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory("fuser", folder))
    return makeError("cannot make a folder for the linker: " + code.message());
  llvm::scope_exit cleanup([&] { llvm::sys::fs::remove_directories(folder); });
  std::string input = (folder + "/program.o").str();
  std::string output = (folder + "/program.so").str();
  if (llvm::Error error = writeFile(input, object))
    return std::move(error);

  llvm::SmallVector<const char *> arguments = {
      "ld.lld", "-shared", "--threads=1", "--hash-style=gnu", "--build-id=none",
      "-z",     "now",     "-o",          output.c_str(),     input.c_str()};
  std::string mathPath = externals->needsMath ? findMathLibrary() : "";
  if (!mathPath.empty())
    arguments.push_back(mathPath.c_str());
  if (llvm::Error error = runLinker(arguments))
    return std::move(error);
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(output);
  if (!buffer)
    return makeError("cannot read '" + output +
                     "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}
