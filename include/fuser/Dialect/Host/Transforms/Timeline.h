//===- Timeline.h - What a program does on each stream ---------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule that needs no run: rows are streams, columns are steps. The step
// of a piece of work is one more than the largest step of what it comes after:
// the work before it on its stream, and what its stream has waited for. So work
// of one step may overlap, and says nothing of how long it takes.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_TRANSFORMS_TIMELINE_H
#define FUSER_DIALECT_HOST_TRANSFORMS_TIMELINE_H

#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>
#include <vector>

namespace fuser::host {

struct Timeline {
  /// The work of a stream up to a step. Step 0 is what the stream had been
  /// given before the call.
  struct Point {
    unsigned stream, step;
  };

  enum class Kind {
    Work,  ///< What a stream does; takes a step.
    Note,  ///< What takes none: memory, groups, waits, the end.
    Frame, ///< A loop or a branch: its body once.
  };

  struct Entry {
    Kind kind;
    std::string text;
    /// In which steps of loops: "%i = 2", or nothing.
    std::string iteration = {};
    /// Of frames: those of the first entry.
    unsigned stream = 0, step = 0;
    bool isCommunication = false;
    /// What the stream waits for before it.
    SmallVector<Point, 2> waits = {};
    /// Of a frame.
    std::vector<Entry> entries = {};
  };

  /// Its symbol, "@f".
  std::string program;
  /// What the rows are called. The caller's stream is the first.
  std::vector<std::string> streams;
  /// From a frame to the next one ascending in steps; those of a stream are
  /// in the order of the program.
  std::vector<Entry> entries;
};

/// The timeline of a host program, with loops of at most `unroll` steps step by
/// step. A diagnostic for control flow other than `scf`.
FailureOr<Timeline> buildTimeline(mlir::func::FuncOp program, unsigned unroll);

/// As a table.
void printTimeline(const Timeline &timeline, raw_ostream &os);

/// As one SVG document, one below the other.
void drawTimelines(ArrayRef<Timeline> timelines, raw_ostream &os);

/// "caller:2, 1:3".
std::string describePoints(const Timeline &timeline,
                           ArrayRef<Timeline::Point> points);

/// The largest step.
unsigned countSteps(ArrayRef<Timeline::Entry> entries);

} // namespace fuser::host

#endif // FUSER_DIALECT_HOST_TRANSFORMS_TIMELINE_H
