//===- Fiber.cpp - Stacks that take turns on one thread -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim/Fiber.h"

#include <atomic>
#include <boost/context/detail/fcontext.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>

using namespace fuser_rt;
namespace context = boost::context::detail;

/// Only what is touched of it takes memory. A kernel's frame holds a GPU
/// thread's local memory, at most 512 KiB, and, if little was optimised, each
/// value of a long kernel with wide vectors.
static constexpr size_t kStackBytes = size_t(16) << 20;
/// Below the stack: what overflows faults. A process has at most 65,530 pieces
/// of memory of different protection (vm.max_map_count); stacks beyond that
/// have a pattern there, which is looked at.
static constexpr size_t kGuardBytes = 4096;
static constexpr int kMaxGuards = 16000;
static constexpr int kPattern = 0x5a;
/// Of the pattern; more would touch memory that nothing needs.
static constexpr size_t kPatternBytes = 64;

/// Of the process.
static std::atomic<int> numFibers{0};

Fiber::Fiber(void (*main)(void *), void *user) : main(main), user(user) {
  stack = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED)
    throw std::bad_alloc();
  // Else a stack would take a large page where it needs a small one.
  (void)madvise(stack, kGuardBytes + kStackBytes, MADV_NOHUGEPAGE);
  isGuarded =
      ++numFibers <= kMaxGuards && mprotect(stack, kGuardBytes, PROT_NONE) == 0;
  if (!isGuarded)
    std::memset(getPattern(), kPattern, kPatternBytes);
  restart();
}

Fiber::~Fiber() {
  munmap(stack, kGuardBytes + kStackBytes);
  --numFibers;
}

void Fiber::restart() {
  void *top = static_cast<char *>(stack) + kGuardBytes + kStackBytes;
  context =
      context::make_fcontext(top, kStackBytes, [](context::transfer_t from) {
        auto *self = static_cast<Fiber *>(from.data);
        self->caller = from.fctx;
        self->main(self->user);
      });
}

bool Fiber::holds(const void *address) const {
  const char *begin = static_cast<const char *>(stack) + kGuardBytes;
  return address >= begin && address < begin + kStackBytes;
}

char *Fiber::getPattern() const {
  return static_cast<char *>(stack) + kGuardBytes - kPatternBytes;
}

void Fiber::resume() {
  context = context::jump_fcontext(context, this).fctx;
  if (isGuarded)
    return;
  for (size_t i = 0; i < kPatternBytes; ++i)
    if (getPattern()[i] != kPattern) {
      std::fputs("fuser_rt: the stack of a simulated thread overflowed\n",
                 stderr);
      std::abort(); // As the guard would: other stacks may be damaged.
    }
}

void Fiber::suspend() { caller = context::jump_fcontext(caller, nullptr).fctx; }
