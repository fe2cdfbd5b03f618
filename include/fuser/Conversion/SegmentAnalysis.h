//===- SegmentAnalysis.h - Segments as problems for heuristics ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_SEGMENTANALYSIS_H
#define FUSER_CONVERSION_SEGMENTANALYSIS_H

#include "fuser/Analysis/Accesses.h"
#include "fuser/Analysis/ReductionSpace.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "fuser/Schedule/Problem.h"
#include "fuser/Schedule/Scheduler.h"

namespace fuser {

/// A read of an operand at an index made of coordinates of the results as they
/// are, and zeros, whatever the index in the results is.
struct PlainRead {
  unsigned operand;
  AffineMap map; ///< From the index of a result.
};

/// All plain reads of what `starts` are made of.
SmallVector<PlainRead> getPlainReads(ArrayRef<Access> starts);

/// A segment with its summary.
schedule::Segment describeSegment(fusion::SegmentOp segment,
                                  const ShapeSymbols &symbols);

/// Segments as problems: what their summaries say, and what follows from how
/// tensors lie in memory.
schedule::PointwiseProblem analyzePointwise(const schedule::Segment &segment);
/// The problem's first accesses are the `reads`, in order.
schedule::TransposeProblem analyzeTranspose(const schedule::Segment &segment,
                                            SmallVectorImpl<PlainRead> &reads);
/// Sets `rows` and `problem`, or says why the last dimensions of `rows` are no
/// columns.
Decision analyzeRows(const schedule::Segment &segment, ReductionSpace &rows,
                     schedule::RowProblem &problem);

/// Sets `space` and `problem`, or says why its reductions are none that leave
/// the last dimension, or its results neither one element for each of them nor
/// as large as what is reduced, and without them.
Decision analyzeOuter(const schedule::Segment &segment, ReductionSpace &space,
                      schedule::OuterProblem &problem);

/// Sets what reduces rows and what reduces columns, and `problem`, or says why
/// no kernel does both.
Decision analyzeInnerOuter(const schedule::Segment &segment,
                           ReductionSpace &rows, ReductionSpace &columns,
                           schedule::InnerOuterProblem &problem);

/// Scans along one dimension of tensors of one shape.
struct ScanSpace {
  Value tensor; ///< The operand of the first one.
  /// In the order in which they can be computed.
  SmallVector<fusion::ScanOpInterface> scans;
};

/// Whether what is made of ops of `isFibre` (scans, sorts) is made of those of
/// the same element.
Decision isMadeOfSameElement(const schedule::Segment &segment,
                             function_ref<bool(Operation *op)> isFibre);

/// Sets `space` and `problem`, or says why its scans are not along one
/// dimension of one shape, or what is made of them is of other elements.
Decision analyzeScans(const schedule::Segment &segment, ScanSpace &space,
                      schedule::ScanProblem &problem);

/// The results of the segment: those of one shape together, in the order of the
/// first.
SmallVector<SmallVector<unsigned>> groupResults(fusion::SegmentOp segment,
                                                const ShapeSymbols &symbols);

/// True if all tensors that these results of the segment are made of lie in
/// memory alike, without gaps, and no op asks where an element is. Tensors that
/// ops connect have the same shape then.
bool isFlat(fusion::SegmentOp segment, ArrayRef<unsigned> results);
/// The same of tensors inside of it, in row-major order.
bool isRowMajor(fusion::SegmentOp segment, ArrayRef<Value> tensors);

/// Instructions for an element of the segment, roughly.
int64_t countOperations(fusion::SegmentOp segment);

} // namespace fuser

#endif // FUSER_CONVERSION_SEGMENTANALYSIS_H
