//===- OpSummary.cpp - The summary of a group of one op -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/OpSummary.h"
#include "fuser/Analysis/Accesses.h"
#include "fuser/Support/ElementTypes.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

bool fuser::fusion::isForwarded(Operation *op) {
  return op && op->hasAttr(FusionDialect::getForwardAttrName());
}

/// A thread's accumulators of a reduction, and the registers of 32 bits that
/// they take.
static std::pair<unsigned, unsigned>
countAccumulators(ReductionOpInterface op) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  SmallVector<Type> types = op.getAccumulatorTypes(getComputeType(element));
  unsigned registers = 0;
  for (Type type : types)
    registers += llvm::divideCeil(type.getIntOrFloatBitWidth(), 32);
  return {types.size(), registers};
}

static Family getFamily(Operation *op) {
  if (isa<ElementwiseOpInterface>(op))
    return Family::Elementwise;
  if (isa<IndexMapOpInterface>(op))
    return Family::IndexMap;
  if (isa<FactoryOpInterface>(op))
    return Family::Factory;
  if (isa<ReductionOpInterface>(op))
    return Family::Reduction;
  if (isa<ContractionOpInterface>(op))
    return Family::Contraction;
  if (isa<CollectiveOpInterface>(op))
    return Family::Communication;
  if (isa<ScanOpInterface>(op))
    return Family::Scan;
  if (isa<OrderOpInterface>(op))
    return Family::Order;
  if (isa<ScatterOpInterface>(op))
    return Family::Scatter;
  if (isa<FibreOpInterface>(op))
    return Family::Fibre;
  return Family::Opaque;
}

/// A pointer, the sizes that are not known, and all strides: whether they are
/// known depends on the variant, and all variants have the same segments.
static unsigned countParams(RankedTensorType type) {
  return 1 + type.getNumDynamicDims() + type.getRank();
}

/// Of 32 bits, for an element.
static unsigned countRegisters(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.getElementTypeBitWidth() > 32 ? 2 : 1;
}

/// Operations for a random number: ten rounds of two products, and what is
/// between them, make four.
static constexpr double kRandomCost = 24;

/// Operations for an element of `tensor`, but for those of fibres.
static double getElementCost(Value tensor) {
  if (auto op = tensor.getDefiningOp<ElementwiseOpInterface>())
    return op.getElementCost();
  auto factory = tensor.getDefiningOp<FactoryOpInterface>();
  return factory && !factory.isForwardable() ? kRandomCost : 0;
}

EdgeTensor OpSummarizer::getTensor(Value tensor) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  EdgeTensor edge;
  edge.shape = symbols.getShape(tensor);
  edge.bytes = std::max(1u, type.getElementTypeBitWidth() / 8);
  edge.numParams = countParams(type);
  ValueInfo info = getInfo(tensor);
  if (!info.isOfSmaller)
    edge.registers = countRegisters(tensor);
  edge.elementCost = getElementCost(tensor) * std::exp2(-info.viewGrowth);
  edge.liveFrom = info.firstUse;
  edge.liveTo = info.lastUse;
  return edge;
}

/// What the last size of a shape is a multiple of.
static int64_t getLastDivisor(const ShapeSymbols &symbols,
                              ArrayRef<int64_t> shape) {
  return shape.empty() ? 1 : symbols.getFacts(shape.back()).divisor;
}

/// The most elements that dimensions of these sizes have; -1: any number.
static int64_t getBound(const ShapeSymbols &symbols,
                        llvm::ArrayRef<SymbolicSize> sizes) {
  int64_t elements = 1;
  for (SymbolicSize size : sizes) {
    std::optional<int64_t> bound = symbols.getFacts(size).bound;
    if (!bound || llvm::MulOverflow(elements, *bound, elements))
      return -1;
  }
  return elements;
}

/// Sets what is known of the sizes of `rows`.
static void addFacts(const ShapeSymbols &symbols, RowStructure &rows) {
  rows.lastDivisor = getLastDivisor(symbols, rows.shape);
  rows.maxReduced =
      getBound(symbols, llvm::map_to_vector(rows.reducedDims, [&](int64_t dim) {
                 return rows.shape[dim];
               }));
  rows.minReduced = 1;
  for (int64_t dim : rows.reducedDims)
    if (llvm::MulOverflow(rows.minReduced,
                          symbols.getFacts(rows.shape[dim]).lowerBound,
                          rows.minReduced))
      rows.minReduced = INT64_MAX;
  int64_t behind = rows.reducedDims.empty() ? 0 : rows.reducedDims.back() + 1;
  rows.maxColumns = getBound(symbols, ArrayRef(rows.shape).drop_front(behind));
}

