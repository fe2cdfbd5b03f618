//===- GroupSummary.h - What is known of a group of ops --------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group of ops, a segment or one that may become one, as segmentation and
// schedulers see it: plain data that merges without a look at the ops.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_ANALYSIS_GROUPSUMMARY_H
#define FUSER_ANALYSIS_GROUPSUMMARY_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <limits>
#include <optional>

namespace fuser::fusion {

/// A shape: static sizes (>= 0), or -1-s for a size that is only known at run
/// time. Equal numbers are equal sizes throughout a function.
using GroupShape = llvm::SmallVector<int64_t, 4>;

/// A size that is only known at run time is taken for this, where a number is
/// needed to compare costs.
inline constexpr double kAssumedSize = 4096;

/// The families of which a group has ops, as bits.
enum class Family : unsigned {
  Elementwise = 1,
  IndexMap = 2,
  Factory = 4,
  Reduction = 8,
  Opaque = 16,
  Contraction = 32,
  Communication = 64,
  Fibre = 128, ///< Of no other family.
  Scan = 256,
  Order = 512,
  Scatter = 1024
};

/// All that compute fibres.
inline constexpr unsigned kFibreFamilies =
    static_cast<unsigned>(Family::Fibre) | static_cast<unsigned>(Family::Scan) |
    static_cast<unsigned>(Family::Order) |
    static_cast<unsigned>(Family::Scatter);

/// What a group has of one shape.
struct SpaceSummary {
  GroupShape shape;
  /// What the size of the last dimension is a multiple of: itself where it is
  /// known.
  int64_t lastDivisor = 1;
  /// What elements of this shape cost, in simple arithmetic instructions an
  /// element. For the cost of a kernel, multiply it by 2 to the power of
  /// GroupSummary::maxViewGrowth: what several views look at is computed for
  /// each of them.
  double elementCost = 0;
  /// The same of what would be computed again if nothing were kept from before
  /// a reduction to behind it.
  double repeatedCost = 0;
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
  llvm::SmallVector<int64_t, 2> reducedDims;
  /// As SpaceSummary has it.
  int64_t lastDivisor = 1;
  /// The most elements that are reduced to one; -1 if there is no bound.
  int64_t maxReduced = -1;
  /// The most elements behind the last dimension that is reduced; -1 if there
  /// is no bound.
  int64_t maxColumns = -1;
  /// The fewest elements that are reduced to one, or that a fibre has.
  int64_t minReduced = 0;
  /// The bound of how often that is done; only of scans.
  int64_t maxRows = -1;

  unsigned getNumRowDims() const { return shape.size() - reducedDims.size(); }
  /// The dimensions that are not reduced.
  GroupShape getKeptDims() const;
  /// The last dimensions are reduced, and no others.
  bool reducesTrailingDims() const;
  /// The last one is among them: neighbours in memory.
  bool reducesNeighbours() const;
  /// How many elements are reduced to one; -1 if that is not known.
  int64_t countReducedElements() const;
  bool operator==(const RowStructure &other) const {
    return shape == other.shape && reducedDims == other.reducedDims;
  }
  bool operator!=(const RowStructure &other) const { return !(*this == other); }
};

/// Some of the reductions of a group.
struct ReductionClass {
  unsigned number = 0;
  /// Of all of them, and the registers of 32 bits that these take.
  unsigned accumulators = 0;
  unsigned registers = 0;
  /// The one row structure of all of them; none if there is none, or they
  /// differ.
  std::optional<RowStructure> rows;
  /// None reduces other dimensions than the last ones.
  bool areTrailing = true;
  /// How deep they are nested, as GroupSummary::minReductionDepth counts.
  unsigned minDepth = ~0u;
  unsigned maxDepth = 0;

  void merge(const ReductionClass &other);
};

/// The ops of a group that compute fibres.
struct FibreSummary {
  unsigned number = 0;
  /// The shape of the first operand, of scatters that of the indices, and the
  /// dimension of fibres; none if there is none, or they differ.
  std::optional<RowStructure> rows;
  /// Of an element of that tensor, of the narrowest and the widest.
  unsigned narrowestBytes = ~0u;
  unsigned widestBytes = 0;
  /// How many elements the first one's result has along the dimension; -1 if
  /// that is not known.
  int64_t resultLength = -1;
  /// As GroupSummary::minReductionDepth counts.
  unsigned minDepth = ~0u;
  unsigned maxDepth = 0;
  /// How deep sorts are nested before the results of sorts, at least.
  unsigned sortDepth = ~0u;
  /// Elements are integers that stand for floats (fusion.ring): they have no
  /// order.
  bool areInRing = false;
  /// Elements are integers.
  bool areIntegers = false;

