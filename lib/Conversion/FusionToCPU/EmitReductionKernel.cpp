//===- EmitReductionKernel.cpp - Rows and columns -------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuKernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fuser;
using fusion::ReductionOpInterface;

/// Elements of a row that is short: a vector of f32 in a register.
static constexpr int64_t kShortLanes = 16;
/// Slot of the first memory for lanes that are rows, behind those of accesses
/// and of results in lanes.
static constexpr unsigned kRows = 1 << 16;

namespace {
class ReductionKernelEmitter : public CpuKernelEmitter {
public:
  ReductionKernelEmitter(OpBuilder &builder, fusion::SegmentOp segment,
                         const CpuPlan &plan,
                         const CpuKernelArguments &arguments);
  LogicalResult emit();

  /// A condition that rows are short: null if that is known, or changes
  /// nothing.
  Value emitIsShort();
  /// From now on rows are: one vector each.
  void setShort();

protected:
  void locate(Value item);
  SmallVector<Value> emitPosition(const CpuStage &stage);
  void finishReductions(const CpuStage &stage, ArrayRef<Value> carried);
  void emitRowResults();

  OpFoldResult getSpaceSize(int64_t dim) { return getSize(rows.tensor, dim); }

  const CpuReductionPlan &rows;
  int64_t rank;
  bool columns;
  bool isShort = false;
  int64_t lanes;
  /// The position in the space: coordinates that are not known yet are null.
  SmallVector<Value> index;
  /// In a tail: the number of lanes that exist.
  Value count;

private:
  void emitItem(Value item);
  void emitStage(const CpuStage &stage);
  Accumulators emitSpace(const CpuStage &stage);
  void bindReduction(ReductionOpInterface op, Value result);
  void bindKept(const CpuStage &stage);
  void bindReadBack(unsigned result);

  /// Where in the memory of a kept tensor a position lies.
  Value getKeptPosition(ValueRange index);
  TensorAccess getKeptTensor(Value tensor);

  DenseMap<Value, TensorAccess> kept;
};
} // namespace

ReductionKernelEmitter::ReductionKernelEmitter(
    OpBuilder &builder, fusion::SegmentOp segment, const CpuPlan &plan,
    const CpuKernelArguments &arguments)
    : CpuKernelEmitter(builder, segment, plan, arguments),
      rows(*plan.reduction), rank(rows.getRank()), columns(rows.hasColumns()),
      lanes(plan.getLanes(rows.getLastSize())), index(rank) {}

//===----------------------------------------------------------------------===//
// Scratch memory
//===----------------------------------------------------------------------===//

Value ReductionKernelEmitter::getKeptPosition(ValueRange at) {
  Value position = memory.getIndex(0);
  for (int64_t dim : rows.reducedDims) {
    position = b.createOrFold<arith::MulIOp>(
        loc, position, memory.getIndex(getSpaceSize(dim)));
    position = b.createOrFold<arith::AddIOp>(loc, position, at[dim]);
  }
  if (!columns)
    return position;
  // A strip of columns: the lanes of a position lie side by side.
  position =
      b.createOrFold<arith::MulIOp>(loc, position, memory.getIndex(lanes));
  Value lane = b.createOrFold<arith::SubIOp>(loc, at.back(), index.back());
  return b.createOrFold<arith::AddIOp>(loc, position, lane);
}

TensorAccess ReductionKernelEmitter::getKeptTensor(Value tensor) {
  auto [entry, isNew] = kept.try_emplace(tensor);
  if (!isNew)
    return entry->second;
  Type element = getComputeTypeOf(tensor);
  Type storage = getStorageType(element);
  Value memref = arguments.scratch->allocate(
      b, loc, storage, countKeptElements(rows, plan.vector));
  return entry->second = TensorAccess(memref, element);
}

/// Rows in scratch memory are padded, so that a tail is read and written whole.
void ReductionKernelEmitter::bindKept(const CpuStage &stage) {
  for (Value tensor : stage.kept) {
    TensorAccess place = getKeptTensor(tensor);
    kernel.getElements().bind(
        tensor,
        [this, place](OpBuilder &, Location, ValueRange at, int64_t width) {
          CpuMemory::TailScope whole(memory, false);
          return memory.load(place, getKeptPosition(at), width);
        });
  }
}

