//===- GenericKernel.cpp - Some threads an element -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has `threads / parts` neighbouring elements of the results. Each is
// computed from scratch, by one thread, or by `parts` threads that share the
// work of its reductions, in the order of ReductionTree.h:
//
//   threads side by side: a warp has a block of 256 elements at a time
//   threads `stride` apart: each has some of the 32 lanes
//   the threads of the element: BlockReduction
//   thread 0 of the element: what is made of the reductions, stores
//
// Threads beyond the last element work on the last one, and store nothing: all
// threads come to the barriers.
//
//===----------------------------------------------------------------------===//

#include "BlockReduction.h"
#include "GpuKernel.h"
#include "ReductionLoops.h"
#include "fuser/Conversion/SegmentKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace fuser;
using arith::CmpIPredicate;
using fusion::EmitContext;
using fusion::SegmentOp;

namespace {
/// Results of one shape, which a thread computes together.
struct Group {
  SymbolicShape shape;
  SmallVector<unsigned> results;
};

class GenericEmitter {
public:
  GenericEmitter(SegmentKernel &kernel, fusion::GenericScheduleAttr schedule,
                 gpu::GPUFuncOp func);
  LogicalResult run(const Group &group);

private:
  using Request = ElementEmitter::ReductionRequest;

  Accumulators emitReduction(Request &request);
  Accumulators emitNeighbours(Request &request, const Combiner &combiner,
                              OpFoldResult count);
  Accumulators emitStrided(Request &request, const Combiner &combiner,
                           OpFoldResult count);
  Accumulators emitAlone(Request &request, const Combiner &combiner,
                         OpFoldResult count, Value start, int64_t lanes);
  Accumulators emitLeaf(Request &request, ReductionLoops &loops,
                        const Combiner &combiner, Value start,
                        OpFoldResult count);
  SmallVector<Accumulators> emitBlock(Request &request,
                                      const Combiner &combiner, Value start,
                                      Value lane, OpFoldResult count);
  SmallVector<Accumulators> emitPrepared(Request &request,
                                         ArrayRef<Value> positions);
  Value getIsWhole(Value start, int64_t size, OpFoldResult count);
  Accumulators emitIfWhole(ArrayRef<Type> types, Value isWhole,
                           function_ref<Accumulators()> whole,
                           function_ref<Accumulators()> partial);
  void setPosition(Request &request, Value position);
  LogicalResult emitElements(const Group &group, ArrayRef<OpFoldResult> sizes,
                             OpFoldResult count);
  Value getConstant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  SegmentKernel &kernel;
  OpBuilder &b;
  Location loc;
  int64_t parts;
  bool isStrided;
  Value element; ///< The number of the thread's element.
  Value part;    ///< Of the reductions of the element.
  BlockReduction block;
};
} // namespace

static Value selectThread(fusion::GenericScheduleAttr schedule, OpBuilder &b,
                          Location loc) {
  Value thread = emitThread(b, loc);
  // All parts are one block's, or some lanes.
  if (schedule.getStride() != 1 ||
      schedule.getParts() == schedule.getThreads() || schedule.getParts() == 1)
    return thread;
  return arith::RemUIOp::create(
      b, loc, thread,
      arith::ConstantIndexOp::create(b, loc, schedule.getParts()));
}

static BlockReduction makeBlock(fusion::GenericScheduleAttr schedule,
                                OpBuilder &b, gpu::GPUFuncOp func) {
  Value thread = selectThread(schedule, b, func.getLoc());
  if (schedule.getStride() == 1)
    return BlockReduction(b, func, thread, schedule.getParts());
  return BlockReduction(b, func, thread, schedule.getParts(),
                        schedule.getStride());
}

GenericEmitter::GenericEmitter(SegmentKernel &kernel,
                               fusion::GenericScheduleAttr schedule,
                               gpu::GPUFuncOp func)
    : kernel(kernel), b(kernel.builder), loc(kernel.segment.getLoc()),
      parts(schedule.getParts()), isStrided(schedule.getStride() != 1),
      block(makeBlock(schedule, b, func)) {
  Value thread = emitThread(b, loc);
  Value inBlock = thread;
  if (parts > 1) {
    Value width =
        getConstant(schedule.getStride() == 1 ? parts : schedule.getStride());
    Value high = arith::DivUIOp::create(b, loc, thread, width);
    Value low = arith::RemUIOp::create(b, loc, thread, width);
    inBlock = schedule.getStride() == 1 ? high : low;
    part = schedule.getStride() == 1 ? low : high;
  }
  kernel.getElements().setReducer(
      [this](Request &request) { return emitReduction(request); });
  element = arith::AddIOp::create(
      b, loc, emitBlockStart(b, loc, schedule.getThreads() / parts), inBlock);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The index of the `position`-th element that is reduced.
void GenericEmitter::setPosition(Request &request, Value position) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : request.dims)
    sizes.push_back(kernel.getDim(request.operand, dim));
  SmallVector<Value> coordinates = emitCoordinates(
      b, loc, position, sizes, isNarrow(emitProduct(b, loc, sizes)));
  for (auto [dim, coordinate] : llvm::zip(request.dims, coordinates))
    request.index[dim] = coordinate;
}

