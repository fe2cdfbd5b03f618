//===- CompilerUse.cpp - Compiling in processes that fork -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/CompilerUse.h"
#include <atomic>
#include <cstdint>
#include <unistd.h>

using namespace fuser;

/// The process (upper half) and how many of its threads compile (lower half).
/// In a process that was forked off these are the parent's, until it compiles.
static std::atomic<uint64_t> users{0};

static uint64_t getProcess() { return static_cast<uint64_t>(getpid()) << 32; }
static uint32_t getCount(uint64_t value) {
  return static_cast<uint32_t>(value);
}

CompilerUse::CompilerUse() {
  uint64_t process = getProcess(), now = users.load(), next;
  do {
    bool isOurs = now - getCount(now) == process;
    // Threads of the parent, which never end here.
    possible = isOurs || getCount(now) == 0;
    if (!possible)
      return;
    next = isOurs ? now + 1 : process + 1;
  } while (!users.compare_exchange_weak(now, next));
}

CompilerUse::~CompilerUse() {
  if (possible)
    users.fetch_sub(1);
}

FuserStatus *CompilerUse::check() const {
  if (possible)
    return nullptr;
  return fuser_status_create(
      FUSER_INTERNAL,
      "expected a process that was not forked off while another thread "
      "compiled, got one that was: the compiler's state is half changed here; "
      "fork before anything is compiled or after, or start a new program "
      "instead");
}
