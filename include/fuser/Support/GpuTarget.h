//===- GpuTarget.h - The GPUs that there is code for -----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every stage knows of GPUs: segmentation, the heuristics and the writer
// of PTX look here and nowhere else, so that what one takes all take.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_GPUTARGET_H
#define FUSER_SUPPORT_GPUTARGET_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace fuser {

// Of any GPU.
constexpr int64_t kMaxThreadsPerBlock = 1024;
constexpr int64_t kMaxThreadsPerMultiprocessor = 2048;
constexpr int64_t kWarpSize = 32;
/// The neighbours that a reduction combines first, whatever the schedule: see
/// docs/rationale/sums.md.
constexpr int64_t kLeafElements = 8;
/// So many neighbours are reduced before they meet others: the work of one
/// thread block, where several share a result.
constexpr int64_t kSectionElements = 65536;
/// Blocks of a cluster; more than 8 are asked for.
constexpr int64_t kMaxClusterBlocks = 16;
constexpr int64_t kMaxRegistersPerThread = 255;
/// Bytes of shared memory that a block has beside its own.
constexpr int64_t kSharedOfSystem = 1024;
/// The most shared memory that a kernel can have as workgroup attributions.
constexpr int64_t kMaxStaticSharedBytes = 48 * 1024;

/// An architecture. What parts of it differ in is that of the largest one that
/// is common.
struct GpuTarget {
  /// As in `--arch`: sm_90, or sm_90a.
  llvm::StringLiteral arch;
  /// Ten times the compute capability: 90.
  unsigned computeCapability;
  /// The lowest PTX version that knows the architecture and has what our
  /// kernels use there, so that old drivers take it too: 80 for PTX 8.0. LLVM
  /// aborts on a version that is too low.
  unsigned ptxVersion;
  int multiprocessors;
  int64_t registersPerMultiprocessor; ///< Of 32 bits.
  /// Of shared memory, named or asked of the launch. A multiprocessor has
  /// kSharedOfSystem more, and that for each block.
  int64_t sharedBytesPerBlock;
  double bytesPerSecond; ///< To and from device memory.

  /// Code for it runs on GPUs of that very compute capability only; other code
  /// also on all later ones.
  bool isArchitectureSpecific() const { return arch.ends_with("a"); }
  /// Whether blocks can form clusters.
  bool hasClusters() const { return computeCapability >= 90; }
  /// The PTX version in LLVM's words: +ptx80.
  std::string getFeatures() const {
    return "+ptx" + std::to_string(ptxVersion);
  }
  /// What the parameters of a kernel take at most: 4096 bytes, and 32764 from
  /// PTX 8.1 on, whose drivers (of CUDA 12.1 and later) take so many.
  int64_t getMaxParamBytes() const { return ptxVersion >= 81 ? 32764 : 4096; }
};

/// What decisions and code are for where nobody names a GPU.
constexpr llvm::StringLiteral kDefaultGpuArch = "sm_90";

/// All targets, by compute capability; those with an `a` behind those without.
llvm::ArrayRef<GpuTarget> getGpuTargets();

/// Their names, as errors list them: "sm_80, sm_86, ...".
std::string getGpuTargetNames();

/// The target named `arch`, or null.
const GpuTarget *findGpuTarget(llvm::StringRef arch);

/// The same with an error by `emitError`, which lists the names, if there is
/// none.
FailureOr<const GpuTarget *>
lookupGpuTarget(llvm::StringRef arch,
                llvm::function_ref<InFlightDiagnostic()> emitError);

/// The target whose code runs best on a GPU that is called `device` (sm_89 for
/// compute capability 8.9): the greatest that is not above it, and no
/// architecture specific one. Null for a GPU that is too old, and for what is
/// no GPU's name.
const GpuTarget *findGpuTargetForDevice(llvm::StringRef device);

} // namespace fuser

#endif // FUSER_SUPPORT_GPUTARGET_H
