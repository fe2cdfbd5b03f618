//===- Processor.h - What schedulers know of a processor ------ -*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_PROCESSOR_H
#define FUSER_SCHEDULE_PROCESSOR_H

#include "fuser/Support/GpuTarget.h"
#include <limits>
#include <string>

namespace fuser::schedule {

/// The sizes and speeds of a processor, a GPU or a CPU. Of speeds only the
/// ratios matter.
struct Processor {
  /// How it is called in the IR: "sm_90", "cpu".
  std::string name;
  int64_t multiprocessors = 1;
  int64_t registersPerMultiprocessor = 0; ///< Of 32 bits.
  int64_t sharedBytesPerBlock = 0;
  int64_t maxClusterBlocks = 1; ///< That share a row.
  /// Kernels can start before the one before them has ended.
  bool hasProgrammaticLaunch = false;
  double bytesPerSecond = 0;      ///< To and from device memory.
  double operationsPerSecond = 0; ///< Simple instructions.
  double launchSeconds = 0;       ///< What it takes to start a kernel.
  /// What a kernel has at most.
  int64_t maxParams = std::numeric_limits<int64_t>::max();
  int64_t maxReductions = std::numeric_limits<int64_t>::max();
};

/// What an asynchronous copy to shared memory takes at least.
constexpr int64_t kLeastCopyBytes = 4, kMostCopyBytes = 16;
/// Bytes of shared memory that are left to reductions and barriers at least.
constexpr int64_t kOtherSharedBytes = 8192;

using fuser::kLeafElements;
using fuser::kMaxRegistersPerThread;
using fuser::kMaxStaticSharedBytes;
using fuser::kMaxThreadsPerBlock;
using fuser::kSectionElements;
using fuser::kWarpSize;

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_PROCESSOR_H
