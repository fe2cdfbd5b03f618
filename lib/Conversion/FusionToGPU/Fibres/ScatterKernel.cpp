//===- ScatterKernel.cpp - Scatters by sorted indices ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The indices of a row are sorted (SortedRows.h), so that the updates of one
// element follow each other, in the order in which they come. If there is one
// row of them, for all columns:
//
//   sort      indices, as positions in a workspace
//   starts    of each element the place of its first update
//   elements  a thread makes neighbours of the result, of the input and of all
//             of their updates, and what the segment makes of them
//
// If each column has its own, the scatter is alone:
//
//   copy   the result is operand 0
//   sort
//   runs   a thread has an update; that of the first one of its element makes
//          the element of all of them, as the op does for a fibre of one
//          element
//
// So an element is what one thread would make of it, bit by bit, and nothing is
// atomic.
//
//===----------------------------------------------------------------------===//

#include "../Reduction/PartialSums.h"
#include "SortedRows.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Schedule/GroupFit.h"
#include "fuser/Schedule/OrderHeuristic.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace fuser;
using arith::CmpIPredicate;
using fusion::ScatterOpInterface;
using fusion::SegmentOp;

/// Operands of the op.
static constexpr unsigned kInput = 0, kIndices = 1, kUpdates = 2;

static Value getOperand(ScatterOpInterface op, unsigned number) {
  return fusion::getTensorOperands(op)[number]->get();
}

//===----------------------------------------------------------------------===//
// Elements of the result
//===----------------------------------------------------------------------===//

/// Neighbours of the last dimension that one thread has: of 16 bytes of the
/// narrowest result, as far as rows are known to have a multiple of them.
static int64_t getVectorWidth(SegmentLowering &lowering) {
  constexpr int64_t kBytes = 16;
  int64_t width = 1;
  ValueRange results = lowering.getSegment().getYield().getOperands();
  for (Value result : results) {
    unsigned bits =
        getElementTypeOrSelf(result.getType()).getIntOrFloatBitWidth();
    width = std::max(width, kBytes / int64_t(llvm::divideCeil(bits, 8)));
  }
  int64_t divisor = lowering.getSymbols().getDivisors(results.front()).back();
  while (divisor % width != 0)
    width /= 2;
  return width;
}

/// A kernel whose threads have `width` neighbours of the results each, which
/// `emit` stores.
static LogicalResult
launchVectors(SegmentLowering &lowering, RowKernel &k, int64_t width,
              ValueRange workspaces,
              function_ref<void(ArrayRef<Value> index)> emit) {
  Value result = lowering.getSegment().getYield().getOperand(0);
  auto getVectors = [&](OpBuilder &b, SmallVector<OpFoldResult> sizes) {
    sizes.back() = emitCeilDiv(b, lowering.getLoc(), sizes.back(), width);
    return sizes;
  };
  SmallVector<OpFoldResult> sizes =
      getVectors(k.b, k.kernel.getSizes().getDims(result));
  forOwnElement(k, sizes, [&](ArrayRef<Value> at, Value isThere) {
    k.ifTrue(isThere, [&] {
      SmallVector<Value> index(at);
      index.back() =
          arith::MulIOp::create(k.b, k.loc, index.back(), k.getIndex(width));
      emit(index);
    });
  });
  OpBuilder &host = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  OpFoldResult count = emitProduct(
      host, loc,
      getVectors(host, lowering.getSizes(lowering.getSegment()->getResult(0))));
  launchElements(lowering, k.func, count, workspaces);
  return k.kernel.getStatus();
}

static LogicalResult launchCopy(SegmentLowering &lowering,
                                const SortedRows &sorted,
                                ScatterOpInterface op) {
  int64_t width = getVectorWidth(lowering);
  RowKernel k(lowering, sorted, {kElementThreads, 0, "_copy"});
  return launchVectors(lowering, k, width, {}, [&](ArrayRef<Value> index) {
    Value copied = k.elements.emit(k.loc, getOperand(op, kInput), index, width);
    k.kernel.storeResult(k.loc, 0, copied, index);
  });
}

//===----------------------------------------------------------------------===//
// Updates of each element
//===----------------------------------------------------------------------===//

namespace {
/// Of a scatter whose one row of indices is for all columns.
class RowScatter : public RowSort {
public:
  RowScatter(SegmentLowering &lowering, const SortedRows &sorted,
             ScatterOpInterface op, Value positions)
      : RowSort(lowering, sorted), op(op), dim(op.getFibreDim()),
        positions(positions) {}

