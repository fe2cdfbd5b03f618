//===- PointwiseKernel.cpp - A thread some vectors of neighbours -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The elements of the results, in the order in which the first result lies in
// memory, are cut into chunks of V neighbours in the last dimension. A block of
// T threads has T * U chunks that follow each other; a thread has every T-th of
// them, so that each access of a warp covers adjacent memory.
//
//   fast path   all chunks of the thread are whole: U vectors, all reads first,
//   all stores last else        chunk by chunk: a vector if it is whole, else
//   its elements one by one
//
//===----------------------------------------------------------------------===//

#include "GpuKernel.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Conversion/SegmentKernel.h"
#include "fuser/Schedule/GroupFit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace fuser;
using arith::CmpIPredicate;
using fusion::SegmentOp;

namespace {
class PointwiseEmitter {
public:
  PointwiseEmitter(SegmentKernel &kernel,
                   fusion::PointwiseScheduleAttr schedule)
      : kernel(kernel), b(kernel.builder), loc(kernel.segment.getLoc()),
        threads(schedule.getThreads()), vector(schedule.getVector()),
        unroll(schedule.getUnroll()) {}

  LogicalResult run(bool isFlat);

private:
  using Index = SmallVector<Value>;

  void setSpace(bool isFlat);
  /// The index of the first element of chunk `number`.
  Index emitChunkIndex(Value number);
  /// True where a whole chunk starts at `index`; null: always.
  Value emitIsWhole(const Index &index);
  Value emitIsFast(Value first, ArrayRef<Index> chunks);
  void emitVectors(ArrayRef<Index> chunks, int64_t width);
  void emitSlowPath(Value first);
  void emitElements(const Index &start);
  bool isDivisible() const;

  SegmentKernel &kernel;
  OpBuilder &b;
  Location loc;
  int64_t threads, vector, unroll;

  /// The iteration space: sizes by dimension of the results; chunk sizes in the
  /// order of memory.
  SmallVector<OpFoldResult> sizes, chunkSizes;
  SmallVector<int64_t> order;
  OpFoldResult numChunks;
};
} // namespace

void PointwiseEmitter::setSpace(bool isFlat) {
  sizes = kernel.getSizes().getDims(kernel.segment.getYielded(0));
  order = getStrideOrder(
      cast<MemRefType>(kernel.getResultAccess(0).getMemRef().getType()));
  if (isFlat) {
    OpFoldResult size = emitProduct(b, loc, sizes);
    kernel.flattenTensors(loc, size);
    sizes = {size};
    order = {0};
  }
  for (int64_t d : order)
    chunkSizes.push_back(sizes[d]);
  if (!chunkSizes.empty())
    chunkSizes.back() = emitCeilDiv(b, loc, chunkSizes.back(), vector);
  numChunks = emitProduct(b, loc, chunkSizes);
}

bool PointwiseEmitter::isDivisible() const {
  if (vector == 1)
    return true;
  std::optional<int64_t> last = getConstantIntValue(sizes.back());
  return last && *last % vector == 0;
}

PointwiseEmitter::Index PointwiseEmitter::emitChunkIndex(Value number) {
  bool narrow = isNarrow(numChunks);
  SmallVector<Value> coordinates =
      emitCoordinates(b, loc, number, chunkSizes, narrow);
  Index index(order.size());
  for (auto [dim, coordinate] : llvm::zip(order, coordinates))
    index[dim] = coordinate;
  if (vector > 1)
    index.back() = arith::MulIOp::create(
        b, loc, index.back(), arith::ConstantIndexOp::create(b, loc, vector));
  return index;
}

Value PointwiseEmitter::emitIsWhole(const Index &index) {
  if (isDivisible())
    return nullptr;
  Value end = arith::AddIOp::create(
      b, loc, index.back(), arith::ConstantIndexOp::create(b, loc, vector));
  return emitCompare(b, loc, CmpIPredicate::ule, end, sizes.back());
}

/// True if all `chunks` are in bounds and whole; null if that is known.
Value PointwiseEmitter::emitIsFast(Value first, ArrayRef<Index> chunks) {
  Value fast;
  std::optional<int64_t> known = getConstantIntValue(numChunks);
  if (!known || *known % (threads * unroll) != 0) {
    Value last =
        kernel.getElements().addIndex(loc, first, (unroll - 1) * threads);
    fast = emitCompare(b, loc, CmpIPredicate::ult, last, numChunks);
  }
  // In one dimension only the very last chunk can be cut.
  for (const Index &chunk : sizes.size() == 1 ? chunks.take_back() : chunks)
    fast = emitAnd(b, loc, fast, emitIsWhole(chunk));
  return fast;
}

