//===- Scheduler.h - What can make kernels of a segment ------- -*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target has a list of schedulers, in order of preference. Segmentation asks
// it which groups may be one segment, and names the first scheduler that takes
// the segment; `fusion-schedule` has that one choose a schedule, or the next
// that does not refuse. The last one takes everything.
//
// What makes kernels of a schedule is attached to its attribute
// (KernelScheduleInterface). A project adds a scheduler by a list of its own.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_SCHEDULER_H
#define FUSER_SCHEDULE_SCHEDULER_H

#include "fuser/Analysis/GroupSummary.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Schedule/GroupFit.h"

namespace fuser {
class ShapeSymbols;
} // namespace fuser

namespace fuser::schedule {

/// How a segment becomes kernels.
struct Choice {
  fusion::ScheduleAttrInterface schedule;
  /// What it says of single ops, as attributes of these ops.
  llvm::SmallVector<std::pair<mlir::Operation *, mlir::NamedAttribute>, 0>
      opAttrs;
};

/// A segment as schedulers see it.
struct Segment {
  /// How its tensors lie in memory is only known of it, not of groups.
  fusion::SegmentOp op;
  /// Of the function around it.
  const ShapeSymbols &symbols;
  fusion::GroupSummary group;
};

/// The families that kernels are emitted for, as bits.
inline constexpr unsigned kKernelFamilies =
    static_cast<unsigned>(fusion::Family::Elementwise) |
    static_cast<unsigned>(fusion::Family::IndexMap) |
    static_cast<unsigned>(fusion::Family::Factory) |
    static_cast<unsigned>(fusion::Family::Reduction);
/// What can be computed element by element: contractions too, and ops of no
/// family, which emitters name in their errors.
inline constexpr unsigned kElementFamilies =
    ~static_cast<unsigned>(fusion::Family::Communication);

struct Scheduler {
  /// As segments have it.
  llvm::StringLiteral name;

  /// Whether a group may be a segment of this scheduler.
  Decision (*may)(const fusion::GroupSummary &group,
                  const Processor &processor);

  /// Sets `choice` for `segment`, which may have been made by hand, or says why
  /// there is none. Changes no IR.
  Decision (*choose)(const Segment &segment, const Processor &processor,
                     Choice &choice);

  /// The families of ops that it supports, as bits: it is asked about no group
  /// with another one.
  unsigned families = kKernelFamilies;

  /// How long the kernels of such a segment take, in seconds.
  double (*cost)(const fusion::GroupSummary &group,
                 const Processor &processor) = estimateSeconds;

  Decision supports(const fusion::GroupSummary &group) const {
    return (group.families & ~families) == 0
               ? Decision::yes()
               : Decision::notMine(
                     "an op is of a family that it does not support");
  }
};

/// In order of preference; the last one takes everything.
using Schedulers = llvm::ArrayRef<Scheduler>;

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_SCHEDULER_H
