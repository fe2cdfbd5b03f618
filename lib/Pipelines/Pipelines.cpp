//===- Pipelines.cpp - The order of the passes ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/Pipelines.h"
#include "fuser/Conversion/FusionToHost.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "fuser/Conversion/HostToLLVM.h"
#include "fuser/Conversion/Kernels/KernelMath.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "fuser/Dialect/Host/Transforms/Passes.h"
#include "fuser/Frontend/Passes.h"
#include "fuser/Pipelines/SegmentationPolicy.h"
#include "fuser/Pipelines/Targets.h"
#include "fuser/Target/EmitKernels.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace fuser;

static fusion::SegmentationPolicy getPolicy(const PipelineOptions &options) {
  fusion::SegmentationPolicy policy = getSegmentationPolicy(options.target);
  if (!options.explain)
    return policy;
  return [policy](func::FuncOp func,
                  StringRef spec) -> FailureOr<fusion::SegmentationOptions> {
    FailureOr<fusion::SegmentationOptions> result = policy(func, spec);
    if (succeeded(result))
      result->explain = true;
    return result;
  };
}

bool fuser::hasSegments(Operation *program) {
  return program
      ->walk([](fusion::SegmentOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

void fuser::buildFusionPipeline(OpPassManager &pm,
                                const PipelineOptions &options) {
  pm.addNestedPass<func::FuncOp>(frontend::createExpandCompositesPass());
  // What a user has not written is not what messages are of.
  pm.addNestedPass<func::FuncOp>(
      createFusionCheckSizesPass({/*beforeDecomposition=*/true}));
  pm.addNestedPass<func::FuncOp>(fusion::createDecomposeComplexPass());
  pm.addNestedPass<func::FuncOp>(fusion::createDecomposePackedPass());
  // What host programs compute by functions of tensors. Names are resolved
  // first: how a buffer lies counts.
  OpPassManager &programs = pm.nest<func::FuncOp>();
  programs.addPass(host::createHostResolveAliasesPass());
  programs.addPass(host::createHostStreamLoopsPass());
  programs.addPass(host::createHostStageCommunicationsPass());
  pm.addPass(createHostExpandOpsPass());
  pm.addPass(createHostSpecializeCallsPass());
  pm.addNestedPass<func::FuncOp>(fusion::createPartitionPass());
  pm.addNestedPass<func::FuncOp>(fusion::createNormalizeCollectivesPass());
  pm.addNestedPass<func::FuncOp>(createFusionCheckSizesPass());
  // Libraries compute with floats.
  if (options.arithmetic == Arithmetic::Ring)
    pm.addNestedPass<func::FuncOp>(fusion::createExpandContractionsPass());
  // The program as it is written decides: what is simplified depends on where
  // it is cut.
  pm.addNestedPass<func::FuncOp>(fusion::createDecideExactnessPass());
  pm.addNestedPass<func::FuncOp>(fusion::createRemoveEmptyPass());
  // Kernels that a program has already stay as they are.
  OpPassManager &funcs = pm.nest<func::FuncOp>();
  funcs.addPass(createCanonicalizerPass());
  funcs.addPass(fusion::createCollapseDimensionsPass());
  funcs.addPass(createCSEPass());
  // What has become equal is folded.
  funcs.addPass(createCanonicalizerPass());
  funcs.addPass(fusion::createSinkReshapesPass(
      {/*open=*/options.target->kernelForm != getCpuTarget().kernelForm}));
  funcs.addPass(fusion::createInferAllocationOrderPass());
  funcs.addPass(fusion::createForwardFactoriesPass());
  funcs.addPass(fusion::createSegmentPass(
      getPolicy(options), getTargetSpec(*options.target, options.arch)));
}

void fuser::buildKernelPipeline(OpPassManager &pm,
                                const PipelineOptions &options) {
  std::string spec = getTargetSpec(*options.target, options.arch);
  pm.addPass(createFusionSchedulePass(
      options.target, {spec, options.explain || options.explainSchedulers}));
  pm.addPass(createFusionToKernelPass(options.target, {spec}));
}

void fuser::buildHostPipeline(OpPassManager &pm) {
  pm.addPass(createFusionToHostPass());
  pm.addPass(createHostInlineCallsPass());
  pm.addPass(createShardToHostPass());
  OpPassManager &funcs = pm.nest<func::FuncOp>();
  funcs.addPass(host::createHostResolveAliasesPass());
  funcs.addPass(host::createHostDeallocatePass());
}

void fuser::buildKernelLoweringPipeline(OpPassManager &pm,
                                        const PipelineOptions &options) {
  if (options.arithmetic == Arithmetic::Ring)
    pm.addPass(createKernelFloatsToRingPass());
  options.target->buildKernelLowering(pm, {options.arch, options.checkKernels});
}

void fuser::buildKernelEmissionPipeline(OpPassManager &pm,
                                        const PipelineOptions &options) {
  pm.addPass(createEmitKernelsPass(options.target,
                                   {options.target->name.str(), options.arch},
                                   options.timer));
}

void fuser::buildHostLoweringPipeline(OpPassManager &pm) {
  buildHostToLLVMPipeline(pm);
}

namespace {
/// The options of `fuser-pipeline`.
struct TextOptions : public PassPipelineOptions<TextOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("a target (cuda, cpu), or an "
                                            "architecture of it (sm_80)"),
                             llvm::cl::init("cuda")};
  Option<std::string> arch{*this, "arch",
                           llvm::cl::desc("of the target; cpu: an LLVM CPU "
                                          "name, empty for this one"),
                           llvm::cl::init("")};
  Option<bool> exact{*this, "exact",
                     llvm::cl::desc("compute with integers of a ring in place "
                                    "of floats, in a module with fusion.ring"),
                     llvm::cl::init(false)};
  Option<bool> explain{*this, "explain",
                       llvm::cl::desc("say in remarks where programs are cut, "
                                      "and which scheduler takes a segment "
                                      "that another one does not"),
                       llvm::cl::init(false)};
};
} // namespace

static LogicalResult
buildFromText(OpPassManager &pm, Targets targets, StringRef text,
              llvm::function_ref<LogicalResult(const Twine &)> emitError) {
  TextOptions options;
  if (failed(options.parseFromString(text)))
    return failure();
  auto chosen = findTargetSpec(targets, options.target);
  if (!chosen)
    return emitError("expected target " + getTargetSpecs(targets) + ", got '" +
                     options.target + "'");
  PipelineOptions pipeline{chosen->target, options.arch};
  if (pipeline.arch.empty() && options.target != chosen->target->name)
    pipeline.arch = options.target;
  if (options.exact)
    pipeline.arithmetic = Arithmetic::Ring;
  pipeline.explain = options.explain;
  buildFusionPipeline(pm, pipeline);
  buildKernelPipeline(pm, pipeline);
  buildHostPipeline(pm);
  buildKernelLoweringPipeline(pm, pipeline);
  buildKernelEmissionPipeline(pm, pipeline);
  buildHostLoweringPipeline(pm);
  return success();
}

void fuser::registerFuserPipelines(Targets targets) {
  registerPassPipeline(
      "fuser-pipeline",
      "Lowers fusion programs to kernels and host programs in the LLVM dialect",
      [targets](OpPassManager &pm, StringRef text,
                llvm::function_ref<LogicalResult(const Twine &)> emitError) {
        return buildFromText(pm, targets, text, emitError);
      },
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)> visit) {
        visit(TextOptions());
      });
}
