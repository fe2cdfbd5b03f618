//===- Pipelines.h - The order of the passes ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PIPELINES_PIPELINES_H
#define FUSER_PIPELINES_PIPELINES_H

#include "fuser/Support/Arithmetic.h"
#include "fuser/Target/Target.h"
#include <functional>
#include <string>

namespace mlir {
class Operation;
class OpPassManager;
} // namespace mlir

namespace fuser {

struct PipelineOptions {
  const Target *target;
  /// Of the target (cuda: sm_80, sm_90, ...; cpu: an LLVM CPU name); empty for
  /// the usual one.
  std::string arch;
  /// Segmentation says in remarks why tensors go through memory, and scheduling
  /// what `explainSchedulers` says.
  bool explain = false;
  /// Is told how long steps within a pass take. May be null.
  std::function<void(llvm::StringRef step, double milliseconds)> timer =
      nullptr;
  /// With the ring, the module has to have `fusion.ring`.
  Arithmetic arithmetic = Arithmetic::Floats;
  /// See CompileOptions.
  bool checkKernels = false;
  /// Scheduling says in a remark which scheduler takes a segment that the one
  /// it names does not.
  bool explainSchedulers = false;
};

/// Whether a program itself has segments: who has named their schedulers asks
/// whether these take them.
bool hasSegments(mlir::Operation *program);

/// Tensors to segments: canonicalisation, allocation order, forwarding,
/// segmentation.
void buildFusionPipeline(mlir::OpPassManager &pm,
                         const PipelineOptions &options);

/// Segments to kernels: schedules, then the kernel stage.
void buildKernelPipeline(mlir::OpPassManager &pm,
                         const PipelineOptions &options);

/// Segments with kernels to the host program on buffers, and a host program to
/// one whose aliases are resolved and whose buffers are freed.
void buildHostPipeline(mlir::OpPassManager &pm);

/// Kernels to the LLVM dialect, for the target.
void buildKernelLoweringPipeline(mlir::OpPassManager &pm,
                                 const PipelineOptions &options);

/// Kernels in the LLVM dialect to `host.kernel`, with their code.
void buildKernelEmissionPipeline(mlir::OpPassManager &pm,
                                 const PipelineOptions &options);

/// The host program to the LLVM dialect.
void buildHostLoweringPipeline(mlir::OpPassManager &pm);

/// `fuser-pipeline`: all of the above in order, for one of `targets`.
void registerFuserPipelines(Targets targets);

} // namespace fuser

#endif // FUSER_PIPELINES_PIPELINES_H
