//===- TimelineSvg.cpp - A timeline as a picture --------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work is a box, in the row of its stream and the column of its step; what
// takes no step is a line of text there. What stands in the same place is
// stacked, as the branches of an scf.if are. Sizes are in pixels, and from the
// number of letters: there is no font to ask.
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/Transforms/Timeline.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <map>

using namespace fuser;
using namespace fuser::host;

using Entry = Timeline::Entry;
using Kind = Timeline::Kind;

static constexpr int kLetter = 7, kMargin = 16, kGap = 28, kPadding = 6;
static constexpr int kBoxHeight = 22, kLineHeight = 16, kTitleHeight = 58;
static constexpr size_t kMaxLetters = 44;

// The arrows' heads take the colour of their lines, which SVG 1.1 cannot say.
static constexpr StringLiteral kStyle = R"(<style>
text { font: 11px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328; }
.title { font-size: 14px; font-weight: bold; }
.dim { fill: #59636e; }
.paper { fill: #ffffff; }
.row { fill: #f6f8fa; }
.work { fill: #ddf4ff; stroke: #0969da; }
.communication { fill: #fff1d6; stroke: #9a6700; }
.frame { fill: none; stroke: #8250df; stroke-dasharray: 4 3; }
.wait { fill: none; stroke: #cf222e; stroke-width: 1.2; }
.head { fill: #cf222e; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.dim { fill: #9198a1; }
.paper { fill: #0d1117; }
.row { fill: #161b22; }
.work { fill: #0c2d6b; stroke: #58a6ff; }
.communication { fill: #4b2900; stroke: #d29922; }
.frame { stroke: #be8fff; }
.wait { stroke: #ff7b72; }
.head { fill: #ff7b72; }
}
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="head" d="M0 0 L8 4 L0 8 z"/></marker></defs>
)";

/// Text as XML has it. Names may hold any bytes.
static std::string escape(StringRef text) {
  std::string clean = llvm::json::fixUTF8(text);
  for (char &c : clean)
    if (static_cast<unsigned char>(c) < 0x20)
      c = '?';
  std::string escaped;
  llvm::raw_string_ostream os(escaped);
  llvm::printHTMLEscaped(clean, os);
  return escaped;
}

/// The beginning of a long label; all of it is in the tooltip.
static std::string shorten(StringRef text) {
  if (text.size() <= kMaxLetters)
    return text.str();
  size_t size = kMaxLetters - 3;
  // Not within a letter of several bytes.
  while (size > 0 && (text[size] & 0xC0) == 0x80)
    --size;
  return text.take_front(size).str() + "...";
}

static std::string getIteration(const Entry &entry) {
  return entry.iteration.empty() ? "" : " (" + entry.iteration + ")";
}

static std::string getLabel(const Entry &entry) {
  return shorten(entry.text) + getIteration(entry);
}

static std::string getTip(const Entry &entry) {
  return entry.text + getIteration(entry);
}

static int getWidth(StringRef text) { return kLetter * int(text.size()); }

namespace {
struct Rect {
  int x, y, width, height;
};

/// A range of columns in a row, and where what stands in it ends.
struct Taken {
  unsigned first, last;
  int bottom;
};

/// Places and writes one timeline.
class Picture {
public:
  Picture(const Timeline &timeline, int top);
  int getWidth() const { return width; }
  int getBottom() const { return bottom; }
  void write(raw_ostream &os) const;

private:
  using Entries = ArrayRef<Entry>;
  void widen(Entries entries);
  void widenFrames(Entries entries);
  int place(Entries entries, unsigned row, int y, unsigned depth);
  int placeFrame(const Entry &frame, const Taken &span, unsigned row, int y,
                 unsigned depth);
  void writeEntry(const Entry &entry, const Rect &rect, raw_ostream &os) const;
  void writeWaits(const Entry &entry, const Rect &rect, raw_ostream &os) const;
  Rect getColumns(unsigned first, unsigned last) const;

  const Timeline &timeline;
  int top, bottom, width;
  /// Of each step, from 1 on; [0] is for the rows' names.
  SmallVector<int> widths, lefts;
  SmallVector<Rect> rows;
  SmallVector<std::pair<const Entry *, Rect>> boxes, frames;
  /// The work of a stream and step.
  std::map<std::pair<unsigned, unsigned>, Rect> work;
};
} // namespace

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The columns that entries take in a row; first > last if none.
static Taken getSpan(ArrayRef<Entry> entries, unsigned row) {
  Taken span{~0u, 0, 0};
  for (const Entry &entry : entries) {
    Taken part = getSpan(entry.entries, row);
    if (entry.kind != Kind::Frame && entry.stream == row)
      part = {entry.step, entry.step, 0};
    span.first = std::min(span.first, part.first);
    span.last = std::max(span.last, part.last);
  }
  return span;
}

void Picture::widen(Entries entries) {
  for (const Entry &entry : entries) {
    if (entry.kind != Kind::Frame)
      widths[entry.step] = std::max(widths[entry.step],
                                    ::getWidth(getLabel(entry)) + 2 * kPadding);
    widen(entry.entries);
  }
}

/// In each row, the last column of a frame gets what its name needs beyond the
/// others.
void Picture::widenFrames(Entries entries) {
  for (const Entry &entry : entries) {
    if (entry.kind != Kind::Frame)
      continue;
    widenFrames(entry.entries);
    for (unsigned row = 0; row < timeline.streams.size(); ++row) {
      Taken span = getSpan(entry.entries, row);
      if (span.first > span.last)
        continue;
      int missing = ::getWidth(getLabel(entry)) + kGap;
      for (unsigned step = span.first; step <= span.last; ++step)
        missing -= widths[step] + kGap;
      widths[span.last] += std::max(0, missing);
    }
  }
}

Rect Picture::getColumns(unsigned first, unsigned last) const {
  return {lefts[first], 0, lefts[last] + widths[last] - lefts[first], 0};
}

/// Places what stands in `row` from `y` on; returns where it ends.
int Picture::place(Entries entries, unsigned row, int y, unsigned depth) {
  SmallVector<Taken> taken;
  int end = y;
  for (const Entry &entry : entries) {
    bool isFrame = entry.kind == Kind::Frame;
    Taken span = isFrame ? getSpan(entry.entries, row)
                         : Taken{entry.step, entry.step, 0};
    if (span.first > span.last || (!isFrame && entry.stream != row))
      continue;
    span.bottom = y;
    for (const Taken &other : taken)
      if (other.first <= span.last && span.first <= other.last)
        span.bottom = std::max(span.bottom, other.bottom);
    if (isFrame) {
      span.bottom = placeFrame(entry, span, row, span.bottom, depth);
    } else {
      Rect rect = getColumns(entry.step, entry.step);
      rect.y = span.bottom;
      rect.height = entry.kind == Kind::Work ? kBoxHeight : kLineHeight;
      boxes.emplace_back(&entry, rect);
      if (entry.kind == Kind::Work)
        work[{row, entry.step}] = rect;
      span.bottom += rect.height + 3;
    }
    taken.push_back(span);
    end = std::max(end, span.bottom);
  }
  return end;
}

int Picture::placeFrame(const Entry &frame, const Taken &span, unsigned row,
                        int y, unsigned depth) {
  size_t number = frames.size();
  Rect rect = getColumns(span.first, span.last);
  // The inner one's lines stand inside of the outer one's.
  int margin = std::max(2, 10 - 3 * int(depth));
  rect.x -= margin;
  rect.width += 2 * margin;
  rect.y = y;
  frames.emplace_back(&frame, rect);
  int end = place(frame.entries, row, y + kLineHeight, depth + 1) + 2;
  frames[number].second.height = end - y;
  return end + 4;
}

Picture::Picture(const Timeline &timeline, int top)
    : timeline(timeline), top(top), bottom(top + kTitleHeight), width(0),
      widths(countSteps(timeline.entries) + 1) {
  widths[0] = ::getWidth("stream");
  for (const std::string &stream : timeline.streams)
    widths[0] = std::max(widths[0], ::getWidth(shorten(stream)));
  widen(timeline.entries);
  widenFrames(timeline.entries);
  int left = kMargin;
  for (int column : widths) {
    lefts.push_back(left);
    left += column + kGap;
  }
  width = std::max(left, ::getWidth(timeline.program) + 160);
  for (unsigned row = 0; row < timeline.streams.size(); ++row) {
    int end = place(timeline.entries, row, bottom + kPadding, 0);
    end = std::max(end, bottom + kPadding + kBoxHeight) + kPadding;
    rows.push_back({0, bottom, 0, end - bottom});
    bottom = end + 4;
  }
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void writeRect(StringRef style, const Rect &rect, int radius,
                      raw_ostream &os) {
  os << "<rect class=\"" << style << "\" x=\"" << rect.x << "\" y=\"" << rect.y
     << "\" width=\"" << rect.width << "\" height=\"" << rect.height
     << "\" rx=\"" << radius << "\"/>\n";
}

static void writeText(StringRef style, int x, int y, const std::string &text,
                      raw_ostream &os) {
  os << "<text class=\"" << style << "\" x=\"" << x << "\" y=\"" << y << "\">"
     << escape(text) << "</text>\n";
}

void Picture::writeEntry(const Entry &entry, const Rect &rect,
                         raw_ostream &os) const {
  std::string tip = getTip(entry);
  if (!entry.waits.empty())
    tip += ", after " + describePoints(timeline, entry.waits);
  os << "<g><title>" << escape(tip) << "</title>\n";
  bool isWork = entry.kind == Kind::Work;
  if (isWork)
    writeRect(entry.isCommunication ? "communication" : "work", rect, 4, os);
  writeText(isWork ? "" : "dim", rect.x + kPadding,
            rect.y + rect.height - (isWork ? 7 : 4), getLabel(entry), os);
  os << "</g>\n";
}

void Picture::writeWaits(const Entry &entry, const Rect &rect,
                         raw_ostream &os) const {
  for (const Timeline::Point &point : entry.waits) {
    const Rect &row = rows[point.stream];
    // What was before the call begins at the row's name.
    Rect from{lefts[0], row.y, widths[0], row.height};
    auto found = work.find({point.stream, point.step});
    if (found != work.end())
      from = found->second;
    int x = from.x + from.width, y = from.y + from.height / 2;
    int endX = rect.x, endY = rect.y + rect.height / 2;
    int bend = std::max(kGap / 2, (endX - x) / 2);
    os << "<path class=\"wait\" marker-end=\"url(#head)\" d=\"M" << x << " "
       << y << " C" << x + bend << " " << y << " " << endX - bend << " " << endY
       << " " << endX << " " << endY << "\"><title>"
       << escape("waits for " + describePoints(timeline, point))
       << "</title></path>\n";
  }
}

void Picture::write(raw_ostream &os) const {
  writeText("title", kMargin, top + 22, "timeline of " + timeline.program, os);
  int y = top + kTitleHeight - 6;
  writeText("dim", lefts[0], y, "stream", os);
  for (size_t step = 1; step < lefts.size(); ++step)
    writeText("dim", lefts[step] + kPadding, y,
              (step == 1 ? "step " : "") + std::to_string(step), os);
  for (auto [row, stream] : llvm::zip(rows, timeline.streams)) {
    writeRect("row", {kMargin / 2, row.y, width - kMargin, row.height}, 4, os);
    writeText("", lefts[0], row.y + kPadding + 15, shorten(stream), os);
  }
  for (const auto &[frame, rect] : frames) {
    os << "<g><title>" << escape(getTip(*frame)) << "</title>\n";
    writeRect("frame", rect, 4, os);
    writeText("dim", rect.x + kPadding, rect.y + 12, getLabel(*frame), os);
    os << "</g>\n";
  }
  for (const auto &[entry, rect] : boxes)
    writeEntry(*entry, rect, os);
  for (const auto &[entry, rect] : boxes)
    writeWaits(*entry, rect, os);
}

void host::drawTimelines(ArrayRef<Timeline> timelines, raw_ostream &os) {
  SmallVector<Picture, 0> pictures;
  int width = 0, height = 0;
  for (const Timeline &timeline : timelines) {
    pictures.emplace_back(timeline, height);
    width = std::max(width, pictures.back().getWidth());
    height = pictures.back().getBottom() + kMargin;
  }
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width
     << "\" height=\"" << height << "\" viewBox=\"0 0 " << width << " "
     << height << "\">\n<title>";
  llvm::interleaveComma(timelines, os, [&](const Timeline &timeline) {
    os << "timeline of " << escape(timeline.program);
  });
  os << "</title>\n" << kStyle;
  writeRect("paper", {0, 0, width, height}, 0, os);
  for (const Picture &picture : pictures)
    picture.write(os);
  os << "</svg>\n";
}
