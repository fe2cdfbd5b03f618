//===- WriteTrace.cpp - Traces as JSON ------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Status.h"
#include "Trace/Trace.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

using namespace fuser_rt;

/// How many bytes of UTF-8 begin here; 0 if these are none.
static size_t countUtf8(const std::string &text, size_t at) {
  auto byte = [&](size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  size_t length = byte(0) < 0x80             ? 1
                  : (byte(0) & 0xe0) == 0xc0 ? 2
                  : (byte(0) & 0xf0) == 0xe0 ? 3
                  : (byte(0) & 0xf8) == 0xf0 ? 4
                                             : 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  return length;
}

/// With quotation marks. Names of kernels and programs may hold any bytes, and
/// JSON only UTF-8: what is none is shown as '?'.
static std::string quote(const std::string &text) {
  std::string result = "\"";
  for (size_t at = 0; at < text.size();) {
    size_t length = countUtf8(text, at);
    auto byte = static_cast<unsigned char>(text[at]);
    if (length == 0)
      result += '?';
    else if (byte < 0x20)
      result += format("\\u%04x", byte);
    else if (byte == '"' || byte == '\\')
      result += {'\\', text[at]};
    else
      result += text.substr(at, length);
    at += std::max<size_t>(length, 1);
  }
  return result + "\"";
}

static const char *getCategory(Work::Kind kind) {
  static constexpr const char *names[] = {
      "run", "launch", "copy", "zero", "matmul", "communication", "wait"};
  return names[kind];
}

static std::string describeLaunch(const int64_t (&values)[8]) {
  std::string text = format("{\"grid\":[%" PRId64 ",%" PRId64 ",%" PRId64 "]",
                            values[0], values[1], values[2]);
  if (values[3])
    text += format(",\"threads\":%" PRId64 ",\"registers\":%" PRId64
                   ",\"shared_bytes\":%" PRId64 ",\"local_bytes\":%" PRId64
                   ",\"occupancy_percent\":%" PRId64,
                   values[3], values[4], values[5], values[6], values[7]);
  return text + "}";
}

static std::string describeValues(const Trace::Event &event) {
  const int64_t (&values)[8] = event.values;
  switch (event.kind) {
  case Work::Run:
  case Work::Wait:
    return "{}";
  case Work::Launch:
    return describeLaunch(values);
  case Work::Copy:
  case Work::Zero:
    return format("{\"bytes\":%" PRId64 "}", values[0]);
  case Work::Matmul:
    return format("{\"batch\":%" PRId64 ",\"m\":%" PRId64 ",\"n\":%" PRId64
                  ",\"k\":%" PRId64 "}",
                  values[0], values[1], values[2], values[3]);
  case Work::Communication:
    return format("{\"transfers\":%" PRId64 "}", values[0]);
  }
  return "{}";
}

/// Nanoseconds as microseconds, exactly.
static std::string microseconds(int64_t time) {
  return format("%" PRId64 ".%03d", time / 1000, int(time % 1000));
}

namespace {
class Writer {
public:
  Writer(FILE *file, int64_t start) : file(file), start(start) {}

  void begin() { put("{\"traceEvents\":[", ""); }
  void writeRank(const TracedRank &rank);
  void end();

private:
  void put(const std::string &text, const char *before) {
    fputs(before, file);
    fwrite(text.data(), 1, text.size(), file);
  }
  void putEvent(const std::string &text) {
    put(text, isFirst ? "\n" : ",\n");
    isFirst = false;
  }
  /// What a viewer calls a rank or row; -1: the rank.
  void putName(const char *what, const TracedRank &rank, int64_t row,
               const std::string &values) {
    putEvent(format("{\"ph\":\"M\",\"pid\":%" PRId64 ",\"tid\":%" PRId64
                    ",\"name\":\"%s\",\"args\":{%s}}",
                    rank.number, row, what, values.c_str()));
  }
  void writeEvent(const TracedRank &rank, const Trace::Event &event);

  FILE *file;
  int64_t start;
  bool isFirst = true;
  size_t numDropped = 0, numWithoutTime = 0;
};
} // namespace

void Writer::writeEvent(const TracedRank &rank, const Trace::Event &event) {
  const Trace::Row &row = rank.trace->getRows()[event.row];
  // A GPU's clock is tied to the host's with an error of some microseconds.
  int64_t begin = std::max<int64_t>(event.begin - start, 0);
  int64_t end = std::max(event.end - start, begin);
  putEvent(
      format("{\"ph\":\"X\",\"pid\":%" PRId64 ",\"tid\":%" PRId64
             ",\"ts\":%s,\"dur\":%s,\"cat\":\"%s\",\"name\":%s,\"args\":%s}",
             rank.number, row.number, microseconds(begin).c_str(),
             microseconds(end - begin).c_str(), getCategory(event.kind),
             quote(*event.name).c_str(), describeValues(event).c_str()));
}

void Writer::writeRank(const TracedRank &rank) {
  const Trace &trace = *rank.trace;
  putName("process_name", rank, 0, "\"name\":" + quote(rank.name));
  putName("process_sort_index", rank, 0,
          format("\"sort_index\":%" PRId64, rank.number));
  if (trace.countDropped())
    putName("process_labels", rank, 0,
            format("\"labels\":\"%zu events dropped\"", trace.countDropped()));
  // The host is above its streams.
  int64_t place = 0;
  for (const Trace::Row &row : trace.getRows()) {
    putName("thread_name", rank, row.number, "\"name\":" + quote(row.name));
    int64_t index = place++ ? row.number + 1 : 0;
    putName("thread_sort_index", rank, row.number,
            format("\"sort_index\":%" PRId64, index));
  }
  // Those of a row were added in the order of their stream.
  std::vector<std::vector<const Trace::Event *>> ofRows(trace.getRows().size());
  for (const Trace::Event &event : trace.getEvents()) {
    if (event.begin == Trace::kNoTime || event.end == Trace::kNoTime)
      ++numWithoutTime;
    else
      ofRows[event.row].push_back(&event);
  }
  for (const auto &events : ofRows)
    for (const Trace::Event *event : events)
      writeEvent(rank, *event);
  numDropped += trace.countDropped();
}

void Writer::end() {
  put(format("\n],\"displayTimeUnit\":\"ns\",\"otherData\":{"
             "\"dropped_events\":%zu,\"events_without_time\":%zu}}\n",
             numDropped, numWithoutTime),
      "");
}

FuserStatus *fuser_rt::writeTrace(const std::vector<TracedRank> &ranks,
                                  const char *path) {
  auto failed = [&] {
    return makeError(
        FUSER_INVALID_ARGUMENT,
        "expected a file that a trace can be written to, got '%s': "
        "%s",
        path, strerror(errno));
  };
  FILE *file = fopen(path, "w");
  if (!file)
    return failed();
  int64_t start = INT64_MAX;
  for (const TracedRank &rank : ranks)
    start = std::min(start, rank.trace->getStart());
  Writer writer(file, start);
  FuserStatus *thrown = guarded([&]() -> FuserStatus * {
    writer.begin();
    for (const TracedRank &rank : ranks)
      writer.writeRank(rank);
    writer.end();
    return nullptr;
  });
  bool isWritten = !ferror(file);
  isWritten &= fclose(file) == 0;
  if (thrown || isWritten)
    return thrown;
  return failed();
}
