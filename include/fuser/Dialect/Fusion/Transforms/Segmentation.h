//===- Segmentation.h - Cutting a program into segments --------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Segmentation is three things, kept apart:
//
//   may     may these two groups become one kernel? A pure predicate over
//           structure.
//   should  would it pay? A cost model, in bytes moved and launches.
//   do      merging groups without ever making a cycle between them, and
//           outlining each into a `fusion.segment`.
//
// Where a cut remains, a cheap tensor is computed again on its other side,
// should that take less time than memory does.
//
// `may` and `should` are parameters, so a project can bring its own. They see
// groups as *summaries*: plain data that merges without a look at the ops, so
// the whole costs near-linear time in the number of ops.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_TRANSFORMS_SEGMENTATION_H
#define FUSER_DIALECT_FUSION_TRANSFORMS_SEGMENTATION_H

#include "fuser/Analysis/GroupSummary.h"
#include "fuser/Support/Decision.h"
#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <memory>
#include <string>

namespace mlir {
class Pass;
} // namespace mlir

namespace fuser::fusion {

//===----------------------------------------------------------------------===//
// Policy
//===----------------------------------------------------------------------===//

struct MergeCandidate {
  const GroupSummary &producer;
  const GroupSummary &consumer;
  const GroupSummary &merged;
  const MergeEdges &edges;
};

/// A tensor that one group makes and others read, all of whose elements could
/// be computed again by each of them.
struct ForwardCandidate {
  EdgeTensor tensor;
  unsigned numReaders = 0;
  /// What a reader does for an element, in simple instructions.
  double elementCost = 0;
  /// What readers would read for that and do not read yet, once for each.
  llvm::SmallVector<EdgeTensor, 4> reads;
  /// What the group that makes it would write for that.
  llvm::SmallVector<EdgeTensor, 2> writes;
};

/// May the two become one kernel?
using MayMerge = std::function<Decision(const MergeCandidate &)>;
/// Would it pay?
using ShouldMerge = std::function<Decision(const MergeCandidate &)>;
/// What could be changed in the program, for people, where a decision was no
/// and does not say so itself; asked only to explain it. Empty if nothing is
/// known.
using FindRemedy =
    std::function<std::string(const MergeCandidate &, const Decision &)>;
/// Is computing it again faster than memory?
using ShouldForward = std::function<bool(const ForwardCandidate &)>;
/// The name of the scheduler that takes a group.
using ChooseScheduler = std::function<std::string(const GroupSummary &)>;

struct SegmentationOptions {
  /// Without one: everything may merge.
  MayMerge may;
  /// Without one: what may merge should.
  ShouldMerge should;
  FindRemedy remedy;
  /// Without one: nothing is computed again but what is marked already.
  ShouldForward forward;
  /// Without one: `generic`.
  ChooseScheduler scheduler;
  /// What this was decided for, which is written on the function
  /// (`fusion.target`) unless it is empty.
  std::string target;
  /// Says in a remark at each tensor that goes through memory why.
  bool explain = false;
};

//===----------------------------------------------------------------------===//
// Mechanism
//===----------------------------------------------------------------------===//

/// Cuts the body of `func` into segments: every op of the dialect moves into
/// one. Size arithmetic stays outside. Failure comes with a diagnostic.
llvm::LogicalResult segment(mlir::func::FuncOp func,
                            const SegmentationOptions &options);

/// Makes the options for a function and a target, by its name (see the pass
/// option). Failure has been reported.
using SegmentationPolicy = std::function<FailureOr<SegmentationOptions>(
    mlir::func::FuncOp func, llvm::StringRef target)>;

/// The pass `fusion-segment` with a policy.
std::unique_ptr<mlir::Pass> createSegmentPass(SegmentationPolicy policy,
                                              llvm::StringRef target = "");

/// The registered passes of this folder. `fusion-segment` gets the policy.
void registerFusionPasses(const SegmentationPolicy &policy);

} // namespace fuser::fusion

#endif // FUSER_DIALECT_FUSION_TRANSFORMS_SEGMENTATION_H
