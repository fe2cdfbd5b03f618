//===- GroupAnalysis.cpp - Results of one shape as problems ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupAnalysis.h"
#include "fuser/Analysis/Accesses.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "llvm/ADT/Sequence.h"

using namespace fuser;
using schedule::CpuGroupProblem;
using schedule::CpuStep;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {
/// A tensor in memory, and which of its elements an element of a group needs.
struct MemoryAccess {
  MemRefType type;
  AffineMap map;
};
} // namespace

/// What `value` needs of the tensors in memory, as far as maps are affine.
static void collectAccesses(Value value, ArrayRef<KernelArgument> arguments,
                            SmallVectorImpl<MemoryAccess> &accesses) {
  Access start(value, getIdentityMap(value));
  walkAccesses(start, [&](Value current, AffineMap at) {
    if (auto argument = dyn_cast<BlockArgument>(current); argument && at)
      accesses.push_back(
          {cast<MemRefType>(arguments[argument.getArgNumber()].type), at});
    return at != AffineMap();
  });
}

/// The dimension of memory that a step leads to the next run of neighbours in;
/// -1 if there is none.
static int64_t getRunDim(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (type.getRank() < 2 || failed(type.getStridesAndOffset(strides, offset)))
    return -1;
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  // The largest first, to which those that are not known count.
  llvm::sort(dims, [&](int64_t a, int64_t b) {
    return std::pair(~uint64_t(strides[a]), a) <
           std::pair(~uint64_t(strides[b]), b);
  });
  return dims[dims.size() - 2];
}

static CpuStep getStep(const MemoryAccess &access, int64_t dim) {
  int64_t run = getRunDim(access.type);
  auto step = CpuStep::Nowhere;
  for (auto [number, expr] : llvm::enumerate(access.map.getResults()))
    if (expr.isFunctionOfDim(dim))
      step = std::max(step, int64_t(number) == run ? CpuStep::NextRun
                                                   : CpuStep::Further);
  return step;
}

static void addAccesses(fusion::SegmentOp segment, ArrayRef<unsigned> results,
                        CpuGroupProblem &problem) {
  int64_t rank = problem.shape.size();
  auto arguments = getKernelArguments(segment);
  unsigned numInputs = segment.getInputs().size();
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(rank, segment->getContext());
  SmallVector<MemoryAccess> accesses;
  for (unsigned result : results) {
    accesses.push_back(
        {cast<MemRefType>(arguments[numInputs + result].type), identity});
    collectAccesses(segment.getYielded(result), arguments, accesses);
  }
  for (const MemoryAccess &access : accesses) {
    problem.accesses.emplace_back();
    for (int64_t dim = 0; dim < rank; ++dim)
      problem.accesses.back().push_back(getStep(access, dim));
  }
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

bool fuser::reducesLastDim(fusion::ReductionOpInterface op) {
  int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  return llvm::is_contained(op.getReductionDims(), rank - 1);
}

static void findReductions(fusion::SegmentOp segment,
                           ArrayRef<unsigned> results,
                           CpuGroupProblem &problem) {
  SetVector<Operation *> ops;
  BackwardSliceOptions options;
  options.inclusive = options.omitBlockArguments = true;
  for (unsigned result : results)
    (void)getBackwardSlice(segment.getYielded(result), &ops, options);
  for (Operation *op : ops)
    if (auto reduction = dyn_cast<fusion::ReductionOpInterface>(op))
      (reducesLastDim(reduction) ? problem.reducesRows
                                 : problem.reducesColumns) = true;
}

/// The dimension in which the elements of all results are neighbours in memory;
/// -1 if there is none, or it is the last.
static int64_t getStoreDim(fusion::SegmentOp segment,
                           ArrayRef<unsigned> results) {
  auto arguments = getKernelArguments(segment);
  unsigned numInputs = segment.getInputs().size();
  int64_t found = -1;
  for (unsigned result : results) {
    auto type = cast<MemRefType>(arguments[numInputs + result].type);
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return -1;
    int64_t dim = llvm::find(strides, 1) - strides.begin();
    bool isSecond = result != results.front();
    if (dim >= type.getRank() - 1 || (isSecond && dim != found))
      return -1;
    found = dim;
  }
  return found;
}

CpuGroupProblem fuser::analyzeGroup(fusion::SegmentOp segment,
                                    ArrayRef<unsigned> results) {
  CpuGroupProblem problem;
  auto type =
      cast<RankedTensorType>(segment.getResult(results.front()).getType());
  for (int64_t size : type.getShape())
    problem.shape.push_back(ShapedType::isDynamic(size) ? schedule::kUnknown
                                                        : size);
  problem.isFlat = isFlat(segment, results);
  if (problem.isFlat || type.getRank() == 0)
    return problem;
  findReductions(segment, results, problem);
  problem.storeDim = getStoreDim(segment, results);
  // The order of fewer dimensions is fixed.
  if (type.getRank() > 2)
    addAccesses(segment, results, problem);
  return problem;
}
