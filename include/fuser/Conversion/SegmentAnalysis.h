//===- SegmentAnalysis.h - Segments as problems for heuristics ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_SEGMENTANALYSIS_H
#define FUSER_CONVERSION_SEGMENTANALYSIS_H

#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "fuser/Schedule/Problem.h"

namespace fuser {

/// The rows that the reductions of a segment reduce.
struct RowShape {
  /// The operand of the first reduction: its leading dimensions are rows, the
  /// others columns.
  Value space;
  unsigned numRowDims = 0;
  /// The sizes of the others, as far as types or equal sizes elsewhere tell;
  /// kUnknown where they do not.
  SmallVector<int64_t> columnDims;
  /// In the order in which they can be computed.
  SmallVector<fusion::ReductionOpInterface> reductions;
  /// For each result, whether it has one element a row (else one a row and
  /// column).
  SmallVector<bool> isPerRow;
};

/// A read of an operand at an index made of coordinates of the results as they
/// are, and zeros, whatever the index in the results is.
struct PlainRead {
  unsigned operand;
  AffineMap map; ///< From the index of a result.
};

/// The number of leading dimensions that the first reduction of the segment
/// keeps.
unsigned getNumRowDims(fusion::SegmentOp segment);

schedule::PointwiseProblem analyzePointwise(fusion::SegmentOp segment,
                                            const ShapeSymbols &symbols);
/// The problem's first accesses are the `reads`, in order.
schedule::TransposeProblem analyzeTranspose(fusion::SegmentOp segment,
                                            const ShapeSymbols &symbols,
                                            SmallVectorImpl<PlainRead> &reads);
/// Fills `rows` if the problem fits.
schedule::RowProblem analyzeRows(fusion::SegmentOp segment,
                                 const ShapeSymbols &symbols, RowShape &rows);
schedule::GenericProblem analyzeGeneric(fusion::SegmentOp segment);

/// The results of the segment: those of one shape together, in the order of the
/// first.
SmallVector<SmallVector<unsigned>> groupResults(fusion::SegmentOp segment,
                                                const ShapeSymbols &symbols);

/// True if all tensors lie in memory alike, without gaps, and no op asks where
/// an element is. Tensors that ops connect have the same shape then.
bool isFlat(fusion::SegmentOp segment);

/// The dimensions of a dense buffer from slowest to fastest.
SmallVector<int64_t> getStrideOrder(MemRefType type);

/// Whether `tensor` holds as many elements as a tensor of shape `space`, up to
/// their order.
bool isLarge(Value tensor, ArrayRef<SymbolicSize> space,
             const ShapeSymbols &symbols);

} // namespace fuser

#endif // FUSER_CONVERSION_SEGMENTANALYSIS_H
