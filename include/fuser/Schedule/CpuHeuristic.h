//===- CpuHeuristic.h - Schedules for CPUs ---------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What #fusion.cpu says of a segment: the lanes of its vectors, and then either
// the tiles of its results, or what stages of reductions keep for each other.
// Nothing of it changes a bit of a result.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_CPUHEURISTIC_H
#define FUSER_SCHEDULE_CPUHEURISTIC_H

#include "fuser/Schedule/Problem.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace fuser::schedule {

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// A segment for a CPU, of any scheduler.
struct CpuProblem {
  /// The most neighbours in the last dimension that stay neighbours in all
  /// tensors: a power of two. 1: some access (a transpose) takes elements one
  /// by one.
  int64_t contiguousWidth = 64;
  /// Instructions for an element, roughly.
  int64_t operations = 1;
  bool hasReduction = false;
  /// Tensors that an element may come from, of the op (a cat) with the most.
  int64_t sources = 1;
};

/// The most lanes of a vector.
int64_t chooseCpuVector(const CpuProblem &problem);

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// How far a step along a dimension goes in the memory of a tensor.
enum class CpuStep {
  Nowhere,
  /// To the next run of neighbours.
  NextRun,
  Further,
};

/// Results of one shape, each element of which is computed by itself.
struct CpuGroupProblem {
  llvm::SmallVector<int64_t, 4> shape;
  /// Positions in memory are all that the ops need to know of an index: all
  /// tensors lie in the same dense order.
  bool isFlat = false;
  /// An element takes reductions over the last dimension of a tensor, whose
  /// vectors are of one element.
  bool reducesRows = false;
  /// It takes others: their vectors are of several elements.
  bool reducesColumns = false;
  /// The dimension in which the elements of all results are neighbours in
  /// memory; -1 if there is none, or it is the last.
  int64_t storeDim = -1;
  /// The one in which those of all inputs that differ along the last are
  /// neighbours; -1 if there is none, it is the last, or results have such a
  /// dimension.
  int64_t readDim = -1;
  /// For each access to a tensor in memory, a step along each dimension of
  /// `shape`. Empty for fewer than three dimensions, whose order is fixed.
  llvm::SmallVector<llvm::SmallVector<CpuStep, 4>> accesses;
  /// The sizes of parts of the last dimension, each of which comes from one
  /// operand of a concatenation. Empty if there is none whose operands have
  /// known sizes.
  llvm::SmallVector<int64_t> parts;
  /// Vectors may as well be of neighbours in the last dimension but one.
  bool hasVectorsAlong = false;
  /// What an element costs, in additions, and what of that is behind the
  /// concatenation: code that each part has of its own.
  int64_t cost = 0;
  int64_t repeated = 0;
  /// Of the widest result.
  int64_t elementBytes = 1;
};

/// See #fusion.cpu_flat, #fusion.cpu_tiles, #fusion.cpu_squares and
/// #fusion.cpu_parts.
struct CpuGroupSchedule {
  enum class Kind { Flat, Tiles, Squares, Parts };
  Kind kind = Kind::Tiles;
  /// Not of flat groups. All dimensions, from the slowest loop to the fastest,
  /// which is that of the last.
  llvm::SmallVector<int64_t, 4> order;
  /// Of tiles.
  int64_t itemDims = 0;
  /// Neighbours of a work item; of parts, those in the last dimension but one.
  int64_t chunk = 1;
  /// Lanes; 0: as many as the schedule has.
  int64_t lanes = 0;
  /// Of parts: the columns of those whose vectors are of rows, at most.
  int64_t narrow = 0;
  /// Of squares: the other dimension than the last.
  int64_t dim = -1;
};

/// Whether the parts of results have loops of their own.
bool wantsParts(const CpuGroupProblem &problem);

CpuGroupSchedule chooseCpuGroup(const CpuGroupProblem &problem, int64_t vector);

//===----------------------------------------------------------------------===//
// Fibres in order
//===----------------------------------------------------------------------===//

/// See #fusion.cpu_order.
struct CpuOrderSchedule {
  int64_t counted = 0;
  int64_t sorted = kUnknown; ///< kUnknown: however many there are.
  int64_t items = 0;
};

CpuOrderSchedule chooseCpuOrder(const OrderProblem &problem);

//===----------------------------------------------------------------------===//
// What stages keep
//===----------------------------------------------------------------------===//

/// Ops that a work item, a row or a strip of columns, runs through stage by
/// stage.
struct CpuRowsProblem {
  struct Op {
    /// The ops among its operands, by number, each as often as it is one.
    llvm::SmallVector<unsigned, 2> operands;
    /// Tensors in memory among its operands.
    int64_t loads = 0;
    /// Simple instructions for an element.
    int64_t cost = 0;
    /// Bytes of an element in scratch memory.
    int64_t bytes = 4;
    bool isElementwise = false;
    bool isReduction = false;
    /// Nothing needs elements of it at other positions than its own.
    bool canKeep = false;
  };
  struct Result {
    unsigned number;
    unsigned op;
  };
  struct Stage {
    /// Ops that are computed at each position: operands of reductions, and
    /// results.
    llvm::SmallVector<unsigned> roots;
    /// Results that are stored.
    llvm::SmallVector<Result> results;
  };
  /// In an order in which they can be computed.
  llvm::SmallVector<Op> ops;
  llvm::SmallVector<Stage> stages;
  /// Positions of a work item.
  int64_t elements = kUnknown;
};

/// See #fusion.cpu.
struct CpuRowsSchedule {
  /// Numbers of ops.
  llvm::SmallVector<int64_t> kept;
  /// Numbers of results.
  llvm::SmallVector<int64_t> readBack;
};

/// Whether threads share rows of so many elements.
bool wantsSplit(int64_t rows, int64_t elements);

CpuRowsSchedule chooseCpuRows(const CpuRowsProblem &problem);

/// An op while stages are gone through.
struct CpuOpState {
  /// The first stage that computes it.
  std::optional<unsigned> computedIn;
  /// In memory, for later stages than that.
  bool isAvailable = false;
};

/// Notes which ops `stage` is the first to compute.
void collectComputed(const CpuRowsProblem &problem, unsigned stage,
                     llvm::MutableArrayRef<CpuOpState> states);

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_CPUHEURISTIC_H
