//===- SplitReductionKernel.cpp - Reductions by many thread blocks --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few results of which each is made of many elements: one thread block a result
// would leave most of the GPU idle. Two kernels instead, with a workspace
// between them for each accumulator:
//
//   partial  a thread block a section of a result's elements
//            (ReductionTree.h): workspace[result, section]
//   fold     a thread block a result: the sections in their order, and what is
//            made of the reductions
//
// The order of the sums is that of one thread block.
//
//===----------------------------------------------------------------------===//

#include "GpuKernel.h"
#include "Reduction/NeighbourReduction.h"
#include "Reduction/PartialSums.h"
#include "fuser/Analysis/OpSummary.h"
#include "fuser/Analysis/ReductionSpace.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Schedule/GenericHeuristic.h"
#include "fuser/Schedule/GroupFit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;
using arith::CmpIPredicate;
using fusion::ReductionOpInterface;
using fusion::SegmentOp;
using Request = ElementEmitter::ReductionRequest;

namespace {
/// How the space of the reductions looks in one of the functions.
struct Extents {
  SmallVector<OpFoldResult> kept; ///< Sizes.
  OpFoldResult count;             ///< Elements that are reduced to one.
  Value sections;                 ///< Of one result.
};

/// All of a segment's reductions, which are of one space.
struct Plan : ReductionSpace {
  PartialSums partials;
  /// All of what is reduced lies in memory alike, without gaps.
  bool isFlat = false;
};
} // namespace

static Extents emitExtents(OpBuilder &b, Location loc, SegmentSizes &sizes,
                           const Plan &plan) {
  Extents extents;
  extents.kept = sizes.getDims(plan.tensor, plan.keptDims);
  extents.count =
      emitProduct(b, loc, sizes.getDims(plan.tensor, plan.reducedDims));
  extents.sections =
      emitIndex(b, loc, emitCeilDiv(b, loc, extents.count, kSectionElements));
  return extents;
}

/// What is reduced to one element, as an axis; none if it lies flat.
static TileSpace emitReducedSpace(OpBuilder &b, Location loc,
                                  SegmentSizes &sizes, const Plan &plan) {
  TileSpace space;
  if (plan.isFlat)
    return space;
  TileSpace::Axis &axis = space.axes.emplace_back();
  axis.dims = plan.reducedDims;
  axis.sizes = sizes.getDims(plan.tensor, plan.reducedDims);
  axis.extent = emitProduct(b, loc, axis.sizes);
  return space;
}

//===----------------------------------------------------------------------===//
// Partial sums
//===----------------------------------------------------------------------===//

static LogicalResult emitPartial(OpBuilder &b, SegmentKernel &kernel,
                                 const Plan &plan, gpu::GPUFuncOp func,
                                 int64_t numThreads, ValueRange inverses) {
  Location loc = kernel.segment.getLoc();
  ElementEmitter &elements = kernel.getElements();
  Value thread = emitThread(b, loc), position = emitBlock(b, loc);
  Extents extents = emitExtents(b, loc, kernel.getSizes(), plan);
  Value element = arith::DivUIOp::create(b, loc, position, extents.sections);
  Value section = arith::RemUIOp::create(b, loc, position, extents.sections);
  SmallVector<Value> kept =
      emitCoordinates(b, loc, element, extents.kept,
                      isNarrow(emitProduct(b, loc, extents.kept)));
  SmallVector<Value> index(plan.getRank());
  for (auto [dim, coordinate] : llvm::zip(plan.keptDims, kept))
    index[dim] = coordinate;
  Value begin = arith::MulIOp::create(b, loc, section,
                                      elements.getIndex(loc, kSectionElements));
  ReductionRange range = getSection(elements, loc, begin, extents.count);
  SmallVector<Request, 1> requests;
  for (ReductionOpInterface op : plan.reductions)
    requests.push_back(elements.makeReductionRequest(loc, op, index));
  ReductionWalk walk(b, func);
  TileSpace space = emitReducedSpace(b, loc, kernel.getSizes(), plan);
  space.setInverses(inverses);
  NeighbourReduction all(kernel, walk, requests, thread, numThreads);
  if (plan.isFlat) {
    kernel.flattenTensors(loc, extents.count);
    all.setFlat(emitIndex(b, loc, extents.count));
  } else {
    all.setAxis(space.axes.front());
  }
  Accumulators partial;
  if (all.getAccessWidth() != 1) {
    partial = all.emit(range);
  } else {
    for (Request &request : requests) {
      if (!partial.empty())
        gpu::BarrierOp::create(b, loc);
      NeighbourReduction one(kernel, walk, request, thread, numThreads);
      one.setAxis(space.axes.front());
      llvm::append_range(partial, one.emit(range));
    }
  }
  Value isFirst =
      emitCompare(b, loc, CmpIPredicate::eq, thread, b.getIndexAttr(0));
  emitIf(b, loc, isFirst, [&] {
    plan.partials.store(b, loc, plan.partials.getAccesses(func), partial,
                        position);
  });
  return kernel.getStatus();
}

