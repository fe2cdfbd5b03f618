//===- Memory.cpp - What simulated kernels may touch ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sim/Memory.h"

#include <algorithm>

using namespace fuser_rt;

ptrdiff_t SimBuffer::findUnwritten(const char *address, size_t size) const {
  if (written.empty())
    return -1;
  auto first = written.begin() + (address - begin);
  auto it = std::find(first, first + static_cast<ptrdiff_t>(size), false);
  return it == first + static_cast<ptrdiff_t>(size) ? -1 : it - written.begin();
}

void SimBuffer::markWritten(const char *address, size_t size) {
  if (!written.empty())
    std::fill_n(written.begin() + (address - begin), size, true);
}

void SimMemory::add(const void *data, size_t bytes, bool isWritten) {
  SimBuffer &buffer = buffers[static_cast<const char *>(data)];
  buffer = SimBuffer();
  buffer.begin = static_cast<const char *>(data);
  buffer.bytes = bytes;
  if (!isWritten)
    buffer.written.resize(bytes);
}

void SimMemory::remove(const void *data) {
  buffers.erase(static_cast<const char *>(data));
}

SimBuffer *SimMemory::find(const void *address) {
  const auto *at = static_cast<const char *>(address);
  auto it = buffers.upper_bound(at);
  if (it == buffers.begin())
    return nullptr;
  SimBuffer &buffer = std::prev(it)->second;
  return at - buffer.begin < static_cast<ptrdiff_t>(buffer.bytes) ? &buffer
                                                                  : nullptr;
}

void SimMemory::markWritten(const void *data, size_t bytes) {
  const auto *address = static_cast<const char *>(data);
  SimBuffer *buffer = find(address);
  if (buffer && buffer->contains(address, bytes))
    buffer->markWritten(address, bytes);
}

void SimMemory::markUnwritten(const void *data, size_t bytes) {
  const auto *address = static_cast<const char *>(data);
  SimBuffer *buffer = find(address);
  if (!buffer || !buffer->contains(address, bytes))
    return;
  if (buffer->written.empty())
    buffer->written.resize(buffer->bytes, true);
  std::fill_n(buffer->written.begin() + (address - buffer->begin), bytes,
              false);
}

void SimMemory::addForeign(const void *data, size_t bytes) {
  const auto *begin = static_cast<const char *>(data), *end = begin + bytes;
  for (auto it = buffers.begin(); it != buffers.end();) {
    const SimBuffer &other = it->second;
    bool overlaps = other.begin < end && begin < other.begin + other.bytes;
    it = other.isForeign && overlaps ? buffers.erase(it) : std::next(it);
  }
  add(data, bytes, /*isWritten=*/true);
  buffers[begin].isForeign = true;
}

void SimMemory::startKernel() {
  for (auto &entry : buffers) {
    entry.second.races.clear();
    entry.second.isWritable = false;
  }
}
