//===- TimelineStreams.cpp - What streams have done and waited for --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimelineStreams.h"

using namespace fuser;
using namespace fuser::host;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

bool Row::isSeveral() const {
  if (isOne())
    return false;
  // What is no number of a loop's body is the same in all of its steps.
  Value value = number;
  return isKnown() || !value ||
         !isa<func::FuncOp>(value.getParentRegion()->getParentOp());
}

void TimelineStreams::resize() {
  states.resize(rows.size());
  for (State &state : states)
    state.resize(rows.size());
}

StreamRef TimelineStreams::find(const Row &row) {
  auto isRow = [&](const Row &other) {
    return other.label == row.label &&
           (row.isKnown() ? other.isKnown() : other.number == row.number);
  };
  const Row *found = llvm::find_if(rows, isRow);
  unsigned place = found - rows.begin();
  if (found == rows.end()) {
    rows.push_back(row);
    resize();
  }
  return {place, row.number};
}

bool TimelineStreams::isSame(const StreamRef &a, const StreamRef &b) const {
  return a.row == b.row && (rows[a.row].isOne() || a.number == b.number);
}

StreamRef TimelineStreams::either(const StreamRef &a, const StreamRef &b) {
  if (isSame(a, b))
    return a;
  // After a loop over the streams of a row, any of them.
  if (a.row == b.row)
    return {a.row, Value()};
  StreamRef joined =
      find({rows[a.row].label + " or " + rows[b.row].label, 1, 0, Value()});
  State &state = states[joined.row];
  if (state.last > 0)
    return joined;
  // It has done what both have.
  state.clock = std::min(states[a.row].clock, states[b.row].clock);
  auto getSeen = [&](unsigned of, unsigned row) {
    return of == row ? states[of].last + 1 : states[of].seen[row];
  };
  for (unsigned row = 0; row < size(); ++row)
    state.seen[row] = std::min(getSeen(a.row, row), getSeen(b.row, row));
  return joined;
}

SmallVector<unsigned> TimelineStreams::getOrder() const {
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, size()));
  auto getKey = [&](unsigned row) {
    bool isOne = rows[row].isOne();
    return std::make_tuple(!isOne, isOne ? rows[row].low : 0, row);
  };
  llvm::sort(order,
             [&](unsigned a, unsigned b) { return getKey(a) < getKey(b); });
  // A number below 0 fails the call.
  auto *caller = llvm::find(order, 0u);
  std::rotate(order.begin(), caller, std::next(caller));
  return order;
}

//===----------------------------------------------------------------------===//
// Work and waits
//===----------------------------------------------------------------------===//

bool TimelineStreams::takeWaits(Timeline::Entry &entry) {
  State &state = states[entry.stream];
  ArrayRef<Timeline::Point> waits(state.waits);
  waits = waits.drop_front(state.numTaken);
  entry.waits.append(waits.begin(), waits.end());
  entry.step = state.clock + 1;
  state.numTaken = state.waits.size();
  return !waits.empty();
}

void TimelineStreams::enqueue(Timeline::Entry &entry) {
  State &state = states[entry.stream];
  takeWaits(entry);
  if (entry.kind != Timeline::Kind::Work)
    return;
  state.clock = state.last = entry.step;
  state.waits.clear();
  state.numTaken = 0;
}

void TimelineStreams::attach(Timeline::Entry &entry, bool isBehind) {
  const State &state = states[entry.stream];
  bool isAtLast = isBehind && state.last > 0 && state.last == state.clock;
  if (isBehind && !isAtLast)
    return enqueue(entry);
  entry.step = isAtLast ? state.last : state.clock + 1;
}

bool TimelineStreams::covers(const Row &set, const Row &row) const {
  return set.isKnown() && row.isKnown() && set.low <= row.low &&
         row.high <= set.high;
}

/// As the runtime does it (StreamClocks.h): what the other stream has waited
/// for is waited for, too, and a wait that adds nothing is none.
void TimelineStreams::waitForRow(unsigned row) {
  State &mine = states[current.row];
  const State &other = states[row];
  auto learn = [&](const Timeline::Point &point) {
    unsigned &seen = mine.seen[point.stream];
    bool isItself =
        point.stream == current.row && !rows[current.row].isSeveral();
    if (isItself || seen > point.step)
      return;
    seen = point.step + 1;
    mine.waits.push_back(point);
  };
  for (const Timeline::Point &point : other.waits)
    learn(point);
  // Others than the caller's have been given nothing before the call.
  if (other.last > 0 || row == 0)
    learn({row, other.last});
  for (unsigned i = 0; i < size(); ++i)
    mine.seen[i] = std::max(mine.seen[i], other.seen[i]);
  mine.clock = std::max(mine.clock, other.clock);
}

bool TimelineStreams::wait(const StreamRef &stream) {
  if (isSame(stream, current))
    return true;
  if (stream.row == current.row)
    return false;
  const Row &awaited = rows[stream.row];
  bool isShown = awaited.isOne();
  for (unsigned row = 0; row < size(); ++row) {
    if (row == current.row ||
        (row != stream.row && !covers(awaited, rows[row])))
      continue;
    isShown |= states[row].last > 0;
    waitForRow(row);
  }
  for (unsigned row = 0; row < size() && !isShown; ++row)
    if (!rows[row].isOne())
      states[current.row].maySee[row] = states[row].last + 1;
  return isShown;
}

SmallVector<Timeline::Point> TimelineStreams::getUnawaited() const {
  SmallVector<Timeline::Point> points;
  const State &mine = states[current.row];
  for (unsigned row : getOrder())
    if (row != current.row &&
        states[row].last >= std::max({1u, mine.seen[row], mine.maySee[row]}))
      points.push_back({row, states[row].last});
  return points;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

void TimelineStreams::restart(const TimelineStreams &before) {
  states = before.states;
  current = before.current;
  resize();
}

void TimelineStreams::join(const TimelineStreams &other) {
  TimelineStreams padded = other;
  for (unsigned row = other.size(); row < size(); ++row)
    padded.rows.push_back(rows[row]);
  padded.resize();
  SmallVector<unsigned> last;
  for (auto [mine, theirs] : llvm::zip(states, padded.states))
    last.push_back(std::max(mine.last, theirs.last));
  // Who has seen all of a row there is one way has not missed what another way
  // gives to it.
  auto getSeen = [&](ArrayRef<State> all, const State &state, unsigned row) {
    bool isAll = state.seen[row] > all[row].last || (row && !all[row].last);
    return isAll ? last[row] + 1 : state.seen[row];
  };
  for (unsigned i = 0; i < size(); ++i) {
    State &mine = states[i];
    const State &theirs = padded.states[i];
    mine.clock = std::max(mine.clock, theirs.clock);
    for (unsigned row = 0; row < size(); ++row)
      mine.seen[row] = std::min(getSeen(states, mine, row),
                                getSeen(padded.states, theirs, row));
    llvm::erase_if(mine.waits, [&](const Timeline::Point &point) {
      return mine.seen[point.stream] <= point.step;
    });
    mine.numTaken = mine.waits.size();
  }
  for (auto [state, step] : llvm::zip(states, last))
    state.last = step;
  current = either(current, other.current);
}