//===----------------------------------------------------------------------===//
// Folding them
//===----------------------------------------------------------------------===//

namespace {
class FoldEmitter {
public:
  FoldEmitter(OpBuilder &b, SegmentKernel &kernel, const Plan &plan,
              gpu::GPUFuncOp func, int64_t threads)
      : b(b), kernel(kernel), elements(kernel.getElements()), plan(plan),
        func(func), loc(kernel.segment.getLoc()), threads(threads) {}

  LogicalResult run(const ShapeSymbols &symbols);

private:
  Accumulators emitSum(Request &request);
  Accumulators emitGroups(Request &request, Value first);
  Accumulators load(Request &request, Value position);
  Value getConstant(int64_t value) { return elements.getIndex(loc, value); }

  OpBuilder &b;
  SegmentKernel &kernel;
  ElementEmitter &elements;
  const Plan &plan;
  gpu::GPUFuncOp func;
  Location loc;
  int64_t threads;
  Value thread;
  Extents extents;
  SmallVector<TensorAccess> accesses; ///< Of the partial sums.
  SmallVector<Value> shared;          ///< Of each slot: a value a thread.
};
} // namespace

/// The same as emitChain with steps of one; so many parts are read before the
/// first of them is added.
static Accumulators
emitReadChain(ElementEmitter &elements, const Combiner &combiner, Value begin,
              Value end, ValueRange before,
              llvm::function_ref<Accumulators(Value)> read) {
  constexpr int64_t kAtOnce = 16;
  OpBuilder &b = combiner.b;
  Location loc = combiner.loc;
  Value last = arith::SubIOp::create(b, loc, end, elements.getIndex(loc, 1));
  return elements.emitLoop(
      loc, begin, end, elements.getIndex(loc, kAtOnce), before,
      [&](Value first, ValueRange carried) {
        SmallVector<Accumulators> parts;
        SmallVector<Value> exist;
        for (int64_t i = 0; i < kAtOnce; ++i) {
          Value at = elements.addIndex(loc, first, i);
          exist.push_back(
              arith::CmpIOp::create(b, loc, CmpIPredicate::ult, at, end));
          parts.push_back(read(arith::MinUIOp::create(b, loc, at, last)));
        }
        Accumulators sum(carried);
        for (auto [isThere, part] : llvm::zip(exist, parts))
          sum = combiner.join(sum, combiner.orNeutral(isThere, part));
        return sum;
      });
}

/// The accumulators that the partial sums at `position` are.
Accumulators FoldEmitter::load(Request &request, Value position) {
  unsigned first = plan.partials.getFirstSlot(request.op);
  return plan.partials.load(
      b, loc, ArrayRef(accesses).slice(first, request.types.size()), position,
      /*width=*/1, first);
}

/// Steps 5 and 6 of the order: a thread adds 64 sections, and all threads add
/// what each of them has. `first` is the position of the result's first
/// section.
Accumulators FoldEmitter::emitGroups(Request &request, Value first) {
  Combiner combiner = makeCombiner(kernel, request.op, request.neutral);
  unsigned slot = plan.partials.getFirstSlot(request.op);
  auto sharedOfOp = ArrayRef<Value>(shared).slice(slot, request.types.size());
  auto min = [&](Value lhs, Value rhs) {
    return Value(arith::MinUIOp::create(b, loc, lhs, rhs));
  };
  auto add = [&](Value lhs, Value rhs) {
    return Value(arith::AddIOp::create(b, loc, lhs, rhs));
  };
  // So many sections at a time, of which each thread has a group.
  int64_t step = threads * kSectionGroup;
  Value own = arith::MulIOp::create(b, loc, thread, getConstant(kSectionGroup));
  auto emitStep = [&](Value at, ValueRange before) -> Accumulators {
    Value begin = min(add(at, own), extents.sections);
    Value end =
        min(elements.addIndex(loc, begin, kSectionGroup), extents.sections);
    Accumulators group = emitReadChain(
        elements, combiner, begin, end, combiner.neutral,
        [&](Value section) { return load(request, add(first, section)); });
    for (auto [value, memory] : llvm::zip(group, sharedOfOp))
      memref::StoreOp::create(b, loc, value, memory, thread);
    gpu::BarrierOp::create(b, loc);
    Value left = arith::SubIOp::create(b, loc, extents.sections, at);
    Value groups = emitIndex(b, loc, emitCeilDiv(b, loc, left, kSectionGroup));
    Accumulators sum = emitReadChain(
        elements, combiner, getConstant(0), min(groups, getConstant(threads)),
        before, [&](Value position) {
          return llvm::map_to_vector(sharedOfOp, [&](Value memory) -> Value {
            return memref::LoadOp::create(b, loc, memory, position);
          });
        });
    gpu::BarrierOp::create(b, loc);
    return sum;
  };
  return elements.emitLoop(loc, getConstant(0), extents.sections,
                           getConstant(step), request.neutral, emitStep);
}

