//===- CpuHeuristic.cpp - Schedules for CPUs ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/CpuHeuristic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <limits>
#include <numeric>

using namespace fuser::schedule;

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// Four vectors of 512 bits of f32: enough independent additions to hide their
/// latency.
static constexpr int64_t kLanes = 64;
/// The lanes of a vector where accesses are made element by element, or where
/// the kernel is long: each lane costs code.
static constexpr int64_t kFewLanes = 16;
/// Kernels of more instructions are long: these hide their own latency.
static constexpr int64_t kManyOperations = 1024;
/// The same for reductions. They lose more by narrow vectors, which are less
/// than a step of a sum.
static constexpr int64_t kManyReducedOperations = 8192;

/// Each lane asks of each tensor whether its element comes from it. So many
/// questions take LLVM no noticeable time, which grows with their square.
static constexpr int64_t kManyQuestions = 64;

int64_t fuser::schedule::chooseCpuVector(const CpuProblem &problem) {
  int64_t many =
      problem.hasReduction ? kManyReducedOperations : kManyOperations;
  bool isNarrow = problem.contiguousWidth <= 1 || problem.operations > many;
  if (!isNarrow)
    return kLanes;
  int64_t lanes = std::max<int64_t>(kManyQuestions / problem.sources, 1);
  return std::min<int64_t>(kFewLanes, llvm::bit_floor(uint64_t(lanes)));
}

//===----------------------------------------------------------------------===//
// Fibres in order
//===----------------------------------------------------------------------===//

/// Up to so many elements for each byte of them, comparing each with each takes
/// less time than the tables of that many digits.
static constexpr int64_t kCountedPerByte = 32;
/// So many fibres are sorted at a time, if there are as many threads: each has
/// memory for keys and positions, twice.
static constexpr int64_t kOrderItems = 64;
/// A heap of the first ones of more than so many times as many elements takes
/// less time than a sort of all.
static constexpr int64_t kHeapShare = 32;
/// Where a heap is there for more elements, it is good enough for so many.
static constexpr int64_t kFewSorted = 4096;

