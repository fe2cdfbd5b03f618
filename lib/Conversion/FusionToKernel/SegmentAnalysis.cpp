//===- SegmentAnalysis.cpp - Segments as problems for heuristics -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Analysis/Accesses.h"
#include "fuser/Conversion/ElementEmitter.h"

using namespace fuser;
using fusion::FactoryOpInterface;
using fusion::IndexMapOpInterface;
using fusion::ReductionOpInterface;
using fusion::SegmentOp;

/// More neighbours than any schedule asks for.
static constexpr int64_t kMaxWidth = 64;

static int64_t getElementBytes(Value tensor) {
  Type storage = getStorageType(getElementTypeOrSelf(tensor.getType()));
  return llvm::divideCeil(storage.getIntOrFloatBitWidth(), 8);
}

static schedule::RowProblem misfit(std::string why) {
  schedule::RowProblem problem;
  problem.fits = false;
  problem.misfit = std::move(why);
  return problem;
}

static int64_t toSize(SymbolicSize size) {
  return size < 0 ? schedule::kUnknown : size;
}

static int64_t getProduct(ArrayRef<SymbolicSize> shape) {
  int64_t product = 1;
  for (SymbolicSize size : shape) {
    if (size < 0)
      return schedule::kUnknown;
    product *= size;
  }
  return product;
}

bool fuser::isLarge(Value tensor, ArrayRef<SymbolicSize> space,
                    const ShapeSymbols &symbols) {
  auto normalize = [](ArrayRef<SymbolicSize> shape) {
    SmallVector<SymbolicSize> sizes(llvm::make_filter_range(
        shape, [](SymbolicSize size) { return size != 1; }));
    llvm::sort(sizes);
    return sizes;
  };
  SymbolicShape shape = symbols.getShape(tensor);
  if (normalize(shape) == normalize(space))
    return true;
  int64_t elements = getProduct(shape), all = getProduct(space);
  return elements != schedule::kUnknown && all != schedule::kUnknown &&
         2 * elements >= all;
}

SmallVector<int64_t> fuser::getStrideOrder(MemRefType type) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (type.getLayout().isIdentity() ||
      failed(type.getStridesAndOffset(strides, offset)))
    return order;
  if (llvm::is_contained(strides, ShapedType::kDynamic))
    return order;
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::make_pair(-strides[a], a) < std::make_pair(-strides[b], b);
  });
  return order;
}

/// Calls `visit` with every tensor that the segment reads or writes in memory:
/// values inside.
static void forEachBound(SegmentOp segment,
                         function_ref<void(Value inner, Value outer)> visit) {
  for (auto [inner, outer] :
       llvm::zip(segment.getBody().getArguments(), segment.getInputs()))
    if (fusion::isTensor(inner))
      visit(inner, outer);
  for (OpResult result : segment->getResults())
    visit(segment.getYielded(result.getResultNumber()), result);
}

/// The most neighbours that no layout op tears apart, of those that have any.
static int64_t
getContiguousWidth(SegmentOp segment,
                   function_ref<bool(Value)> hasNeighbours = nullptr) {
  int64_t width = kMaxWidth;
  for (Operation &op : segment.getBody().front())
    if (auto map = dyn_cast<IndexMapOpInterface>(op))
      if (!hasNeighbours || hasNeighbours(op.getResult(0)))
        width = std::min(width, map.getContiguousWidth(width));
  return width;
}

/// Sets the bytes of the narrowest and the widest of the large tensors.
template <typename Problem>
static void setElementBytes(Problem &problem, SegmentOp segment,
                            ArrayRef<SymbolicSize> space,
                            const ShapeSymbols &symbols) {
  int64_t narrowest = 0, widest = 0;
  forEachBound(segment, [&](Value inner, Value) {
    if (!isLarge(inner, space, symbols))
      return;
    int64_t bytes = getElementBytes(inner);
    narrowest = narrowest ? std::min(narrowest, bytes) : bytes;
    widest = std::max(widest, bytes);
  });
  problem.narrowestBytes = narrowest ? narrowest : 4;
  problem.widestBytes = widest ? widest : 4;
}

//===----------------------------------------------------------------------===//
// Pointwise
//===----------------------------------------------------------------------===//

