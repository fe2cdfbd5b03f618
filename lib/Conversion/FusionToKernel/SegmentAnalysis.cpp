//===- SegmentAnalysis.cpp - Segments as problems for heuristics -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Analysis/Accesses.h"
#include "fuser/Analysis/OpSummary.h"
#include "fuser/Conversion/ElementEmitter.h"
#include "fuser/Conversion/SegmentKernel.h"
#include "fuser/Schedule/GroupFit.h"

using namespace fuser;
using fusion::ElementwiseOpInterface;
using fusion::FactoryOpInterface;
using fusion::IndexMapOpInterface;
using fusion::SegmentOp;

/// More neighbours than any schedule asks for.
static constexpr int64_t kMaxWidth = 64;

schedule::Segment fuser::describeSegment(SegmentOp segment,
                                         const ShapeSymbols &symbols) {
  return {segment, symbols, fusion::summarizeSegment(segment, symbols)};
}

int64_t fuser::countOperations(SegmentOp segment) {
  int64_t operations = 1;
  for (auto op : segment.getBody().getOps<ElementwiseOpInterface>())
    operations += op.getElementCost();
  return operations;
}

/// The dimensions of a buffer from slowest to fastest. Strides that only the
/// caller knows are taken for row-major ones.
static SmallVector<int64_t> getStrideOrder(const TensorBuffer &buffer) {
  if (buffer.order)
    return *buffer.order;
  return llvm::to_vector(llvm::seq(buffer.type.getRank()));
}

/// Another shape of memory has all neighbours that this has.
static bool isView(Operation &op) {
  auto reshape = dyn_cast<fusion::ReshapeOp>(op);
  return reshape && isViewOfOperand(reshape);
}

/// Whether rows have one element each, which is looked at alone.
static bool hasSingles(Value tensor) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  return !shape.empty() && shape.back() == 1;
}

/// The most neighbours that no layout op tears apart, of those that have any.
static int64_t
getContiguousWidth(const schedule::Segment &segment,
                   function_ref<bool(Value)> hasNeighbours = nullptr) {
  int64_t width = kMaxWidth;
  SegmentOp body = segment.op;
  // Where results are of that kind, neighbours lie along other dimensions.
  bool areSingle = llvm::any_of(body.getResults(), hasSingles);
  for (Operation &op : body.getBody().front()) {
    auto map = dyn_cast<IndexMapOpInterface>(op);
    if (!map || isView(op) || (!areSingle && hasSingles(op.getResult(0))) ||
        (hasNeighbours && !hasNeighbours(op.getResult(0))))
      continue;
    width = segment.symbols.withDivisors([&](const auto &divisors) {
      return map.getContiguousWidth(width, divisors);
    });
  }
  return width;
}

//===----------------------------------------------------------------------===//
// Pointwise
//===----------------------------------------------------------------------===//

/// The dimensions of more than one element of the buffer of `tensor`, from
/// slowest to fastest; nothing if only the caller knows how they lie.
static std::optional<SmallVector<int64_t>> getDenseOrder(Value tensor) {
  TensorBuffer buffer = getTensorBuffer(tensor);
  if (!buffer.order)
    return std::nullopt;
  return llvm::filter_to_vector(*buffer.order, [&](int64_t dim) {
    return buffer.type.getDimSize(dim) != 1;
  });
}

/// Whether what `tensors` are made of lies in memory in this order.
static bool isFlat(SegmentOp segment, ArrayRef<Value> tensors,
                   ArrayRef<int64_t> order) {
  bool isFlat = true;
  SmallVector<Access> starts;
  for (Value tensor : tensors)
    starts.push_back({tensor, AffineMap()});
  walkAccesses(starts, [&](Value tensor, AffineMap) {
    Operation *op = tensor.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      isFlat &=
          getDenseOrder(segment.getInputs()[argument.getArgNumber()]) == order;
    else if (auto factory = dyn_cast<FactoryOpInterface>(op))
      isFlat &= factory.isUniform();
    else
      isFlat &= isa<ElementwiseOpInterface>(op);
    return isFlat;
  });
  return isFlat;
}

