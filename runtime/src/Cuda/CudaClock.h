//===- CudaClock.h - When a GPU's streams got somewhere -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CUDA event for each time that is asked for. The driver tells how much later
// than a base event it was, in a float of milliseconds: to half a microsecond,
// and from 16 seconds after the base on to one and more. When the base was, on
// the host's clock, is known to some microseconds, as the host sees its end.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_CUDA_CUDACLOCK_H
#define FUSER_RT_CUDA_CUDACLOCK_H

#include "Cuda/CudaDriver.h"

#include <deque>
#include <vector>

namespace fuser_rt {

/// The device's context is current in all calls.
class CudaClock {
public:
  explicit CudaClock(const cu::Driver &driver) : driver(driver) {}

  /// Records the base on `stream`, when the GPU has done all else.
  FuserStatus *start(cu::Stream stream);
  /// `*nanoseconds` gets the time at which `stream` gets here, at the latest in
  /// `settle`; never, if the driver does not know.
  void stamp(cu::Stream stream, int64_t *nanoseconds);
  /// Waits for the GPU.
  FuserStatus *settle();
  void close();

private:
  struct Pending {
    cu::Event event;
    int64_t *nanoseconds;
  };
  /// Of the oldest, those that are known.
  void resolve();

  const cu::Driver &driver;
  cu::Event base = nullptr;
  int64_t baseTime = 0;
  std::deque<Pending> pending;
  std::vector<cu::Event> unused;
};

} // namespace fuser_rt

#endif // FUSER_RT_CUDA_CUDACLOCK_H
