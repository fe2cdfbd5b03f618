//===- TimelineStreams.h - What streams have done and waited for -*- C++
//-*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_HOST_TRANSFORMS_TIMELINESTREAMS_H
#define FUSER_LIB_DIALECT_HOST_TRANSFORMS_TIMELINESTREAMS_H

#include "fuser/Dialect/Host/Transforms/Timeline.h"

namespace fuser::host {

/// A stream, or the streams that a loop goes through.
struct Row {
  std::string label;
  /// Their numbers; none (1, 0) where only the program knows.
  int64_t low, high;
  /// What says which one, where it is not one number.
  Value number;

  bool isKnown() const { return low <= high; }
  bool isOne() const { return low == high; }
  /// Whether a loop goes through them, so that one may wait for another.
  bool isSeveral() const;
  /// Whether it is so few that a row is called after them.
  bool isFew() const {
    return isKnown() && uint64_t(high) - uint64_t(low) < 64;
  }
};

/// One of a row.
struct StreamRef {
  unsigned row;
  Value number;
};

/// The streams at one place of a program.
class TimelineStreams {
public:
  TimelineStreams() : rows{{"caller", 0, 0, Value()}}, states(1) {}

  unsigned size() const { return rows.size(); }
  const std::string &getLabel(unsigned row) const { return rows[row].label; }
  /// As the object of a sentence.
  std::string describe(unsigned row) const {
    bool isSet = rows[row].isFew() && !rows[row].isOne();
    return (isSet ? "one of " : "") + rows[row].label;
  }
  /// Rows as one expects them: by number, then those of more streams.
  SmallVector<unsigned> getOrder() const;

  StreamRef find(const Row &row);
  /// One of two.
  StreamRef either(const StreamRef &a, const StreamRef &b);
  const StreamRef &getCurrent() const { return current; }
  void setCurrent(const StreamRef &stream) { current = stream; }

  /// Gives an entry to its stream, which says the step and the waits.
  void enqueue(Timeline::Entry &entry);
  /// Puts an entry that takes no step beside the work before it (`isBehind`) or
  /// after it.
  void attach(Timeline::Entry &entry, bool isBehind);
  /// Gives a stream's waits that no entry has yet to this one; false if there
  /// are none.
  bool takeWaits(Timeline::Entry &entry);
  /// The current stream waits. False if that is for one of several streams, or
  /// one that only the program knows, and no row says what it has been given.
  bool wait(const StreamRef &stream);
  /// Work of others that the current stream has not waited for, as far as one
  /// sees.
  SmallVector<Timeline::Point> getUnawaited() const;

  /// Another way from `before` on; rows that were found since stay.
  void restart(const TimelineStreams &before);
  /// What holds whichever way was taken.
  void join(const TimelineStreams &other);

private:
  struct State {
    /// The step that its next work comes after, and that of its last work.
    unsigned clock = 0, last = 0;
    /// How many steps of each other row are done before its next work, plus
    /// one: their step 0 is something to wait for, too.
    SmallVector<unsigned> seen;
    /// The same of waits for who knows which row.
    SmallVector<unsigned> maySee;
    /// Waits since its last work, and how many of them entries have.
    SmallVector<Timeline::Point, 2> waits;
    unsigned numTaken = 0;

    void resize(unsigned size) {
      seen.resize(size);
      maySee.resize(size);
    }
  };

  bool isSame(const StreamRef &a, const StreamRef &b) const;
  bool covers(const Row &set, const Row &row) const;
  void waitForRow(unsigned row);
  void resize();

  SmallVector<Row> rows;
  SmallVector<State> states; ///< Of each row.
  StreamRef current = {0, Value()};
};

} // namespace fuser::host

#endif // FUSER_LIB_DIALECT_HOST_TRANSFORMS_TIMELINESTREAMS_H
