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
  void add(const void *data, size_t bytes, bool isWritten);
  /// Memory that lives as long as the run that begins, and is written. Others
  /// of that kind are gone where it overlaps them.
  void addForeign(const void *data, size_t bytes);
  void remove(const void *data);
  /// The one that has `address` in it, or null.
  SimBuffer *find(const void *address);
  void markWritten(const void *data, size_t bytes);
  void markUnwritten(const void *data, size_t bytes);

  /// Of the next kernel nothing is known.
  void startKernel();

private:
  std::map<const char *, SimBuffer> buffers; // by `begin`
};

} // namespace fuser_rt

#endif // FUSER_RT_SIM_MEMORY_H
