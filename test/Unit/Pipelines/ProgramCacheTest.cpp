//===- ProgramCacheTest.cpp - Compiled programs on disk -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/ProgramCache.h"
#include "fuser/Pipelines/Compile.h"
#include "fuser/Pipelines/Executable.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace fuser;

namespace {
class ProgramCacheTest : public ::testing::Test {
protected:
  void SetUp() override {
    SmallString<64> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("fuser-cache", path));
    root = path.str().str();
    folder = root + "/programs";
  }
  void TearDown() override { llvm::sys::fs::remove_directories(root); }

  static CacheKey::Digest key(StringRef text) {
    return CacheKey().add(text).get();
  }
  static std::string read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const std::string &path, StringRef data) {
    std::ofstream(path, std::ios::binary) << data.str();
  }
  size_t countFiles() const {
    size_t count = 0;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(folder, error), end;
         !error && it != end; it.increment(error))
      ++count;
    return count;
  }
  /// As if it was last used so many seconds ago.
  static void age(const std::string &path, int seconds) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec -= seconds;
    timespec times[2] = {now, now};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }

  std::string root, folder;
};
} // namespace

TEST_F(ProgramCacheTest, FindsWhatWasStored) {
  ProgramCache cache(folder);
  EXPECT_FALSE(cache.find(key("a")));
  cache.store(key("a"), "program");
  EXPECT_EQ(cache.find(key("a")), "program");
  EXPECT_FALSE(cache.find(key("b")));
  EXPECT_EQ(ProgramCache(folder).find(key("a")), "program");
  cache.store(key("a"), "another");
  EXPECT_EQ(cache.find(key("a")), "another");
  EXPECT_EQ(countFiles(), 1u);
  struct stat status{};
  ASSERT_EQ(stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(ProgramCacheTest, KeysTellAllPartsApart) {
  std::set<CacheKey::Digest> keys;
  auto add = [&](const CompileOptions &options) {
    EXPECT_TRUE(keys.insert(CacheKey().add(options).get()).second);
  };
  CompileOptions options;
  add(options);
  EXPECT_EQ(CacheKey().add(options).get(), *keys.begin());
  (options = {}).entry = "f", add(options);
  (options = {}).arch = "f", add(options);
  (options = {}).target = &getCudaTarget(), add(options);
  (options = {}).outputAlignment = 1, add(options);
  (options = {}).arithmetic = Arithmetic::Ring, add(options);
  (options = {}).checkKernels = true, add(options);
  (options = {}).quick = true, add(options);
  (options = {}).inputs = {{}}, add(options);
  options.inputs[0].anyStrides = true, add(options);
  (options = {}).inputs = {{}};
  options.inputs[0].alignment = 4, add(options);
  (options = {}).inputs = {{}};
  options.inputs[0].sizes = {8}, add(options);
  (options = {}).inputs = {{}, {}}, add(options);
  // Parts do not run together.
  EXPECT_NE(CacheKey().add("ab").add("c").get(),
            CacheKey().add("a").add("bc").get());
}

TEST_F(ProgramCacheTest, DamageIsAMiss) {
  ProgramCache cache(folder);
  cache.store(key("a"), "the bytes of a program");
  std::string path = cache.getPath(key("a")), whole = read(path);
  for (size_t size = 0; size < whole.size(); ++size) {
    write(path, StringRef(whole).take_front(size));
    EXPECT_FALSE(cache.find(key("a"))) << size;
  }
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = char(flipped[bit / 8] ^ (1 << bit % 8));
    write(path, flipped);
    EXPECT_FALSE(cache.find(key("a"))) << bit;
  }
  write(path, whole + "x");
  EXPECT_FALSE(cache.find(key("a")));
  // More than memory has.
  ASSERT_EQ(truncate(path.c_str(), off_t(1) << 42), 0);
  EXPECT_FALSE(cache.find(key("a")));
  // Another program's file under this name.
  cache.store(key("b"), "another program");
  std::string other = read(cache.getPath(key("b")));
  write(path, other);
  EXPECT_FALSE(cache.find(key("a")));
  // The same with this one's key in it.
  std::string digest(reinterpret_cast<const char *>(key("a").data()), 32);
  write(path, other.replace(8, 32, digest));
  EXPECT_FALSE(cache.find(key("a")));
  cache.store(key("a"), "the bytes of a program");
  EXPECT_EQ(read(path), whole);
}

/// A program of one op that was compiled with a cache.
static std::unique_ptr<Executable>
compileOp(FuserContext *context, StringRef op, const ProgramCache &cache) {
  std::string text = ("func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                      "  %0 = fusion." +
                      op +
                      " %x : tensor<?xf32>\n"
                      "  return %0 : tensor<?xf32>\n}\n")
                         .str();
  std::unique_ptr<Executable> made;
  CompileOptions options;
  options.target = &getCpuTarget();
  FuserStatus *status =
      Executable::create(context, {text, "f.mlir"}, options, &cache, made);
  EXPECT_FALSE(status) << fuser_status_message(status);
  return made;
}

/// What it makes of 4 in memory that is not dense, which takes a variant.
static float runStrided(const Executable &executable) {
  float in[3] = {4, 0, 4}, out[2] = {0, 0};
  int64_t shape = 2, apart = 2, dense = 1;
  DLTensor x{in, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &shape, &apart, 0};
  DLTensor y{out, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &shape, &dense, 0};
  const DLTensor *input = &x;
  FuserOutput output{&y, nullptr};
  FuserStatus *status = fuser_program_run(executable.getProgram(), &input, 1,
                                          nullptr, 0, &output, 1);
  EXPECT_FALSE(status) << fuser_status_message(status);
  fuser_status_destroy(status);
  return out[1];
}

TEST_F(ProgramCacheTest, AVariantOfAnotherProgramIsAMiss) {
  FuserContext *context = nullptr;
  ASSERT_FALSE(fuser_context_create_cpu(1, &context));
  ProgramCache cache(folder);
  std::set<std::string> first;
  auto findNew = [&] {
    std::string found;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(folder, error), end;
         !error && it != end; it.increment(error))
      if (first.insert(it->path()).second)
        found = llvm::sys::path::stem(it->path()).str();
    return found;
  };
  {
    auto executable = compileOp(context, "sqrt", cache);
    findNew();
    EXPECT_EQ(runStrided(*executable), 2);
  }
  CacheKey::Digest variant{};
  std::string digits = llvm::fromHex(findNew());
  ASSERT_EQ(digits.size(), variant.size());
  llvm::copy(digits, variant.begin());
  for (const char *damaged : {"no program", "FUSR"}) {
    cache.store(variant, damaged);
    EXPECT_EQ(runStrided(*compileOp(context, "sqrt", cache)), 2);
    EXPECT_NE(cache.find(variant), damaged);
  }
  fuser_context_destroy(context);
}

