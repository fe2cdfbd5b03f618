//===- GroupAnalysis.h - Results of one shape as problems -------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOCPU_GROUPANALYSIS_H
#define FUSER_LIB_CONVERSION_FUSIONTOCPU_GROUPANALYSIS_H

#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Schedule/CpuHeuristic.h"

namespace fuser {

/// True if the elements of a row, neighbours, are reduced.
bool reducesLastDim(fusion::ReductionOpInterface op);

schedule::CpuGroupProblem analyzeGroup(fusion::SegmentOp segment,
                                       ArrayRef<unsigned> results);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOCPU_GROUPANALYSIS_H
