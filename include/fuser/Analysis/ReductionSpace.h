//===- ReductionSpace.h - What reductions reduce together ------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Segments whose reductions all reduce the same dimensions of one shape, and
// where what is computed with their results looks at those of the same row: of
// what a row is reduced to, a kernel that has a row needs no more. A *row* is
// what is reduced to one element, whichever dimensions these are.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_ANALYSIS_REDUCTIONSPACE_H
#define FUSER_ANALYSIS_REDUCTIONSPACE_H

#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Support/Decision.h"
#include "fuser/Support/LLVM.h"

namespace fuser {

struct ReductionSpace {
  /// The operand of the first reduction, which is as large as the space.
  Value tensor;
  SmallVector<int64_t> reducedDims, keptDims;
  /// In the order in which they can be computed.
  SmallVector<fusion::ReductionOpInterface> reductions;
  /// The numbers of the results that are as large as the space, and of those
  /// with one element a row.
  SmallVector<unsigned> fullResults, rowResults;
  /// How many reductions must end, one after the other, before a value can be
  /// computed.
  DenseMap<Value, unsigned> depths;

  int64_t getRank() const {
    return cast<RankedTensorType>(tensor.getType()).getRank();
  }
  bool isKept(int64_t dim) const { return llvm::is_contained(keptDims, dim); }
};

/// Sets what all reductions reduce, and them, or says why that differs: what
/// becomes of their results does not matter.
Decision findReducedSpace(fusion::SegmentOp segment,
                          const ShapeSymbols &symbols, ReductionSpace &space);

/// Sets `space`, or says why there is none.
Decision findReductionSpace(fusion::SegmentOp segment,
                            const ShapeSymbols &symbols, ReductionSpace &space);

/// The same where some reductions reduce the last dimensions, `rows`, and the
/// others all the other dimensions of the same shape, `columns`, whose results
/// no row needs. The results as large as the space are those of `rows`.
Decision findRowsAndColumns(fusion::SegmentOp segment,
                            const ShapeSymbols &symbols, ReductionSpace &rows,
                            ReductionSpace &columns);

} // namespace fuser

#endif // FUSER_ANALYSIS_REDUCTIONSPACE_H
