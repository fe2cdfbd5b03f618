//===- GroupFit.h - Which groups of ops schedulers take ------- -*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels of all targets ask of a group of ops, and what a group costs:
// for the entries of Scheduler.h.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_GROUPFIT_H
#define FUSER_SCHEDULE_GROUPFIT_H

#include "fuser/Analysis/GroupSummary.h"
#include "fuser/Schedule/Problem.h"
#include "fuser/Schedule/Processor.h"
#include "fuser/Support/Decision.h"

namespace fuser::schedule {

/// No reductions, and results of one shape: on every processor.
Decision fitsPointwise(const fusion::GroupSummary &group,
                       const Processor &processor = {});
/// Scans along one dimension of one shape, results of that shape, and what is
/// made of a scan is made of the same element.
Decision fitsScan(const fusion::GroupSummary &group);
/// The same along the last dimension, and along another one.
Decision fitsRowScan(const fusion::GroupSummary &group,
                     const Processor &processor);
Decision fitsOuterScan(const fusion::GroupSummary &group,
                       const Processor &processor);
/// Of rows, without scans of scans, for which what is before is not known in
/// time.
Decision fitsSplitScan(const fusion::GroupSummary &group,
                       const Processor &processor);
/// One sort of rows, alone.
Decision fitsRowOrder(const fusion::GroupSummary &group,
                      const Processor &processor);
/// One scatter: alone, or, if it has one row of indices, with what its operands
/// are made of and what is made of the same element of its result.
Decision fitsScatter(const fusion::GroupSummary &group,
                     const Processor &processor);
/// Reductions over the last dimensions of one shape, and results that are as
/// large or have one element a row.
Decision fitsRows(const fusion::GroupSummary &group,
                  const Processor &processor);
/// Whether the same holds of reductions over others than the last dimensions
/// alone, the last one among them, where rows would be read more than once:
/// what one reduces is made of another one, or there are results as large as
/// the rows. Where it does not, fitsRows() says why.
bool fitsRowsAround(const fusion::GroupSummary &group);
/// Reductions over the same dimensions of one shape, not the last one, and
/// results with one element for each of them, or as large and without them.
Decision fitsOuterReduction(const fusion::GroupSummary &group,
                            const Processor &processor);
/// Reductions over the last dimensions of one shape and over all the others of
/// it, results as large as it, or with one element for each reduction, and no
/// row that needs what columns are reduced to.
Decision fitsInnerOuter(const fusion::GroupSummary &group,
                        const Processor &processor);
/// One matrix product, alone.
Decision fitsLibrary(const fusion::GroupSummary &group,
                     const Processor &processor);
/// One communication, alone.
Decision fitsCommunication(const fusion::GroupSummary &group,
                           const Processor &processor);
/// Results of one shape, and no reduction that would be computed several times.
Decision fitsGeneric(const fusion::GroupSummary &group,
                     const Processor &processor);

/// A group as a problem, as far as that is known without the layouts of
/// tensors. Rows: of a group whose reductions have one structure. Pointwise:
/// without the operations, which count once however often they are computed.
RowProblem getRowProblem(const fusion::GroupSummary &group);
PointwiseProblem getPointwiseProblem(const fusion::GroupSummary &group,
                                     bool isFlat);
OuterProblem getOuterProblem(const fusion::GroupSummary &group);
InnerOuterProblem getInnerOuterProblem(const fusion::GroupSummary &group);
/// Of a group with scans of one structure.
ScanProblem getScanProblem(const fusion::GroupSummary &group);
OrderProblem getOrderProblem(const fusion::GroupSummary &group);
GenericProblem getGenericProblem(const fusion::GroupSummary &group);

/// True if `shape` has one element for each reduction: the dimensions that
/// stay, and perhaps reduced ones of size 1.
bool isPerReduction(llvm::ArrayRef<int64_t> shape,
                    const fusion::RowStructure &rows);

/// How many elements a tensor has, roughly: sizes that are not known count as
/// one fixed size.
double estimateElements(const fusion::GroupShape &shape);

/// The time of a group as one kernel, in seconds, on a processor with nothing
/// else to do: that of its bytes or of its instructions, whatever takes longer.
double estimateSeconds(const fusion::GroupSummary &group,
                       const Processor &processor);

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_GROUPFIT_H
