//===- CpuTarget.h - Processors and shared objects ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last stage of every program, also of GPU programs, whose host side is
// native code: a module in the LLVM dialect becomes an ELF shared object, in
// memory, without a subprocess.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TARGET_CPU_CPUTARGET_H
#define FUSER_TARGET_CPU_CPUTARGET_H

#include "fuser/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <string>
#include <vector>

namespace llvm {
class Error;
class Module;
} // namespace llvm

namespace fuser {

/// A processor that code is made for.
struct CpuInfo {
  /// LLVM's name of it.
  std::string name;
  /// Its features as LLVM's target machine takes them: "+avx2,+fma,...".
  std::string featureString;
  /// The features that code may need, under LLVM's names without '-', '_' and
  /// '.': avx2, avx512bf16.
  std::vector<std::string> features;

  bool has(llvm::StringRef feature) const;
};

/// On a module of lowered kernels: the name of the processor that they are for
/// (StringAttr).
constexpr llvm::StringLiteral kCpuAttrName = "fuser.cpu";

/// The processor named `arch`: an LLVM CPU name (x86-64-v3, znver4), or empty
/// for this machine's. On failure an error is sent to `emitError`.
FailureOr<CpuInfo>
resolveCpu(llvm::StringRef arch,
           llvm::function_ref<InFlightDiagnostic()> emitError);

struct CpuTargetOptions {
  /// As for `resolveCpu`.
  std::string arch;
  /// Adds to the module of kernels what they call, before it is optimised.
  /// Null: they call nothing but the libraries of the system.
  llvm::Error (*linkLibrary)(llvm::Module &module) = nullptr;
  /// LLVM does little for kernels too.
  bool quick = false;
  /// Called at the end for each stage, with its name and how long it took, all
  /// threads together.
  std::function<void(llvm::StringRef stage, double milliseconds)> onStage;
};

/// Compiles `module` (LLVM dialect: a host program, and nested modules with CPU
/// kernels, compiled apart on several threads) to a shared object for x86-64
/// Linux.
/// Public functions are exported. What the object needs and does not define may
/// only be of the C and mathematics libraries; anything else is an error.
/// Errors are diagnostics on `module`.
FailureOr<std::string> emitSharedObject(Operation *module,
                                        const CpuTargetOptions &options);

} // namespace fuser

#endif // FUSER_TARGET_CPU_CPUTARGET_H