  LogicalResult launchStarts();
  LogicalResult launchResult();

private:
  Value emitElements(RowKernel &k, ArrayRef<Value> index, int64_t width);

  ScatterOpInterface op;
  int64_t dim;
  Value positions, starts;
};
} // namespace

/// A thread an element along the dimension, and one that ends the last one.
LogicalResult RowScatter::launchStarts() {
  OpFoldResult length =
      lowering.getSizes(lowering.getSegment()->getResult(0))[dim];
  OpFoldResult count = host.createOrFold<arith::AddIOp>(
      loc, emitIndex(host, loc, length), getIndex(1));
  // Nothing else but the positions is in use any more.
  bool isFirst = positions.getDefiningOp<host::WorkspaceOp>().getNumber() == 0;
  starts = createWorkspace(isFirst ? 1 : 0, positionType, count);
  Value workspaces[] = {positions, starts};
  auto emit = [&](RowKernel &k) {
    Value end =
        k.add(emitIndex(k.b, k.loc, k.kernel.getDim(op->getResult(0), dim)),
              k.getIndex(1));
    forOwnElement(k, {OpFoldResult(end)}, [&](auto at, Value isThere) {
      Value zero = k.getIndex(0);
      Value start = emitBisection(k, zero, k.length, [&](Value place) {
        Value position = k.load(k.workspaces[0], zero, place);
        Value index = k.elements.emit(k.loc, getOperand(op, kIndices),
                                      k.getIndexOf(zero, position));
        // Less than 0 is more than any size, unsigned.
        return k.compare(
            CmpIPredicate::ult,
            arith::IndexCastOp::create(k.b, k.loc, k.b.getIndexType(), index),
            at[0]);
      });
      k.ifTrue(isThere,
               [&] { k.storePosition(start, k.workspaces[1], at[0]); });
    });
    return k.kernel.getStatus();
  };
  gpu::GPUFuncOp kernel =
      createElementKernel("_starts", ValueRange(workspaces).getTypes(), emit);
  if (!kernel)
    return failure();
  launchElements(lowering, kernel, count, workspaces);
  return success();
}

/// Neighbours of the result, which have the same updates.
Value RowScatter::emitElements(RowKernel &k, ArrayRef<Value> index,
                               int64_t width) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  auto loadNumber = [&](Value workspace, Value at) {
    return k.toIndex(memref::LoadOp::create(k.b, k.loc, workspace, at));
  };
  auto loadUpdate = [&](Value place) -> Value {
    SmallVector<Value> from(index);
    from[op.getOperandFibreDim(kUpdates)] = loadNumber(k.workspaces[0], place);
    return k.elements.emit(k.loc, getOperand(op, kUpdates), from, width);
  };
  Value one = k.getIndex(1), begin = loadNumber(k.workspaces[1], index[dim]);
  Value end = loadNumber(k.workspaces[1], k.add(index[dim], one));
  if (op.isReplacing())
    begin = k.select(k.compare(CmpIPredicate::ult, begin, end), k.sub(end, one),
                     begin);
  Value before = k.elements.emit(k.loc, getOperand(op, kInput), index, width);
  auto update = [&](Value place, ValueRange carried) -> SmallVector<Value> {
    Value after = k.kernel.withContext(k.loc, [&](fusion::EmitContext &ctx) {
      return op.emitUpdated(ctx, carried.front(), loadUpdate(place));
    });
    // As it is between two updates in memory.
    Value stored = emitToStorage(k.b, k.loc, after, element);
    return {emitToCompute(k.b, k.loc, stored, element)};
  };
  return k.elements.emitLoop(k.loc, begin, end, one, before, update).front();
}

LogicalResult RowScatter::launchResult() {
  Value result = op->getResult(0);
  bool isLast = dim + 1 == cast<RankedTensorType>(result.getType()).getRank();
  int64_t width = isLast ? 1 : getVectorWidth(lowering);
  Value workspaces[] = {positions, starts};
  SmallVector<Type> types(ValueRange(workspaces).getTypes());
  RowKernel k(lowering, sorted, {kElementThreads, 0, "", types});
  k.elements.bind(
      result, [&](OpBuilder &, Location, ValueRange index, int64_t elements) {
        return emitElements(k, llvm::to_vector(index), elements);
      });
  auto results = llvm::to_vector(
      llvm::seq<unsigned>(lowering.getSegment()->getNumResults()));
  return launchVectors(
      lowering, k, width, workspaces, [&](ArrayRef<Value> index) {
        k.kernel.emitAndStore(k.loc, results, width,
                              [&](unsigned) { return llvm::to_vector(index); });
      });
}

