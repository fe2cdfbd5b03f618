//===- GroupFit.cpp - Which groups of ops schedulers take ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/GroupFit.h"
#include "fuser/Support/SumOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace fuser;
using namespace fuser::fusion;
using namespace fuser::schedule;

/// So many sums of a column fit into the registers of a thread.
static constexpr unsigned kMaxOuterReductions = 16;

//===----------------------------------------------------------------------===//
// May
//===----------------------------------------------------------------------===//

/// The remedy that messages give for results of several shapes.
static constexpr char kOneShape[] =
    "let what one kernel returns have one shape, which reshape, expand or cat "
    "can make";

/// That for reductions over different rows.
static constexpr char kOneSpace[] =
    "let all reductions reduce the same dimensions of one shape";

/// That for what is made of a reduction and used elsewhere.
static constexpr char kMoveInput[] =
    "permute, slice or reshape the input of the reduction, not what is made of "
    "its result";

/// All results have one shape.
static bool hasOneResultShape(const GroupSummary &group) {
  return llvm::count_if(group.spaces, [](const SpaceSummary &space) {
           return space.numResults != 0;
         }) <= 1;
}

Decision fuser::schedule::fitsPointwise(const GroupSummary &group,
                                        const Processor &) {
  if (group.numReductions != 0)
    return Decision::notMine("there is a reduction");
  if (!hasOneResultShape(group))
    return Decision::no("the results have several shapes", kOneShape);
  return Decision::yes();
}

bool fuser::schedule::isPerReduction(llvm::ArrayRef<int64_t> shape,
                                     const RowStructure &rows) {
  GroupShape kept, withUnits = rows.shape;
  for (int64_t dim : rows.getKeptDims())
    kept.push_back(rows.shape[dim]);
  for (int64_t dim : rows.reducedDims)
    withUnits[dim] = 1;
  return shape == llvm::ArrayRef(kept) || shape == llvm::ArrayRef(withUnits);
}

/// Whether each result is as large as what is reduced, or has an element for
/// each reduction of a kind.
static bool haveResultsOf(const GroupSummary &group,
                          llvm::ArrayRef<RowStructure> kinds) {
  return llvm::all_of(group.spaces, [&](const SpaceSummary &space) {
    return space.numResults == 0 || space.shape == kinds.front().shape ||
           llvm::any_of(kinds, [&](const RowStructure &rows) {
             return isPerReduction(space.shape, rows);
           });
  });
}

static Decision staysInRows(const GroupSummary &group,
                            const RowStructure &rows) {
  if (group.staysInRows(rows))
    return Decision::yes();
  return Decision::no("what depends on a reduction is used in another row",
                      kMoveInput);
}

/// The same, and each result is as large as the rows or has an element a row.
static Decision isOfRows(const GroupSummary &group) {
  if (Decision decision = staysInRows(group, *group.rows); !decision)
    return decision;
  if (!haveResultsOf(group, *group.rows))
    return Decision::no("a result is neither as large as the rows, nor has an "
                        "element a row",
                        "return it from another part of the program, or in the "
                        "shape of the rows");
  return Decision::yes();
}

Decision fuser::schedule::fitsRows(const GroupSummary &group,
                                   const Processor &) {
  if (group.numReductions == 0)
    return Decision::notMine("there is no reduction");
  if (group.rows && !group.rows->reducesNeighbours())
    return Decision::notMine("the last dimension stays");
  if (group.outer.number != 0 || !group.inner.areTrailing)
    return Decision::no("a reduction is over other than the last dimensions",
                        "let the reduced dimensions be the last ones, such as "
                        "by storing its input in that order");
  if (!group.rows)
    return Decision::no("reductions are over different rows", kOneSpace);
  return isOfRows(group);
}

bool fuser::schedule::fitsRowsAround(const GroupSummary &group) {
  if (group.numReductions == 0 || !group.rows || group.outer.number != 0 ||
      group.inner.areTrailing)
    return false;
  const SpaceSummary *space = group.findSpace(group.rows->shape);
  bool isReadAgain =
      group.hasDependentReductions || (space && space->numResults != 0);
  return isReadAgain && isOfRows(group);
}

