//===- CpuReductionLoops.cpp - Loops over what is reduced -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions in the order of SumOrder.h, whatever the loops are:
//
//   in registers  A vector is a step of a row: the accumulators are the lanes
//                 of what a loop carries.
//   staged        Vectors of a row lie across steps, or are less than one. They
//                 are stored one after the other until there is a block of
//                 steps, which is added like a row in registers.
//   columns       Lanes are results: the accumulators are vectors in memory.
//
//===----------------------------------------------------------------------===//

#include "CpuKernelEmitter.h"
#include "SumOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fuser;
using fusion::ReductionOpInterface;

/// Numbers of an op's arrays in scratch memory, for each of its accumulators:
/// first one for each level of blocks.
static constexpr unsigned kStageArray = kMaxSumLevels + 1;
static constexpr unsigned kNumArrays = kStageArray + 1;

/// Of columns: steps of a group, and accumulators that are combined at a time.
static constexpr int64_t kStepsAtOnce = 8;
static constexpr int64_t kSlotsAtOnce = 8;

namespace fuser {
class CpuReductionLoops {
public:
  using Values = SmallVector<Value>;
  using Body = CpuKernelEmitter::SpaceBody;

  CpuReductionLoops(CpuKernelEmitter &kernel,
                    const CpuKernelEmitter::ReducedSpace &space, Body body);
  /// The accumulators of each op, combined to one.
  Values emit();
  Values emitPart(Value part);
  using LoadPart = llvm::function_ref<Values(Value part)>;
  Values emitFold(LoadPart load);

private:
  /// Where in the order the end of a block lies.
  struct BlockEnd {
    /// For each level from the first on: no block of it has ended before.
    Values isFirst;
    /// A block of the level ends too; null: surely.
    Values ends;
  };

  // All ops.
  Values getStart(int64_t lanes);
  Values prepare(ValueRange elements, ValueRange coordinates);
  Values join(ValueRange first, ValueRange second, bool isInOrder = true);
  Values select(Value condition, ValueRange yes, ValueRange no);
  Values combineLanes(ValueRange accumulators);
  Values getArrays(unsigned number, int64_t elements);
  Values load(ValueRange arrays, Value place, int64_t lanes);
  void store(ValueRange arrays, ValueRange values, Value place);

  // Indices.
  Value getIndex(int64_t value) { return memory.getIndex(value); }
  template <typename Op>
  Value compute(Value x, int64_t y) {
    return b.createOrFold<Op>(loc, x, getIndex(y));
  }
  Value isMultiple(Value x, int64_t powerOfTwo);
  Value isEqual(Value x, Value y);
  Values getIsFirst(Value block);

  void emitIf(Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = nullptr);
  void emitNest(Body visit);
  void emitNest(SmallVectorImpl<Value> &coordinates, unsigned depth,
                Body visit);
  void endBlock(unsigned level, const Values &block, Value place,
                const BlockEnd &end);

  bool fitsRegisters() const;
  Values emitRow();
  Values emitSteps();
  Values emitStep(Value step, ArrayRef<OpFoldResult> steps, ValueRange carried);
  SmallVector<OpFoldResult> getSteps();
  Values emitVector(ValueRange coordinates, Value count, ValueRange carried);
  Values emitBlocks(unsigned level, CpuLoops::Range range, CpuLoops::Body body);

  Values emitStaged();
  Values addStaged(ValueRange stages, Value end);
  void flushStaged(ValueRange stages, Value position);
  Values finishStaged(ValueRange stages);

  Values emitColumns();
  void forEachSlot(llvm::function_ref<void(Value place)> visit);
  void addColumns(Value begin, Value end);
  void addBlocks();
  void endColumns(Value block, Value blocks);
  Values combineSlots(Value place, int64_t stride, int64_t count);
  Values finishColumns();

