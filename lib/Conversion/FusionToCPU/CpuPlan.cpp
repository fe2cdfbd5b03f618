//===- CpuPlan.cpp - How a segment becomes loops on a CPU -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuPlan.h"
#include "ReductionPlanner.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace fuser;

/// Elements of a work item, about: enough to hide the cost of its start, few
/// enough to share.
static constexpr int64_t kTileElements = 4096;
/// The same where each element is a reduction.
static constexpr int64_t kReducedElements = 16;

int64_t CpuPlan::getLanes(int64_t size) const {
  if (ShapedType::isDynamic(size) || size >= vector)
    return vector;
  return llvm::PowerOf2Ceil(std::max<int64_t>(size, 1));
}

//===----------------------------------------------------------------------===//
// Groups of results
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

/// True if positions in memory are all that the group's ops need to know of an
/// index.
static bool isFlatGroup(fusion::SegmentOp segment, const CpuGroup &group) {
  auto arguments = getKernelArguments(segment);
  unsigned numInputs = segment.getInputs().size();
  auto first = getDenseStrides(
      cast<MemRefType>(arguments[numInputs + group.results.front()].type));
  if (!first)
    return false;
  for (unsigned result : group.results) {
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
// The order of loops
//===----------------------------------------------------------------------===//

namespace {
/// A tensor in memory, and which of its elements an element of a group needs.
struct Access {
  MemRefType type;
  AffineMap map;
};
} // namespace

/// What `value` needs of the tensors in memory, as far as maps are affine.
static void collectAccesses(Value value, AffineMap map,
                            ArrayRef<KernelArgument> arguments,
                            SmallVectorImpl<Access> &accesses) {
  SmallVector<std::pair<Value, AffineMap>> stack{{value, map}};
  DenseSet<std::pair<Value, AffineMap>> seen;
  while (!stack.empty()) {
    auto [current, at] = stack.pop_back_val();
    if (!seen.insert({current, at}).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(current)) {
      auto type = cast<MemRefType>(arguments[argument.getArgNumber()].type);
      accesses.push_back({type, at});
      continue;
    }
    Operation *op = current.getDefiningOp();
    auto indexMap = dyn_cast<fusion::IndexMapOpInterface>(op);
    if (!indexMap && !isa<fusion::ElementwiseOpInterface>(op))
      continue;
    for (auto [number, operand] :
         llvm::enumerate(fusion::getTensorOperands(op))) {
      AffineMap step = at;
      if (indexMap) {
        step = indexMap.getAffineIndexMap(number);
        if (!step)
          continue;
        step = simplifyAffineMap(step.compose(at));
      }
      stack.emplace_back(operand->get(), step);
    }
  }
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

/// How far a step along `dim` goes in memory: 0 nowhere, 1 to the next run of
/// neighbours, 2 further.
static int64_t getStepCost(const Access &access, int64_t dim) {
  int64_t run = getRunDim(access.type);
  int64_t cost = 0;
  for (auto [number, expr] : llvm::enumerate(access.map.getResults()))
    if (expr.isFunctionOfDim(dim))
      cost = std::max<int64_t>(cost, int64_t(number) == run ? 1 : 2);
  return cost;
}

/// Steps of the inner loops are to be near in memory: prefetching works, and
/// what does not change stays in registers.
static SmallVector<int64_t> chooseOrder(fusion::SegmentOp segment,
                                        const CpuGroup &group, int64_t rank) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (rank < 3)
    return order;
  auto arguments = getKernelArguments(segment);
  unsigned numInputs = segment.getInputs().size();
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(rank, segment->getContext());
  SmallVector<Access> accesses;
  for (unsigned result : group.results) {
    accesses.push_back(
        {cast<MemRefType>(arguments[numInputs + result].type), identity});
    collectAccesses(segment.getYielded(result), identity, arguments, accesses);
  }
  SmallVector<int64_t> costs(rank, 0);
  for (int64_t dim : order)
    for (const Access &access : accesses)
      costs[dim] += getStepCost(access, dim);
  llvm::sort(order.begin(), order.end() - 1, [&](int64_t a, int64_t b) {
    return std::pair(-costs[a], a) < std::pair(-costs[b], b);
  });
  return order;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {
/// Which reductions an element of a group takes.
struct GroupReductions {
  /// Over the last dimension of a tensor, whose vectors are of one element.
  bool rows = false;
  /// Over others: vectors are of several elements.
  bool columns = false;
};
} // namespace

static GroupReductions findReductions(fusion::SegmentOp segment,
                                      const CpuGroup &group) {
  GroupReductions found;
  for (unsigned result : group.results)
    for (Operation *op : getCone(segment.getYielded(result)))
      if (auto reduction = dyn_cast<fusion::ReductionOpInterface>(op)) {
        auto type = cast<RankedTensorType>(op->getOperand(0).getType());
        bool isRow = llvm::is_contained(reduction.getReductionDims(),
                                        type.getRank() - 1);
        (isRow ? found.rows : found.columns) = true;
      }
  return found;
}

/// The dimension in which the elements of all results of the group are
/// neighbours in memory; -1 if there is none, or it is the last.
static int64_t getStoreDim(fusion::SegmentOp segment, const CpuGroup &group) {
  auto arguments = getKernelArguments(segment);
  unsigned numInputs = segment.getInputs().size();
  int64_t found = -1;
  for (unsigned result : group.results) {
    auto type = cast<MemRefType>(arguments[numInputs + result].type);
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return -1;
    int64_t dim = llvm::find(strides, 1) - strides.begin();
    bool isSecond = result != group.results.front();
    if (dim >= type.getRank() - 1 || (isSecond && dim != found))
      return -1;
    found = dim;
  }
  return found;
}

/// Squares of lanes by lanes are transposed.
static bool transposeGroup(fusion::SegmentOp segment, const CpuPlan &plan,
                           CpuGroup &group) {
  constexpr int64_t lanes = 16;
  int64_t dim = getStoreDim(segment, group);
  auto type = cast<RankedTensorType>(
      segment.getResult(group.results.front()).getType());
  auto isLarge = [&](int64_t size) {
    return ShapedType::isDynamic(size) || size >= lanes;
  };
  if (dim < 0 || plan.vector < lanes || !isLarge(type.getDimSize(dim)) ||
      !isLarge(type.getShape().back()))
    return false;
  group.storeDim = dim;
  group.width = lanes;
  group.numItemDims = type.getRank() - 1;
  auto place = llvm::find(group.order, dim);
  std::rotate(place, place + 1, group.order.end() - 1);
  return true;
}

static void tileGroup(fusion::SegmentOp segment, CpuPlan &plan,
                      CpuGroup &group) {
  auto type = cast<RankedTensorType>(
      segment.getResult(group.results.front()).getType());
  group.isFlat = isFlatGroup(segment, group);
  if (group.isFlat) {
    group.chunk = kTileElements;
    group.width = plan.getLanes(type.hasStaticShape() ? type.getNumElements()
                                                      : ShapedType::kDynamic);
    return;
  }
  int64_t rank = type.getRank();
  if (rank == 0)
    return;
  GroupReductions reductions = findReductions(segment, group);
  group.order = chooseOrder(segment, group, rank);
  if (!reductions.rows && transposeGroup(segment, plan, group))
    return;
  // An element that is a reduction is a lot of work.
  bool isOne = reductions.rows && !reductions.columns;
  group.width = isOne ? 1 : plan.getLanes(type.getShape().back());
  group.isVectorItem = reductions.columns;
  group.numItemDims = isOne || group.isVectorItem ? rank : rank - 1;
  if (group.isVectorItem)
    return;
  int64_t inner = isOne ? 1 : type.getShape().back();
  if (ShapedType::isDynamic(inner))
    return;
  int64_t target = isOne ? kReducedElements : kTileElements;
  inner = std::max<int64_t>(inner, 1);
  while (group.numItemDims > 0) {
    int64_t size = type.getDimSize(group.order[group.numItemDims - 1]);
    if (ShapedType::isDynamic(size) || inner * size > target)
      break;
    inner *= std::max<int64_t>(size, 1);
    group.numItemDims--;
  }
  group.chunk = std::max<int64_t>(1, target / inner);
}

static bool haveSameShape(const ShapeSymbols &symbols, OpResult a, OpResult b) {
  return symbols.getShape(a) == symbols.getShape(b);
}

static void planGroups(fusion::SegmentOp segment, const ShapeSymbols &symbols,
                       CpuPlan &plan) {
  for (OpResult result : segment.getResults()) {
    auto found = llvm::find_if(plan.groups, [&](const CpuGroup &group) {
      return haveSameShape(symbols, segment->getResult(group.results.front()),
                           result);
    });
    if (found == plan.groups.end()) {
      plan.groups.emplace_back();
      found = std::prev(plan.groups.end());
    }
    found->results.push_back(result.getResultNumber());
  }
  for (CpuGroup &group : plan.groups)
    tileGroup(segment, plan, group);
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

CpuPlan fuser::planCpuKernel(fusion::SegmentOp segment,
                             const ShapeSymbols &symbols) {
  CpuPlan plan;
  plan.vector =
      cast<fusion::CPUScheduleAttr>(*segment.getSchedule()).getVector();
  plan.reduction = ReductionPlanner(segment, symbols, plan).plan();
  if (!plan.reduction)
    planGroups(segment, symbols, plan);
  return plan;
}

int64_t fuser::countKeptElements(const CpuPlan &plan) {
  auto type = cast<RankedTensorType>(plan.reduction->space.getType());
  bool columns = plan.reduction->hasColumns();
  int64_t lanes = plan.getLanes(type.getShape().back());
  int64_t elements = columns ? lanes : 1;
  for (int64_t dim : plan.reduction->reducedDims) {
    int64_t size = type.getDimSize(dim);
    if (ShapedType::isDynamic(size))
      return ShapedType::kDynamic;
    bool isLast = dim == type.getRank() - 1;
    elements *= isLast ? llvm::alignTo(size, lanes) : size;
  }
  return elements;
}