Decision fuser::schedule::fitsOuterReduction(const GroupSummary &group,
                                             const Processor &) {
  if (group.numReductions == 0)
    return Decision::notMine("there is no reduction");
  if (!group.rows)
    return Decision::no("reductions are over different rows", kOneSpace);
  if (group.rows->reducesNeighbours())
    return Decision::notMine("the last dimension is reduced");
  if (group.rows->countReducedElements() == 1)
    return Decision::notMine("there is one row");
  if (group.hasDependentReductions)
    return Decision::no("a reduction is made of another one",
                        "nothing need be: each reads its input by itself");
  if (group.hasMapAfterReduction())
    return Decision::no("what depends on a reduction is used elsewhere",
                        kMoveInput);
  if (group.numReductions > kMaxOuterReductions)
    return Decision::no("a thread would have too many sums of a column",
                        "nothing need be: each segment of up to 16 sums reads "
                        "its input once; segment_set moves the cut");
  if (!haveResultsOf(group, *group.rows))
    return Decision::no("a result is neither as large as what is reduced, nor "
                        "has an element a reduction",
                        "return it from another part of the program");
  return Decision::yes();
}

/// Where rows and columns are both reduced: whether the columns reduce what
/// stays of the rows.
static bool areRowsAndColumns(const RowStructure &inner,
                              const RowStructure &outer) {
  return inner.shape == outer.shape && inner.reducesTrailingDims() &&
         llvm::equal(outer.reducedDims, inner.getKeptDims());
}

Decision fuser::schedule::fitsInnerOuter(const GroupSummary &group,
                                         const Processor &) {
  if (group.inner.number == 0 || group.outer.number == 0)
    return Decision::notMine("not both rows and columns are reduced");
  if (!group.inner.rows || !group.outer.rows ||
      !areRowsAndColumns(*group.inner.rows, *group.outer.rows))
    return Decision::no("reductions are over different rows",
                        "let all reductions reduce the same dimensions of one "
                        "shape, or the last ones and all the others");
  const RowStructure &rows = *group.inner.rows, &columns = *group.outer.rows;
  if (columns.countReducedElements() == 1)
    return Decision::notMine("there is one row");
  if (Decision decision = staysInRows(group, rows); !decision)
    return decision;
  if (!haveResultsOf(group, {rows, columns}))
    return Decision::no("a result is neither as large as what is reduced, nor "
                        "has an element a row or a column",
                        "return it from another part of the program");
  return Decision::yes();
}

Decision fuser::schedule::fitsScan(const GroupSummary &group) {
  if (!group.has(Family::Scan))
    return Decision::notMine("there is no scan");
  const FibreSummary &scans = group.fibres;
  if (!scans.rows)
    return Decision::no("scans are along different dimensions, or of different "
                        "shapes");
  if (getScanLeaf(scans.narrowestBytes) != getScanLeaf(scans.widestBytes))
    return Decision::no("scans are of elements of different sizes");
  if (group.hasMapAfterReduction())
    return Decision::no("what is made of a scan is used elsewhere",
                        "permute, slice or reshape the input of the scan, not "
                        "what is made of its result");
  for (const SpaceSummary &space : group.spaces)
    if (space.numResults != 0 && space.shape != scans.rows->shape)
      return Decision::no("a result is not as large as what is scanned",
                          "return it from another part of the program");
  return Decision::yes();
}

Decision fuser::schedule::fitsRowScan(const GroupSummary &group,
                                      const Processor &) {
  if (group.fibres.rows && !group.fibres.rows->reducesNeighbours())
    return Decision::notMine("another dimension than the last one is scanned");
  return fitsScan(group);
}

Decision fuser::schedule::fitsSplitScan(const GroupSummary &group,
                                        const Processor &processor) {
  if (Decision decision = fitsRowScan(group, processor); !decision)
    return decision;
  if (group.fibres.minDepth != group.fibres.maxDepth)
    return Decision::no("a scan is scanned");
  return Decision::yes();
}

