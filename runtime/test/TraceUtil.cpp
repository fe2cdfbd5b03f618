//===- TraceUtil.cpp - What a trace's file holds --------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceUtil.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

using namespace fuser_rt;
using namespace fuser_rt::test;

/// What stands in a line between `before` and `after`.
static std::string between(const std::string &line, const std::string &before,
                           const std::string &after) {
  size_t begin = line.find(before);
  if (begin == std::string::npos)
    return "";
  begin += before.size();
  return line.substr(begin, line.find(after, begin) - begin);
}

std::string test::tracePath() {
  return testing::TempDir() + "fuser_trace_" + std::to_string(getpid()) +
         ".json";
}

std::vector<std::string> ShownTrace::categories(const std::string &row) const {
  std::vector<std::string> result;
  if (rows.count(row))
    for (const ShownEvent &event : rows.at(row))
      result.push_back(event.category);
  return result;
}

const ShownEvent &ShownTrace::only(const std::string &row) const {
  static const ShownEvent none{};
  size_t count = rows.count(row) ? rows.at(row).size() : 0;
  EXPECT_EQ(count, 1u) << row;
  return count ? rows.at(row).front() : none;
}

static void readLine(const std::string &line, ShownTrace &trace,
                     std::map<std::string, std::string> &names) {
  std::string pid = between(line, "\"pid\":", ","),
              tid = between(line, "\"tid\":", ","),
              what = between(line, "\"ph\":\"", "\"");
  if (what == "M") {
    std::string kind = between(line, "\"name\":\"", "\""),
                name = between(line, "{\"name\":\"", "\"");
    if (kind == "process_name")
      trace.processes[std::stoll(pid)] = name;
    if (kind == "thread_name") {
      names[pid + "/" + tid] = trace.processes[std::stoll(pid)] + ": " + name;
      trace.rows[names[pid + "/" + tid]];
    }
  } else if (what == "X") {
    ASSERT_EQ(names.count(pid + "/" + tid), 1u) << line;
    trace.rows[names[pid + "/" + tid]].push_back(
        {between(line, "\"cat\":\"", "\""), between(line, "\"name\":\"", "\","),
         between(line, "\"args\":", "}") + "}",
         std::stod(between(line, "\"ts\":", ",")),
         std::stod(between(line, "\"dur\":", ","))});
  }
}

ShownTrace test::readTrace() {
  ShownTrace trace;
  std::stringstream text;
  text << std::ifstream(tracePath()).rdbuf();
  remove(tracePath().c_str());
  trace.text = text.str();
  EXPECT_EQ(trace.text.rfind("{\"traceEvents\":[\n", 0), 0u);
  std::map<std::string, std::string> names;
  std::string line;
  while (std::getline(text, line))
    readLine(line, trace, names);
  for (auto &[name, events] : trace.rows)
    for (size_t i = 0; i < events.size(); ++i) {
      EXPECT_GE(events[i].begin, 0) << name;
      EXPECT_GE(events[i].duration, 0) << name;
      // Times are written to the nanosecond.
      if (i != 0) {
        EXPECT_GE(events[i].begin, events[i - 1].end() - 0.0005)
            << name << ": " << events[i].name << " behind "
            << events[i - 1].name;
      }
    }
  return trace;
}
