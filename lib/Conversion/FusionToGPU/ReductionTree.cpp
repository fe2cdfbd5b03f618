//===- ReductionTree.cpp - The order in which a GPU adds ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionTree.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace fuser;

Accumulators Combiner::join(const Accumulators &lhs,
                            const Accumulators &rhs) const {
  if (lhs.empty() || rhs.empty())
    return lhs.empty() ? rhs : lhs;
  return combine(lhs, rhs);
}

Accumulators Combiner::orNeutral(Value exist, Accumulators values) const {
  if (!exist)
    return values;
  for (auto [value, none] : llvm::zip(values, neutral)) {
    Value other = none;
    if (isa<VectorType>(value.getType()))
      other = vector::BroadcastOp::create(b, loc, value.getType(), none);
    value = arith::SelectOp::create(b, loc, exist, value, other);
  }
  return values;
}

Accumulators Combiner::finish(const Accumulators &sum) const {
  return join(neutral, sum);
}

Combiner fuser::makeCombiner(SegmentKernel &kernel,
                             fusion::ReductionOpInterface op,
                             Accumulators neutral) {
  auto combine = [&kernel, op](ValueRange lhs, ValueRange rhs) {
    return kernel.emitCombine(op, lhs, rhs);
  };
  return {kernel.builder, kernel.segment.getLoc(), combine, std::move(neutral),
          op.isIdempotent()};
}

Accumulators fuser::emitNeighbourTree(const Combiner &combiner,
                                      SmallVector<Accumulators> values) {
  if (values.empty())
    return {};
  while (values.size() > 1) {
    SmallVector<Accumulators> next;
    for (size_t i = 0; i < values.size(); i += 2)
      next.push_back(i + 1 < values.size()
                         ? combiner.join(values[i], values[i + 1])
                         : values[i]);
    values = std::move(next);
  }
  return values.front();
}

/// Every other lane of `vector`, from `first` on.
static Value emitEveryOther(const Combiner &combiner, Value vector,
                            int64_t first) {
  int64_t size = cast<VectorType>(vector.getType()).getNumElements();
  OpBuilder &b = combiner.b;
  if (size == 2)
    return vector::ExtractOp::create(b, combiner.loc, vector, first);
  SmallVector<int64_t> lanes;
  for (int64_t lane = first; lane < size; lane += 2)
    lanes.push_back(lane);
  return vector::ShuffleOp::create(b, combiner.loc, vector, vector, lanes);
}

Accumulators fuser::emitLaneTree(const Combiner &combiner,
                                 Accumulators vectors) {
  while (!vectors.empty() && isa<VectorType>(vectors.front().getType())) {
    Accumulators even, odd;
    for (Value vector : vectors) {
      even.push_back(emitEveryOther(combiner, vector, 0));
      odd.push_back(emitEveryOther(combiner, vector, 1));
    }
    vectors = combiner.combine(even, odd);
  }
  return vectors;
}

/// The places first, first + step, ...
static Accumulators emitFoldFrom(const Combiner &combiner, int64_t count,
                                 int64_t places,
                                 llvm::function_ref<Accumulators(int64_t)> get,
                                 int64_t first, int64_t step) {
  if (first >= count)
    return {};
  if (step == places)
    return get(first);
  Accumulators low =
      emitFoldFrom(combiner, count, places, get, first, 2 * step);
  return combiner.join(
      low, emitFoldFrom(combiner, count, places, get, first + step, 2 * step));
}

Accumulators
fuser::emitFold(const Combiner &combiner, int64_t count, int64_t places,
                llvm::function_ref<Accumulators(int64_t place)> get) {
  return emitFoldFrom(combiner, count, places, get, 0, 1);
}
