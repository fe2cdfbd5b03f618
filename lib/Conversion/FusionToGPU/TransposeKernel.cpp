//===- TransposeKernel.cpp - A block a square of elements -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has T x T elements of the results, in the dimensions `along` and
// `across` of the schedule, which lists what lies in memory along the latter.
// Consecutive threads have neighbours, so that each access of a warp covers
// adjacent memory:
//
//   listed reads     read with neighbours across, put into shared memory
//   results          computed with neighbours along; what is listed comes from
//                    shared memory, or goes there
//   listed results   written with neighbours across
//
// Where a square is cut, elements beyond the end of a dimension are taken for
// its last one, and not written.
//
//===----------------------------------------------------------------------===//

#include "GpuKernel.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Conversion/SegmentKernel.h"
#include "fuser/Schedule/GroupFit.h"
#include "fuser/Schedule/TransposeHeuristic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace fuser;
using arith::CmpIPredicate;
using fusion::SegmentOp;
using schedule::TransposeSchedule;

namespace {
class TransposeEmitter {
public:
  /// `reads` are those that the schedule lists.
  TransposeEmitter(SegmentKernel &kernel, gpu::GPUFuncOp func,
                   const TransposeSchedule &schedule, ArrayRef<PlainRead> reads)
      : kernel(kernel), func(func), schedule(schedule), reads(reads),
        b(kernel.builder), loc(kernel.segment.getLoc()), tile(schedule.tile),
        rows(schedule.threads / tile) {}

  LogicalResult run();

private:
  struct Element {
    SmallVector<Value> index;   ///< In the results.
    SmallVector<Value, 2> tile; ///< In shared memory: along, across.
    Value inBounds;             ///< Null: always.
  };

  void setSpace();
  void createTiles();
  /// Whether the block's square is whole; null: all are.
  Value emitIsWhole();
  void emitSquare(bool isWhole);
  /// Those of a thread where consecutive threads are neighbours in `dim`.
  SmallVector<Element> emitElements(int64_t dim, bool isWhole);
  void emitCoordinate(Element &element, int64_t dim, Value first,
                      int64_t offset, bool isWhole);
  void emitReads(ArrayRef<Element> elements);
  void bindReads();
  Value emitRead(unsigned operand, ValueRange index);
  bool isCurrent(AffineMap map, ValueRange index) const;
  void emitResults(ArrayRef<Element> elements);
  void emitResultsAcross(ArrayRef<Element> elements);

  SegmentKernel &kernel;
  gpu::GPUFuncOp func;
  const TransposeSchedule &schedule;
  ArrayRef<PlainRead> reads;
  OpBuilder &b;
  Location loc;
  int64_t tile, rows;

  /// Of the results; where the block's square begins.
  SmallVector<OpFoldResult> sizes;
  SmallVector<Value> start;
  Value lane, row;
  SmallVector<Value> readTiles, resultTiles;
  /// The element that is being computed.
  const Element *current = nullptr;
};
} // namespace

void TransposeEmitter::setSpace() {
  sizes = kernel.getSizes().getDims(kernel.segment.getYielded(0));
  SmallVector<OpFoldResult> tiles = sizes;
  for (int64_t d : {schedule.along, schedule.across})
    tiles[d] = emitCeilDiv(b, loc, sizes[d], tile);
  // A grid has fewer than 2^31 blocks.
  start = emitCoordinates(b, loc, emitBlock(b, loc), tiles, /*narrow=*/true);
  Value width = arith::ConstantIndexOp::create(b, loc, tile);
  for (int64_t d : {schedule.along, schedule.across})
    start[d] = arith::MulIOp::create(b, loc, start[d], width);
  Value thread = emitThread(b, loc);
  lane = arith::RemUIOp::create(b, loc, thread, width);
  row = arith::DivUIOp::create(b, loc, thread, width);
}

void TransposeEmitter::createTiles() {
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto create = [&](const TensorAccess &access) -> Value {
    Type type = getStorageType(access.getElementType());
    int64_t pitch =
        schedule::getTilePitch(tile, getStorageBytes(access.getElementType()));
    auto memref = MemRefType::get({tile, pitch}, type,
                                  MemRefLayoutAttrInterface(), space);
    return func.addWorkgroupAttribution(memref, loc);
  };
  for (const PlainRead &read : reads)
    readTiles.push_back(create(kernel.getOperandAccess(read.operand)));
  for (int64_t result : schedule.results)
    resultTiles.push_back(create(kernel.getResultAccess(result)));
}

