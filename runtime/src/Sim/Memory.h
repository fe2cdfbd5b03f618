//===- Memory.h - What simulated kernels may touch -------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_SIM_MEMORY_H
#define FUSER_RT_SIM_MEMORY_H

#include "Sim/Races.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace fuser_rt {

/// A buffer, and what is known of its bytes.
struct SimBuffer {
  const char *begin = nullptr;
  size_t bytes = 0;
  /// Whether each byte was written; empty if all were.
  std::vector<bool> written;
  RaceShadow races;
  /// Whether the kernel that runs may write to it.
  bool isWritable = false;
  bool isGlobal = true;
  bool isForeign = false;

  bool contains(const char *address, size_t size) const {
    return address >= begin && size <= bytes &&
           address - begin <= static_cast<ptrdiff_t>(bytes - size);
  }
  /// The first byte of [address, address + size) that was not written; -1 if
  /// all were.
  ptrdiff_t findUnwritten(const char *address, size_t size) const;
  void markWritten(const char *address, size_t size);
};

/// The live buffers of a device. They do not overlap.
class SimMemory {
public:
  void add(const void *data, size_t bytes);
  void remove(const void *data);
  /// Memory of the caller's, which is written, until it is removed as often as
  /// it was added. What overlaps is one buffer.
  void addForeign(const void *data, size_t bytes);
  void removeForeign(const void *data, size_t bytes);
  /// The one that has `address` in it, or null.
  SimBuffer *find(const void *address);
  void markWritten(const void *data, size_t bytes);
  void markUnwritten(const void *data, size_t bytes);

  /// Of the next kernel nothing is known.
  void startKernel();

private:
  struct Range {
    const char *begin;
    size_t bytes;

    const char *end() const { return begin + bytes; }
    bool operator==(const Range &other) const {
      return begin == other.begin && bytes == other.bytes;
    }
  };
  void placeForeign(const Range &range);

  std::map<const char *, SimBuffer> buffers; // by `begin`
  std::vector<Range> foreign;
};

} // namespace fuser_rt

#endif // FUSER_RT_SIM_MEMORY_H