Accumulators FoldEmitter::emitSum(Request &request) {
  SmallVector<Value> kept;
  for (int64_t dim : plan.keptDims)
    kept.push_back(request.index[dim]);
  Value element = emitLinear(b, loc, kept, extents.kept, getConstant(0));
  return emitGroups(request,
                    arith::MulIOp::create(b, loc, element, extents.sections));
}

/// A block has one element, so that all of its threads take the same branches.
LogicalResult FoldEmitter::run(const ShapeSymbols &symbols) {
  ElementThreads element(kernel, threads, threads);
  thread = element.part;
  extents = emitExtents(b, loc, kernel.getSizes(), plan);
  accesses = plan.partials.getAccesses(func);
  for (Type type : plan.partials.getSlots())
    shared.push_back(addSharedMemory(func, loc, type, threads));
  elements.setReducer([this](Request &request) { return emitSum(request); });
  emitElements(kernel, symbols, element);
  return kernel.getStatus();
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

static FailureOr<Plan> makePlan(SegmentOp segment,
                                const ShapeSymbols &symbols) {
  Plan plan;
  Decision verdict = schedule::acceptsSplitReduction(
      schedule::getGenericProblem(fusion::summarizeSegment(segment, symbols)));
  if (verdict)
    verdict = findReducedSpace(segment, symbols, plan);
  if (!verdict)
    return segment.emitOpError()
           << "does not fit its split_reduction schedule: "
           << verdict.getReason();
  plan.partials = PartialSums(plan.reductions);
  auto operands =
      llvm::map_to_vector<1>(plan.reductions, [](ReductionOpInterface op) {
        return fusion::getTensorOperands(op).front()->get();
      });
  plan.isFlat = plan.keptDims.empty() && isRowMajor(segment, operands);
  return plan;
}

LogicalResult fuser::lowerSplitReduction(SegmentLowering &lowering) {
  SegmentOp segment = lowering.getSegment();
  FailureOr<Plan> plan = makePlan(segment, lowering.getSymbols());
  if (failed(plan))
    return failure();
  auto schedule =
      cast<fusion::SplitReductionScheduleAttr>(*segment.getSchedule());
  SmallVector<Type> types = plan->partials.getMemRefTypes();
  OpBuilder b(segment.getContext());

  OpBuilder &host = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  TileSpace space =
      emitReducedSpace(host, loc, lowering.getInnerSizes(), *plan);
  SmallVector<Type> partialTypes = space.getInverseTypes(host);
  size_t numInverses = partialTypes.size();
  llvm::append_range(partialTypes, types);
  int64_t threads = schedule.getThreads();
  gpu::GPUFuncOp partial = createGpuKernel(
      b, lowering,
      {threads, schedule.getMinBlocks(), "_partial", partialTypes});
  SegmentKernel partialKernel(b, segment, partial.getArguments(),
                              &lowering.getSymbols());
  if (schedule.getProgrammatic())
    kernel::GridDependencyLaunchOp::create(b, lowering.getLoc());
  ValueRange inverses =
      partial.getArguments()
          .take_front(partial.getFunctionType().getNumInputs())
          .drop_back(types.size())
          .take_back(numInverses);
  if (failed(emitPartial(b, partialKernel, *plan, partial, threads, inverses)))
    return failure();

  int64_t foldThreads = schedule.getFoldThreads();
  gpu::GPUFuncOp fold =
      createGpuKernel(b, lowering, {foldThreads, /*minBlocks=*/0, "", types});
  SegmentKernel foldKernel(b, segment, fold.getArguments(),
                           &lowering.getSymbols());
  if (schedule.getProgrammatic())
    kernel::GridDependencyWaitOp::create(b, lowering.getLoc());
  if (failed(FoldEmitter(b, foldKernel, *plan, fold, foldThreads)
                 .run(lowering.getSymbols())))
    return failure();

  Extents extents = emitExtents(host, loc, lowering.getInnerSizes(), *plan);
  SmallVector<OpFoldResult> factors = extents.kept;
  factors.push_back(getAsOpFoldResult(extents.sections));
  OpFoldResult blocks = emitProduct(host, loc, factors);
  SmallVector<Value> workspaces =
      plan->partials.createWorkspaces(lowering, blocks);
  SmallVector<Value> partialArguments = space.emitInverses(host, loc);
  llvm::append_range(partialArguments, workspaces);
  lowering.launch(partial, {blocks, threads}, partialArguments);
  lowering.launch(fold,
                  {emitMostElements(lowering), foldThreads,
                   /*clusterBlocks=*/1, schedule.getProgrammatic()},
                  workspaces);
  return success();
}
