//===- GroupFit.cpp - Which groups of ops schedulers take ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/GroupFit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace fuser;
using namespace fuser::fusion;
using namespace fuser::schedule;

/// A size that is only known at run time is taken for this, where a number is
/// needed to compare costs.
static constexpr double kAssumedSize = 4096;

//===----------------------------------------------------------------------===//
// May
//===----------------------------------------------------------------------===//

/// What programs could do about several shapes.
static constexpr char kOneShape[] =
    "let what one kernel returns have one shape, which reshape, expand or cat "
    "can make";

/// All results have one shape.
static bool hasOneResultShape(const GroupSummary &group) {
  return llvm::count_if(group.spaces, [](const SpaceSummary &space) {
           return space.numResults != 0;
         }) <= 1;
}

Decision fuser::schedule::fitsPointwise(const GroupSummary &group) {
  if (group.numReductions != 0)
    return Decision::notMine("there is a reduction");
  if (!hasOneResultShape(group))
    return Decision::no("the results have several shapes", kOneShape);
  return Decision::yes();
}

/// True if `shape` has one element for each row: the row dimensions, and
/// perhaps reduced ones of size 1.
static bool isPerRow(const GroupShape &shape, const RowStructure &rows) {
  size_t numRowDims = rows.getNumRowDims();
  if (shape.size() != numRowDims && shape.size() != rows.shape.size())
    return false;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size != (dim < numRowDims ? rows.shape[dim] : 1))
      return false;
  return true;
}

Decision fuser::schedule::fitsRows(const GroupSummary &group) {
  if (group.numReductions == 0)
    return Decision::notMine("there is no reduction");
  if (group.hasOuterReduction)
    return Decision::no("a reduction is over other than the last dimensions",
                        "let the reduced dimensions be the last ones, such as "
                        "by storing its input in that order");
  if (!group.rows)
    return Decision::no("reductions are over different rows",
                        "let all reductions reduce the same dimensions of one "
                        "shape");
  if (group.keptDimsAfterReduction &&
      *group.keptDimsAfterReduction < group.rows->getNumRowDims())
    return Decision::no("what depends on a reduction is used in another row",
                        "permute, slice or reshape the input of the reduction, "
                        "not what is made of its result");
  for (const SpaceSummary &space : group.spaces)
    if (space.numResults != 0 && space.shape != group.rows->shape &&
        !isPerRow(space.shape, *group.rows))
      return Decision::no("a result is neither as large as the rows, nor has "
                          "an element a row",
                          "return it from another part of the program, or in "
                          "the shape of the rows");
  return Decision::yes();
}

/// A thread computes a result from scratch: right for anything, but each
/// reduction should be computed once.
Decision fuser::schedule::fitsGeneric(const GroupSummary &group) {
  if (!hasOneResultShape(group))
    return Decision::no("the results have several shapes", kOneShape);
  if (group.numReductions == 0)
    return Decision::yes();
  if (group.hasDependentReductions)
    return Decision::no("a reduction would be computed again for each element "
                        "of another one",
                        "reduce over the last dimensions of one shape, which "
                        "kernels for rows do once");
  if (group.keptDimsAfterReduction)
    return Decision::no("a reduction would be computed again for each element "
                        "that is made of it",
                        "reduce over the last dimensions, and use the result "
                        "in the rows that it is of");
  return Decision::yes();
}

static int64_t multiply(llvm::ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 0)
      return kUnknown;
    product *= size;
  }
  return product;
}

RowProblem fuser::schedule::getRowProblem(const GroupSummary &group) {
  const RowStructure &rows = *group.rows;
  llvm::ArrayRef<int64_t> shape = rows.shape;
  RowProblem problem;
  problem.columns = multiply(shape.drop_front(rows.getNumRowDims()));
  problem.lastDim = shape.empty() || shape.back() < 0 ? kUnknown : shape.back();
  // Strides and alignment come later and make accesses narrower at most.
  problem.contiguousWidth = 16;
  const SpaceSummary *space = group.findSpace(shape);
  if (!space)
    return problem;
  if (space->widestBytes != 0) {
    problem.narrowestBytes = space->narrowestBytes;
    problem.widestBytes = space->widestBytes;
  }
  // What is read is read at once.
  problem.liveRegisters =
      std::max({1u, group.countLiveRegisters(shape),
                static_cast<unsigned>(llvm::divideCeil(space->inputBytes, 4))});
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
    // used, except for what a row has once.
    if (!group.rows || !isPerRow(space.shape, *group.rows))
      elements = std::max(elements, largest);
    operations += elements * space.elementCost;
  }
  operations *= std::exp2(group.maxViewGrowth);
  return processor.launchSeconds +
         std::max(bytes / processor.bytesPerSecond,
                  operations / processor.operationsPerSecond);
}
