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
// `may` and `should` are parameters, so a project can bring its own. They see
// groups as *summaries*: plain data that merges without a look at the ops, so
// the whole costs near-linear time in the number of ops.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_TRANSFORMS_SEGMENTATION_H
#define FUSER_DIALECT_FUSION_TRANSFORMS_SEGMENTATION_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace mlir {
class Pass;
} // namespace mlir

namespace fuser {
class ShapeSymbols;
} // namespace fuser

namespace fuser::fusion {

//===----------------------------------------------------------------------===//
// Summaries
//===----------------------------------------------------------------------===//

/// A shape: static sizes (>= 0), or -1-s for a size that is only known at run
/// time. Equal numbers are equal sizes throughout a function.
using GroupShape = llvm::SmallVector<int64_t, 4>;

/// The families of which a group has ops, as bits.
enum class Family : unsigned {
  Elementwise = 1,
  IndexMap = 2,
  Factory = 4,
  Reduction = 8,
  Opaque = 16
};

/// What a group has of one shape.
struct SpaceSummary {
  GroupShape shape;
  /// Ops whose result has this shape, and what their elements cost, in simple
  /// arithmetic instructions an element. For the cost of a kernel, multiply it
  /// by 2 to the power of GroupSummary::maxViewGrowth: what several views look
  /// at is computed for each of them.
  unsigned numOps = 0;
  double elementCost = 0;
  /// Tensors of this shape that are read from memory, and the bytes of an
  /// element of all of them together.
  unsigned numInputs = 0;
  unsigned inputBytes = 0;
  /// Tensors of this shape that are written to memory.
  unsigned numResults = 0;
  unsigned resultBytes = 0;
  /// The bytes of an element in memory, of the narrowest and the widest of all
  /// these tensors.
  unsigned narrowestBytes = ~0u;
  unsigned widestBytes = 0;
  /// How many registers of 32 bits hold an element of all tensors of this shape
  /// that are made before a reduction and used after it: by how deep that
  /// reduction is nested, how many more than one level before.
  llvm::SmallVector<std::pair<unsigned, int>, 2> liveChanges;
};

/// The space over which a group reduces: rows and columns.
struct RowStructure {
  /// The shape of what is reduced.
  GroupShape shape;
  /// The last so many dimensions are reduced.
  unsigned numReducedDims = 0;

  unsigned getNumRowDims() const { return shape.size() - numReducedDims; }
  bool operator==(const RowStructure &other) const {
    return shape == other.shape && numReducedDims == other.numReducedDims;
  }
  bool operator!=(const RowStructure &other) const { return !(*this == other); }
};

/// A group of ops. It is described by what it computes, reads and writes as one
/// kernel.
struct GroupSummary {
  unsigned numOps = 0;
  unsigned families = 0;
  /// One entry for each shape, in the order of their first ops.
  llvm::SmallVector<SpaceSummary, 2> spaces;

  /// The parameters that a kernel has at most, whatever the layout of its
  /// tensors: a pointer, the dynamic sizes and the strides of each that it
  /// reads or writes, and scalars.
  unsigned numParams = 0;

  unsigned numReductions = 0;
  /// The one row structure of all reductions; none if there is none, or a
  /// conflict.
  std::optional<RowStructure> rows;
  /// Two reductions have different row structures.
  bool hasRowConflict = false;
  /// A reduction that reduces other dimensions than the last ones.
  bool hasOuterReduction = false;
  /// A reduction of a result of another reduction of the group, directly or
  /// not.
  bool hasDependentReductions = false;
  /// An index map of the group is applied to what depends on a reduction of the
  /// group. Then it keeps this many leading dimensions as they are (the least
  /// of all such maps).
  std::optional<unsigned> keptDimsAfterReduction;

  /// How many times larger a kernel may become because ops look at a tensor
  /// from several places (slices of one tensor): 2 to the power of this.
  double viewGrowth = 0;
  /// The greatest of such exponents since the start of the program.
  double maxViewGrowth = 0;

