//===- RowOrder.h - A sort and its schedule --------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_FIBRES_ROWORDER_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_FIBRES_ROWORDER_H

#include "fuser/Conversion/SegmentLowering.h"
#include "fuser/Schedule/Problem.h"
#include "fuser/Schedule/TileSchedule.h"

namespace fuser {

/// A segment that is one sort, and the tile of a thread block.
struct OrderProgram {
  /// The axis of what is sorted; the other one is that of rows.
  static constexpr int64_t kColumns = 1;

  schedule::TileSchedule schedule;
  fusion::OrderOpInterface op;
  schedule::OrderProblem problem;
  SmallVector<int64_t> divisors;

  Value getInput() { return fusion::getTensorOperands(op).front()->get(); }
  Type getElementType() { return getElementTypeOrSelf(getInput().getType()); }
  /// Elements of a tile.
  int64_t getColumns() const { return schedule.getExtent(kColumns); }
  bool isOneTile() const {
    return problem.maxLength != schedule::kUnknown &&
           problem.maxLength <= getColumns();
  }
};

/// Tiles are sorted by themselves, and merged: rows of any length, along any
/// dimension.
LogicalResult lowerMergeSort(SegmentLowering &lowering, OrderProgram &program);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_FIBRES_ROWORDER_H
