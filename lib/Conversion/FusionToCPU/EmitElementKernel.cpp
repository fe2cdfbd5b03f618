//===- EmitElementKernel.cpp - Tiles of elements --------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuAnalysis.h"
#include "CpuKernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fuser;
using fusion::ReductionOpInterface;

/// Number of the scratch memory for the results of rows, behind the numbers
/// that loops over reductions use.
static constexpr unsigned kRowResults = 1 << 16;
/// Slot of the first square's memory, behind those of accesses and of
/// reductions inside of an element.
static constexpr unsigned kSquares = 1 << 16;

namespace {
class ElementKernelEmitter : public CpuKernelEmitter {
public:
  using CpuKernelEmitter::CpuKernelEmitter;
  LogicalResult emit();

private:
  void emitGroup(const CpuGroup &group, Value begin, Value end);
  void emitTile(const CpuGroup &group, Value first, Value last);
  void emitFlat(const CpuGroup &group, Value total, Value first, Value last);
  void emitInner(const CpuGroup &group, int64_t depth,
                 SmallVectorImpl<Value> &index);
  void emitElements(const CpuGroup &group, ValueRange index, Value count,
                    std::optional<int64_t> width = std::nullopt);
  void emitVectorItem(const CpuGroup &group, SmallVectorImpl<Value> &index);
  void emitStrip(const CpuGroup &group, SmallVectorImpl<Value> &index);
  void emitSquare(const CpuGroup &group, ArrayRef<Value> corner);
  void storeColumns(const CpuGroup &group, unsigned result, Value buffer,
                    ArrayRef<Value> corner);
  void emitParts(const CpuGroup &group, SmallVectorImpl<Value> &index);
  void emitWidePart(const CpuGroup &group, const ElementEmitter::Part &part,
                    SmallVector<Value> index, Value end, int64_t lanes);
  void emitNarrowPart(const CpuGroup &group, const ElementEmitter::Part &part,
                      SmallVector<Value> index, Value end);
  void bindReductions();
  Value emitReduction(ReductionOpInterface op, ValueRange at, int64_t width);
  Value emitRows(ReductionOpInterface op, ValueRange at, int64_t width);
  SmallVector<Value> clamp(Value tensor, ValueRange at);
  TensorAccess flatten(const TensorAccess &tensor, Value size);

