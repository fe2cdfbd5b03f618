//===- MemoryPool.h - Host memory that is kept ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fresh memory costs a page fault every 4 KiB, more than most kernels take:
// blocks that are freed are kept for the next request of their size class
// (eight classes to a power of two). The pool never holds more than was in use
// at one time; what exceeds that goes back to the system. The lock is held for
// a few instructions, and never while the system is asked for anything.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_CPU_MEMORYPOOL_H
#define FUSER_RT_CPU_MEMORYPOOL_H

#include <cstddef>
#include <map>
#include <mutex>

namespace fuser_rt {

/// Thread safe.
class MemoryPool {
public:
  /// `live`: bytes that another pool has handed out, and that may return here.
  explicit MemoryPool(size_t live = 0) : live(live), peak(live) {}
  ~MemoryPool();
  MemoryPool(const MemoryPool &) = delete;
  MemoryPool &operator=(const MemoryPool &) = delete;

  /// Memory aligned to 256 bytes, or null if there is none.
  void *allocate(size_t bytes);
  void release(void *data);

  /// Bytes handed out and not yet returned, and bytes kept, in whole blocks.
  size_t liveBytes() const { return live; }
  size_t keptBytes() const { return kept; }

private:
  struct Block;
  Block *trim(size_t limit);
  static void giveBack(Block *block);
  Block *allocateFresh(size_t size, Block *surplus);

  std::mutex mutex;
  std::map<size_t, Block *> freeLists; // by size class
  size_t live, kept = 0, peak;
};

} // namespace fuser_rt

#endif // FUSER_RT_CPU_MEMORYPOOL_H