bool fuser::isFlat(SegmentOp segment, ArrayRef<unsigned> results) {
  auto first = getDenseOrder(segment->getResult(results.front()));
  SmallVector<Value> tensors;
  for (unsigned result : results) {
    if (!first || getDenseOrder(segment->getResult(result)) != first)
      return false;
    tensors.push_back(segment.getYielded(result));
  }
  return ::isFlat(segment, tensors, *first);
}

bool fuser::isRowMajor(SegmentOp segment, ArrayRef<Value> tensors) {
  auto type = cast<RankedTensorType>(tensors.front().getType());
  auto order =
      llvm::filter_to_vector(llvm::seq(type.getRank()), [&](int64_t dim) {
        return type.getDimSize(dim) != 1;
      });
  return ::isFlat(segment, tensors, order);
}

schedule::PointwiseProblem
fuser::analyzePointwise(const schedule::Segment &segment) {
  SegmentOp op = segment.op;
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, op->getNumResults()));
  schedule::PointwiseProblem problem =
      schedule::getPointwiseProblem(segment.group, isFlat(op, all));
  problem.contiguousWidth = getContiguousWidth(segment);
  problem.order = getStrideOrder(getTensorBuffer(op->getResult(0)));
  ArrayRef<int64_t> order = problem.order;
  if (!order.empty() && order.back() != int64_t(order.size()) - 1)
    problem.contiguousWidth = 1;
  problem.operations = countOperations(op);
  return problem;
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

/// The dimension along which neighbours lie in memory; -1: there are none.
/// Strides that only the caller knows are taken for row-major ones.
static int64_t getFastestDim(MemRefType type) {
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  int64_t fastest = -1;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.getDimSize(d) != 1 &&
        (fastest < 0 || strides[fastest] != 1 || strides[d] == 1))
      fastest = d;
  return fastest;
}