  OpFoldResult getResultSize(const CpuGroup &group, int64_t dim) {
    return getSize(segment.getYielded(group.results.front()), dim);
  }
  /// How large the group's results are.
  auto getSizes(const CpuGroup &group) {
    return [&](int64_t dim) { return getResultSize(group, dim); };
  }
  SmallVector<int64_t> getDims(const CpuGroup &group) {
    return llvm::to_vector(llvm::seq<int64_t>(0, getRank(group)));
  }
  int64_t getRank(const CpuGroup &group) {
    return cast<RankedTensorType>(
               segment.getResult(group.results.front()).getType())
        .getRank();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Reductions inside of an element
//===----------------------------------------------------------------------===//

/// In a tail, a result that exists in the place of one that does not.
SmallVector<Value> ElementKernelEmitter::clamp(Value tensor, ValueRange at) {
  auto inside = llvm::to_vector(at);
  if (!memory.isInTail())
    return inside;
  Value zero = memory.getIndex(0), one = memory.getIndex(1);
  for (auto [dim, coordinate] : llvm::enumerate(inside)) {
    Value size = memory.getIndex(getSize(tensor, dim));
    Value last = b.createOrFold<arith::SubIOp>(loc, size, one);
    coordinate = b.createOrFold<arith::MinSIOp>(loc, coordinate, last);
    coordinate = b.createOrFold<arith::MaxSIOp>(loc, coordinate, zero);
  }
  return inside;
}

/// The results in `width` lanes, or the one of a row.
Value ElementKernelEmitter::emitReduction(ReductionOpInterface op,
                                          ValueRange at, int64_t width) {
  Value operand = op->getOperand(0);
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> reduced = op.getReductionDims();
  SmallVector<Value> index = getReducedIndex(op, at);
  bool isRow = reducesLastDim(op);
  int64_t lanes = isRow ? plan.getLanes(type.getShape().back()) : width;
  ReducedSpace space{op, kernel.getSizes().getDims(operand, reduced), isRow,
                     lanes};
  Accumulators sum = reduce(space, [&](ValueRange coordinates, Value) {
    for (auto [dim, coordinate] : llvm::zip(reduced, coordinates))
      index[dim] = coordinate;
    return SmallVector<Value>{CpuKernelEmitter::emit(operand, index, lanes)};
  });
  return emitFinalize(op, sum);
}

/// Rows one after the other.
Value ElementKernelEmitter::emitRows(ReductionOpInterface op, ValueRange at,
                                     int64_t width) {
  Value result = op->getResult(0);
  if (width == 1)
    return emitReduction(op, clamp(result, at), 1);
  Type element = getComputeTypeOf(result);
  Type storage = getStorageType(element);
  Value buffer = getScratch(op, kRowResults, storage, width);
  loops.emitLoop(memory.getIndex(0), memory.getIndex(width), 1, {},
                 [&](Value lane, ValueRange) {
                   auto row = llvm::to_vector(at);
                   row.back() = arith::AddIOp::create(b, loc, row.back(), lane);
                   Value sum = emitReduction(op, clamp(result, row), 1);
                   memref::StoreOp::create(b, loc,
                                           emitToStorage(b, loc, sum, element),
                                           buffer, lane);
                   return SmallVector<Value>();
                 });
  Value stored =
      vector::LoadOp::create(b, loc, VectorType::get({width}, storage), buffer,
                             ValueRange{memory.getIndex(0)});
  return emitToCompute(b, loc, stored, element);
}

void ElementKernelEmitter::bindReductions() {
  for (auto op : segment.getBody().getOps<ReductionOpInterface>())
    kernel.getElements().bind(
        op->getResult(0),
        [this, op](OpBuilder &, Location, ValueRange at, int64_t width) {
          return reducesLastDim(op) ? emitRows(op, at, width)
                                    : emitReduction(op, at, width);
        });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Everything is read before anything is written.
void ElementKernelEmitter::emitElements(const CpuGroup &group, ValueRange index,
                                        Value count,
                                        std::optional<int64_t> width) {
  SmallVector<Value> values;
  for (unsigned result : group.results)
    values.push_back(emitResult(result, index, width.value_or(group.width)));
  for (auto [result, value] : llvm::zip(group.results, values))
    store(result, value, index, count);
}

/// Loops over the dimensions from number `depth` of the order on.
void ElementKernelEmitter::emitInner(const CpuGroup &group, int64_t depth,
                                     SmallVectorImpl<Value> &index) {
  int64_t rank = getRank(group);
  if (depth == rank)
    return emitElements(group, index, Value());
  int64_t dim = group.order[depth];
  OpFoldResult size = getResultSize(group, dim);
  if (depth == rank - 1) {
    loops.emitVectorLoop(size, group.width, {},
                         [&](Value position, Value count, ValueRange) {
                           index[dim] = position;
                           emitElements(group, index, count);
                           return SmallVector<Value>();
                         });
    return;
  }
  loops.emitLoop(memory.getIndex(0), memory.getIndex(size), 1, {},
                 [&](Value position, ValueRange) {
                   index[dim] = position;
                   emitInner(group, depth + 1, index);
                   return SmallVector<Value>();
                 });
}

/// One vector of the last dimension, whose number `index` has.
void ElementKernelEmitter::emitVectorItem(const CpuGroup &group,
                                          SmallVectorImpl<Value> &index) {
  int64_t dim = group.order.back();
  OpFoldResult all = getResultSize(group, dim);
  Value lanes = memory.getIndex(group.width);
  Value first = b.createOrFold<arith::MulIOp>(loc, index[dim], lanes);
  OpFoldResult size = lanes;
  if (getConstantIntValue(all).value_or(1) % group.width != 0) {
    Value rest = arith::SubIOp::create(b, loc, memory.getIndex(all), first);
    size = arith::MinSIOp::create(b, loc, rest, lanes).getResult();
  }
  loops.emitVectorLoop(
      size, group.width, {}, [&](Value offset, Value count, ValueRange) {
        index[dim] = b.createOrFold<arith::AddIOp>(loc, first, offset);
        emitElements(group, index, count);
        return SmallVector<Value>();
      });
}

/// The elements of outer positions from `first` to `last`.
void ElementKernelEmitter::emitTile(const CpuGroup &group, Value first,
                                    Value last) {
  SmallVector<OpFoldResult> sizes =
      group.items.emitSizes(b, loc, getSizes(group));
  loops.emitLoop(first, last, 1, {}, [&](Value position, ValueRange) {
    SmallVector<Value> index(getRank(group));
    for (auto [dim, coordinate] :
         llvm::zip(group.items.dims, loops.delinearize(position, sizes)))
      index[dim] = coordinate;
    if (group.isVectorItem)
      emitVectorItem(group, index);
    else if (group.squareDim >= 0)
      emitStrip(group, index);
    else if (!group.parts.empty())
      emitParts(group, index);
    else
      emitInner(group, group.items.dims.size(), index);
    return SmallVector<Value>();
  });
}

//===----------------------------------------------------------------------===//
// Transposed tiles
//===----------------------------------------------------------------------===//

/// The columns of as many vectors as lanes. Each step moves one bit of an
/// element's number of row and lane: all bits of the row to the lane, and of
/// the lane to the row.
static SmallVector<Value> transpose(OpBuilder &b, Location loc,
                                    SmallVector<Value> rows) {
  int64_t lanes = rows.size();
  SmallVector<int64_t> low, high;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    low.push_back(lane / 2 + lane % 2 * lanes);
    high.push_back(low.back() + lanes / 2);
  }
  for (int64_t step = 1; step < lanes; step *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < lanes / 2; ++i)
      for (ArrayRef<int64_t> which : {low, high})
        next.push_back(vector::ShuffleOp::create(b, loc, rows[i],
                                                 rows[i + lanes / 2], which));
    rows = std::move(next);
  }
  return rows;
}

/// Stores the square in `buffer`, a row of lanes after the other, by columns.
void ElementKernelEmitter::storeColumns(const CpuGroup &group, unsigned result,
                                        Value buffer, ArrayRef<Value> corner) {
  int64_t lanes = group.width;
  auto type = VectorType::get(
      {lanes}, cast<MemRefType>(buffer.getType()).getElementType());
  SmallVector<Value> values;
  for (int64_t row = 0; row < lanes; ++row)
    values.push_back(vector::LoadOp::create(
        b, loc, type, buffer, ValueRange{memory.getIndex(row * lanes)}));
  int64_t last = getRank(group) - 1;
  int64_t along = group.computesAcross ? last : group.squareDim;
  TensorAccess tensor = memory.moveLast(results[result], along);
  auto at = llvm::to_vector(corner);
  Value &lane = at[group.computesAcross ? group.squareDim : last];
  for (Value column : transpose(b, loc, values)) {
    memory.store(tensor, column, memory.moveLast(at, along), Value());
    lane = arith::AddIOp::create(b, loc, lane, memory.getIndex(1));
  }
}

/// Transposes and stores a square: as many rows as a vector has lanes.
void ElementKernelEmitter::emitSquare(const CpuGroup &group,
                                      ArrayRef<Value> corner) {
  int64_t lanes = group.width;
  SmallVector<Value> buffers;
  for (unsigned result : group.results)
    buffers.push_back(
        memory.getBuffer(getComputeTypeOf(segment.getYielded(result)),
                         lanes * lanes, kSquares + buffers.size()));
  loops.emitLoop(
      memory.getIndex(0), memory.getIndex(lanes), 1, {},
      [&](Value row, ValueRange) {
        auto index = llvm::to_vector(corner);
        Value &position =
            index[group.computesAcross ? getRank(group) - 1 : group.squareDim];
        position = arith::AddIOp::create(b, loc, position, row);
        Value place =
            arith::MulIOp::create(b, loc, row, memory.getIndex(lanes));
        for (auto [result, buffer] : llvm::zip(group.results, buffers))
          vector::StoreOp::create(
              b, loc,
              group.computesAcross
                  ? kernel.getElements().emit(loc, segment.getYielded(result),
                                              index, lanes, group.squareDim)
                  : emitResult(result, index, lanes),
              buffer, ValueRange{place});
        return SmallVector<Value>();
      });
  for (auto [result, buffer] : llvm::zip(group.results, buffers))
    storeColumns(group, result, buffer, corner);
}

/// Squares, then what is left of their rows, then rows that make no square.
void ElementKernelEmitter::emitStrip(const CpuGroup &group,
                                     SmallVectorImpl<Value> &index) {
  int64_t last = getRank(group) - 1, lanes = group.width;
  Value width = memory.getIndex(getResultSize(group, last));
  Value height = memory.getIndex(getResultSize(group, group.squareDim));
  auto roundDown = [&](Value size) {
    Value rest =
        b.createOrFold<arith::RemUIOp>(loc, size, memory.getIndex(lanes));
    return b.createOrFold<arith::SubIOp>(loc, size, rest);
  };
  Value strip = memory.getIndex(group.items.step);
  Value first = arith::MulIOp::create(b, loc, index[group.squareDim], strip);
  Value end = arith::AddIOp::create(b, loc, first, strip);
  end = arith::MinSIOp::create(b, loc, end, height);
  Value wholeRows = arith::SubIOp::create(b, loc, end, first);
  wholeRows = arith::AddIOp::create(b, loc, first, roundDown(wholeRows));
  Value wholeLanes = roundDown(width);
  auto at = [&](int64_t dim, auto then) {
    return [&index, dim, then](Value position, ValueRange) {
      index[dim] = position;
      then();
      return SmallVector<Value>();
    };
  };
  Value zero = memory.getIndex(0);
  auto squares = [&] { emitSquare(group, index); };
  loops.emitLoop(zero, wholeLanes, lanes, {}, at(last, [&] {
                   loops.emitLoop(first, wholeRows, lanes, {},
                                  at(group.squareDim, squares));
                 }));
  auto tail = [&] {
    loops.emitTail(wholeLanes, width, {},
                   [&](Value position, Value count, ValueRange) {
                     index[last] = position;
                     emitElements(group, index, count);
                     return SmallVector<Value>();
                   });
  };
  if (getConstantIntValue(width).value_or(1) % lanes != 0)
    loops.emitLoop(first, wholeRows, 1, {}, at(group.squareDim, tail));
  auto row = [&] { emitInner(group, last, index); };
  loops.emitLoop(wholeRows, end, 1, {}, at(group.squareDim, row));
}

//===----------------------------------------------------------------------===//
// Parts side by side
//===----------------------------------------------------------------------===//

/// Rows from that of `index` to `end`: vectors of `lanes` neighbours in each.
void ElementKernelEmitter::emitWidePart(const CpuGroup &group,
                                        const ElementEmitter::Part &part,
                                        SmallVector<Value> index, Value end,
                                        int64_t lanes) {
  int64_t dim = group.items.steppedDim;
  auto emitColumns = [&](Value column, Value count, ValueRange) {
    index.back() = kernel.getElements().addIndex(loc, column, part.begin);
    emitElements(group, index, count, lanes);
    return SmallVector<Value>();
  };
  loops.emitLoop(index[dim], end, 1, {}, [&](Value row, ValueRange) {
    index[dim] = row;
    loops.emitVectorLoop(b.getIndexAttr(part.size), lanes, {}, emitColumns);
    return SmallVector<Value>();
  });
}

/// The same: vectors are of as many rows as the group has lanes. Fewer are left
/// to the end, element by element, which is less code than a tail.
void ElementKernelEmitter::emitNarrowPart(const CpuGroup &group,
                                          const ElementEmitter::Part &part,
                                          SmallVector<Value> index, Value end) {
  int64_t dim = group.items.steppedDim;
  Value rows = arith::SubIOp::create(b, loc, end, index[dim]);
  rows = arith::AndIOp::create(b, loc, rows, memory.getIndex(-group.width));
  Value whole = arith::AddIOp::create(b, loc, index[dim], rows);
  auto emitVector = [&](ArrayRef<Value> at) {
    SmallVector<Value> values;
    for (unsigned result : group.results)
      values.push_back(kernel.getElements().emit(
          loc, segment.getYielded(result), at, group.width, dim));
    for (auto [result, value] : llvm::zip(group.results, values))
      memory.storeAlong(results[result], value, at, dim);
  };
  auto emitColumn = [&](Value column, ValueRange) {
    auto at = index;
    at.back() = kernel.getElements().addIndex(loc, column, part.begin);
    memory.addPosition(at.back());
    return loops.emitLoop(index[dim], whole, group.width, {},
                          [&](Value row, ValueRange) {
                            at[dim] = row;
                            emitVector(at);
                            return SmallVector<Value>();
                          });
  };
  loops.emitLoop(memory.getIndex(0), memory.getIndex(part.size), 1, {},
                 emitColumn);
  int64_t height = getConstantIntValue(getResultSize(group, dim)).value_or(1);
  index[dim] = whole;
  if (height % group.width != 0)
    emitWidePart(group, part, index, end, /*lanes=*/1);
}

/// A strip of rows, one part after the other. Loops over the rows of each keep
/// blocks of code short: LLVM takes a time that is quadratic in their accesses.
void ElementKernelEmitter::emitParts(const CpuGroup &group,
                                     SmallVectorImpl<Value> &index) {
  int64_t dim = group.items.steppedDim;
  Value strip = memory.getIndex(group.items.step);
  index[dim] = arith::MulIOp::create(b, loc, index[dim], strip);
  Value end = arith::AddIOp::create(b, loc, index[dim], strip);
  end = arith::MinSIOp::create(b, loc, end,
                               memory.getIndex(getResultSize(group, dim)));
  readsAlong = true;
  for (const ElementEmitter::Part &part : group.parts) {
    ElementEmitter::Scope scope(kernel.getElements());
    kernel.getElements().setPart(&part);
    if (part.size <= group.narrow)
      emitNarrowPart(group, part, llvm::to_vector(index), end);
    else
      emitWidePart(group, part, llvm::to_vector(index), end,
                   plan.getLanes(part.size));
  }
  kernel.getElements().setPart(nullptr);
  readsAlong = false;
}

//===----------------------------------------------------------------------===//
// Flat groups
//===----------------------------------------------------------------------===//

TensorAccess ElementKernelEmitter::flatten(const TensorAccess &tensor,
                                           Value size) {
  return TensorAccess(flattenMemRef(b, loc, tensor.getMemRef(), size),
                      tensor.getElementType());
}

/// All tensors of the group, of `total` elements, by positions in memory, which
/// take the place of indices. Other groups see the operands as they are.
void ElementKernelEmitter::emitFlat(const CpuGroup &group, Value total,
                                    Value first, Value last) {
  for (unsigned result : group.results)
    results[result] = flatten(results[result], total);
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand.getMemRef())
      bind(segment.getBody().getArgument(i), flatten(operand, total));
  // Where only items of later groups are left, `first` is behind the last item,
  // which may be short. A vector loop has a tail at a negative size, too.
  first = arith::MinSIOp::create(b, loc, first, total);
  Value size = arith::SubIOp::create(b, loc, last, first);
  loops.emitVectorLoop(
      size, group.width, {}, [&](Value offset, Value count, ValueRange) {
        Value position = arith::AddIOp::create(b, loc, first, offset);
        emitElements(group, position, count);
        return SmallVector<Value>();
      });
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand.getMemRef())
      bind(segment.getBody().getArgument(i), operand);
}

