//===- HostProgram.cpp - What is checked before the lowering --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostToLLVMInternal.h"
#include "fuser/Dialect/Host/Transforms/ProgramRules.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;
using namespace fuser::host;
using namespace fuser::host_to_llvm;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Reports an op that no host program may hold. True if it did.
static bool reportOp(Operation *op) {
  auto copy = dyn_cast<CopyOp>(op);
  bool isTensorOp = isa<TensorOpInterface>(op) && !isa<MatmulOp>(op);
  if (isa<CallOp>(op) || (copy ? !copy.copiesBytes() : isTensorOp)) {
    op->emitOpError("is not lowered: expected host-expand-ops, "
                    "host-specialize-calls and host-inline-calls before "
                    "host-to-llvm");
    return true;
  }
  if (isa<DeclareOp, AliasOp>(op)) {
    op->emitOpError("is not resolved: expected host-resolve-aliases before "
                    "host-to-llvm");
    return true;
  }
  if (isa_and_nonnull<memref::MemRefDialect>(op->getDialect()) && !isView(op)) {
    op->emitOpError("expected no access to elements and no host memory in a "
                    "host program, whose memrefs are device memory");
    return true;
  }
  return false;
}

LogicalResult host_to_llvm::checkOps(func::FuncOp program) {
  bool hasErrors = false;
  program.walk([&](Operation *op) { hasErrors |= reportOp(op); });
  return failure(hasErrors);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The kernels of a program, and their numbers.
static llvm::DenseMap<StringAttr, std::pair<KernelOp, int32_t>>
numberKernels(ModuleOp module) {
  llvm::DenseMap<StringAttr, std::pair<KernelOp, int32_t>> numbers;
  for (auto kernel : module.getOps<KernelOp>())
    numbers.try_emplace(kernel.getSymNameAttr(), kernel, numbers.size());
  return numbers;
}

int64_t host_to_llvm::getMemRefBytes(LaunchOp launch, ParamAttr param) {
  Type type = launch.getArgs()[param.getArgument()].getType();
  return kMemRefBytes + 2 * kSlotBytes * cast<MemRefType>(type).getRank();
}

FailureOr<ProgramPlan> host_to_llvm::planProgram(func::FuncOp program) {
  ProgramPlan plan;
  auto numbers = numberKernels(cast<ModuleOp>(program->getParentOp()));
  WalkResult result = program.walk([&](Operation *op) {
    if (auto check = dyn_cast<CheckOp>(op))
      plan.maxValues =
          std::max<int64_t>(plan.maxValues, check.getValues().size());
    if (auto output = dyn_cast<OutputOp>(op))
      plan.maxRank = std::max(plan.maxRank, output.getType().getRank());
    if (auto view = dyn_cast<OutputViewOp>(op))
      plan.maxRank = std::max(plan.maxRank, view.getView().getType().getRank());
    plan.hasMatmul |= isa<MatmulOp>(op);
    plan.hasTransfer |= isa<CommunicationOpInterface>(op);
    auto launch = dyn_cast<LaunchOp>(op);
    if (!launch)
      return WalkResult::advance();
    auto it = launch.getKernel().getNestedReferences().empty()
                  ? numbers.find(launch.getKernel().getRootReference())
                  : numbers.end();
    if (it == numbers.end())
      return WalkResult(
          launch.emitOpError("expected a host.kernel, got ")
          << launch.getKernel()
          << ": kernels are lowered, and emit-kernels has run, before "
             "host-to-llvm");
    auto [kernel, number] = it->second;
    plan.maxParams =
        std::max<int64_t>(plan.maxParams, kernel.getParams().size());
    int64_t tensorBytes = 0;
    for (ParamAttr param : kernel.getParamAttrs())
      if (param.getKind() == ParamKind::TensorMap)
        tensorBytes += getMemRefBytes(launch, param);
    plan.maxTensorBytes = std::max(plan.maxTensorBytes, tensorBytes);
    plan.launches[launch] = {number, kernel.getParams()};
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return plan;
}