Value TransposeEmitter::emitIsWhole() {
  Value whole;
  for (int64_t d : {schedule.along, schedule.across}) {
    std::optional<int64_t> known = getConstantIntValue(sizes[d]);
    if (known && *known % tile == 0)
      continue;
    Value end = kernel.getElements().addIndex(loc, start[d], tile);
    Value fits = emitCompare(b, loc, CmpIPredicate::ule, end, sizes[d]);
    whole = emitAnd(b, loc, whole, fits);
  }
  return whole;
}

void TransposeEmitter::emitCoordinate(Element &element, int64_t dim,
                                      Value first, int64_t offset,
                                      bool isWhole) {
  // What is the same for all elements of a thread is added first.
  Value base = arith::AddIOp::create(b, loc, start[dim], first);
  Value index = kernel.getElements().addIndex(loc, base, offset);
  element.tile[dim == schedule.across] =
      kernel.getElements().addIndex(loc, first, offset);
  element.index[dim] = index;
  if (isWhole)
    return;
  Value size = emitIndex(b, loc, sizes[dim]);
  Value fits = arith::CmpIOp::create(b, loc, CmpIPredicate::ult, index, size);
  element.inBounds = emitAnd(b, loc, element.inBounds, fits);
  Value last = arith::SubIOp::create(b, loc, size,
                                     arith::ConstantIndexOp::create(b, loc, 1));
  element.index[dim] = arith::MinUIOp::create(b, loc, index, last);
}