/// What is reduced of the elements at `positions`: all are read before the
/// first is used.
SmallVector<Accumulators>
GenericEmitter::emitPrepared(Request &request, ArrayRef<Value> positions) {
  ElementEmitter &elements = kernel.getElements();
  for (Value position : positions) {
    setPosition(request, position);
    elements.prefetch(loc, request.operand, request.index);
  }
  SmallVector<Accumulators> prepared;
  for (Value position : positions) {
    setPosition(request, position);
    Value value = elements.emit(loc, request.operand, request.index);
    if (!value)
      return {};
    prepared.push_back(kernel.withContext(loc, [&](EmitContext &ctx) {
      return request.op.emitPrepare(ctx, value, request.types);
    }));
  }
  return prepared;
}

/// Whether there are `size` elements from `start` on.
Value GenericEmitter::getIsWhole(Value start, int64_t size,
                                 OpFoldResult count) {
  return emitCompare(b, loc, CmpIPredicate::ule,
                     kernel.getElements().addIndex(loc, start, size), count);
}

/// As many sets of accumulators as `types` says, from one branch or the other.
Accumulators GenericEmitter::emitIfWhole(ArrayRef<Type> types, Value isWhole,
                                         function_ref<Accumulators()> whole,
                                         function_ref<Accumulators()> partial) {
  auto ifOp = scf::IfOp::create(b, loc, types, isWhole,
                                /*addThenBlock=*/true, /*addElseBlock=*/true);
  auto fill = [&](Block *block, function_ref<Accumulators()> body) {
    OpBuilder::InsertionGuard guard(b);
    ElementEmitter::Scope scope(kernel.getElements());
    b.setInsertionPointToEnd(block);
    Accumulators values = body();
    if (!values.empty())
      scf::YieldOp::create(b, loc, values);
    return !values.empty();
  };
  if (!fill(ifOp.thenBlock(), whole) || !fill(ifOp.elseBlock(), partial))
    return {};
  return Accumulators(ifOp.getResults());
}

/// The leaf that begins at `start`.
Accumulators GenericEmitter::emitLeaf(Request &request, ReductionLoops &loops,
                                      const Combiner &combiner, Value start,
                                      OpFoldResult count) {
  auto whole = [&]() -> Accumulators {
    SmallVector<Value> positions;
    for (int64_t i = 0; i < kLeaf; ++i)
      positions.push_back(kernel.getElements().addIndex(loc, start, i));
    return emitNeighbourTree(combiner, emitPrepared(request, positions));
  };
  std::optional<int64_t> known = getConstantIntValue(count);
  if (known && *known % kLeaf == 0)
    return whole();
  auto partial = [&] {
    return loops.emitPartialLeaf(start, [&](Value at) -> Accumulators {
      SmallVector<Accumulators> one = emitPrepared(request, at);
      return one.empty() ? Accumulators() : one.front();
    });
  };
  if (known && *known < kLeaf)
    return partial();
  return emitIfWhole(request.types, getIsWhole(start, kLeaf, count), whole,
                     partial);
}