  bool has(Family family) const {
    return families & static_cast<unsigned>(family);
  }
  const SpaceSummary *findSpace(llvm::ArrayRef<int64_t> shape) const;
  /// The most registers that elements of a shape are kept in while a reduction
  /// of the group runs.
  unsigned countLiveRegisters(llvm::ArrayRef<int64_t> shape) const;
  /// Sums over all spaces.
  unsigned getNumInputs() const;
  unsigned getNumResults() const;

  /// For the two above to merge: how deep reductions are nested before the
  /// results of this group's reductions and before operands of its index maps.
  /// See mergeSummaries.
  unsigned minReductionDepth = ~0u;
  unsigned maxReductionDepth = 0;
  llvm::SmallVector<int, 6> mapDepthByKeptDims;
  double minViewGrowth = std::numeric_limits<double>::infinity();
};

/// A tensor between two groups.
struct EdgeTensor {
  GroupShape shape;
  unsigned bytes = 0; ///< Of an element.
  /// As GroupSummary::numParams counts.
  unsigned numParams = 0;
  /// The registers of an element; 0 if it is cheaper read or computed again.
  unsigned registers = 0;
  /// How deep reductions are nested before its first and its last use.
  unsigned liveFrom = 0;
  unsigned liveTo = 0;

  /// Adds its registers, as often as `times` says, to what `space` keeps.
  void addLive(SpaceSummary &space, int times) const;
};

/// What changes when two groups become one.
struct MergeEdges {
  /// Written by one and read by the other only: not in memory any more.
  llvm::SmallVector<EdgeTensor, 2> absorbed;
  /// Written by one, read by the other and by others: not read by the other any
  /// more.
  llvm::SmallVector<EdgeTensor, 2> forwarded;
  /// Read by both: read once.
  llvm::SmallVector<EdgeTensor, 2> shared;
  /// Scalars that both take: taken once.
  unsigned numSharedScalars = 0;
};

/// The summary of both groups as one. It depends on the arguments only.
GroupSummary mergeSummaries(const GroupSummary &a, const GroupSummary &b,
                            const MergeEdges &edges);

//===----------------------------------------------------------------------===//
// Policy
//===----------------------------------------------------------------------===//

struct MergeCandidate {
  const GroupSummary &producer;
  const GroupSummary &consumer;
  const GroupSummary &merged;
  const MergeEdges &edges;
};

/// Yes, or no with a reason (for people: it is shown in remarks).
class Decision {
public:
  static Decision yes() { return Decision({}); }
  static Decision no(const char *reason) { return Decision(reason); }
  explicit operator bool() const { return !reason; }
  llvm::StringRef getReason() const { return reason ? reason : ""; }

private:
  explicit Decision(const char *reason) : reason(reason) {}
  const char *reason;
};

/// May the two become one kernel?
using MayMerge = std::function<Decision(const MergeCandidate &)>;
/// Would it pay?
using ShouldMerge = std::function<Decision(const MergeCandidate &)>;
/// The name of the scheduler that takes a group.
using ChooseScheduler = std::function<std::string(const GroupSummary &)>;

struct SegmentationOptions {
  /// Without one: everything may merge.
  MayMerge may;
  /// Without one: what may merge should.
  ShouldMerge should;
  /// Without one: `generic`.
  ChooseScheduler scheduler;
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

/// Makes the options for a target from its name (see the pass option). For a
/// name that it does not know: an error by `emitError` with those it does.
using SegmentationPolicy = std::function<FailureOr<SegmentationOptions>(
    llvm::StringRef target,
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError)>;

/// The pass `fusion-segment` with a policy.
std::unique_ptr<mlir::Pass> createSegmentPass(SegmentationPolicy policy,
                                              llvm::StringRef target = "");

/// The registered passes of this folder. `fusion-segment` gets the policy.
void registerFusionPasses(const SegmentationPolicy &policy);

} // namespace fuser::fusion

#endif // FUSER_DIALECT_FUSION_TRANSFORMS_SEGMENTATION_H
