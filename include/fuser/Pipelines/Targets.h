//===- Targets.h - The targets of this project ---------------- -*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PIPELINES_TARGETS_H
#define FUSER_PIPELINES_TARGETS_H

#include "fuser/Target/Target.h"

namespace fuser {

/// Kernels as PTX, for NVIDIA GPUs.
const Target &getCudaTarget();
/// Kernels as native code, for x86-64.
const Target &getCpuTarget();

/// The kernels of a GPU as native code, run by a simulator of GPUs.
const Target &getSimTarget();

/// All, `cuda` first: what passes decide for if nothing is said.
Targets getAllTargets();

} // namespace fuser

#endif // FUSER_PIPELINES_TARGETS_H
