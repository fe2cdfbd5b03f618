//===- TargetInfo.h - What heuristics know of a GPU ------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_TARGETINFO_H
#define FUSER_SCHEDULE_TARGETINFO_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace fuser::schedule {

/// A GPU. The sizes are those of the data-centre part of the architecture.
struct TargetInfo {
  llvm::StringLiteral arch;
  int multiprocessors;
  int64_t sharedBytesPerMultiprocessor;
  int64_t maxSharedBytesPerBlock;
  int64_t registersPerMultiprocessor; ///< Of 32 bits.
  int64_t maxThreadsPerMultiprocessor;
  int64_t l2Bytes;
  double bytesPerSecond;  ///< To and from device memory.
  int ptxVersion;         ///< The least that knows the architecture: 80 is 8.0.
  int64_t maxAccessBytes; ///< The widest load or store.
};

constexpr int64_t kMaxThreadsPerBlock = 1024;
constexpr int64_t kWarpSize = 32;
constexpr int64_t kMaxRegistersPerThread = 255;

/// All known GPUs.
llvm::ArrayRef<TargetInfo> getTargets();

/// The GPU of that name (`sm_90`), or null.
const TargetInfo *findTarget(llvm::StringRef arch);

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_TARGETINFO_H
