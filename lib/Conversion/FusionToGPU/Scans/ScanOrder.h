//===- ScanOrder.h - The order in which a GPU scans ------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of the order that all scans on a GPU have (SumOrder.h): within a
// leaf, over the leaves of a segment in the lanes of a warp, over the segments
// of a section, over the sections of a group, over groups.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_SCANS_SCANORDER_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_SCANS_SCANORDER_H

#include "fuser/Conversion/SegmentKernel.h"
#include "fuser/Support/SumOrder.h"

namespace fuser {

/// How a scan combines.
class ScanCombiner {
public:
  ScanCombiner(SegmentKernel &kernel, fusion::ScanOpInterface op);

  /// In which it does.
  static Type getType(fusion::ScanOpInterface op);

  /// Of scalars, or vectors of different fibres.
  Value combine(Value before, Value after) const;
  /// `element`, or what changes nothing where `exists` (null: always) is false.
  Value orNeutral(Value exists, Value element) const;
  /// Of the type of an element, or of a vector of them.
  Value getNeutral(Type type) const;

  /// Element after element what all up to there are combined to.
  SmallVector<Value> emitLeaf(ArrayRef<Value> elements) const;

  /// A result rounded to the op's element type.
  Value emitRounded(Value result) const;

  Type getType() const { return neutral.getType(); }
  fusion::ScanOpInterface getOp() const { return op; }

private:
  SegmentKernel &kernel;
  fusion::ScanOpInterface op;
  OpBuilder &b;
  Location loc;
  Value neutral;
};

/// Goes from segment to segment, from section to section, and from group to
/// group.
class SegmentChain {
public:
  /// What groups, sections and segments before are combined to.
  static constexpr int64_t kNumCarried = 3;
  static SmallVector<Value> getInit(const ScanCombiner &combiner);

  /// From what is before, in a tile of so many segments. `step`: how many such
  /// tiles are before; null: this is the first one of the fibre, or of the
  /// section. Of fibres of one group nothing is asked of groups.
  SegmentChain(OpBuilder &b, const ScanCombiner &combiner, ValueRange before,
               Value step, int64_t segments, bool hasGroups);

  /// The next segment has this number in the tile, and as many as are added
  /// until the next call are of one section.
  void enter(int64_t number);
  void add(Value segment);

  /// Of the section that was entered last.
  Value getSegments() const { return segments; }
  /// All sections before, and `segments` of this one.
  Value combineSections(Value segments) const;
  SmallVector<Value> getCarried() const;

private:
  Value emitStarts(int64_t number, int64_t every);
  void endSection(Value isNext, Value isNextGroup);

  OpBuilder &b;
  const ScanCombiner &combiner;
  Value groups, sections; ///< Null: there are none, which changes nothing.
  Value segments;
  Value step;
  int64_t numSegments;
  bool hasGroups;
};

/// A whole fibre, by one thread: what waits for more on each level of a segment
/// is in registers.
void emitSerialScan(const ScanCombiner &combiner, fusion::FibreContext &ctx);

/// Leaves of a segment in neighbouring lanes, 2 to the power of `bits` of them.
class LaneScan {
public:
  LaneScan(OpBuilder &b, Location loc, int64_t bits);

  struct Result {
    Value before; ///< The leaves before the lane's.
    Value upTo;   ///< And its own.
  };
  Result emit(const ScanCombiner &combiner, Value leaf) const;
  /// The same with any function that combines, whose neutral value this is.
  Result emit(function_ref<Value(Value before, Value after)> combine,
              Value neutral, Value leaf) const;

  /// The leaves of all lanes, which the last one has.
  Value emitAll(Value upTo) const;

private:
  using CombineFn = function_ref<Value(Value before, Value after)>;
  Value emitByBits(CombineFn combine, Value leaf) const;
  Value emitByDistance(CombineFn combine, Value leaf) const;
  Value emitHas(int64_t mask) const;
  Result emitBefore(Value upTo, Value neutral) const;
  Value getInt(int64_t value) const;

  OpBuilder &b;
  Location loc;
  int64_t bits;
  Value lane;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_SCANS_SCANORDER_H