Decision fuser::schedule::fitsOuterScan(const GroupSummary &group,
                                        const Processor &) {
  if (group.fibres.rows && group.fibres.rows->reducesNeighbours())
    return Decision::notMine("the last dimension is scanned");
  return fitsScan(group);
}

static Decision hasNoFusedFibre(const GroupSummary &group) {
  if (!group.hasFibres() || group.numOps == 1)
    return Decision::yes();
  return Decision::no(
      "a scan, a sort or a scatter is not fused with other ops");
}

Decision fuser::schedule::fitsRowOrder(const GroupSummary &group,
                                       const Processor &) {
  if (!group.has(Family::Order))
    return Decision::notMine("there is no sort");
  const FibreSummary &sorts = group.fibres;
  constexpr unsigned kTaken = static_cast<unsigned>(Family::Order) |
                              static_cast<unsigned>(Family::Elementwise) |
                              static_cast<unsigned>(Family::IndexMap) |
                              static_cast<unsigned>(Family::Factory);
  if (sorts.number != 1 || (group.families & ~kTaken))
    return Decision::no("a sort is fused with what is element by element, and "
                        "with takes, only");
  if (sorts.areInRing)
    return Decision::no("integers that stand for floats have no order");
  if (group.movesAfterSort)
    return Decision::no("what is made of a sort is used elsewhere",
                        "permute, slice or reshape what is sorted, not what is "
                        "made of its result");
  if (!hasOneResultShape(group))
    return Decision::no("the results have several shapes", kOneShape);
  return Decision::yes();
}

Decision fuser::schedule::fitsScatter(const GroupSummary &group,
                                      const Processor &) {
  if (!group.has(Family::Scatter))
    return Decision::notMine("there is no scatter");
  if (group.numOps == 1)
    return Decision::yes();
  const FibreSummary &scatters = group.fibres;
  if (scatters.number != 1)
    return Decision::no("a scatter is not fused with another one");
  if (scatters.rows->getNumRowDims() != 0)
    return Decision::no("a scatter whose columns have indices of their own is "
                        "not fused with other ops");
  if (group.hasMapAfterReduction())
    return Decision::no("what is made of a scatter is used elsewhere",
                        "permute, slice or reshape what is scattered, not what "
                        "is made of its result");
  if (!hasOneResultShape(group))
    return Decision::no("the results have several shapes", kOneShape);
  return Decision::yes();
}

Decision fuser::schedule::fitsCommunication(const GroupSummary &group,
                                            const Processor &) {
  if (!group.has(Family::Communication))
    return Decision::notMine("there is no communication");
  if (group.numOps != 1)
    return Decision::no("a communication is not fused with other ops");
  return Decision::yes();
}

static Decision hasNoFusedProduct(const GroupSummary &group) {
  if (!group.has(Family::Contraction) || group.numOps == 1)
    return Decision::yes();
  return Decision::no("a matrix product is not fused with other ops");
}

Decision fuser::schedule::fitsLibrary(const GroupSummary &group,
                                      const Processor &) {
  if (!group.has(Family::Contraction))
    return Decision::notMine("there is no matrix product");
  return hasNoFusedProduct(group);
}