void ReductionKernelEmitter::bindReadBack(unsigned result) {
  TensorAccess tensor = results[result];
  kernel.getElements().bind(
      segment.getYielded(result),
      [this, tensor](OpBuilder &, Location, ValueRange at, int64_t width) {
        return memory.load(tensor, at, width);
      });
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// What stage `stage` does at one position, for all lanes: the elements of its
/// reductions. Everything is read before anything is written.
SmallVector<Value> ReductionKernelEmitter::emitPosition(const CpuStage &stage) {
  SmallVector<Value> reduced, elements;
  for (ReductionOpInterface op : stage.reductions)
    reduced.push_back(CpuKernelEmitter::emit(op->getOperand(0), index, lanes));
  for (Value tensor : stage.kept)
    elements.push_back(CpuKernelEmitter::emit(tensor, index, lanes));
  for (unsigned result : stage.results)
    elements.push_back(emitResult(result, index, lanes));
  for (auto [tensor, value] : llvm::zip(stage.kept, elements))
    memory.store(getKeptTensor(tensor), value, getKeptPosition(index), Value());
  for (auto [result, value] :
       llvm::zip(stage.results,
                 ArrayRef<Value>(elements).drop_front(stage.kept.size())))
    store(result, value, index, count);
  return reduced;
}

/// Loops over the reduced dimensions.
ReductionKernelEmitter::Accumulators
ReductionKernelEmitter::emitSpace(const CpuStage &stage) {
  ReducedSpace space{stage.reductions,
                     kernel.getSizes().getDims(rows.tensor, rows.reducedDims),
                     !columns, lanes, isShort};
  return reduce(space, [&](ValueRange coordinates, Value rest) {
    for (auto [dim, coordinate] : llvm::zip(rows.reducedDims, coordinates))
      index[dim] = coordinate;
    if (columns)
      return emitPosition(stage);
    count = rest;
    SmallVector<Value> reduced = emitPosition(stage);
    count = Value();
    return reduced;
  });
}

/// A row has one result, or a lane each if lanes are columns.
void ReductionKernelEmitter::bindReduction(ReductionOpInterface op,
                                           Value result) {
  kernel.getElements().bind(
      op->getResult(0),
      [this, result](OpBuilder &, Location, ValueRange at,
                     int64_t width) -> Value {
        int64_t has = getWidth(result);
        if (has == width && (!columns || at.back() == index.back()))
          return result;
        if (has == 1)
          return emitRepeated(b, loc, result, width);
        SmallVector<Value> pieces;
        for (int64_t i = 0; i < width; ++i) {
          Value lane =
              b.createOrFold<arith::SubIOp>(loc, at.back(), index.back());
          lane = b.createOrFold<arith::AddIOp>(loc, lane, memory.getIndex(i));
          pieces.push_back(
              vector::ExtractOp::create(b, loc, result, OpFoldResult(lane)));
        }
        return emitConcat(b, loc, pieces);
      });
}

void ReductionKernelEmitter::finishReductions(const CpuStage &stage,
                                              ArrayRef<Value> carried) {
  for (ReductionOpInterface op : stage.reductions) {
    size_t number = getAccumulatorTypes(op).size();
    bindReduction(op, emitFinalize(op, carried.take_front(number)));
    carried = carried.drop_front(number);
  }
}

void ReductionKernelEmitter::emitStage(const CpuStage &stage) {
  finishReductions(stage, emitSpace(stage));
  bindKept(stage);
  for (unsigned result : stage.readBack)
    bindReadBack(result);
}

/// One element a row.
void ReductionKernelEmitter::emitRowResults() {
  int64_t width = columns ? lanes : 1;
  SmallVector<SmallVector<Value>> positions;
  SmallVector<Value> values;
  for (unsigned result : rows.rowResults) {
    auto type = cast<RankedTensorType>(segment.getResult(result).getType());
    SmallVector<Value> position;
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (rows.isKept(dim))
        position.push_back(index[dim]);
      else if (type.getRank() == rank)
        position.push_back(memory.getIndex(0));
    }
    values.push_back(emitResult(result, position, width));
    positions.push_back(std::move(position));
  }
  for (auto [result, value, position] :
       llvm::zip(rows.rowResults, values, positions))
    store(result, value, position, count);
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

/// The kept coordinates of a work item; for a strip of columns also how many of
/// them there are.
void ReductionKernelEmitter::locate(Value item) {
  SmallVector<OpFoldResult> sizes = rows.items.emitSizes(
      b, loc, [&](int64_t dim) { return getSpaceSize(dim); });
  SmallVector<Value> coordinates = loops.delinearize(item, sizes);
  for (auto [dim, coordinate] : llvm::zip(rows.keptDims, coordinates))
    index[dim] = coordinate;
  if (!columns)
    return;
  Value first =
      arith::MulIOp::create(b, loc, index.back(), memory.getIndex(lanes));
  index.back() = first;
  OpFoldResult width = getSpaceSize(rank - 1);
  std::optional<int64_t> known = getConstantIntValue(width);
  if (known && *known % lanes == 0)
    return;
  Value rest = arith::SubIOp::create(b, loc, memory.getIndex(width), first);
  count = arith::MinSIOp::create(b, loc, rest, memory.getIndex(lanes));
}

void ReductionKernelEmitter::emitItem(Value item) {
  locate(item);
  CpuMemory::TailScope tail(memory, columns && count);
  for (const CpuStage &stage : rows.stages)
    emitStage(stage);
  emitRowResults();
}

LogicalResult ReductionKernelEmitter::emit() {
  loops.emitLoop(arguments.begin, arguments.end, 1, {},
                 [&](Value item, ValueRange) {
                   emitItem(item);
                   return SmallVector<Value>();
                 });
  return kernel.getStatus();
}

//===----------------------------------------------------------------------===//
// Short rows
//===----------------------------------------------------------------------===//

Value ReductionKernelEmitter::emitIsShort() {
  if (columns || !ShapedType::isDynamic(rows.getLastSize()) ||
      rows.reducedDims.size() != 1 || lanes < kShortLanes ||
      memory.isKeptRolled())
    return Value();
  Value size = memory.getIndex(getSpaceSize(rank - 1));
  // From 1 to as many, as an unsigned number less than that.
  Value less = arith::SubIOp::create(b, loc, size, memory.getIndex(1));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, less,
                               memory.getIndex(kShortLanes));
}

