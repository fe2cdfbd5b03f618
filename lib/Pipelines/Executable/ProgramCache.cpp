//===- ProgramCache.cpp - Compiled programs on disk -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/ProgramCache.h"
#include "fuser/Pipelines/Compile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include "llvm/TargetParser/Host.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace fuser;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

namespace {
/// The build ID of the loaded file that an address is in.
struct BuildId {
  uintptr_t address;
  StringRef id;
};
} // namespace

/// For dl_iterate_phdr: nonzero where `file` holds the address.
static int findBuildId(dl_phdr_info *file, size_t, void *data) {
  auto &wanted = *static_cast<BuildId *>(data);
  ArrayRef headers(file->dlpi_phdr, file->dlpi_phnum);
  bool isHere = llvm::any_of(headers, [&](const ElfW(Phdr) & each) {
    uintptr_t begin = file->dlpi_addr + each.p_vaddr;
    return each.p_type == PT_LOAD && wanted.address - begin < each.p_memsz;
  });
  if (!isHere)
    return 0;
  auto pad = [](size_t size) { return (size + 3) / 4 * 4; };
  for (const ElfW(Phdr) &each : headers) {
    const auto *notes =
        reinterpret_cast<const char *>(file->dlpi_addr + each.p_vaddr);
    size_t at = 0;
    while (each.p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) <= each.p_memsz) {
      ElfW(Nhdr) note;
      std::memcpy(&note, notes + at, sizeof(note));
      const char *name = notes + at + sizeof(note);
      if (note.n_type == NT_GNU_BUILD_ID && StringRef(name) == "GNU")
        wanted.id = StringRef(name + pad(note.n_namesz), note.n_descsz);
      at += sizeof(note) + pad(note.n_namesz) + pad(note.n_descsz);
    }
  }
  return 1;
}

/// The file that holds `symbol`: another build is another compiler. By its
/// build ID, which the linker makes of its content; without one by its size
/// and the time of its last change.
static void addFile(CacheKey &key, const void *symbol) {
  BuildId wanted{reinterpret_cast<uintptr_t>(symbol), {}};
  dl_iterate_phdr(findBuildId, &wanted);
  if (!wanted.id.empty()) {
    key.add(wanted.id);
    return;
  }
  Dl_info info{};
  struct stat status{};
  bool isKnown = dladdr(symbol, &info) && info.dli_fname &&
                 stat(info.dli_fname, &status) == 0;
  if (!isKnown && stat("/proc/self/exe", &status) != 0)
    return;
  key.add(uint64_t(status.st_size))
      .add(uint64_t(status.st_mtim.tv_sec))
      .add(uint64_t(status.st_mtim.tv_nsec));
}

static std::string describeProcessor() {
  std::string text = llvm::sys::getHostCPUName().str();
  std::vector<std::string> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    if (feature.second)
      features.push_back(feature.first().str());
  llvm::sort(features);
  return text + " " + llvm::join(features, " ");
}

CacheKey::CacheKey() {
  static const std::string processor = describeProcessor();
  add("fuser program cache 1").add(LLVM_VERSION_STRING).add(processor);
  addFile(*this, reinterpret_cast<const void *>(&describeProcessor));
  addFile(*this, reinterpret_cast<const void *>(&llvm::sys::getHostCPUName));
}

CacheKey &CacheKey::add(StringRef part) {
  add(uint64_t(part.size()));
  hash.update(part);
  return *this;
}

CacheKey &CacheKey::add(uint64_t number) {
  uint8_t bytes[8];
  llvm::support::endian::write64le(bytes, number);
  hash.update(llvm::ArrayRef(bytes));
  return *this;
}

CacheKey &CacheKey::add(const CompileOptions &options) {
  add(options.entry).add(options.target->name).add(options.arch);
  add(uint64_t(options.outputAlignment)).add(uint64_t(options.arithmetic));
  add(uint64_t(options.checkKernels)).add(uint64_t(options.quick));
  add(uint64_t(options.lowerBounds)).add(uint64_t(options.inputs.size()));
  for (const InputClass &input : options.inputs) {
    add(uint64_t(input.anyStrides)).add(uint64_t(input.alignment));
    for (ArrayRef<int64_t> list :
         {ArrayRef<int64_t>(input.strideOrder), ArrayRef(input.sizes)}) {
      add(uint64_t(list.size()));
      for (int64_t number : list)
        add(uint64_t(number));
    }
  }
  return *this;
}

