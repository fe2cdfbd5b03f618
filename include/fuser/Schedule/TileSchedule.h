//===- TileSchedule.h - A thread block a tile of elements ------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_TILESCHEDULE_H
#define FUSER_SCHEDULE_TILESCHEDULE_H

#include "fuser/Support/TileLayout.h"

namespace fuser::schedule {

/// See #fusion.tile.
struct TileSchedule {
  llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 3> axes;
  TileLayout layout;
  llvm::SmallVector<int64_t, 3> repeat;  ///< One for each axis.
  TileLayout staged;                     ///< Without axes if nothing is staged.
  llvm::SmallVector<int64_t, 4> reads;   ///< Numbers of operands.
  llvm::SmallVector<int64_t, 4> results; ///< Numbers of results.
  TileLayout fold; ///< Without axes if there is no second kernel.
  bool programmatic = false;
  int64_t minBlocks = 0;
  int64_t stages = 0;
  bool lateReads = false;

  int64_t getNumAxes() const { return axes.size(); }
  /// Elements of a block along an axis.
  int64_t getExtent(int64_t axis) const {
    return layout.getExtent(axis) * repeat[axis];
  }
  bool isStaged() const { return staged.getNumAxes() != 0; }
  /// Neighbours that a thread has along an axis: in both layouts, if there are
  /// two.
  int64_t getVector(int64_t axis) const;
  int64_t getVector() const { return getVector(getNumAxes() - 1); }
  /// Of a split scan: the leaves of a thread that are read before a part of
  /// them, and those that wait in shared memory, all but the last part.
  int64_t getLeavesBefore(int64_t part) const {
    return repeat.back() * part / (stages + 1);
  }
  int64_t countParked() const { return getLeavesBefore(stages); }
  /// Registers of a thread for what is as large as the tile.
  int64_t getElementsPerThread() const;
};

/// Neighbours that a thread may access together: 16 bytes of the narrowest
/// tensor, at most 32 of the widest.
int64_t getWidestAccess(int64_t narrowestBytes, int64_t widestBytes);

/// Adds the bits [first, first + bits) of the number of a thread to an axis.
void addThreadBits(llvm::SmallVectorImpl<LayoutRun> &runs, int64_t axis,
                   int64_t first, int64_t bits);

/// Adds bits of the number of a register, if there are any.
void addRegisterBits(llvm::SmallVectorImpl<LayoutRun> &runs, int64_t axis,
                     int64_t bits);

/// Of rows, axis 0, whose columns, axis 1, lie in vectors of neighbours in the
/// threads of one block, or of several.
TileLayout getRowLayout(int64_t rows, int64_t threads, int64_t vector,
                        int64_t blocks = 1);

/// A thread of more instructions takes long to compile, and the arithmetic
/// bounds it, not memory.
constexpr int64_t kMaxOperations = 4096;
/// Threads of a block whose rows have a warp or less each.
constexpr int64_t kThreadsOfShortRows = 128;

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_TILESCHEDULE_H
