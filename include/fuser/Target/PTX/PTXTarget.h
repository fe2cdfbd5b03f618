//===- PTXTarget.h - The GPUs that PTX is written for ----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TARGET_PTX_PTXTARGET_H
#define FUSER_TARGET_PTX_PTXTARGET_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace fuser {

/// An architecture and the PTX that it takes. LLVM aborts on pairs that do not
/// fit, so that they are made here and nowhere else.
struct PTXTarget {
  /// As in `--gpu-arch`: sm_90.
  llvm::StringLiteral arch;
  /// The compute capability times ten: 90.
  unsigned computeCapability;
  /// The lowest PTX version that has what our kernels use there, so that old
  /// drivers take it too: 80 for PTX 8.0.
  unsigned ptxVersion;

  /// In LLVM's words: +ptx80.
  std::string getFeatures() const;
  /// Whether blocks can form clusters.
  bool hasClusters() const { return computeCapability >= 90; }
};

/// All targets, oldest first.
llvm::ArrayRef<PTXTarget> getPTXTargets();

/// The target named `arch`. If there is none: an error by `emitError` that
/// lists those that there are.
FailureOr<PTXTarget>
lookupPTXTarget(llvm::StringRef arch,
                llvm::function_ref<InFlightDiagnostic()> emitError);

} // namespace fuser

#endif // FUSER_TARGET_PTX_PTXTARGET_H
