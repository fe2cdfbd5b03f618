//===- FusionToKernel.cpp - Emits a kernel for each segment -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/FusionToKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"

#include "fuser/Conversion/KernelScheduleInterface.cpp.inc"

namespace fuser {

#define GEN_PASS_DEF_FUSIONTOKERNELPASS
#include "fuser/Conversion/FusionToKernel.h.inc"

using fusion::SegmentOp;

/// The emitter of the segment's schedule; null after an error.
static KernelScheduleInterface findEmitter(SegmentOp segment) {
  auto schedule = segment.getScheduleAttr();
  if (!schedule) {
    segment.emitOpError(
        "expected a schedule, got none: run fusion-schedule first");
    return nullptr;
  }
  auto emitter = dyn_cast<KernelScheduleInterface>(schedule);
  if (!emitter)
    segment.emitOpError() << "expected a schedule with an emitter, got "
                          << schedule
                          << ": the emitters of its target are not registered";
  return emitter;
}

LaunchDims getLaunchDims(OpBuilder &builder, Location loc, SegmentOp segment,
                         TensorDimFn dimOf) {
  KernelScheduleInterface emitter = findEmitter(segment);
  return emitter ? emitter.getLaunchDims(builder, loc, segment, dimOf)
                 : LaunchDims();
}

/// The emitter for the segment and this target; null after an error.
static KernelScheduleInterface getEmitter(SegmentOp segment, StringRef target) {
  KernelScheduleInterface emitter = findEmitter(segment);
  if (!emitter || emitter.getTarget() == target)
    return emitter;
  segment.emitOpError() << "expected a schedule for target " << target
                        << ", got " << segment.getScheduleAttr()
                        << ", which is for " << emitter.getTarget();
  return nullptr;
}

/// The module of kernels; made before the first function if it is not there.
/// Null after an error.
static Operation *getKernelModule(ModuleOp module, StringRef target) {
  Operation *existing = SymbolTable::lookupSymbolIn(module, kKernelModuleName);
  if (existing) {
    if (target == "cpu" ? isa<ModuleOp>(existing)
                        : isa<gpu::GPUModuleOp>(existing))
      return existing;
    existing->emitOpError() << "expected '" << kKernelModuleName
                            << "' to be a module of " << target << " kernels";
    return nullptr;
  }
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  if (target == "cpu")
    return ModuleOp::create(b, module.getLoc(), kKernelModuleName);
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  b.getUnitAttr());
  return gpu::GPUModuleOp::create(b, module.getLoc(), kKernelModuleName);
}

namespace {
struct FusionToKernelPass : impl::FusionToKernelPassBase<FusionToKernelPass> {
  using Base::Base;

  void runOnOperation() override {
    if (target != "cuda" && target != "cpu") {
      getOperation().emitError()
          << "expected target cuda or cpu, got '" << target << "'";
      return signalPassFailure();
    }
    auto funcs = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp func : funcs)
      if (!func.isExternal() && failed(runOnFunction(func)))
        return signalPassFailure();
  }

private:
  LogicalResult runOnFunction(func::FuncOp func) {
    SmallVector<SegmentOp> segments;
    func.walk([&](SegmentOp segment) {
      if (!segment.getKernelAttr())
        segments.push_back(segment);
    });
    if (segments.empty())
      return success();
    Operation *kernels = getKernelModule(getOperation(), target);
    if (!kernels)
      return failure();
    ShapeSymbols symbols(func);
    SymbolTable table(kernels);
    unsigned number = 0;
    for (SegmentOp segment : segments)
      if (failed(emitKernel(segment, func.getName(), number, table, symbols)))
        return failure();
    return success();
  }

  LogicalResult emitKernel(SegmentOp segment, StringRef prefix,
                           unsigned &number, SymbolTable &table,
                           const ShapeSymbols &symbols) {
    KernelScheduleInterface emitter = getEmitter(segment, target);
    if (!emitter)
      return failure();
    std::string name;
    do
      name = (prefix + "_" + Twine(number++)).str();
    while (table.lookup(name));
    OpBuilder b = OpBuilder::atBlockEnd(&table.getOp()->getRegion(0).front());
    if (failed(emitter.emitKernel(b, segment, name, symbols)))
      return failure();
    auto inner = FlatSymbolRefAttr::get(segment.getContext(), name);
    segment.setKernelAttr(
        SymbolRefAttr::get(segment.getContext(), kKernelModuleName, inner));
    return success();
  }
};
} // namespace

} // namespace fuser
