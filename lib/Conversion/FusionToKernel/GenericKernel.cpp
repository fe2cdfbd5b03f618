//===- GenericKernel.cpp - Some threads an element -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has `threads / parts` neighbouring elements of the results. Each is
// computed from scratch, by one thread, or by `parts` threads that share the
// work of its reductions:
//
//   every thread: each parts-th element that is reduced, in four chains
//   the threads of the element: BlockReduction
//   thread 0 of the element: what is made of the reductions, stores
//
// Threads beyond the last element work on the last one, and store nothing: all
// threads come to the barriers.
//
//===----------------------------------------------------------------------===//

#include "BlockReduction.h"
#include "GpuKernel.h"
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

using Accumulators = SmallVector<Value>;

class GenericEmitter {
public:
  GenericEmitter(SegmentKernel &kernel, fusion::GenericScheduleAttr schedule,
                 gpu::GPUFuncOp func);
  LogicalResult run(const Group &group);

private:
  using Request = ElementEmitter::ReductionRequest;

  Accumulators emitReduction(Request &request);
  Accumulators emitChains(Request &request, Value count);
  SmallVector<Accumulators> emitBlocks(Request &request, Value end);
  SmallVector<Accumulators> emitLoop(Request &request, Value begin, Value end,
                                     SmallVector<Accumulators> chains);
  Accumulators emitStep(Request &request, Value position,
                        ValueRange accumulators);
  void setPosition(Request &request, Value position);
  Accumulators combine(Request &request, ValueRange lhs, ValueRange rhs);
  LogicalResult emitElements(const Group &group, ArrayRef<OpFoldResult> sizes,
                             OpFoldResult count);
  Value getConstant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  template <typename Fn>
  auto withContext(Fn fn);

  SegmentKernel &kernel;
  OpBuilder &b;
  Location loc;
  int64_t parts;
  Value element; ///< The number of the thread's element.
  Value part;    ///< Of the reductions of the element.
  BlockReduction block;
};
} // namespace

/// How many sums a thread runs side by side, so that as many reads are under
/// way.
static constexpr int64_t kChains = 4;

/// How many elements a chain adds one after the other.
static constexpr int64_t kBlockSteps = 64;

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
      parts(schedule.getParts()), block(makeBlock(schedule, b, func)) {
  Value thread = emitThread(b, loc);
  Value inBlock = thread;
  if (parts > 1) {
    Value width =
        getConstant(schedule.getStride() == 1 ? parts : schedule.getStride());
    Value high = arith::DivUIOp::create(b, loc, thread, width);
    Value low = arith::RemUIOp::create(b, loc, thread, width);
    inBlock = schedule.getStride() == 1 ? high : low;
    part = schedule.getStride() == 1 ? low : high;
    kernel.getElements().setReducer(
        [this](Request &request) { return emitReduction(request); });
  }
  element = arith::AddIOp::create(
      b, loc, emitBlockStart(b, loc, schedule.getThreads() / parts), inBlock);
}

