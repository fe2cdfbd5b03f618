//===- Linker.cpp - lld in process ----------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Linker.h"
#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <csignal>
#include <fcntl.h>
#include <link.h>
#include <mutex>
#include <optional>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace fuser;

/// What code generation may call. The C library is in every process; the
/// mathematics libraries are named in the object where they are needed.
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

/// Whether it is a function of libmvec: by the vector ABI, of AVX2.
static bool isOfVectorLibrary(llvm::StringRef name) {
  if (!name.consume_front("_ZGVdN4v"))
    return false;
  name.consume_front("v");
  return name.consume_front("_") && mathLibrary().contains(name);
}

namespace {
struct Externals {
  bool needsMath = false, needsVectorMath = false;
  llvm::SmallVector<std::string> unknown;
};
} // namespace

/// Adds what `object` needs to `externals`.
static llvm::Error findExternals(llvm::StringRef object, Externals &externals) {
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> file =
      llvm::object::ObjectFile::createELFObjectFile(
          llvm::MemoryBufferRef(object, "program"));
  if (!file)
    return file.takeError();
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
    else if (isOfVectorLibrary(*name))
      externals.needsVectorMath = true;
    else
      externals.unknown.push_back(name->str());
  }
  return llvm::Error::success();
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

/// The other one, which is no part of the process but lies beside it.
static std::string findVectorLibrary() {
  llvm::SmallString<64> path(findMathLibrary());
  if (path.empty())
    return "";
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "libmvec.so.1");
  return llvm::sys::fs::exists(path) ? path.str().str() : "";
}

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::Error makeError(const llvm::Twine &what, int code) {
  return makeError(what + ": " + std::generic_category().message(code));
}

//===----------------------------------------------------------------------===//
// Files without names
//===----------------------------------------------------------------------===//

/// How others in this process open what descriptor `file` stands for.
static std::string getPath(int file) {
  return "/proc/self/fd/" + std::to_string(file);
}

namespace {
/// A file in memory.
class MemoryFile {
public:
  ~MemoryFile() {
    if (file >= 0)
      close(file);
  }
  llvm::Error write(llvm::StringRef bytes);
  std::string getPath() const { return ::getPath(file); }

private:
  int file = -1;
};

/// What is written to the path, which is that of a pipe. LLVM writes regular
/// files by way of temporary ones, and to remove these it takes over the signal
/// handlers of the process.
class PipeOutput {
public:
  ~PipeOutput();
  llvm::Error start();
  std::string getPath() const { return ::getPath(ends[1]); }
  /// All that was written, once that is over.
  std::string finish();

private:
  static void *run(void *self);
  void join();

  /// Of the pipe; and a counter that says when writing is over. (The pipe does
  /// not: another process, forked in the meantime, has its end too.)
  int ends[2] = {-1, -1}, over = -1;
  std::optional<pthread_t> reader;
  std::string bytes;
};
} // namespace

llvm::Error MemoryFile::write(llvm::StringRef bytes) {
  file = memfd_create("program.o", MFD_CLOEXEC);
  if (file < 0)
    return makeError("cannot make a file for the linker", errno);
  while (!bytes.empty()) {
    ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR)
      return makeError("cannot write a file for the linker", errno);
    bytes = bytes.drop_front(std::max<ssize_t>(count, 0));
  }
  return llvm::Error::success();
}

void *PipeOutput::run(void *self) {
  auto &output = *static_cast<PipeOutput *>(self);
  char buffer[1 << 16];
  while (true) {
    pollfd files[2] = {{output.ends[0], POLLIN, 0}, {output.over, POLLIN, 0}};
    if (poll(files, 2, -1) < 0)
      continue; // Interrupted.
    // It looks at the pipe first: what came just afterwards is seen only now.
    int more = files[0].revents ? 1 : poll(files, 1, 0);
    if (more < 0)
      continue;
    if (more == 0)
      return nullptr;
    ssize_t count = read(output.ends[0], buffer, sizeof(buffer));
    output.bytes.append(buffer, std::max<ssize_t>(count, 0));
  }
}

llvm::Error PipeOutput::start() {
  over = eventfd(0, EFD_CLOEXEC);
  if (over < 0 || pipe2(ends, O_CLOEXEC) < 0)
    return makeError("cannot make a pipe for the linker", errno);
  // Signals are for the caller's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  int code = pthread_create(&thread, nullptr, run, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (code != 0)
    return makeError("cannot start a thread for the linker", code);
  reader = thread;
  return llvm::Error::success();
}

void PipeOutput::join() {
  if (!reader)
    return;
  eventfd_write(over, 1);
  pthread_join(*reader, nullptr);
  reader.reset();
}

std::string PipeOutput::finish() {
  join();
  return std::move(bytes);
}

PipeOutput::~PipeOutput() {
  join();
  for (int file : {ends[0], ends[1], over})
    if (file >= 0)
      close(file);
}

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

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

llvm::Expected<std::string>
fuser::linkSharedObject(llvm::ArrayRef<llvm::StringRef> objects) {
  Externals externals;
  for (llvm::StringRef object : objects)
    if (llvm::Error error = findExternals(object, externals))
      return std::move(error);
  if (!externals.unknown.empty())
    return makeError("code calls '" + externals.unknown.front() +
                     "', which neither it nor the C and mathematics "
                     "libraries define");

  std::vector<MemoryFile> files(objects.size());
  PipeOutput pipe;
  for (auto [file, object] : llvm::zip_equal(files, objects))
    if (llvm::Error error = file.write(object))
      return std::move(error);
  if (llvm::Error error = pipe.start())
    return std::move(error);
  std::vector<std::string> paths;
  for (const MemoryFile &file : files)
    paths.push_back(file.getPath());
  std::string output = pipe.getPath();
  llvm::SmallVector<std::string> libraries;
  if (externals.needsMath)
    libraries.push_back(findMathLibrary());
  if (externals.needsVectorMath) {
    libraries.push_back(findVectorLibrary());
    if (libraries.back().empty())
      return makeError("code calls functions of libmvec.so.1, which is not "
                       "where libm.so.6 is: expected glibc 2.35 or later");
  }
  llvm::SmallVector<const char *> arguments = {
      "ld.lld", "-shared", "--threads=1", "--hash-style=gnu", "--build-id=none",
      "-z",     "now",     "-o",          output.c_str()};
  for (const std::string &path : paths)
    arguments.push_back(path.c_str());
  for (const std::string &path : libraries)
    if (!path.empty())
      arguments.push_back(path.c_str());
  if (llvm::Error error = runLinker(arguments))
    return std::move(error);
  return pipe.finish();
}
