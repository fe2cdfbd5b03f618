//===- InlineBuffer.h - Small arrays without a heap -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_INLINEBUFFER_H
#define FUSER_RT_INLINEBUFFER_H

#include <cstddef>
#include <memory>

namespace fuser_rt {

/// An array whose size is known when it is made; up to N elements lie in the
/// object. Elements are not initialised.
template <typename T, size_t N>
class InlineBuffer {
public:
  explicit InlineBuffer(size_t size)
      : heap(size > N ? new T[size] : nullptr),
        elements(heap ? heap.get() : inlined) {}
  InlineBuffer(const InlineBuffer &) = delete;
  InlineBuffer &operator=(const InlineBuffer &) = delete;

  T *data() { return elements; }
  T &operator[](size_t i) { return elements[i]; }
  const T &operator[](size_t i) const { return elements[i]; }

private:
  T inlined[N];
  std::unique_ptr<T[]> heap;
  T *elements;
};

} // namespace fuser_rt

#endif // FUSER_RT_INLINEBUFFER_H
