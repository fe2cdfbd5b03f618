//===- ReductionPlanner.h - Segments of rows or columns --------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOCPU_REDUCTIONPLANNER_H
#define FUSER_LIB_CONVERSION_FUSIONTOCPU_REDUCTIONPLANNER_H

#include "CpuPlan.h"
#include "mlir/IR/AffineMap.h"

namespace fuser {

/// Finds out whether a segment is one of rows or columns, and cuts it into
/// stages.
class ReductionPlanner {
public:
  ReductionPlanner(fusion::SegmentOp segment, const ShapeSymbols &symbols,
                   const CpuPlan &plan)
      : segment(segment), symbols(symbols), kernelPlan(plan) {}

  /// Nothing if the segment has another structure.
  std::optional<CpuReductionPlan> plan();

private:
  /// What computing an element again would cost.
  struct Cost {
    int64_t arithmetic = 0;
    int64_t loads = 0;
  };

  bool findSpace();
  void measure();
  bool sortResults();
  /// The map from the space to a row result of `type`; null if it is none.
  AffineMap getRowMap(OpResult result) const;
  bool looksAtOwnRowOnly() const;
  bool visitMap(Value value, AffineMap map,
                SmallVectorImpl<std::pair<Value, AffineMap>> &next) const;
  AffineMap withoutUnitDims(AffineMap map) const;
  AffineMap getIdentity() const;

  void makeStages();
  void chooseKept();
  SmallVector<Value> getRoots(const CpuStage &stage);
  /// True if `value`, computed in stage `first`, is made available to later
  /// stages.
  bool keep(Value value, unsigned first);
  void collectComputed(unsigned stage);
  void findUses(unsigned stage);

  unsigned getDepth(Value value) const { return depth.lookup(value); }

  fusion::SegmentOp segment;
  const ShapeSymbols &symbols;
  const CpuPlan &kernelPlan;
  CpuReductionPlan result;
  SmallVector<fusion::ReductionOpInterface> reductions;
  SmallVector<unsigned> fullResults;
  /// How many stages must end before an element can be computed.
  DenseMap<Value, unsigned> depth;
  DenseMap<Value, Cost> costs;
  /// The first stage in which a tensor as large as the space is computed.
  DenseMap<Value, unsigned> computedIn;
  DenseSet<Value> available;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOCPU_REDUCTIONPLANNER_H