  CpuKernelEmitter &kernel;
  OpBuilder &b;
  Location loc;
  CpuMemory &memory;
  CpuLoops &loops;
  const CpuKernelEmitter::ReducedSpace &space;
  Body body;
  /// How many elements a result has, and the first that is in no whole step.
  Value size, wholeEnd;
  std::optional<int64_t> knownSize;
  /// The levels of the tree of blocks, which are in memory.
  unsigned levels = kMaxSumLevels;
  /// The size of an array that has an element for each accumulator.
  int64_t arraySize = kSumLanes;
  /// Of columns: whether there is more than one block of steps, null if that is
  /// known; accumulators that are not neutral.
  Value isLong;
  int64_t numSlots = kSumLanes;
};
} // namespace fuser

CpuReductionLoops::CpuReductionLoops(
    CpuKernelEmitter &kernel, const CpuKernelEmitter::ReducedSpace &space,
    Body body)
    : kernel(kernel), b(kernel.b), loc(kernel.loc), memory(kernel.memory),
      loops(kernel.loops), space(space), body(body) {
  size = emitSizeProduct(b, loc, space.sizes);
  knownSize = getConstantIntValue(size);
  Value rest = compute<arith::AndIOp>(size, kSumLanes - 1);
  wholeEnd = b.createOrFold<arith::SubIOp>(loc, size, rest);
}

CpuReductionLoops::Values CpuReductionLoops::emit() {
  if (space.ops.empty()) {
    emitNest([&](ValueRange coordinates, Value count) {
      return body(coordinates, count);
    });
    return {};
  }
  if (space.sizes.empty())
    return join(getStart(space.width), prepare(body({}, Value()), {}));
  if (!space.isRow)
    return emitColumns();
  if (!fitsRegisters())
    return emitStaged();
  bool isOneLoop = llvm::all_of(llvm::drop_end(space.sizes), isOneInteger);
  return combineLanes(isOneLoop ? emitRow() : emitSteps());
}

//===----------------------------------------------------------------------===//
// All ops
//===----------------------------------------------------------------------===//

CpuReductionLoops::Values CpuReductionLoops::getStart(int64_t lanes) {
  Values start;
  for (ReductionOpInterface op : space.ops)
    llvm::append_range(start, kernel.emitStart(op, lanes));
  return start;
}

/// `coordinates` are those of the first lane along the reduced dimensions.
CpuReductionLoops::Values CpuReductionLoops::prepare(ValueRange elements,
                                                     ValueRange coordinates) {
  Values prepared;
  for (auto [number, element] : llvm::enumerate(elements)) {
    ReductionOpInterface op = space.ops[number];
    Values index(cast<RankedTensorType>(op->getOperand(0).getType()).getRank());
    for (auto [dim, coordinate] : llvm::zip(op.getReductionDims(), coordinates))
      index[dim] = coordinate;
    llvm::append_range(prepared, kernel.kernel.emitPrepare(op, element, index));
  }
  return prepared;
}

/// `isInOrder`: in each lane the elements of `first` are in front of those of
/// `second`.
CpuReductionLoops::Values
CpuReductionLoops::join(ValueRange first, ValueRange second, bool isInOrder) {
  SegmentKernel &ops = kernel.kernel;
  Values joined;
  for (ReductionOpInterface op : space.ops) {
    size_t begin = joined.size(), number = getAccumulatorTypes(op).size();
    ValueRange x = first.slice(begin, number), y = second.slice(begin, number);
    llvm::append_range(joined, isInOrder ? ops.emitCombineInOrder(op, x, y)
                                         : ops.emitCombine(op, x, y));
  }
  return joined;
}

CpuReductionLoops::Values
CpuReductionLoops::select(Value condition, ValueRange yes, ValueRange no) {
  Values chosen;
  for (auto [whenTrue, whenFalse] : llvm::zip(yes, no))
    chosen.push_back(
        arith::SelectOp::create(b, loc, condition, whenTrue, whenFalse));
  return chosen;
}