SpaceSummary &OpSummarizer::getSpace(GroupSummary &summary,
                                     Value tensor) const {
  GroupShape shape = symbols.getShape(tensor);
  for (SpaceSummary &space : summary.spaces)
    if (space.shape == shape)
      return space;
  summary.spaces.emplace_back();
  summary.spaces.back().lastDivisor = getLastDivisor(symbols, shape);
  summary.spaces.back().shape = std::move(shape);
  return summary.spaces.back();
}

unsigned OpSummarizer::countUses(Value value) {
  auto [it, isNew] = useCounts.try_emplace(value);
  if (isNew)
    it->second = std::distance(value.use_begin(), value.use_end());
  return it->second;
}

/// What part of an operand of `map` is computed again for another use of it:
/// all, unless other tensors pick a few of its elements.
static double getRepeatedPart(IndexMapOpInterface map,
                              ArrayRef<int64_t> operand,
                              ArrayRef<int64_t> result) {
  if (map.getNumSources() == getTensorOperands(map).size())
    return 1;
  auto estimate = [](ArrayRef<int64_t> shape) {
    double count = 1;
    for (int64_t size : shape)
      count *= size < 0 ? kAssumedSize : static_cast<double>(size);
    return std::max(count, 1.0);
  };
  return std::min(estimate(result) / estimate(operand), 1.0);
}

void OpSummarizer::setGrowth(Operation *op, ValueInfo &info) {
  auto map = dyn_cast<IndexMapOpInterface>(op);
  SymbolicShape result = symbols.getShape(op->getResult(0));
  for (auto [index, operand] : llvm::enumerate(getTensorOperands(op))) {
    Value value = operand->get();
    SymbolicShape shape = symbols.getShape(value);
    double own = 0, ownWork = 0;
    // Inputs of the program are read, and never computed.
    if (map && value.getDefiningOp() && !value.hasOneUse() &&
        !isBroadcast(map.getAffineIndexMap(index), shape, result)) {
      double more = countUses(value) - 1.0;
      own = std::log2(1 + more);
      ownWork = std::log2(1 + more * getRepeatedPart(map, shape, result));
    }
    ValueInfo from = getInfo(value);
    info.viewGrowth = std::max(info.viewGrowth, from.viewGrowth + own);
    info.workGrowth = std::max(info.workGrowth, from.workGrowth + ownWork);
  }
}

/// Whether all elements of a row are needed before what comes of one of them.
static bool endsPass(Operation *op) {
  return isa<ReductionOpInterface, ScanOpInterface, ScatterOpInterface>(op);
}

void OpSummarizer::visit(Operation *op) {
  ValueInfo info;
  for (OpOperand *operand : getTensorOperands(op)) {
    ValueInfo from = getInfo(operand->get());
    info.reductionDepth = std::max(info.reductionDepth, from.reductionDepth);
    info.sortDepth = std::max(info.sortDepth, from.sortDepth);
  }
  info.sortDepth += isa<OrderOpInterface>(op);
  if (endsPass(op))
    ++info.reductionDepth;
  maxReductionDepth = std::max(maxReductionDepth, info.reductionDepth);
  setGrowth(op, info);
  auto isOfShape = [&](OpOperand *operand) {
    return !getInfo(operand->get()).isOfSmaller &&
           symbols.getShape(operand->get()) ==
               symbols.getShape(op->getResult(0));
  };
  info.isOfSmaller =
      info.reductionDepth == 0 &&
      !isa<ContractionOpInterface, CollectiveOpInterface, FibreOpInterface>(
          op) &&
      llvm::none_of(getTensorOperands(op), isOfShape);
  for (Value result : op->getResults())
    infos[result] = info;
}

void OpSummarizer::visitUses(Operation *op) {
  unsigned at = maxReductionDepth;
  if (op->getNumResults() != 0) {
    ValueInfo info = getInfo(op->getResult(0));
    bool isUsed = info.firstUse <= info.lastUse;
    at = isUsed ? info.firstUse : info.reductionDepth;
    if (endsPass(op))
      at = info.reductionDepth - 1;
  }
  for (OpOperand *operand : getTensorOperands(op)) {
    ValueInfo &used = infos[operand->get()];
    used.firstUse = std::min(used.firstUse, at);
    used.lastUse = std::max(used.lastUse, at);
  }
}

/// The tensors that `op` is computed with: those that it reads, and those that
/// forwarded ops give.
static std::pair<llvm::SmallSetVector<Value, 4>, llvm::SmallSetVector<Value, 4>>
getSourcesAndCopies(Operation *op) {
  llvm::SmallSetVector<Value, 4> sources, copies;
  SmallVector<Operation *> work{op};
  while (!work.empty()) {
    for (OpOperand *operand : getTensorOperands(work.pop_back_val())) {
      Operation *producer = operand->get().getDefiningOp();
      if (!isForwarded(producer))
        sources.insert(operand->get());
      else if (copies.insert(operand->get()))
        work.push_back(producer);
    }
  }
  return {std::move(sources), std::move(copies)};
}

