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

void SimMemory::add(const void *data, size_t bytes) {
  SimBuffer &buffer = buffers[static_cast<const char *>(data)];
  buffer = SimBuffer();
  buffer.begin = static_cast<const char *>(data);
  buffer.bytes = bytes;
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

/// One buffer of `range` and those that it overlaps; what is known to be not
/// written of them stays so.
void SimMemory::placeForeign(const Range &range) {
  SimBuffer whole;
  whole.begin = range.begin;
  const char *end = range.end();
  std::vector<SimBuffer> parts;
  for (auto it = buffers.begin(); it != buffers.end();) {
    SimBuffer &other = it->second;
    const char *otherEnd = other.begin + other.bytes;
    if (!other.isForeign || other.begin >= range.end() ||
        otherEnd <= range.begin) {
      ++it;
      continue;
    }
    whole.begin = std::min(whole.begin, other.begin);
    end = std::max(end, otherEnd);
    parts.push_back(std::move(other));
    it = buffers.erase(it);
  }
  whole.bytes = static_cast<size_t>(end - whole.begin);
  whole.isForeign = true;
  for (const SimBuffer &part : parts) {
    if (part.written.empty())
      continue;
    whole.written.resize(whole.bytes, true);
    std::copy(part.written.begin(), part.written.end(),
              whole.written.begin() + (part.begin - whole.begin));
  }
  buffers[whole.begin] = std::move(whole);
}

void SimMemory::addForeign(const void *data, size_t bytes) {
  foreign.push_back({static_cast<const char *>(data), bytes});
  placeForeign(foreign.back());
}

void SimMemory::removeForeign(const void *data, size_t bytes) {
  Range range{static_cast<const char *>(data), bytes};
  auto it = std::find(foreign.begin(), foreign.end(), range);
  if (it == foreign.end())
    return;
  foreign.erase(it);
  SimBuffer *whole = find(range.begin);
  if (!whole)
    return;
  // What others still have of it.
  SimBuffer old = std::move(*whole);
  buffers.erase(old.begin);
  for (const Range &other : foreign)
    if (old.contains(other.begin, 1))
      placeForeign(other);
  for (auto &[begin, buffer] : buffers)
    if (buffer.isForeign && old.contains(begin, 1) && !old.written.empty())
      buffer.written.assign(old.written.begin() + (begin - old.begin),
                            old.written.begin() + (begin - old.begin) +
                                static_cast<ptrdiff_t>(buffer.bytes));
}

void SimMemory::startKernel() {
  for (auto &entry : buffers) {
    entry.second.races.clear();
    entry.second.isWritable = false;
  }
}
