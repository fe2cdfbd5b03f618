//===- GroupSummary.cpp - What is known of a group of ops -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/GroupSummary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace fuser::fusion;

int64_t fuser::fusion::multiplySizes(llvm::ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 0)
      return -1;
    product *= size;
  }
  return product;
}

int64_t fuser::fusion::multiplySizes(llvm::ArrayRef<int64_t> shape,
                                     llvm::ArrayRef<int64_t> dims) {
  llvm::SmallVector<int64_t> sizes;
  for (int64_t dim : dims)
    sizes.push_back(shape[dim]);
  return multiplySizes(sizes);
}

GroupShape RowStructure::getKeptDims() const {
  return llvm::filter_to_vector<4>(
      llvm::seq<int64_t>(shape.size()),
      [&](int64_t dim) { return !llvm::is_contained(reducedDims, dim); });
}

bool RowStructure::reducesTrailingDims() const {
  return reducesNeighbours() &&
         reducedDims.front() == static_cast<int64_t>(getNumRowDims());
}

bool RowStructure::reducesNeighbours() const {
  return !reducedDims.empty() &&
         reducedDims.back() == static_cast<int64_t>(shape.size()) - 1;
}

int64_t RowStructure::countReducedElements() const {
  return multiplySizes(shape, reducedDims);
}

const SpaceSummary *
GroupSummary::findSpace(llvm::ArrayRef<int64_t> shape) const {
  for (const SpaceSummary &space : spaces)
    if (llvm::ArrayRef<int64_t>(space.shape) == shape)
      return &space;
  return nullptr;
}

// What a reduction of the group gives is nested at least as deep as that
// reduction: maps of less deeply nested tensors do not depend on it.
bool GroupSummary::hasMapAfterReduction() const {
  return llvm::any_of(placements, [&](const Placement &map) {
    return map.depth >= minReductionDepth;
  });
}

bool GroupSummary::staysInRows(const RowStructure &rows) const {
  GroupShape kept = rows.getKeptDims();
  return llvm::all_of(placements, [&](const Placement &map) {
    // A tensor with an element a row may have no other dimensions.
    bool hasOnlyKept = map.dims.size() == kept.size();
    auto isOwn = [&](auto entry) {
      auto [number, dim] = entry;
      size_t place = hasOnlyKept ? number : dim;
      // Along a dimension of size 1 there is no other row.
      return rows.shape[dim] == 1 ||
             (place < map.dims.size() && map.dims[place] == dim);
    };
    return map.depth < minReductionDepth ||
           llvm::all_of(llvm::enumerate(kept), isOwn);
  });
}

unsigned GroupSummary::getNumInputs() const {
  unsigned count = 0;
  for (const SpaceSummary &space : spaces)
    count += space.numInputs;
  return count;
}

unsigned GroupSummary::getNumResults() const {
  unsigned count = 0;
  for (const SpaceSummary &space : spaces)
    count += space.numResults;
  return count;
}

unsigned GroupSummary::countLiveRegisters(llvm::ArrayRef<int64_t> shape) const {
  const SpaceSummary *space = findSpace(shape);
  if (!space)
    return 0;
  int live = 0, most = 0;
  for (auto [depth, change] : space->liveChanges) {
    if (depth > maxReductionDepth)
      break;
    // What was live at the first reduction counts, before a later change.
    if (depth > minReductionDepth)
      most = std::max(most, live);
    live += change;
  }
  return std::max(most, live);
}

static void addLiveChange(SpaceSummary &space, unsigned depth, int change) {
  auto *it = llvm::lower_bound(space.liveChanges, std::make_pair(depth, 0),
                               llvm::less_first());
  if (it == space.liveChanges.end() || it->first != depth)
    it = space.liveChanges.insert(it, {depth, 0});
  it->second += change;
}

void EdgeTensor::addLive(SpaceSummary &space, int times) const {
  if (liveTo <= liveFrom || registers == 0)
    return;
  addLiveChange(space, liveFrom + 1, times * int(registers));
  addLiveChange(space, liveTo + 1, -times * int(registers));
}

void EdgeTensor::addCost(SpaceSummary &space, int times) const {
  space.elementCost += times * elementCost;
  if (liveTo > liveFrom)
    space.repeatedCost += times * elementCost * double(liveTo - liveFrom);
}

static SpaceSummary &getSpace(GroupSummary &group, const GroupShape &shape) {
  for (SpaceSummary &space : group.spaces)
    if (space.shape == shape)
      return space;
  group.spaces.emplace_back();
  group.spaces.back().shape = shape;
  return group.spaces.back();
}

