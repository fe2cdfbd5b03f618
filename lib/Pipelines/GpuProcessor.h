//===- GpuProcessor.h - The GPUs that decisions are made for ---*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_PIPELINES_GPUPROCESSOR_H
#define FUSER_LIB_PIPELINES_GPUPROCESSOR_H

#include "fuser/Schedule/Scheduler.h"
#include "fuser/Support/LLVM.h"
#include <optional>

namespace fuser {

/// The GPU of the architecture `arch`, or the usual one if `arch` is empty.
std::optional<schedule::Processor> findGpuProcessor(StringRef arch);

} // namespace fuser

#endif // FUSER_LIB_PIPELINES_GPUPROCESSOR_H
