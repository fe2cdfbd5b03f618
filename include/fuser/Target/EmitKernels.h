//===- EmitKernels.h - Lowered kernels to code -----------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TARGET_EMITKERNELS_H
#define FUSER_TARGET_EMITKERNELS_H

#include "fuser/Target/Target.h"
#include "mlir/Pass/Pass.h"
#include <functional>

namespace fuser {

#define GEN_PASS_DECL_EMITKERNELSPASS
#include "fuser/Target/EmitKernels.h.inc"

/// The pass, for any of `targets`. `timer` is told how long its steps take; it
/// may be null.
std::unique_ptr<mlir::Pass>
createEmitKernelsPass(Targets targets, EmitKernelsPassOptions options,
                      std::function<void(llvm::StringRef, double)> timer = {});
void registerEmitKernelsPass(Targets targets);

} // namespace fuser

#endif // FUSER_TARGET_EMITKERNELS_H
