//===- EmitElementKernel.cpp - Tiles of elements
//---------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuKernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fuser;
using fusion::ReductionOpInterface;

namespace {
class ElementKernelEmitter : public CpuKernelEmitter {
public:
  using CpuKernelEmitter::CpuKernelEmitter;
  LogicalResult emit();

private:
  void emitGroup(const CpuGroup &group, Value begin, Value end);
  void emitTile(const CpuGroup &group, Value first, Value last);
  void emitFlat(const CpuGroup &group, Value begin, Value end);
  void emitInner(const CpuGroup &group, int64_t dim,
                 SmallVectorImpl<Value> &index);
  void emitElements(const CpuGroup &group, ValueRange index, Value count);
  void bindReductions();
  Value emitReduction(ReductionOpInterface op, ValueRange at, int64_t width);
  Accumulators emitReductionLoops(ReductionOpInterface op,
                                  SmallVectorImpl<Value> &index, int64_t width,
                                  ValueRange carried);
  CpuTensor flatten(const CpuTensor &tensor, Value size);

  OpFoldResult getResultSize(const CpuGroup &group, int64_t dim) {
    return getSize(segment.getYielded(group.results.front()), dim);
  }
  SmallVector<OpFoldResult> getSizes(const CpuGroup &group, int64_t number);
  int64_t getRank(const CpuGroup &group) {
    return cast<RankedTensorType>(
               segment.getResult(group.results.front()).getType())
        .getRank();
  }
};
} // namespace

SmallVector<OpFoldResult> ElementKernelEmitter::getSizes(const CpuGroup &group,
                                                         int64_t number) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < number; ++dim)
    sizes.push_back(getResultSize(group, dim));
  return sizes;
}

//===----------------------------------------------------------------------===//
// Reductions inside of an element
//===----------------------------------------------------------------------===//

/// Loops over the reduced dimensions whose coordinates are null, the first of
/// them outermost.
ElementKernelEmitter::Accumulators
ElementKernelEmitter::emitReductionLoops(ReductionOpInterface op,
                                         SmallVectorImpl<Value> &index,
                                         int64_t width, ValueRange carried) {
  Value *unknown = llvm::find(index, Value());
  if (unknown == index.end()) {
    Value element = CpuKernelEmitter::emit(op->getOperand(0), index, width);
    return emitCombine(op, carried, element, Value());
  }
  Value size =
      memory.getIndex(getSize(op->getOperand(0), unknown - index.begin()));
  Accumulators sum =
      loops.emitLoop(memory.getIndex(0), size, 1, carried,
                     [&](Value position, ValueRange values) {
                       *unknown = position;
                       return emitReductionLoops(op, index, width, values);
                     });
  *unknown = Value();
  return sum;
}

Value ElementKernelEmitter::emitReduction(ReductionOpInterface op,
                                          ValueRange at, int64_t width) {
  SmallVector<Value> index;
  int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  SmallVector<int64_t> reduced = op.getReductionDims();
  for (int64_t dim = 0, next = 0; dim < rank; ++dim) {
    bool isReduced = llvm::is_contained(reduced, dim);
    index.push_back(isReduced ? Value() : at[next]);
    if (!isReduced || op.getKeepsDims())
      ++next;
  }
  Accumulators sum =
      emitReductionLoops(op, index, width, emitNeutral(op, width));
  return emitFinalize(op, sum);
}

/// Lanes may be elements of a result whose last dimension is not reduced. Other
/// reductions are asked for one element at a time.
void ElementKernelEmitter::bindReductions() {
  for (auto op : segment.getBody().getOps<ReductionOpInterface>()) {
    int64_t rank =
        cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
    if (rank == 0 || llvm::is_contained(op.getReductionDims(), rank - 1))
      continue;
    kernel.getElements().bind(
        op->getResult(0),
        [this, op](OpBuilder &, Location, ValueRange at, int64_t width) {
          return emitReduction(op, at, width);
        });
  }
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Everything is read before anything is written.
void ElementKernelEmitter::emitElements(const CpuGroup &group, ValueRange index,
                                        Value count) {
  SmallVector<Value> values;
  for (unsigned result : group.results)
    values.push_back(emitResult(result, index, group.width));
  for (auto [result, value] : llvm::zip(group.results, values))
    store(result, value, index, count);
}

/// Loops over the dimensions from `dim` on.
void ElementKernelEmitter::emitInner(const CpuGroup &group, int64_t dim,
                                     SmallVectorImpl<Value> &index) {
  int64_t rank = getRank(group);
  if (dim == rank)
    return emitElements(group, index, Value());
  OpFoldResult size = getResultSize(group, dim);
  if (dim == rank - 1) {
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
                   emitInner(group, dim + 1, index);
                   return SmallVector<Value>();
                 });
}

