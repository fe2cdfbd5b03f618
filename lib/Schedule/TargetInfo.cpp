//===- TargetInfo.cpp - What heuristics know of a GPU -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Schedule/TargetInfo.h"
#include "llvm/ADT/STLExtras.h"

using namespace fuser::schedule;

static constexpr TargetInfo kTargets[] = {
    // arch, SMs, shared/SM, shared/block, registers, threads, L2, bytes/s, PTX,
    // access
    {"sm_80", 108, 164 * 1024, 163 * 1024, 65536, 2048, 40 << 20, 1.55e12, 70,
     16},
    {"sm_90", 132, 228 * 1024, 227 * 1024, 65536, 2048, 50 << 20, 3.35e12, 78,
     16},
    {"sm_90a", 132, 228 * 1024, 227 * 1024, 65536, 2048, 50 << 20, 3.35e12, 80,
     16},
    {"sm_100", 148, 228 * 1024, 227 * 1024, 65536, 2048, 126 << 20, 8.0e12, 86,
     16},
};

llvm::ArrayRef<TargetInfo> fuser::schedule::getTargets() { return kTargets; }

const TargetInfo *fuser::schedule::findTarget(llvm::StringRef arch) {
  const auto *it = llvm::find_if(
      kTargets, [&](const TargetInfo &t) { return t.arch == arch; });
  return it == std::end(kTargets) ? nullptr : it;
}
