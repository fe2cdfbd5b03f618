//===- ElementReduction.h - Reductions for one element ---------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work of a reduction for one element of its result, in its order: alone,
// or shared by `parts` threads side by side (NeighbourReduction.h), of which
// all come to the barriers.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_ELEMENTREDUCTION_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_ELEMENTREDUCTION_H

#include "NeighbourReduction.h"
#include "fuser/Conversion/SegmentKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fuser {

class ElementReduction {
public:
  using Request = ElementEmitter::ReductionRequest;

  /// Which threads share an element.
  struct Threads {
    int64_t parts = 1;
    /// The number among them; null if there is one.
    Value part;
  };

  ElementReduction(SegmentKernel &kernel, gpu::GPUFuncOp func,
                   const Threads &threads);

  /// Of all elements.
  Accumulators emit(Request &request);
  /// The number of elements that are reduced to one.
  OpFoldResult getCount(const Request &request);

private:
  Accumulators emitRange(Request &request, const Combiner &combiner,
                         const ReductionRange &range, bool isShared);
  Accumulators emitAlone(Request &request, const Combiner &combiner,
                         const ReductionRange &range);
  Accumulators emitOuter(Request &request, const Combiner &combiner,
                         OpFoldResult count);
  Accumulators emitPart(Request &request, const Combiner &combiner,
                        OpFoldResult count, Value part, Value parts);
  Accumulators emitLeaf(Request &request, const Combiner &combiner, Value start,
                        Value end, const ReductionRange &range);
  SmallVector<Accumulators> emitPrepared(Request &request,
                                         ArrayRef<Value> positions);
  Value getIsWhole(Value start, int64_t size, const ReductionRange &range);
  void setPosition(Request &request, Value position);
  Value getConstant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  SegmentKernel &kernel;
  OpBuilder &b;
  Location loc;
  Threads threads;
  ReductionWalk walk;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_REDUCTION_ELEMENTREDUCTION_H
