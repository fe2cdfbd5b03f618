//===- CpuMemory.h - Vectors in memory, and loops over them ----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over a dimension runs in whole vectors, and once more for the rest of
// it, the *tail*: there all computation is as wide as before, and only accesses
// to memory are limited to what is there. So the code of a tail may ask for
// elements that do not exist.
//
// No access leaves its tensor. Where all lanes exist, that follows from the
// program: an op looks only at elements that its operands have. In a tail, ops
// may lead lanes that do not exist anywhere, in all dimensions (a reshape
// carries over to the next row), so each coordinate is held against the size of
// its dimension; but for *positions*: those of a loop over what exists, which
// do not depend on the lane, are right for the first lane and so for all.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOCPU_CPUMEMORY_H
#define FUSER_LIB_CONVERSION_FUSIONTOCPU_CPUMEMORY_H

#include "fuser/Conversion/SegmentKernel.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fuser {

/// Unrolled, the element by element copies of more tensors than this make
/// blocks of so many accesses that LLVM takes a time quadratic in their number.
constexpr int64_t kMaxUnrolledTensors = 4;

/// The scratch memory of a kernel, handed out piece by piece.
class CpuScratch {
public:
  /// `memory` is an argument of the kernel, of type memref<?xi8>.
  explicit CpuScratch(Value memory) : memory(memory) {}

  /// Memory for `elements`, visible in the whole kernel; what is in it is not
  /// known.
  Value allocate(OpBuilder &b, Location loc, Type element, int64_t elements);
  /// What was handed out before may be handed out again.
  void restart() { used = 0; }
  /// The most that was in use.
  int64_t getBytes() const { return most; }

private:
  Value memory;
  int64_t used = 0, most = 0;
};

class CpuMemory {
public:
  CpuMemory(OpBuilder &builder, Location loc);

  /// From now on, copies element by element stay loops.
  void keepRolled() { keepsRolled = true; }
  bool isKeptRolled() const { return keepsRolled; }
  /// Loads are of a tail: elements that do not exist may be asked for.
  bool isInTail() const { return isTail; }
  /// From now on `coordinate` is a position. (Of constants some are those of
  /// lanes, and all are easy to judge.)
  void addPosition(Value coordinate) {
    if (!getConstantIntValue(coordinate))
      positions.insert(coordinate);
  }

  /// `width` neighbours, in compute type.
  Value load(const TensorAccess &tensor, ValueRange index, int64_t width);
  /// Neighbours along `dim`, which is not the last, where all of them exist.
  /// Null, where it takes a load for each.
  Value loadAlong(const TensorAccess &tensor, ValueRange index, int64_t width,
                  int64_t dim);
  void storeAlong(const TensorAccess &tensor, Value computed, ValueRange index,
                  int64_t dim);
  /// Stores `computed`; in a tail only the first `count` lanes, else `count` is
  /// null.
  void store(const TensorAccess &tensor, Value computed, ValueRange index,
             Value count);

  /// While one lives, loads are of a tail if `on`.
  class TailScope {
  public:
    TailScope(CpuMemory &memory, bool on)
        : memory(memory), previous(memory.isTail) {
      memory.isTail = on;
    }
    ~TailScope() { memory.isTail = previous; }

  private:
    CpuMemory &memory;
    bool previous;
  };

  Value getIndex(int64_t value);
  Value getIndex(OpFoldResult value) { return emitIndex(b, loc, value); }
  /// The mask with the first `count` of `width` lanes.
  Value getMask(Value count, int64_t width);
  /// Memory of the kernel's own for `width` elements: one for each `slot`.
  /// Accesses to tensors use slot 0.
  Value getBuffer(Type element, int64_t width, unsigned slot = 0);

