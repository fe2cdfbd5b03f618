//===- ReferenceMemory.cpp - Buffers of compiled functions ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceMemory.h"
#include "llvm/ADT/DenseSet.h"
#include <csetjmp>
#include <cstdlib>
#include <sys/mman.h>

using namespace fuser;

namespace {
/// A call in progress.
struct Memory {
  llvm::DenseSet<void *> buffers;
  uint64_t missing = 0;
  std::jmp_buf giveUp;
};
} // namespace

static thread_local Memory *current = nullptr;

/// Buffers are large, and each is written once: in pages of the usual size the
/// faults take longer than the arithmetic.
static void *allocateAligned(size_t bytes) {
  constexpr size_t kHugePage = 1 << 21;
  if (bytes < 4 * kHugePage)
    return std::malloc(bytes);
  if (bytes > SIZE_MAX - kHugePage)
    return nullptr;
  bytes = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void *buffer = std::aligned_alloc(kHugePage, bytes);
  if (buffer)
    madvise(buffer, bytes, MADV_HUGEPAGE);
  return buffer;
}

static void *allocate(size_t bytes) {
  void *buffer = allocateAligned(std::max<size_t>(bytes, 1));
  if (!buffer) {
    current->missing = bytes;
    // Compiled code has no way to hand on a failure, and nothing to unwind.
    std::longjmp(current->giveUp, 1);
  }
  current->buffers.insert(buffer);
  return buffer;
}

static void release(void *buffer) {
  current->buffers.erase(buffer);
  std::free(buffer);
}

llvm::ArrayRef<reference::Symbol> reference::getMemorySymbols() {
  static const Symbol symbols[] = {
      {"malloc", reinterpret_cast<void *>(allocate)},
      {"free", reinterpret_cast<void *>(release)},
  };
  return symbols;
}

uint64_t reference::runWithinMemory(llvm::function_ref<void()> call) {
  Memory memory;
  current = &memory;
  if (setjmp(memory.giveUp) == 0)
    call();
  else
    llvm::for_each(memory.buffers, std::free);
  current = nullptr;
  return memory.missing;
}
