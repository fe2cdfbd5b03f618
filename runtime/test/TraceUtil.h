//===- TraceUtil.h - What a trace's file holds ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_TEST_TRACEUTIL_H
#define FUSER_RT_TEST_TRACEUTIL_H

#include <map>
#include <string>
#include <vector>

namespace fuser_rt::test {

struct ShownEvent {
  std::string category, name, args;
  double begin, duration; ///< In microseconds.

  double end() const { return begin + duration; }
};

/// A trace's file: it has an event a line, with fields in a fixed order. (That
/// it is JSON is what tests of fuser-run check.)
struct ShownTrace {
  std::map<int64_t, std::string> processes;
  /// The names of rows, "rank 0: stream 1", and their events.
  std::map<std::string, std::vector<ShownEvent>> rows;
  std::string text;

  /// The categories of a row's events, in the file's order.
  std::vector<std::string> categories(const std::string &row) const;
  const ShownEvent &only(const std::string &row) const;
};

/// The path of a file of this process, which no test leaves behind.
std::string tracePath();
/// Reads that file, removes it, and expects that events of each row are in
/// order and do not overlap.
ShownTrace readTrace();

} // namespace fuser_rt::test

#endif // FUSER_RT_TEST_TRACEUTIL_H
