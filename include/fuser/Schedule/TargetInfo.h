//===- TargetInfo.h - What heuristics know of a GPU ------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_TARGETINFO_H
#define FUSER_SCHEDULE_TARGETINFO_H

#include "fuser/Support/GpuTarget.h"

namespace fuser::schedule {

/// A GPU, as all stages know it.
using TargetInfo = GpuTarget;

using fuser::kLeafElements;
using fuser::kMaxRegistersPerThread;
using fuser::kMaxStaticSharedBytes;
using fuser::kMaxThreadsPerBlock;
using fuser::kSectionElements;
using fuser::kWarpSize;

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_TARGETINFO_H