TEST_F(ProgramCacheTest, WhatIsUsedStays) {
  std::string program(1000, 'x');
  ProgramCache cache(folder, 4300);
  for (const char *name : {"a", "b", "c", "d"})
    cache.store(key(name), program);
  EXPECT_EQ(countFiles(), 4u);
  int seconds = 400;
  for (const char *name : {"a", "b", "c", "d"})
    age(cache.getPath(key(name)), seconds -= 50);
  std::string half = cache.getPath(key("z")) + ".1.0.tmp";
  write(half, "half");
  age(half, 1000);
  // What others left in the folder stays.
  for (const char *name : {"/other.tmp", "/other.fxc"}) {
    write(folder + name, program);
    age(folder + name, 2000);
  }
  EXPECT_TRUE(cache.find(key("a")));
  cache.store(key("e"), program);
  EXPECT_TRUE(cache.find(key("a")));
  EXPECT_FALSE(cache.find(key("b")));
  EXPECT_FALSE(cache.find(key("c")));
  EXPECT_TRUE(cache.find(key("d")));
  EXPECT_TRUE(cache.find(key("e")));
  EXPECT_EQ(countFiles(), 3u + 2);
  // What is larger than all that is allowed pushes nothing out.
  cache.store(key("f"), std::string(5000, 'x'));
  EXPECT_EQ(countFiles(), 3u + 2);
}