  /// `tensor` with `dim` behind the other dimensions, and an index in it.
  TensorAccess moveLast(const TensorAccess &tensor, int64_t dim);
  static SmallVector<Value> moveLast(ValueRange index, int64_t dim);

private:
  /// What is read in place of the memory of a tensor: a zero of the kernel's
  /// own, of a size of 1 in dimensions of open sizes, where that has no
  /// elements; and whether it has, null if that is known.
  using Readable = std::pair<Value, Value>;
  /// The slot of the buffer that is the zero.
  static constexpr unsigned kReadInVain = 1 << 16;

  Readable getReadable(Value memory);
  Value loadInside(const TensorAccess &tensor, ValueRange index);
  Value loadScalar(const TensorAccess &tensor, ValueRange index);
  Value gather(const TensorAccess &tensor, ValueRange index, int64_t width,
               Value count);
  void scatter(const TensorAccess &tensor, Value stored, ValueRange index,
               Value count);
  /// False if the coordinate is surely that of an element.
  bool mayBeOutside(const TensorAccess &tensor, ValueRange index, int64_t dim);
  /// How many of `width` neighbours from `index` on the tensor has.
  Value getAvailable(const TensorAccess &tensor, ValueRange index,
                     int64_t width);
  void emitCopies(Value count, llvm::function_ref<void(Value k)> copy);

  OpBuilder &b;
  Location loc;
  Block *entry;
  bool isTail = false;
  bool keepsRolled = false;
  DenseSet<Value> positions;
  DenseMap<std::tuple<Type, int64_t, unsigned>, Value> buffers;
  DenseMap<Value, Readable> readables;
};

/// Loops of a kernel, for one emitter of elements.
class CpuLoops {
public:
  CpuLoops(OpBuilder &builder, Location loc, CpuMemory &memory,
           ElementEmitter &elements)
      : b(builder), loc(loc), memory(memory), elements(elements) {}

  /// Gives the next values of the loop's `carried` values. `count` is the
  /// number of lanes of a tail, or null.
  using VectorBody = llvm::function_ref<SmallVector<Value>(
      Value position, Value count, ValueRange carried)>;
  using Body = llvm::function_ref<SmallVector<Value>(Value position,
                                                     ValueRange carried)>;

  struct Range {
    Value begin, end;
    int64_t step;
  };

  /// How carried values are started anew, and how two sets of them are joined.
  struct Cascade {
    llvm::function_ref<SmallVector<Value>()> start;
    llvm::function_ref<SmallVector<Value>(ValueRange, ValueRange)> join;
  };

  /// From now on vector loops are of 1 to `lanes` elements.
  void setShort() { isShort = true; }

  /// From 0 to `size` in steps of `lanes`, with a tail. With a `cascade`, the
  /// whole vectors as `emitCascade` has them.
  SmallVector<Value> emitVectorLoop(OpFoldResult size, int64_t lanes,
                                    ValueRange init, VectorBody body,
                                    const Cascade *cascade = nullptr);
  /// Through `range` in blocks of blocks of steps: each block starts anew and
  /// is joined to what came before it, as SumOrder.h says.
  SmallVector<Value> emitCascade(Range range, ValueRange init,
                                 const Cascade &cascade, Body body);
  /// The same for ranges that begin with a block of `level`, from which on
  /// blocks are joined: their own blocks are one level lower.
  SmallVector<Value> emitBlocks(unsigned level, Range range, ValueRange init,
                                const Cascade &cascade, Body body);
  /// From `begin` to `end` in steps of `step`.
  SmallVector<Value> emitLoop(Value begin, Value end, int64_t step,
                              ValueRange init, Body body);

  /// The body once for less than a vector, from `begin` to `size`.
  SmallVector<Value> emitTail(Value begin, Value size, ValueRange init,
                              VectorBody body);

  /// The coordinates of position `linear` in a box of `sizes`, which exists.
  SmallVector<Value> delinearize(Value linear, ArrayRef<OpFoldResult> sizes);

private:
  SmallVector<Value> emitPartialLoop(Value size, int64_t lanes,
                                     VectorBody body);

  OpBuilder &b;
  Location loc;
  CpuMemory &memory;
  ElementEmitter &elements;
  bool isShort = false;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOCPU_CPUMEMORY_H