CpuReductionLoops::Values
CpuReductionLoops::combineLanes(ValueRange accumulators) {
  Values combined;
  for (ReductionOpInterface op : space.ops) {
    size_t number = getAccumulatorTypes(op).size();
    Values ofOp = accumulators.slice(combined.size(), number);
    llvm::append_range(combined, kernel.combineLanes(op, std::move(ofOp)));
  }
  return combined;
}

CpuReductionLoops::Values CpuReductionLoops::getArrays(unsigned number,
                                                       int64_t elements) {
  Values arrays;
  for (ReductionOpInterface op : space.ops)
    for (auto [i, type] : llvm::enumerate(getAccumulatorTypes(op)))
      arrays.push_back(
          kernel.getScratch(op, i * kNumArrays + number, type, elements));
  return arrays;
}

CpuReductionLoops::Values CpuReductionLoops::load(ValueRange arrays,
                                                  Value place, int64_t lanes) {
  Values values;
  for (Value array : arrays) {
    auto type = VectorType::get(
        {lanes}, cast<MemRefType>(array.getType()).getElementType());
    values.push_back(
        lanes == 1
            ? memref::LoadOp::create(b, loc, array, place).getResult()
            : vector::LoadOp::create(b, loc, type, array, ValueRange{place}));
  }
  return values;
}

void CpuReductionLoops::store(ValueRange arrays, ValueRange values,
                              Value place) {
  for (auto [array, value] : llvm::zip(arrays, values)) {
    if (isa<VectorType>(value.getType()))
      vector::StoreOp::create(b, loc, value, array, ValueRange{place});
    else
      memref::StoreOp::create(b, loc, value, array, place);
  }
}

//===----------------------------------------------------------------------===//
// Indices and loops
//===----------------------------------------------------------------------===//

Value CpuReductionLoops::isEqual(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x, y);
}

Value CpuReductionLoops::isMultiple(Value x, int64_t powerOfTwo) {
  return isEqual(compute<arith::AndIOp>(x, powerOfTwo - 1), getIndex(0));
}

/// For block number `block` of steps: whether it is the first of a block of
/// each level.
CpuReductionLoops::Values CpuReductionLoops::getIsFirst(Value block) {
  Values isFirst;
  for (unsigned level = 1; level <= levels; ++level) {
    Value number =
        compute<arith::ShRUIOp>(block, int64_t(kBlockBits) * (level - 1));
    isFirst.push_back(level == levels ? isEqual(number, getIndex(0))
                                      : isMultiple(number, kBlockSteps));
  }
  return isFirst;
}