/// The elements of outer positions from `first` to `last`.
void ElementKernelEmitter::emitTile(const CpuGroup &group, Value first,
                                    Value last) {
  SmallVector<OpFoldResult> sizes = getSizes(group, group.numItemDims);
  loops.emitLoop(first, last, 1, {}, [&](Value position, ValueRange) {
    SmallVector<Value> index = loops.delinearize(position, sizes);
    index.resize(getRank(group));
    emitInner(group, group.numItemDims, index);
    return SmallVector<Value>();
  });
}

CpuTensor ElementKernelEmitter::flatten(const CpuTensor &tensor, Value size) {
  if (!tensor.memref)
    return tensor;
  auto type = cast<MemRefType>(tensor.memref.getType());
  Value view = memref::ReinterpretCastOp::create(
      b, loc, MemRefType::get({ShapedType::kDynamic}, type.getElementType()),
      tensor.memref, OpFoldResult(b.getIndexAttr(0)),
      ArrayRef<OpFoldResult>{size}, ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  return {view, tensor.elementType};
}

/// All tensors by positions in memory, which take the place of indices.
void ElementKernelEmitter::emitFlat(const CpuGroup &group, Value begin,
                                    Value end) {
  Value total = loops.getProduct(getSizes(group, getRank(group)));
  for (unsigned result : group.results)
    results[result] = flatten(results[result], total);
  for (auto [i, argument] : llvm::enumerate(segment.getBody().getArguments())) {
    if (!operands[i].memref)
      continue;
    CpuTensor flat = flatten(operands[i], total);
    kernel.getElements().bind(
        argument,
        [this, flat](OpBuilder &, Location, ValueRange at, int64_t width) {
          return memory.load(flat, at, width);
        });
  }
  Value chunk = memory.getIndex(group.chunk);
  Value first = arith::MulIOp::create(b, loc, begin, chunk);
  Value last = arith::MulIOp::create(b, loc, end, chunk);
  last = arith::MinSIOp::create(b, loc, last, total);
  Value size = arith::SubIOp::create(b, loc, last, first);
  loops.emitVectorLoop(
      size, group.width, {}, [&](Value offset, Value count, ValueRange) {
        Value position = arith::AddIOp::create(b, loc, first, offset);
        emitElements(group, position, count);
        return SmallVector<Value>();
      });
}

/// Work items from `begin` to `end`, counted in the group.
void ElementKernelEmitter::emitGroup(const CpuGroup &group, Value begin,
                                     Value end) {
  if (group.isFlat)
    return emitFlat(group, begin, end);
  Value total = loops.getProduct(getSizes(group, group.numItemDims));
  Value chunk = memory.getIndex(group.chunk);
  Value first = b.createOrFold<arith::MulIOp>(loc, begin, chunk);
  Value last = b.createOrFold<arith::MulIOp>(loc, end, chunk);
  last = arith::MinSIOp::create(b, loc, last, total);
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
    int64_t dims = group.isFlat ? getRank(group) : group.numItemDims;
    Value points = loops.getProduct(getSizes(group, dims));
    Value items = arith::CeilDivUIOp::create(b, loc, points,
                                             memory.getIndex(group.chunk));
    auto clamp = [&](Value item) -> Value {
      Value inside = arith::SubIOp::create(b, loc, item, base);
      inside = arith::MaxSIOp::create(b, loc, inside, zero);
      return arith::MinSIOp::create(b, loc, inside, items);
    };
    ElementEmitter::Scope scope(kernel.getElements());
    emitGroup(group, clamp(arguments.begin), clamp(arguments.end));
    base = arith::AddIOp::create(b, loc, base, items);
  }
  return failure(failed);
}

LogicalResult fuser::emitElementKernel(OpBuilder &builder,
                                       fusion::SegmentOp segment,
                                       const CpuPlan &plan,
                                       const CpuKernelArguments &arguments) {
  return ElementKernelEmitter(builder, segment, plan, arguments).emit();
}