llvm::SmallSetVector<Value, 4> OpSummarizer::getSources(Operation *op) const {
  return getSourcesAndCopies(op).first;
}

llvm::SmallSetVector<Value, 4> OpSummarizer::getCopies(Operation *op) const {
  return getSourcesAndCopies(op).second;
}

llvm::SmallSetVector<Value, 2> OpSummarizer::getScalars(Operation *op) const {
  llvm::SmallSetVector<Value, 2> scalars;
  llvm::SmallPtrSet<Operation *, 4> seen;
  SmallVector<Operation *> work{op};
  while (!work.empty()) {
    for (Value operand : work.pop_back_val()->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (isForwarded(producer)) {
        if (seen.insert(producer).second)
          work.push_back(producer);
        continue;
      }
      if (!isa<RankedTensorType>(operand.getType()) &&
          !(producer && producer->hasTrait<OpTrait::ConstantLike>()))
        scalars.insert(operand);
    }
  }
  return scalars;
}

void OpSummarizer::addReduction(Operation *op, GroupSummary &summary) const {
  auto reduction = cast<ReductionOpInterface>(op);
  Value input = getTensorOperands(op)[0]->get();
  RowStructure rows{symbols.getShape(input),
                    SmallVector<int64_t, 2>(reduction.getReductionDims())};
  addFacts(symbols, rows);
  unsigned depth = getInfo(op->getResult(0)).reductionDepth;
  summary.numReductions = 1;
  summary.minReductionDepth = summary.maxReductionDepth = depth;
  auto [accumulators, registers] = countAccumulators(reduction);
  (rows.reducesNeighbours() ? summary.inner : summary.outer) = {
      1,     accumulators, registers, rows, rows.reducesTrailingDims(),
      depth, depth};
  summary.largestReduction = rows;
  summary.rows = std::move(rows);
  // An instruction for each element, which other ops may have moved.
  getSpace(summary, input).elementCost += std::exp2(-getInfo(input).viewGrowth);
}

/// So many instructions for an element of a scan, roughly.
static constexpr double kScanCost = 8;

void OpSummarizer::addFibres(Operation *op, GroupSummary &summary) const {
  auto fibres = cast<FibreOpInterface>(op);
  unsigned operand = isa<ScatterOpInterface>(op) ? 1 : 0;
  Value input = getTensorOperands(op)[operand]->get(),
        result = op->getResult(0);
  RowStructure rows{symbols.getShape(input),
                    {fibres.getOperandFibreDim(operand)}};
  addFacts(symbols, rows);
  unsigned bytes = getTensor(input).bytes;
  int64_t length = symbols.getShape(result)[fibres.getFibreDim()];
  if (isa<ScanOpInterface>(op)) {
    SymbolicShape before = symbols.getShape(input);
    before.erase(before.begin() + rows.reducedDims.front());
    rows.maxRows = getBound(symbols, before);
  }
  summary.fibres = {1, rows, bytes, bytes, length < 0 ? -1 : length};
  summary.fibres.areInRing = isInRing(op);
  summary.fibres.areIntegers =
      isIntegerElement(getElementTypeOrSelf(input.getType()));
  if (isa<OrderOpInterface>(op))
    summary.fibres.sortDepth = getInfo(result).sortDepth;
  if (!endsPass(op))
    return;
  unsigned depth = getInfo(result).reductionDepth;
  summary.fibres.minDepth = summary.fibres.maxDepth = depth;
  summary.minReductionDepth = summary.maxReductionDepth = depth;
  if (isa<ScanOpInterface>(op))
    getSpace(summary, input).elementCost += kScanCost;
}

