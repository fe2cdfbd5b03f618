//===- CpuAnalysis.h - Segments as problems for CPU heuristics -*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOCPU_CPUANALYSIS_H
#define FUSER_LIB_CONVERSION_FUSIONTOCPU_CPUANALYSIS_H

#include "CpuPlan.h"
#include "fuser/Schedule/CpuHeuristic.h"

namespace fuser {

/// True if the elements of a row, neighbours, are reduced.
bool reducesLastDim(fusion::ReductionOpInterface op);

/// Where, and from which operands, ops that concatenate along the last
/// dimension have the elements of results of one shape: of those ops that
/// results are made of element by element, and nothing else, and whose operands
/// have known sizes. Parts of no elements are left out; without such ops there
/// are none.
SmallVector<ElementEmitter::Part, 0> findParts(fusion::SegmentOp segment,
                                               ArrayRef<unsigned> results);

/// The dimension in which the elements of all results are neighbours in memory;
/// -1 if there is none, or it is the last.
int64_t getStoreDim(fusion::SegmentOp segment, ArrayRef<unsigned> results);

/// Whether vectors of neighbours in this dimension of the results are vectors
/// of whatever they are made of, in a part of the last dimension.
bool hasVectorsAlong(fusion::SegmentOp segment, ArrayRef<unsigned> results,
                     int64_t dim, const ElementEmitter::Part &part);

/// Results of one shape.
schedule::CpuGroupProblem analyzeGroup(fusion::SegmentOp segment,
                                       ArrayRef<unsigned> results);

/// The stages of a segment of rows or columns, with nothing kept. Nothing if
/// the segment has another structure.
std::optional<CpuReductionPlan> findReductionPlan(fusion::SegmentOp segment,
                                                  const ShapeSymbols &symbols);

/// The ops of the segment, by their numbers in its body, and of each stage; how
/// many elements a work item has is left open.
schedule::CpuRowsProblem analyzeRowsOfOps(fusion::SegmentOp segment,
                                          const CpuReductionPlan &plan);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOCPU_CPUANALYSIS_H
