//===- DigitKernels.h - Rows in order of a digit ---------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass of a radix sort puts the elements of rows in the order of one digit of
// their keys, those of equal digits as they were. Its three kernels:
//
//   count    a block counts the digits of its tile
//   offsets  of each digit: how many of it the tiles before have
//   place    a block moves the keys (or the elements, of which keys are made
//            again) and positions of its tile to their places
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_FIBRES_DIGITKERNELS_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_FIBRES_DIGITKERNELS_H

#include "SortedRows.h"

namespace fuser {

/// Keys as digits, all of which have `bits`; the last one may have zeros.
struct Digits {
  explicit Digits(int64_t keyBits);

  int64_t getValues() const { return int64_t(1) << bits; }

  int64_t number, bits;
};

/// What the kernels of a pass take beside the segment's operands and results:
/// values of the host program, or arguments of a kernel.
struct DigitPass {
  /// Of [rows, values of a digit, tiles], and of [rows, values of a digit].
  Value counts, totals;
  /// Null: the first pass takes keys from the input, which is in order.
  Value keys, positions, shift;
  /// Null: the last pass puts none, and may store its positions elsewhere.
  Value keysTo, positionsTo;

  bool isFirst() const { return !keys; }
  bool isLast() const { return !keysTo; }
  /// Those that are there.
  SmallVector<Value> getValues() const;
  /// The same of a kernel, whose workspaces are the values in order.
  DigitPass getArguments(const RowKernel &k) const;
  /// What of it a kernel needs that moves nothing.
  DigitPass withoutTargets() const;
};

LogicalResult emitDigitCount(RowKernel &k, const DigitPass &pass,
                             const Digits &digits);

/// Lanes that a digit has, for so many tiles of a row (kUnknown: any).
int64_t countOffsetLanes(int64_t tiles);
/// Only of counts and totals.
LogicalResult emitDigitOffsets(RowKernel &k, const Digits &digits,
                               int64_t tiles);

/// `store` takes positions that have no workspace.
LogicalResult emitDigitPlaces(RowKernel &k, const DigitPass &pass,
                              const Digits &digits, const PlaceStore *store);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_FIBRES_DIGITKERNELS_H
