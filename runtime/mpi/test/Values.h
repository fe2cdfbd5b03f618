//===- Values.h - Small numbers of all types ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_MPI_TEST_VALUES_H
#define FUSER_RT_MPI_TEST_VALUES_H

#include "fuser_rt/communicator.h"

#include <vector>

constexpr int numTypes = FUSER_TYPE_BITS16 + 1;

int64_t sizeOf(int type);

/// Writes a number that the type has without rounding.
void store(int type, double value, void *to);

/// What a test's rank holds: 1 or 2, so that sums and products are exact.
double valueOf(int64_t rank, int64_t index);

/// Dense elements of one type.
struct Buffer {
  Buffer(int type, int64_t count) : type(type), bytes(count * sizeOf(type)) {}
  void *at(int64_t index) { return bytes.data() + index * sizeOf(type); }
  void set(int64_t index, double value) { store(type, value, at(index)); }
  int64_t count() const {
    return static_cast<int64_t>(bytes.size()) / sizeOf(type);
  }
  int type;
  std::vector<unsigned char> bytes;
};

/// The elements that a rank has at the start.
Buffer makeValues(int type, int64_t rank, int64_t count);

/// Element `index` of all ranks together.
double combined(int type, int reduction, int64_t size, int64_t index);

#endif // FUSER_RT_MPI_TEST_VALUES_H
