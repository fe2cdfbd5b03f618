//===- SortTile.h - What a thread block sorts ------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_SORTTILE_H
#define FUSER_SUPPORT_SORTTILE_H

#include "fuser/Support/TileLayout.h"

namespace fuser {

/// So many elements at a time: each takes up to 12 bytes of the 48 KiB of
/// shared memory that a kernel may name.
constexpr int64_t kMaxSortedElements = 4096;

/// Rows are sorted by digits of at most so many bits, by a thread of a block
/// for each value of one.
constexpr int64_t kMaxDigitBits = 8;

/// Elements that are sorted by digits at a time. Bytes of their keys, which are
/// of 4 or 8 each: 48 KiB have room for them beside the counts of digits.
constexpr int64_t kMaxDigitElements = 8192;
constexpr int64_t kMaxDigitBytes = 32 * 1024;

/// Whether rows are sorted digit by digit, and not by comparisons: the lanes of
/// a warp have neighbours, and a thread has several elements, lane by lane in
/// the order in which they are counted.
inline bool isSortedByDigits(const TileLayout &layout) {
  return layout.getNumAxes() == 2 && layout.getVector(/*axis=*/1) == 1 &&
         layout.countBits(Place::Register) > 0;
}

} // namespace fuser

#endif // FUSER_SUPPORT_SORTTILE_H
