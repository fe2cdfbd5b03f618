//===- KernelChecks.cpp - What ops of the kernel dialect need -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelOps.h"
#include "fuser/Conversion/KernelSignature.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Support/GpuTarget.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace fuser {

//===----------------------------------------------------------------------===//
// Architectures
//===----------------------------------------------------------------------===//

/// Whether each GPU that there is code for has the instructions of `op`.
static bool isOnAllGpus(Operation *op) {
  if (auto add = dyn_cast<kernel::CounterAddOp>(op))
    return add.getScope() != kernel::Scope::Cluster;
  return isa<kernel::BallotOp, kernel::BarrierArriveOp, kernel::BarrierOp,
             kernel::CopyAsyncCommitOp, kernel::CopyAsyncNeighboursOp,
             kernel::CopyAsyncOp, kernel::CopyAsyncWaitOp,
             kernel::CounterWaitOp, kernel::LoadCopiedOp,
             kernel::LoadNeighboursOp, kernel::LoadOp, kernel::PhiloxOp,
             kernel::StoreNeighboursOp, kernel::StoreOp, kernel::SyncWarpOp,
             kernel::VoteOp>(op);
}

LogicalResult verifyKernelOps(gpu::GPUModuleOp module, StringRef arch) {
  if (arch.empty())
    return success();
  FailureOr<const GpuTarget *> target =
      lookupGpuTarget(arch, [&] { return module.emitOpError(); });
  if (failed(target))
    return failure();
  // All others came with clusters.
  if ((*target)->hasClusters())
    return success();
  WalkResult result = module.walk([&](Operation *op) {
    if (!isa_and_nonnull<kernel::KernelDialect>(op->getDialect()) ||
        isOnAllGpus(op))
      return WalkResult::advance();
    op->emitOpError() << "expected sm_90 or later, got " << arch;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

/// Whether the kernel does no more with `buffer` than read what it, and views
/// of it, hold.
static bool isOnlyRead(Value buffer) {
  return llvm::all_of(buffer.getUses(), [](OpOperand &use) {
    Operation *op = use.getOwner();
    if (auto copy = dyn_cast<kernel::BulkCopyOp>(op))
      return &use == &copy.getSourceMutable();
    if (auto copy = dyn_cast<kernel::CopyAsyncOp>(op))
      return &use == &copy.getSourceMutable();
    if (auto copy = dyn_cast<kernel::CopyAsyncNeighboursOp>(op))
      return &use == &copy.getSourceMutable();
    if (auto load = dyn_cast<kernel::LoadCopiedOp>(op))
      return &use == &load.getSourceMutable();
    if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      return llvm::all_of(op->getResults(), isOnlyRead);
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    return effects && op->getNumRegions() == 0 &&
           !op->hasTrait<OpTrait::IsTerminator>() &&
           llvm::none_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>) &&
           (effects.hasNoEffect() ||
            effects.onlyHasEffect<MemoryEffects::Read>());
  });
}

// `llvm.noalias` says of memory that is written that only this thread writes
// it, by this pointer, and LLVM moves accesses of it over calls that it does
// not get. Memory that is only read it loads by ld.global.nc, at any place.
//
// - Behind kernel.grid_dependency_wait is what another grid has written, which
//   it must not have been loaded before.
// - Behind an op that acquires is what other threads have written to the same
//   buffer, and copies read and write at any time before they are waited for.
// - Reads by ld.global.nc have no order for the assembler, which moves them
//   behind the barriers that follow, to where their elements are needed.
void dropNoAlias(gpu::GPUFuncOp kernel) {
  bool waitsForGrid = false, communicates = false;
  kernel.walk([&](Operation *op) {
    waitsForGrid |= isa<kernel::GridDependencyWaitOp>(op);
    communicates |= isa<gpu::BarrierOp, kernel::BarrierOp, kernel::BulkCopyOp,
                        kernel::ClusterWaitOp, kernel::CopyAsyncNeighboursOp,
                        kernel::CopyAsyncOp, kernel::CounterAddOp,
                        kernel::CounterWaitOp, kernel::MBarrierWaitOp>(op);
  });
  auto function = cast<FunctionOpInterface>(kernel.getOperation());
  for (unsigned i = 0; i != function.getNumArguments(); ++i)
    if (waitsForGrid || function.getArgAttr(i, kOrderedReadsAttrName) ||
        (communicates && !isOnlyRead(function.getArgument(i))))
      function.removeArgAttr(i, kNoAliasAttrName);
}

} // namespace fuser
