//===- PTXTarget.cpp - The GPUs that PTX is written for -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Target/PTX/PTXTarget.h"
#include "llvm/ADT/STLExtras.h"

namespace fuser {

// sm_80: conversions to packed bf16 and max.NaN came with PTX 7.0. sm_90:
// clusters came with 7.8, sm_90a with 8.0. sm_100: with 8.6.
static constexpr PTXTarget kTargets[] = {
    {"sm_80", 80, 70},   {"sm_90", 90, 80},    {"sm_90a", 90, 80},
    {"sm_100", 100, 86}, {"sm_100a", 100, 86},
};

std::string PTXTarget::getFeatures() const {
  return "+ptx" + std::to_string(ptxVersion);
}

ArrayRef<PTXTarget> getPTXTargets() { return kTargets; }

FailureOr<PTXTarget>
lookupPTXTarget(StringRef arch, function_ref<InFlightDiagnostic()> emitError) {
  for (const PTXTarget &target : kTargets)
    if (target.arch == arch)
      return target;
  InFlightDiagnostic diag = emitError() << "unknown GPU architecture '" << arch
                                        << "', expected ";
  llvm::interleaveComma(kTargets, diag,
                        [&](const PTXTarget &target) { diag << target.arch; });
  return diag;
}

} // namespace fuser