/// The elements 32 * i + lane, i < 8, of the block that begins at `start`.
/// Those beyond the last one are neutral.
SmallVector<Accumulators> GenericEmitter::emitBlock(Request &request,
                                                    const Combiner &combiner,
                                                    Value start, Value lane,
                                                    OpFoldResult count) {
  ElementEmitter &elements = kernel.getElements();
  Value first = arith::AddIOp::create(b, loc, start, lane);
  SmallVector<Value> positions;
  for (int64_t i = 0; i < kLeaf; ++i)
    positions.push_back(elements.addIndex(loc, first, i * kLanes));
  std::optional<int64_t> known = getConstantIntValue(count);
  if (known && *known % kBlockElements == 0)
    return emitPrepared(request, positions);
  auto flatten = [](ArrayRef<Accumulators> sets) {
    Accumulators flat;
    for (const Accumulators &set : sets)
      llvm::append_range(flat, set);
    return flat;
  };
  auto whole = [&] { return flatten(emitPrepared(request, positions)); };
  auto partial = [&]() -> Accumulators {
    Value last = elements.addIndex(loc, emitIndex(b, loc, count), -1);
    SmallVector<Value> exists, inside;
    for (Value position : positions) {
      exists.push_back(
          emitCompare(b, loc, CmpIPredicate::ult, position, count));
      inside.push_back(
          arith::SelectOp::create(b, loc, exists.back(), position, last));
    }
    SmallVector<Accumulators> prepared = emitPrepared(request, inside);
    for (auto [set, isThere] : llvm::zip(prepared, exists))
      for (auto [value, none] : llvm::zip(set, combiner.neutral))
        value = arith::SelectOp::create(b, loc, isThere, value, none);
    return flatten(prepared);
  };
  SmallVector<Type> types;
  for (int64_t i = 0; i < kLeaf; ++i)
    llvm::append_range(types, request.types);
  Accumulators flat =
      known && *known < kBlockElements
          ? partial()
          : emitIfWhole(types, getIsWhole(start, kBlockElements, count), whole,
                        partial);
  SmallVector<Accumulators> sets;
  size_t size = combiner.neutral.size();
  for (size_t i = 0; i < flat.size(); i += size)
    sets.push_back(llvm::to_vector(ArrayRef<Value>(flat).slice(i, size)));
  return sets;
}

/// By one thread: all lanes from `start` on, or some of them.
Accumulators GenericEmitter::emitAlone(Request &request,
                                       const Combiner &combiner,
                                       OpFoldResult count, Value start,
                                       int64_t lanes) {
  ReductionLoops loops(kernel.getElements(), combiner, count, [&](Value at) {
    return emitLeaf(request, loops, combiner, at, count);
  });
  return loops.emitLanes(start, lanes);
}

/// By threads that have some lanes each.
Accumulators GenericEmitter::emitStrided(Request &request,
                                         const Combiner &combiner,
                                         OpFoldResult count) {
  // Of a short sum only the first lanes have elements: one lane a thread.
  std::optional<int64_t> known = getConstantIntValue(count);
  int64_t lanes = known && *known <= parts * kLeaf ? 1 : kLanes / parts;
  Value start = arith::MulIOp::create(b, loc, part, getConstant(lanes * kLeaf));
  Accumulators sum = emitAlone(request, combiner, count, start, lanes);
  return sum.empty() ? sum : block.emitStrided(combiner, sum);
}

/// By warps that have some blocks each.
Accumulators GenericEmitter::emitNeighbours(Request &request,
                                            const Combiner &combiner,
                                            OpFoldResult count) {
  Value lane = part, start = getConstant(0);
  if (parts > kLanes) {
    Value width = getConstant(kLanes);
    lane = arith::RemUIOp::create(b, loc, part, width);
    start = arith::MulIOp::create(b, loc,
                                  arith::DivUIOp::create(b, loc, part, width),
                                  getConstant(kBlockElements));
  }
  ReductionLoops loops(kernel.getElements(), combiner, count,
                       [&](Value at) -> Accumulators {
                         SmallVector<Accumulators> elements =
                             emitBlock(request, combiner, at, lane, count);
                         if (elements.empty())
                           return {};
                         return block.emitLeaves(combiner, std::move(elements));
                       });
  Accumulators sum = loops.emitBlocks(start, parts / kLanes);
  return sum.empty() ? sum : block.emitNeighbours(combiner, sum);
}

Accumulators GenericEmitter::emitReduction(Request &request) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : request.dims)
    sizes.push_back(kernel.getDim(request.operand, dim));
  OpFoldResult count = emitProduct(b, loc, sizes);
  auto combine = [&](ValueRange lhs, ValueRange rhs) {
    return kernel.withContext(loc, [&](EmitContext &ctx) {
      return request.op.emitCombine(ctx, lhs, rhs);
    });
  };
  Combiner combiner{b, loc, combine, request.neutral,
                    request.op.isIdempotent()};
  if (getConstantIntValue(count) == 0)
    return request.neutral;
  if (parts == 1 || !request.isOutermost) {
    Accumulators sum =
        emitAlone(request, combiner, count, getConstant(0), kLanes);
    return sum.empty() ? sum : combiner.finish(sum);
  }
  return isStrided ? emitStrided(request, combiner, count)
                   : emitNeighbours(request, combiner, count);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// All elements are computed before the first is stored: it may be stored over