void CpuReductionLoops::emitIf(Value condition, llvm::function_ref<void()> then,
                               llvm::function_ref<void()> otherwise) {
  auto branch =
      scf::IfOp::create(b, loc, condition, /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  then();
  if (!otherwise)
    return;
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  otherwise();
}

void CpuReductionLoops::emitNest(Body visit) {
  SmallVector<Value> coordinates(space.sizes.size());
  emitNest(coordinates, 0, visit);
}

void CpuReductionLoops::emitNest(SmallVectorImpl<Value> &coordinates,
                                 unsigned depth, Body visit) {
  if (depth == space.sizes.size()) {
    visit(coordinates, Value());
    return;
  }
  if (space.isRow && depth + 1 == space.sizes.size()) {
    loops.emitVectorLoop(space.sizes[depth], space.width, {},
                         [&](Value position, Value count, ValueRange) {
                           coordinates[depth] = position;
                           visit(coordinates, count);
                           return Values();
                         });
    return;
  }
  loops.emitLoop(getIndex(0), memory.getIndex(space.sizes[depth]), 1, {},
                 [&](Value position, ValueRange) {
                   coordinates[depth] = position;
                   emitNest(coordinates, depth + 1, visit);
                   return Values();
                 });
}

/// Adds the accumulators `block` to those of the block of `level` that they are
/// part of, at `place` of its arrays, and so on where that one ends.
void CpuReductionLoops::endBlock(unsigned level, const Values &block,
                                 Value place, const BlockEnd &end) {
  Values arrays = getArrays(level, arraySize);
  int64_t lanes = getWidth(block.front());
  Values before = select(end.isFirst[level - 1], getStart(lanes),
                         load(arrays, place, lanes));
  Values sum = join(before, block);
  if (level == levels)
    return store(arrays, sum, place);
  auto goOn = [&] { endBlock(level + 1, sum, place, end); };
  if (Value ends = end.ends[level - 1])
    emitIf(ends, goOn, [&] { store(arrays, sum, place); });
  else
    goOn();
}

//===----------------------------------------------------------------------===//
// Rows in registers
//===----------------------------------------------------------------------===//

/// Each vector is one step.
bool CpuReductionLoops::fitsRegisters() const {
  std::optional<int64_t> last = getConstantIntValue(space.sizes.back());
  bool isOneLoop = llvm::all_of(llvm::drop_end(space.sizes), isOneInteger);
  if (space.width > kSumLanes)
    return false;
  if (space.isShort || (isOneLoop && last && *last <= space.width))
    return true;
  return space.width == kSumLanes &&
         (isOneLoop || (last && *last % kSumLanes == 0));
}

CpuReductionLoops::Values CpuReductionLoops::emitVector(ValueRange coordinates,
                                                        Value count,
                                                        ValueRange carried) {
  Value mask = count ? memory.getMask(count, space.width) : Value();
  Values next = join(carried, prepare(body(coordinates, count), coordinates));
  return mask ? select(mask, next, carried) : next;
}

CpuReductionLoops::Values CpuReductionLoops::emitRow() {
  Values coordinates(space.sizes.size(), getIndex(0));
  auto start = [&] { return getStart(space.width); };
  auto joinParts = [&](ValueRange x, ValueRange y) { return join(x, y); };
  CpuLoops::Cascade cascade{start, joinParts};
  return loops.emitVectorLoop(
      space.sizes.back(), space.width, start(),
      [&](Value position, Value count, ValueRange carried) {
        coordinates.back() = position;
        return emitVector(coordinates, count, carried);
      },
      &cascade);
}

/// Rows of whole steps that follow each other.
CpuReductionLoops::Values CpuReductionLoops::emitSteps() {
  CpuMemory::TailScope noTail(memory, false);
  SmallVector<OpFoldResult> steps = getSteps();
  auto start = [&] { return getStart(space.width); };
  auto joinParts = [&](ValueRange x, ValueRange y) { return join(x, y); };
  return loops.emitCascade({getIndex(0), emitSizeProduct(b, loc, steps), 1},
                           start(), {start, joinParts},
                           [&](Value step, ValueRange carried) {
                             return emitStep(step, steps, carried);
                           });
}

/// The sizes of the space in steps.
SmallVector<OpFoldResult> CpuReductionLoops::getSteps() {
  SmallVector<OpFoldResult> steps(space.sizes);
  Value last = memory.getIndex(steps.back());
  steps.back() = getAsOpFoldResult(compute<arith::DivUIOp>(last, kSumLanes));
  return steps;
}

CpuReductionLoops::Values
CpuReductionLoops::emitStep(Value step, ArrayRef<OpFoldResult> steps,
                            ValueRange carried) {
  Values coordinates = loops.delinearize(step, steps);
  coordinates.back() = compute<arith::MulIOp>(coordinates.back(), kSumLanes);
  return emitVector(coordinates, Value(), carried);
}

//===----------------------------------------------------------------------===//
// Parts of rows
//===----------------------------------------------------------------------===//

CpuReductionLoops::Values CpuReductionLoops::emitBlocks(unsigned level,
                                                        CpuLoops::Range range,
                                                        CpuLoops::Body body) {
  auto start = [&] { return getStart(space.width); };
  auto joinBlocks = [&](ValueRange x, ValueRange y) { return join(x, y); };
  return loops.emitBlocks(level, range, start(), {start, joinBlocks}, body);
}

CpuReductionLoops::Values CpuReductionLoops::emitPart(Value part) {
  CpuMemory::TailScope noTail(memory, false);
  SmallVector<OpFoldResult> steps = getSteps();
  Value begin = compute<arith::MulIOp>(part, kPartSteps);
  Value end =
      arith::MinUIOp::create(b, loc, compute<arith::AddIOp>(begin, kPartSteps),
                             emitSizeProduct(b, loc, steps));
  return emitBlocks(kPartLevel, {begin, end, 1},
                    [&](Value step, ValueRange carried) {
                      return emitStep(step, steps, carried);
                    });
}

/// Parts are blocks, and what is in no whole step follows them.
CpuReductionLoops::Values CpuReductionLoops::emitFold(LoadPart load) {
  Values sum = emitBlocks(kMaxSumLevels - kPartLevel,
                          {getIndex(0), emitPartCount(b, loc, space.sizes), 1},
                          [&](Value part, ValueRange carried) {
                            return join(carried, load(part));
                          });
  Value rest = b.createOrFold<arith::SubIOp>(loc, size, wholeEnd);
  if (isConstantIntValue(rest, 0))
    return combineLanes(sum);
  Values coordinates(space.sizes.size(), getIndex(0));
  return combineLanes(
      loops.emitTail(wholeEnd, size, sum,
                     [&](Value position, Value count, ValueRange carried) {
                       coordinates.back() = position;
                       return emitVector(coordinates, count, carried);
                     }));
}

//===----------------------------------------------------------------------===//
// Staged rows
//===----------------------------------------------------------------------===//

CpuReductionLoops::Values CpuReductionLoops::emitStaged() {
  bool isShort = knownSize && *knownSize < kBlockElements;
  if (knownSize)
    levels = isShort ? 0 : std::max(1u, countSumLevels(*knownSize / kSumLanes));
  int64_t whole =
      isShort ? llvm::alignTo(*knownSize, kSumLanes) : kBlockElements;
  Values stages =
      getArrays(kStageArray, whole + std::max(space.width, kSumLanes));
  emitNest([&](ValueRange coordinates, Value count) {
    Values elements = prepare(body(coordinates, count), coordinates);
    Value position = emitLinear(b, loc, llvm::to_vector(coordinates),
                                space.sizes, getIndex(0));
    Value place = isShort
                      ? position
                      : compute<arith::AndIOp>(position, kBlockElements - 1);
    store(stages, elements, place);
    if (isShort)
      return Values();
    Value end = b.createOrFold<arith::AddIOp>(
        loc, place, count ? count : getIndex(space.width));
    Value isFull = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, end,
                                         getIndex(kBlockElements));
    emitIf(isFull, [&] { flushStaged(stages, position); });
    return Values();
  });
  return finishStaged(stages);
}

