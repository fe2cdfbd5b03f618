//===- Schedules.h - Random schedules -------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_FUZZ_SCHEDULES_H
#define FUSER_FUZZ_SCHEDULES_H

#include "fuser/Support/Arithmetic.h"
#include "fuser/Target/Target.h"

namespace fuser::fuzz {

/// Cuts the function of `module` into segments as the compiler does for a
/// target and an architecture of it, and gives some of them other schedules:
/// any that the verifiers admit. In the ring there are no products left.
/// `module` stays as it is if that is refused.
void changeSchedules(ModuleOp module, uint64_t seed, const Target &target,
                     llvm::StringRef arch, Arithmetic arithmetic);

/// Whether no kernels can be made of the segments of `module` for the schedules
/// that they have: each error is at one of these, or at an op of it for what it
/// keeps, and says why. Errors of anything else, as of the verifier about
/// kernels, are no refusal.
bool refusesSchedules(ModuleOp module, const Target &target,
                      llvm::StringRef arch, Arithmetic arithmetic);

} // namespace fuser::fuzz

#endif // FUSER_FUZZ_SCHEDULES_H