static void mergeSpaces(GroupSummary &group, const GroupSummary &other,
                        const MergeEdges &edges) {
  for (const SpaceSummary &from : other.spaces) {
    SpaceSummary &to = getSpace(group, from.shape);
    to.lastDivisor = from.lastDivisor;
    to.elementCost += from.elementCost;
    to.repeatedCost += from.repeatedCost;
    to.numInputs += from.numInputs;
    to.inputBytes += from.inputBytes;
    to.numResults += from.numResults;
    to.resultBytes += from.resultBytes;
    to.narrowestBytes = std::min(to.narrowestBytes, from.narrowestBytes);
    to.widestBytes = std::max(to.widestBytes, from.widestBytes);
    for (auto [depth, change] : from.liveChanges)
      addLiveChange(to, depth, change);
  }
  auto dropInput = [&](const EdgeTensor &tensor) {
    SpaceSummary &space = getSpace(group, tensor.shape);
    space.numInputs -= 1;
    space.inputBytes -= tensor.bytes;
    group.numParams -= tensor.numParams;
    tensor.addLive(space, -1);
  };
  for (const EdgeTensor &tensor : edges.absorbed) {
    dropInput(tensor);
    SpaceSummary &space = getSpace(group, tensor.shape);
    space.numResults -= 1;
    space.resultBytes -= tensor.bytes;
    group.numParams -= tensor.numParams;
  }
  for (const EdgeTensor &tensor : edges.sharedCopies) {
    SpaceSummary &space = getSpace(group, tensor.shape);
    tensor.addCost(space, -1);
    tensor.addLive(space, -1);
  }
  llvm::for_each(edges.forwarded, dropInput);
  llvm::for_each(edges.shared, dropInput);
}

void ReductionClass::merge(const ReductionClass &other) {
  if (number == 0)
    rows = other.rows;
  else if (other.number != 0 && rows != other.rows)
    rows.reset();
  number += other.number;
  accumulators += other.accumulators;
  registers += other.registers;
  areTrailing &= other.areTrailing;
  minDepth = std::min(minDepth, other.minDepth);
  maxDepth = std::max(maxDepth, other.maxDepth);
}

void FibreSummary::merge(const FibreSummary &other) {
  if (other.number == 0)
    return;
  if (number == 0) {
    *this = other;
    return;
  }
  if (rows != other.rows)
    rows.reset();
  number += other.number;
  narrowestBytes = std::min(narrowestBytes, other.narrowestBytes);
  widestBytes = std::max(widestBytes, other.widestBytes);
  minDepth = std::min(minDepth, other.minDepth);
  maxDepth = std::max(maxDepth, other.maxDepth);
  sortDepth = std::min(sortDepth, other.sortDepth);
  areInRing |= other.areInRing;
  areIntegers |= other.areIntegers;
}

void fuser::fusion::addPlacement(GroupSummary &group,
                                 const Placement &placement) {
  for (Placement &own : group.placements)
    if (own.dims == placement.dims) {
      own.depth = std::max(own.depth, placement.depth);
      return;
    }
  group.placements.push_back(placement);
}

static void mergeReductions(GroupSummary &group, const GroupSummary &other) {
  group.fibres.merge(other.fibres);
  group.inner.merge(other.inner);
  group.outer.merge(other.outer);
  group.rows.reset();
  if (group.inner.number == 0 || group.outer.number == 0)
    group.rows = group.inner.number == 0 ? group.outer.rows : group.inner.rows;
  int64_t mine = group.largestReduction.countReducedElements();
  int64_t others = other.largestReduction.countReducedElements();
  bool isLarger = others < 0 || (mine >= 0 && others > mine);
  if (group.numReductions == 0 || (other.numReductions != 0 && isLarger))
    group.largestReduction = other.largestReduction;
  group.numReductions += other.numReductions;

  group.minReductionDepth = std::min(
      {group.inner.minDepth, group.outer.minDepth, group.fibres.minDepth});
  group.maxReductionDepth = std::max(
      {group.inner.maxDepth, group.outer.maxDepth, group.fibres.maxDepth});
  group.hasDependentReductions =
      group.numReductions != 0 &&
      group.minReductionDepth < group.maxReductionDepth;

  for (const Placement &placement : other.placements)
    addPlacement(group, placement);
  group.moveDepth = std::max(group.moveDepth, other.moveDepth);
  group.movesAfterSort =
      group.moveDepth >= 0 &&
      static_cast<unsigned>(group.moveDepth) >= group.fibres.sortDepth;
}

GroupSummary fuser::fusion::mergeSummaries(const GroupSummary &a,
                                           const GroupSummary &b,
                                           const MergeEdges &edges) {
  GroupSummary merged = a;
  merged.numOps += b.numOps;
  merged.families |= b.families;
  merged.numParams += b.numParams;
  merged.numParams -= edges.numSharedScalars;
  mergeSpaces(merged, b, edges);
  mergeReductions(merged, b);
  merged.minSortDepth = std::min(a.minSortDepth, b.minSortDepth);
  merged.minViewGrowth = std::min(a.minViewGrowth, b.minViewGrowth);
  merged.maxViewGrowth = std::max(a.maxViewGrowth, b.maxViewGrowth);
  merged.maxWorkGrowth = std::max(a.maxWorkGrowth, b.maxWorkGrowth);
  merged.viewGrowth = merged.maxViewGrowth - merged.minViewGrowth;
  return merged;
}