/// The steps in front of `end`, a multiple of their size.
CpuReductionLoops::Values CpuReductionLoops::addStaged(ValueRange stages,
                                                       Value end) {
  return loops.emitLoop(getIndex(0), end, kSumLanes, getStart(kSumLanes),
                        [&](Value place, ValueRange carried) {
                          return join(carried, load(stages, place, kSumLanes));
                        });
}

/// Ends the block that `position` is in; what is already there of the next one
/// becomes its beginning.
void CpuReductionLoops::flushStaged(ValueRange stages, Value position) {
  Value block =
      compute<arith::ShRUIOp>(position, llvm::Log2_64(kBlockElements));
  Value next = compute<arith::AddIOp>(block, 1);
  BlockEnd end{getIsFirst(block), {}};
  for (unsigned level = 1; level < levels; ++level)
    end.ends.push_back(isMultiple(next, int64_t(1) << (kBlockBits * level)));
  Value whole = getIndex(kBlockElements);
  endBlock(1, addStaged(stages, whole), getIndex(0), end);
  if (space.width > 1)
    store(stages, load(stages, whole, space.width), getIndex(0));
}

CpuReductionLoops::Values CpuReductionLoops::finishStaged(ValueRange stages) {
  Value end = levels == 0
                  ? wholeEnd
                  : compute<arith::AndIOp>(wholeEnd, kBlockElements - 1);
  Values sum = addStaged(stages, end);
  if (levels != 0) {
    Value block = compute<arith::ShRUIOp>(size, llvm::Log2_64(kBlockElements));
    BlockEnd all{getIsFirst(block), Values(levels - 1)};
    endBlock(1, sum, getIndex(0), all);
    sum = load(getArrays(levels, arraySize), getIndex(0), kSumLanes);
  }
  Value rest = b.createOrFold<arith::SubIOp>(loc, size, wholeEnd);
  if (!isConstantIntValue(rest, 0))
    sum = select(memory.getMask(rest, kSumLanes),
                 join(sum, load(stages, end, kSumLanes)), sum);
  return combineLanes(sum);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// Rows one after the other, as prefetching likes it: the accumulators are in
/// memory, which the caches are near enough for.
CpuReductionLoops::Values CpuReductionLoops::emitColumns() {
  if (knownSize) {
    levels = countSumLevels(*knownSize / kSumLanes);
    numSlots = std::min<int64_t>(
        kSumLanes, llvm::PowerOf2Ceil(std::max<int64_t>(*knownSize, 1)));
  } else {
    isLong = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, wholeEnd,
                                   getIndex(kBlockElements));
  }
  arraySize = numSlots * space.width;
  Values sums = getArrays(0, arraySize);
  forEachSlot([&](Value place) { store(sums, getStart(space.width), place); });
  if (levels == 0)
    addColumns(getIndex(0), size);
  else
    addBlocks();
  return finishColumns();
}

