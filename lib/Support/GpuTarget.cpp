//===- GpuTarget.cpp - The GPUs that there is code for --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Support/GpuTarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace fuser {

static constexpr int64_t kRegisters = 65536;
static constexpr int64_t kShared99 = 99 << 10, kShared163 = 163 << 10,
                         kShared227 = 227 << 10;

// The parts are: A100; RTX A6000; Orin; L40S; H100; B200; B300; Thor; RTX PRO
// 6000 Blackwell; GB10. Conversions to packed bf16 and max.NaN came with PTX
// 7.0, clusters with 7.8; what has these has drivers for 8.0.
static constexpr GpuTarget kTargets[] = {
    // arch, capability, PTX, multiprocessors, registers, shared memory, bytes/s
    {"sm_80", 80, 70, 108, kRegisters, kShared163, 1.55e12},
    {"sm_86", 86, 71, 84, kRegisters, kShared99, 7.7e11},
    {"sm_87", 87, 74, 16, kRegisters, kShared163, 2.0e11},
    {"sm_89", 89, 78, 142, kRegisters, kShared99, 8.6e11},
    {"sm_90", 90, 80, 132, kRegisters, kShared227, 3.35e12},
    {"sm_90a", 90, 80, 132, kRegisters, kShared227, 3.35e12},
    {"sm_100", 100, 86, 148, kRegisters, kShared227, 8.0e12},
    {"sm_100a", 100, 86, 148, kRegisters, kShared227, 8.0e12},
    {"sm_103", 103, 88, 148, kRegisters, kShared227, 8.0e12},
    {"sm_103a", 103, 88, 148, kRegisters, kShared227, 8.0e12},
    {"sm_110", 110, 90, 20, kRegisters, kShared227, 2.7e11},
    {"sm_110a", 110, 90, 20, kRegisters, kShared227, 2.7e11},
    {"sm_120", 120, 87, 188, kRegisters, kShared99, 1.8e12},
    {"sm_120a", 120, 87, 188, kRegisters, kShared99, 1.8e12},
    {"sm_121", 121, 88, 48, kRegisters, kShared99, 2.7e11},
    {"sm_121a", 121, 88, 48, kRegisters, kShared99, 2.7e11},
};

ArrayRef<GpuTarget> getGpuTargets() { return kTargets; }

std::string getGpuTargetNames() {
  return llvm::join(
      llvm::map_range(kTargets, [](const GpuTarget &t) { return t.arch; }),
      ", ");
}

const GpuTarget *findGpuTarget(StringRef arch) {
  const auto *it = llvm::find_if(
      kTargets, [&](const GpuTarget &t) { return t.arch == arch; });
  return it == std::end(kTargets) ? nullptr : it;
}

FailureOr<const GpuTarget *>
lookupGpuTarget(StringRef arch, function_ref<InFlightDiagnostic()> emitError) {
  if (const GpuTarget *target = findGpuTarget(arch))
    return target;
  return emitError() << "unknown GPU architecture '" << arch << "', expected "
                     << getGpuTargetNames();
}

const GpuTarget *findGpuTargetForDevice(StringRef device) {
  unsigned capability = 0;
  if (!device.consume_front("sm_") || device.getAsInteger(10, capability))
    return nullptr;
  const GpuTarget *best = nullptr;
  for (const GpuTarget &target : kTargets)
    if (!target.isArchitectureSpecific() &&
        target.computeCapability <= capability)
      best = &target;
  return best;
}

} // namespace fuser