template <typename Fn>
auto GenericEmitter::withContext(Fn fn) {
  auto dimFn = [&](Value tensor, int64_t d) {
    return kernel.getDim(tensor, d);
  };
  auto scalarFn = [&](Value value) { return kernel.getScalar(value); };
  EmitContext ctx{b, loc, dimFn, scalarFn};
  return fn(ctx);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Accumulators GenericEmitter::combine(Request &request, ValueRange lhs,
                                     ValueRange rhs) {
  return withContext(
      [&](EmitContext &ctx) { return request.op.emitCombine(ctx, lhs, rhs); });
}

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

Accumulators GenericEmitter::emitStep(Request &request, Value position,
                                      ValueRange accumulators) {
  setPosition(request, position);
  Value value = kernel.getElements().emit(loc, request.operand, request.index);
  if (!value)
    return {};
  Accumulators prepared = withContext([&](EmitContext &ctx) {
    return request.op.emitPrepare(ctx, value, request.types);
  });
  return combine(request, accumulators, prepared);
}

/// From `begin` on, in steps of one element a chain, while all chains have one
/// before `end`.
SmallVector<Accumulators>
GenericEmitter::emitLoop(Request &request, Value begin, Value end,
                         SmallVector<Accumulators> chains) {
  SmallVector<Value> init;
  for (const Accumulators &chain : chains)
    llvm::append_range(init, chain);
  int64_t numChains = chains.size();
  auto loop = scf::ForOp::create(b, loc, begin, end,
                                 getConstant(parts * numChains), init);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter &elements = kernel.getElements();
  ElementEmitter::Scope scope(elements);
  b.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> positions;
  for (int64_t i = 0; i < numChains; ++i)
    positions.push_back(
        elements.addIndex(loc, loop.getInductionVar(), i * parts));
  for (Value position : positions) {
    setPosition(request, position);
    elements.prefetch(loc, request.operand, request.index);
  }
  SmallVector<Value> next;
  for (int64_t i = 0; i < numChains; ++i) {
    size_t size = request.types.size();
    Accumulators chain = emitStep(
        request, positions[i], loop.getRegionIterArgs().slice(i * size, size));
    if (chain.empty())
      return {};
    llvm::append_range(next, chain);
    chains[i] =
        llvm::to_vector(ValueRange(loop.getResults()).slice(i * size, size));
  }
  scf::YieldOp::create(b, loc, next);
  return chains;
}

/// The sums from `part` on while all chains have an element before `end`, in
/// blocks of kBlockSteps steps: the error of a sum grows with the length of
/// what is added one after the other.
SmallVector<Accumulators> GenericEmitter::emitBlocks(Request &request,
                                                     Value end) {
  SmallVector<Value> init;
  for (int64_t i = 0; i < kChains; ++i)
    llvm::append_range(init, request.neutral);
  Value width = getConstant(parts * kChains * kBlockSteps);
  auto loop = scf::ForOp::create(b, loc, part, end, width, init);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(kernel.getElements());
  b.setInsertionPointToEnd(loop.getBody());
  Value begin = loop.getInductionVar();
  Value blockEnd = arith::MinSIOp::create(
      b, loc, arith::AddIOp::create(b, loc, begin, width), end);
  SmallVector<Accumulators> sums =
      emitLoop(request, begin, blockEnd,
               SmallVector<Accumulators>(kChains, request.neutral));
  if (sums.empty())
    return {};
  size_t size = request.types.size();
  SmallVector<Value> next;
  SmallVector<Accumulators> chains;
  for (int64_t i = 0; i < kChains; ++i) {
    llvm::append_range(
        next, combine(request, loop.getRegionIterArgs().slice(i * size, size),
                      sums[i]));
    chains.push_back(
        llvm::to_vector(ValueRange(loop.getResults()).slice(i * size, size)));
  }
  scf::YieldOp::create(b, loc, next);
  return chains;
}

/// What this thread reduces of `count` elements.
Accumulators GenericEmitter::emitChains(Request &request, Value count) {
  // The loop over whole steps ends where the last chain's element is beyond.
  Value whole =
      arith::SubIOp::create(b, loc, count, getConstant(parts * (kChains - 1)));
  SmallVector<Accumulators> chains = emitBlocks(request, whole);
  if (chains.empty())
    return {};
  Value step = getConstant(parts * kChains);
  Value left = arith::MaxSIOp::create(
      b, loc, arith::SubIOp::create(b, loc, whole, part), getConstant(0));
  Value steps = arith::CeilDivUIOp::create(b, loc, left, step);
  Value rest = arith::AddIOp::create(
      b, loc, part, arith::MulIOp::create(b, loc, steps, step));
  SmallVector<Accumulators> tail = emitLoop(request, rest, count, {chains[0]});
  if (tail.empty())
    return {};
  chains[0] = tail[0];
  for (size_t half = kChains / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i)
      chains[i] = combine(request, chains[i], chains[i + half]);
  return chains[0];
}

Accumulators GenericEmitter::emitReduction(Request &request) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : request.dims)
    sizes.push_back(kernel.getDim(request.operand, dim));
  Value count = emitIndex(b, loc, emitProduct(b, loc, sizes));
  Accumulators mine = emitChains(request, count);
  if (mine.empty())
    return {};
  return block.emit(loc, mine, request.neutral,
                    [&](ValueRange lhs, ValueRange rhs) {
                      return combine(request, lhs, rhs);
                    });
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

LogicalResult fuser::emitGenericKernel(OpBuilder &b, SegmentOp segment,
                                       StringRef name,
                                       const ShapeSymbols &symbols) {
  auto schedule = cast<fusion::GenericScheduleAttr>(*segment.getSchedule());
  gpu::GPUFuncOp func =
      createGpuKernel(b, segment, name, schedule.getThreads());
  SegmentKernel kernel(b, segment, func.getArguments());
  GenericEmitter emitter(kernel, schedule, func);
  for (const Group &group : groupResults(segment, symbols))
    if (failed(emitter.run(group)))
      return failure();
  return success();
}