CpuOrderSchedule fuser::schedule::chooseCpuOrder(const OrderProblem &problem) {
  CpuOrderSchedule order;
  int64_t longest = problem.maxLength == kUnknown
                        ? std::numeric_limits<int64_t>::max()
                        : problem.maxLength;
  int64_t most = longest;
  if (problem.resultLength != kUnknown &&
      problem.resultLength < longest / kHeapShare)
    most = problem.resultLength * kHeapShare;
  bool hasHeap = most < longest;
  order.counted = std::min(kCountedPerByte * problem.elementBytes, most);
  if (longest <= order.counted ||
      (hasHeap && (most <= kFewSorted || problem.minLength > most)))
    return order;
  if (hasHeap)
    order.sorted = most;
  order.items = kOrderItems;
  return order;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Elements of a work item, about: enough to hide the cost of its start, few
/// enough to share.
static constexpr int64_t kTileElements = 4096;
/// The same where each element is a reduction.
static constexpr int64_t kReducedElements = 16;
/// The lanes of a square, and the number of its vectors, all in registers.
static constexpr int64_t kSquareLanes = 16;
/// Positions of the other dimension that a work item of squares has.
static constexpr int64_t kStrip = 64;

/// Each part of a row is code, and so is what follows it.
static constexpr int64_t kMaxParts = 256;
static constexpr int64_t kMaxRepeated = 4096;
/// Bytes of a vector of narrow parts, and the least lanes: a register.
static constexpr int64_t kVectorBytes = 64;
static constexpr int64_t kMinAlong = 8;
/// Lanes of the vectors of all narrow parts, and the least of each: each lane
/// is a load and a store.
static constexpr int64_t kLanesOfParts = 256;
static constexpr int64_t kLeastAlong = 4;
/// Elements that cost as much are worth a load and a store each, so that no
/// lane of their vectors is in vain.
static constexpr int64_t kCostly = 10;
/// Elements of a work item of so many rows as a vector has lanes, at most.
static constexpr int64_t kMaxWideItem = 1 << 16;

/// Steps of the inner loops are to be near in memory: prefetching works, and
/// what does not change stays in registers.
static llvm::SmallVector<int64_t, 4>
chooseOrder(const CpuGroupProblem &problem) {
  int64_t rank = problem.shape.size();
  auto order = llvm::to_vector<4>(llvm::seq<int64_t>(0, rank));
  if (rank < 3)
    return order;
  auto getCost = [](CpuStep step) -> int64_t {
    return step == CpuStep::Nowhere ? 0 : step == CpuStep::NextRun ? 1 : 2;
  };
  llvm::SmallVector<int64_t> costs(rank, 0);
  for (const auto &access : problem.accesses)
    for (int64_t dim : order)
      costs[dim] += getCost(access[dim]);
  llvm::sort(order.begin(), order.end() - 1, [&](int64_t a, int64_t b) {
    return std::pair(-costs[a], a) < std::pair(-costs[b], b);
  });
  return order;
}

/// The dimension beside the last that squares lie in.
static int64_t getSquareDim(const CpuGroupProblem &problem) {
  return std::max(problem.storeDim, problem.readDim);
}

/// Where the elements of results are neighbours in another dimension than those
/// of what is read, squares are transposed.
static bool wantsSquares(const CpuGroupProblem &problem, int64_t vector) {
  auto isLarge = [](int64_t size) {
    return size == kUnknown || size >= kSquareLanes;
  };
  int64_t dim = getSquareDim(problem);
  bool isReduced =
      problem.reducesRows || (problem.readDim >= 0 && problem.reducesColumns);
  return !isReduced && dim >= 0 && vector >= kSquareLanes &&
         isLarge(problem.shape[dim]) && isLarge(problem.shape.back());
}

/// As many of the inner dimensions as make a tile belong to one work item.
static void growTile(const CpuGroupProblem &problem, bool isReduced,
                     CpuGroupSchedule &group) {
  int64_t inner = isReduced ? 1 : problem.shape.back();
  if (inner == kUnknown)
    return;
  int64_t target = isReduced ? kReducedElements : kTileElements;
  inner = std::max<int64_t>(inner, 1);
  while (group.itemDims > 0) {
    int64_t size = problem.shape[group.order[group.itemDims - 1]];
    if (size == kUnknown || inner * size > target)
      break;
    inner *= std::max<int64_t>(size, 1);
    group.itemDims--;
  }
  group.chunk = std::max<int64_t>(1, target / inner);
}

static int64_t getWidth(const CpuGroupProblem &problem) {
  return std::accumulate(problem.parts.begin(), problem.parts.end(),
                         int64_t(0));
}

/// Whether each vector of a row is within one part, so that it is chosen once
/// for a vector which operand is read. Rows of one vector are known to begin at
/// 0: then pairs of elements are enough, of which nothing is chosen at run
/// time.
static bool hasGrid(const CpuGroupProblem &problem) {
  int64_t step = getWidth(problem) <= kLanes ? 2 : kLanes;
  return llvm::all_of(problem.parts,
                      [&](int64_t size) { return size % step == 0; });
}

bool fuser::schedule::wantsParts(const CpuGroupProblem &problem) {
  int64_t parts = problem.parts.size();
  return !problem.isFlat && !problem.reducesRows && !problem.reducesColumns &&
         problem.storeDim < 0 && parts > 1 && parts <= kMaxParts &&
         !hasGrid(problem) && parts * problem.repeated <= kMaxRepeated;
}

/// Vectors of narrow parts are of several rows where a vector of a row would be
/// of one element, or what is computed takes longer than to move it; if a work
/// item is not too large for that.
static void chooseParts(const CpuGroupProblem &problem,
                        CpuGroupSchedule &group) {
  group.kind = CpuGroupSchedule::Kind::Parts;
  int64_t width = getWidth(problem);
  int64_t height = problem.shape[problem.shape.size() - 2];
  int64_t lanes =
      std::clamp(kVectorBytes / problem.elementBytes, kMinAlong, kFewLanes);
  int64_t most =
      llvm::bit_floor(uint64_t(kLanesOfParts / int64_t(problem.parts.size())));
  lanes = std::min(lanes, std::max(most, kLeastAlong));
  if (height != kUnknown)
    lanes = std::min<int64_t>(
        lanes, llvm::bit_ceil(uint64_t(std::max<int64_t>(height, 1))));
  // Of so few columns that most lanes of a vector of them would be in vain.
  int64_t narrow = lanes / 4;
  int64_t narrowest = *llvm::min_element(problem.parts);
  bool wantsAlong =
      narrowest == 1 || (narrowest <= narrow && problem.cost >= kCostly);
  bool fits = problem.hasVectorsAlong && width <= kMaxWideItem / lanes;
  bool isAlong = wantsAlong && fits;
  group.lanes = isAlong ? lanes : 1;
  group.narrow = isAlong ? narrow : 0;
  group.chunk =
      std::max<int64_t>(kTileElements / width / group.lanes, 1) * group.lanes;
}

CpuGroupSchedule fuser::schedule::chooseCpuGroup(const CpuGroupProblem &problem,
                                                 int64_t vector) {
  CpuGroupSchedule group;
  if (problem.isFlat) {
    group.kind = CpuGroupSchedule::Kind::Flat;
    group.chunk = kTileElements;
    return group;
  }
  int64_t rank = problem.shape.size();
  if (rank == 0)
    return group;
  if (wantsParts(problem)) {
    chooseParts(problem, group);
    return group;
  }
  group.order = chooseOrder(problem);
  if (wantsSquares(problem, vector)) {
    group.kind = CpuGroupSchedule::Kind::Squares;
    group.dim = getSquareDim(problem);
    group.lanes = kSquareLanes;
    group.chunk = kStrip;
    auto *place = llvm::find(group.order, group.dim);
    std::rotate(place, place + 1, group.order.end() - 1);
    return group;
  }
  // An element that is a reduction is a lot of work.
  bool isReduced = problem.reducesRows && !problem.reducesColumns;
  if (isReduced)
    group.lanes = 1;
  group.itemDims = isReduced || problem.reducesColumns ? rank : rank - 1;
  if (!problem.reducesColumns)
    growTile(problem, isReduced, group);
  return group;
}