void CpuReductionLoops::forEachSlot(
    llvm::function_ref<void(Value place)> visit) {
  loops.emitLoop(getIndex(0), getIndex(arraySize), space.width, {},
                 [&](Value place, ValueRange) {
                   visit(place);
                   return Values();
                 });
}

/// The rows from `begin` to `end`: first groups of whole steps. An accumulator
/// adds its rows of a group while it is in registers.
void CpuReductionLoops::addColumns(Value begin, Value end) {
  constexpr int64_t groupRows = kStepsAtOnce * kSumLanes;
  Values sums = getArrays(0, arraySize);
  Value rest = b.createOrFold<arith::SubIOp>(loc, end, begin);
  rest = compute<arith::RemUIOp>(rest, groupRows);
  Value middle = b.createOrFold<arith::SubIOp>(loc, end, rest);
  auto addRow = [&](Value position, ValueRange accumulators) {
    Values coordinates = loops.delinearize(position, space.sizes);
    return join(accumulators, prepare(body(coordinates, Value()), coordinates));
  };
  auto addGroup = [&](Value first, ValueRange) {
    loops.emitLoop(
        getIndex(0), getIndex(kSumLanes), 1, {}, [&](Value slot, ValueRange) {
          Value place = compute<arith::MulIOp>(slot, space.width);
          Value from = b.createOrFold<arith::AddIOp>(loc, first, slot);
          Values sum = loops.emitLoop(
              getIndex(0), getIndex(groupRows), kSumLanes,
              load(sums, place, space.width), [&](Value row, ValueRange sum) {
                return addRow(b.createOrFold<arith::AddIOp>(loc, from, row),
                              sum);
              });
          store(sums, sum, place);
          return Values();
        });
    return Values();
  };
  if (!knownSize || *knownSize >= groupRows)
    loops.emitLoop(begin, middle, groupRows, {}, addGroup);
  if (isConstantIntValue(rest, 0))
    return;
  loops.emitLoop(middle, end, 1, {}, [&](Value position, ValueRange) {
    Value slot = compute<arith::AndIOp>(position, numSlots - 1);
    Value place = compute<arith::MulIOp>(slot, space.width);
    store(sums, addRow(position, load(sums, place, space.width)), place);
    return Values();
  });
}