SmallVector<TransposeEmitter::Element>
TransposeEmitter::emitElements(int64_t dim, bool isWhole) {
  int64_t other = dim == schedule.along ? schedule.across : schedule.along;
  SmallVector<Element> elements;
  for (int64_t offset = 0; offset < tile; offset += rows) {
    Element element{start, {nullptr, nullptr}, nullptr};
    emitCoordinate(element, dim, lane, 0, isWhole);
    emitCoordinate(element, other, row, offset, isWhole);
    elements.push_back(std::move(element));
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// Inputs across
//===----------------------------------------------------------------------===//

/// All reads first, so that they are under way together.
void TransposeEmitter::emitReads(ArrayRef<Element> elements) {
  SmallVector<Value> values;
  for (const PlainRead &read : reads) {
    const TensorAccess &access = kernel.getOperandAccess(read.operand);
    for (const Element &element : elements) {
      SmallVector<Value> index;
      for (AffineExpr expr : read.map.getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        index.push_back(dim ? element.index[dim.getPosition()]
                            : kernel.getElements().getIndex(loc, 0));
      }
      values.push_back(access.load(b, loc, index, /*width=*/1));
    }
  }
  for (auto [i, value] : llvm::enumerate(values))
    memref::StoreOp::create(b, loc, value, readTiles[i / elements.size()],
                            elements[i % elements.size()].tile);
}

/// True if the index that `map` makes of the current element's is `index`.
bool TransposeEmitter::isCurrent(AffineMap map, ValueRange index) const {
  return llvm::all_of(llvm::zip(map.getResults(), index), [&](auto both) {
    auto [expr, value] = both;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim ? value == current->index[dim.getPosition()]
               : matchPattern(value, m_Zero());
  });
}

/// An element of an input, in storage type: from shared memory if it is there.
Value TransposeEmitter::emitRead(unsigned operand, ValueRange index) {
  for (auto [read, buffer] : llvm::zip(reads, readTiles))
    if (read.operand == operand && isCurrent(read.map, index))
      return memref::LoadOp::create(b, loc, buffer, current->tile);
  return kernel.loadOperand(loc, operand, index, /*width=*/1);
}

void TransposeEmitter::bindReads() {
  for (const PlainRead &read : reads) {
    unsigned operand = read.operand;
    auto load = [this, operand](OpBuilder &, Location, ValueRange index,
                                int64_t) {
      Type type = kernel.getOperandAccess(operand).getElementType();
      return emitToCompute(b, loc, emitRead(operand, index), type,
                           Precision::Native);
    };
    kernel.getElements().bind(kernel.segment.getBody().getArgument(operand),
                              load);
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void TransposeEmitter::emitResults(ArrayRef<Element> elements) {
  unsigned numResults = kernel.segment->getNumResults();
  for (const Element &element : elements) {
    current = &element;
    kernel.setReadCondition(element.inBounds);
    for (unsigned i = 0; i < numResults; ++i)
      kernel.getElements().prefetch(loc, kernel.segment.getYielded(i),
                                    element.index);
  }
  SmallVector<SmallVector<Value>> values(elements.size());
  for (auto [element, computed] : llvm::zip(elements, values)) {
    current = &element;
    kernel.setReadCondition(element.inBounds);
    for (unsigned i = 0; i < numResults; ++i)
      computed.push_back(kernel.emitResult(loc, i, element.index, 1));
  }
  kernel.setReadCondition({});
  for (auto [number, element] : llvm::enumerate(elements)) {
    ArrayRef<Value> computed = values[number];
    for (auto [result, buffer] : llvm::zip(schedule.results, resultTiles)) {
      Type type = kernel.getResultAccess(result).getElementType();
      memref::StoreOp::create(b, loc,
                              emitToStorage(b, loc, computed[result], type),
                              buffer, element.tile);
    }
    ArrayRef<Value> index = element.index;
    emitIf(b, loc, element.inBounds, [&] {
      for (unsigned i = 0; i < numResults; ++i)
        if (!llvm::is_contained(schedule.results, i))
          kernel.storeResult(loc, i, computed[i], index);
    });
  }
}

void TransposeEmitter::emitResultsAcross(ArrayRef<Element> elements) {
  for (const Element &element : elements)
    emitIf(b, loc, element.inBounds, [&] {
      for (auto [result, buffer] : llvm::zip(schedule.results, resultTiles)) {
        Value stored = memref::LoadOp::create(b, loc, buffer, element.tile);
        kernel.getResultAccess(result).store(b, loc, stored, element.index);
      }
    });
}

void TransposeEmitter::emitSquare(bool isWhole) {
  SmallVector<Element> across = emitElements(schedule.across, isWhole);
  if (!reads.empty()) {
    emitReads(across);
    gpu::BarrierOp::create(b, loc);
  }
  emitResults(emitElements(schedule.along, isWhole));
  if (!schedule.results.empty()) {
    gpu::BarrierOp::create(b, loc);
    emitResultsAcross(across);
  }
}

LogicalResult TransposeEmitter::run() {
  setSpace();
  createTiles();
  bindReads();
  // All threads of a block take the same branch.
  kernel.getElements().emitEither(
      loc, emitIsWhole(), [&] { emitSquare(/*isWhole=*/true); },
      [&] { emitSquare(/*isWhole=*/false); });
  return kernel.getStatus();
}

static TransposeSchedule getSchedule(SegmentOp segment) {
  auto attr = cast<fusion::TransposeScheduleAttr>(*segment.getSchedule());
  TransposeSchedule schedule;
  schedule.threads = attr.getThreads();
  schedule.tile = attr.getTile();
  schedule.along = attr.getAlong();
  schedule.across = attr.getAcross();
  if (DenseI64ArrayAttr reads = attr.getReads())
    llvm::append_range(schedule.reads, reads.asArrayRef());
  if (DenseI64ArrayAttr results = attr.getResults())
    llvm::append_range(schedule.results, results.asArrayRef());
  return schedule;
}

static LaunchSize getLaunchSize(SegmentLowering &lowering,
                                const TransposeSchedule &schedule) {
  OpBuilder &b = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  SmallVector<OpFoldResult> tiles =
      lowering.getSizes(lowering.getSegment()->getResult(0));
  for (int64_t dim : {schedule.along, schedule.across})
    tiles[dim] = emitCeilDiv(b, loc, tiles[dim], schedule.tile);
  return {emitProduct(b, loc, tiles), schedule.threads};
}

LogicalResult fuser::lowerTranspose(SegmentLowering &lowering) {
  SegmentOp segment = lowering.getSegment();
  TransposeSchedule schedule = getSchedule(segment);
  schedule::Segment described = describeSegment(segment, lowering.getSymbols());
  SmallVector<PlainRead> reads, staged;
  schedule::TransposeProblem problem;
  Decision verdict = schedule::fitsPointwise(described.group);
  if (verdict) {
    problem = analyzeTranspose(described, reads);
    verdict = acceptsTranspose(problem, schedule);
  }
  if (!verdict)
    return segment.emitOpError()
           << "does not fit its transpose schedule: " << verdict.getReason();
  for (auto [read, access] : llvm::zip(reads, problem.accesses))
    if (isStaged(access, schedule))
      staged.push_back(read);
  OpBuilder b(segment.getContext());
  gpu::GPUFuncOp func = createGpuKernel(b, lowering, {schedule.threads});
  SegmentKernel kernel(b, segment, func.getArguments());
  if (failed(TransposeEmitter(kernel, func, schedule, staged).run()))
    return failure();
  lowering.launch(func, getLaunchSize(lowering, schedule));
  return success();
}
