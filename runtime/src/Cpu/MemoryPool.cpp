//===- MemoryPool.cpp - Host memory that is kept --------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cpu/MemoryPool.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace fuser_rt;

static constexpr size_t blockAlignment = 256;
static constexpr size_t hugePage = size_t(2) << 20;

/// In front of the data, in a space of its own alignment.
struct MemoryPool::Block {
  size_t bytes; // with the header
  Block *next;  // in its free list
};

/// The size of a block whose data has `bytes` bytes.
static size_t sizeClass(size_t bytes) {
  bytes += blockAlignment;
  size_t power = size_t(1) << (63 - __builtin_clzll(bytes));
  size_t step = std::max(power / 8, blockAlignment);
  return (bytes + step - 1) / step * step;
}

/// What no request can exceed, even where the system promises more memory than
/// there is.
static size_t physicalBytes() {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? size_t(pages) * size_t(size) : SIZE_MAX / 4;
}

static void *systemAllocate(size_t bytes) {
  bool large = bytes >= 2 * hugePage;
  void *data = nullptr;
  if (posix_memalign(&data, large ? hugePage : blockAlignment, bytes) != 0)
    return nullptr;
#ifdef MADV_HUGEPAGE
  // Only a wish: 512 times fewer page faults where the system grants it.
  if (large)
    madvise(data, bytes / hugePage * hugePage, MADV_HUGEPAGE);
#endif
  return data;
}

/// Takes the largest blocks off the lists until at most `limit` bytes are kept.
MemoryPool::Block *MemoryPool::trim(size_t limit) {
  Block *taken = nullptr;
  for (auto list = freeLists.rbegin(); list != freeLists.rend() && kept > limit;
       ++list)
    while (list->second && kept > limit) {
      Block *block = list->second;
      list->second = block->next;
      kept -= block->bytes;
      block->next = taken;
      taken = block;
    }
  return taken;
}

/// Gives a list of blocks back to the system.
void MemoryPool::giveBack(Block *block) {
  while (block) {
    Block *next = block->next;
    free(block);
    block = next;
  }
}

MemoryPool::~MemoryPool() { giveBack(trim(0)); }

/// A block from the system, after `surplus` went back there; null if there is
/// none.
MemoryPool::Block *MemoryPool::allocateFresh(size_t size, Block *surplus) {
  giveBack(surplus);
  auto *block = static_cast<Block *>(systemAllocate(size));
  if (!block) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      surplus = trim(0);
    }
    giveBack(surplus);
    block = static_cast<Block *>(systemAllocate(size));
  }
  if (block)
    block->bytes = size;
  return block;
}

void *MemoryPool::allocate(size_t bytes) {
  if (bytes > physicalBytes())
    return nullptr;
  size_t size = sizeClass(bytes);
  Block *block, *surplus = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    Block *&list = freeLists[size];
    block = list;
    live += size;
    if (block) {
      list = block->next;
      kept -= size;
      peak = std::max(peak, live);
    } else {
      surplus = trim(peak > live ? peak - live : 0);
    }
  }
  if (block)
    return reinterpret_cast<char *>(block) + blockAlignment;
  block = allocateFresh(size, surplus);
  std::lock_guard<std::mutex> lock(mutex);
  if (!block) {
    live -= size;
    return nullptr;
  }
  peak = std::max(peak, live);
  return reinterpret_cast<char *>(block) + blockAlignment;
}

void MemoryPool::release(void *data) {
  auto *block =
      reinterpret_cast<Block *>(static_cast<char *>(data) - blockAlignment);
  std::lock_guard<std::mutex> lock(mutex);
  Block *&list = freeLists[block->bytes];
  block->next = list;
  list = block;
  // A fork may have come between the two numbers of another thread.
  live -= std::min(live, block->bytes);
  kept += block->bytes;
}