CacheKey::Digest CacheKey::get() {
  Digest digest = hash.result();
  return digest;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {
/// What a file begins with. The program has a checksum of its own; this one
/// also covers what its reader never looks at, and that it is of this key.
struct Header {
  static constexpr size_t size = 8 + 32 + 8;
  static constexpr char magic[9] = "FUSERPC2";

  static std::string make(const CacheKey::Digest &key, StringRef program) {
    std::string text(magic, 8);
    text.append(key.begin(), key.end());
    text += sum(program);
    std::string both = sum(text);
    return text.replace(text.size() - both.size(), both.size(), both);
  }

private:
  static std::string sum(StringRef text) {
    char sum[8];
    llvm::support::endian::write64le(sum, llvm::xxh3_64bits(text));
    return {sum, 8};
  }
};

/// A file descriptor that is closed.
struct File {
  int fd;
  explicit File(int fd) : fd(fd) {}
  File(const File &) = delete;
  ~File() {
    if (fd >= 0)
      close(fd);
  }
};
} // namespace

static bool readAll(int fd, char *data, size_t size) {
  while (size > 0) {
    ssize_t got = read(fd, data, size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    data += got;
    size -= size_t(got);
  }
  return true;
}

static bool writeAll(int fd, StringRef data) {
  while (!data.empty()) {
    ssize_t put = ::write(fd, data.data(), data.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return false;
    data = data.drop_front(size_t(put));
  }
  return true;
}

std::string ProgramCache::getPath(const CacheKey::Digest &key) const {
  return folder + "/" + llvm::toHex(llvm::ArrayRef(key), /*LowerCase=*/true) +
         ".fxc";
}

std::optional<std::string>
ProgramCache::find(const CacheKey::Digest &key) const {
  File file(open(getPath(key).c_str(),
                 O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status{};
  if (file.fd < 0 || fstat(file.fd, &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  // It becomes code of this process: no other user has written it.
  if (status.st_uid != geteuid() && status.st_uid != 0)
    return std::nullopt;
  // None larger is stored: its size is damaged.
  auto size = uint64_t(status.st_size);
  if (size <= Header::size || size > maxBytes)
    return std::nullopt;
  std::string header(Header::size, '\0'), program(size - Header::size, '\0');
  if (!readAll(file.fd, header.data(), header.size()) ||
      !readAll(file.fd, program.data(), program.size()) ||
      header != Header::make(key, program))
    return std::nullopt;
  // The time of the last use.
  (void)futimens(file.fd, nullptr);
  return program;
}

bool ProgramCache::write(const std::string &path, const CacheKey::Digest &key,
                         StringRef program) const {
  static std::atomic<unsigned> counter{0};
  std::string temporary = path + "." + std::to_string(getpid()) + "." +
                          std::to_string(counter++) + ".tmp";
  File file(
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.fd < 0)
    return false;
  if (writeAll(file.fd, Header::make(key, program)) &&
      writeAll(file.fd, program) &&
      rename(temporary.c_str(), path.c_str()) == 0)
    return true;
  unlink(temporary.c_str());
  return false;
}

void ProgramCache::store(const CacheKey::Digest &key, StringRef program) const {
  if (program.size() + Header::size > maxBytes)
    return;
  (void)llvm::sys::fs::create_directories(folder, /*IgnoreExisting=*/true,
                                          llvm::sys::fs::owner_all);
  std::string path = getPath(key);
  if (write(path, key, program))
    evict(path);
}

namespace {
struct Entry {
  std::string path;
  uint64_t bytes;
  llvm::sys::TimePoint<> used;
};
} // namespace

/// Whether a file has a name that getPath or write gives.
static bool isOurs(StringRef name) {
  constexpr size_t digits = 2 * sizeof(CacheKey::Digest);
  bool isKey = name.size() > digits &&
               llvm::all_of(name.take_front(digits), llvm::isHexDigit);
  if (!isKey || !name.drop_front(digits).starts_with(".fxc"))
    return false;
  StringRef end = name.drop_front(digits + StringRef(".fxc").size());
  return end.empty() || (end.starts_with(".") && end.ends_with(".tmp"));
}

/// The programs in `folder`, and files that were left half written.
static std::vector<Entry> listEntries(const std::string &folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       !error && it != end; it.increment(error)) {
    StringRef path = it->path();
    llvm::ErrorOr<llvm::sys::fs::basic_file_status> status = it->status();
    if (isOurs(llvm::sys::path::filename(path)) && status)
      entries.push_back(
          {path.str(), status->getSize(), status->getLastModificationTime()});
  }
  return entries;
}

void ProgramCache::evict(StringRef stored) const {
  std::vector<Entry> entries = listEntries(folder);
  uint64_t total = 0;
  for (const Entry &entry : entries)
    total += entry.bytes;
  if (total <= maxBytes)
    return;
  llvm::sort(entries,
             [](const Entry &a, const Entry &b) { return a.used < b.used; });
  uint64_t goal = maxBytes / 4 * 3;
  for (const Entry &entry : entries)
    if (total > goal && entry.path != stored && unlink(entry.path.c_str()) == 0)
      total -= entry.bytes;
}

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

/// A variable that says something; "" where it does not.
static StringRef getVariable(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

std::optional<ProgramCache> ProgramCache::fromEnvironment() {
  std::string folder = getVariable("FUSER_CACHE_DIR").str();
  if (folder.empty()) {
    if (getenv("FUSER_CACHE_DIR"))
      return std::nullopt;
    StringRef caches = getVariable("XDG_CACHE_HOME");
    StringRef home = getVariable("HOME");
    // A relative path is to be ignored, says the XDG specification.
    if (!caches.starts_with("/") && home.empty())
      return std::nullopt;
    folder = caches.starts_with("/") ? caches.str() : home.str() + "/.cache";
    folder += "/fuser";
  }
  uint64_t megabytes = 0;
  StringRef size = getVariable("FUSER_CACHE_MEGABYTES");
  if (size.getAsInteger(10, megabytes))
    return ProgramCache(folder);
  if (megabytes == 0)
    return std::nullopt;
  return ProgramCache(folder, megabytes << 20);
}
