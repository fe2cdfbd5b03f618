//===- GroupAnalysis.cpp - Results of one shape as problems ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupAnalysis.h"
#include "fuser/Analysis/Accesses.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Sequence.h"

using namespace fuser;
using schedule::CpuGroupProblem;
using schedule::CpuStep;

//===----------------------------------------------------------------------===//
// Flat groups
//===----------------------------------------------------------------------===//

/// All ops that `value` is computed with inside of the segment.
static SetVector<Operation *> getCone(Value value) {
  SetVector<Operation *> cone;
  SmallVector<Value> stack{value};
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val().getDefiningOp();
    if (op && cone.insert(op))
      llvm::append_range(stack, op->getOperands());
  }
  return cone;
}

/// The strides of a memref that fills its memory without gaps, in whatever
/// order; nothing for others.
static std::optional<SmallVector<int64_t>> getDenseStrides(MemRefType type) {
  if (type.getLayout().isIdentity())
    return SmallVector<int64_t>(); // Row-major, of whatever size.
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  int64_t elements = type.getNumElements();
  int64_t reach = 1;
  for (auto [size, stride] : llvm::zip(type.getShape(), strides)) {
    if (ShapedType::isDynamic(stride))
      return std::nullopt;
    reach += (size - 1) * stride;
  }
  if (reach != elements)
    return std::nullopt;
  MemRefType rowMajor = MemRefType::get(type.getShape(), type.getElementType());
  if (rowMajor.getStridesAndOffset().first == strides)
    return SmallVector<int64_t>();
  return strides;
}

bool fuser::isFlatGroup(fusion::SegmentOp segment, ArrayRef<unsigned> results) {
  auto arguments = getKernelArguments(segment);
  unsigned numInputs = segment.getInputs().size();
  auto first = getDenseStrides(
      cast<MemRefType>(arguments[numInputs + results.front()].type));
  if (!first)
    return false;
  for (unsigned result : results) {
    if (getDenseStrides(cast<MemRefType>(arguments[numInputs + result].type)) !=
        first)
      return false;
    Value yielded = segment.getYielded(result);
    SetVector<Operation *> cone = getCone(yielded);
    SmallVector<Value> values{yielded};
    for (Operation *op : cone) {
      auto factory = dyn_cast<fusion::FactoryOpInterface>(op);
      if (factory ? !factory.isUniform()
                  : !isa<fusion::ElementwiseOpInterface>(op))
        return false;
      llvm::append_range(values, op->getOperands());
    }
    for (Value value : values) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (!argument || !isa<RankedTensorType>(argument.getType()))
        continue;
      auto type = cast<MemRefType>(arguments[argument.getArgNumber()].type);
      if (getDenseStrides(type) != first)
        return false;
    }
  }
  return true;
}

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

static void findReductions(fusion::SegmentOp segment,
                           ArrayRef<unsigned> results,
                           CpuGroupProblem &problem) {
  for (unsigned result : results)
    for (Operation *op : getCone(segment.getYielded(result)))
      if (auto reduction = dyn_cast<fusion::ReductionOpInterface>(op)) {
        auto type = cast<RankedTensorType>(
            fusion::getTensorOperands(op).front()->get().getType());
        bool isRow = llvm::is_contained(reduction.getReductionDims(),
                                        type.getRank() - 1);
        (isRow ? problem.reducesRows : problem.reducesColumns) = true;
      }
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
  problem.isFlat = isFlatGroup(segment, results);
  if (problem.isFlat || type.getRank() == 0)
    return problem;
  findReductions(segment, results, problem);
  problem.storeDim = getStoreDim(segment, results);
  // The order of fewer dimensions is fixed.
  if (type.getRank() > 2)
    addAccesses(segment, results, problem);
  return problem;
}
