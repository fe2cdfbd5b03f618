//===- Targets.cpp - The targets of this project -------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/Targets.h"

fuser::Targets fuser::getAllTargets() {
  static const Target *const targets[] = {&getCudaTarget(), &getCpuTarget(),
                                          &getSimTarget()};
  return targets;
}
