//===- SumOrder.h - The order of sums on a GPU -----------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions that leave the last dimension (outer reductions) add rows:
//
//   row = ((step * parts + part) * 8 + i) * 16 + chain
//
// 1. chain: the rows of a chain of a part, one after the other: i, then step
// 2. part:  its 16 chains as a tree of neighbours
// 3. parts: 1024 neighbours at a time as a tree of neighbours, and these trees
//           one after the other
//
// The number of parts follows from that of rows alone. docs/rationale/sums.md
// says why, and has the order of the other reductions.
//
// Scans combine the elements of a fibre up to each one, along any dimension:
//
//   element =
//       (((group * 128 + section) * 64 + segment) * 32 + lane) * leaf + i
//
// 1. leaf: the elements of the leaf up to i, from the first one on
// 2. lane: the leaves before it in the segment: as many of them as the highest
//          bit of `lane` says, as a tree of neighbours, then those of the next
//          bit, and so on; these trees from the last one backwards
// 3. segment: those before it in the section, one after the other, from the
//          neutral element on; each is the tree of neighbours of its 32 leaves
// 4. section: those before it in the group, one after the other, from the
//          neutral element on; each is the chain of its 64 segments
// 5. group: the groups before it, one after the other, from the neutral element
//          on; each is the chain of its 128 sections
//
// and what they have: (((groups, sections), segments), lanes), leaf. A leaf has
// 16 bytes of elements of the scan, at most 8.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_SUMORDER_H
#define FUSER_SUPPORT_SUMORDER_H

#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdint>
#include <optional>

namespace fuser {

/// The chains of a part, and how many rows one step adds to each.
constexpr int64_t kChains = 16;
constexpr int64_t kChainRows = 8;
/// Neighbouring rows: what one step of a part adds.
constexpr int64_t kSlabRows = kChains * kChainRows;

/// Up to so many parts have one step. More rows go to these parts, and more
/// parts have so many steps.
constexpr int64_t kFewParts = 8;
constexpr int64_t kPartSteps = 8;

/// The leaves of a segment of a scan.
constexpr int64_t kScanLanes = 32;
/// The segments of a section of a scan.
constexpr int64_t kScanSegments = 64;
/// The sections of a group of a scan.
constexpr int64_t kScanSections = 128;

/// Up to so many sections of a scan of integers, of which any parts may be
/// combined first, are one group: no group waits for another one. Of more a
/// thread block would read too much.
constexpr int64_t kMostIntegerSections = 512;

/// The sections of a group of a scan whose fibres have so many (none: it is not
/// known how many).
inline int64_t getScanGroup(std::optional<int64_t> sections, bool areIntegers) {
  if (!areIntegers || !sections || *sections > kMostIntegerSections)
    return kScanSections;
  return std::max<int64_t>(llvm::bit_ceil(uint64_t(*sections)), kScanSections);
}

/// The elements of a leaf of a scan of elements of so many bytes.
inline int64_t getScanLeaf(int64_t bytes) {
  return std::clamp<int64_t>(16 / bytes, 1, 8);
}

/// Parts of a tree.
constexpr int64_t kTreeParts = 1024;

/// The parts of so many rows; of none too, there is one.
inline int64_t getNumParts(int64_t rows) {
  int64_t few =
      std::min<int64_t>(kFewParts, llvm::divideCeil(uint64_t(rows), kSlabRows));
  int64_t many = llvm::divideCeil(uint64_t(rows), kSlabRows * kPartSteps);
  return std::max<int64_t>({few, many, 1});
}

} // namespace fuser

#endif // FUSER_SUPPORT_SUMORDER_H