  void merge(const FibreSummary &other);
};

/// Where an index map, or several alike, has the coordinates of its operand.
struct Placement {
  static constexpr int kMoved = -1;
  /// For each, the dimension of the result whose coordinate it is, or kMoved.
  /// Without any if the map is not affine.
  llvm::SmallVector<int, 6> dims;
  /// How deep reductions are nested before the operand, at most.
  unsigned depth = 0;
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
  /// Those that reduce the last dimension, and those that leave it.
  ReductionClass inner, outer;
  /// The one row structure of all reductions; none if there is none, or they
  /// differ.
  std::optional<RowStructure> rows;
  /// A reduction of a result of another reduction of the group, directly or
  /// not.
  bool hasDependentReductions = false;
  FibreSummary fibres;
  /// The reduction that takes the most elements for a result: one of which
  /// nobody knows how many before all others.
  RowStructure largestReduction;
  /// An index map that moves elements elsewhere is applied to what depends on a
  /// sort of the group.
  bool movesAfterSort = false;

  /// How many times larger a kernel may become because ops look at a tensor
  /// from several places (slices of one tensor): 2 to the power of this.
  double viewGrowth = 0;
  /// The greatest of such exponents since the start of the program.
  double maxViewGrowth = 0;
  /// The same of the time that it takes: less, where a few elements of a tensor
  /// are looked at again.
  double maxWorkGrowth = 0;

  bool has(Family family) const {
    return families & static_cast<unsigned>(family);
  }
  bool hasFibres() const { return families & kFibreFamilies; }
  const SpaceSummary *findSpace(llvm::ArrayRef<int64_t> shape) const;
  /// Whether an index map of the group is applied to what depends on a
  /// reduction, or a scan, of the group.
  bool hasMapAfterReduction() const;
  /// Whether each such map stays in its row: it has the dimensions that are not
  /// reduced where the rows have them.
  bool staysInRows(const RowStructure &rows) const;
  /// The most registers that elements of a shape are kept in while a reduction
  /// of the group runs.
  unsigned countLiveRegisters(llvm::ArrayRef<int64_t> shape) const;
  /// Sums over all spaces.
  unsigned getNumInputs() const;
  unsigned getNumResults() const;

  /// For these to merge: how deep reductions are nested before the results of
  /// this group's reductions, and all index maps.
  unsigned minReductionDepth = ~0u;
  unsigned maxReductionDepth = 0;
  llvm::SmallVector<Placement, 2> placements;
  /// The same of sorts: before operands that are moved, the most, and before
  /// results of ops but factories, which any op may need, the least.
  int moveDepth = -1;
  unsigned minSortDepth = ~0u;
  double minViewGrowth = std::numeric_limits<double>::infinity();
};

/// Adds an index map to those of a group.
void addPlacement(GroupSummary &group, const Placement &placement);

/// The product of sizes, or of those of some dimensions; -1 if one is not
/// known.
int64_t multiplySizes(llvm::ArrayRef<int64_t> sizes);
int64_t multiplySizes(llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<int64_t> dims);

/// A tensor between two groups.
struct EdgeTensor {
  GroupShape shape;
  unsigned bytes = 0; ///< Of an element.
  /// As GroupSummary::numParams counts.
  unsigned numParams = 0;
  /// What it costs to compute it from its operands, as
  /// SpaceSummary::elementCost counts.
  double elementCost = 0;
  /// The registers of an element; 0 if it is cheaper read or computed again.
  unsigned registers = 0;
  /// How deep reductions are nested before its first and its last use.
  unsigned liveFrom = 0;
  unsigned liveTo = 0;

  /// Adds its registers, as often as `times` says, to what `space` keeps.
  void addLive(SpaceSummary &space, int times) const;
  /// Adds its cost, as often as `times` says, to that of `space`.
  void addCost(SpaceSummary &space, int times) const;
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
  /// Computed again by both: computed once.
  llvm::SmallVector<EdgeTensor, 2> sharedCopies;
  /// Scalars that both take: taken once.
  unsigned numSharedScalars = 0;
};

/// The summary of both groups as one. It depends on the arguments only.
GroupSummary mergeSummaries(const GroupSummary &a, const GroupSummary &b,
                            const MergeEdges &edges);

} // namespace fuser::fusion

#endif // FUSER_ANALYSIS_GROUPSUMMARY_H