//===----------------------------------------------------------------------===//
// Runs of equal indices
//===----------------------------------------------------------------------===//

namespace {
class RunEmitter {
public:
  RunEmitter(RowKernel &k, ScatterOpInterface op)
      : k(k), op(op), dim(op.getFibreDim()),
        updateDim(op.getOperandFibreDim(kUpdates)) {}

  /// A thread an update.
  LogicalResult run();

private:
  Value loadPosition(Value place) {
    return k.load(k.workspaces[0], row, place);
  }
  Value loadOperand(unsigned operand, Value position) {
    return k.elements.emit(k.loc, getOperand(op, operand),
                           op.getFibreIndex(operand, fibre, position));
  }
  /// The index that comes at `place` in order.
  Value loadIndex(Value place) {
    return loadOperand(kIndices, loadPosition(place));
  }
  void setFibre(ArrayRef<Value> update);
  Value emitRunEnd(Value place, Value mine);
  void emitElement(Value position, Value begin, Value end);

  RowKernel &k;
  ScatterOpInterface op;
  int64_t dim, updateDim;
  SmallVector<Value> fibre; ///< An index of the result, null along `dim`.
  Value row;                ///< Of indices.
};
} // namespace

/// Updates have the dimensions of the result; where they are in it follows from
/// the fibre but for one.
void RunEmitter::setFibre(ArrayRef<Value> update) {
  fibre.assign(update.begin(), update.end());
  fibre.erase(fibre.begin() + updateDim);
  fibre.insert(fibre.begin() + dim, Value());
  SmallVector<Value> indices = op.getFibreIndex(kIndices, fibre, k.getIndex(0));
  SmallVector<Value> others;
  for (int64_t rowDim : k.sorted.problem.rowDims)
    others.push_back(indices[rowDim]);
  row = emitLinear(k.b, k.loc, others, k.rows.dims, k.getIndex(0));
}

/// The first place behind `place` whose index is another one than `mine`.
Value RunEmitter::emitRunEnd(Value place, Value mine) {
  Value one = k.getIndex(1), last = k.sub(k.length, one);
  auto loop = scf::WhileOp::create(
      k.b, k.loc, k.b.getIndexType(), k.elements.addIndex(k.loc, place, 1),
      [&](OpBuilder &, Location, ValueRange at) {
        ElementEmitter::Scope scope(k.elements);
        Value isThere = k.compare(CmpIPredicate::ult, at[0], k.length);
        Value isMine =
            k.compare(CmpIPredicate::eq, loadIndex(k.min(at[0], last)), mine);
        scf::ConditionOp::create(
            k.b, k.loc, arith::AndIOp::create(k.b, k.loc, isThere, isMine), at);
      },
      [&](OpBuilder &, Location, ValueRange at) {
        ElementEmitter::Scope scope(k.elements);
        scf::YieldOp::create(k.b, k.loc, k.add(at[0], one));
      });
  return loop.getResult(0);
}

/// The element at `position` of a fibre, of the updates from `begin` to `end`
/// in order.
void RunEmitter::emitElement(Value position, Value begin, Value end) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  SmallVector<Value> index(fibre);
  index[dim] = position;
  auto operandLength = [&](unsigned operand) {
    return operand == kInput ? k.getIndex(1) : k.sub(end, begin);
  };
  auto load = [&](unsigned operand, Value at) -> Value {
    ElementEmitter::Scope scope(k.elements);
    if (operand == kInput)
      return loadOperand(kInput, position);
    if (operand == kUpdates)
      return loadOperand(kUpdates, loadPosition(k.add(begin, at)));
    Type type = getComputeType(
        getElementTypeOrSelf(getOperand(op, kIndices).getType()));
    return arith::ConstantIntOp::create(k.b, k.loc, type, 0);
  };
  auto loadResult = [&](Value) {
    Value stored =
        k.kernel.getResultAccess(0).load(k.b, k.loc, index, /*width=*/1);
    return emitToCompute(k.b, k.loc, stored, element);
  };
  auto store = [&](Value, Value value) {
    k.kernel.storeResult(k.loc, 0, value, index);
  };
  k.kernel.withContext(k.loc, [&](fusion::EmitContext &ctx) {
    fusion::FibreContext one{ctx,           getComputeType(element),
                             k.getIndex(1), operandLength,
                             load,          loadResult,
                             store};
    op.emitFibre(one);
  });
}