void PointwiseEmitter::emitVectors(ArrayRef<Index> chunks, int64_t width) {
  unsigned numResults = kernel.segment->getNumResults();
  for (const Index &chunk : chunks)
    for (unsigned i = 0; i < numResults; ++i)
      kernel.getElements().prefetch(loc, kernel.segment.getYielded(i), chunk,
                                    width);
  SmallVector<Value> elements;
  for (const Index &chunk : chunks)
    for (unsigned i = 0; i < numResults; ++i)
      elements.push_back(kernel.emitResult(loc, i, chunk, width));
  for (auto [i, element] : llvm::enumerate(elements))
    kernel.storeResult(loc, i % numResults, element, chunks[i / numResults]);
}

/// The elements of the last dimension from `start` to its end, one by one.
void PointwiseEmitter::emitElements(const Index &start) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  kernel.getElements().emitLoop(loc, start.back(),
                                emitIndex(b, loc, sizes.back()), one, {},
                                [&](Value position, ValueRange) {
                                  Index index = start;
                                  index.back() = position;
                                  emitVectors(index, 1);
                                  return SmallVector<Value>();
                                });
}

void PointwiseEmitter::emitSlowPath(Value first) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value step = arith::ConstantIndexOp::create(b, loc, threads);
  Value end = arith::ConstantIndexOp::create(b, loc, threads * unroll);
  auto body = [&](Value position, ValueRange) {
    Value number = arith::AddIOp::create(b, loc, first, position);
    Value inBounds = emitCompare(b, loc, CmpIPredicate::ult, number, numChunks);
    emitIf(b, loc, inBounds, [&] {
      Index index = emitChunkIndex(number);
      kernel.getElements().emitEither(
          loc, emitIsWhole(index), [&] { emitVectors(index, vector); },
          [&] { emitElements(index); });
    });
    return SmallVector<Value>();
  };
  kernel.getElements().emitLoop(loc, zero, end, step, {}, body);
}

LogicalResult PointwiseEmitter::run(bool isFlat) {
  setSpace(isFlat);
  if (vector > 1 &&
      (order.empty() || order.back() != int64_t(order.size()) - 1))
    return kernel.segment.emitOpError()
           << "expected vector = 1 in the schedule: the last dimension of the "
              "results is not "
              "the fastest in memory, got vector = "
           << vector;
  ElementEmitter &elements = kernel.getElements();
  Value first = arith::AddIOp::create(
      b, loc, emitBlockStart(b, loc, threads * unroll), emitThread(b, loc));
  SmallVector<Index> chunks;
  for (int64_t u = 0; u < unroll; ++u)
    chunks.push_back(
        emitChunkIndex(elements.addIndex(loc, first, u * threads)));
  elements.emitEither(
      loc, emitIsFast(first, chunks), [&] { emitVectors(chunks, vector); },
      [&] { emitSlowPath(first); });
  return kernel.getStatus();
}

static LaunchSize getLaunchSize(SegmentLowering &lowering,
                                fusion::PointwiseScheduleAttr schedule,
                                bool isFlat) {
  OpBuilder &b = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  SmallVector<OpFoldResult> sizes =
      lowering.getSizes(lowering.getSegment()->getResult(0));
  if (isFlat)
    sizes = {emitProduct(b, loc, sizes)};
  if (!sizes.empty())
    sizes.back() = emitCeilDiv(b, loc, sizes.back(), schedule.getVector());
  int64_t perBlock = schedule.getThreads() * schedule.getUnroll();
  return {emitCeilDiv(b, loc, emitProduct(b, loc, sizes), perBlock),
          schedule.getThreads()};
}

LogicalResult fuser::lowerPointwise(SegmentLowering &lowering) {
  SegmentOp segment = lowering.getSegment();
  auto schedule = cast<fusion::PointwiseScheduleAttr>(*segment.getSchedule());
  schedule::Segment described = describeSegment(segment, lowering.getSymbols());
  if (Decision verdict = schedule::fitsPointwise(described.group); !verdict)
    return segment.emitOpError()
           << "does not fit a pointwise schedule: " << verdict.getReason();
  bool flat = analyzePointwise(described).isFlat;
  OpBuilder b(segment.getContext());
  gpu::GPUFuncOp func = createGpuKernel(b, lowering, {schedule.getThreads()});
  SegmentKernel kernel(b, segment, func.getArguments());
  if (failed(PointwiseEmitter(kernel, schedule).run(flat)))
    return failure();
  lowering.launch(func, getLaunchSize(lowering, schedule, flat));
  return success();
}
