//===- Target.h - What programs are compiled for -------------- -*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that differs from target to target is in one record: what schedulers
// there are, what becomes of kernels, and where they run. Passes and tools are
// given a list of records and look a target up by its name; nothing compares
// names.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TARGET_TARGET_H
#define FUSER_TARGET_TARGET_H

#include "fuser/Schedule/Scheduler.h"
#include "fuser/Support/LLVM.h"
#include "fuser_rt/Program.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include <functional>
#include <vector>

namespace llvm {
class Error;
class Module;
} // namespace llvm

namespace mlir {
class OpPassManager;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace fuser {

/// An architecture of a target, as compiled programs name it.
struct Architecture {
  std::string name;
  std::vector<std::string> features;
};

/// Is told how long a step has taken.
using StepTimer =
    llvm::function_ref<void(llvm::StringRef step, double milliseconds)>;

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

struct KernelLoweringOptions {
  llvm::StringRef arch;
  /// Kernels announce their accesses, for a simulator that checks them; of
  /// other targets they do not.
  bool check = false;
};

struct Target {
  /// As options have it: "cuda".
  llvm::StringLiteral name;
  /// The form of its kernels, before they are lowered: the schedules whose
  /// emitters make kernels of that form are for this target.
  llvm::StringLiteral kernelForm;
  /// Where programs run.
  fuser_rt::Target device;
  schedule::Schedulers (*getSchedulers)();
  /// The processor that decisions are made for: of the architecture `arch`, or
  /// of the usual one if `arch` is empty. None if the target has no decisions
  /// for such an architecture.
  std::optional<schedule::Processor> (*findProcessor)(llvm::StringRef arch);
  /// The names that findProcessor takes, as errors list them.
  std::string (*getProcessorNames)();
  /// What code for the architecture `arch` is made for; an empty one is this
  /// machine's, if the target can run here.
  FailureOr<Architecture> (*resolveArch)(llvm::StringRef arch,
                                         EmitError emitError);
  /// The architecture of a device that calls itself `device`, for which an
  /// empty `--arch` stands.
  std::string (*getDeviceArch)(llvm::StringRef device);
  /// Adds the passes that lower kernels to the LLVM dialect, on the module.
  void (*buildKernelLowering)(mlir::OpPassManager &passes,
                              const KernelLoweringOptions &options);
  /// The images that the device loads, one for each of the modules, whose
  /// kernels are lowered. Null: kernels become part of the host program's
  /// object.
  FailureOr<std::vector<std::string>> (*emitImages)(
      llvm::ArrayRef<Operation *> modules, llvm::StringRef arch,
      StepTimer timer);
  /// The processor of the host program's object, in LLVM's words.
  std::string (*getHostArch)(llvm::StringRef arch);
  /// Adds what kernels call to a module with kernels that are part of the host
  /// program's object. Null: nothing.
  llvm::Error (*linkLibrary)(llvm::Module &module);
};

/// All that a tool knows.
using Targets = llvm::ArrayRef<const Target *>;

/// The target named `name`, or null.
const Target *findTarget(Targets targets, llvm::StringRef name);
/// The first one that runs on such a device.
const Target *findTarget(Targets targets, fuser_rt::Target device);
/// "cuda, cpu or sim".
std::string getTargetNames(Targets targets);

/// A target, and the processor of it that decisions are made for.
struct ChosenTarget {
  const Target *target;
  schedule::Processor processor;
};

/// `spec` is the name of a target or of a processor; none for any other.
std::optional<ChosenTarget> findTargetSpec(Targets targets,
                                           llvm::StringRef spec);
/// What that can be, as errors list it.
std::string getTargetSpecs(Targets targets);

/// What the decisions on `func` are made for: `spec` is the name of a target or
/// of a processor. What was decided before must have been for the same one
/// (`fusion.target`), which is also what an empty `spec` stands for; else it is
/// the first target. A located error if they differ.
FailureOr<ChosenTarget> chooseTarget(mlir::func::FuncOp func, Targets targets,
                                     llvm::StringRef spec);

/// The spec for passes: `arch` if decisions depend on it.
std::string getTargetSpec(const Target &target, llvm::StringRef arch);

} // namespace fuser

#endif // FUSER_TARGET_TARGET_H