LogicalResult RunEmitter::run() {
  SmallVector<OpFoldResult> sizes =
      k.kernel.getSizes().getDims(getOperand(op, kUpdates));
  forOwnElement(k, sizes, [&](ArrayRef<Value> update, Value isThere) {
    setFibre(update);
    Value place = update[updateDim], zero = k.getIndex(0);
    Value mine = loadIndex(place);
    Value isFirst = k.compare(CmpIPredicate::eq, place, zero);
    Value previous =
        loadIndex(k.select(isFirst, place, k.sub(place, k.getIndex(1))));
    Value isOther = k.compare(CmpIPredicate::ne, previous, mine);
    Value begins = arith::OrIOp::create(k.b, k.loc, isFirst, isOther);
    Value position =
        arith::IndexCastOp::create(k.b, k.loc, k.b.getIndexType(), mine);
    // Less than 0 is more than any size, unsigned.
    Value isInside = emitCompare(k.b, k.loc, CmpIPredicate::ult, position,
                                 k.kernel.getDim(op->getResult(0), dim));
    Value works =
        emitAnd(k.b, k.loc, emitAnd(k.b, k.loc, isThere, begins), isInside);
    k.ifTrue(works,
             [&] { emitElement(position, place, emitRunEnd(place, mine)); });
  });
  return k.kernel.getStatus();
}

static LogicalResult launchRuns(SegmentLowering &lowering,
                                const SortedRows &sorted, ScatterOpInterface op,
                                Value positions) {
  Type type = positions.getType();
  RowKernel k(lowering, sorted, {kElementThreads, 0, "", type});
  if (failed(RunEmitter(k, op).run()))
    return failure();
  OpBuilder &host = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  OpFoldResult updates = emitProduct(
      host, loc, lowering.getInnerSizes().getDims(getOperand(op, kUpdates)));
  launchElements(lowering, k.func, updates, positions);
  return success();
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

/// The indices, with keys of as many bits as a fibre of known length needs.
/// Equal ones have to follow each other, in whatever order; of those that are
/// no positions none is looked at.
static SortedRows getSortedIndices(const schedule::Segment &segment,
                                   ScatterOpInterface op,
                                   const schedule::TileSchedule &schedule) {
  Value indices = getOperand(op, kIndices);
  auto bits =
      int64_t(getElementTypeOrSelf(indices.getType()).getIntOrFloatBitWidth());
  SortedRows sorted{indices, schedule::getOrderProblem(segment.group), bits,
                    nullptr, schedule};
  int64_t length = sorted.problem.resultLength;
  bool isClamped = length != schedule::kUnknown &&
                   length < int64_t(llvm::maskTrailingOnes<uint64_t>(bits - 1));
  if (isClamped)
    sorted.keyBits = std::max<int64_t>(llvm::Log2_64_Ceil(length + 1), 1);
  bool isNarrow = sorted.keyBits <= 32;
  sorted.emitKey = [=](fusion::EmitContext &ctx, Value element, Type) -> Value {
    OpBuilder &b = ctx.builder;
    if (isClamped) {
      Value end = arith::ConstantIntOp::create(b, ctx.loc, length, bits);
      element = arith::MinUIOp::create(b, ctx.loc, element, end);
    }
    if (isNarrow && bits > 32)
      element = arith::TruncIOp::create(b, ctx.loc, b.getI32Type(), element);
    return element;
  };
  return sorted;
}

LogicalResult fuser::lowerScatter(SegmentLowering &lowering,
                                  const schedule::TileSchedule &schedule) {
  SegmentOp segment = lowering.getSegment();
  auto scatters = segment.getBody().front().getOps<ScatterOpInterface>();
  ScatterOpInterface op = *scatters.begin();
  schedule::Segment described = describeSegment(segment, lowering.getSymbols());
  if (Decision decision = schedule::fitsScatter(described.group, {}); !decision)
    return segment.emitOpError("expected a segment for a scatter schedule: ")
           << decision.getReason();
  SortedRows sorted = getSortedIndices(described, op, schedule);
  if (failed(verifySortedAxes(segment, schedule, sorted.problem)))
    return failure();
  if (!sorted.problem.rowDims.empty() &&
      failed(launchCopy(lowering, sorted, op)))
    return failure();
  Value positions = sorted.isByDigits() ? emitRadixSort(lowering, sorted)
                                        : emitMergeSort(lowering, sorted);
  if (!positions)
    return failure();
  if (!sorted.problem.rowDims.empty())
    return launchRuns(lowering, sorted, op, positions);
  RowScatter scatter(lowering, sorted, op, positions);
  return failure(failed(scatter.launchStarts()) ||
                 failed(scatter.launchResult()));
}