/// Where `map`, from an index in a tensor of `shape`, has the coordinates of an
/// operand. Those of dimensions of size 1 stay in their place.
static SmallVector<int, 6> getPlaces(AffineMap map, ArrayRef<int64_t> shape) {
  SmallVector<int, 6> places;
  if (!map)
    return places;
  AffineExpr zero = getAffineConstantExpr(0, map.getContext());
  for (auto [number, expr] :
       llvm::enumerate(dropUnitDims(map, shape).getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    bool isUnit = number < shape.size() && shape[number] == 1 && expr == zero;
    places.push_back(dim      ? int(dim.getPosition())
                     : isUnit ? int(number)
                              : Placement::kMoved);
  }
  return places;
}

void OpSummarizer::addIndexMap(Operation *op, GroupSummary &summary) const {
  auto map = cast<IndexMapOpInterface>(op);
  SymbolicShape shape = symbols.getShape(op->getResult(0));
  for (auto [index, operand] : llvm::enumerate(getTensorOperands(op))) {
    ValueInfo info = getInfo(operand->get());
    addPlacement(summary, {getPlaces(map.getAffineIndexMap(index), shape),
                           info.reductionDepth});
    if (!readsSameElement(op, index, symbols))
      summary.moveDepth = std::max(summary.moveDepth, int(info.sortDepth));
  }
}

GroupSummary OpSummarizer::summarizeOp(Operation *op) const {
  GroupSummary summary;
  for (Value result : op->getResults()) {
    getSpace(summary, result);
    summary.maxViewGrowth =
        std::max(summary.maxViewGrowth, getInfo(result).viewGrowth);
    summary.maxWorkGrowth =
        std::max(summary.maxWorkGrowth, getInfo(result).workGrowth);
  }
  summary.minViewGrowth = summary.maxViewGrowth;
  Family family = getFamily(op);
  summary.families = static_cast<unsigned>(family);
  if (family != Family::Factory && op->getNumResults() != 0)
    summary.minSortDepth = getInfo(op->getResult(0)).sortDepth;
  if (family == Family::Elementwise || family == Family::Factory)
    getTensor(op->getResult(0))
        .addCost(getSpace(summary, op->getResult(0)), /*times=*/1);
  if (family == Family::Reduction)
    addReduction(op, summary);
  if (family == Family::IndexMap)
    addIndexMap(op, summary);
  if (static_cast<unsigned>(family) & kFibreFamilies)
    addFibres(op, summary);
  return summary;
}

/// What inputs and results have in common.
static void addTensor(GroupSummary &summary, SpaceSummary &space,
                      const EdgeTensor &tensor) {
  space.narrowestBytes = std::min(space.narrowestBytes, tensor.bytes);
  space.widestBytes = std::max(space.widestBytes, tensor.bytes);
  summary.numParams += tensor.numParams;
  tensor.addLive(space, 1);
}

GroupSummary OpSummarizer::summarize(const Parts &parts) const {
  GroupSummary summary;
  for (Operation *op : parts.ops)
    summary = mergeSummaries(summary, summarizeOp(op), MergeEdges());
  for (Value result : parts.results) {
    SpaceSummary &space = getSpace(summary, result);
    EdgeTensor tensor = getTensor(result);
    space.numResults += 1;
    space.resultBytes += tensor.bytes;
    addTensor(summary, space, tensor);
  }
  for (Value tensor : parts.inner)
    getTensor(tensor).addLive(getSpace(summary, tensor), 1);
  for (Value source : parts.sources) {
    summary.minViewGrowth =
        std::min(summary.minViewGrowth, getInfo(source).viewGrowth);
    SpaceSummary &space = getSpace(summary, source);
    EdgeTensor tensor = getTensor(source);
    space.numInputs += 1;
    space.inputBytes += tensor.bytes;
    addTensor(summary, space, tensor);
  }
  summary.numOps = parts.ops.size();
  summary.numParams += parts.numScalars;
  // Merging with nothing derives what follows from the rest.
  return mergeSummaries(summary, GroupSummary(), MergeEdges());
}

GroupSummary OpSummarizer::summarize(Operation *op) const {
  auto [sources, copies] = getSourcesAndCopies(op);
  Parts parts;
  parts.ops.push_back(op);
  llvm::append_range(parts.results, op->getResults());
  // Forwarded producers are part of it.
  for (Value copy : copies) {
    parts.ops.push_back(copy.getDefiningOp());
    parts.inner.push_back(copy);
  }
  // One tensor, whether or not it has passed a boundary.
  llvm::SmallSetVector<Value, 4> read;
  for (Value source : sources)
    read.insert(stripBoundaries(source));
  llvm::append_range(parts.sources, read);
  parts.numScalars = getScalars(op).size();
  GroupSummary summary = summarize(parts);
  summary.numOps = 1;
  return summary;
}

GroupSummary fuser::fusion::summarizeSegment(SegmentOp segment,
                                             const ShapeSymbols &symbols) {
  OpSummarizer summarizer(symbols);
  OpSummarizer::Parts parts;
  Block &body = segment.getBody().front();
  for (Value argument : body.getArguments()) {
    if (isTensor(argument))
      parts.sources.push_back(argument);
    else
      ++parts.numScalars;
  }
  Operation *yield = body.getTerminator();
  llvm::append_range(parts.results, yield->getOperands());
  for (Operation &op : body)
    if (isa<TensorOpInterface>(op))
      parts.ops.push_back(&op);
  for (Operation *op : parts.ops) {
    summarizer.visit(op);
    for (Value result : op->getResults())
      if (!llvm::is_contained(yield->getOperands(), result))
        parts.inner.push_back(result);
  }
  summarizer.visitUses(yield);
  for (Operation *op : llvm::reverse(parts.ops))
    summarizer.visitUses(op);
  return summarizer.summarize(parts);
}
