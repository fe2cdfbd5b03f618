//===- ProgramCache.h - Compiled programs on disk ---------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder of compiled programs, each in a file that its key names. Any number
// of processes share it: a file is written beside its place and renamed, so
// that readers see all of it or none. What is damaged, or cannot be read or
// written, is as if it were not there: a cache never makes a compilation fail.
// Why it is so: docs/rationale/cache.md.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PIPELINES_PROGRAMCACHE_H
#define FUSER_PIPELINES_PROGRAMCACHE_H

#include "fuser/Support/LLVM.h"
#include "llvm/Support/SHA256.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace fuser {

struct CompileOptions;

/// What a compiled program depends on, as a hash.
class CacheKey {
public:
  /// Of what all keys have in common: the compiler itself and this machine's
  /// processor.
  CacheKey();
  /// Parts are told apart by their lengths, not only by their order.
  CacheKey &add(StringRef part);
  CacheKey &add(uint64_t number);
  /// All that changes what is compiled.
  CacheKey &add(const CompileOptions &options);

  using Digest = std::array<uint8_t, 32>;
  /// Of what was added so far.
  Digest get();

private:
  llvm::SHA256 hash;
};

class ProgramCache {
public:
  static constexpr uint64_t kDefaultBytes = uint64_t(1) << 30;

  /// `maxBytes`: what all programs take together; the ones that were used
  /// longest ago go.
  explicit ProgramCache(std::string folder, uint64_t maxBytes = kDefaultBytes)
      : folder(std::move(folder)), maxBytes(maxBytes) {}

  /// In FUSER_CACHE_DIR, else in the user's folder of caches (XDG_CACHE_HOME,
  /// ~/.cache), of FUSER_CACHE_MEGABYTES at most. None if FUSER_CACHE_DIR is
  /// empty, the size is 0, or there is no such folder.
  static std::optional<ProgramCache> fromEnvironment();

  /// The bytes of a program that was stored, which counts as a use.
  std::optional<std::string> find(const CacheKey::Digest &key) const;
  void store(const CacheKey::Digest &key, StringRef program) const;

  /// Where a program is, or would be.
  std::string getPath(const CacheKey::Digest &key) const;

private:
  bool write(const std::string &path, const CacheKey::Digest &key,
             StringRef program) const;
  /// Removes programs until what is left takes three quarters of what is
  /// allowed, where it takes more than that. `stored` stays, whatever the times
  /// of the others are.
  void evict(llvm::StringRef stored) const;

  std::string folder;
  uint64_t maxBytes;
};

} // namespace fuser

#endif // FUSER_PIPELINES_PROGRAMCACHE_H