/// Blocks of whole steps, and then what is in none.
void CpuReductionLoops::addBlocks() {
  Value blocks = compute<arith::AddIOp>(wholeEnd, kBlockElements - 1);
  blocks = compute<arith::ShRUIOp>(blocks, llvm::Log2_64(kBlockElements));
  Value parts = compute<arith::AddIOp>(blocks, 1);
  loops.emitLoop(getIndex(0), parts, 1, {}, [&](Value block, ValueRange) {
    Value isBlock =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, block, blocks);
    Value begin = compute<arith::MulIOp>(block, kBlockElements);
    begin = b.createOrFold<arith::MinUIOp>(loc, begin, wholeEnd);
    Value end = compute<arith::AddIOp>(begin, kBlockElements);
    end = b.createOrFold<arith::MinUIOp>(loc, end, wholeEnd);
    end = arith::SelectOp::create(b, loc, isBlock, end, size);
    addColumns(begin, end);
    if (isLong)
      isBlock = arith::AndIOp::create(b, loc, isBlock, isLong);
    emitIf(isBlock, [&] { endColumns(block, blocks); });
    return Values();
  });
}

/// Ends block number `block` of `blocks`. With the last all ends.
void CpuReductionLoops::endColumns(Value block, Value blocks) {
  Value next = compute<arith::AddIOp>(block, 1);
  Value isLast = isEqual(next, blocks);
  BlockEnd end{getIsFirst(block), {}};
  for (unsigned level = 1; level < levels; ++level)
    end.ends.push_back(arith::OrIOp::create(
        b, loc, isMultiple(next, int64_t(1) << (kBlockBits * level)), isLast));
  Values sums = getArrays(0, arraySize);
  forEachSlot([&](Value place) {
    Values ended = load(sums, place, space.width);
    store(sums, getStart(space.width), place);
    endBlock(1, ended, place, end);
  });
}

/// Combines `count` accumulators that are `stride` apart, in halves.
CpuReductionLoops::Values
CpuReductionLoops::combineSlots(Value place, int64_t stride, int64_t count) {
  Values sums = getArrays(0, arraySize);
  SmallVector<Values> slots;
  for (int64_t i = 0; i < count; ++i)
    slots.push_back(
        load(sums, compute<arith::AddIOp>(place, i * stride * space.width),
             space.width));
  for (; count > 1; count /= 2)
    for (int64_t i = 0; i < count / 2; ++i)
      slots[i] = join(slots[i], slots[i + count / 2], /*isInOrder=*/false);
  return slots.front();
}

/// All blocks and what is in none, and then all accumulators by halves.
CpuReductionLoops::Values CpuReductionLoops::finishColumns() {
  Values sums = getArrays(0, arraySize);
  int64_t width = space.width;
  auto addWhole = [&] {
    Values whole = getArrays(levels, arraySize);
    forEachSlot([&](Value place) {
      store(sums, join(load(whole, place, width), load(sums, place, width)),
            place);
    });
  };
  if (isLong)
    emitIf(isLong, addWhole);
  else if (levels != 0)
    addWhole();
  // As many as fit into registers at a time.
  for (int64_t left = numSlots, next; left > 1; left = next) {
    next = std::max<int64_t>(left / kSlotsAtOnce, 1);
    loops.emitLoop(getIndex(0), getIndex(next * width), width, {},
                   [&](Value place, ValueRange) {
                     store(sums, combineSlots(place, next, left / next), place);
                     return Values();
                   });
  }
  return load(sums, getIndex(0), width);
}

CpuKernelEmitter::Accumulators
CpuKernelEmitter::reducePart(const ReducedSpace &space, Value part,
                             SpaceBody body) {
  return CpuReductionLoops(*this, space, body).emitPart(part);
}

CpuKernelEmitter::Accumulators
CpuKernelEmitter::joinParts(const ReducedSpace &space,
                            llvm::function_ref<Accumulators(Value part)> load,
                            SpaceBody body) {
  return CpuReductionLoops(*this, space, body).emitFold(load);
}

CpuKernelEmitter::Accumulators
CpuKernelEmitter::reduce(const ReducedSpace &space, SpaceBody body) {
  return CpuReductionLoops(*this, space, body).emit();
}
