//===- SharedObject.cpp - Native code from bytes --------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedObject.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace fuser_rt;

#if defined(__x86_64__)
static constexpr int elfMachine = EM_X86_64;
#elif defined(__aarch64__)
static constexpr int elfMachine = EM_AARCH64;
#else
#error "no ELF machine number for this processor"
#endif

/// Whether the bytes hold what the ELF header promises. The system's loader
/// maps segments without looking, and a segment beyond the end of the file
/// faults.
static bool isWholeObject(const std::string &bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header))
    return false;
  memcpy(&header, bytes.data(), sizeof(header));
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN ||
      header.e_machine != elfMachine ||
      header.e_phentsize != sizeof(Elf64_Phdr) ||
      header.e_phoff > bytes.size() ||
      header.e_phnum > (bytes.size() - header.e_phoff) / sizeof(Elf64_Phdr))
    return false;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof(segment),
           sizeof(segment));
    if (segment.p_offset > bytes.size() ||
        segment.p_filesz > bytes.size() - segment.p_offset)
      return false;
  }
  return true;
}

static bool writeAll(int file, const std::string &bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t written = write(file, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    done += static_cast<size_t>(written);
  }
  return true;
}

SharedObject::~SharedObject() {
  if (library)
    dlclose(library);
  if (file >= 0)
    close(file);
}

void *SharedObject::find(const char *symbol) const {
  return dlsym(library, symbol);
}

/// Loads it from a file that is gone when this returns.
static void *loadTemporary(const std::string &bytes, std::string &error) {
  const char *folder = getenv("TMPDIR");
  std::string path =
      std::string(folder && *folder ? folder : "/tmp") + "/fuser-XXXXXX";
  int file = mkstemp(path.data());
  if (file < 0) {
    error = format("no temporary file %s: %s", path.c_str(), strerror(errno));
    return nullptr;
  }
  void *library = nullptr;
  if (!writeAll(file, bytes))
    error = format("writing %s: %s", path.c_str(), strerror(errno));
  else if (!(library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)))
    error = dlerror();
  close(file);
  unlink(path.c_str());
  return library;
}

FuserStatus *SharedObject::load(const std::string &bytes) {
  if (!isWholeObject(bytes))
    return makeError(FUSER_BAD_PROGRAM,
                     "expected the program's object to be a whole ELF shared "
                     "object for this "
                     "processor, got %zu bytes that are not",
                     bytes.size());
  file = memfd_create("fuser-program", MFD_CLOEXEC);
  if (file >= 0 && writeAll(file, bytes))
    library =
        dlopen(format("/proc/self/fd/%d", file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library)
    return nullptr;
  // No memfd, no /proc, or a system that does not run code from there.
  std::string error;
  library = loadTemporary(bytes, error);
  if (library)
    return nullptr;
  return makeError(FUSER_BAD_PROGRAM, "the program's object does not load: %s",
                   error.c_str());
}