/// an input.
LogicalResult GenericEmitter::emitElements(const Group &group,
                                           ArrayRef<OpFoldResult> sizes,
                                           OpFoldResult count) {
  ElementEmitter::Scope scope(kernel.getElements());
  Value inBounds = emitCompare(b, loc, CmpIPredicate::ult, element, count);
  Value position = element;
  if (parts > 1) {
    Value last =
        arith::SubIOp::create(b, loc, emitIndex(b, loc, count), getConstant(1));
    position = arith::MinUIOp::create(b, loc, element, last);
    Value isFirst =
        emitCompare(b, loc, CmpIPredicate::eq, part, b.getIndexAttr(0));
    inBounds = arith::AndIOp::create(b, loc, inBounds, isFirst);
  }
  SmallVector<Value> index =
      emitCoordinates(b, loc, position, sizes, isNarrow(count));
  SmallVector<Value> elements;
  for (unsigned result : group.results) {
    elements.push_back(kernel.emitResult(loc, result, index, 1));
    if (!elements.back())
      return failure();
  }
  // One part may store over what another still reads.
  bool overwrites = llvm::any_of(group.results, [&](unsigned result) {
    return bool(getReusedInput(kernel.segment->getResult(result)));
  });
  if (parts > 1 && overwrites)
    gpu::BarrierOp::create(b, loc);
  emitIf(b, loc, inBounds, [&] {
    for (auto [result, value] : llvm::zip(group.results, elements))
      kernel.storeResult(loc, result, value, index);
  });
  return success();
}

LogicalResult GenericEmitter::run(const Group &group) {
  Value first = kernel.segment.getYielded(group.results.front());
  SmallVector<OpFoldResult> sizes;
  for (unsigned d = 0; d < group.shape.size(); ++d)
    sizes.push_back(kernel.getDim(first, d));
  OpFoldResult count = emitProduct(b, loc, sizes);
  // A thread alone has no barrier to come to.
  Value any = parts > 1
                  ? emitCompare(b, loc, CmpIPredicate::ne,
                                emitIndex(b, loc, count), b.getIndexAttr(0))
                  : emitCompare(b, loc, CmpIPredicate::ult, element, count);
  LogicalResult result = failure();
  emitIf(b, loc, any, [&] { result = emitElements(group, sizes, count); });
  return result;
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

static SmallVector<Group> groupResults(SegmentOp segment,
                                       const ShapeSymbols &symbols) {
  SmallVector<Group> groups;
  for (unsigned i = 0; i < segment->getNumResults(); ++i) {
    SymbolicShape shape = symbols.getShape(segment.getYielded(i));
    auto *it = llvm::find_if(
        groups, [&](const Group &group) { return group.shape == shape; });
    if (it == groups.end())
      groups.push_back({shape, {i}});
    else
      it->results.push_back(i);
  }
  return groups;
}

/// The blocks for the largest of the results.
static LaunchSize getLaunchSize(SegmentLowering &lowering,
                                fusion::GenericScheduleAttr schedule) {
  OpBuilder &b = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  int64_t perBlock = schedule.getThreads() / schedule.getParts();
  OpFoldResult most = b.getIndexAttr(0);
  for (OpResult result : lowering.getSegment()->getResults())
    most = emitMax(b, loc, most,
                   emitProduct(b, loc, lowering.getSizes(result)));
  return {emitCeilDiv(b, loc, most, perBlock), schedule.getThreads()};
}

LogicalResult fuser::lowerGeneric(SegmentLowering &lowering) {
  SegmentOp segment = lowering.getSegment();
  auto schedule = cast<fusion::GenericScheduleAttr>(*segment.getSchedule());
  OpBuilder b(segment.getContext());
  gpu::GPUFuncOp func = createGpuKernel(b, lowering, {schedule.getThreads()});
  setMinBlocks(func, schedule.getMinBlocks());
  SegmentKernel kernel(b, segment, func.getArguments());
  GenericEmitter emitter(kernel, schedule, func);
  for (const Group &group : groupResults(segment, lowering.getSymbols()))
    if (failed(emitter.run(group)))
      return failure();
  lowering.launch(func, getLaunchSize(lowering, schedule));
  return success();
}
