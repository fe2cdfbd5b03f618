//===- CpuKernelEmitter.h - Kernels from plans -----------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOCPU_CPUKERNELEMITTER_H
#define FUSER_LIB_CONVERSION_FUSIONTOCPU_CPUKERNELEMITTER_H

#include "CpuMemory.h"
#include "CpuPlan.h"

namespace fuser {

/// Which of a split reduction's kernels it is.
enum class CpuPhase {
  Whole, ///< There is one.
  Parts, ///< Its work items are parts of rows.
  Fold,  ///< They are rows, of which there are parts.
};

/// The arguments of a kernel. It handles the work items from `begin` to `end`,
/// each on its own (cpu_r1).
struct CpuKernelArguments {
  ValueRange tensorsAndScalars, workspaces;
  Value begin, end;
  CpuScratch *scratch;
  CpuPhase phase = CpuPhase::Whole;
};

/// How many tensors are read or written element by element.
int64_t countScattered(ValueRange tensorsAndScalars);

/// True if only a launch knows whether neighbours in the last dimension are
/// neighbours in memory.
bool hasUnknownNeighbours(Value value);

/// `memref` if the stride of its last dimension is one; and the condition for
/// that, in addition to `condition`.
Value assumeNeighbours(OpBuilder &b, Location loc, Value memref,
                       Value &condition);

/// What the emitters of both kinds of plans share.
class CpuKernelEmitter {
public:
  CpuKernelEmitter(OpBuilder &builder, fusion::SegmentOp segment,
                   const CpuPlan &plan, const CpuKernelArguments &arguments);

protected:
  using Accumulators = SmallVector<Value>;
  friend class CpuReductionLoops;

  /// What some reductions take: the elements of the dimensions of `sizes`, the
  /// slowest first.
  struct ReducedSpace {
    ArrayRef<fusion::ReductionOpInterface> ops;
    SmallVector<OpFoldResult> sizes;
    /// The lanes of a vector are neighbours in the last of the dimensions. If
    /// not, each belongs to another result.
    bool isRow;
    /// Lanes.
    int64_t width;
    /// A row is no longer than a vector.
    bool isShort = false;
  };
  /// The elements at `coordinates` for each of the ops, not prepared. In a tail
  /// of a row there are `count` of them.
  using SpaceBody = llvm::function_ref<SmallVector<Value>(
      ValueRange coordinates, Value count)>;

  /// Loops over all of `space`. Gives the accumulators of each op: of one
  /// result, or of one in each lane.
  Accumulators reduce(const ReducedSpace &space, SpaceBody body);
  /// The accumulators of part number `part` of a row, before they are combined.
  Accumulators reducePart(const ReducedSpace &space, Value part,
                          SpaceBody body);
  /// What `reduce` gives, of the parts, which `load` gives by their numbers.
  Accumulators joinParts(const ReducedSpace &space,
                         llvm::function_ref<Accumulators(Value part)> load,
                         SpaceBody body);

  /// From now on elements of a tensor of the segment come from `tensor`.
  void bind(Value value, const TensorAccess &tensor);
  /// Scratch memory that belongs to `op`, the same whenever it is asked for.
  Value getScratch(Operation *op, unsigned number, Type element,
                   int64_t elements);
  /// The element(s) of `value`.
  Value emit(Value value, ValueRange index, int64_t width) {
    return kernel.getElements().emit(loc, value, index, width);
  }
  /// Values of the segment's result `number`.
  Value emitResult(unsigned number, ValueRange index, int64_t width) {
    return emit(segment.getYielded(number), index, width);
  }
  void store(unsigned result, Value value, ValueRange index, Value count) {
    memory.store(results[result], value, index, count);
  }
  OpFoldResult getSize(Value tensor, int64_t dim) {
    return kernel.getDim(tensor, dim);
  }

  Type getComputeTypeOf(Value tensor) const;
  /// What loops over elements in their order start from, in `lanes` lanes.
  Accumulators emitStart(fusion::ReductionOpInterface op, int64_t lanes);
  /// All lanes as one, by halves, whatever their number is.
  Accumulators combineLanes(fusion::ReductionOpInterface op,
                            Accumulators accumulators);
  /// The result's elements, one a lane.
  Value emitFinalize(fusion::ReductionOpInterface op, ValueRange accumulators);
  /// The number of elements that are reduced.
  Value getCount(fusion::ReductionOpInterface op);

  OpBuilder &b;
  Location loc;
  fusion::SegmentOp segment;
  const CpuPlan &plan;
  CpuKernelArguments arguments;
  SegmentKernel kernel;
  CpuMemory memory;
  CpuLoops loops;
  /// Neighbours in other dimensions than the last are read as such.
  bool readsAlong = false;
  SmallVector<TensorAccess> operands, results;

private:
  DenseMap<std::tuple<Operation *, unsigned, int64_t>, Value> scratch;
};

/// Emits the body of a kernel where the builder stands. Failure has been
/// reported.
LogicalResult emitReductionKernel(OpBuilder &builder, fusion::SegmentOp segment,
                                  const CpuPlan &plan,
                                  const CpuKernelArguments &arguments);
LogicalResult emitFibreKernel(OpBuilder &builder, fusion::SegmentOp segment,
                              const CpuPlan &plan,
                              const CpuKernelArguments &arguments);
LogicalResult emitElementKernel(OpBuilder &builder, fusion::SegmentOp segment,
                                const CpuPlan &plan,
                                const CpuKernelArguments &arguments);

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOCPU_CPUKERNELEMITTER_H
