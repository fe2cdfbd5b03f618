//===- CpuAnalysis.cpp - Segments as problems for CPU heuristics ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuAnalysis.h"
#include "fuser/Analysis/Accesses.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "mlir/Analysis/SliceAnalysis.h"

using namespace fuser;
using fusion::ElementwiseOpInterface;
using fusion::IndexMapOpInterface;
using fusion::ReductionOpInterface;
using schedule::CpuGroupProblem;
using schedule::CpuRowsProblem;
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

int64_t fuser::getStoreDim(fusion::SegmentOp segment,
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

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Whether sources of `op` lie side by side at known places, and its elements
/// are looked at there only.
static bool hasParts(IndexMapOpInterface op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<int64_t> dim = op.getJoinedDim();
  return dim && *dim + 1 == type.getRank() &&
         llvm::none_of(fusion::getTensorOperands(op),
                       [&](OpOperand *source) {
                         return cast<RankedTensorType>(source->get().getType())
                             .isDynamicDim(*dim);
                       }) &&
         !findReaderElsewhere({op->getResult(0)});
}

/// Calls `visit` with each op that makes elements of the results of elements at
/// the same position, and that gives these: true to go on with its operands.
static void walkElements(fusion::SegmentOp segment, ArrayRef<unsigned> results,
                         llvm::function_ref<bool(Operation *)> visit) {
  SmallVector<Operation *> work;
  DenseSet<Operation *> seen;
  auto push = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && seen.insert(op).second)
      work.push_back(op);
  };
  for (unsigned result : results)
    push(segment.getYielded(result));
  while (!work.empty())
    if (Operation *op = work.pop_back_val(); visit(op))
      llvm::for_each(op->getOperands(), push);
}

namespace {
/// The source that has an element, of elements that come in order: that of the
/// last one is where the search for the next begins.
struct SourceCursor {
  explicit SourceCursor(IndexMapOpInterface op) : op(op) {
    for (OpOperand *source : fusion::getTensorOperands(op))
      sizes.push_back(
          cast<RankedTensorType>(source->get().getType()).getShape().back());
  }

  /// The source, and the element's position in it.
  ElementEmitter::Part::Source findSource(int64_t position) {
    while (position - begin >= sizes[number])
      begin += sizes[number++];
    return {number, position - begin};
  }

  Operation *op;
  SmallVector<int64_t, 0> sizes; ///< Of each source.
  unsigned number = 0;
  int64_t begin = 0; ///< Of the source, in the result.
};
} // namespace

SmallVector<ElementEmitter::Part, 0>
fuser::findParts(fusion::SegmentOp segment, ArrayRef<unsigned> results) {
  SmallVector<SourceCursor, 0> cursors;
  walkElements(segment, results, [&](Operation *op) {
    if (auto map = dyn_cast<IndexMapOpInterface>(op); map && hasParts(map))
      cursors.emplace_back(map);
    return isa<ElementwiseOpInterface>(op);
  });
  SetVector<int64_t> ends;
  for (const SourceCursor &cursor : cursors) {
    int64_t end = 0;
    for (int64_t size : cursor.sizes)
      ends.insert(end += size);
  }
  SmallVector<int64_t> sorted(ends.getArrayRef());
  llvm::sort(sorted);
  SmallVector<ElementEmitter::Part, 0> parts;
  int64_t begin = 0;
  for (int64_t end : sorted) {
    if (end == begin)
      continue;
    ElementEmitter::Part &part = parts.emplace_back();
    part.begin = begin;
    part.size = end - begin;
    for (SourceCursor &cursor : cursors)
      part.sources[cursor.op] = cursor.findSource(begin);
    begin = end;
  }
  return parts;
}

bool fuser::hasVectorsAlong(fusion::SegmentOp segment,
                            ArrayRef<unsigned> results, int64_t dim,
                            const ElementEmitter::Part &part) {
  SmallVector<std::pair<Value, int64_t>> work;
  DenseSet<std::pair<Value, int64_t>> seen;
  auto push = [&](Value value, int64_t at) {
    if (isa<RankedTensorType>(value.getType()) &&
        seen.insert({value, at}).second)
      work.emplace_back(value, at);
  };
  for (unsigned result : results)
    push(segment.getYielded(result), dim);
  while (!work.empty()) {
    auto [value, at] = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || isa<fusion::FactoryOpInterface>(op))
      continue;
    if (isa<ElementwiseOpInterface>(op) || part.sources.contains(op)) {
      for (Value operand : op->getOperands())
        push(operand, at);
      continue;
    }
    auto map = dyn_cast<IndexMapOpInterface>(op);
    std::optional<int64_t> along =
        map ? getNeighbourDim(map, at) : std::nullopt;
    if (!along)
      return false;
    // One element may be anything.
    if (*along >= 0)
      push(op->getOperand(0), *along);
  }
  return true;
}

static void addParts(fusion::SegmentOp segment, ArrayRef<unsigned> results,
                     CpuGroupProblem &problem) {
  SmallVector<ElementEmitter::Part, 0> parts = findParts(segment, results);
  if (parts.empty())
    return;
  for (const ElementEmitter::Part &part : parts)
    problem.parts.push_back(part.size);
  problem.hasVectorsAlong = hasVectorsAlong(
      segment, results, int64_t(problem.shape.size()) - 2, parts.front());
  problem.cost = countOperations(segment) / int64_t(parts.size());
  walkElements(segment, results, [&](Operation *op) {
    auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
    if (elementwise)
      problem.repeated += elementwise.getElementCost();
    return bool(elementwise);
  });
  for (unsigned result : results)
    problem.elementBytes = std::max<int64_t>(
        problem.elementBytes,
        llvm::divideCeil(
            cast<RankedTensorType>(segment.getResult(result).getType())
                .getElementTypeBitWidth(),
            8));
}