/// A thread computes a result from scratch: right for anything, but each
/// reduction should be computed once.
Decision fuser::schedule::fitsGeneric(const GroupSummary &group,
                                      const Processor &) {
  if (Decision decision = hasNoFusedProduct(group); !decision)
    return decision;
  if (Decision decision = hasNoFusedFibre(group); !decision)
    return decision;
  if (!hasOneResultShape(group))
    return Decision::no("the results have several shapes", kOneShape);
  if (group.numReductions == 0)
    return Decision::yes();
  if (group.hasDependentReductions)
    return Decision::no("a reduction would be computed again for each element "
                        "of another one",
                        "reduce over the last dimensions of one shape, which "
                        "kernels for rows do once");
  if (group.hasMapAfterReduction())
    return Decision::no("a reduction would be computed again for each element "
                        "that is made of it",
                        "reduce over the last dimensions, and use the result "
                        "in the rows that it is of");
  return Decision::yes();
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

/// Whether a tensor of `shape` holds as many elements as one of shape `space`,
/// up to their order, or at least half of them.
static bool isLarge(llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> space) {
  auto normalize = [](llvm::ArrayRef<int64_t> sizes) {
    auto sorted = llvm::to_vector(
        llvm::make_filter_range(sizes, [](int64_t size) { return size != 1; }));
    llvm::sort(sorted);
    return sorted;
  };
  if (normalize(shape) == normalize(space))
    return true;
  int64_t elements = multiplySizes(shape), all = multiplySizes(space);
  return elements >= 0 && all >= 0 && 2 * elements >= all;
}

namespace {
/// Bytes of an element of the narrowest and the widest of some tensors, and of
/// all that are read.
struct ElementBytes {
  int64_t narrowest = 4;
  int64_t widest = 4;
  int64_t read = 0;
};
} // namespace

/// Of tensors as large as `shape`.
static ElementBytes getElementBytes(const GroupSummary &group,
                                    llvm::ArrayRef<int64_t> shape) {
  unsigned narrowest = ~0u, widest = 0, read = 0;
  for (const SpaceSummary &space : group.spaces)
    if (isLarge(space.shape, shape)) {
      narrowest = std::min(narrowest, space.narrowestBytes);
      widest = std::max(widest, space.widestBytes);
      read += space.inputBytes;
    }
  return widest == 0 ? ElementBytes() : ElementBytes{narrowest, widest, read};
}

static int64_t toSize(int64_t size) { return size < 0 ? kUnknown : size; }

/// Whether `shape` has one element for each column: the reduced dimensions, and
/// perhaps others of size 1.
static bool isPerColumn(llvm::ArrayRef<int64_t> shape,
                        const RowStructure &rows) {
  size_t numRowDims = rows.getNumRowDims();
  llvm::ArrayRef<int64_t> columns =
      llvm::ArrayRef<int64_t>(rows.shape).drop_front(numRowDims);
  return numRowDims != 0 && rows.reducesTrailingDims() &&
         shape != llvm::ArrayRef<int64_t>(rows.shape) &&
         shape.take_back(columns.size()) == columns &&
         (shape.size() == columns.size() ||
          (shape.size() == rows.shape.size() &&
           llvm::all_of(shape.take_front(numRowDims),
                        [](int64_t size) { return size == 1; })));
}

/// The problem of the rows that some of the reductions have.
static RowProblem makeRowProblem(const GroupSummary &group,
                                 const RowStructure &rows) {
  RowProblem problem;
  problem.rowDims = rows.getKeptDims();
  problem.columnDims.assign(rows.reducedDims.begin(), rows.reducedDims.end());
  problem.columns = rows.countReducedElements();
  problem.maxColumns = rows.maxReduced;
  problem.lastDim = rows.shape.empty() ? kUnknown : toSize(rows.shape.back());
  problem.lastDivisor = rows.lastDivisor;
  // Strides and alignment are not known yet: they only make accesses narrower.
  problem.contiguousWidth = 16;
  ElementBytes bytes = getElementBytes(group, rows.shape);
  problem.narrowestBytes = bytes.narrowest;
  problem.widestBytes = bytes.widest;
  problem.readBytes = problem.copiedBytes = bytes.read;
  const SpaceSummary *space = group.findSpace(rows.shape);
  problem.operations = space ? space->elementCost : 0;
  problem.repeatedOperations = space ? space->repeatedCost : 0;
  problem.hasFullResults = space && space->numResults != 0;
  for (const SpaceSummary &other : group.spaces)
    if (isPerColumn(other.shape, rows))
      problem.columnBytes += other.inputBytes;
  // All inputs of an element are read before the first one is used.
  problem.liveRegisters =
      std::max({1u, group.countLiveRegisters(rows.shape),
                uint32_t(llvm::divideCeil(problem.readBytes, 4))});
  problem.sumRegisters = group.inner.registers;
  return problem;
}

RowProblem fuser::schedule::getRowProblem(const GroupSummary &group) {
  return makeRowProblem(group, *group.rows);
}

/// The dimensions before those that are reduced, or scanned, and behind them.
static std::pair<GroupShape, GroupShape>
splitOtherDims(const RowStructure &rows) {
  GroupShape outer, columns;
  for (int64_t dim : rows.getKeptDims())
    (dim > rows.reducedDims.back() ? columns : outer).push_back(dim);
  return {outer, columns};
}

OuterProblem fuser::schedule::getOuterProblem(const GroupSummary &group) {
  const RowStructure &rows = *group.rows;
  OuterProblem problem;
  problem.reducedDims.assign(rows.reducedDims.begin(), rows.reducedDims.end());
  std::tie(problem.outerDims, problem.columnDims) = splitOtherDims(rows);
  problem.outer = multiplySizes(rows.shape, problem.outerDims);
  problem.columns = multiplySizes(rows.shape, problem.columnDims);
  problem.maxColumns = rows.maxColumns;
  problem.rows = rows.countReducedElements();
  problem.lastDim = toSize(rows.shape.back());
  problem.lastDivisor = rows.lastDivisor;
  problem.contiguousWidth = 16;
  problem.accumulatorRegisters = group.outer.registers;
  problem.narrowestBytes = getElementBytes(group, rows.shape).narrowest;
  if (const SpaceSummary *space = group.findSpace(rows.shape)) {
    problem.totalBytes = std::max(space->inputBytes + space->resultBytes, 1u);
    problem.hasFullResults = space->numResults != 0;
  }
  return problem;
}

InnerOuterProblem
fuser::schedule::getInnerOuterProblem(const GroupSummary &group) {
  const RowStructure &rows = *group.inner.rows;
  InnerOuterProblem problem;
  problem.row = makeRowProblem(group, rows);
  problem.rows = group.outer.rows->countReducedElements();
  problem.accumulators = group.outer.accumulators;
  problem.accumulatorRegisters = group.outer.registers;
  for (const SpaceSummary &space : group.spaces)
    if (isPerColumn(space.shape, rows))
      problem.columnRegisters += space.numInputs;
  return problem;
}

PointwiseProblem fuser::schedule::getPointwiseProblem(const GroupSummary &group,
                                                      bool isFlat) {
  PointwiseProblem problem;
  problem.isFlat = isFlat;
  auto *results = llvm::find_if(group.spaces, [](const SpaceSummary &space) {
    return space.numResults != 0;
  });
  if (results == group.spaces.end())
    return problem;
  llvm::transform(results->shape, std::back_inserter(problem.shape), toSize);
  problem.lastDivisor = results->lastDivisor;
  ElementBytes bytes = getElementBytes(group, results->shape);
  problem.narrowestBytes = bytes.narrowest;
  problem.widestBytes = bytes.widest;
  // Where nothing is flat, broadcast inputs are read as often as large ones.
  problem.numReads = 0;
  for (const SpaceSummary &space : group.spaces)
    if (!isFlat || isLarge(space.shape, results->shape))
      problem.numReads += space.numInputs;
  return problem;
}

ScanProblem fuser::schedule::getScanProblem(const GroupSummary &group) {
  const RowStructure &rows = *group.fibres.rows;
  ScanProblem problem;
  problem.dim = rows.reducedDims.front();
  problem.maxLength = rows.maxReduced;
  std::tie(problem.outerDims, problem.columnDims) = splitOtherDims(rows);
  problem.outer = multiplySizes(rows.shape, problem.outerDims);
  problem.maxScans = rows.maxRows;
  problem.columns = multiplySizes(rows.shape, problem.columnDims);
  problem.maxColumns = rows.maxColumns;
  problem.numScans = group.fibres.number;
  problem.isOfIntegers = group.fibres.areIntegers;
  problem.leaf = getScanLeaf(group.fibres.narrowestBytes);
  problem.contiguousWidth = 16;
  problem.lastDivisor = rows.lastDivisor;
  ElementBytes bytes = getElementBytes(group, rows.shape);
  problem.narrowestBytes = bytes.narrowest;
  problem.widestBytes = bytes.widest;
  // All inputs of an element are read before the first one is used.
  const SpaceSummary *space = group.findSpace(rows.shape);
  uint32_t read = space ? llvm::divideCeil(space->inputBytes, 4) : 1;
  problem.liveRegisters =
      std::max({1u, group.countLiveRegisters(rows.shape), read});
  return problem;
}

OrderProblem fuser::schedule::getOrderProblem(const GroupSummary &group) {
  const RowStructure &rows = *group.fibres.rows;
  OrderProblem problem;
  problem.dim = rows.reducedDims.front();
  problem.isLast = rows.reducesNeighbours();
  problem.rowDims = rows.getKeptDims();
  problem.rows = multiplySizes(rows.shape, problem.rowDims);
  problem.minLength = rows.minReduced;
  problem.maxLength = rows.maxReduced;
  problem.resultLength = group.fibres.resultLength;
  problem.elementBytes = group.fibres.narrowestBytes;
  return problem;
}

GenericProblem fuser::schedule::getGenericProblem(const GroupSummary &group) {
  GenericProblem problem;
  problem.elements = 0;
  for (const SpaceSummary &space : group.spaces) {
    int64_t elements = space.numResults ? multiplySizes(space.shape) : 0;
    bool isKnown = elements >= 0 && problem.elements != kUnknown;
    problem.elements =
        isKnown ? std::max(problem.elements, elements) : kUnknown;
  }
  problem.hasReduction = group.numReductions != 0;
  problem.hasFibres = group.hasFibres();
  problem.hasOneSpace = group.rows.has_value();
  problem.hasDependentReductions = group.hasDependentReductions;
  if (!problem.hasReduction)
    return problem;
  problem.reducedElements = group.largestReduction.countReducedElements();
  problem.minReduced = group.largestReduction.minReduced;
  problem.hasOneResultEach =
      group.rows && llvm::all_of(group.spaces, [&](const SpaceSummary &space) {
        return !space.numResults || isPerReduction(space.shape, *group.rows);
      });
  problem.reducesNeighbours = group.largestReduction.reducesNeighbours();
  problem.reducesRows = group.largestReduction.reducesTrailingDims();
  return problem;
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

double fuser::schedule::estimateElements(const GroupShape &shape) {
  double count = 1;
  for (int64_t size : shape)
    count *= size < 0 ? kAssumedSize : static_cast<double>(size);
  return count;
}

/// How often a kernel computes what its reductions, and results behind them,
/// are made of, on average. Rows of open length are kept nowhere: each
/// reduction that waits for others computes what it needs of them again.
static double estimatePasses(const GroupSummary &group) {
  bool isKept = group.rows && group.rows->maxReduced != kUnknown;
  if (!group.hasDependentReductions || isKept)
    return 1;
  return 1 + (group.maxReductionDepth - group.minReductionDepth) / 2.0;
}

/// The time of a group as one kernel, on an otherwise idle target.
double fuser::schedule::estimateSeconds(const GroupSummary &group,
                                        const Processor &processor) {
  double bytes = 0,
         largest = group.rows ? estimateElements(group.rows->shape) : 0;
  for (const SpaceSummary &space : group.spaces) {
    double elements = estimateElements(space.shape);
    bytes += elements * (space.inputBytes + space.resultBytes);
    if (space.numResults != 0)
      largest = std::max(largest, elements);
  }
  double operations = 0;
  for (const SpaceSummary &space : group.spaces) {
    double elements = estimateElements(space.shape);
    // What is smaller than the space of the kernel is computed wherever it is
    // used, except for what a row, or a column, has once.
    if (!group.rows || !isPerReduction(space.shape, *group.rows))
      elements = std::max(elements, largest);
    operations += elements * space.elementCost;
  }
  operations *= std::exp2(group.maxWorkGrowth) * estimatePasses(group);
  return processor.launchSeconds +
         std::max(bytes / processor.bytesPerSecond,
                  operations / processor.operationsPerSecond);
}
