//===- Trace.h - When a context's work ran --------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events are added by the thread that calls the context. Their times come
// later: the device writes them, on a CPU from the threads of its streams, when
// the stream gets there. An event stays where it is, so nothing is locked; who
// reads waits for the device first.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_TRACE_TRACE_H
#define FUSER_RT_TRACE_TRACE_H

#include "Device.h"

#include <deque>
#include <unordered_set>
#include <vector>

namespace fuser_rt {

/// A piece of work, as a trace tells it.
struct Work {
  enum Kind : uint8_t { Run, Launch, Copy, Zero, Matmul, Communication, Wait };
  Kind kind;
  std::string name;
  /// Launch: the grid and, if known, the threads of a block and what
  /// KernelResources has, in its order. Copy, Zero: the bytes. Matmul: batch,
  /// m, n, k. Communication: how many transfers.
  int64_t values[8] = {};
};

class Trace {
public:
  static constexpr size_t kMostEvents = 1000000;
  static constexpr int64_t kNoTime = -1;

  struct Event {
    Work::Kind kind;
    uint32_t row;
    const std::string *name;
    int64_t values[8];
    /// Nanoseconds of the host's steady clock. kNoTime until the stream gets
    /// there, and for good if it never does.
    int64_t begin = kNoTime, end = kNoTime;
  };
  /// A stream, or the host.
  struct Row {
    void *stream;
    int64_t number; ///< Of the stream: 0 for the caller's.
    std::string name;
  };

  explicit Trace(size_t mostEvents = kMostEvents);
  Trace(const Trace &) = delete;

  /// Not in a process that was forked off: another thread may have been adding
  /// an event right then.
  bool isCurrent() const { return forks.isCurrent(); }

  /// A new event on the host's row, or on that of `stream`. Null if there are
  /// as many as there may be; then it is counted.
  Event *addToHost(const Work &work) { return add(kHostRow, work); }
  Event *add(Device &device, void *stream, const Work &work) {
    return add(findRow(device, stream), work);
  }

  const std::deque<Event> &getEvents() const { return events; }
  const std::vector<Row> &getRows() const { return rows; }
  size_t countDropped() const { return numDropped; }
  int64_t getStart() const { return start; }

private:
  static constexpr uint32_t kHostRow = 0;
  Event *add(uint32_t row, const Work &work);
  uint32_t findRow(const Device &device, void *stream);

  ForkGuard forks;
  size_t mostEvents, numDropped = 0;
  int64_t start;
  std::deque<Event> events;
  std::vector<Row> rows;
  std::unordered_set<std::string> names;
};

/// What was half changed when the process was forked off is left alone.
struct TraceDeleter {
  void operator()(Trace *trace) const {
    if (trace->isCurrent())
      delete trace;
  }
};
using TracePtr = std::unique_ptr<Trace, TraceDeleter>;

/// "the caller's stream", "stream 2".
std::string describeStream(const Device &device, void *stream);

/// What a file is to show as one process: a rank.
struct TracedRank {
  int64_t number;
  std::string name;
  const Trace *trace;
};
/// Writes Chrome's JSON, which Perfetto reads. All events have got their times.
FuserStatus *writeTrace(const std::vector<TracedRank> &ranks, const char *path);

} // namespace fuser_rt

#endif // FUSER_RT_TRACE_TRACE_H
