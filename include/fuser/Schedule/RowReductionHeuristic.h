//===- RowReductionHeuristic.h - Schedules for rows in registers ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is read once and stays in the registers of the threads that share it.
// Measured on an H100, softmax in bf16 reaches the speed of a copy with 128 to
// 512 threads a row and 16 to 32 elements a thread:
//
//   columns   threads a row   elements a thread   of a copy
//       768              64                  12       99.7 %
//      4096             128                  32      99.6 %
//      8192             512                  16      99.8 %
//      8192            1024                   8      87   %
//     32768            1024                  32      98.4 %
//
// Longer rows go to fewer threads with more registers each: 512 threads can
// have 128. Rows that are cheap to compute with again lie in shared memory
// instead, from 2048 elements on.
//
// The order of a sum does not follow from the schedule: kernels keep to one
// order (docs/rationale/sums.md), for which vectors are no longer than a leaf
// of its tree.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_ROWREDUCTIONHEURISTIC_H
#define FUSER_SCHEDULE_ROWREDUCTIONHEURISTIC_H

#include "fuser/Schedule/Problem.h"
#include "fuser/Schedule/Processor.h"
#include "fuser/Schedule/TileSchedule.h"

namespace fuser::schedule {

Decision acceptsRowReduction(const RowProblem &problem,
                             const Processor &processor);

/// Neighbours of a row that are accessed together: as many as divide the row,
/// so that they lie side by side in every row.
int64_t chooseRowVector(const RowProblem &problem);

/// Of rows that begin and end anywhere, neighbours that are accessed together:
/// of those of a warp at most four, so that few of them are beyond the end.
int64_t getCutRowVector(const RowProblem &problem);

/// What warps and blocks exchange of rows, in bytes of shared memory: of each
/// sum a place for every warp of the `threads` that share a row and for each of
/// what its threads hold. Of that they combine before what is above the
/// threads' own bits only where those are rounds of a section
/// (docs/rationale/sums.md). The next row, or the next reduction, has memory of
/// its own.
int64_t countExchangeBytes(const RowProblem &problem, int64_t threads,
                           int64_t vector, int64_t unroll, int64_t rows = 1);

/// Whether shared memory is enough for what threads exchange of the sums of
/// rows of at most `maxColumns` elements.
Decision canExchangeSums(const RowProblem &problem, const Processor &processor);

/// The axes of rows and of columns.
llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 3>
getRowAxes(const RowProblem &problem);

/// The schedule of an accepted problem.
TileSchedule chooseRowReduction(const RowProblem &problem,
                                const Processor &processor);

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_ROWREDUCTIONHEURISTIC_H