TEST_F(ProgramCacheTest, WhatIsStoredStays) {
  // Beside a file that seems to be used later.
  std::string program(1000, 'x');
  ProgramCache cache(folder, 1500);
  cache.store(key("a"), program);
  age(cache.getPath(key("a")), -100);
  cache.store(key("b"), program);
  EXPECT_TRUE(cache.find(key("b")));
  EXPECT_FALSE(cache.find(key("a")));
}

TEST_F(ProgramCacheTest, FoldersThatCannotBeWritten) {
  write(root + "/file", "no folder");
  for (const char *name : {"/file", "/file/below"}) {
    ProgramCache cache(root + name);
    cache.store(key("a"), "program");
    EXPECT_FALSE(cache.find(key("a")));
  }
  EXPECT_EQ(read(root + "/file"), "no folder");
  // What lies in the place of a program is no program.
  ProgramCache cache(folder);
  ASSERT_FALSE(llvm::sys::fs::create_directories(cache.getPath(key("a"))));
  EXPECT_FALSE(cache.find(key("a")));
  cache.store(key("a"), "program");
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(ProgramCacheTest, OtherUsersProgramsAreNotRun) {
  ProgramCache cache(folder);
  cache.store(key("a"), "program");
  if (chown(cache.getPath(key("a")).c_str(), 12345, -1) != 0)
    GTEST_SKIP() << "only root can give files away";
  EXPECT_FALSE(cache.find(key("a")));
}

TEST_F(ProgramCacheTest, ProcessesAtOnce) {
  // All write the same program again and again, and read it.
  std::string program(100000, 'x');
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ProgramCache cache(folder);
      cache.store(key("a"), program);
      bool holds = true;
      for (int turn = 0; turn < 200; ++turn) {
        holds &= cache.find(key("a")) == program;
        cache.store(key("a"), program);
      }
      _exit(holds ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(countFiles(), 1u);
}

namespace {
/// Sets variables of the environment as long as it lives; null: unset.
struct Environment {
  std::vector<std::pair<std::string, std::optional<std::string>>> before;
  void set(const char *name, const char *value) {
    const char *old = getenv(name);
    before.push_back(
        {name, old ? std::optional<std::string>(old) : std::nullopt});
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Environment() {
    for (auto it = before.rbegin(); it != before.rend(); ++it)
      it->second ? setenv(it->first.c_str(), it->second->c_str(), 1)
                 : unsetenv(it->first.c_str());
  }
};
} // namespace

TEST_F(ProgramCacheTest, TheEnvironment) {
  Environment environment;
  auto getFolder = [] {
    std::optional<ProgramCache> cache = ProgramCache::fromEnvironment();
    return cache ? StringRef(cache->getPath(key("a"))).rsplit('/').first.str()
                 : std::string("none");
  };
  environment.set("FUSER_CACHE_MEGABYTES", nullptr);
  environment.set("FUSER_CACHE_DIR", "/a/b");
  environment.set("XDG_CACHE_HOME", "/xdg");
  environment.set("HOME", "/home/me");
  EXPECT_EQ(getFolder(), "/a/b");
  environment.set("FUSER_CACHE_DIR", "");
  EXPECT_EQ(getFolder(), "none");
  environment.set("FUSER_CACHE_DIR", nullptr);
  EXPECT_EQ(getFolder(), "/xdg/fuser");
  environment.set("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(getFolder(), "/home/me/.cache/fuser");
  environment.set("HOME", nullptr);
  EXPECT_EQ(getFolder(), "none");
  environment.set("FUSER_CACHE_DIR", "/a");
  environment.set("FUSER_CACHE_MEGABYTES", "5");
  EXPECT_EQ(getFolder(), "/a");
  environment.set("FUSER_CACHE_MEGABYTES", "0");
  EXPECT_EQ(getFolder(), "none");
}
