//===- OuterProgram.h - Sums of rows, in one or two kernels ----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What OuterReductionKernel.cpp emits: the segment, its schedule, and how the
// space is cut.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_OUTER_OUTERPROGRAM_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_OUTER_OUTERPROGRAM_H

#include "../Reduction/PartialSums.h"
#include "../TileIndex.h"
#include "fuser/Analysis/ReductionSpace.h"
#include "fuser/Schedule/Problem.h"
#include "fuser/Support/SumOrder.h"

namespace fuser {

/// Of the axes of a schedule.
constexpr int64_t kOuter = 0, kRows = 1, kColumns = 2;

/// The reductions of columns.
struct OuterProgram : ReductionSpace {
  schedule::TileSchedule schedule;
  /// Of the second kernel; without axes if there is none.
  schedule::TileSchedule fold;
  SmallVector<int64_t> shape; ///< Of the space; negative where it is not known.
  SmallVector<SizeFacts> facts; ///< Of these sizes.
  PartialSums partials;
  /// The reductions of rows, if there are any: a block has whole rows, of at
  /// most so many elements.
  std::optional<ReductionSpace> inner;
  int64_t maxColumns = schedule::kUnknown;
  int64_t mostCut = 1; ///< See TileSpace.

  /// Of rows without elements there is something to be computed.
  bool hasEmptyRows() const { return inner && !inner->rowResults.empty(); }
  /// With places for three rows or more the next one is reduced while a row is
  /// finished.
  bool overlapsRows() const { return schedule.stages >= 3; }
  bool isSplit() const { return fold.getNumAxes() != 0; }
  /// Blocks that share a part, as each has only some of its chains.
  int64_t getBlocksOfPart() const {
    int64_t rows = schedule.getExtent(kRows);
    return isSplit() && rows < kChains ? kChains / rows : 1;
  }
};

/// How the space looks in one of the functions.
struct OuterSizes {
  SmallVector<OpFoldResult> dims;
  SmallVector<OpFoldResult> kept; ///< Of the dimensions that stay.
  /// The same in workspaces, where the vector that a row ends in has room.
  SmallVector<OpFoldResult> places;
  OpFoldResult rows, parts;
  OpFoldResult positions; ///< What blocks that share columns give.

  OuterSizes(OpBuilder &b, Location loc, SegmentSizes &sizes,
             const OuterProgram &program);

  /// From one slab of a part to the next.
  Value emitSlabStep(OpBuilder &b, Location loc) const;

  /// The tiles of one of the kernels.
  TileSpace emitSpace(OpBuilder &b, Location loc, const OuterProgram &program,
                      bool isFold) const;
};

/// The program of a segment with an outer_reduction or an inner_outer_reduction
/// schedule, or an error that says why it is none.
FailureOr<OuterProgram> makeOuterProgram(const schedule::Segment &segment,
                                         const schedule::TileSchedule &schedule,
                                         bool isInnerOuter);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_OUTER_OUTERPROGRAM_H