void ReductionKernelEmitter::setShort() {
  isShort = true;
  lanes = kShortLanes;
  loops.setShort();
}

/// Rows of an open length that turn out to be short have code of their own:
/// vectors of 64 lanes and what loops over them take would be most of the time.
static LogicalResult emitAlong(OpBuilder &builder, fusion::SegmentOp segment,
                               const CpuPlan &plan,
                               const CpuKernelArguments &arguments) {
  ReductionKernelEmitter all(builder, segment, plan, arguments);
  Value condition = all.emitIsShort();
  if (!condition)
    return all.emit();
  auto branch = scf::IfOp::create(builder, segment.getLoc(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  ReductionKernelEmitter shortRows(builder, segment, plan, arguments);
  shortRows.setShort();
  if (failed(shortRows.emit()))
    return failure();
  builder.setInsertionPoint(branch.elseBlock()->getTerminator());
  return all.emit();
}

//===----------------------------------------------------------------------===//
// Tensors that lie across
//===----------------------------------------------------------------------===//

namespace {
/// Emits what CpuAcross.cpp says. Work items are those of tensors that lie
/// along the last dimension, and results are finished and stored one by one.
class AcrossKernelEmitter : public ReductionKernelEmitter {
public:
  AcrossKernelEmitter(OpBuilder &builder, fusion::SegmentOp segment,
                      const CpuPlan &plan, const CpuKernelArguments &arguments,
                      const CpuAcross &across);
  LogicalResult emit();

private:
  void emitRow(Value item);
  void emitRows(Value item);
  void emitStrip(Value item);
  Accumulators emitSpace();
  void finish(ArrayRef<Value> accumulators);
  SmallVector<Value> locate(Value item);

  const CpuStage &stage;
  const CpuAcross &across;
  /// Lanes are results.
  bool hasRows;
};
} // namespace

AcrossKernelEmitter::AcrossKernelEmitter(OpBuilder &builder,
                                         fusion::SegmentOp segment,
                                         const CpuPlan &plan,
                                         const CpuKernelArguments &arguments,
                                         const CpuAcross &across)
    : ReductionKernelEmitter(builder, segment, plan, arguments),
      stage(rows.stages.front()), across(across), hasRows(!columns) {
  columns = false;
  auto type = cast<RankedTensorType>(rows.tensor.getType());
  lanes = plan.getLanes(type.getDimSize(across.laneDim));
  // Ops that go element by element have the tensors' order of dimensions.
  for (const CpuAcross::Tensor &tensor : across.tensors)
    bind(
        tensor.tensor,
        TensorAccess(tensor.memref, operands[tensor.operand].getElementType()));
}

AcrossKernelEmitter::Accumulators AcrossKernelEmitter::emitSpace() {
  ReducedSpace space{stage.reductions,
                     kernel.getSizes().getDims(rows.tensor, rows.reducedDims),
                     !hasRows, lanes};
  return reduce(space, [&](ValueRange coordinates, Value) {
    for (auto [dim, coordinate] : llvm::zip(rows.reducedDims, coordinates))
      index[dim] = coordinate;
    auto at = llvm::map_to_vector(across.order,
                                  [&](int64_t dim) { return index[dim]; });
    SmallVector<Value> reduced;
    for (ReductionOpInterface op : stage.reductions)
      reduced.push_back(CpuKernelEmitter::emit(op->getOperand(0), at, lanes));
    return reduced;
  });
}

void AcrossKernelEmitter::finish(ArrayRef<Value> accumulators) {
  finishReductions(stage, accumulators);
  emitRowResults();
}

SmallVector<Value> AcrossKernelEmitter::locate(Value item) {
  SmallVector<OpFoldResult> sizes = rows.items.emitSizes(
      b, loc, [&](int64_t dim) { return getSpaceSize(dim); });
  return loops.delinearize(item, sizes);
}

/// As many rows as a vector has lanes, if `item` is the first of them: of a
/// multiple of these, or of all that there are to do.
void AcrossKernelEmitter::emitRow(Value item) {
  for (auto [dim, coordinate] : llvm::zip(rows.keptDims, locate(item)))
    index[dim] = coordinate;
  Value lane = arith::AndIOp::create(b, loc, index[across.laneDim],
                                     memory.getIndex(lanes - 1));
  auto isEqual = [&](Value x, Value y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
  };
  Value isFirst =
      arith::OrIOp::create(b, loc, isEqual(lane, memory.getIndex(0)),
                           isEqual(item, arguments.begin));
  kernel.getElements().emitEither(
      loc, isFirst,
      [&] {
        count = arith::SubIOp::create(b, loc, memory.getIndex(lanes), lane);
        emitRows(item);
      },
      [] {});
}

/// Up to `count` rows.
void AcrossKernelEmitter::emitRows(Value item) {
  Value first = index[across.laneDim];
  Value size = memory.getIndex(getSpaceSize(across.laneDim));
  for (auto [end, begin] :
       {std::pair(size, first), std::pair(arguments.end, item)}) {
    Value left = arith::SubIOp::create(b, loc, end, begin);
    count = arith::MinSIOp::create(b, loc, count, left);
  }
  Value rowCount = std::exchange(count, Value());
  SmallVector<Value> buffers;
  Value zero = memory.getIndex(0);
  {
    CpuMemory::TailScope tail(memory, true);
    for (auto [number, sums] : llvm::enumerate(emitSpace())) {
      buffers.push_back(memory.getBuffer(getElementTypeOrSelf(sums.getType()),
                                         lanes, kRows + number));
      if (lanes == 1)
        memref::StoreOp::create(b, loc, sums, buffers.back(), zero);
      else
        vector::StoreOp::create(b, loc, sums, buffers.back(), zero);
    }
  }
  loops.emitLoop(zero, rowCount, 1, {}, [&](Value lane, ValueRange) {
    index[across.laneDim] = arith::AddIOp::create(b, loc, first, lane);
    SmallVector<Value> sums;
    for (Value buffer : buffers)
      sums.push_back(memref::LoadOp::create(b, loc, buffer, lane));
    finish(sums);
    return SmallVector<Value>();
  });
}

/// The columns of a strip one after the other.
void AcrossKernelEmitter::emitStrip(Value item) {
  for (auto [dim, coordinate] : llvm::zip(rows.keptDims, locate(item)))
    index[dim] = coordinate;
  Value step = memory.getIndex(rows.items.step);
  Value first = arith::MulIOp::create(b, loc, index.back(), step);
  Value left = arith::SubIOp::create(
      b, loc, memory.getIndex(getSpaceSize(rank - 1)), first);
  Value end = arith::MinSIOp::create(b, loc, left, step);
  loops.emitLoop(memory.getIndex(0), end, 1, {}, [&](Value lane, ValueRange) {
    index.back() = arith::AddIOp::create(b, loc, first, lane);
    memory.addPosition(index.back());
    finish(emitSpace());
    return SmallVector<Value>();
  });
}

LogicalResult AcrossKernelEmitter::emit() {
  loops.emitLoop(arguments.begin, arguments.end, 1, {},
                 [&](Value item, ValueRange) {
                   hasRows ? emitRow(item) : emitStrip(item);
                   return SmallVector<Value>();
                 });
  return kernel.getStatus();
}

//===----------------------------------------------------------------------===//
// Parts of rows
//===----------------------------------------------------------------------===//

namespace {
/// The kernels of rows that are split. In workspaces, one for each accumulator,
/// are those of a part: a row's parts one after the other.
class SplitKernelEmitter : public ReductionKernelEmitter {
public:
  SplitKernelEmitter(OpBuilder &builder, fusion::SegmentOp segment,
                     const CpuPlan &plan, const CpuKernelArguments &arguments);
  LogicalResult emit();

private:
  void emitPart(Value item);
  void emitRow(Value item);
  SmallVector<Value> emitElements(ValueRange coordinates, Value rest);
  Value getPlace(Value part) {
    return arith::MulIOp::create(b, loc, part, memory.getIndex(lanes));
  }

  const CpuStage &stage;
  ReducedSpace space;
  SmallVector<TensorAccess> workspaces;
  Value parts; ///< Of a row.
};
} // namespace

SplitKernelEmitter::SplitKernelEmitter(OpBuilder &builder,
                                       fusion::SegmentOp segment,
                                       const CpuPlan &plan,
                                       const CpuKernelArguments &arguments)
    : ReductionKernelEmitter(builder, segment, plan, arguments),
      stage(rows.stages.front()),
      space{stage.reductions,
            kernel.getSizes().getDims(rows.tensor, rows.reducedDims),
            /*isRow=*/true, lanes} {
  SmallVector<Type> types;
  for (ReductionOpInterface op : stage.reductions)
    llvm::append_range(types, getAccumulatorTypes(op));
  for (auto [memref, type] : llvm::zip(arguments.workspaces, types))
    workspaces.emplace_back(memref, type);
  parts = emitPartCount(b, loc, space.sizes);
}

SmallVector<Value> SplitKernelEmitter::emitElements(ValueRange coordinates,
                                                    Value rest) {
  for (auto [dim, coordinate] : llvm::zip(rows.reducedDims, coordinates))
    index[dim] = coordinate;
  count = rest;
  SmallVector<Value> elements = emitPosition(stage);
  count = Value();
  return elements;
}

void SplitKernelEmitter::emitPart(Value item) {
  locate(arith::DivUIOp::create(b, loc, item, parts));
  Value part = arith::RemUIOp::create(b, loc, item, parts);
  Accumulators sums =
      reducePart(space, part, [&](ValueRange coordinates, Value rest) {
        return emitElements(coordinates, rest);
      });
  for (auto [access, sum] : llvm::zip(workspaces, sums))
    memory.store(access, sum, getPlace(item), Value());
}

void SplitKernelEmitter::emitRow(Value item) {
  locate(item);
  Value first = arith::MulIOp::create(b, loc, item, parts);
  auto load = [&](Value part) {
    Value place = getPlace(arith::AddIOp::create(b, loc, first, part));
    return llvm::map_to_vector(workspaces, [&](const TensorAccess &access) {
      return memory.load(access, place, lanes);
    });
  };
  Accumulators sums =
      joinParts(space, load, [&](ValueRange coordinates, Value rest) {
        return emitElements(coordinates, rest);
      });
  finishReductions(stage, sums);
  emitRowResults();
}

LogicalResult SplitKernelEmitter::emit() {
  loops.emitLoop(
      arguments.begin, arguments.end, 1, {}, [&](Value item, ValueRange) {
        arguments.phase == CpuPhase::Parts ? emitPart(item) : emitRow(item);
        return SmallVector<Value>();
      });
  return kernel.getStatus();
}

LogicalResult fuser::emitReductionKernel(OpBuilder &builder,
                                         fusion::SegmentOp segment,
                                         const CpuPlan &plan,
                                         const CpuKernelArguments &arguments) {
  if (arguments.phase != CpuPhase::Whole)
    return SplitKernelEmitter(builder, segment, plan, arguments).emit();
  ValueRange tensors = arguments.tensorsAndScalars;
  std::optional<CpuAcross> across = findAcross(*plan.reduction, tensors);
  if (!across)
    return emitAlong(builder, segment, plan, arguments);
  Value condition = across->assume(builder, segment.getLoc(), tensors);
  auto emitAcross = [&] {
    return AcrossKernelEmitter(builder, segment, plan, arguments, *across)
        .emit();
  };
  if (!condition)
    return emitAcross();
  auto branch = scf::IfOp::create(builder, segment.getLoc(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  if (failed(emitAcross()))
    return failure();
  builder.setInsertionPoint(branch.elseBlock()->getTerminator());
  arguments.scratch->restart();
  return emitAlong(builder, segment, plan, arguments);
}
