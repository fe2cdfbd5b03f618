//===- StubTarget.cpp - A target that only tests know ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A third target is one record and its lowering: here kernels of one op each,
// which are made and lowered as those of the CPU, for the oldest processor.
//
//===----------------------------------------------------------------------===//

#include "TestFusion.h"
#include "fuser/Conversion/CPUToLLVM.h"
#include "fuser/Conversion/KernelEmitters.h"
#include "fuser/Pipelines/Targets.h"
#include "fuser/Schedule/GroupFit.h"
#include "mlir/Pass/PassManager.h"

using namespace fuser;

static constexpr StringLiteral kArch = "x86-64";

static Decision mayBeOneOp(const fusion::GroupSummary &group,
                           const schedule::Processor &) {
  return group.numOps == 1 ? Decision::yes()
                           : Decision::no("a kernel has one op");
}

static schedule::Schedulers getSchedulers() {
  static const schedule::Scheduler schedulers[] = {
      {"generic", mayBeOneOp, getCpuSchedulers().back().choose}};
  return schedulers;
}

static std::optional<schedule::Processor> findProcessor(StringRef arch) {
  if (!arch.empty() && arch != "stub")
    return std::nullopt;
  schedule::Processor processor;
  processor.name = "stub";
  processor.bytesPerSecond = processor.operationsPerSecond = 1;
  return processor;
}

static std::string getProcessorNames() { return "stub"; }

static FailureOr<Architecture> resolveArch(StringRef arch,
                                           EmitError emitError) {
  if (arch.empty())
    return Architecture{kArch.str(), {}};
  return emitError() << "expected no architecture, got '" << arch << "'";
}

static std::string getDeviceArch(StringRef) { return ""; }

static void buildKernelLowering(OpPassManager &passes,
                                const KernelLoweringOptions &) {
  CPUToLLVMPassOptions options;
  options.arch = kArch;
  passes.addPass(createCPUToLLVMPass(options));
}

static std::string getHostArch(StringRef) { return kArch.str(); }

Targets test::getTargetsWithStub() {
  static constexpr Target kStub{"stub",
                                "cpu",
                                fuser_rt::Target::Cpu,
                                getSchedulers,
                                findProcessor,
                                getProcessorNames,
                                resolveArch,
                                getDeviceArch,
                                buildKernelLowering,
                                /*emitImages=*/nullptr,
                                getHostArch,
                                /*linkLibrary=*/nullptr};
  static const SmallVector<const Target *> targets = [] {
    auto all = llvm::to_vector(getAllTargets());
    all.push_back(&kStub);
    return all;
  }();
  return targets;
}
