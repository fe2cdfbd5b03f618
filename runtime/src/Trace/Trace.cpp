//===- Trace.cpp - When a context's work ran ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trace/Trace.h"

#include "Status.h"

#include <algorithm>

using namespace fuser_rt;

/// Numbers of rows that are no worker streams begin here.
static constexpr int64_t kOtherRows = 1000;

Trace::Trace(size_t mostEvents)
    : mostEvents(mostEvents), start(steadyNanoseconds()),
      rows{{nullptr, kOtherRows, "host"}} {}

Trace::Event *Trace::add(uint32_t row, const Work &work) {
  if (events.size() >= mostEvents) {
    ++numDropped;
    return nullptr;
  }
  Event event{work.kind, row, &*names.insert(work.name).first, {}};
  std::copy(std::begin(work.values), std::end(work.values), event.values);
  events.push_back(event);
  return &events.back();
}

uint32_t Trace::findRow(const Device &device, void *stream) {
  int64_t callers = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].stream == stream)
      return uint32_t(i);
    callers += rows[i].number == 0 || rows[i].number > kOtherRows;
  }
  Row row{stream, int64_t(device.numberOf(stream)), ""};
  if (row.number != 0) {
    row.name = describeStream(device, stream);
  } else {
    // The caller may change its stream; work on the one is not in order with
    // work on the other.
    row.number = callers ? kOtherRows + callers : 0;
    row.name = "caller's stream";
    if (callers)
      row.name += " " + std::to_string(callers + 1);
  }
  rows.push_back(row);
  return uint32_t(rows.size() - 1);
}

std::string fuser_rt::describeStream(const Device &device, void *stream) {
  size_t number = device.numberOf(stream);
  return number ? "stream " + std::to_string(number) : "the caller's stream";
}