/// By way of ops with one source, which gives all elements of the result, so
/// that it can be read wherever the map says. Others (of a `cat`, a `pad`) give
/// some, and are not to be read elsewhere (MappedIndex::valid).
SmallVector<PlainRead> fuser::getPlainReads(ArrayRef<Access> starts) {
  SmallVector<PlainRead> reads;
  walkAccesses(starts, [&](Value tensor, AffineMap map) {
    if (!map || !map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return false;
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      reads.push_back({argument.getArgNumber(), map});
    Operation *op = tensor.getDefiningOp();
    return !isa_and_nonnull<IndexMapOpInterface>(op) ||
           fusion::getOnlySource(op);
  });
  return reads;
}

static schedule::TransposeProblem::Access getAccess(SegmentOp segment,
                                                    const PlainRead &read) {
  Value input = segment.getInputs()[read.operand];
  schedule::TransposeProblem::Access access;
  access.number = read.operand;
  access.bytes = getStorageBytes(getElementTypeOrSelf(input.getType()));
  TensorBuffer buffer = getTensorBuffer(input);
  for (int64_t position : getStrideOrder(buffer))
    if (auto dim = dyn_cast<AffineDimExpr>(read.map.getResult(position)))
      access.dims.push_back(dim.getPosition());
  int64_t fastest = getFastestDim(buffer.type);
  if (fastest < 0)
    return access;
  if (auto dim = dyn_cast<AffineDimExpr>(read.map.getResult(fastest)))
    access.dim = dim.getPosition();
  return access;
}

/// Sets which of the reads are the same for all rows.
static void countColumnBytes(schedule::TransposeProblem &problem) {
  schedule::PointwiseProblem &pointwise = problem.pointwise;
  ArrayRef<int64_t> order = pointwise.order;
  pointwise.numRowDims = order.size();
  for (const schedule::TransposeProblem::Access &access : problem.accesses) {
    int64_t rowDims = 0, rank = order.size();
    while (rowDims < rank && !llvm::is_contained(access.dims, order[rowDims]))
      ++rowDims;
    if (access.isResult || rowDims == rank)
      continue;
    bool isOfColumns = rowDims > 0 && access.dim == order.back();
    if (isOfColumns)
      pointwise.numRowDims = std::min(pointwise.numRowDims, rowDims);
    (isOfColumns ? pointwise.columnBytes : pointwise.otherBytes) +=
        access.bytes;
  }
}

schedule::TransposeProblem
fuser::analyzeTranspose(const schedule::Segment &segment,
                        SmallVectorImpl<PlainRead> &reads) {
  schedule::TransposeProblem problem;
  problem.pointwise = analyzePointwise(segment);
  SmallVector<Access> starts;
  SegmentOp op = segment.op;
  llvm::append_range(problem.divisors,
                     segment.symbols.getDivisors(op->getResult(0)));
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    starts.push_back({op.getYielded(i), getIdentityMap(op.getYielded(i))});
  llvm::append_range(reads, getPlainReads(starts));
  for (const PlainRead &read : reads)
    problem.accesses.push_back(getAccess(segment.op, read));
  for (OpResult result : segment.op->getResults()) {
    TensorBuffer buffer = getTensorBuffer(result);
    SmallVector<int64_t> order = getStrideOrder(buffer);
    problem.accesses.push_back(
        {/*isResult=*/true,
         result.getResultNumber(),
         getFastestDim(buffer.type),
         {order.begin(), order.end()},
         getStorageBytes(getElementTypeOrSelf(result.getType()))});
  }
  countColumnBytes(problem);
  return problem;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// One element a row is looked at alone, unless rows have one each.
static int64_t getRowWidth(const schedule::Segment &segment,
                           const fusion::RowStructure &rows) {
  if (schedule::isPerReduction(rows.shape, rows))
    return getContiguousWidth(segment);
  return getContiguousWidth(segment, [&](Value tensor) {
    fusion::GroupShape shape = segment.symbols.getShape(tensor);
    // As many elements as rows may be as many as columns.
    return !schedule::isPerReduction(shape, rows) ||
           (!shape.empty() && shape.back() == rows.shape.back());
  });
}

/// Whether asynchronous copies can read an input: neighbours are neighbours in
/// memory.
static bool mayBeCopied(Value input) {
  MemRefType type = getTensorBuffer(input).type;
  return getNeighbourDim(type) == type.getRank() - 1;
}

/// Bytes of an element of what of rows can be copied: the plain reads (see
/// ReadAhead) of what is reduced and of results as large, each once.
static int64_t countCopiedBytes(const schedule::Segment &segment,
                                const fusion::RowStructure &rows,
                                ArrayRef<const ReductionSpace *> spaces) {
  SegmentOp op = segment.op;
  SmallVector<Access> starts;
  auto add = [&](Value tensor) {
    starts.push_back({tensor, getIdentityMap(tensor)});
  };
  for (const ReductionSpace *space : spaces) {
    for (fusion::ReductionOpInterface reduction : space->reductions)
      add(fusion::getTensorOperands(reduction).front()->get());
    for (unsigned result : space->fullResults)
      add(op.getYielded(result));
  }
  int64_t bytes = 0, rank = rows.shape.size();
  DenseSet<std::pair<unsigned, AffineMap>> seen;
  for (const PlainRead &read : getPlainReads(starts)) {
    auto isMadeOf = [&](int64_t dim) { return read.map.isFunctionOfDim(dim); };
    auto isReduced = [&](int64_t dim) {
      return llvm::is_contained(rows.reducedDims, dim);
    };
    auto isOf = [&](bool reduced) {
      return llvm::any_of(llvm::seq(rank), [&](int64_t dim) {
        return isReduced(dim) == reduced && isMadeOf(dim);
      });
    };
    bool isOfRows = int64_t(read.map.getNumDims()) == rank &&
                    (rows.getNumRowDims() == 0 || isOf(/*reduced=*/false)) &&
                    isOf(/*reduced=*/true);
    if (isOfRows && mayBeCopied(op.getInputs()[read.operand]) &&
        seen.insert({read.operand, read.map}).second)
      bytes += getStorageBytes(
          getElementTypeOrSelf(op.getInputs()[read.operand].getType()));
  }
  return bytes;
}

Decision fuser::analyzeRows(const schedule::Segment &segment,
                            ReductionSpace &rows,
                            schedule::RowProblem &problem) {
  if (Decision decision = findReductionSpace(segment.op, segment.symbols, rows);
      !decision)
    return decision;
  if (!segment.group.rows->reducesNeighbours())
    return Decision::no("the last dimension stays");
  problem = schedule::getRowProblem(segment.group);
  problem.contiguousWidth = getRowWidth(segment, *segment.group.rows);
  problem.copiedBytes = countCopiedBytes(segment, *segment.group.rows, {&rows});
  return Decision::yes();
}

Decision fuser::analyzeOuter(const schedule::Segment &segment,
                             ReductionSpace &space,
                             schedule::OuterProblem &problem) {
  SegmentOp op = segment.op;
  if (Decision decision = findReductionSpace(op, segment.symbols, space);
      !decision)
    return decision;
  if (segment.group.rows->reducesNeighbours())
    return Decision::no("the last dimension is reduced");
  if (segment.group.hasDependentReductions)
    return Decision::no("a reduction is made of another one");
  for (unsigned result : space.fullResults)
    if (space.depths.lookup(op.getYielded(result)) != 0)
      return Decision::no("a result with an element for each of what is "
                          "reduced needs a reduction");
  problem = schedule::getOuterProblem(segment.group);
  problem.contiguousWidth =
      std::min(problem.contiguousWidth, getContiguousWidth(segment));
  return Decision::yes();
}

Decision fuser::analyzeInnerOuter(const schedule::Segment &segment,
                                  ReductionSpace &rows, ReductionSpace &columns,
                                  schedule::InnerOuterProblem &problem) {
  SegmentOp op = segment.op;
  if (Decision decision =
          findRowsAndColumns(op, segment.symbols, rows, columns);
      !decision)
    return decision;
  problem = schedule::getInnerOuterProblem(segment.group);
  problem.row.contiguousWidth = getRowWidth(segment, *segment.group.inner.rows);
  problem.row.copiedBytes =
      countCopiedBytes(segment, *segment.group.inner.rows, {&rows, &columns});
  return Decision::yes();
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

Decision fuser::isMadeOfSameElement(const schedule::Segment &segment,
                                    function_ref<bool(Operation *)> isFibre) {
  llvm::SmallPtrSet<Value, 8> made;
  SegmentOp op = segment.op;
  for (Operation &inner : op.getBody().front().without_terminator()) {
    bool isMade = isFibre(&inner);
    if (!isMade)
      for (auto [number, operand] :
           llvm::enumerate(fusion::getTensorOperands(&inner))) {
        if (!made.contains(operand->get()))
          continue;
        if (!readsSameElement(&inner, unsigned(number), segment.symbols))
          return Decision::no("what is made of a scan or a sort is used "
                              "elsewhere");
        isMade = true;
      }
    if (isMade)
      made.insert(inner.getResults().begin(), inner.getResults().end());
  }
  return Decision::yes();
}

Decision fuser::analyzeScans(const schedule::Segment &segment, ScanSpace &space,
                             schedule::ScanProblem &problem) {
  SegmentOp op = segment.op;
  if (Decision decision = schedule::fitsScan(segment.group); !decision)
    return decision;
  Decision isOwn = isMadeOfSameElement(
      segment, [](Operation *op) { return isa<fusion::ScanOpInterface>(op); });
  if (!isOwn)
    return isOwn;
  llvm::append_range(space.scans,
                     op.getBody().getOps<fusion::ScanOpInterface>());
  space.tensor = fusion::getTensorOperands(space.scans.front()).front()->get();
  problem = schedule::getScanProblem(segment.group);
  problem.contiguousWidth =
      std::min(problem.contiguousWidth, getContiguousWidth(segment));
  return Decision::yes();
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
