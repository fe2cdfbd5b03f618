//===- CudaClock.cpp - When a GPU's streams got somewhere -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda/CudaClock.h"

#include "Device.h"

using namespace fuser_rt;

/// From so many events in flight on, those that are done are used again.
static constexpr size_t kManyEvents = 1024;

FuserStatus *CudaClock::start(cu::Stream stream) {
  FUSER_RETURN_IF_ERROR(settle());
  if (!base)
    FUSER_RETURN_IF_ERROR(driver.check(
        driver.eventCreate(&base, cu::eventDefault), "making an event"));
  // The first time is slow, and not to be measured.
  for (int i = 0; i < 2; ++i) {
    int64_t before = steadyNanoseconds();
    FUSER_RETURN_IF_ERROR(
        driver.check(driver.eventRecord(base, stream), "recording an event"));
    FUSER_RETURN_IF_ERROR(
        driver.check(driver.streamSynchronize(stream), "waiting for the GPU"));
    baseTime = before + (steadyNanoseconds() - before) / 2;
  }
  return nullptr;
}

void CudaClock::stamp(cu::Stream stream, int64_t *nanoseconds) {
  if (unused.empty() && pending.size() >= kManyEvents)
    resolve();
  if (unused.empty()) {
    cu::Event fresh = nullptr;
    if (driver.eventCreate(&fresh, cu::eventDefault) != cu::success)
      return;
    unused.push_back(fresh);
  }
  if (driver.eventRecord(unused.back(), stream) != cu::success)
    return;
  pending.push_back({unused.back(), nanoseconds});
  unused.pop_back();
}

void CudaClock::resolve() {
  while (!pending.empty()) {
    Pending &oldest = pending.front();
    float milliseconds = 0;
    cu::Result result =
        driver.eventElapsedTime(&milliseconds, base, oldest.event);
    if (result == cu::errorNotReady)
      return;
    if (result == cu::success)
      *oldest.nanoseconds = baseTime + int64_t(double(milliseconds) * 1e6);
    unused.push_back(oldest.event);
    pending.pop_front();
  }
}

FuserStatus *CudaClock::settle() {
  FUSER_RETURN_IF_ERROR(
      driver.check(driver.ctxSynchronize(), "waiting for the GPU"));
  resolve();
  // What is not known now never will be.
  for (const Pending &lost : pending)
    unused.push_back(lost.event);
  pending.clear();
  return nullptr;
}

void CudaClock::close() {
  for (const Pending &open : pending)
    driver.eventDestroy(open.event);
  for (cu::Event event : unused)
    driver.eventDestroy(event);
  if (base)
    driver.eventDestroy(base);
  pending.clear();
  unused.clear();
  base = nullptr;
}
