//===- ReductionAnalysis.h - Segments of rows or columns --------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOCPU_REDUCTIONANALYSIS_H
#define FUSER_LIB_CONVERSION_FUSIONTOCPU_REDUCTIONANALYSIS_H

#include "CpuPlan.h"
#include "fuser/Schedule/CpuHeuristic.h"

namespace fuser {

/// The stages of a segment of rows or columns, with nothing kept. Nothing if
/// the segment has another structure.
std::optional<CpuReductionPlan> findReductionPlan(fusion::SegmentOp segment,
                                                  const ShapeSymbols &symbols);

/// What `stage` computes at each position.
SmallVector<Value> getStageRoots(fusion::SegmentOp segment,
                                 const CpuStage &stage);

/// The ops of the segment, by their numbers in its body, and of each stage; how
/// many elements a work item has is left open.
schedule::CpuRowsProblem analyzeRowsOfOps(fusion::SegmentOp segment,
                                          const CpuReductionPlan &plan);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOCPU_REDUCTIONANALYSIS_H