/// Work items from `begin` to `end`, counted in the group.
void ElementKernelEmitter::emitGroup(const CpuGroup &group, Value begin,
                                     Value end) {
  Value total = group.items.emitPoints(b, loc, getSizes(group));
  Value chunk = memory.getIndex(group.items.chunk);
  Value first = b.createOrFold<arith::MulIOp>(loc, begin, chunk);
  Value last = b.createOrFold<arith::MulIOp>(loc, end, chunk);
  last = arith::MinSIOp::create(b, loc, last, total);
  if (group.isFlat)
    emitFlat(group, total, first, last);
  else
    emitTile(group, first, last);
}

LogicalResult ElementKernelEmitter::emit() {
  bindReductions();
  Value zero = memory.getIndex(0);
  Value base = zero;
  for (const CpuGroup &group : plan.groups) {
    if (plan.groups.size() == 1) {
      emitGroup(group, arguments.begin, arguments.end);
      break;
    }
    Value items = group.items.emitCount(b, loc, getSizes(group));
    auto clamp = [&](Value item) -> Value {
      Value inside = arith::SubIOp::create(b, loc, item, base);
      inside = arith::MaxSIOp::create(b, loc, inside, zero);
      return arith::MinSIOp::create(b, loc, inside, items);
    };
    ElementEmitter::Scope scope(kernel.getElements());
    emitGroup(group, clamp(arguments.begin), clamp(arguments.end));
    base = arith::AddIOp::create(b, loc, base, items);
  }
  return kernel.getStatus();
}

LogicalResult fuser::emitElementKernel(OpBuilder &builder,
                                       fusion::SegmentOp segment,
                                       const CpuPlan &plan,
                                       const CpuKernelArguments &arguments) {
  return ElementKernelEmitter(builder, segment, plan, arguments).emit();
}
