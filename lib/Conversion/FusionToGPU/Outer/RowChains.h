//===- RowChains.h - The rows that a block goes through --------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where rows are reduced, too, a block goes from row to row: through those of a
// chain (SumOrder.h), or of several chains that come one after the other. These
// are neighbours, so that the order of sums adds what they give as a tree: what
// is added of earlier chains waits in shared memory, one sum of each column for
// each level of the tree, until the chain beside it is done. So there are fewer
// sums for the second kernel, and rows are read ahead from chain to chain.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_OUTER_ROWCHAINS_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_OUTER_ROWCHAINS_H

#include "OuterProgram.h"

namespace fuser {

/// By the position of the chain or the part, and the first column: what all
/// reductions hold of neighbouring columns.
using HeldColumns = std::map<std::pair<int64_t, int64_t>, Accumulators>;

/// As loops carry it.
SmallVector<Value> flatten(const HeldColumns &held);
/// Takes what `flatten` gives, and returns what is behind it.
ValueRange unflatten(ValueRange values, HeldColumns &held);

/// Neutral elements, each for `width` neighbouring columns.
Accumulators emitNeutral(const Combiner &combiner, OpBuilder &b, int64_t width);

class RowChains {
public:
  /// `firstRow` is the first one of the block's first chain.
  RowChains(SegmentKernel &kernel, const OuterProgram &program,
            const OuterSizes &sizes, Value firstRow);

  /// The steps of all chains: those of the first one, each time. Others may
  /// lack the last row.
  Value getNumSteps() const { return numSteps; }
  /// The row of a step, of the first of the chains that are side by side; that
  /// of the last step for later ones.
  Value emitRow(Value step);

  /// Shared memory from this byte on for sums like `held`.
  void createMemory(int64_t firstByte, const HeldColumns &held);
  /// Bytes of it.
  int64_t getSharedBytes() const { return sharedBytes; }

  /// Behind a step, which may be the last one of its chain: then nothing is
  /// held any more, or, behind the last chain, what all have added.
  void emitEndOfStep(Value step, const Combiner &combiner, HeldColumns &held);

private:
  Value emitStepsOfChain(const OuterSizes &sizes);
  Value emitNarrow(Value value);
  std::pair<Value, Value> emitChainOf(Value step);
  SmallVector<Value> emitJoined(int64_t level, Value chain,
                                const Combiner &combiner,
                                const HeldColumns &held);
  Value emitPlace(int64_t level, int64_t element, int64_t width);

  const OuterProgram &program;
  OpBuilder &b;
  Location loc;
  ElementEmitter &elements;
  int64_t numChains;
  bool rowsAreNarrow; ///< Their numbers have 32 bits.
  Value firstRow, slabStep, stepsOfChain, numSteps;
  /// Of each accumulator: [level, element of a thread, thread].
  SmallVector<TensorAccess> memory;
  int64_t elementsPerThread = 0, sharedBytes = 0;
  Value thread;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_OUTER_ROWCHAINS_H
