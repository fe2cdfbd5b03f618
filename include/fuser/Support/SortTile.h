//===- SortTile.h - What a thread block sorts ------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_SORTTILE_H
#define FUSER_SUPPORT_SORTTILE_H

#include <cstdint>

namespace fuser {

/// So many elements at a time: each takes up to 12 bytes of the 48 KiB of
/// shared memory that a kernel may name.
constexpr int64_t kMaxSortedElements = 4096;

} // namespace fuser

#endif // FUSER_SUPPORT_SORTTILE_H
