//===- OpSummary.h - The summary of a group of one op ----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_ANALYSIS_OPSUMMARY_H
#define FUSER_ANALYSIS_OPSUMMARY_H

#include "fuser/Analysis/GroupSummary.h"
#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "llvm/ADT/SetVector.h"

namespace fuser::fusion {

/// True if `op` is copied into the segments that use it.
bool isForwarded(mlir::Operation *op);

/// Makes the summaries of single ops. Ops must be visited in program order, all
/// of them before the first is summarized.
class OpSummarizer {
public:
  explicit OpSummarizer(const ShapeSymbols &symbols) : symbols(symbols) {}

  /// To be called for each op, forwarded or not.
  void visit(mlir::Operation *op);
  /// The same from the last op to the first, after that. A terminator needs its
  /// operands last.
  void visitUses(mlir::Operation *op);

  /// The tensors that `op` reads, seen through forwarded ops.
  llvm::SmallSetVector<mlir::Value, 4> getSources(mlir::Operation *op) const;

  /// The results of forwarded ops that `op` is computed with.
  llvm::SmallSetVector<mlir::Value, 4> getCopies(mlir::Operation *op) const;

  /// The scalars that `op` takes, seen through forwarded ops and constants.
  llvm::SmallSetVector<mlir::Value, 2> getScalars(mlir::Operation *op) const;

  GroupSummary summarize(mlir::Operation *op) const;

  /// What a group consists of.
  struct Parts {
    llvm::SmallVector<mlir::Operation *> ops;
    /// Tensors that are written, that are read, and that are neither.
    llvm::SmallVector<mlir::Value> results, sources, inner;
    unsigned numScalars = 0;
  };
  GroupSummary summarize(const Parts &parts) const;

  /// A tensor as it crosses a boundary.
  EdgeTensor getTensor(mlir::Value tensor) const;

private:
  struct ValueInfo {
    unsigned reductionDepth = 0;
    unsigned sortDepth = 0; ///< The same of sorts.
    double viewGrowth = 0, workGrowth = 0;
    /// How deep reductions are nested before it is first and last needed, if
    /// all ops but reductions run as late as they can.
    unsigned firstUse = ~0u;
    unsigned lastUse = 0;
    /// It repeats elements of smaller tensors, or constants.
    bool isOfSmaller = false;
  };

  ValueInfo getInfo(mlir::Value value) const { return infos.lookup(value); }
  unsigned countUses(mlir::Value value);
  void setGrowth(mlir::Operation *op, ValueInfo &info);
  /// What `op` adds to a group besides tensors.
  GroupSummary summarizeOp(mlir::Operation *op) const;
  void addReduction(mlir::Operation *op, GroupSummary &summary) const;
  void addFibres(mlir::Operation *op, GroupSummary &summary) const;
  void addIndexMap(mlir::Operation *op, GroupSummary &summary) const;
  SpaceSummary &getSpace(GroupSummary &summary, mlir::Value tensor) const;

  const ShapeSymbols &symbols;
  llvm::DenseMap<mlir::Value, ValueInfo> infos;
  llvm::DenseMap<mlir::Value, unsigned> useCounts;
  unsigned maxReductionDepth = 0;
};

/// The summary of a segment, however it was made: that of its group, but for
/// what is only known of all its ops together.
GroupSummary summarizeSegment(SegmentOp segment, const ShapeSymbols &symbols);

} // namespace fuser::fusion

#endif // FUSER_ANALYSIS_OPSUMMARY_H