/// The dimension in which the elements of all inputs that differ along the last
/// one are neighbours in memory; -1 if there is none, or it is the last.
static int64_t findReadDim(fusion::SegmentOp segment,
                           ArrayRef<unsigned> results) {
  auto arguments = getKernelArguments(segment);
  SmallVector<MemoryAccess> accesses;
  for (unsigned result : results)
    collectAccesses(segment.getYielded(result), arguments, accesses);
  int64_t found = -1;
  for (const MemoryAccess &access : accesses) {
    int64_t last = access.map.getNumDims() - 1;
    if (last < 1 || !access.map.isFunctionOfDim(last))
      continue;
    int64_t along = fuser::getNeighbourDim(access.type);
    if (along < 0)
      return -1;
    auto dim = dyn_cast<AffineDimExpr>(access.map.getResult(along));
    int64_t position = dim ? int64_t(dim.getPosition()) : last;
    if (position == last || (found >= 0 && position != found))
      return -1;
    found = position;
  }
  return found >= 0 && hasVectorsAlong(segment, results, found,
                                       ElementEmitter::Part())
             ? found
             : -1;
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
  if (problem.storeDim < 0)
    problem.readDim = findReadDim(segment, results);
  if (type.getRank() > 1)
    addParts(segment, results, problem);
  // The order of fewer dimensions is fixed.
  if (type.getRank() > 2)
    addAccesses(segment, results, problem);
  return problem;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Each reduction in the first stage that has what it needs, and so each
/// result. A result may lie in the memory of an input: then nothing is stored
/// before the last stage, in which each position is read before it is written.
static void makeStages(fusion::SegmentOp segment, CpuReductionPlan &plan) {
  unsigned count = 0;
  auto getDepth = [&](Value value) { return plan.depths.lookup(value); };
  for (ReductionOpInterface op : plan.reductions)
    count = std::max(count, getDepth(op->getResult(0)));
  for (unsigned number : plan.fullResults)
    count = std::max(count, getDepth(segment.getYielded(number)) + 1);
  plan.stages.resize(count);
  for (ReductionOpInterface op : plan.reductions)
    plan.stages[getDepth(op->getOperand(0))].reductions.push_back(op);
  bool mayOverlap = llvm::any_of(
      llvm::enumerate(getKernelArguments(segment)), [&](auto entry) {
        return isa<MemRefType>(entry.value().type) && !entry.value().noAlias;
      });
  for (unsigned number : plan.fullResults) {
    unsigned stage =
        mayOverlap ? count - 1 : getDepth(segment.getYielded(number));
    plan.stages[stage].results.push_back(number);
  }
}

std::optional<CpuReductionPlan>
fuser::findReductionPlan(fusion::SegmentOp segment,
                         const ShapeSymbols &symbols) {
  CpuReductionPlan plan;
  if (!findReductionSpace(segment, symbols, plan))
    return std::nullopt;
  makeStages(segment, plan);
  return plan;
}

//===----------------------------------------------------------------------===//
// What can be kept
//===----------------------------------------------------------------------===//

/// What `stage` computes at each position.
static SmallVector<Value> getStageRoots(fusion::SegmentOp segment,
                                        const CpuStage &stage) {
  SmallVector<Value> roots;
  for (ReductionOpInterface op : stage.reductions)
    roots.push_back(op->getOperand(0));
  for (unsigned number : stage.results)
    roots.push_back(segment.getYielded(number));
  return roots;
}

/// The ops that others look at elsewhere than at their own position, directly
/// or not: they would find there what another stage or row has left.
static DenseSet<Operation *> findMovedOps(fusion::SegmentOp segment) {
  DenseSet<Operation *> moved;
  for (Operation &op : llvm::reverse(segment.getBody().front())) {
    // What is reduced is computed at each position of its stage.
    bool moves = isa<IndexMapOpInterface>(op) ||
                 (moved.contains(&op) && !isa<ReductionOpInterface>(op));
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp(); moves && producer)
        moved.insert(producer);
  }
  return moved;
}

CpuRowsProblem fuser::analyzeRowsOfOps(fusion::SegmentOp segment,
                                       const CpuReductionPlan &plan) {
  CpuRowsProblem problem;
  DenseMap<Operation *, unsigned> numbers;
  DenseSet<Operation *> moved = findMovedOps(segment);
  for (Operation &op : segment.getBody().front().without_terminator()) {
    numbers[&op] = problem.ops.size();
    CpuRowsProblem::Op &entry = problem.ops.emplace_back();
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp())
        entry.operands.push_back(numbers.lookup(producer));
      else
        entry.loads += isa<RankedTensorType>(operand.getType());
    entry.isReduction = isa<ReductionOpInterface>(op);
    entry.canKeep = !moved.contains(&op);
    auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
    if (!elementwise)
      continue;
    entry.isElementwise = true;
    entry.cost = elementwise.getElementCost();
    Type element = getElementTypeOrSelf(op.getResult(0).getType());
    entry.bytes = element.getIntOrFloatBitWidth() > 32 ? 8 : 4;
  }
  for (const CpuStage &stage : plan.stages) {
    CpuRowsProblem::Stage &entry = problem.stages.emplace_back();
    for (Value root : getStageRoots(segment, stage))
      if (Operation *op = root.getDefiningOp())
        entry.roots.push_back(numbers.lookup(op));
    for (unsigned number : stage.results)
      if (Operation *op = segment.getYielded(number).getDefiningOp())
        entry.results.push_back({number, numbers.lookup(op)});
  }
  return problem;
}