bool fuser::isFlat(SegmentOp segment) {
  for (Operation &op : segment.getBody().front()) {
    if (isa<IndexMapOpInterface, ReductionOpInterface>(op))
      return false;
    if (auto factory = dyn_cast<FactoryOpInterface>(op);
        factory && !factory.isUniform())
      return false;
  }
  MemRefType first;
  bool flat = true;
  forEachBound(segment, [&](Value, Value outer) {
    MemRefType type = getTensorBuffer(outer).type;
    if (!first)
      first = type;
    flat &= type.getLayout().isIdentity() == first.getLayout().isIdentity();
    if (type.getLayout().isIdentity())
      return;
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    flat &= type.getLayout() == first.getLayout() &&
            succeeded(type.getStridesAndOffset(strides, offset)) &&
            !llvm::is_contained(strides, ShapedType::kDynamic);
  });
  return flat;
}

schedule::PointwiseProblem
fuser::analyzePointwise(SegmentOp segment, const ShapeSymbols &symbols) {
  schedule::PointwiseProblem problem;
  Block &body = segment.getBody().front();
  problem.hasReduction = !body.getOps<ReductionOpInterface>().empty();
  SymbolicShape space = symbols.getShape(segment.getYielded(0));
  llvm::transform(space, std::back_inserter(problem.shape), toSize);
  for (unsigned i = 1; i < segment->getNumResults(); ++i)
    problem.hasOneShape &= symbols.getShape(segment.getYielded(i)) == space;
  problem.isFlat = isFlat(segment);
  problem.contiguousWidth = getContiguousWidth(segment);
  SmallVector<int64_t> order =
      getStrideOrder(getTensorBuffer(segment->getResult(0)).type);
  if (!order.empty() && order.back() != int64_t(order.size()) - 1)
    problem.contiguousWidth = 1;
  setElementBytes(problem, segment, space, symbols);
  // Where nothing is flat, broadcast inputs are read as often as large ones.
  problem.numReads =
      llvm::count_if(segment.getBody().getArguments(), [&](Value inner) {
        return fusion::isTensor(inner) &&
               (!problem.isFlat || isLarge(inner, space, symbols));
      });
  for (auto op : body.getOps<fusion::ElementwiseOpInterface>())
    problem.operations += op.getElementCost();
  return problem;
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

/// The dimension along which neighbours lie in memory; -1: there are none.
/// Strides that only the caller knows are taken for row-major ones.
static int64_t getFastestDim(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0, fastest = -1;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return -1;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.getDimSize(d) != 1 &&
        (fastest < 0 || strides[fastest] != 1 || strides[d] == 1))
      fastest = d;
  return fastest;
}

