//===- TimelineText.cpp - A timeline as a table ---------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/Transforms/Timeline.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fuser;
using namespace fuser::host;

unsigned host::countSteps(ArrayRef<Timeline::Entry> entries) {
  unsigned steps = 0;
  for (const Timeline::Entry &entry : entries)
    steps = std::max({steps, entry.step, countSteps(entry.entries)});
  return steps;
}

std::string host::describePoints(const Timeline &timeline,
                                 ArrayRef<Timeline::Point> points) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(points, os, [&](const Timeline::Point &point) {
    os << timeline.streams[point.stream] << ":" << point.step;
  });
  return text;
}

static std::string getText(const Timeline::Entry &entry) {
  if (entry.iteration.empty())
    return entry.text;
  return entry.text + " (" + entry.iteration + ")";
}

namespace {
/// Writes the lines of a timeline.
class TablePrinter {
public:
  TablePrinter(const Timeline &timeline, raw_ostream &os)
      : timeline(timeline), os(os) {
    for (const std::string &stream : timeline.streams)
      width = std::max(width, stream.size());
  }

  void print(ArrayRef<Timeline::Entry> entries, unsigned depth) {
    for (const Timeline::Entry &entry : entries) {
      bool isFrame = entry.kind == Timeline::Kind::Frame;
      std::string step = isFrame ? "" : std::to_string(entry.step);
      std::string after = describePoints(timeline, entry.waits);
      if (!after.empty())
        after = "   after " + after;
      printLine(step, isFrame ? "" : timeline.streams[entry.stream],
                std::string(2 * size_t(depth), ' ') + getText(entry) + after);
      print(entry.entries, depth + 1);
    }
  }

  void printLine(StringRef step, StringRef stream, const std::string &op) {
    os << "  " << llvm::right_justify(step, 4) << "  "
       << llvm::left_justify(stream, width) << "  " << op << "\n";
  }

private:
  const Timeline &timeline;
  raw_ostream &os;
  size_t width = StringRef("stream").size();
};
} // namespace

void host::printTimeline(const Timeline &timeline, raw_ostream &os) {
  os << "timeline of " << timeline.program << "\n";
  TablePrinter printer(timeline, os);
  printer.printLine("step", "stream", "op");
  printer.print(timeline.entries, 0);
}