/// All reads of operands at plain indices, by way of ops with one tensor
/// operand: that one gives all elements of the result, so that it can be read
/// wherever the map says. Of several (a `cat`) each gives some, and is not to
/// be read elsewhere (MappedIndex::valid).
static SmallVector<PlainRead> getPlainReads(SegmentOp segment) {
  SmallVector<PlainRead> reads;
  SmallVector<Access> starts;
  for (unsigned i = 0; i < segment->getNumResults(); ++i)
    starts.push_back(
        {segment.getYielded(i), getIdentityMap(segment.getYielded(i))});
  walkAccesses(starts, [&](Value tensor, AffineMap map) {
    if (!map || !map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return false;
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      reads.push_back({argument.getArgNumber(), map});
    Operation *op = tensor.getDefiningOp();
    return !isa_and_nonnull<IndexMapOpInterface>(op) ||
           fusion::getTensorOperands(op).size() == 1;
  });
  return reads;
}

static schedule::TransposeProblem::Access getAccess(SegmentOp segment,
                                                    const PlainRead &read) {
  Value input = segment.getInputs()[read.operand];
  schedule::TransposeProblem::Access access;
  access.number = read.operand;
  access.bytes = getElementBytes(input);
  for (AffineExpr expr : read.map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      access.dims.push_back(dim.getPosition());
  int64_t fastest = getFastestDim(getTensorBuffer(input).type);
  if (fastest < 0)
    return access;
  if (auto dim = dyn_cast<AffineDimExpr>(read.map.getResult(fastest)))
    access.dim = dim.getPosition();
  return access;
}

schedule::TransposeProblem
fuser::analyzeTranspose(SegmentOp segment, const ShapeSymbols &symbols,
                        SmallVectorImpl<PlainRead> &reads) {
  schedule::TransposeProblem problem;
  problem.pointwise = analyzePointwise(segment, symbols);
  if (!problem.pointwise.hasOneShape)
    return problem;
  llvm::append_range(reads, getPlainReads(segment));
  for (const PlainRead &read : reads)
    problem.accesses.push_back(getAccess(segment, read));
  for (OpResult result : segment->getResults()) {
    MemRefType type = getTensorBuffer(result).type;
    auto all = llvm::seq<int64_t>(0, type.getRank());
    problem.accesses.push_back({/*isResult=*/true,
                                result.getResultNumber(),
                                getFastestDim(type),
                                {all.begin(), all.end()},
                                getElementBytes(result)});
  }
  return problem;
}

//===----------------------------------------------------------------------===//
// Generic
//===----------------------------------------------------------------------===//

/// How many reductions come before each value.
static DenseMap<Value, unsigned> getLevels(SegmentOp segment) {
  DenseMap<Value, unsigned> levels;
  for (Operation &op : segment.getBody().front()) {
    unsigned level = isa<ReductionOpInterface>(op);
    for (Value operand : op.getOperands())
      level = std::max(level,
                       levels.lookup(operand) + isa<ReductionOpInterface>(op));
    for (Value result : op.getResults())
      levels[result] = level;
  }
  return levels;
}

/// Registers of 32 bits that an element takes.
static int64_t getRegisters(Value tensor) {
  return getElementTypeOrSelf(tensor.getType()).getIntOrFloatBitWidth() > 32
             ? 2
             : 1;
}

/// Notes the reduction that takes the most elements for a result.
static void setReduction(schedule::GenericProblem &problem, SegmentOp segment) {
  for (auto op : segment.getBody().front().getOps<ReductionOpInterface>()) {
    auto type = cast<RankedTensorType>(
        fusion::getTensorOperands(op).front()->get().getType());
    SmallVector<int64_t> dims = op.getReductionDims();
    int64_t elements = 1;
    for (int64_t dim : dims) {
      bool known = elements != schedule::kUnknown && !type.isDynamicDim(dim);
      elements = known ? elements * type.getDimSize(dim) : schedule::kUnknown;
    }
    bool isLargest = !problem.hasReduction || elements == schedule::kUnknown ||
                     (problem.reducedElements != schedule::kUnknown &&
                      elements > problem.reducedElements);
    problem.hasReduction = true;
    problem.accumulatorRegisters =
        std::max(problem.accumulatorRegisters,
                 getRegisters(fusion::getTensorOperands(op).front()->get()));
    if (!isLargest)
      continue;
    problem.reducedElements = elements;
    problem.reducesNeighbours = llvm::is_contained(dims, type.getRank() - 1);
  }
}

/// Notes how the reductions of the segment are related.
static void relateReductions(schedule::GenericProblem &problem,
                             SegmentOp segment) {
  Value first;
  SmallVector<int64_t> dims;
  for (auto op : segment.getBody().front().getOps<ReductionOpInterface>()) {
    Value operand = fusion::getTensorOperands(op).front()->get();
    if (!first) {
      first = operand;
      dims = op.getReductionDims();
    }
    auto type = cast<RankedTensorType>(operand.getType());
    bool hasSameShape =
        operand == first ||
        (type.hasStaticShape() &&
         type.getShape() == cast<RankedTensorType>(first.getType()).getShape());
    problem.hasOneSpace &= hasSameShape && dims == op.getReductionDims();
  }
  for (auto [value, level] : getLevels(segment))
    problem.hasDependentReductions |= level > 1;
}

schedule::GenericProblem fuser::analyzeGeneric(SegmentOp segment) {
  schedule::GenericProblem problem;
  setReduction(problem, segment);
  relateReductions(problem, segment);
  problem.elements = 0;
  for (Type type : segment->getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (!tensor.hasStaticShape()) {
      problem.elements = schedule::kUnknown;
      return problem;
    }
    problem.elements = std::max(problem.elements, tensor.getNumElements());
  }
  return problem;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

unsigned fuser::getNumRowDims(SegmentOp segment) {
  auto reductions = segment.getBody().front().getOps<ReductionOpInterface>();
  ReductionOpInterface first = *reductions.begin();
  auto type = cast<RankedTensorType>(
      fusion::getTensorOperands(first).front()->get().getType());
  return type.getRank() - first.getReductionDims().size();
}

static bool reducesTrailingDims(ReductionOpInterface op, int64_t rank) {
  SmallVector<int64_t> dims = op.getReductionDims();
  return !dims.empty() && dims.back() == rank - 1 &&
         dims.back() - dims.front() + 1 == int64_t(dims.size());
}

/// Whether `tensor`, computed for a row by a kernel that knows the results of
/// reductions for that row only, needs those of another one.
static bool needsOtherRows(Value tensor, unsigned numRowDims) {
  bool needsOthers = false;
  Access start(tensor, getIdentityMap(tensor));
  walkAccesses(start, [&](Value value, AffineMap at) {
    if (!isa_and_nonnull<ReductionOpInterface>(value.getDefiningOp()))
      return true;
    auto type = cast<RankedTensorType>(value.getType());
    for (unsigned d = 0; d < numRowDims; ++d)
      needsOthers |=
          type.getDimSize(d) != 1 &&
          (!at || at.getResult(d) != getAffineDimExpr(d, value.getContext()));
    return false;
  });
  return needsOthers;
}

/// All reductions reduce the same rows; null, or why not.
static std::string collectReductions(SegmentOp segment,
                                     const ShapeSymbols &symbols,
                                     RowShape &rows) {
  SymbolicShape space;
  for (auto op : segment.getBody().front().getOps<ReductionOpInterface>()) {
    Value operand = fusion::getTensorOperands(op).front()->get();
    SymbolicShape shape = symbols.getShape(operand);
    unsigned numRowDims = shape.size() - op.getReductionDims().size();
    if (!reducesTrailingDims(op, shape.size()))
      return "a reduction is over other dimensions than the last ones";
    if (!rows.space) {
      rows.space = operand;
      rows.numRowDims = numRowDims;
      space = shape;
    } else if (shape != space || numRowDims != rows.numRowDims) {
      return "its reductions are over different rows";
    }
    rows.reductions.push_back(op);
  }
  return rows.space ? "" : "it holds no reduction";
}

/// Whether `shape` has one element a row.
static bool isPerRowShape(ArrayRef<SymbolicSize> shape,
                          ArrayRef<SymbolicSize> space, unsigned numRowDims) {
  if (shape.size() != numRowDims && shape.size() != space.size())
    return false;
  return shape.take_front(numRowDims) == space.take_front(numRowDims) &&
         llvm::all_of(shape.drop_front(numRowDims),
                      [](SymbolicSize size) { return size == 1; });
}

/// The tensors of the shape `space` that are made of inputs of that shape or of
/// reductions. All else (a weight a column) is read where it is used.
static DenseSet<Value> getOfRow(SegmentOp segment, ArrayRef<SymbolicSize> space,
                                const ShapeSymbols &symbols,
                                const DenseMap<Value, unsigned> &levels) {
  DenseSet<Value> ofRow;
  auto add = [&](Value value, bool isMadeOfRow) {
    if (fusion::isTensor(value) && isMadeOfRow &&
        ArrayRef<SymbolicSize>(symbols.getShape(value)) == space)
      ofRow.insert(value);
  };
  for (Value argument : segment.getBody().getArguments())
    add(argument, true);
  for (Operation &op : segment.getBody().front())
    for (Value result : op.getResults())
      add(result, levels.lookup(result) > 0 ||
                      llvm::any_of(op.getOperands(), [&](Value operand) {
                        return ofRow.contains(operand);
                      }));
  return ofRow;
}

/// The most registers that elements of large tensors need across a reduction:
/// those made before it and used after it, where ops run as late as they can.
static int64_t countLiveRegisters(SegmentOp segment,
                                  ArrayRef<SymbolicSize> space,
                                  const ShapeSymbols &symbols) {
  DenseMap<Value, unsigned> levels = getLevels(segment);
  unsigned numLevels = 0;
  for (auto [value, level] : levels)
    numLevels = std::max(numLevels, level);
  DenseMap<Value, std::pair<unsigned, unsigned>> uses;
  for (Operation &op : llvm::reverse(segment.getBody().front())) {
    unsigned at = numLevels;
    if (isa<ReductionOpInterface>(op))
      at = levels.lookup(op.getResult(0)) - 1;
    else if (op.getNumResults() != 0 && uses.contains(op.getResult(0)))
      at = uses[op.getResult(0)].first;
    for (Value operand : op.getOperands()) {
      auto [it, isNew] = uses.try_emplace(operand, at, at);
      it->second = {std::min(it->second.first, at),
                    std::max(it->second.second, at)};
    }
  }
  SmallVector<int64_t> live(numLevels + 1, 0);
  for (Value value : getOfRow(segment, space, symbols, levels)) {
    auto [first, last] = uses.lookup(value);
    for (unsigned barrier = first + 1; barrier <= last; ++barrier)
      live[barrier] += getRegisters(value);
  }
  return std::max<int64_t>(1, *llvm::max_element(live));
}

/// The registers for an element of each tensor of the shape `space` that is
/// read: all at once, so that many reads are under way.
static int64_t countReadRegisters(SegmentOp segment,
                                  ArrayRef<SymbolicSize> space,
                                  const ShapeSymbols &symbols) {
  int64_t bytes = 0;
  for (Value argument : segment.getBody().getArguments())
    if (fusion::isTensor(argument) &&
        ArrayRef<SymbolicSize>(symbols.getShape(argument)) == space)
      bytes += getElementBytes(argument);
  return llvm::divideCeil(bytes, 4);
}

/// Results are by row, or by row and column; and nobody looks at the reductions
/// of other rows. Empty, or why not.
static std::string checkResults(SegmentOp segment, ArrayRef<SymbolicSize> space,
                                const ShapeSymbols &symbols, RowShape &rows) {
  for (ReductionOpInterface op : rows.reductions)
    if (needsOtherRows(fusion::getTensorOperands(op).front()->get(),
                       rows.numRowDims))
      return "a reduction needs the result of another one in other rows";
  for (unsigned i = 0; i < segment->getNumResults(); ++i) {
    Value yielded = segment.getYielded(i);
    SymbolicShape shape = symbols.getShape(yielded);
    bool isFull = ArrayRef<SymbolicSize>(shape) == space;
    if (!isFull && !isPerRowShape(shape, space, rows.numRowDims))
      return "a result has neither an element for each element of a row nor "
             "one for each row";
    rows.isPerRow.push_back(!isFull);
    if (needsOtherRows(yielded, rows.numRowDims))
      return "a result needs the result of a reduction in other rows";
  }
  return "";
}

schedule::RowProblem fuser::analyzeRows(SegmentOp segment,
                                        const ShapeSymbols &symbols,
                                        RowShape &rows) {
  if (std::string why = collectReductions(segment, symbols, rows); !why.empty())
    return misfit(why);
  SymbolicShape space = symbols.getShape(rows.space);
  if (std::string why = checkResults(segment, space, symbols, rows);
      !why.empty())
    return misfit(why);
  schedule::RowProblem problem;
  problem.columns = getProduct(ArrayRef(space).drop_front(rows.numRowDims));
  problem.lastDim = toSize(space.back());
  for (SymbolicSize size : ArrayRef(space).drop_front(rows.numRowDims))
    rows.columnDims.push_back(toSize(size));
  // One element a row is looked at alone.
  problem.contiguousWidth = getContiguousWidth(segment, [&](Value tensor) {
    return !isPerRowShape(symbols.getShape(tensor), space, rows.numRowDims);
  });
  setElementBytes(problem, segment, space, symbols);
  problem.liveRegisters = std::max(countLiveRegisters(segment, space, symbols),
                                   countReadRegisters(segment, space, symbols));
  return problem;
}

SmallVector<SmallVector<unsigned>>
fuser::groupResults(fusion::SegmentOp segment, const ShapeSymbols &symbols) {
  SmallVector<SmallVector<unsigned>> groups;
  for (OpResult result : segment.getResults()) {
    auto *found = llvm::find_if(groups, [&](ArrayRef<unsigned> group) {
      return symbols.getShape(segment->getResult(group.front())) ==
             symbols.getShape(result);
    });
    if (found == groups.end())
      found = &groups.emplace_back();
    found->push_back(result.getResultNumber());
  }
  return groups;
}
